/* The trace: tells the trace writers (model/result/timeline.h) what happens, for the ranks and micro-batches they want.
 */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_TRACE_H
#define STEPSIM_SIM_ENGINE_OBSERVE_TRACE_H

#include "sim/engine/observe/trace_writers.h"

typedef struct ss_tracer {
  ss_trace_writers writers;
  ss_observer observer;
  int32_t *stage_of_rank, *rank_of_gpu; /* [ranks], [gpus]; owned */
} ss_tracer;

/* A trace of a world, which it listens to from now on; opens the writers. Without writers it does nothing.
 * SS_ERROR_MEMORY. Free in any case. */
ss_status ss_tracer_open(ss_tracer *tracer, ss_world *world);
void ss_tracer_free(ss_tracer *tracer);

/* Closes the writers: what the first one that fails returns. */
ss_status ss_tracer_close(const ss_tracer *tracer, ss_error *error);

#endif
