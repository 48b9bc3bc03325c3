/* A collective by itself, as measurements of it are predicted: against the ring formulas of arXiv 2410.00273. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/measured/collective_job.h"
}

using namespace stepsim;

namespace
{

/* Closed form and replay, which are to be the same: nothing else is on the links. */
double predict_s(const ss_machine &machine, const ss_collective_case &collective)
{
  static ss_collective_job single;
  ss_error error = {};
  EXPECT_EQ(ss_collective_job_init(&single, &collective, &machine, SS_COST_CALIBRATED, &error), SS_OK) << error.message;
  const double estimate_s = ss_collective_job_estimate_s(&single);
  for (const ss_flow_mode flows : {SS_FLOWS_SHARED, SS_FLOWS_ALL, SS_FLOWS_SIMULATED}) {
    ss_replay_options options = {};
    ss_replay_result result;
    options.flows = flows;
    EXPECT_EQ(ss_replay(&single.job, &options, &result, &error), SS_OK) << error.message;
    expect_close(result.breakdown.dp_comm_s, estimate_s, 1e-9);
  }
  ss_collective_job_free(&single);
  return estimate_s;
}

std::string refusal_of(const ss_machine &machine, const ss_collective_case &collective)
{
  static ss_collective_job single;
  ss_error error = {};
  EXPECT_EQ(ss_collective_job_init(&single, &collective, &machine, SS_COST_CALIBRATED, &error), SS_ERROR_INPUT);
  ss_collective_job_free(&single);
  return error.message;
}

constexpr double kBytes = 1 << 30, kFast = 0.7 * 300e9, kSlow = 0.7 * 25e9;

} // namespace

/* Four nodes of four GPUs with a NIC each. Inside one node: 3 steps of 2.5 us, 3/4 of the volume over NVLink. */
TEST(CollectiveJob, InsideANode)
{
  const ss_machine machine = make_machine({});
  const double gather_s = 3 * 2.5e-6 + 0.75 * kBytes / kFast;
  expect_close(predict_s(machine, {SS_ALL_GATHER, 1, 4, kBytes}), gather_s, 1e-9);
  expect_close(predict_s(machine, {SS_REDUCE_SCATTER, 1, 4, kBytes}), gather_s, 1e-9);
}

/* One GPU of each of three nodes: 2 steps of 5 us, 2/3 of the volume through one NIC. */
TEST(CollectiveJob, OneGpuPerNode)
{
  const ss_machine machine = make_machine({});
  expect_close(predict_s(machine, {SS_ALL_GATHER, 3, 1, kBytes}), 2 * 5e-6 + 2.0 / 3 * kBytes / kSlow, 1e-9);
}

/* Two GPUs of each of two nodes: a step between the nodes, two inside, and 3/4 of the volume through two NICs; twice of
 * it for an all-reduce. */
TEST(CollectiveJob, SomeGpusOfEachNode)
{
  const ss_machine machine = make_machine({});
  const double steps_s = 5e-6 + 2 * 2.5e-6, share_s = kBytes / (2 * kSlow);
  expect_close(predict_s(machine, {SS_REDUCE_SCATTER, 2, 2, kBytes}), steps_s + 0.75 * share_s, 1e-9);
  expect_close(predict_s(machine, {SS_ALL_REDUCE, 2, 2, kBytes}), steps_s + 1.5 * share_s, 1e-9);
}

/* Messages to all others at once. Inside a node: 3 starts, 3/4 of what a rank has over NVLink. Two GPUs of each of two
 * nodes: a start inside and two across, and half of what each of the two has leaves through two NICs. */
TEST(CollectiveJob, AllToAll)
{
  const ss_machine machine = make_machine({});
  expect_close(predict_s(machine, {SS_ALL_TO_ALL, 1, 4, kBytes}), 3 * 2.5e-6 + 0.75 * kBytes / kFast, 1e-9);
  expect_close(predict_s(machine, {SS_ALL_TO_ALL, 2, 2, kBytes}), 2 * 5e-6 + 2.5e-6 + 0.5 * kBytes / kSlow, 1e-9);
}

