/* Replays of expert layers whose ranks are numbered otherwise than those of attention (parallel folding). */
#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* `tp` * `cp` * `dp` ranks in one stage, that reduce after everything else. */
ss_workload experts_on(int tp, int cp, int dp, int etp, int ep)
{
  ss_workload w = make_workload();
  w.model.experts = 8;
  w.model.expert_ffn = 4096;
  w.model.top_k = 2;
  w.parallelism.tp = tp;
  w.parallelism.cp = cp;
  w.parallelism.dp = dp;
  w.parallelism.etp = etp;
  w.parallelism.ep = ep;
  w.training.global_batch = dp;
  w.parallelism.sharding = SS_SHARDING_NONE;
  w.schedule.overlap_dp = SS_NO;
  return w;
}

} // namespace

/* Wherever the groups of experts lie, inside replicas and across, closed form and replay on private links agree, and
 * flows take their computed time: nothing else moves. */
TEST(Folding, ReplayIsTheClosedForm)
{
  for (int tp : {1, 2, 4})
    for (int etp : {1, 2, 4})
      for (int ep : {2, 4, 8})
        for (ss_expert_groups groups : {SS_EXPERTS_INSIDE, SS_EXPERTS_ACROSS}) {
          ss_workload w = experts_on(tp, 2, 8 / tp, etp, ep);
          w.parallelism.expert_groups = groups;
          if (etp * ep > 16) continue;
          SCOPED_TRACE(testing::Message() << "tp " << tp << ", etp " << etp << ", ep " << ep << ", groups " << groups);
          const Job job(w, make_machine({}), SS_COST_CALIBRATED);
          ss_replay_options alone = {};
          alone.private_links = true;
          const ss_breakdown computed = job.replay(alone).breakdown, flows = job.replay_all_flows().breakdown;
          const ss_breakdown closed = ss_estimate_time(job.get());
          expect_close(computed.iteration_s, closed.iteration_s, 1e-9);
          expect_close(computed.ep_comm_s, closed.ep_comm_s, 1e-9);
          expect_close(flows.ep_comm_s, closed.ep_comm_s, 1e-6);
        }
}

/* A token once to each domain: flows, too, take what the closed form says, over one domain, several, and one GPU each.
 */
TEST(Dispatch, FlowsTakeTheirComputedTime)
{
  for (int domain : {1, 2, 4, 8})
    for (int limit : {0, 1, 2}) {
      PlatformSpec spec;
      spec.domain = spec.nics = domain;
      ss_workload w = experts_on(1, 1, 8, 1, 8);
      w.model.routed_domains = limit;
      w.schedule.dispatch = SS_DISPATCH_ONCE;
      SCOPED_TRACE(testing::Message() << "domain " << domain << ", limit " << limit);
      const Job job(w, make_machine(spec), SS_COST_CALIBRATED);
      const double closed_s = ss_estimate_time(job.get()).ep_comm_s;
      EXPECT_GT(closed_s, 0);
      expect_close(job.replay_all_flows().breakdown.ep_comm_s, closed_s, 1e-6);
    }
}

/* tp 2 and dp 4 on a domain of eight, ep 8 with etp 1: a rank has l / 2 = 256 tokens, sends 512 rows of 1024 x 2 bytes,
 * of which 1/8 stays. Four all-to-alls in each of 8 layers over NVLink of 100 GB/s at 80 %, with seven start-ups. */
TEST(Folding, AllToAllByHand)
{
  PlatformSpec spec;
  spec.gpus = spec.domain = spec.nics = 8;
  const Job job(experts_on(2, 1, 4, 1, 8), make_machine(spec), SS_COST_CALIBRATED);
  const ss_network &network = job->network;
  const double rows = 2.0 * (double)job->workload->model.sequence / 2, e = (double)job->workload->model.hidden;
  const double exchange_s = 7 * network.nvlink_latency_s + 7.0 / 8 * rows * e * 2 / network.nvlink_bytes_per_s;
  expect_close(ss_estimate_time(job.get()).ep_comm_s, 8 * 4 * exchange_s, 1e-9);
  expect_close(job.replay_all_flows().breakdown.ep_comm_s, 8 * 4 * exchange_s, 1e-6);
}

/* Replicas of two ranks and groups of experts of four: two replicas wait for each other, the other two for each other;
 * with groups inside a replica, none waits. */
TEST(Folding, ReplicasThatMeetWait)
{
  for (const auto &[tp, ep] : {std::pair{2, 4}, std::pair{4, 4}}) {
    ss_workload w = experts_on(tp, 1, 4, 1, ep);
    const Job job(w, make_machine({}), SS_COST_CALIBRATED);
    ss_replay_options unfolded = {};
    unfolded.fold = SS_FOLD_NONE;
    const ss_replay_result all = job.replay(unfolded), folded = job.replay({});
    expect_close(all.breakdown.iteration_s, folded.breakdown.iteration_s, 1e-9);
  }
}
