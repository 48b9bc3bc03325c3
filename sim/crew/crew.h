/* A crew: processes that share out independent pieces of work. */
#ifndef STEPSIM_SIM_CREW_CREW_H
#define STEPSIM_SIM_CREW_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"

/* Items 0 ... count - 1. An outcome is plain bytes without pointers, since it crosses from one process to another. */
typedef struct ss_crew_work {
  int64_t count;
  size_t outcome_size; /* bytes */
  /* Whether the outcome is there already, so that nobody has to work for it; or NULL. In the calling process, in the
   * order of the items. */
  ss_status (*known)(void *context, int64_t item, void *outcome, bool *is_known, ss_error *error);
  /* Fills an outcome that is all zero. In a worker, which goes through several items one after the other and may keep
   * what it likes in its own copy of the context. */
  ss_status (*work)(void *context, int64_t item, void *outcome, ss_error *error);
  /* Takes an outcome. In the calling process, as the items become done, in any order. */
  ss_status (*done)(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error);
  void *context;
  int64_t at_a_time;              /* workers at most; 0: as many as OpenMP has threads */
  void (*progress)(double share); /* called in the calling process with the share of the items done; or NULL */
} ss_crew_work;

/* Joins the processes that mpirun or srun has started, where the environment says that it has; the others print nothing
 * from then on. All of them run the same program with the same arguments up to its end, where they take leave of each
 * other. Call it once, early, before threads and processes start; without it a process is alone. */
void ss_crew_join(void);

/* Whether there are other processes, and whether this one is the first: only that one has outcomes and writes files. */
bool ss_crew_is_alone(void);
bool ss_crew_is_first(void);

/* Gives the others what the first one has in `bytes`. SS_ERROR_PROCESS where the first one has stopped. */
ss_status ss_crew_share(void *bytes, size_t size, ss_error *error);

/* Does all items. Workers are processes that this one forks: call it outside of parallel regions, and a worker has one
 * OpenMP thread. They end with this process, however it ends.
 *
 * All processes that have joined share the work; "the calling process" above is the first one then, and the others
 * return when it does, with the same status and no outcomes.
 *
 * Where items fail, so does the crew, with the error of the first of them in the order of the items, whichever failed
 * first in time; those before it are done, those after it perhaps. SS_ERROR_PROCESS names the item whose worker
 * stopped, or says why none could be started; SS_ERROR_MEMORY; else the errors of the three functions. */
ss_status ss_crew_run(const ss_crew_work *work, ss_error *error);

#endif
