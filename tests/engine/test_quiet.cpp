/* Quiet passes, beside which nothing moves on NVLink (sim/engine/setup/quiet.h): they are what events come to. */
#include "tests/support/quiet_jobs.hpp"

extern "C" {
#include "sim/engine/core/legs.h"
}

using namespace stepsim;

namespace
{

void expect_same_links(const ss_busy_links &a, const ss_busy_links &b)
{
  ASSERT_EQ(a.count, b.count);
  for (int64_t i = 0; i < a.count; ++i) {
    EXPECT_STREQ(a.link[i].name, b.link[i].name);
    EXPECT_EQ(a.link[i].alike, b.link[i].alike);
    expect_close(a.link[i].bytes, b.link[i].bytes, 1e-12);
    expect_close(a.link[i].peak, b.link[i].peak, 1e-9);
  }
}

} // namespace

/* Passes of all replicas may be quiet, with runs of their own, but with all flows on the network. */
TEST(Quiet, IsFound)
{
  const Job job = two_domains(2, 0.2);
  for (const ss_flow_mode flows : {SS_FLOWS_SHARED, SS_FLOWS_ALL}) {
    const World world(job, unfolded(flows));
    EXPECT_FALSE(world->settled.whole_passes);
    EXPECT_EQ(world->legs.count > 0, flows == SS_FLOWS_SHARED);
    for (int64_t i = 0; i < world->replica_count; ++i)
      EXPECT_EQ(world->replica[i].may_be_quiet, flows == SS_FLOWS_SHARED);
  }
}

/* Kernels with collectives beside them are part of quiet runs, up to whole passes. */
TEST(Quiet, HasKernelsBesideCollectives)
{
  const Job job = two_domains(2, 0.2, SS_TP_OVERLAP_BACKWARD);
  const World world(job, unfolded(SS_FLOWS_SHARED));
  EXPECT_TRUE(world->quiet[SS_QUIET_MEETS].whole_passes);
  int64_t kernels = 0, joins = 0;
  for (int64_t i = 0; i < world->legs.count; ++i) {
    kernels += (world->legs.leg[i].beside & SS_LEG_KERNEL) != 0;
    joins += (world->legs.leg[i].beside & SS_LEG_JOINS) != 0;
  }
  EXPECT_GT(kernels, 0);
  EXPECT_EQ(joins, kernels);
}

/* On private links, too, where collectives take their computed times and data-parallel ones slow kernels down. */
TEST(Quiet, IsFoundOnPrivateLinks)
{
  ss_replay_options options = {};
  options.private_links = true;
  const Job job = two_domains(2, 0.2, SS_TP_OVERLAP_BACKWARD);
  const World world(job, options);
  EXPECT_FALSE(world->settled.whole_passes);
  EXPECT_TRUE(world->quiet[SS_QUIET_MEETS].whole_passes);
  for (int64_t i = 0; i < world->replica_count; ++i) EXPECT_TRUE(world->replica[i].may_be_quiet);
}

/* With all flows on the network, no pass is quiet. Times are the same to the last bit; sums of parts are rounded
 * otherwise. */
TEST(Quiet, IsWhatEventsComeTo)
{
  for (int micro_batches : {1, 2, 8})
    for (int kind = 0; kind < 4; ++kind) {
      const double cost = kind % 2 == 0 ? 0.0 : 0.2;
      const ss_tp_overlap overlap = kind >= 2 ? SS_TP_OVERLAP_BACKWARD : SS_TP_OVERLAP_NONE;
      SCOPED_TRACE(testing::Message() << micro_batches << " micro-batches, cost " << cost << ", overlap-tp "
                                      << overlap);
      const Job job = two_domains(micro_batches, cost, overlap);
      const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
      EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
      EXPECT_EQ(quiet.flows, events.flows);
      expect_close(quiet.nvlink_bytes, events.nvlink_bytes, 1e-12);
      expect_close(quiet.breakdown.tp_comm_s, events.breakdown.tp_comm_s, 1e-12);
      expect_close(quiet.breakdown.compute_s, events.breakdown.compute_s, 1e-12);
      expect_close(quiet.exposed.latency_s, events.exposed.latency_s, 1e-9);
      expect_close(quiet.exposed.bandwidth_s, events.exposed.bandwidth_s, 1e-9);
      expect_same_links(quiet.links, events.links);
    }
}

