/* Several copies of what is sharded (HSDP): which groups there are, what each moves, and how long that takes, against
 * numbers worked out by hand. */
#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/plan/stage_ops.h"
}

using namespace stepsim;

namespace
{

ss_workload hybrid(int64_t dp, int64_t shard_size, int layers = 8)
{
  ss_workload w = make_workload();
  w.model.layers = layers;
  w.parallelism.dp = w.training.global_batch = dp;
  w.parallelism.sharding = SS_SHARDING_PARAMETERS;
  w.parallelism.shard_size = shard_size;
  return w;
}

void expect_span(const Job &job, ss_data_group group, int64_t size, int64_t domains, int64_t per_domain)
{
  const ss_span span = job->data_span[group][0];
  EXPECT_EQ(span.size, size) << group;
  EXPECT_EQ(span.domains, domains) << group;
  EXPECT_EQ(span.per_domain, per_domain) << group;
}

double data_s(const Job &job, ss_collective kind, ss_data_group group, double bytes)
{
  return ss_comm_time_sum(ss_job_data_time(job.get(), kind, job->data_span[group][0], bytes));
}

/* The GPUs of a job's ranks. */
std::vector<int32_t> gpus_of(const ss_workload &workload, const ss_machine &machine)
{
  const Job job(workload, machine, SS_COST_CALIBRATED);
  return {job->placement.gpu, job->placement.gpu + ss_workload_gpus(&workload)};
}

} // namespace

/* Sixteen replicas on four domains of four: copies of eight lie on two domains, two ranks have the same place in both;
 * copies of two are halves of a domain, eight ranks have the same place, two of them in each domain. */
TEST(HybridSharding, GroupsAreNeighboursAndThoseApart)
{
  const ss_machine machine = machine_of(16, 4);
  const Job large(hybrid(16, 8), machine);
  expect_span(large, SS_DATA_DENSE, 8, 2, 4);
  expect_span(large, SS_DATA_DENSE_COPIES, 2, 2, 1);
  const Job small(hybrid(16, 2), machine);
  expect_span(small, SS_DATA_DENSE, 2, 1, 2);
  expect_span(small, SS_DATA_DENSE_COPIES, 8, 4, 2);
}

/* With two ranks along the sequence, a copy of four is on both of them in two replicas; experts that two replicas
 * share are on half as many ranks, in as many copies: on two, one after the other along the sequence. */
TEST(HybridSharding, OfExpertsAndSequences)
{
  ss_workload w = hybrid(8, 4);
  w.parallelism.cp = 2;
  w.model.experts = 8;
  w.model.top_k = 2;
  w.parallelism.ep = 2;
  const Job job(w, machine_of(16, 4));
  expect_span(job, SS_DATA_DENSE, 4, 1, 4);
  expect_span(job, SS_DATA_DENSE_COPIES, 4, 4, 1);
  expect_span(job, SS_DATA_EXPERT, 2, 1, 2);
  expect_span(job, SS_DATA_EXPERT_COPIES, 4, 4, 1);
}

/* A layer of W bytes of weights and G of gradients, on copies of four: gathers of W and a reduce-scatter of G among
 * four, then an all-reduce of G / 4 over the two copies. */
TEST(HybridSharding, TwoTraffics)
{
  const Job job(hybrid(8, 4, 2), machine_of(16, 4));
  const double weights_bytes = job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
  const double gradients_bytes = job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
  ss_stage_ops ops;
  ASSERT_EQ(ss_stage_ops_init(&ops, job.get(), 0), SS_OK);
  ASSERT_EQ(ops.count, 2 * 3);
  for (int64_t i = 0; i < ops.count; i += 3) {
    EXPECT_EQ(ops.op[i].kind, SS_ALL_GATHER);
    EXPECT_EQ(ops.op[i].group, SS_DATA_DENSE);
    EXPECT_DOUBLE_EQ(ops.op[i].volume_bytes, weights_bytes);
    EXPECT_EQ(ops.op[i + 1].kind, SS_REDUCE_SCATTER);
    EXPECT_EQ(ops.op[i + 1].group, SS_DATA_DENSE);
    EXPECT_DOUBLE_EQ(ops.op[i + 1].volume_bytes, gradients_bytes);
    EXPECT_EQ(ops.op[i + 2].kind, SS_ALL_REDUCE);
    EXPECT_EQ(ops.op[i + 2].group, SS_DATA_DENSE_COPIES);
    EXPECT_DOUBLE_EQ(ops.op[i + 2].volume_bytes, gradients_bytes / 4);
    EXPECT_EQ(ops.op[i + 2].block, ops.op[i + 1].block);
  }
  ss_stage_ops_free(&ops);
}

/* Optimizer states only: gathers before the first pass and reductions behind the last one are of the same groups. */
TEST(HybridSharding, OfOptimizerStates)
{
  ss_workload w = hybrid(8, 4, 2);
  w.parallelism.sharding = SS_SHARDING_OPTIMIZER;
  const Job job(w, machine_of(16, 4));
  ss_stage_ops ops;
  ASSERT_EQ(ss_stage_ops_init(&ops, job.get(), 0), SS_OK);
  ASSERT_EQ(ops.first, 2);
  ASSERT_EQ(ops.count, 2 + 2 * 2);
  EXPECT_EQ(ops.op[0].group, SS_DATA_DENSE);
  EXPECT_EQ(ops.op[2].group, SS_DATA_DENSE);
  EXPECT_EQ(ops.op[3].group, SS_DATA_DENSE_COPIES);
  ss_stage_ops_free(&ops);
}

