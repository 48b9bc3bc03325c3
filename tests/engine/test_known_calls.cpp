/* What is known of collectives of layers is what they take when they are worked out. */
#include <gtest/gtest.h>

#include "tests/support/quiet_jobs.hpp"

extern "C" {
#include "model/plan/task_time.h"
#include "sim/engine/core/calls.h"
#include "sim/engine/core/known_calls.h"
}

using namespace stepsim;

namespace
{

void expect_known(const Job &job, const ss_call_place &at, const ss_stage_replica &of, const ss_route *routes)
{
  const ss_known_call *known = ss_known_call_find(of.call.world, &at, routes);
  const ss_span span = routes[known->route].span;
  const ss_method method = ss_method_of_call(job.get(), at.task, at.call);
  const ss_comm_time piece = ss_job_call_piece(job.get(), at.kind, at.pass, at.task, at.call, span);
  ss_transfer transfer = of.call;
  EXPECT_EQ(known->method.kind, method.kind);
  EXPECT_EQ(known->method.algorithm, method.algorithm);
  EXPECT_EQ(known->volume_bytes, ss_job_call_bytes(job.get(), at.task, at.call, span));
  EXPECT_EQ(ss_comm_time_sum(known->piece), ss_comm_time_sum(piece));
  ss_call_prepare(&at, &transfer, routes);
  EXPECT_EQ(transfer.route, &routes[known->route]);
  EXPECT_EQ(transfer.type->start_up(&transfer).across_s, ss_transfer_start_up(&transfer).across_s);
}

/* The routes of a collective of a replica. */
const ss_route *routes_of(const ss_world &world, const ss_stage_replica &replica, ss_group group)
{
  return ss_group_joins_replicas(group) ? ss_world_expert_group(&world, group, replica.stage, replica.dp)->route[group]
                                        : replica.route[group];
}

/* How many collectives of layers all replicas have, each of which is as it is worked out. */
int64_t expect_all_known(const Job &job, const ss_replay_options &options)
{
  const World world(job, options);
  int64_t calls = 0;
  for (int64_t r = 0; r < world->replica_count; ++r)
    for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        const ss_task_list *tasks =
            ss_job_tasks(job.get(), static_cast<ss_block_kind>(kind), static_cast<ss_pass>(pass));
        for (int64_t i = 0; i < tasks->count; ++i)
          for (int64_t call = 0; call < tasks->task[i].calls; ++call, ++calls)
            expect_known(job, {&tasks->task[i], call, static_cast<ss_block_kind>(kind), static_cast<ss_pass>(pass)},
                         world->replica[r],
                         routes_of(*world.operator->(), world->replica[r], tasks->task[i].call[call].group));
      }
  return calls;
}

} // namespace

TEST(KnownCalls, InsideReplicas)
{
  EXPECT_GT(expect_all_known(two_domains(4, 0.0), unfolded(SS_FLOWS_SHARED)), 16);
}

/* Groups of one task that lie inside a domain and across two take turns in the table. */
TEST(KnownCalls, WhereGroupsLieInSeveralWays)
{
  EXPECT_GT(expect_all_known(with_experts_across(4), unfolded(SS_FLOWS_SHARED)), 100);
}

/* Tasks of another job at the same place are other ones. */
TEST(KnownCalls, AreForgotten)
{
  const Job job = two_domains(4, 0.0);
  const World world(job, unfolded(SS_FLOWS_SHARED));
  const ss_stage_replica &replica = world->replica[0];
  const ss_block_kind kind = SS_BLOCK_LAYER;
  const ss_task_list *tasks = ss_job_tasks(job.get(), kind, SS_PASS_FORWARD);
  const ss_task *task = tasks->task;
  while (task->calls == 0) ++task;
  const ss_call_place at = {task, 0, kind, SS_PASS_FORWARD};
  const ss_route *routes = replica.route[task->call[0].group];
  EXPECT_EQ(ss_known_call_find(replica.call.world, &at, routes)->at.task, task);
  ss_known_calls_forget(replica.call.world);
  for (int64_t i = 0; i < SS_CALLS_KNOWN; ++i) EXPECT_EQ(world->known_call[i].at.task, nullptr);
}