/* All of the volume goes around a ring once, in n - 1 steps. */
TEST(CollectiveJob, BroadcastAndReduce)
{
  const ss_machine machine = make_machine({});
  for (const ss_collective kind : {SS_BROADCAST, SS_REDUCE}) {
    expect_close(predict_s(machine, {kind, 1, 4, kBytes}), 3 * 2.5e-6 + kBytes / kFast, 1e-9);
    expect_close(predict_s(machine, {kind, 3, 1, kBytes}), 2 * 5e-6 + kBytes / kSlow, 1e-9);
  }
}

/* Each rank to the next one at once: the slowest is a message between stages, however many there are. */
TEST(CollectiveJob, SendReceiveIsAMessage)
{
  const ss_machine machine = make_machine({});
  for (const int64_t gpus : {2, 4})
    expect_close(predict_s(machine, {SS_SEND_RECEIVE, 1, gpus, kBytes}), 2.5e-6 + kBytes / kFast, 1e-9);
  for (const int64_t gpus : {1, 2, 4})
    for (const int64_t nodes : {2, 4})
      expect_close(predict_s(machine, {SS_SEND_RECEIVE, nodes, gpus, kBytes}), 5e-6 + kBytes / kSlow, 1e-9);
}

/* Through one NIC, also where a GPU has two of 12.5 GB/s each, as messages between stages go. */
TEST(CollectiveJob, SendReceiveUsesOneNic)
{
  PlatformSpec spec;
  spec.nics = 2 * spec.domain;
  const ss_machine machine = make_machine(spec);
  ss_collective_job single;
  ss_error error = {};
  const ss_collective_case collective = {SS_SEND_RECEIVE, 2, 4, kBytes};
  ASSERT_EQ(ss_collective_job_init(&single, &collective, &machine, SS_COST_CALIBRATED, &error), SS_OK);
  const ss_comm_time message = ss_message_time(&single.job.network, true, kBytes, 1);
  ss_collective_job_free(&single);
  expect_close(predict_s(machine, collective), ss_comm_time_sum(message), 1e-9);
}

/* Protocols change how long links wait, not what they carry: closed form and replay agree at sizes that LL, Simple and
 * trees are taken for, with and without a switch. */
TEST(CollectiveJob, ByProtocols)
{
  ss_machine machine = with_protocols(make_machine({}));
  for (const int pairs : {0, 1})
    for (const double passing : {0.0, 0.5})
      for (const ss_collective kind :
           {SS_ALL_GATHER, SS_REDUCE_SCATTER, SS_ALL_REDUCE, SS_ALL_TO_ALL, SS_BROADCAST, SS_REDUCE, SS_SEND_RECEIVE})
        for (const ss_span span :
             {ss_span{4, 1, 4, {}, {}}, {2, 1, 2, {}, {}}, {3, 3, 1, {}, {}}, {4, 2, 2, {}, {}}, {16, 4, 4, {}, {}}})
          for (double bytes = 1 << 14; bytes <= kBytes; bytes *= 64) {
            machine.nvlink_pairs = pairs;
            machine.fabric_passing = machine.nvlink_copying = passing;
            EXPECT_GT(predict_s(machine, {kind, span.domains, span.per_domain, bytes}), 5e-6);
          }
}

TEST(CollectiveJob, RefusesWhatTheMachineCannotDo)
{
  const ss_machine machine = make_machine({});
  EXPECT_EQ(refusal_of(machine, {SS_ALL_GATHER, 5, 1, kBytes}),
            "a collective on 5 nodes with 1 GPUs each; allowed: up to 4 with 4");
  EXPECT_EQ(refusal_of(machine, {SS_ALL_GATHER, 1, 5, kBytes}),
            "a collective on 1 nodes with 5 GPUs each; allowed: up to 4 with 4");
  EXPECT_EQ(refusal_of(machine, {SS_ALL_GATHER, 1, 1, kBytes}), "a collective on one GPU; allowed: two or more");
  EXPECT_EQ(refusal_of(machine, {SS_DISPATCH, 1, 2, kBytes}),
            "a all-to-all by itself cannot be predicted; allowed: all-gather, reduce-scatter, all-reduce, all-to-all, "
            "broadcast, reduce, send-receive");
}
