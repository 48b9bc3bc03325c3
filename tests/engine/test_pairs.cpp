/* Passes that run in pairs: exchanges between experts beside the kernels of the other direction (schedule.overlap-ep).
 */
#include "tests/support/alike.hpp"
#include "tests/support/random_parts.hpp"

extern "C" {
#include "model/plan/pair_order.h"
#include "model/plan/stage_ops.h"
#include "model/plan/transfer_time.h"
}

using namespace stepsim;

namespace
{

/* One stage of `layers` layers of experts on two replicas that share them. */
ss_workload expert_workload(int layers, int micro_batches, ss_ep_overlap overlap)
{
  ss_workload w = make_workload();
  w.model.layers = layers;
  w.model.vocabulary = 0;
  w.model.experts = 8;
  w.model.top_k = 2;
  w.model.expert_ffn = 1024;
  w.parallelism.dp = w.parallelism.ep = 2;
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.training.global_batch = 2 * micro_batches * w.training.micro_batch;
  w.schedule.overlap_ep = overlap;
  return w;
}

double pass_s(const Job &job, ss_pass pass)
{
  return ss_duration_sum(job->pass[SS_BLOCK_EXPERT][pass]);
}

/* Seconds that compute stands still before each pass of a layer, and behind backward. */
struct Waits {
  double before_s = 0.0, behind_s = 0.0;
};

/* A layer whose passes are cut in three by two exchanges B and F, late weight gradients w: b1, then w1 and f1 beside
 * B1; b2 and w2 beside F1, where f2 waits for that; B2 when b2 and F1 are over; b3 when f2 and B2 are, beside F2; f3.
 * What is waited for stands before b1, before f1 and behind b3.
 */
double pair_s(const Job &job, const Waits &waits = {})
{
  const ss_pass_cuts &b = job->cuts[SS_BLOCK_EXPERT][SS_PASS_BACKWARD],
                     &f = job->cuts[SS_BLOCK_EXPERT][SS_PASS_FORWARD];
  EXPECT_EQ(b.count, 2);
  EXPECT_EQ(f.count, 2);
  const double f1_s = waits.before_s + f.cut[0].before.time_s, b3_s = b.rest.time_s + waits.behind_s;
  const double first_s =
      waits.before_s + b.cut[0].before.time_s + std::max(b.cut[0].late.time_s + f1_s, b.cut[0].exchange_s);
  const double b2_s = first_s + b.cut[1].before.time_s, sent_s = first_s + f.cut[0].exchange_s;
  const double f2_s = std::max(b2_s + b.cut[1].late.time_s, sent_s) + f.cut[1].before.time_s;
  const double third_s = std::max(f2_s, std::max(b2_s, sent_s) + b.cut[1].exchange_s);
  return third_s + std::max(b3_s, f.cut[1].exchange_s) + f.rest.time_s;
}

/* What the only stage of a job gathers ahead of its block, or reduces behind it. */
double ops_s(const Job &job, ss_op_start start)
{
  double sum_s = 0.0;
  ss_stage_ops ops;
  EXPECT_EQ(ss_stage_ops_init(&ops, job.get(), 0), SS_OK);
  for (const ss_stage_op *op = ss_stage_ops_of_block(&ops, 0, start); op != nullptr; op = ss_stage_ops_next(op))
    sum_s += ss_comm_time_sum(ss_job_data_time(job.get(), op->kind, job->data_span[op->group][0], op->volume_bytes));
  ss_stage_ops_free(&ops);
  return sum_s;
}

/* A replay where nothing that is moved at the same time shares links. */
ss_breakdown apart(const Job &job)
{
  ss_replay_options options = {};
  options.private_links = true;
  return job.replay(options).breakdown;
}

/* Exchanges that take as long as half of a layer, or next to nothing. */
ss_machine machine_of(double bandwidth)
{
  PlatformSpec spec;
  spec.nvlink_bytes_per_s = bandwidth;
  return make_machine(spec);
}

} /* namespace */

