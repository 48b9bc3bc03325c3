/* Traces a run, whose tasks take times that are known when it begins. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_TRACE_RUN_H
#define STEPSIM_SIM_ENGINE_OBSERVE_TRACE_RUN_H

#include "sim/engine/observe/trace_writers.h"

/* The tasks of a run that takes `excess_s` longer than nominal: its kernels are stretched alike. */
void ss_trace_run(const ss_trace_writers *writers, const ss_stage_replica *replica, const ss_step *step, double begin_s,
                  double excess_s);

#endif
