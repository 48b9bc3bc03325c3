/* Work for a crew: items that are independent of each other. */
#ifndef STEPSIM_SIM_CREW_WORK_H
#define STEPSIM_SIM_CREW_WORK_H

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
  const volatile int *stop;       /* no longer 0: the crew ends with SS_ERROR_STOPPED; NULL: nobody stops it */
} ss_crew_work;

#endif