/* What is cut adds up to the pass. Forward has nothing that is late; backward has nothing unless that is asked for. */
TEST(Pairs, CutsAddUp)
{
  for (const ss_ep_overlap overlap : {SS_EP_OVERLAP_PAIRED, SS_EP_OVERLAP_DELAYED}) {
    const Job job(expert_workload(1, 4, overlap), make_machine({}), SS_COST_CALIBRATED);
    for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
      const ss_pass_cuts &cuts = job->cuts[SS_BLOCK_EXPERT][pass];
      double sum_s = cuts.rest.time_s, late_s = 0.0, exchange_s = 0.0;
      for (int64_t i = 0; i < cuts.count; i++) {
        sum_s += cuts.cut[i].before.time_s + cuts.cut[i].exchange_s + cuts.cut[i].late.time_s;
        late_s += cuts.cut[i].late.time_s;
        exchange_s += cuts.cut[i].exchange_s;
      }
      expect_close(sum_s, pass_s(job, pass), 1e-12);
      expect_close(exchange_s, job->pass[SS_BLOCK_EXPERT][pass].comm_s[SS_GROUP_EXPERT], 1e-12);
      EXPECT_EQ(late_s > 0.0, overlap == SS_EP_OVERLAP_DELAYED && pass == SS_PASS_BACKWARD);
    }
  }
}

/* One stage: forward of the first micro-batch, then backward of each beside forward of the next, then the last backward
 * pass. */
TEST(Pairs, OfOneLayer)
{
  for (const ss_ep_overlap overlap : {SS_EP_OVERLAP_PAIRED, SS_EP_OVERLAP_DELAYED})
    for (const double bandwidth : {1e12, 300e9, 20e9, 1e9}) {
      const int m = 5;
      const Job job(expert_workload(1, m, overlap), machine_of(bandwidth), SS_COST_CALIBRATED);
      const Job alone(expert_workload(1, m, SS_EP_OVERLAP_NONE), machine_of(bandwidth), SS_COST_CALIBRATED);
      const double hidden_s = pass_s(job, SS_PASS_FORWARD) + pass_s(job, SS_PASS_BACKWARD) - pair_s(job);
      EXPECT_GT(hidden_s, 0.0);
      const ss_breakdown closed = ss_estimate_time(job.get()), apart = ss_estimate_time(alone.get());
      expect_close(closed.iteration_s, apart.iteration_s - (m - 1) * hidden_s, 1e-9);
      expect_close(closed.ep_comm_s, apart.ep_comm_s - (m - 1) * hidden_s, 1e-9);
      expect_close(job.replay().breakdown.iteration_s, closed.iteration_s, 1e-9);
      expect_close(job.replay().breakdown.ep_comm_s, closed.ep_comm_s, 1e-9);
    }
}

/* The same where two ranks of each replica share an expert: what they gather and add up is between the exchanges, and
 * its pass waits for it, while an exchange of the other pass is on its way. The ranks are neighbours, or of two
 * replicas. */
TEST(Pairs, OfSharedExperts)
{
  for (const ss_expert_groups groups : {SS_EXPERTS_INSIDE, SS_EXPERTS_ACROSS})
    for (const double bandwidth : {1e12, 20e9}) {
      const int m = 5;
      ss_workload w = expert_workload(1, m, SS_EP_OVERLAP_PAIRED);
      w.parallelism.tp = 2;
      w.parallelism.dp = w.parallelism.etp = 4;
      w.training.global_batch *= 2;
      w.parallelism.sequence_parallel = SS_YES;
      w.parallelism.expert_groups = groups;
      const Job job(w, machine_of(bandwidth), SS_COST_CALIBRATED);
      w.schedule.overlap_ep = SS_EP_OVERLAP_NONE;
      const Job alone(w, machine_of(bandwidth), SS_COST_CALIBRATED);
      EXPECT_GT(job->pass[SS_BLOCK_EXPERT][SS_PASS_FORWARD].comm_s[SS_GROUP_EXPERT_TENSOR], 0.0);
      const double hidden_s = pass_s(job, SS_PASS_FORWARD) + pass_s(job, SS_PASS_BACKWARD) - pair_s(job);
      const ss_breakdown closed = ss_estimate_time(job.get()), apart = ss_estimate_time(alone.get());
      expect_close(closed.iteration_s, apart.iteration_s - (m - 1) * hidden_s, 1e-9);
      ss_replay_options options = {};
      options.private_links = true;
      expect_close(job.replay(options).breakdown.iteration_s, closed.iteration_s, 1e-9);
    }
}

