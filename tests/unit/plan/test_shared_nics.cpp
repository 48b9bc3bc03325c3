/* GPUs that share NICs: what groups of a kind have behind one NIC, and how much longer collectives and messages take
 * for it, against numbers worked out by hand. */
#include <map>
#include <string>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

constexpr double kNic = 0.7 * 25e9; /* bytes per second that a NIC of make_machine reaches */

/* Four domains of four GPUs with so many NICs each. Nothing takes time to start. */
ss_machine nics_each(int nics)
{
  PlatformSpec spec;
  spec.nics = nics;
  spec.nvlink_latency_s = spec.fabric_latency_s = 0;
  return make_machine(spec);
}

/* GPUs 0 and 1 of a domain are behind the first NIC. */
ss_machine two_nics_each()
{
  return nics_each(2);
}

ss_workload ranks_of(int tp, int dp, int pp, const char *order = "tp,cp,dp,pp")
{
  ss_workload w = make_workload();
  w.parallelism.tp = tp;
  w.parallelism.dp = dp;
  w.parallelism.pp = pp;
  w.training.global_batch = dp * pp;
  std::snprintf(w.placement.order, sizeof w.placement.order, "%s", order);
  return w;
}

ss_nic_share dense_share(const ss_workload &w, ss_what_if what_if = {}, ss_cost cost = SS_COST_CALIBRATED)
{
  return Job(w, two_nics_each(), cost, what_if)->data_span[SS_DATA_DENSE][0].nic;
}

void expect_share(ss_nic_share actual, int rings, int gpus)
{
  EXPECT_EQ(actual.rings, rings);
  EXPECT_EQ(actual.gpus, gpus);
}

/* A ring of all-gathers over a group, a gigabyte of volume. */
double ring_s(const Job &job, ss_span span)
{
  return ss_comm_time_sum(ss_method_time(&job->network, {SS_ALL_GATHER, SS_ALGORITHM_RING}, span, 1e9));
}

} /* namespace */

/* Replicas of four tensor ranks each, a domain per replica: two rings of four ranks are behind each NIC. */
TEST(SharedNics, RingsOfTensorRanks)
{
  expect_share(dense_share(ranks_of(4, 4, 1)), 2, 2);
  const Job job(ranks_of(4, 4, 1), two_nics_each(), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ring_s(job, job->data_span[SS_DATA_DENSE][0]), 2 * 0.75e9 / kNic);
  EXPECT_DOUBLE_EQ(ring_s(job, ss_span_alone(job->data_span[SS_DATA_DENSE][0])), 0.75e9 / kNic);
}

/* Of four ranks of a domain, each sends to the other domain by itself, two behind each NIC: a flow more there has a
 * third of it, and the exchange takes half as long again. */
TEST(SharedNics, FlowsOfAnExchange)
{
  const Job job(ranks_of(1, 1, 1), two_nics_each(), SS_COST_CALIBRATED);
  ss_span span = {};
  span.size = 8;
  span.domains = 2;
  span.per_domain = 4;
  const ss_comm_time time = ss_method_time(&job->network, {SS_ALL_TO_ALL, SS_ALGORITHM_DIRECT}, span, 8e9);
  EXPECT_DOUBLE_EQ(time.nic_s, 2 * 4e9 / kNic);
  EXPECT_DOUBLE_EQ(time.yields_s, time.nic_s / 2);
}

/* All GPUs of a domain are in one group, which has a ring for each NIC. */
TEST(SharedNics, ARingForEachNic)
{
  expect_share(dense_share(ranks_of(1, 16, 1)), 1, 2);
  const Job job(ranks_of(1, 16, 1), two_nics_each(), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ring_s(job, job->data_span[SS_DATA_DENSE][0]), 15.0 / 16 * 1e9 / 2 / kNic);
}

/* Tensor rank t is at the places t and t + 2 of a domain, behind both NICs, and has one ring: through the first one, as
 * has the other. */
TEST(SharedNics, RingsThroughTheSameOfTwoNics)
{
  expect_share(dense_share(ranks_of(2, 8, 1)), 2, 2);
  const Job job(ranks_of(2, 8, 1), two_nics_each(), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ring_s(job, job->data_span[SS_DATA_DENSE][0]), 2 * 7.0 / 8 * 1e9 / kNic);
}

/* Stages side by side reduce at other times: of each, one GPU is behind a NIC. */
TEST(SharedNics, StagesDoNotCount)
{
  expect_share(dense_share(ranks_of(2, 4, 2, "pp,tp,cp,dp")), 1, 1);
}

/* What stays in a domain uses no NIC. */
TEST(SharedNics, InsideADomain)
{
  const Job job(ranks_of(4, 4, 1), two_nics_each(), SS_COST_CALIBRATED);
  expect_share(job->span[SS_GROUP_TENSOR].nic, 0, 0);
}

