/* Which stage replicas wait for one another: in expert layers, and where all of a stage agree on scales. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_EXPERT_GROUPS_H
#define STEPSIM_SIM_ENGINE_SETUP_EXPERT_GROUPS_H

#include "sim/engine/core/world.h"

/* Finds the groups of replicas of a stage whose ranks meet in expert-parallel or expert-tensor-parallel groups, and
 * that of all: `expert_group_of`, `all_meet` and `expert_groups` of the world. SS_ERROR_MEMORY. */
ss_status ss_expert_groups_find(ss_world *world);

/* Sets up these groups of all stages. */
void ss_expert_groups_init(ss_world *world);

/* Lists the replicas of each that are simulated. SS_ERROR_MEMORY. */
ss_status ss_expert_groups_list_members(ss_world *world);

/* Makes the routes of all groups: every expert-parallel and every expert-tensor-parallel group of their ranks exchanges
 * at the same time. `scratch` has room for the ranks of a stage. SS_ERROR_MEMORY. */
ss_status ss_expert_groups_make_routes(const ss_world *world, int32_t *scratch);

/* What ss_expert_groups_find has allocated, and the lists of members. */
void ss_expert_groups_free(ss_world *world);

#endif