/* One more micro-batch is one more pair. Where collectives may not run beside compute, each pass of it waits for its
 * own weights, and backward for its gradients; a sharding of gradients alone waits for these. */
TEST(Pairs, WaitForWeightsAndGradients)
{
  for (const ss_sharding sharding : {SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS})
    for (const ss_ep_overlap overlap : {SS_EP_OVERLAP_PAIRED, SS_EP_OVERLAP_DELAYED})
      for (const double bandwidth : {300e9, 20e9, 1e9}) {
        ss_workload w = expert_workload(1, 5, overlap), shorter = expert_workload(1, 4, overlap);
        for (ss_workload *one : {&w, &shorter}) {
          one->parallelism.sharding = sharding;
          one->schedule.overlap_dp = SS_NO;
        }
        const Job job(w, machine_of(bandwidth), SS_COST_CALIBRATED),
            before(shorter, machine_of(bandwidth), SS_COST_CALIBRATED);
        const Waits waits = {ops_s(job, SS_OP_AHEAD), ops_s(job, SS_OP_BEHIND)};
        EXPECT_EQ(waits.before_s > 0.0, sharding == SS_SHARDING_PARAMETERS);
        EXPECT_GT(waits.behind_s, 0.0);
        const ss_breakdown closed = ss_estimate_time(job.get()), replay = apart(job);
        expect_close(closed.iteration_s - ss_estimate_time(before.get()).iteration_s, pair_s(job, waits), 1e-9);
        expect_close(replay.iteration_s, closed.iteration_s, 1e-9);
        expect_close(replay.dp_comm_s, closed.dp_comm_s, 1e-9);
        expect_close(replay.ep_comm_s, closed.ep_comm_s, 1e-9);
      }
}

/* The same of weights that each pass reads from the second tier when it comes to them. */
TEST(Pairs, WaitForTheSecondTier)
{
  ss_workload w = expert_workload(1, 5, SS_EP_OVERLAP_PAIRED), shorter = expert_workload(1, 4, SS_EP_OVERLAP_PAIRED);
  ss_machine machine = machine_of(20e9);
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 5e9;
  for (ss_workload *one : {&w, &shorter}) {
    one->training.offload_weights = SS_YES;
    one->schedule.prefetch = 0;
  }
  const Job job(w, machine, SS_COST_CALIBRATED), before(shorter, machine, SS_COST_CALIBRATED);
  const double read_s = job->offload.read_bytes[SS_BLOCK_EXPERT][SS_PASS_FORWARD] / machine.offload_bytes_per_s;
  const ss_breakdown closed = ss_estimate_time(job.get()), replay = apart(job);
  expect_close(closed.iteration_s - ss_estimate_time(before.get()).iteration_s, pair_s(job, {read_s, 0.0}), 1e-9);
  expect_close(replay.iteration_s, closed.iteration_s, 1e-9);
  expect_close(replay.offload_s, closed.offload_s, 1e-9);
}

/* Where weights are gathered ahead of a pair, in the order of its turns, nothing shows with enough bandwidth but what
 * the first forward pass waits for, and the gradients of the last backward pass. */
TEST(Pairs, HideWhatTheyGather)
{
  ss_workload w = expert_workload(4, 6, SS_EP_OVERLAP_PAIRED);
  const Job plain(w, machine_of(300e9), SS_COST_CALIBRATED, own_links());
  w.parallelism.sharding = SS_SHARDING_PARAMETERS;
  w.schedule.overlap_dp = SS_YES;
  w.schedule.prefetch = 2;
  const Job job(w, machine_of(300e9), SS_COST_CALIBRATED, own_links());
  const ss_breakdown closed = ss_estimate_time(job.get()), replay = apart(job);
  expect_close(replay.iteration_s, closed.iteration_s, 1e-9);
  expect_close(closed.ep_comm_s, ss_estimate_time(plain.get()).ep_comm_s, 1e-9);
  expect_close(closed.dp_comm_s, ops_s(job, SS_OP_AHEAD) + ops_s(job, SS_OP_BEHIND), 1e-9);
}

/* Backward goes first. A layer without experts ends no turn: forward through dense, expert and expert layer begins two
 * blocks in its first turn, and then each pass one in every other turn. */
