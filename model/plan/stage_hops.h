/* Which messages between the stages of a placement cross domains. */
#ifndef STEPSIM_MODEL_PLAN_STAGE_HOPS_H
#define STEPSIM_MODEL_PLAN_STAGE_HOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/placement.h"

/* Some rank's message from `stage` to the next one (from the last to the first, between chunks) crosses domains. */
bool ss_placement_hop_crosses(const ss_placement *placement, int64_t stage);

/* Share of the messages between neighbouring stages that cross domains, in [0, 1]; 0 without a pipeline. With several
 * `chunks` of the model on a stage, the last stage and the first are neighbours too. */
double ss_placement_slow_hops(const ss_placement *placement, int64_t chunks);

#endif
