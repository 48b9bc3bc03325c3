/* GPUs that share NICs: the closed form beside the replay on the network. */
#include <random>

#include "tests/support/fixtures.hpp"
#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/plan/transfer_time.h"
}

using namespace stepsim;

namespace
{

constexpr int kJobs = 150;

/* Domains of eight with one NIC for two, four or eight GPUs, slow enough to be what counts. */
ss_machine shared_machine(std::mt19937 &random)
{
  PlatformSpec spec;
  spec.gpus = 64;
  spec.domain = 8;
  spec.nics = pick(random, {1, 2, 4});
  spec.fabric_bytes_per_s = 5e9;
  const ss_machine machine = make_machine(spec);
  return coin(random) ? machine : with_protocols(machine);
}

/* Kinds of collectives one after the other: no reductions and no messages beside anything else. Stages fill domains. */
ss_workload one_after_the_other(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = make_workload();
    w.parallelism.tp = pick(random, {1, 2, 4, 8, 16});
    w.parallelism.pp = pick(random, {1, 1, 2, 4});
    w.parallelism.dp = pick(random, {1, 2, 4, 8, 16, 32});
    if (random() % 3 == 0) w.parallelism.cp = pick(random, {2, 4});
    if (w.parallelism.cp == 1 && coin(random)) {
      w.model.experts = 16;
      w.model.top_k = 2;
      w.parallelism.ep = pick(random, {2, 4, 8, 16});
    }
    w.model.heads = w.model.kv_heads = 16;
    w.parallelism.cp_exchange = pick(random, all_of<ss_cp_exchange>);
    w.parallelism.sequence_parallel = pick_switch(random);
    w.parallelism.sharding = pick(random, all_of<ss_sharding>);
    w.schedule.overlap_dp = w.schedule.overlap_pp = SS_NO;
    w.training.global_batch = w.parallelism.dp * pick(random, {1, 4, 8});
    const int64_t stage = w.parallelism.tp * w.parallelism.cp * w.parallelism.dp;
    const bool fits = stage * w.parallelism.pp <= 64 && (w.parallelism.pp == 1 || stage % 8 == 0);
    if (fits && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* How far the closed form is from the replay, and how far it would be if all had links of their own. */
struct Off {
  double closed, own;
};

/* Of a job with a GPU in each domain, and a NIC for each. */
Off off_by(const ss_workload &w)
{
  PlatformSpec spec;
  spec.gpus = (int)ss_workload_gpus(&w);
  spec.domain = spec.nics = 1;
  const Job job(w, make_machine(spec), SS_COST_CALIBRATED), own(w, make_machine(spec), SS_COST_CALIBRATED, own_links());
  const double closed_s = ss_estimate_time(job.get()).iteration_s, own_s = ss_estimate_time(own.get()).iteration_s;
  const double replay_s = job.replay().breakdown.iteration_s;
  EXPECT_GT(closed_s, own_s);
  EXPECT_LE(ss_estimate_least_s(job.get(), false), closed_s);
  return {closed_s / replay_s - 1, own_s / replay_s - 1};
}

} /* namespace */

/* Two rings behind each NIC: one collective after the other is the replay, but for rounding. */
TEST(NicSharing, ReductionsOfTensorRanks)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 4;
  w.parallelism.dp = 4;
  w.training.global_batch = 4;
  w.schedule.overlap_dp = SS_NO;
  const Job job(w, machine_of(16, 4, 2), SS_COST_CALIBRATED), own(w, machine_of(16, 4, 4), SS_COST_CALIBRATED);
  const double iteration_s = ss_estimate_time(job.get()).iteration_s;
  EXPECT_GT(iteration_s, 1.3 * ss_estimate_time(own.get()).iteration_s);
  expect_close(job.replay().breakdown.iteration_s, iteration_s, 1e-9);
}

/* Where like groups of a stage are all that meets behind a NIC, the closed form is close to the replay, and not to one
 * side. */
TEST(NicSharing, OneAfterTheOtherIsClose)
{
  std::mt19937 random(61 + seed);
  double sum = 0, size = 0, before = 0;
  int shared = 0;
  for (int i = 0; i < kJobs; ++i) {
    const ss_workload w = one_after_the_other(random);
    const ss_machine machine = shared_machine(random);
    const Job job(w, machine, SS_COST_CALIBRATED), own(w, machine, SS_COST_CALIBRATED, own_links());
    const double closed_s = ss_estimate_time(job.get()).iteration_s, own_s = ss_estimate_time(own.get()).iteration_s;
    const double replay_s = job.replay().breakdown.iteration_s, error = closed_s / replay_s - 1;
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed_s);
    if (closed_s == own_s) continue;
    EXPECT_LT(std::abs(error), 0.25) << "case " << i << " " << settings_of(w, make_workload());
    ++shared;
    sum += error;
    size += std::abs(error);
    before += std::abs(own_s / replay_s - 1);
  }
  EXPECT_GT(shared, kJobs / 3);
  EXPECT_LT(std::abs(sum) / shared, 0.02);
  EXPECT_LT(size / shared, 0.02);
  EXPECT_GT(before / shared, 0.3); /* what it would be with NICs of their own */
}