TEST(Pairs, OrderOfBlocks)
{
  ss_workload w = expert_workload(3, 4, SS_EP_OVERLAP_PAIRED);
  w.model.dense_layers = 1;
  w.model.ffn = 4096;
  const Job job(w, make_machine({}), SS_COST_CALIBRATED);
  ss_pair_order order = ss_pair_order_start(job.get(), {0, 0}, {0, 0});
  std::string text;
  while (ss_pair_order_next_block(job.get(), &order))
    text += (order.at == 0 ? "b" : "f") + std::to_string(order.lane[order.at].begun - 1) + " ";
  EXPECT_EQ(text, "b0 f0 f1 b1 f2 b2 ");
}

/* Each step of it: one layer of experts. */
TEST(Pairs, OrderOfSteps)
{
  const Job job(expert_workload(1, 4, SS_EP_OVERLAP_PAIRED), make_machine({}), SS_COST_CALIBRATED);
  ss_pair_order order = ss_pair_order_start(job.get(), {0, 0}, {0, 0});
  const char *const steps[] = {"(", "x", ")", "."};
  std::string text;
  for (ss_pair_step step; (step = ss_pair_order_next(job.get(), &order)) != SS_PAIR_OVER;)
    text += std::string(order.at == 0 ? " b" : " f") + steps[step];
  EXPECT_EQ(text, " b( bx f( fx bx fx b) b. f) f.");
}

/* Kernels that are longer than the exchanges beside them lose a share of each exchange of a pair. */
TEST(Pairs, ExchangesTakeAShareOfTheGpu)
{
  const int m = 5;
  const double share = 0.55, bandwidth = 1e12;
  ss_machine machine = machine_of(bandwidth);
  machine.nvlink_compute_cost = 0.15;
  machine.exchange_compute_cost = share;
  const ss_workload workload = expert_workload(1, m, SS_EP_OVERLAP_PAIRED);
  const Job job(workload, machine, SS_COST_CALIBRATED), free(workload, machine_of(bandwidth), SS_COST_CALIBRATED);
  double exchanges_s = 0.0;
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    exchanges_s += job->pass[SS_BLOCK_EXPERT][pass].comm_s[SS_GROUP_EXPERT];
  const double closed_s = ss_estimate_time(job.get()).iteration_s, free_s = ss_estimate_time(free.get()).iteration_s;
  expect_close(closed_s - free_s, (m - 1) * share * exchanges_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, closed_s, 1e-9);
}

/* Of two micro-batches in a pair, one block of both is there: the block that forward begins with keeps its part before
 * the last block, which keeps as much, lets go of it. */
TEST(Pairs, HoldOneBlockMore)
{
  const int layers = 4;
  const Job paired(expert_workload(layers, 8, SS_EP_OVERLAP_PAIRED), make_machine({}), SS_COST_CALIBRATED);
  const Job alone(expert_workload(layers, 8, SS_EP_OVERLAP_NONE), make_machine({}), SS_COST_CALIBRATED);
  const double more_bytes = ss_estimate_stage_memory(paired.get(), 0).activations_bytes -
                            ss_estimate_stage_memory(alone.get(), 0).activations_bytes;
  expect_close(more_bytes, paired->block[SS_BLOCK_EXPERT].stored_bytes, 1e-9);
}

/* Both passes of a pair are in a layer whose weights are gathered, and have the next one; gradients are those of
 * backward alone. Of what goes to the second tier, that of both layers is there. */
TEST(Pairs, HoldTwoGatheredLayers)
{
  ss_memory memory[2];
  for (const bool pairs : {false, true}) {
    ss_workload w = expert_workload(6, 8, pairs ? SS_EP_OVERLAP_PAIRED : SS_EP_OVERLAP_NONE);
    w.parallelism.sharding = SS_SHARDING_PARAMETERS;
    w.schedule.prefetch = 1;
    memory[pairs] = ss_estimate_stage_memory(Job(w, make_machine({}), SS_COST_CALIBRATED).get(), 0);
  }
  expect_close(memory[1].gathered_bytes, 2.0 * memory[0].gathered_bytes, 1e-9);
  expect_close(memory[1].unreduced_bytes, memory[0].unreduced_bytes, 1e-9);
  expect_close(memory[1].weights_bytes - memory[0].weights_bytes, memory[0].gathered_bytes, 1e-9);
}

