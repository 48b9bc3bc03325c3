/* Two copies of the model on the stages (DualPipe): what a stage holds, which ranks add up their gradients, and how
 * long that takes, against numbers worked out by hand; closed form and replay, folded or not, on random jobs. */
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/plan/groups.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kJobs = 20, kFoldedJobs = 6;
#else
constexpr int kJobs = 200, kFoldedJobs = 40;
#endif

ss_workload both_ways(int64_t stages, int64_t micro_batches, int64_t dp)
{
  ss_workload w = make_workload();
  w.schedule.pipeline = SS_PIPELINE_DUALPIPE;
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.parallelism.pp = stages;
  w.parallelism.dp = dp;
  w.training.global_batch = dp * micro_batches;
  return w;
}

ss_machine machine_of(int domain)
{
  PlatformSpec spec;
  spec.domain = spec.nics = domain;
  return make_machine(spec);
}

void expect_span(const Job &job, ss_data_group group, int64_t stage, int64_t size, int64_t domains, int64_t per_domain)
{
  const ss_span span = ss_job_data_span(job.get(), group, stage);
  EXPECT_EQ(span.size, size) << group << " " << stage;
  EXPECT_EQ(span.domains, domains) << group << " " << stage;
  EXPECT_EQ(span.per_domain, per_domain) << group << " " << stage;
}

std::vector<int32_t> holders_of(const Job &job, int64_t stage)
{
  std::vector<int32_t> gpu((size_t)ss_job_holders(job.get(), SS_WEIGHTS_DENSE));
  EXPECT_EQ(ss_groups_holders(job.get(), stage, SS_WEIGHTS_DENSE, 0, gpu.data()), (int64_t)gpu.size());
  return gpu;
}

/* A random workload in both directions. */
ss_workload random_both_ways(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = draw_workload(random);
    w.schedule.pipeline = SS_PIPELINE_DUALPIPE;
    w.parallelism.interleave = 1;
    w.parallelism.pp = pick(random, {2, 4});
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {8, 10, 16});
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return with_copies(random, w);
  }
}

} // namespace

/* Parts of 3, 2, 2 and 2 layers, the first with the embedding and the last with the output layer: stages 0 and 3 have
 * parts 0 and 3, the others parts 1 and 2. */
TEST(TwoCopies, AreTwoPartsOnAStage)
{
  ss_workload w = both_ways(4, 8, 1);
  w.model.layers = 9;
  w.model.vocabulary = 32000;
  w.parallelism.first_stage_layers = 3;
  const Job job(w, machine_of(4), SS_COST_CALIBRATED);
  w.schedule.pipeline = SS_PIPELINE_1F1B;
  const Job once(w, machine_of(4), SS_COST_CALIBRATED);
  const auto parameters = [](const Job &j, int64_t stage) {
    return ss_job_stage_parameters(j.get(), stage, SS_WEIGHTS_DENSE);
  };
  for (int64_t stage = 0; stage < 4; stage++) {
    const double expected = parameters(once, stage) + parameters(once, 3 - stage);
    EXPECT_DOUBLE_EQ(parameters(job, stage), expected);
    EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), stage).weights_bytes, 2.0 * expected);
    EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), stage).optimizer_bytes, 12.0 * expected);
  }
}

/* Two replicas, each stage on two GPUs: in domains of four, those of stages 0 and 3 are in both, as are those of stages
 * 1 and 2; in domains of eight all are in one. A shard of the optimizer is a fourth. */
TEST(TwoCopies, OfAPartAddUpTheirGradients)
{
  ss_workload w = both_ways(4, 8, 2);
  w.parallelism.sharding = SS_SHARDING_OPTIMIZER;
  const Job two(w, machine_of(4), SS_COST_CALIBRATED), one(w, machine_of(8), SS_COST_CALIBRATED);
  EXPECT_EQ(ss_job_holders(two.get(), SS_WEIGHTS_DENSE), 4);
  for (int64_t stage = 0; stage < 4; stage++) {
    const bool outer = stage == 0 || stage == 3;
    EXPECT_EQ(holders_of(two, stage), outer ? (std::vector<int32_t>{0, 1, 6, 7}) : (std::vector<int32_t>{2, 3, 4, 5}));
    expect_span(two, SS_DATA_DENSE, stage, 4, 2, 2);
    expect_span(one, SS_DATA_DENSE, stage, 4, 1, 4);
    EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(two.get(), stage).optimizer_bytes,
                     12.0 * ss_job_stage_parameters(two.get(), stage, SS_WEIGHTS_DENSE) / 4.0);
  }
}