/* Tensor-parallel groups over four domains, whose four replicas fill each domain. */
TEST(SharedNics, TensorParallelGroupsAcross)
{
  ss_workload w = ranks_of(4, 4, 1, "dp,tp,cp,pp");
  w.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  const Job job(w, two_nics_each(), SS_COST_CALIBRATED);
  expect_share(job->span[SS_GROUP_TENSOR].nic, 2, 2);
  const Job own(w, nics_each(4), SS_COST_CALIBRATED);
  const auto forward_s = [](const Job &of) {
    return of->pass[SS_BLOCK_LAYER][SS_PASS_FORWARD].comm_s[SS_GROUP_TENSOR];
  };
  EXPECT_DOUBLE_EQ(forward_s(job), 2 * forward_s(own));
}

/* The messages of two ranks of a stage leave through one NIC at the same moment; inside a domain they meet nobody. */
TEST(SharedNics, MessagesBetweenStages)
{
  const Job across(ranks_of(4, 1, 4), two_nics_each(), SS_COST_CALIBRATED);
  const double bytes = across->message_bytes[SS_CARGO_STATES];
  EXPECT_EQ(across->senders, 2);
  EXPECT_DOUBLE_EQ(ss_job_hop_s(across.get(), true, SS_CARGO_STATES), 2 * bytes / kNic);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_job_message_time(across.get(), true, SS_CARGO_STATES)), bytes / kNic);
  EXPECT_EQ(Job(ranks_of(2, 1, 2), two_nics_each(), SS_COST_CALIBRATED)->senders, 1);
  EXPECT_EQ(Job(ranks_of(2, 2, 4, "pp,tp,cp,dp"), two_nics_each(), SS_COST_CALIBRATED)->senders, 1);
}

/* Messages between all pairs: a GPU sends 1/n of the volume to each of n - p in other domains, and all that is behind a
 * NIC leaves through it, whatever groups it is of. Groups of four contiguous GPUs, and of one in each domain. */
TEST(SharedNics, MessagesBetweenAllPairs)
{
  const Job job(ranks_of(4, 4, 1), two_nics_each(), SS_COST_CALIBRATED);
  const auto all_s = [&](ss_span span) {
    return ss_comm_time_sum(ss_method_time(&job->network, {SS_ALL_TO_ALL, SS_ALGORITHM_DIRECT}, span, 1e9));
  };
  ss_span contiguous = {}, strided = {}, alone = {};
  contiguous.size = 8;
  contiguous.domains = 2;
  contiguous.per_domain = 4;
  contiguous.nic.rings = 1;
  contiguous.nic.gpus = 2;
  EXPECT_DOUBLE_EQ(all_s(contiguous), 2 * 4.0 / 8 * 1e9 / kNic);
  EXPECT_DOUBLE_EQ(all_s(ss_span_alone(contiguous)), 2 * 4.0 / 8 * 1e9 / kNic);
  strided.size = strided.domains = 4;
  strided.per_domain = 1;
  strided.nic.rings = strided.nic.gpus = 2;
  EXPECT_DOUBLE_EQ(all_s(strided), 2 * 3.0 / 4 * 1e9 / kNic);
  alone = ss_span_alone(strided);
  EXPECT_DOUBLE_EQ(all_s(alone), 3.0 / 4 * 1e9 / kNic);
}

/* Step by step, the first and the last steps have one sender in each domain: a group of four ranks has one behind the
 * first NIC, groups side by side have two. */
TEST(SharedNics, SendersOfAStep)
{
  ss_span span = {};
  span.size = 8;
  span.domains = 2;
  span.per_domain = 4;
  span.nic.rings = 1;
  span.nic.gpus = 2;
  EXPECT_DOUBLE_EQ(ss_span_senders_share(span, 0.5, 1), 1);
  EXPECT_DOUBLE_EQ(ss_span_senders_share(span, 0.5, 4), 1);
  span.per_domain = 2;
  span.nic.rings = 2;
  EXPECT_DOUBLE_EQ(ss_span_senders_share(span, 0.5, 1), 2);
  EXPECT_DOUBLE_EQ(ss_span_senders_share(span, 0.5, 2), 1); /* two behind each of two NICs, or behind one */
}

/* What runs beside a collective does not change how it is done. */
TEST(SharedNics, TheChoiceOfAnAlgorithmDoesNotKnow)
{
  ss_workload w = ranks_of(4, 4, 1);
  const Job job(w, with_protocols(two_nics_each()), SS_COST_CALIBRATED);
  const ss_span span = job->data_span[SS_DATA_DENSE][0];
  for (double bytes = 1e3; bytes < 1e10; bytes *= 1.5)
    EXPECT_EQ(ss_collective_choose(&job->network, SS_ALL_REDUCE, span, bytes),
              ss_collective_choose(&job->network, SS_ALL_REDUCE, ss_span_alone(span), bytes));
}

