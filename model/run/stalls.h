/* GPUs that stall now and then, and all that wait for them. */
#ifndef STEPSIM_MODEL_RUN_STALLS_H
#define STEPSIM_MODEL_RUN_STALLS_H

#include "model/input/machine.h"
#include "model/result/prediction.h"

/* Stalls of so many GPUs in an iteration, in the mean: a Poisson number, since each GPU has them at stall-rate while it
 * runs kernels. */
double ss_stalls_of(const ss_machine *machine, double gpus, const ss_breakdown *iteration);

/* The mean of the longest of a Poisson number of stalls, 0 where there is none; they are exponentially distributed with
 * a mean. With n stalls none is longer than x with probability exp(-n exp(-x / mean)), so that it is mean Ein(n), the
 * integral of (1 - exp(-u)) / u up to n: near n mean for few, mean (ln n + 0.5772) for many. */
double ss_stalls_longest_s(double stalls, double mean_s);

#endif
