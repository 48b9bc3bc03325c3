/* Runs whose kernels are drawn: a replica goes through their legs with what its kernels take. */
#ifndef STEPSIM_SIM_ENGINE_CORE_DRAWN_H
#define STEPSIM_SIM_ENGINE_CORE_DRAWN_H

#include "sim/engine/core/legs.h"
#include "sim/engine/core/stage_replica.h"

/* A walk through such a run, and what its kernels take beyond their nominal time in all. */
typedef struct ss_drawn_walk {
  ss_leg_walk legs;
  double excess_s;
} ss_drawn_walk;

/* Goes through a run of a replica, from the block at `position` on. */
void ss_drawn_walk_run(ss_world *world, const ss_stage_replica *replica, const ss_step *step, int64_t position,
                       ss_drawn_walk *walk);

void ss_named_legs_free(ss_named_legs *legs);

#endif