/* Every layer more costs max(forward, gather) and max(backward, gather + reduce-scatter + all-reduce), in both models.
 */
TEST(HybridSharding, SteadyState)
{
  for (const double fabric_bytes_per_s : {2e9, 25e9, 400e9}) {
    ss_machine machine = machine_of(16, 4);
    machine.fabric_bytes_per_s = fabric_bytes_per_s;
    const Job few(hybrid(16, 8, 20), machine), many(hybrid(16, 8, 50), machine);
    const double weights_bytes = few->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
    const double gradients_bytes = few->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
    const double g = data_s(few, SS_ALL_GATHER, SS_DATA_DENSE, weights_bytes);
    const double r = data_s(few, SS_REDUCE_SCATTER, SS_DATA_DENSE, gradients_bytes);
    const double a = data_s(few, SS_ALL_REDUCE, SS_DATA_DENSE_COPIES, gradients_bytes / 8);
    const double layer_s =
        std::max(few.layer_s(SS_PASS_FORWARD), g) + std::max(few.layer_s(SS_PASS_BACKWARD), g + r + a);
    ss_replay_options options = {};
    options.private_links = true;
    const double replayed_s = many.replay(options).breakdown.iteration_s - few.replay(options).breakdown.iteration_s;
    const double closed_s = ss_estimate_time(many.get()).iteration_s - ss_estimate_time(few.get()).iteration_s;
    expect_close(replayed_s, 30 * layer_s, 1e-9);
    expect_close(closed_s, 30 * layer_s, 1e-9);
  }
}

/* What is kept is an eighth, not a sixteenth. */
TEST(HybridSharding, MemoryIsOfACopy)
{
  const ss_machine machine = machine_of(16, 4);
  const ss_memory all = ss_estimate_memory(Job(hybrid(16, SS_DERIVED), machine).get());
  const ss_memory copy = ss_estimate_memory(Job(hybrid(16, 8), machine).get());
  EXPECT_DOUBLE_EQ(copy.optimizer_bytes, 2 * all.optimizer_bytes);
  EXPECT_DOUBLE_EQ(copy.gradients_bytes - copy.unreduced_bytes - copy.placeholders_bytes,
                   2 * (all.gradients_bytes - all.unreduced_bytes - all.placeholders_bytes));
  EXPECT_DOUBLE_EQ(copy.gathered_bytes, all.gathered_bytes);
  EXPECT_DOUBLE_EQ(copy.activations_bytes, all.activations_bytes);
}

/* A copy on all ranks is what there is without the attribute. */
TEST(HybridSharding, OneCopyIsNone)
{
  const ss_machine machine = machine_of(16, 4);
  const Job whole(hybrid(16, SS_DERIVED), machine), one(hybrid(16, 16), machine);
  EXPECT_EQ(ss_estimate_time(one.get()).iteration_s, ss_estimate_time(whole.get()).iteration_s);
  EXPECT_EQ(one.replay().breakdown.iteration_s, whole.replay().breakdown.iteration_s);
}

/* Splits of a domain give the same groups as a look at every GPU does, if they call themselves even. */
TEST(HybridSharding, EvenGroupsAreThoseListed)
{
  int evens = 0;
  for (const int64_t size : {2, 4, 6, 8, 12, 16, 24})
    for (const int64_t ep : {1, 2, 3, 6})
      for (const ss_expert_groups groups : {SS_EXPERTS_INSIDE, SS_EXPERTS_ACROSS})
        for (const char *split : {"cp=2,dp=4", "cp=4,dp=2", "dp=4,pp=2", "cp=2,dp=2,pp=2"}) {
          ss_workload w = hybrid(12, size);
          w.parallelism.cp = 4;
          w.parallelism.pp = 2;
          w.model.experts = 12;
          w.parallelism.ep = ep;
          w.parallelism.expert_groups = groups;
          std::snprintf(w.placement.domain, sizeof w.placement.domain, "%s", split);
          if (ss_workload_check(&w, nullptr) != SS_OK) continue;
          const ss_machine machine = machine_of(96, 8);
          const std::vector<int32_t> gpus = gpus_of(w, machine);
          const Job placed(w, machine);
          w.placement.domain[0] = '\0';
          const Job listed(w, machine, SS_COST_SC24, {}, gpus.data());
          SCOPED_TRACE(testing::Message() << "size " << size << " ep " << ep << " split " << split);
          evens += placed->placement.even;
          for (int group = 0; group < SS_DATA_GROUPS; ++group) {
            const ss_span span = listed->data_span[group][0];
            expect_span(placed, (ss_data_group)group, span.size, span.domains, span.per_domain);
          }
        }
  EXPECT_GT(evens, 60);
}
