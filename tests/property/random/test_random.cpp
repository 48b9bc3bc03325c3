/* Properties that hold for every valid workload, on random ones. */
#include <map>
#include <utility>
#include <vector>

#include "tests/support/alike.hpp"
#include "tests/support/random_jobs.hpp"
#include "tests/support/timelines.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kFewer = 20; /* what takes seconds would take minutes */
#else
constexpr int kFewer = 1;
#endif
constexpr int kCases = 2000 / kFewer;       /* where nothing is simulated, or without a network */
constexpr int kMovingCases = 500 / kFewer;  /* pipelines where something moves in every pass */
constexpr int kNetworkCases = 300 / kFewer; /* where every message is a flow */

ss_replay_options private_links()
{
  ss_replay_options options = {};
  options.private_links = true;
  return options;
}

/* The same machine with one thing better each. */
std::vector<ss_machine> improved(const ss_machine &machine)
{
  std::vector<ss_machine> better(6, machine);
  better[0].nvlink_bytes_per_s *= 2;
  better[1].fabric_bytes_per_s *= 2;
  better[2].nvlink_latency_s = better[2].fabric_latency_s = 0;
  better[3].matrix_flop_per_s *= 2;
  better[4].hbm_bytes_per_s *= 2;
  better[5].offload_bytes_per_s *= 2;
  return better;
}

/* Slices that have begun and not ended, by track; the last end of any. */
struct Tracks {
  std::map<std::pair<int64_t, ss_stream>, std::vector<double>> open;
  double end_s = 0;
};

/* How deep slices may nest: pass, block and kernel; one of all else. */
size_t deepest(ss_stream stream)
{
  return stream == SS_STREAM_COMPUTE ? 3 : 1;
}

void begin_slice(void *self, const ss_slice *slice)
{
  Tracks *tracks = static_cast<Tracks *>(self);
  std::vector<double> &open = tracks->open[{slice->rank, slice->stream}];
  EXPECT_LT(open.size(), deepest(slice->stream))
      << ss_activity_name(slice->activity) << " on " << ss_stream_name(slice->stream);
  open.push_back(slice->time_s);
}

void end_slice(void *self, int64_t rank, ss_stream stream, double time_s)
{
  Tracks *tracks = static_cast<Tracks *>(self);
  std::vector<double> &open = tracks->open[{rank, stream}];
  ASSERT_FALSE(open.empty()) << ss_stream_name(stream);
  EXPECT_GE(time_s, open.back()) << ss_stream_name(stream);
  open.pop_back();
  tracks->end_s = std::max(tracks->end_s, time_s);
}

/* A replay where every message has its links to itself, followed slice by slice. */
Tracks tracks_of(const Job &job)
{
  Tracks tracks;
  ss_timeline timeline = silent_timeline(&tracks);
  timeline.begin = begin_slice;
  timeline.end = end_slice;
  (void)replay_heard(job, timeline);
  return tracks;
}

/* When all stages are done, where nobody shares links. Where they run into the next iteration, only the slices say. */
double end_s(const Job &job)
{
  return job->shape.schedule->runs_into_next ? tracks_of(job).end_s : job.replay(private_links()).breakdown.iteration_s;
}

} // namespace

/* Replay ends, parts are not negative and add up in both models, memory adds up. */
TEST(Random, BreakdownsAddUp)
{
  std::mt19937 random(1 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random, i % 4 == 0), pick(random, {SS_COST_CALIBRATED, SS_COST_SC24}));
    expect_adds_up(ss_estimate_time(job.get()));
    expect_adds_up(job.replay(private_links()).breakdown);
    expect_memory_adds_up(job.get());
  }
}

/* The same where kernels take longer and shorter by chance. */
TEST(Random, BreakdownsAddUpUnderNoise)
{
  std::mt19937 random(19 + seed);
  for (int i = 0; i < kCases / 4; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_workload(random);
    ss_machine machine = random_machine(random, i % 4 == 0);
    machine.kernel_noise = pick(random, {0.1, 0.5});
    machine.gpu_spread = pick(random, {0.0, 0.1});
    const Job job(workload, machine, SS_COST_CALIBRATED);
    for (uint64_t number : {1u, 2u}) {
      ss_replay_options options = private_links();
      options.seed = number;
      expect_adds_up(job.replay(options).breakdown);
    }
  }
}