/* Weight gradients that wait fill what exchanges leave: never slower, and faster where they are the longer part. */
TEST(Pairs, DelayedWeightsHideMore)
{
  for (const double bandwidth : {300e9, 20e9, 5e9}) {
    const Job paired(expert_workload(4, 8, SS_EP_OVERLAP_PAIRED), machine_of(bandwidth), SS_COST_CALIBRATED);
    const Job delayed(expert_workload(4, 8, SS_EP_OVERLAP_DELAYED), machine_of(bandwidth), SS_COST_CALIBRATED);
    EXPECT_LE(ss_estimate_time(delayed.get()).iteration_s, ss_estimate_time(paired.get()).iteration_s * (1 + 1e-9));
  }
}

/* One host launches both passes of a pair: where launches take longer than kernels and exchanges, a micro-batch takes
 * what the host takes for its two passes, in pairs and without. A capacity, so that the host never waits for sizes. */
TEST(Pairs, LastAsLongAsTheirLaunches)
{
  ss_machine machine = machine_of(1e12);
  machine.host_forward_s = 2e-3;
  machine.host_backward_s = 5e-3;
  machine.host_collective_s = 3e-3;
  for (const ss_ep_overlap overlap : {SS_EP_OVERLAP_NONE, SS_EP_OVERLAP_PAIRED, SS_EP_OVERLAP_DELAYED}) {
    ss_workload w = expert_workload(2, 6, overlap), shorter = expert_workload(2, 5, overlap);
    for (ss_workload *one : {&w, &shorter}) {
      one->training.host = SS_HOST_EAGER;
      one->training.capacity_factor = 1.0;
    }
    const Job job(w, machine, SS_COST_CALIBRATED), before(shorter, machine, SS_COST_CALIBRATED);
    const ss_launches *launches = job->launches[SS_BLOCK_EXPERT];
    const double more_s = 2 * (launches[SS_PASS_FORWARD].host_s + launches[SS_PASS_BACKWARD].host_s);
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay().breakdown;
    expect_close(closed.iteration_s - ss_estimate_time(before.get()).iteration_s, more_s, 1e-9);
    expect_close(replay.iteration_s, closed.iteration_s, 1e-9);
    expect_close(replay.host_s, closed.host_s, 1e-9);
  }
}

/* Without a capacity the host waits for the sizes of both forward exchanges of a pair, before the first of which the
 * GPU has run what backward and forward have launched. So little is launched ahead then that the pair is slower than
 * where all of it is a graph, and faster than where the host waits and nothing is hidden. */
TEST(Pairs, HostsWaitForSizes)
{
  ss_machine machine = machine_of(20e9);
  machine.host_forward_s = machine.host_backward_s = machine.host_collective_s = 2e-6;
  ss_workload w = expert_workload(4, 8, SS_EP_OVERLAP_PAIRED);
  const Job graphs(w, machine, SS_COST_CALIBRATED, own_links());
  w.training.host = SS_HOST_EAGER;
  const Job paired(w, machine, SS_COST_CALIBRATED, own_links());
  w.schedule.overlap_ep = SS_EP_OVERLAP_NONE;
  const Job alone(w, machine, SS_COST_CALIBRATED, own_links());
  const ss_breakdown closed = ss_estimate_time(paired.get());
  EXPECT_GT(closed.iteration_s, ss_estimate_time(graphs.get()).iteration_s);
  EXPECT_LT(closed.iteration_s, ss_estimate_time(alone.get()).iteration_s);
  EXPECT_GT(closed.host_s, 0.0);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(paired.replay(options).breakdown.iteration_s, closed.iteration_s, 1e-9);
}

/* Jobs whose passes run in pairs, and whose layers gather weights, reduce gradients or have a second memory tier in
 * every pass; half of them have a host. */
