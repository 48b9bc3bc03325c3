/* Quiet passes of replicas whose kernels are drawn (sim/engine/core/runs.h): they are what events come to. */
#include "tests/support/quiet_jobs.hpp"
#include "tests/support/random_jobs.hpp"

using namespace stepsim;

namespace
{

/* The job under noise, on GPUs that may differ. */
Job with_noise(const Job &job, double noise, double spread)
{
  ss_machine machine = *job->machine;
  machine.kernel_noise = noise;
  machine.gpu_spread = spread;
  return Job(*job->workload, machine, job->options.cost);
}

/* An iteration takes as long where nobody asks how it divides. */
void expect_same_time(const Job &job, ss_replay_options options, double iteration_s)
{
  options.only_time = true;
  EXPECT_EQ(job.replay(options).breakdown.iteration_s, iteration_s);
}

/* Quiet runs of kernels that are drawn, and all events one by one, on the network or on private links: times are the
 * same to the last bit, and parts add up. `split`: what collectives leave exposed is of one group. */
void expect_what_events_come_to(const Job &job, bool private_links, bool split = true)
{
  ss_replay_options options = unfolded(SS_FLOWS_SHARED);
  options.private_links = private_links;
  for (options.seed = 1; options.seed <= 3; ++options.seed) {
    options.flows = SS_FLOWS_SHARED;
    const ss_replay_result quiet = job.replay(options);
    if (private_links) expect_same_time(job, options, quiet.breakdown.iteration_s);
    options.flows = SS_FLOWS_ALL;
    const ss_replay_result events = job.replay(options);
    options.flows = SS_FLOWS_SHARED;
    options.fold = SS_FOLD_AUTO;
    expect_close(job.replay(options).breakdown.iteration_s, quiet.breakdown.iteration_s, 1e-12);
    options.fold = SS_FOLD_NONE;
    EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
    EXPECT_EQ(quiet.critical_replica, events.critical_replica);
    expect_close(ss_breakdown_sum(&quiet.breakdown), quiet.breakdown.iteration_s, 1e-11);
    expect_close(quiet.breakdown.bubble_s, events.breakdown.bubble_s, 1e-9);
    expect_close(quiet.breakdown.compute_s, events.breakdown.compute_s, 1e-9);
    if (split) {
      expect_close(quiet.breakdown.tp_comm_s, events.breakdown.tp_comm_s, 1e-9);
      expect_close(quiet.breakdown.other_s, events.breakdown.other_s, 1e-9);
    }
    if (private_links) continue;
    EXPECT_EQ(quiet.flows, events.flows);
    expect_close(quiet.nvlink_bytes, events.nvlink_bytes, 1e-12);
  }
}

/* Experts over replicas on GPUs that may differ, with a strategy that leaves some passes to their group, or none. */
Job any_with_experts(std::mt19937 &random)
{
  const int micro_batches = pick(random, {4, 8});
  const Job job = with_experts(micro_batches, pick(random, {2, 4, 8}));
  ss_workload w = *job->workload;
  w.model.dense_layers = pick(random, {0, 0, 1});
  w.parallelism.tp = pick(random, {1, 2});
  w.parallelism.dp = w.parallelism.tp == 2 ? 4 : 8;
  w.parallelism.sequence_parallel = SS_YES;
  w.parallelism.sharding = pick(random, all_of<ss_sharding>);
  w.training.global_batch = micro_batches * w.parallelism.dp;
  w.schedule.pipeline = pick(random, {SS_PIPELINE_1F1B, SS_PIPELINE_ZERO_BUBBLE_1, SS_PIPELINE_V_HALF});
  w.schedule.overlap_dp = pick_switch(random);
  w.schedule.overlap_pp = pick_switch(random);
  if (coin(random)) w.training.precision = SS_PRECISION_FP8;
  ss_machine machine = *job->machine;
  machine.nvlink_compute_cost = pick(random, {0.0, 0.2});
  machine.exchange_compute_cost = pick(random, {0.0, 0.3});
  machine.fabric_compute_cost = pick(random, {0.0, 0.0, 0.1});
  machine.gpu_spread = pick(random, {0.0, 0.1});
  machine.kernel_noise = 0.1;
  return Job(w, machine, job->options.cost);
}

} // namespace

/* Noise leaves no two replicas alike, but their passes are runs, which draw what each kernel draws by itself. */
TEST(QuietNoise, IsWhatEventsComeToUnderNoise)
{
  for (const ss_tp_overlap overlap : {SS_TP_OVERLAP_NONE, SS_TP_OVERLAP_BACKWARD})
    for (double noise : {0.02, 0.5})
      for (double spread : {0.0, 0.1}) {
        SCOPED_TRACE(testing::Message() << "overlap-tp " << overlap << ", noise " << noise << ", spread " << spread);
        const Job job = with_noise(two_domains(4, 0.2, overlap), noise, spread);
        const World world(job, unfolded(SS_FLOWS_SHARED));
        EXPECT_TRUE(world->quiet[SS_QUIET_MEETS].whole_passes);
        for (int64_t i = 0; i < world->replica_count; ++i) {
          EXPECT_TRUE(world->replica[i].may_be_quiet);
          EXPECT_FALSE(world->replica[i].is_undisturbed); /* data-parallel rings go through NVLink */
        }
        for (bool private_links : {false, true}) expect_what_events_come_to(job, private_links);
      }
}