/* The same with every message on the network. */
TEST(Random, ReplaysEnd)
{
  std::mt19937 random(8 + seed);
  for (int i = 0; i < kNetworkCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random, i % 4 == 0), SS_COST_CALIBRATED);
    expect_adds_up(job.replay().breakdown);
  }
}

/* A collective as flows or computed: the same iteration. */
TEST(Random, ShortcutIsExact)
{
  std::mt19937 random(2 + seed);
  for (int i = 0; i < kNetworkCases / 3; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random), SS_COST_CALIBRATED);
    expect_close(job.replay_all_flows().breakdown.iteration_s, job.replay().breakdown.iteration_s, 1e-9);
  }
}

/* The same under noise, where communication slows kernels down and all passes are cut alike; nor does it matter which
 * replicas are taken to be alike, as none are. */
TEST(Random, QuietIsExactUnderNoise)
{
  std::mt19937 random(23 + seed);
  for (int i = 0; i < kNetworkCases / 3; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_workload(random);
    ss_machine machine = random_machine(random);
    machine.kernel_noise = pick(random, {0.02, 0.3});
    machine.gpu_spread = pick(random, {0.0, 0.1});
    machine.nvlink_compute_cost = machine.fabric_compute_cost = 0.1;
    if (pick(random, {false, true})) machine.fabric_compute_cost = 0.0;
    machine.data_parallel_compute_cost = pick(random, {0.0, 0.2});
    const Job job(workload, machine, SS_COST_CALIBRATED);
    if (job->host.active) continue; /* kernels that wait for their launches are in runs of computed collectives only */
    ss_replay_options none = {};
    none.fold = SS_FOLD_NONE;
    const double quiet_s = job.replay().breakdown.iteration_s;
    expect_close(job.replay(none).breakdown.iteration_s, quiet_s, 1e-12);
    expect_close(job.replay_all_flows().breakdown.iteration_s, quiet_s, 1e-9);
  }
}

/* Slices of a track nest and end, whatever a job does. */
TEST(Random, TimelinesNest)
{
  std::mt19937 random(10 + seed);
  for (int i = 0; i < kCases / 4; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random, i % 4 == 0), SS_COST_CALIBRATED);
    for (const auto &track : tracks_of(job).open)
      EXPECT_TRUE(track.second.empty()) << ss_stream_name(track.first.second);
  }
}

/* On one stage there is nothing that the closed form leaves out, but that it takes the slowest group for all: one for
 * gathers and reductions, which may be slowest in different groups if they have algorithms of their own. */
TEST(Random, ClosedFormOfOneStageIsTheReplay)
{
  std::mt19937 random(11 + seed);
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random), SS_COST_CALIBRATED, own_links());
    if (job->stages > 1) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    const double closed_s = ss_estimate_time(job.get()).iteration_s;
    const double replay_s = job.replay(private_links()).breakdown.iteration_s;
    const bool alike = groups_lie_alike(job), same = workload.schedule.all_gather == workload.schedule.reduce_scatter;
    if (alike || same) {
      EXPECT_GE(closed_s, replay_s * (1 - 1e-11));
    }
    if (alike) expect_close(closed_s, replay_s, 1e-11);
  }
}

/* The closed form is a sum of a few terms; beside an exact replay without contention it stays close. It takes the
 * slowest group of each kind for all of them: where groups cross domains on some stages only (tp 2 in segments of 3),
 * it is up to twice as long, and not compared. */
TEST(Random, ClosedFormIsCloseToTheReplay)
{
  std::mt19937 random(7 + seed);
  double sum = 0, worst = 0;
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_workload(random);
    const Job job(workload, random_machine(random), SS_COST_CALIBRATED, own_links());
    if (!groups_lie_alike(job)) continue;
    const double replay_s = job.replay(private_links()).breakdown.iteration_s;
    const double error = std::abs(ss_estimate_time(job.get()).iteration_s / replay_s - 1);
    sum += error;
    worst = std::max(worst, error);
  }
  EXPECT_LT(sum / kCases, 0.003);
  EXPECT_LT(worst, 0.1);
}