/* Experts on both ranks of a replica, which waits for no other in its exchanges. */
TEST(Quiet, HasExchangesInsideReplicas)
{
  for (int micro_batches : {1, 2, 8}) {
    const Job job = with_experts(micro_batches, 2);
    const World world(job, unfolded(SS_FLOWS_SHARED));
    EXPECT_TRUE(world->quiet[SS_QUIET_ALONE].whole_passes);
    for (int64_t i = 0; i < world->replica_count; ++i) EXPECT_EQ(world->replica[i].quiet, SS_QUIET_ALONE);
    const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
    EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
    EXPECT_EQ(quiet.flows, events.flows);
    expect_close(quiet.nvlink_bytes, events.nvlink_bytes, 1e-12);
    expect_close(quiet.breakdown.ep_comm_s, events.breakdown.ep_comm_s, 1e-12);
    expect_close(quiet.exposed.latency_s, events.exposed.latency_s, 1e-9);
    expect_close(quiet.exposed.bandwidth_s, events.exposed.bandwidth_s, 1e-9);
    expect_same_links(quiet.links, events.links);
  }
}

/* Experts on all ranks of a stage: its replicas wait for one another, but for one where that stands for all. */
TEST(Quiet, HasExchangesOfReplicasThatFold)
{
  const Job job = with_experts(4, 8);
  const World each(job, unfolded(SS_FLOWS_SHARED)), one(job, {});
  for (int64_t i = 0; i < each->replica_count; ++i) EXPECT_EQ(each->replica[i].quiet, SS_QUIET_MEETS);
  EXPECT_FALSE(each->quiet[SS_QUIET_MEETS].whole_passes);
  EXPECT_EQ(one->replicas_left, 2);
  EXPECT_TRUE(one->quiet[SS_QUIET_ALONE].whole_passes);
  const ss_replay_result folded = replay(job, SS_FLOWS_SHARED, SS_FOLD_AUTO), all = replay(job, SS_FLOWS_SHARED);
  expect_close(folded.breakdown.iteration_s, all.breakdown.iteration_s, 1e-12);
  expect_close(folded.breakdown.ep_comm_s, all.breakdown.ep_comm_s, 1e-12);
  EXPECT_EQ(folded.flows, all.flows);
  expect_close(folded.nvlink_bytes, all.nvlink_bytes, 1e-12);
  expect_same_links(folded.links, all.links);
}

/* Replicas that wait for one another in the first exchange of a pass go through the rest of it side by side, also where
 * messages through a slow NIC let the second one be late, for which the first one waits then. */
TEST(Quiet, GoesOnTogetherFromAMeeting)
{
  for (const char *link_speed : {"", "nic-2:0.1"})
    for (int ep : {4, 8}) {
      SCOPED_TRACE(testing::Message() << ep << " ranks, slow: " << link_speed);
      const Job job = with_experts(3, ep, link_speed);
      const World world(job, unfolded(SS_FLOWS_SHARED));
      const ss_quiet_rest *rest = &world->stage[0].quiet_rest[SS_PASS_FORWARD];
      EXPECT_GT(rest->run.legs, 0);
      EXPECT_EQ(rest->position, 0);
      EXPECT_TRUE(world->quiet[SS_QUIET_MEETS]
                      .list[ss_job_block_kind(job.get(), {0, 0}, 0)][SS_PASS_FORWARD]
                      .step[rest->step]
                      .live);
      const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
      EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
      EXPECT_EQ(quiet.flows, events.flows);
      expect_close(quiet.nvlink_bytes, events.nvlink_bytes, 1e-12);
      expect_close(quiet.breakdown.ep_comm_s, events.breakdown.ep_comm_s, 1e-12);
      expect_close(quiet.breakdown.bubble_s, events.breakdown.bubble_s, 1e-12);
      expect_close(quiet.exposed.latency_s, events.exposed.latency_s, 1e-9);
      expect_close(quiet.exposed.bandwidth_s, events.exposed.bandwidth_s, 1e-9);
      expect_close(quiet.path.calls_s, events.path.calls_s, 1e-9);
      expect_close(quiet.path.compute_s, events.path.compute_s, 1e-9);
      expect_same_links(quiet.links, events.links);
    }
  const Job even = with_experts(3, 4), late = with_experts(3, 4, "nic-2:0.1");
  EXPECT_GT(replay(late, SS_FLOWS_SHARED).breakdown.iteration_s, replay(even, SS_FLOWS_SHARED).breakdown.iteration_s);
}

