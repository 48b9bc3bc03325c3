/* How much a timeline will show, before anything is replayed. */
#ifndef STEPSIM_SIM_ENGINE_TRACE_SIZE_H
#define STEPSIM_SIM_ENGINE_TRACE_SIZE_H

#include "model/plan/job.h"
#include "model/result/timeline.h"

/* Slices and arrows of a timeline, and at most so many changes of the load of a port; about, as waits are guessed. */
typedef struct ss_trace_size {
  double slices, loads;
} ss_trace_size;

/* What a timeline of these ranks and micro-batches shows of a job. SS_ERROR_MEMORY. */
ss_status ss_trace_size_of(const ss_job *job, const ss_selection *ranks, const ss_selection *micro_batches,
                           ss_trace_size *size);

#endif