/* Its order of work has no formula, or chunks send their messages beside compute. */
bool is_intricate(const ss_workload &w)
{
  const bool sends_beside = w.parallelism.interleave > 1 && w.schedule.overlap_pp == SS_YES;
  return ss_schedule_of(w.schedule.pipeline)->splits_backward || sends_beside;
}

/* A pipeline in which something moves in every pass, or an intricate one. */
ss_workload random_walked_pipeline(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.parallelism.pp = pick(random, {2, 4, 8});
    w.parallelism.sharding =
        pick(random, {SS_SHARDING_NONE, SS_SHARDING_GRADIENTS, SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS});
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 3, 8, 16, 40});
    const bool moves = w.parallelism.sharding != SS_SHARDING_NONE || w.training.offload_weights == SS_YES ||
                       w.training.offload_activations == SS_YES || is_intricate(w);
    w.placement.segment = SS_DERIVED; /* that was of another number of GPUs */
    w = with_segment(random, w);
    if (moves && ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* Where stages move something in every pass, or are intricate, the closed form walks through them together, with each
 * wait for another stage, and what is gathered and reduced meanwhile: that is the replay where nobody shares links,
 * part by part, and groups lie alike. */
TEST(Random, ClosedFormOfWalkedPipelinesIsTheReplay)
{
  std::mt19937 random(12 + seed);
  for (int i = 0; i < kMovingCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = random_walked_pipeline(random);
    const Job job(workload, random_machine(random), SS_COST_CALIBRATED, own_links());
    if (!ss_job_moves_each_pass(job.get()) && !is_intricate(workload)) continue; /* no rank holds the same weights */
    if (!groups_lie_alike(job)) continue;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(private_links()).breakdown;
    expect_close(closed.iteration_s, replay.iteration_s, 1e-9);
  }
}

/* The same where communication takes some of a GPU: a message then slows kernels of its sender down by what all of it
 * costs, whatever runs beside it. */
TEST(Random, ClosedFormOfSlowedPipelinesIsClose)
{
  std::mt19937 random(13 + seed);
  double sum = 0, worst = 0;
  for (int i = 0; i < kMovingCases; ++i) {
    const ss_workload workload = random_walked_pipeline(random);
    const Job job(workload, random_machine(random, true), SS_COST_CALIBRATED, own_links());
    if (!ss_job_moves_each_pass(job.get()) || !groups_lie_alike(job)) continue;
    const double replay_s = job.replay(private_links()).breakdown.iteration_s;
    const double error = std::abs(ss_estimate_time(job.get()).iteration_s / replay_s - 1);
    sum += error;
    worst = std::max(worst, error);
  }
  EXPECT_LT(sum / kMovingCases, 0.003);
  EXPECT_LT(worst, 0.12);
}

/* The closed form adds up the parts of a pipeline. Where its passes are finer than forward and backward of a stage,
 * that is rough, and so is its monotonicity; where something moves in every pass, it does not add up. */
double monotone_within(const ss_workload &w)
{
  const bool splits = ss_schedule_of(w.schedule.pipeline)->splits_backward || w.parallelism.interleave > 1;
  return w.parallelism.pp > 1 && splits ? 0.1 : 1e-12;
}

/* The same where collectives share NICs: what is over sooner may meet others that it missed before. */
double monotone_within(const ss_workload &w, const ss_what_if &what_if)
{
  return what_if.own_links ? monotone_within(w) : std::max(monotone_within(w), 0.01);
}

/* Faster links, lower latency and faster units never make the closed form slower. */
TEST(Random, ClosedFormIsMonotone)
{
  std::mt19937 random(3 + seed);
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    for (const ss_what_if &what_if : {own_links(), ss_what_if{}}) {
      const Job job(workload, machine, SS_COST_CALIBRATED, what_if);
      const double most_s = ss_estimate_time(job.get()).iteration_s * (1 + monotone_within(workload, what_if));
      for (const ss_machine &better : improved(machine)) {
        const Job better_job(workload, better, SS_COST_CALIBRATED, what_if);
        EXPECT_LE(ss_estimate_time(better_job.get()).iteration_s, most_s) << "case " << i;
      }
    }
  }
}