/* Where all of a stage agree on scales in each pass, nobody goes on from a meeting of some of them. */
TEST(Quiet, GoesOnAloneWhereAllAgreeOnScales)
{
  ss_workload w = workload_of_domains(3);
  w.model.experts = 8;
  w.model.top_k = 2;
  w.model.expert_ffn = 4096;
  w.parallelism.ep = 4;
  w.parallelism.etp = 1;
  w.training.precision = SS_PRECISION_FP8;
  const Job job = on_domains(w, 16, 8, 0.2, 300e9, "nic-2:0.1");
  ASSERT_TRUE(job->layout.agrees_on_scales);
  const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
  EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
}

/* Two pieces of attention: keys and values come beside the first; where gradients are summed up apart, they leave
 * beside the second, and behind it. Three or more do not wait for each other. */
TEST(Quiet, HasKernelsInTwoPieces)
{
  for (const ss_cp_sums sums : {SS_CP_SUMS_KERNEL, SS_CP_SUMS_FP32})
    for (double cost : {0.0, 0.2})
      for (int cp : {2, 4}) {
        ss_workload w = workload_of_domains(2);
        w.parallelism.tp = 1;
        w.parallelism.cp = cp;
        w.parallelism.dp = 8 / cp;
        w.parallelism.cp_sums = sums;
        w.schedule.overlap_cp = SS_YES;
        const Job job = on_domains(w, 16, 8, cost);
        const World world(job, unfolded(SS_FLOWS_SHARED));
        EXPECT_EQ(world->quiet[SS_QUIET_MEETS].whole_passes, cp == 2);
        const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
        EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
        EXPECT_EQ(quiet.flows, events.flows);
        expect_close(quiet.breakdown.cp_comm_s, events.breakdown.cp_comm_s, 1e-12);
        expect_close(quiet.breakdown.compute_s, events.breakdown.compute_s, 1e-12);
        expect_same_links(quiet.links, events.links);
      }
}

/* The same on private links, where collectives take their computed times. */
TEST(Quiet, IsWhatEventsComeToOnPrivateLinks)
{
  for (const ss_tp_overlap overlap : {SS_TP_OVERLAP_NONE, SS_TP_OVERLAP_BACKWARD}) {
    const Job job = two_domains(3, 0.2, overlap);
    ss_replay_options options = unfolded(SS_FLOWS_SHARED);
    options.private_links = true;
    const ss_replay_result quiet = job.replay(options);
    options.flows = SS_FLOWS_ALL;
    const ss_replay_result events = job.replay(options);
    EXPECT_EQ(quiet.breakdown.iteration_s, events.breakdown.iteration_s);
    expect_close(quiet.breakdown.tp_comm_s, events.breakdown.tp_comm_s, 1e-12);
    expect_close(quiet.breakdown.compute_s, events.breakdown.compute_s, 1e-12);
  }
}

/* Exchanges take longer in groups across domains, which have quiet passes of their own. Unfolded, replicas wait for one
 * another in them. */
TEST(Quiet, HasExchangesOfGroupsThatDifferOnPrivateLinks)
{
  const Job job = with_experts_across(3);
  ss_replay_options folds = {};
  folds.private_links = true;
  const World world(job, folds);
  int64_t of_quiet[SS_QUIETS] = {};
  for (int64_t i = 0; i < world->replica_count; ++i) of_quiet[world->replica[i].quiet]++;
  EXPECT_EQ(of_quiet[SS_QUIET_ALONE], 8);
  EXPECT_EQ(of_quiet[SS_QUIET_ALONE + 1], 4);
  EXPECT_TRUE(world->quiet[SS_QUIET_ALONE].whole_passes && world->quiet[SS_QUIET_ALONE + 1].whole_passes);
  ss_replay_options whole = unfolded(SS_FLOWS_SHARED);
  whole.private_links = true;
  const ss_replay_result folded = job.replay(folds), all = job.replay(whole);
  expect_close(folded.breakdown.iteration_s, all.breakdown.iteration_s, 1e-12);
  expect_close(folded.breakdown.ep_comm_s, all.breakdown.ep_comm_s, 1e-12);
  expect_close(folded.breakdown.compute_s, all.breakdown.compute_s, 1e-12);
}

