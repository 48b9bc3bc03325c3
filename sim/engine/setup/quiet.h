/* Quiet passes: those of a replica beside which nothing moves on the NVLink ports of its GPUs but its own collectives.
 * Data-parallel collectives use these ports, too, where their rings go through a domain, so that collectives of layers
 * become flows. But a data-parallel collective starts only when all of its replicas have issued it. So as long as all
 * that a replica has issued is complete, none starts before it issues the next one, and what its flows take is known
 * beforehand. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_QUIET_H
#define STEPSIM_SIM_ENGINE_SETUP_QUIET_H

#include "sim/engine/core/world.h"
#include "sim/engine/network/links.h"
#include "sim/engine/setup/settle.h"

/* Whether passes of a world may be quiet at all. */
bool ss_quiet_is_possible(const ss_world *world);

/* Finds the replicas that may have quiet passes (replica->may_be_quiet), and the collectives whose flows then have
 * their links to themselves (world->own_routes, has_own_links of expert groups). Once paths are known, before the fold;
 * on private links collectives take their computed times instead. SS_ERROR_MEMORY. */
ss_status ss_quiet_find(ss_world *world, const ss_links *links);

/* Whether the exchanges of a replica between experts have their links to themselves in quiet passes, whoever takes part
 * in them. Known before the fold. */
bool ss_quiet_has_exchanges(const ss_world *world, const ss_stage_replica *replica);

/* The quiet passes of a replica: of SS_QUIET_ALONE or a kind behind it where nobody but the replica, and those that it
 * stands for, takes part in its exchanges between experts, and these have their links to themselves: they wait for no
 * other replica, and what they take is known beforehand, too. After the fold. */
ss_quiet ss_quiet_of(const ss_world *world, const ss_stage_replica *replica);

/* Exchanges of the tasks that are added from now on take what they take in such quiet passes. */
void ss_quiet_choose(ss_world *world, ss_quiet quiet);

/* Whether what a live task of a quiet pass takes is known beforehand: pieces of a kernel, and collectives that have
 * their links to themselves, one after the other or both at a time, where what comes next waits for both. `exchanges`:
 * those between experts are known, too. */
bool ss_quiet_has_task(const ss_world *world, const ss_task *task, bool exchanges);

/* Adds such a task, or a run, to the end of a quiet run. After the fold. */
void ss_quiet_add_task(ss_world *world, ss_task_place at, ss_step *run);
void ss_quiet_add_run(ss_world *world, const ss_step *added, ss_step *run);

/* Adds a quiet run of a block to that of its pass, in which the block is at `position`. */
void ss_quiet_add_legs(ss_world *world, const ss_step *added, int64_t position, ss_step *run);

#endif
