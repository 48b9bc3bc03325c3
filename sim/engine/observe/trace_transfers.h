/* Traces transfers, on the tracks of both ends. */
#ifndef STEPSIM_SIM_ENGINE_OBSERVE_TRACE_TRANSFERS_H
#define STEPSIM_SIM_ENGINE_OBSERVE_TRACE_TRANSFERS_H

#include "sim/engine/observe/trace_writers.h"

/* A transfer of the world begins, or ends, now. */
void ss_trace_transfer(const ss_trace_writers *writers, const ss_transfer *transfer, bool begins);

#endif