/* Two tensor ranks in a domain each, and two replicas. A layer's gradients, 12 h^2 parameters over both ranks, take
 * longer to reduce than a layer's backward pass, so that from the first reduction on the NICs are busy to the end. The
 * seven layers behind it have two all-reduces of V = 512 x 1024 x 2 bytes each, V bytes through each NIC: these, and so
 * the iteration, take 14 V / NIC longer beside the reductions. */
TEST(NicSharing, ReductionsBesideCollectivesOfLayers)
{
  ss_workload w = make_workload();
  w.parallelism.tp = w.parallelism.dp = 2;
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.parallelism.sequence_parallel = SS_NO;
  w.schedule.overlap_dp = SS_YES;
  w.schedule.bucket = 1;
  w.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  w.training.global_batch = 2;
  PlatformSpec spec;
  spec.gpus = 4;
  spec.domain = spec.nics = 1;
  spec.nvlink_latency_s = spec.fabric_latency_s = 0;
  const Job job(w, make_machine(spec), SS_COST_CALIBRATED), own(w, make_machine(spec), SS_COST_CALIBRATED, own_links());
  const ss_breakdown closed = ss_estimate_time(job.get()), alone = ss_estimate_time(own.get());
  const double longer_s = 14 * 512 * 1024 * 2 / (0.7 * 25e9);
  expect_close(closed.iteration_s - alone.iteration_s, longer_s, 1e-9);
  expect_close(closed.dp_comm_s - alone.dp_comm_s, longer_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, closed.iteration_s, 1e-3);
  const Job published(w, make_machine(spec), SS_COST_SC24),
      as_published(w, make_machine(spec), SS_COST_SC24, own_links());
  EXPECT_EQ(ss_estimate_time(published.get()).iteration_s, ss_estimate_time(as_published.get()).iteration_s);
}

/* The same with kernels of weight gradients that hide the collectives of backward, and with two or four reductions
 * behind each NIC, beside which a collective of a layer has a third or a fifth of it: jobs whose stages lie over two
 * domains each. Passes take longer, and in a pipeline all stages wait for that. */
TEST(NicSharing, ReductionsBesideHiddenCollectives)
{
  double error = 0, before = 0;
  for (const int nics : {4, 2, 1})
    for (const int stages : {1, 4})
      for (const ss_sharding sharding : {SS_SHARDING_NONE, SS_SHARDING_GRADIENTS}) {
        ss_workload w = make_workload();
        w.parallelism.tp = 8;
        w.parallelism.pp = stages;
        w.parallelism.dp = 4;
        w.parallelism.sharding = sharding;
        w.schedule.overlap_dp = SS_YES;
        w.schedule.overlap_pp = SS_NO;
        w.schedule.overlap_tp = SS_TP_OVERLAP_BACKWARD;
        w.training.global_batch = 4 * 8;
        PlatformSpec spec;
        spec.gpus = 32 * stages;
        spec.domain = 4;
        spec.nics = nics;
        const Job job(w, make_machine(spec), SS_COST_CALIBRATED),
            own(w, make_machine(spec), SS_COST_CALIBRATED, own_links());
        const double replay_s = job.replay().breakdown.iteration_s;
        const double off = ss_estimate_time(job.get()).iteration_s / replay_s - 1;
        EXPECT_NEAR(off, 0, 0.015) << nics << " NICs, " << stages << " stages";
        error += std::abs(off);
        before += std::abs(ss_estimate_time(own.get()).iteration_s / replay_s - 1);
      }
  EXPECT_LT(error, 0.1 * before);
}

