/* Data-parallel collectives in progress. The replicas of a stage issue the same sequence of operations, as do those of
 * stages with other copies of its weights; each of the data-parallel groups of their home carries them out one after
 * the other. */
#ifndef STEPSIM_SIM_ENGINE_CORE_DATA_OPS_H
#define STEPSIM_SIM_ENGINE_CORE_DATA_OPS_H

#include "sim/engine/core/stage.h"
#include "sim/engine/core/stage_replica.h"

/* The data-parallel group of one shard of a stage's weights. `stage`: a home; else the group is nobody's. */
struct ss_dp_group {
  int64_t stage, shard, completed;
  ss_dp_group *twin;
  ss_transfer transfer;
  ss_route *route[SS_DATA_GROUPS]; /* [methods of data parallelism] of all such groups of the shard together; owned */
};

/* The transfer of a group before its first collective. */
ss_transfer ss_dp_group_transfer(ss_world *world, ss_dp_group *dp_group);

/* A replica issues the next operation of its sequence. Returns its index in that. */
int64_t ss_data_op_issue(ss_world *world, ss_stage_replica *replica, const ss_stage_op *op);

/* How many operations of a stage all of its groups have completed. When the number grows, replicas are woken from
 * SS_WAITS_DATA. */
int64_t ss_data_ops_completed(const ss_world *world, int64_t stage);

/* For how long, so far, a group of a stage has worked on a collective. While none does, a replica that waits for one
 * waits for others that have not issued it. */
double ss_data_ops_busy_s(const ss_world *world, int64_t stage);

/* The operation that a group works on. */
const ss_data_op *ss_dp_group_op(const ss_world *world, const ss_dp_group *dp_group);

#endif
