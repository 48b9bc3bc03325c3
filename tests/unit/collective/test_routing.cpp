/* Where the experts of a token are, and what a dispatch that sends each token once carries, against counts of all
 * choices and numbers worked out by hand. */
#include <set>
#include <vector>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* Over all ways to choose `choices` of `experts` from `open` of `groups`, which are as the places equal shares of
 * consecutive experts: the mean number of places that are met, over the choices. */
double counted_in_groups(int experts, int choices, int places, int groups, int open)
{
  const int share = experts / places, group = experts / groups;
  double met = 0, ways = 0;
  for (unsigned allowed = 0; allowed < 1u << groups; ++allowed) {
    if (__builtin_popcount(allowed) != open) continue;
    for (unsigned chosen = 0; chosen < 1u << experts; ++chosen) {
      if (__builtin_popcount(chosen) != choices) continue;
      std::set<int> at;
      bool may = true;
      for (int i = 0; i < experts; ++i) {
        if ((chosen >> i & 1) == 0) continue;
        at.insert(i / share);
        may = may && (allowed >> (i / group) & 1);
      }
      met += may ? (double)at.size() : 0;
      ways += may;
    }
  }
  return met / ways / choices;
}

double counted(int experts, int choices, int places, int open)
{
  return counted_in_groups(experts, choices, places, places, open);
}

ss_network network_of(const ss_workload &workload, double dispatch_efficiency = 0)
{
  ss_machine machine = make_machine({});
  machine.dispatch_efficiency = dispatch_efficiency;
  return ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
}

ss_workload routed(int experts, int choices, int domains)
{
  ss_workload w = make_workload();
  w.model.experts = experts;
  w.model.top_k = choices;
  w.model.routed_domains = domains;
  return w;
}

double bytes_of(const ss_workload &w, ss_pass pass, int index)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  machine.nvfp4_flop_per_s = 4 * machine.matrix_flop_per_s;
  const Job job(w, machine, SS_COST_CALIBRATED);
  const ss_task_list &list = job->block[SS_BLOCK_EXPERT].list[pass];
  for (int64_t i = 0; i < list.count; ++i)
    for (int64_t c = 0; c < list.task[i].calls; ++c)
      if (list.task[i].call[c].group == SS_GROUP_EXPERT && index-- == 0) return list.task[i].call[c].volume_bytes;
  return 0;
}

} // namespace

TEST(Routing, IsWhatAllChoicesCount)
{
  for (int choices : {1, 2, 3, 5})
    for (int limit : {0, 2, 3}) {
      const ss_routing routing = {8, choices, limit, 1, 0, 0, 0};
      const int open = limit > 0 ? limit : 4;
      if (choices > open * 2) continue;
      EXPECT_NEAR(ss_routing_domains(&routing, {8, 4, 2, {}, {}}), counted(8, choices, 4, open), 1e-12);
      if (limit > 0) continue;
      EXPECT_NEAR(ss_routing_ranks(&routing, {8, 4, 2, {}, {}}), counted(8, choices, 8, 8), 1e-12);
    }
  const ss_routing none = {};
  EXPECT_EQ(ss_routing_domains(&none, {8, 4, 2, {}, {}}), 1);
}

/* 4 experts and 2 that are nowhere, of which 2 are chosen: 2 x 4/6 are somewhere. One of 4 ranks has a choice with
 * probability 1/3, so that 4/3 have; one of 2, with two experts, misses both with C(4, 2) / C(6, 2) = 0.4, so that 1.2
 * have. */
TEST(Routing, OfIdleExperts)
{
  const ss_routing routing = {4, 2, 0, 1, 0, 0, 2};
  EXPECT_NEAR(ss_routing_ranks(&routing, {4, 1, 4, {}, {}}), 1.0, 1e-12);
  EXPECT_NEAR(ss_routing_ranks(&routing, {2, 1, 2, {}, {}}), 1.2 / (4.0 / 3.0), 1e-12);
  EXPECT_NEAR(ss_routing_domains(&routing, {4, 2, 2, {}, {}}), 1.2 / (4.0 / 3.0), 1e-12);
}

/* Groups of experts, whatever places they are on: 8 experts in 4 groups, of which a token takes some. A place holds two
 * groups, one, or half of one; a choice of one place among many stays where it is. */