/* Collectives that go by levels use NICs for a part of their time: what is gathered and reduced inside domains shares
 * none. */
TEST(NicSharing, LevelsInsideShareNone)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 4;
  w.parallelism.dp = 2;
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.schedule.overlap_dp = SS_YES;
  w.schedule.bucket = 1;
  w.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  w.schedule.all_gather = w.schedule.reduce_scatter = w.schedule.all_reduce = SS_ALGORITHM_HIERARCHICAL;
  w.training.global_batch = 2;
  PlatformSpec spec;
  spec.gpus = 8;
  spec.domain = spec.nics = 2;
  spec.nvlink_latency_s = spec.fabric_latency_s = 0;
  const Job job(w, make_machine(spec), SS_COST_CALIBRATED), own(w, make_machine(spec), SS_COST_CALIBRATED, own_links());
  const double closed_s = ss_estimate_time(job.get()).iteration_s, alone_s = ss_estimate_time(own.get()).iteration_s;
  EXPECT_GT(closed_s, alone_s);
  expect_close(job.replay().breakdown.iteration_s, closed_s, 0.015);
}

/* Stages gather weights for each pass while their messages leave through the same NICs: without that, the closed form
 * is too fast, and with it most of the way to the replay. */
TEST(NicSharing, MessagesBesideGathers)
{
  double error = 0, before = 0;
  for (const int stages : {2, 4, 8})
    for (const int micro_batches : {4, 8, 16}) {
      ss_workload w = make_workload();
      w.parallelism.pp = stages;
      w.parallelism.dp = 4;
      w.parallelism.sharding = SS_SHARDING_PARAMETERS;
      w.schedule.overlap_dp = SS_YES;
      w.schedule.overlap_pp = SS_NO;
      w.training.global_batch = 4 * micro_batches;
      const Off off = off_by(w);
      EXPECT_NEAR(off.closed, 0, 0.05) << stages << " stages, " << micro_batches << " micro-batches";
      error += std::abs(off.closed);
      before += std::abs(off.own);
    }
  EXPECT_LT(error, 0.5 * before);
}

/* Tokens are exchanged over the NICs through which messages leave beside them: messages take longer, and so do the
 * exchanges; by up to 2 % too much here (by 5 % with eight stages, whose passes are mostly exchanges and messages). */
TEST(NicSharing, MessagesBesideExchanges)
{
  double error = 0, before = 0;
  for (const int stages : {2, 4})
    for (const int micro_batches : {4, 8, 16}) {
      ss_workload w = make_workload();
      w.model.experts = 16;
      w.model.top_k = 2;
      w.parallelism.pp = stages;
      w.parallelism.dp = w.parallelism.ep = 4;
      w.schedule.overlap_dp = w.schedule.overlap_pp = SS_YES;
      w.training.global_batch = 4 * micro_batches;
      const Off off = off_by(w);
      error += std::abs(off.closed);
      before += std::abs(off.own);
    }
  EXPECT_LT(error, 0.5 * before);
}

/* A stage of tensor ranks in domains of their own, each with a NIC: rings move bytes for N of the R seconds of a
 * micro-batch, so that of a message of n seconds, n N / R are lost, and as much by the passes beside it. Of two stages
 * and micro-batches, these follow one another: forward on the first stage, the message, then on the last one forward
 * and backward twice, the message, backward on the first. Six times something is lost: by both messages, by the passes
 * of their senders, by those beside the gradients of the first micro-batch, and by the receiver of the second
 * activations, which come beside its first forward pass; for all others the receiver waits. */
