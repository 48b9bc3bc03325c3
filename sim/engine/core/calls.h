/* Collectives of layers: those inside a stage replica, and those between the replicas whose ranks share experts. */
#ifndef STEPSIM_SIM_ENGINE_CORE_CALLS_H
#define STEPSIM_SIM_ENGINE_CORE_CALLS_H

#include "sim/engine/core/stage_replica.h"

/* What replicas meet for: in expert layers, and where all of a stage agree on scales. Of a pair of passes, one may be
 * in its exchange while the other is in a collective of the ranks that share an expert. */
typedef enum ss_meeting { SS_MEETING_EXCHANGE, SS_MEETING_SHARERS, SS_MEETING_ALL, SS_MEETINGS } ss_meeting;

/* The replicas of a stage that meet, in expert layers or all of them, and what they exchange: it starts when all are
 * there. */
struct ss_expert_group {
  int64_t stage, index;
  ss_expert_group *twin;
  ss_stage_replica **member; /* [members] that are simulated; owned */
  int64_t members;
  bool has_own_links;            /* its flows, where its replicas are in quiet passes */
  ss_quiet quiet;                /* passes of which its exchanges are parts; SS_QUIET_MEETS: of none */
  int64_t arrivals[SS_MEETINGS]; /* of those that meet, or have said when they do */
  ss_asked last[SS_MEETINGS];    /* of them, by when they meet */
  ss_transfer transfer[SS_MEETINGS];
  ss_route *route[SS_GROUPS]; /* [methods of the group], of those that join replicas; owned */
};

/* The ranks of such a group may be of several replicas. */
static inline bool ss_group_joins_replicas(ss_group group)
{
  return group == SS_GROUP_EXPERT || group == SS_GROUP_EXPERT_TENSOR || group == SS_GROUP_STAGE;
}

/* The transfers of a replica and of an expert group before their first collective. */
ss_transfer ss_call_transfer(ss_world *world, ss_stage_replica *replica);
ss_transfer ss_expert_transfer(ss_world *world, ss_expert_group *experts);

/* What is simulated for those with which a replica has the collectives of a group that joins replicas. */
ss_expert_group *ss_world_expert_group(const ss_world *world, ss_group group, int64_t stage, int64_t dp);

/* The first of these in `world->expert` of a stage, and how many there are of the stage. */
static inline int64_t ss_world_first_meeting(const ss_world *world, ss_group group)
{
  return group == SS_GROUP_STAGE ? world->expert_groups - 1 : 0;
}

static inline int64_t ss_world_meetings(const ss_world *world, ss_group group)
{
  if (group == SS_GROUP_STAGE) return world->all_meet ? 1 : 0;
  return world->expert_groups - (world->all_meet ? 1 : 0);
}

/* Readies the transfer of a replica or group for a collective: its method, its route, and what it carries. `routes`:
 * of the group of ranks. */
void ss_call_prepare(const ss_call_place *at, ss_transfer *transfer, const ss_route *routes);

/* Starts the collective that the live task of a replica has come to. When it has arrived, the replicas that take part
 * are woken from SS_WAITS_TASK. One for which replicas meet may be later, at live.call_start_s, if nothing happens to
 * the replica before. */
void ss_call_start(ss_world *world, ss_stage_replica *replica);

/* The last replica has come to a collective of which that was known before. */
void ss_call_meet(ss_transfer *transfer);

/* Starts the exchange of one pass of a pair, when all replicas of the group have come to theirs. When it has arrived,
 * that of the other pass starts if it is queued, and the replicas are woken from SS_WAITS_EXCHANGE. */
void ss_exchange_start(ss_world *world, ss_stage_replica *replica, ss_exchange *exchange);

#endif