TEST(Routing, OfGroups)
{
  for (int choices : {1, 2, 3})
    for (int open : {2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << choices << " of " << open << " groups");
      const ss_routing routing = {8, choices, 0, 1, 4, open, 0};
      const auto ranks = [&](int64_t size) { return ss_routing_ranks(&routing, {size, 1, size, {}, {}}); };
      EXPECT_NEAR(ranks(8), counted_in_groups(8, choices, 8, 4, open), 1e-12);
      EXPECT_NEAR(ranks(4), counted_in_groups(8, choices, 4, 4, open), 1e-12);
      EXPECT_NEAR(ranks(2), counted_in_groups(8, choices, 2, 4, open), 1e-12);
      EXPECT_NEAR(ss_routing_domains(&routing, {8, 2, 4, {}, {}}), ranks(2), 1e-12);
      EXPECT_DOUBLE_EQ(ranks(1), 1.0 / choices);
    }
}

/* DeepSeek-V3 limits a token to 4 of 8 groups of 32 experts. With a group on each of 8 ranks these are 4 (1 - C(96, 8)
 * / C(128, 8)) = 3.6290 ranks instead of 5.2947; on 32 ranks, four of which share a group, 16 (1 - C(120, 8) / C(128,
 * 8)) = 6.5965 instead of 7.2668; with all groups, as many as without. Where groups are domains, they are limits of
 * domains. */
TEST(Routing, OfGroupsOfDeepSeek)
{
  const ss_routing any = {256, 8, 0, 1, 0, 0, 0}, four = {256, 8, 0, 1, 8, 4, 0}, eight = {256, 8, 0, 1, 8, 8, 0},
                   domains = {256, 8, 4, 1, 0, 0, 0};
  const ss_span node = {8, 1, 8, {}, {}}, rack = {32, 1, 32, {}, {}}, nodes = {64, 8, 8, {}, {}};
  EXPECT_NEAR(8 * ss_routing_ranks(&four, node), 3.6290, 1e-4);
  EXPECT_NEAR(8 * ss_routing_ranks(&any, node), 5.2947, 1e-4);
  EXPECT_NEAR(8 * ss_routing_ranks(&four, rack), 6.5965, 1e-4);
  EXPECT_NEAR(8 * ss_routing_ranks(&any, rack), 7.2668, 1e-4);
  for (const ss_span &span : {node, rack, nodes})
    EXPECT_NEAR(ss_routing_ranks(&eight, span), ss_routing_ranks(&any, span), 1e-12);
  EXPECT_NEAR(ss_routing_domains(&four, nodes), ss_routing_domains(&domains, nodes), 1e-12);
  EXPECT_NEAR(ss_routing_ranks(&four, nodes), ss_routing_ranks(&domains, nodes), 1e-12);
}

/* DeepSeek-V3: 8 of 256 experts on 8 nodes are on 8 (1 - C(224, 8) / C(256, 8)) = 5.2947 of them; limited to 4 nodes,
 * on 4 (1 - C(96, 8) / C(128, 8)) = 3.6290. One expert is at one place; all experts are everywhere. */
TEST(Routing, OfDeepSeek)
{
  const ss_span span = {64, 8, 8, {}, {}};
  const ss_routing any = {256, 8, 0, 1, 0, 0, 0}, four = {256, 8, 4, 1, 0, 0, 0}, one = {256, 1, 4, 1, 0, 0, 0},
                   all = {8, 8, 0, 1, 0, 0, 0}, most = {8, 8, 2, 1, 0, 0, 0};
  EXPECT_NEAR(8 * ss_routing_domains(&any, span), 5.2947, 1e-4);
  EXPECT_NEAR(8 * ss_routing_domains(&four, span), 3.6290, 1e-4);
  EXPECT_DOUBLE_EQ(ss_routing_domains(&one, span), 1);
  EXPECT_DOUBLE_EQ(ss_routing_ranks(&one, span), 1);
  EXPECT_DOUBLE_EQ(8 * ss_routing_domains(&all, span), 8);
  EXPECT_DOUBLE_EQ(8 * ss_routing_domains(&most, span), 2); /* more choices than two domains have */
}

