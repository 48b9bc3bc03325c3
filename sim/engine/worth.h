/* What it is worth to start a replay again: how long its passes take beside putting it together. */
#ifndef STEPSIM_SIM_ENGINE_WORTH_H
#define STEPSIM_SIM_ENGINE_WORTH_H

#include "sim/engine/core/world.h"

/* How many times as long as it takes to put a replay together, which goes with its ranks, so many of its passes take.
 */
double ss_worth_set_ups(const ss_world *world, int64_t passes);

/* How many attempts may spare links. `plainly`: stage replicas that are left to simulate where none is spared, 0: not
 * known. */
int64_t ss_worth_attempts(const ss_world *world, int64_t plainly);

#endif
