/* Two predictions side by side. */
#ifndef STEPSIM_SIM_CLI_PAIR_H
#define STEPSIM_SIM_CLI_PAIR_H

#include "sim/options/options.h"

/* Predicts the job of the options, and the same with what --against changes; prints or writes both beside each other.
 * Returns the exit status, which is that of a job too large where either is. */
int ss_pair_predict(const ss_options *options);

#endif
