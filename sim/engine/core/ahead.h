/* Replicas that go ahead of time. On private links, where only the time of an iteration is asked for and replicas draw
 * what their kernels take, nothing can happen to a replica in a pass that moves no data, and it is known when its
 * messages arrive. So each goes on as far as the messages for it are known, at a time of its own (common->now_s while
 * it does), and no event lets it do so. It waits for the events of all others (common->events_s) where it meets more
 * than a neighbour: at passes that move data, and behind its last one. */
#ifndef STEPSIM_SIM_ENGINE_CORE_AHEAD_H
#define STEPSIM_SIM_ENGINE_CORE_AHEAD_H

#include "sim/engine/core/stage_replica.h"

/* Lets replicas go ahead where they may; if there is no memory for what that takes, they do not. End in any case. */
void ss_ahead_begin(ss_world *world);
void ss_ahead_end(ss_world *world);

static inline bool ss_world_goes_ahead(const ss_world *world)
{
  return world->ahead_s != NULL;
}

/* Whether a replica is ahead of all events now. */
static inline bool ss_world_is_ahead(const ss_world *world)
{
  return world->common->now_s > world->common->events_s;
}

/* Goes on to a time, if that is later; where replicas go ahead. */
static inline void ss_ahead_until(ss_world *world, double time_s)
{
  if (ss_world_goes_ahead(world) && time_s > world->common->now_s) world->common->now_s = time_s;
}

/* When a message arrives: that for a micro-batch of a chunk. */
static inline double *ss_ahead_arrival(const ss_world *world, const ss_stage_replica *to, ss_pass side, int64_t chunk,
                                       int64_t micro_batch)
{
  const int64_t inbox = ((int64_t)ss_replica_index(world, to) * SS_SIDES + (int64_t)side) * world->job->chunks + chunk;
  return &world->ahead_s[inbox * world->job->copy_batches + micro_batch];
}

/* Whether nothing can happen to a replica in its pass: it moves no data, and no data-parallel collective can start that
 * slows its kernels down. */
bool ss_ahead_is_free(const ss_world *world, const ss_stage_replica *replica);

/* A run of a replica ends then: it goes on ahead of time, if it may; else false. */
bool ss_ahead_run(ss_world *world, ss_stage_replica *replica, double end_s);

#endif
