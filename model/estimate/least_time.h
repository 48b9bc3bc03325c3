/* A time that stages do not come below, in whatever order they work: a bound that is found fast. */
#ifndef STEPSIM_MODEL_ESTIMATE_LEAST_TIME_H
#define STEPSIM_MODEL_ESTIMATE_LEAST_TIME_H

#include "model/estimate/stage_times.h"

/* Seconds that an iteration takes at least, with the times of its stages, of which only kernels count where `kernels`
 * says so. The first micro-batch comes to a stage through those before it, and the last one leaves through them; in
 * between a stage has its passes, the messages that it sends, unless they run beside compute, and what it gathers and
 * reduces in each pass: one after the other without overlap, else the longer of the two. */
double ss_least_time_s(const ss_job *job, const ss_stage_runs *runs, bool kernels);

#endif
