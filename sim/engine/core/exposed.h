/* Why communication is exposed: the split of a time into start-ups, bytes and contention (ss_exposed). */
#ifndef STEPSIM_SIM_ENGINE_CORE_EXPOSED_H
#define STEPSIM_SIM_ENGINE_CORE_EXPOSED_H

#include "model/result/contention.h"

/* The sum of the parts, in seconds. */
double ss_exposed_sum(const ss_exposed *parts);

/* Adds `time_s` to what is exposed, in the proportions of `parts`; nothing where these are all 0. */
void ss_exposed_add(ss_exposed *exposed, double time_s, const ss_exposed *parts);

#endif
