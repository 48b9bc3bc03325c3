/* Passes that run in pairs: exchanges between experts beside the kernels of the other direction (schedule.overlap-ep).
 */
#include "tests/support/alike.hpp"
#include "tests/support/random_parts.hpp"

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

/* A layer whose passes are cut in three by two exchanges B and F, late weight gradients w: b1, then w1 and f1 beside
 * B1; b2 and w2 beside F1, where f2 waits for that; B2 when b2 and F1 are over; b3 when f2 and B2 are, beside F2; f3.
 */
double pair_s(const Job &job)
{
  const ss_pass_cuts &b = job->cuts[SS_BLOCK_EXPERT][SS_PASS_BACKWARD],
                     &f = job->cuts[SS_BLOCK_EXPERT][SS_PASS_FORWARD];
  EXPECT_EQ(b.count, 2);
  EXPECT_EQ(f.count, 2);
  const double first_s =
      b.cut[0].before.time_s + std::max(b.cut[0].late.time_s + f.cut[0].before.time_s, b.cut[0].exchange_s);
  const double b2_s = first_s + b.cut[1].before.time_s, sent_s = first_s + f.cut[0].exchange_s;
  const double f2_s = std::max(b2_s + b.cut[1].late.time_s, sent_s) + f.cut[1].before.time_s;
  const double third_s = std::max(f2_s, std::max(b2_s, sent_s) + b.cut[1].exchange_s);
  return third_s + std::max(b.rest.time_s, f.cut[1].exchange_s) + f.rest.time_s;
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
  const Job graphs(w, machine, SS_COST_CALIBRATED);
  w.training.host = SS_HOST_EAGER;
  const Job paired(w, machine, SS_COST_CALIBRATED);
  w.schedule.overlap_ep = SS_EP_OVERLAP_NONE;
  const Job alone(w, machine, SS_COST_CALIBRATED);
  const ss_breakdown closed = ss_estimate_time(paired.get());
  EXPECT_GT(closed.iteration_s, ss_estimate_time(graphs.get()).iteration_s);
  EXPECT_LT(closed.iteration_s, ss_estimate_time(alone.get()).iteration_s);
  EXPECT_GT(closed.host_s, 0.0);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(paired.replay(options).breakdown.iteration_s, closed.iteration_s, 1e-9);
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
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_machine machine = random_machine(random);
    machine.exchange_compute_cost = found % 3 == 0 ? 0.55 : 0.0;
    machine.host_forward_s = pick(random, {5e-6, 50e-6, 500e-6});
    const Job job(workload, machine, SS_COST_CALIBRATED);
    if (!groups_lie_alike(job)) continue;
    ++found;
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(options).breakdown;
    expect_close(closed.iteration_s, replay.iteration_s, machine.exchange_compute_cost > 0.0 ? 0.02 : 1e-9);
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
  }
}