/* 4 domains of 4 ranks with 16 experts, top 2: a token is in 4 (1 - 12 11 / (16 15)) = 1.8 domains and at 16 (1 - 15 14
 * / (16 15)) = 2 ranks. Of 800 MB, 0.9 of 3/4 leave through a GPU's NIC and all of 3/4 move over NVLink. Limited to one
 * domain, both experts are there: half of the fabric's bytes are left. A kernel sends to all at once: one step each
 * way. */
TEST(Dispatch, SendsATokenOnceToADomain)
{
  const ss_method once = {SS_DISPATCH, SS_ALGORITHM_HIERARCHICAL};
  const ss_span span = {16, 4, 4, {}, {}};
  const ss_network any = network_of(routed(16, 2, 0)), one = network_of(routed(16, 2, 1));
  const double bytes = 0.75 * 800e6;
  const ss_comm_time time = ss_method_time(&any, once, span, 800e6);
  EXPECT_DOUBLE_EQ(time.transfer_s, std::max(0.9 * bytes / any.fabric_bytes_per_s, bytes / any.nvlink_bytes_per_s));
  EXPECT_DOUBLE_EQ(time.latency_s, any.nvlink_latency_s + any.fabric_latency_s);
  EXPECT_DOUBLE_EQ(ss_method_time(&any, once, {16, 1, 16, {}, {}}, 800e6).latency_s, any.nvlink_latency_s);
  EXPECT_DOUBLE_EQ(ss_method_time(&one, once, span, 800e6).transfer_s,
                   std::max(0.5 * bytes / any.fabric_bytes_per_s, bytes / any.nvlink_bytes_per_s));
  EXPECT_DOUBLE_EQ(ss_method_time(&any, once, {4, 1, 4, {}, {}}, 800e6).transfer_s,
                   ss_routing_ranks(&any.routing, {4, 1, 4, {}, {}}) * bytes / any.nvlink_bytes_per_s);
}

/* Kernels that reach 0.35 of NVLink where other collectives reach 0.7 take twice as long for the same bytes, and other
 * collectives as long as before. */
TEST(Dispatch, HasAShareOfNVLinkOfItsOwn)
{
  const ss_network as_others = network_of(routed(16, 2, 0)), half = network_of(routed(16, 2, 0), 0.35);
  const ss_span span = {4, 1, 4, {}, {}};
  const ss_method dispatch = {SS_DISPATCH, SS_ALGORITHM_HIERARCHICAL}, exchange = {SS_ALL_TO_ALL, SS_ALGORITHM_RING};
  EXPECT_DOUBLE_EQ(ss_method_time(&half, dispatch, span, 800e6).transfer_s,
                   2 * ss_method_time(&as_others, dispatch, span, 800e6).transfer_s);
  EXPECT_EQ(ss_method_time(&half, exchange, span, 800e6).transfer_s,
            ss_method_time(&as_others, exchange, span, 800e6).transfer_s);
}

/* In fp8 a value and its part of a scale are 1 + 4/128 bytes: on the way to experts forward, and that of gradients
 * backward. What comes back has 2 in both directions. */
TEST(Dispatch, BytesByDirection)
{
  ss_workload w = routed(8, 2, 0);
  w.model.expert_ffn = 2048;
  w.parallelism.dp = w.parallelism.ep = w.training.global_batch = 4;
  w.training.precision = SS_PRECISION_FP8;
  const double values = 2.0 * (double)w.model.sequence * (double)w.model.hidden;
  EXPECT_DOUBLE_EQ(bytes_of(w, SS_PASS_FORWARD, 0), 2 * values);
  w.training.dispatch_type = SS_DISPATCH_FP8;
  const double eighth = 1.03125 * values;
  EXPECT_DOUBLE_EQ(bytes_of(w, SS_PASS_FORWARD, 0), eighth);
  EXPECT_DOUBLE_EQ(bytes_of(w, SS_PASS_FORWARD, 1), 2 * values);
  EXPECT_DOUBLE_EQ(bytes_of(w, SS_PASS_BACKWARD, 0), eighth);
  EXPECT_DOUBLE_EQ(bytes_of(w, SS_PASS_BACKWARD, 1), 2 * values);
}