TEST(NicSharing, MessagesThatCome)
{
  ss_workload w = make_workload();
  w.parallelism.tp = w.parallelism.pp = 2;
  w.schedule.overlap_pp = SS_YES;
  w.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  w.training.global_batch = 2;
  PlatformSpec spec;
  spec.gpus = 4;
  spec.domain = spec.nics = 1;
  const Job job(w, make_machine(spec), SS_COST_CALIBRATED), own(w, make_machine(spec), SS_COST_CALIBRATED, own_links());
  double run_s = 0, nic_s = 0;
  for (int64_t block = job->block_first[1]; block < job->block_first[2]; ++block)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      run_s += ss_duration_sum(job->pass[job->block_kind[block]][pass]);
      nic_s += job->links[job->block_kind[block]][pass].nic_s;
    }
  const double message_s = 512 * 1024 * 2 / 2 / (0.7 * 25e9); /* half of the sequence each */
  expect_close(ss_job_hop_nic_s(job.get(), SS_CARGO_STATES), message_s, 1e-9);
  const double longer_s = ss_estimate_time(job.get()).iteration_s - ss_estimate_time(own.get()).iteration_s;
  expect_close(longer_s, 6 * message_s * nic_s / run_s, 1e-9);
}

/* Rings of tensor ranks beside messages of many chunks, which mostly come before they are needed. */
TEST(NicSharing, MessagesBesideRings)
{
  double error = 0, before = 0;
  for (const int stages : {4, 8})
    for (const int chunks : {2, 4}) {
      ss_workload w = make_workload();
      w.model.layers = 32;
      w.model.heads = 16;
      w.model.hidden = 4096;
      w.parallelism.tp = 2;
      w.parallelism.pp = stages;
      w.parallelism.interleave = chunks;
      w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
      w.schedule.overlap_pp = SS_YES;
      w.training.global_batch = 4 * stages;
      ss_workload_derive(&w);
      const Off off = off_by(w);
      EXPECT_NEAR(off.closed, 0, 0.01) << stages << " stages, " << chunks << " chunks";
      error += std::abs(off.closed);
      before += std::abs(off.own);
    }
  EXPECT_LT(error, 0.5 * before);
}

/* Groups that fill different dimensions of a torus share no cable. */
TEST(NicSharing, DimensionsOfATorusShareNone)
{
  ss_workload w = make_workload();
  w.parallelism.tp = 4;
  w.parallelism.dp = 4;
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.schedule.overlap_dp = SS_YES;
  w.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  w.training.global_batch = 4;
  PlatformSpec spec;
  spec.gpus = 16;
  spec.domain = spec.nics = 1;
  ss_machine machine = make_machine(spec);
  machine.shape.topology = SS_TOPOLOGY_TORUS;
  machine.shape.as.torus = {2, {4, 4}};
  const Job job(w, machine, SS_COST_CALIBRATED), own(w, machine, SS_COST_CALIBRATED, own_links());
  EXPECT_EQ(ss_estimate_time(job.get()).iteration_s, ss_estimate_time(own.get()).iteration_s);
}

/* What shares NICs in the closed form does not change the replay, nor what it explains: contention is what the closed
 * form has not. */
TEST(NicSharing, ExplanationAddsUp)
{
  std::mt19937 random(62 + seed);
  for (int i = 0; i < 10; ++i) {
    const ss_workload w = one_after_the_other(random);
    const ss_machine machine = shared_machine(random);
    const Job job(w, machine, SS_COST_CALIBRATED), own(w, machine, SS_COST_CALIBRATED, own_links());
    const double replay_s = job.replay().breakdown.iteration_s;
    expect_close(own.replay().breakdown.iteration_s, replay_s, 1e-9);
    ss_explanation why = {};
    ss_error error = {};
    const ss_replay_options options = {};
    ASSERT_EQ(ss_explain(job.get(), &options, replay_s, &why, &error), SS_OK) << error.message;
    const double sum_s =
        why.contention_s + why.slowed_s + why.latency_s + why.stages_s + why.overlap_s + why.schedule_s;
    EXPECT_NEAR(sum_s, replay_s - ss_estimate_time(job.get()).iteration_s, 1e-9 * replay_s);
    ss_explanation without = {};
    ASSERT_EQ(ss_explain(own.get(), &options, replay_s, &without, &error), SS_OK) << error.message;
    const double counted_s = ss_estimate_time(job.get()).iteration_s - ss_estimate_time(own.get()).iteration_s;
    EXPECT_NEAR(why.contention_s, without.contention_s - counted_s, 1e-9 * replay_s);
  }
}