ss_workload moving_workload(std::mt19937 &random, int found)
{
  for (;;) {
    ss_workload w = random_workload(random);
    if (w.schedule.overlap_ep == SS_EP_OVERLAP_NONE) continue;
    w.parallelism.sharding = pick(random, {SS_SHARDING_NONE, SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS});
    w.parallelism.shard_size = pick(random, {SS_DERIVED, 2});
    w.training.offload_weights = random() % 4 == 0 ? SS_YES : SS_NO;
    w.training.offload_activations = random() % 4 == 0 ? SS_YES : SS_NO;
    w.schedule.prefetch = pick(random, {0, 1, 2, 5});
    const int64_t micro_batches = pick(random, {1, 2, 3, 12});
    w.training.global_batch *= micro_batches;
    if (found % 2 == 1) randomise_host(random, w);
    if (ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* Both play what blocks wait for and leave behind in the order of turns. Where exchanges or collectives beside kernels
 * slow them, the closed form spreads these evenly. */
TEST(Pairs, ThatMoveDataAreTheReplay)
{
  std::mt19937 random(32 + seed);
  int gathers = 0, reduces = 0, copies = 0, weights = 0, activations = 0;
  for (int found = 0; found < 80;) {
    const ss_workload workload = moving_workload(random, found);
    SCOPED_TRACE(testing::Message() << "case " << found);
    const bool slows = found % 5 == 0;
    ss_machine machine = random_machine(random, slows);
    machine.exchange_compute_cost = slows ? 0.3 : 0.0;
    machine.host_forward_s = pick(random, {5e-6, 50e-6, 500e-6});
    const Job job(workload, machine, SS_COST_CALIBRATED, own_links());
    if (!groups_lie_alike(job) || !ss_job_moves_each_pass(job.get())) continue;
    ++found;
    gathers += job->data.gathers_each_pass;
    reduces += job->data.reduces_each_pass && !job->data.gathers_each_pass;
    copies += job->placement.copies > 1;
    weights += workload.training.offload_weights == SS_YES;
    activations += job->offload.activations;
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(options).breakdown;
    expect_close(closed.iteration_s, replay.iteration_s, slows ? 0.05 : 1e-9);
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
    expect_adds_up(closed);
    expect_adds_up(replay);
  }
  for (const int drawn : {gathers, reduces, copies, weights, activations}) EXPECT_GT(drawn, 8);
}

/* On the network, one replica stands for all that do the same. */
TEST(Pairs, ThatMoveDataFold)
{
  std::mt19937 random(33 + seed);
  for (int i = 0; i < 20; ++i) {
    const ss_workload workload = moving_workload(random, i);
    SCOPED_TRACE(testing::Message() << "case " << i);
    const Job job(workload, random_machine(random, coin(random)), SS_COST_CALIBRATED, own_links());
    ss_replay_options options = {};
    const ss_replay_result folded = job.replay(options);
    options.fold = SS_FOLD_NONE;
    const ss_replay_result unfolded = job.replay(options);
    expect_adds_up(folded.breakdown);
    EXPECT_EQ(folded.flows, unfolded.flows);
    const double apart = std::abs(folded.breakdown.iteration_s / unfolded.breakdown.iteration_s - 1);
    if (apart > 1e-9) {
      EXPECT_LE(apart, rounding_of(job, options.flows));
    }
  }
}

/* Interleaved and eager 1F1B: the passes that follow one another are pairs, which wait for both messages. Closed form
 * and replay are the same where nobody shares links, whatever else a job does; half of them have a host. Where
 * exchanges slow kernels, the closed form spreads the collectives between these evenly. */
TEST(Pairs, ClosedFormIsTheReplay)
{
  std::mt19937 random(31 + seed);
  for (int i = 0, found = 0; found < 120; ++i) {
    ss_workload workload = random_workload(random);
    if (workload.schedule.overlap_ep == SS_EP_OVERLAP_NONE) continue;
    if (found % 2 == 1) randomise_host(random, workload);
    if (ss_workload_check(&workload, nullptr) != SS_OK) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_machine machine = random_machine(random);
    machine.exchange_compute_cost = found % 3 == 0 ? 0.55 : 0.0;
    machine.host_forward_s = pick(random, {5e-6, 50e-6, 500e-6});
    const Job job(workload, machine, SS_COST_CALIBRATED, own_links());
    if (!groups_lie_alike(job)) continue;
    ++found;
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(options).breakdown;
    expect_close(closed.iteration_s, replay.iteration_s, machine.exchange_compute_cost > 0.0 ? 0.02 : 1e-9);
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
  }
}