/* Nor the replay, where every message has its links to itself: a fixed order of work has no anomalies. (Beside other
 * traffic, a faster link may bring flows together that missed each other before.) What is never later is the end of
 * all stages: where a schedule runs into the next iteration, a stage counts from its own first pass, which may begin
 * earlier while it ends when it did (slow groups of its own, and a faster stage before it). */
TEST(Random, ReplayOnPrivateLinksIsMonotone)
{
  std::mt19937 random(4 + seed);
  for (int i = 0; i < kCases / 4; ++i) {
    const ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    const Job job(workload, machine, SS_COST_CALIBRATED);
    const double base_s = end_s(job);
    for (const ss_machine &better : improved(machine)) {
      const Job better_job(workload, better, SS_COST_CALIBRATED);
      EXPECT_LE(end_s(better_job), base_s * (1 + 1e-12)) << "case " << i;
    }
  }
}

/* The same on the network, for tensor groups inside a domain and one kind of traffic on the fabric. */
TEST(Random, ReplayIsMonotone)
{
  std::mt19937 random(5 + seed);
  for (int i = 0; i < kNetworkCases / 5; ++i) {
    ss_workload workload = random_workload(random);
    workload.parallelism.tp2 = workload.parallelism.cp = workload.parallelism.cp_inner = workload.parallelism.ep = 1;
    workload.parallelism.etp = SS_DERIVED;
    workload.parallelism.shard_size = SS_DERIVED;
    workload.training.imbalance = 1;
    if (workload.parallelism.pp > 1) workload.parallelism.dp = 1;
    workload.training.global_batch = workload.parallelism.dp * workload.training.micro_batch * 4;
    workload.schedule.overlap_pp = SS_NO;
    workload.schedule.overlap_ep = SS_EP_OVERLAP_NONE;
    std::snprintf(workload.placement.order, sizeof workload.placement.order, "tp,cp,dp,pp");
    if (ss_workload_check(&workload, nullptr) != SS_OK) continue; /* DualPipe needs more micro-batches */
    const ss_machine machine = random_machine(random);
    const double base_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
    for (const ss_machine &better : improved(machine))
      EXPECT_LE(Job(workload, better, SS_COST_CALIBRATED).replay().breakdown.iteration_s, base_s * (1 + 1e-9))
          << "case " << i;
  }
}

/* What each recomputation saves in memory it pays in time. */
TEST(Random, RecomputationTradesTimeForMemory)
{
  std::mt19937 random(6 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    workload.training.offload_activations = SS_NO; /* what is not kept need not be moved either */
    workload.training.recompute_layers = SS_DERIVED;
    double before_s = 0, before_bytes = 1e30;
    for (const ss_recompute recompute : {SS_RECOMPUTE_NONE, SS_RECOMPUTE_SELECTIVE, SS_RECOMPUTE_FULL}) {
      workload.training.recompute = recompute;
      if (ss_workload_check(&workload, nullptr) != SS_OK) continue;
      const Job job(workload, machine, SS_COST_CALIBRATED);
      const double iteration_s = ss_estimate_time(job.get()).iteration_s;
      const double stored_bytes = job->block[SS_BLOCK_LAYER].stored_bytes + job->block[SS_BLOCK_EXPERT].stored_bytes;
      EXPECT_GE(iteration_s, before_s * (1 - 1e-12));
      EXPECT_LE(stored_bytes, before_bytes);
      before_s = iteration_s;
      before_bytes = stored_bytes;
    }
  }
}

/* Operation by operation, or all but products, more runs again than nothing, and no more than all. Where backward is
 * split, it is elsewhere in it, which bubbles may like. */
TEST(Random, RecomputationByOperationIsBetweenNoneAndFull)
{
  std::mt19937 random(61 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    workload.training.offload_activations = SS_NO;
    workload.training.recompute_layers = SS_DERIVED;
    workload.training.projections = pick(random, {SS_PROJECTIONS_FUSED, SS_PROJECTIONS_SEPARATE});
    double before_s = 0, before_flop = 0;
    const ss_recompute some = pick(random, {SS_RECOMPUTE_PER_OP, SS_RECOMPUTE_KEEP_PRODUCTS});
    for (const ss_recompute recompute : {SS_RECOMPUTE_NONE, some, SS_RECOMPUTE_FULL}) {
      workload.training.recompute = recompute;
      if (ss_workload_check(&workload, nullptr) != SS_OK) continue;
      const Job job(workload, machine, SS_COST_CALIBRATED);
      const double iteration_s = ss_estimate_time(job.get()).iteration_s;
      const double flop = ss_estimate_metrics(job.get(), 1.0).hfu;
      EXPECT_GE(iteration_s, before_s * (1 - monotone_within(workload)));
      EXPECT_GE(flop, before_flop * (1 - 1e-12));
      before_s = iteration_s;
      before_flop = flop;
    }
  }
}