/* With shards on two neighbours a stage has all of them, and those at the same place of both stages are added up. */
TEST(TwoCopies, AreCopiesOfWhatIsSharded)
{
  ss_workload w = both_ways(4, 8, 2);
  w.parallelism.sharding = SS_SHARDING_PARAMETERS;
  w.parallelism.shard_size = 2;
  const Job job(w, machine_of(4));
  for (int64_t stage = 0; stage < 4; stage++) {
    expect_span(job, SS_DATA_DENSE, stage, 2, 1, 2);
    expect_span(job, SS_DATA_DENSE_COPIES, stage, 2, 2, 1);
  }
}

/* Spans that follow from an even placement are those of GPUs that a rank file lists one by one. */
TEST(TwoCopies, LieAsListed)
{
  std::mt19937 random(20261122 + seed);
  for (int i = 0; i < kJobs; i++) {
    const ss_workload w = random_both_ways(random);
    const ss_machine machine = random_machine(random);
    const Job even(w, machine, SS_COST_CALIBRATED);
    const std::vector<int32_t> ranks(even->placement.gpu, even->placement.gpu + ss_workload_gpus(&w));
    const Job listed(w, machine, SS_COST_CALIBRATED, {}, ranks.data());
    EXPECT_FALSE(listed->placement.even);
    for (int group = 0; group < SS_DATA_GROUPS; group++)
      for (int64_t stage = 0; stage < even->stages; stage++) {
        const ss_span span = ss_job_data_span(listed.get(), (ss_data_group)group, stage);
        expect_span(even, (ss_data_group)group, stage, span.size, span.domains, span.per_domain);
      }
  }
}

/* Two stages of four layers per part, two micro-batches each way: four passes of each kind, of which F0 and B1 send,
 * both stages at a time; then the gradients of each part, four layers, are added up over the two GPUs of a domain. */
TEST(TwoCopies, TakeWhatTheirPassesTake)
{
  ss_workload w = both_ways(2, 4, 1);
  w.schedule.overlap_dp = w.schedule.overlap_pp = SS_NO;
  const Job job(w, machine_of(4), SS_COST_CALIBRATED);
  const double layer_s = job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD) + job.layer_s(SS_PASS_WEIGHT);
  const ss_span pair = {2, 1, 2, {}, {}};
  const double reduce_s = ss_comm_time_sum(
      ss_job_data_time(job.get(), SS_ALL_REDUCE, pair, 4.0 * job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]));
  const double expected_s = 16.0 * layer_s + 4.0 * ss_job_hop_s(job.get(), false, SS_CARGO_STATES) + 2.0 * reduce_s +
                            ss_job_optimizer(job.get(), 0).optimizer_s;
  expect_close(ss_estimate_time(job.get()).iteration_s, expected_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, expected_s, 1e-9);
}

/* Both ends of the model are on the first stage and on the last: a table that they share is there once, and is added up
 * with the rest of the first part. */
TEST(TwoCopies, ShareATableOnAStage)
{
  ss_workload w = both_ways(4, 8, 1);
  w.model.vocabulary = 32000;
  w.model.tied_embeddings = SS_YES;
  const Job job(w, machine_of(4), SS_COST_CALIBRATED);
  EXPECT_EQ(job->tied_bytes, 0.0);
  EXPECT_GT(job->block[SS_BLOCK_EMBEDDING].parameters[SS_WEIGHTS_DENSE], 32000.0 * 1024.0 - 1.0);
  EXPECT_LT(job->block[SS_BLOCK_HEAD].parameters[SS_WEIGHTS_DENSE], 32000.0);
  EXPECT_EQ(job->stages, 4);
}

TEST(TwoCopies, ClosedFormIsTheReplay)
{
  std::mt19937 random(412 + seed);
  for (int i = 0; i < kJobs; i++) {
    const Job job(random_both_ways(random), random_machine(random), SS_COST_CALIBRATED, own_links());
    SCOPED_TRACE(testing::Message() << "job " << i);
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(options).breakdown;
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
    expect_close(closed.iteration_s, replay.iteration_s, 1e-9);
  }
}

TEST(TwoCopies, FoldedIsUnfolded)
{
  std::mt19937 random(19437 + seed);
  for (int i = 0; i < kFoldedJobs; i++) {
    const Job job(random_both_ways(random), random_machine(random), SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    ss_replay_options options = {};
    const ss_replay_result some = job.replay(options);
    options.fold = SS_FOLD_NONE;
    const ss_replay_result all = job.replay(options);
    expect_close(some.breakdown.iteration_s, all.breakdown.iteration_s, 1e-9);
    EXPECT_EQ(some.flows, all.flows);
  }
}