/* NVLink as fast as lets the last flow beside each kernel end when that does, and faster and slower by less and by more
 * than what counts as simultaneous. */
TEST(Quiet, IsWhatEventsComeToWhereAllEndsAtOnce)
{
  const Job usual = two_domains(2, 0.2, SS_TP_OVERLAP_BACKWARD);
  const World world(usual, unfolded(SS_FLOWS_SHARED));
  int kernels = 0;
  for (int64_t first = 0; first < world->legs.count && kernels < 4; ++first) {
    const ss_leg *leg = &world->legs.leg[first];
    if ((leg->beside & SS_LEG_KERNEL) == 0) continue;
    const double end_s = leg->kernel_s / leg->rate;
    double flows_s = 0, start_up_s = 0;
    do (leg->bytes > 0 ? flows_s : start_up_s) += leg->time_s;
    while ((leg++->beside & SS_LEG_JOINS) == 0);
    for (double off : {0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-9, -1e-9}) {
      SCOPED_TRACE(testing::Message() << "leg " << first << ", faster by " << off);
      const double bytes_per_s = 300e9 * flows_s / (end_s - start_up_s) * (1 + off);
      const Job job = two_domains(2, 0.2, SS_TP_OVERLAP_BACKWARD, bytes_per_s);
      const ss_replay_result quiet = replay(job, SS_FLOWS_SHARED), events = replay(job, SS_FLOWS_ALL);
      expect_close(quiet.breakdown.iteration_s, events.breakdown.iteration_s, std::fabs(off) < 1e-9 ? 0 : 1e-11);
      expect_close(quiet.breakdown.tp_comm_s, events.breakdown.tp_comm_s, 1e-9);
    }
    ++kernels;
  }
  EXPECT_EQ(kernels, 4);
}

/* A kernel of 10 s has half of its GPU beside a collective of 1 + 3 s and four fifths beside one of 5 s after that: 2
 * and 4 s of it are done in 9 s, the rest takes 4 s alone. What comes next takes 1 s more. */
TEST(Quiet, GoesThroughCollectivesBesideOneKernel)
{
  const ss_leg leg[] = {{1, 0, 10, 0.5, SS_LEG_BESIDE | SS_LEG_KERNEL | SS_LEG_CALL_BEGINS, {}},
                        {3, 7, 0, 0, SS_LEG_BESIDE | SS_LEG_CALL_ENDS, {}},
                        {5, 0, 0, 0.8, SS_LEG_BESIDE | SS_LEG_CALL_BEGINS | SS_LEG_CALL_ENDS | SS_LEG_JOINS, {}},
                        {1, 0, 0, 0, 0, {}}};
  ss_leg_walk walk = {};
  walk.tie_s = 1e-12;
  for (const ss_leg &next : leg) ss_leg_walk_go(&walk, &next);
  EXPECT_DOUBLE_EQ(walk.time_s, 14);
  EXPECT_DOUBLE_EQ(walk.slowed_s, 3);
}

/* Each stands for those that it is folded with. */
TEST(Quiet, StandsForOthers)
{
  const Job job = two_domains(4, 0.2);
  const ss_replay_result folded = replay(job, SS_FLOWS_SHARED, SS_FOLD_AUTO), all = replay(job, SS_FLOWS_SHARED);
  EXPECT_LT(folded.simulated_stage_replicas, all.simulated_stage_replicas);
  expect_close(folded.breakdown.iteration_s, all.breakdown.iteration_s, 1e-12);
  EXPECT_EQ(folded.flows, all.flows);
  expect_close(folded.nvlink_bytes, all.nvlink_bytes, 1e-12);
}