/* Each module that is recomputed beside others saves what layers keep, or changes nothing, and takes time. Not so with
 * products of fewer bits, which keep smaller copies of what modules keep in 16. What is made again is there besides,
 * and where one layer is all that a stage has, or gradients of weights wait for it, memory stays what it was. */
TEST(Random, ModulesTradeTimeForMemory)
{
  std::mt19937 random(26 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    workload.training.precision = SS_PRECISION_BF16;
    workload.training.gather_type = workload.training.weights_type = SS_AS_16BIT;
    workload.training.reduce_type = SS_AS_16BIT;
    workload.training.attention_type = workload.training.output_type = SS_AS_16BIT;
    workload.training.dispatch_type = SS_DISPATCH_16BIT;
    workload.training.offload_activations = SS_NO;
    workload.training.offload_modules = 0;
    workload.training.offload_layers = SS_DERIVED;
    workload.training.recompute_method = SS_RECOMPUTE_BLOCK;
    workload.training.recompute_layers = workload.model.layers;
    workload.parallelism.tp_redo = SS_YES; /* without, recomputed parts keep what no product keeps */
    workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
    workload.training.recompute_modules = 0;
    workload.parallelism.sharding = SS_SHARDING_NONE; /* longer kernels hide more */
    workload.parallelism.shard_size = SS_DERIVED;
    workload.model.dense_layers = 0; /* unequal chunks wait for each other */
    double before_s = 0, before_bytes = 1e30;
    const ss_word_set all = ss_layer_recompute_modules(&workload);
    for (unsigned modules = 0, bit = 0; bit < 16; ++bit) {
      modules |= all & SS_WORD_BIT(bit);
      workload.training.recompute_modules = static_cast<ss_word_set>(modules);
      if (modules == 0 || ss_workload_check(&workload, nullptr) != SS_OK) continue;
      const Job job(workload, machine, SS_COST_CALIBRATED);
      const double iteration_s = ss_estimate_time(job.get()).iteration_s;
      const double bytes = job->block[SS_BLOCK_LAYER].stored_bytes + job->block[SS_BLOCK_EXPERT].stored_bytes;
      EXPECT_GE(iteration_s, before_s * (1 - 1e-9)) << modules;
      EXPECT_LE(bytes, before_bytes) << modules;
      before_s = iteration_s;
      before_bytes = bytes;
    }
  }
}

/* Memory by sharding: none >= optimizer >= gradients >= parameters, but for the blocks that FSDP has gathered and the
 * gradients that it has not reduced yet: on a short stage, both may be more than what it saves. */
TEST(Random, ShardingSavesMemory)
{
  std::mt19937 random(9 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    workload.model.layers *= 8;
    workload.training.recompute_layers = workload.model.layers;
    workload.model.vocabulary = workload.model.mtp_modules = 0;
    workload.model.tied_embeddings = SS_NO;
    workload.schedule.overlap_dp = SS_NO;
    workload.schedule.bucket = 0;
    workload.schedule.prefetch = 0;
    workload.parallelism.shard_size = SS_DERIVED;
    workload.training.offload_weights = SS_NO;
    double before_bytes = 1e30;
    for (const ss_sharding sharding : all_of<ss_sharding>) {
      workload.parallelism.sharding = sharding;
      if (ss_workload_check(&workload, nullptr) != SS_OK) continue; /* pairs of passes with sharded gradients */
      const Job job(workload, machine, SS_COST_CALIBRATED);
      const ss_memory memory = ss_estimate_memory(job.get());
      const double kept_bytes = memory.total_bytes - memory.gathered_bytes - memory.unreduced_bytes;
      EXPECT_LE(kept_bytes, before_bytes * (1 + 1e-12)) << settings_of(workload, make_workload());
      before_bytes = kept_bytes;
    }
  }
}