/* Start-ups are those of a group alone, as in the replay, where others make the transfer longer and nothing else. */
TEST(SharedNics, StartUpsAreThoseOfAGroupAlone)
{
  const Job job(ranks_of(4, 4, 1), with_protocols(two_nics_each()), SS_COST_CALIBRATED);
  const ss_span span = job->data_span[SS_DATA_DENSE][0];
  const ss_comm_time shared = ss_collective_time(&job->network, SS_ALL_GATHER, span, 1e8);
  const ss_comm_time alone = ss_collective_time(&job->network, SS_ALL_GATHER, ss_span_alone(span), 1e8);
  EXPECT_DOUBLE_EQ(shared.latency_s, alone.latency_s);
  EXPECT_DOUBLE_EQ(shared.transfer_s, 2 * alone.transfer_s);
}

/* The published costs know nothing of this, nor does the closed form that a replay on private links is compared with.
 */
TEST(SharedNics, NotWhereNobodyAsks)
{
  ss_what_if own = {};
  own.own_links = true;
  expect_share(dense_share(ranks_of(4, 4, 1), own), 0, 0);
  expect_share(dense_share(ranks_of(4, 4, 1), {}, SS_COST_SC24), 0, 0);
  const Job job(ranks_of(4, 4, 1), machine_of(16, 4, 4), SS_COST_CALIBRATED);
  expect_share(job->data_span[SS_DATA_DENSE][0].nic, 0, 0);
}

/* On the GPUs that are free: two of each domain, both behind one NIC, or the first three, so that the third has a NIC
 * for itself. */
TEST(SharedNics, FreeGpus)
{
  const ss_machine machine = two_nics_each();
  const FreeGpus two(machine, {2, 2, 2, 2});
  const Job pairs(ranks_of(2, 4, 1), machine, SS_COST_CALIBRATED, {}, nullptr, two.get());
  expect_share(pairs->data_span[SS_DATA_DENSE][0].nic, 2, 2);
}

/* Where a split of domains is given, what is behind a NIC is computed from coordinates, else it is counted: both say
 * the same. */
TEST(SharedNics, ComputedAndCountedAreTheSame)
{
  static const std::map<char, std::string> axis = {{'t', "tp"}, {'c', "cp"}, {'d', "dp"}, {'p', "pp"}};
  for (const char *letters : {"tcdp", "dtcp", "ptcd", "cdpt", "tpdc", "ctdp"})
    for (int nics : {1, 2, 4})
      for (int wide : {0, 1}) {
        const std::map<char, int> size = {{'t', wide ? 4 : 2}, {'c', 2}, {'d', wide ? 4 : 8}, {'p', 2}};
        std::string order, domain;
        int left = 8; /* of a domain */
        for (const char *letter = letters; *letter != '\0'; ++letter) {
          const int inside = std::min(left, size.at(*letter));
          order += (order.empty() ? "" : ",") + axis.at(*letter);
          domain += (domain.empty() ? "" : ",") + axis.at(*letter) + "=" + std::to_string(inside);
          left /= inside;
        }
        ss_workload w = ranks_of(size.at('t'), size.at('d'), size.at('p'), order.c_str());
        w.parallelism.cp = size.at('c');
        w.parallelism.cp_exchange = SS_CP_ALL_TO_ALL;
        w.model.experts = 8;
        w.model.top_k = 2;
        w.parallelism.ep = 8;
        const Job counted(w, machine_of(64, 8, nics), SS_COST_CALIBRATED);
        std::snprintf(w.placement.domain, sizeof w.placement.domain, "%s", domain.c_str());
        const Job computed(w, machine_of(64, 8, nics), SS_COST_CALIBRATED);
        ASSERT_TRUE(computed->placement.even && !counted->placement.even);
        for (int group = 0; group < SS_GROUPS; ++group)
          EXPECT_TRUE(ss_span_is_like(computed->span[group], counted->span[group])) << order << nics << " " << group;
        for (int group = 0; group < SS_DATA_GROUPS; ++group)
          EXPECT_TRUE(ss_span_is_like(ss_job_data_span(computed.get(), (ss_data_group)group, 1),
                                      ss_job_data_span(counted.get(), (ss_data_group)group, 1)))
              << order << nics << " " << group;
        EXPECT_TRUE(!ss_placement_crosses(&computed->placement, 0, 1) || computed->senders == counted->senders)
            << order << nics;
      }
}
