/* Which messages between the stages of a placement cross domains. */
#ifndef STEPSIM_MODEL_PLAN_STAGE_HOPS_H
#define STEPSIM_MODEL_PLAN_STAGE_HOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/placement/placement.h"
#include "model/schedule/row.h"

/* The same where stages do not all lie alike, rank by rank. */
bool ss_placement_crosses_somewhere(const ss_placement *placement, int64_t from, int64_t to);

/* Some rank's message from one stage to the rank at the same place of another crosses domains; either way. */
static inline bool ss_placement_crosses(const ss_placement *placement, int64_t from, int64_t to)
{
  const int64_t inside = placement->inside.pp;
  if (placement->even) return inside == 1 ? from != to : from / inside != to / inside;
  return ss_placement_crosses_somewhere(placement, from, to);
}

/* Share of the messages between neighbouring stages that cross domains, in [0, 1]; 0 without a pipeline. Neighbours are
 * stages that send to each other (ss_schedule_receiver), each pair counted once a direction. */
double ss_placement_slow_hops(const ss_placement *placement, const ss_pipeline_shape *shape);

#endif