/* The same where sequences have documents of their own. */
TEST(QuietNoise, IsWhatEventsComeToOfDocuments)
{
  ss_workload w = workload_of_domains(4);
  w.training.documents = SS_DOCUMENTS_LOG_NORMAL;
  w.training.document_mean = 1200;
  w.training.document_sigma = 1.1;
  for (double noise : {0.0, 0.1})
    for (bool private_links : {false, true})
      expect_what_events_come_to(with_noise(on_domains(w, 16, 8, 0.2), noise, 0.0), private_links);
}

/* A domain has one replica: nothing but its own collectives goes through NVLink, so that passes are runs while
 * data-parallel collectives are in progress, too, as those of weights that are sharded are in all passes. */
TEST(QuietNoise, IsUndisturbedUnderNoiseWhereNothingElseUsesNvlink)
{
  for (const ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
    ss_workload w = workload_of_domains(4);
    w.parallelism.sharding = sharding;
    w.schedule.overlap_tp = SS_TP_OVERLAP_BACKWARD;
    const Job job = with_noise(on_domains(w, 16, 2, 0.2), 0.1, 0.0);
    const World world(job, unfolded(SS_FLOWS_SHARED));
    EXPECT_FALSE(world->settled.whole_passes);
    EXPECT_TRUE(world->quiet[SS_QUIET_MEETS].whole_passes);
    for (int64_t i = 0; i < world->replica_count; ++i) EXPECT_TRUE(world->replica[i].is_undisturbed);
    const ss_breakdown quiet = replay(job, SS_FLOWS_SHARED).breakdown, events = replay(job, SS_FLOWS_ALL).breakdown;
    expect_close(quiet.iteration_s, events.iteration_s,
                 1e-12); /* flows end phase by phase, computed collectives once */
    expect_close(ss_breakdown_sum(&quiet), quiet.iteration_s, 1e-11);
    expect_close(quiet.tp_comm_s, events.tp_comm_s, 1e-9);
    expect_close(quiet.other_s, events.other_s, 1e-9);
    expect_what_events_come_to(job, true);
  }
}

/* Exchanges between experts inside a replica are part of runs under noise; those for which replicas meet are live, and
 * nobody goes on together, as each has kernels of its own: but each says when it comes to the next exchange, and where
 * only times are asked for, a group goes through the rest of a pass at once. */
TEST(QuietNoise, HasExchangesUnderNoise)
{
  for (int ep : {2, 4, 8}) {
    const Job job = with_noise(with_experts(3, ep), 0.1, 0.0);
    const World world(job, unfolded(SS_FLOWS_SHARED));
    EXPECT_EQ(world->quiet[SS_QUIET_ALONE].whole_passes, ep == 2);
    EXPECT_EQ(world->stage[0].quiet_rest[SS_PASS_FORWARD].run.legs, 0);
    for (bool private_links : {false, true}) expect_what_events_come_to(job, private_links);
  }
}

/* Two pieces of attention draw apart; what of collectives nothing hides is shared out between two groups. */
TEST(QuietNoise, HasKernelsInTwoPiecesUnderNoise)
{
  for (const ss_cp_sums sums : {SS_CP_SUMS_KERNEL, SS_CP_SUMS_FP32}) {
    ss_workload w = workload_of_domains(2);
    w.parallelism.tp = 1;
    w.parallelism.cp = 2;
    w.parallelism.cp_sums = sums;
    w.schedule.overlap_cp = SS_YES;
    const Job job = with_noise(on_domains(w, 16, 8, 0.2), 0.2, 0.0);
    for (bool private_links : {false, true}) expect_what_events_come_to(job, private_links, false);
  }
}

/* Whatever is slowed down, moved beside layers, or agreed upon by all. */
TEST(QuietNoise, TakesAsLongWhereOnlyTimesAreAskedFor)
{
  std::mt19937 random(20261127 + seed);
  ss_replay_options options = unfolded(SS_FLOWS_SHARED);
  options.private_links = true;
  for (options.seed = 1; options.seed <= 30; ++options.seed) {
    SCOPED_TRACE(testing::Message() << "job " << options.seed);
    const Job job = any_with_experts(random);
    options.flows = SS_FLOWS_SHARED;
    const double iteration_s = job.replay(options).breakdown.iteration_s;
    expect_same_time(job, options, iteration_s);
    options.flows = SS_FLOWS_ALL;
    expect_close(job.replay(options).breakdown.iteration_s, iteration_s, 1e-12);
  }
}

/* There, replicas go ahead of time as far as they know their messages: of whatever schedule, with documents, and with
 * gathers or offloading that keep them from it. */
TEST(QuietNoise, TakesAsLongWhereReplicasGoAhead)
{
  std::mt19937 random(20261128 + seed);
  ss_replay_options options = unfolded(SS_FLOWS_SHARED);
  options.private_links = true;
  for (options.seed = 1; options.seed <= 60; ++options.seed) {
    SCOPED_TRACE(testing::Message() << "job " << options.seed);
    const ss_workload w = random_workload(random);
    ss_machine machine = random_machine(random, true);
    machine.kernel_noise = pick(random, {0.02, 0.3});
    machine.gpu_spread = pick(random, {0.0, 0.1});
    const Job job(w, machine, SS_COST_CALIBRATED);
    options.only_time = false;
    const double iteration_s = job.replay(options).breakdown.iteration_s;
    options.only_time = true;
    expect_close(job.replay(options).breakdown.iteration_s, iteration_s, 1e-12);
  }
}
