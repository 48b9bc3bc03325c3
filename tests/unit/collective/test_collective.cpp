/* Algorithms of collectives against numbers derived by hand, and what has to hold for all of them. */
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/support/fixtures.hpp"
#include "tests/support/methods.hpp"

extern "C" {
#include "model/collective/given.h"
}

using namespace stepsim;

namespace
{

/* NVLink 210 GB/s and 2.5 us, NICs 17.5 GB/s and 5 us, one per GPU. */
constexpr double kFast = 210e9, kSlow = 17.5e9, kFastLatency = 2.5e-6, kSlowLatency = 5e-6;
constexpr double kVolume = 800e6;

const ss_span kSpan = {16, 4, 4, {}, {}}, kInside = {4, 1, 4, {}, {}}, kApart = {4, 4, 1, {}, {}};

struct Switches {
  int nvlink, fabric;
};

ss_network network_with(Switches switches, const ss_workload &workload = make_workload())
{
  ss_machine machine = make_machine({});
  machine.nvlink_reduces = switches.nvlink;
  machine.fabric_reduces = switches.fabric;
  return ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
}

/* Steps and bytes of a phase; bytes of the busiest NVLink port and of the busiest NIC. */
struct Phase {
  double nvlink_steps, fabric_steps, nvlink_bytes, nic_bytes;
};

void expect_phases(ss_method method, ss_span span, const std::vector<Phase> &expected, Switches switches = {0, 0})
{
  const ss_network network = network_with(switches);
  SCOPED_TRACE(testing::Message() << "collective " << method.kind << ", algorithm " << method.algorithm << ", "
                                  << span.size << " ranks");
  ASSERT_EQ(ss_collective_phases(method, span), (int)expected.size());
  ss_comm_time sum = {};
  for (size_t i = 0; i < expected.size(); ++i) {
    const Phase &p = expected[i];
    const ss_comm_time time = ss_collective_phase(&network, method, span, kVolume, (int)i);
    EXPECT_DOUBLE_EQ(time.latency_s, p.nvlink_steps * kFastLatency + p.fabric_steps * kSlowLatency);
    EXPECT_DOUBLE_EQ(time.transfer_s, std::max(p.nvlink_bytes / kFast, p.nic_bytes / kSlow));
    sum.latency_s += time.latency_s;
    sum.transfer_s += time.transfer_s;
  }
  const ss_comm_time whole = ss_method_time(&network, method, span, kVolume);
  EXPECT_DOUBLE_EQ(whole.latency_s, sum.latency_s);
  EXPECT_DOUBLE_EQ(whole.transfer_s, sum.transfer_s);
  EXPECT_EQ(ss_comm_time_sum(ss_collective_phase(&network, method, span, kVolume, (int)expected.size())), 0);
  EXPECT_EQ(ss_comm_time_sum(ss_method_time(&network, method, {1, 1, 1, {}, {}}, kVolume)), 0);
  EXPECT_EQ(ss_comm_time_sum(ss_method_time(&network, method, span, 0)), 0);
}

} /* namespace */

/* 15 of 16 parts of 50 MB go around, twice for an all-reduce, over 4 rings. */
TEST(Algorithms, Ring)
{
  expect_phases({SS_ALL_GATHER, SS_ALGORITHM_RING}, kSpan, {{12, 3, 750e6, 750e6 / 4}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_RING}, kSpan, {{12, 3, 1500e6, 1500e6 / 4}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_RING}, kInside, {{3, 0, 1200e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_RING}, kApart, {{0, 3, 0, 1200e6}});
  expect_phases({SS_BROADCAST, SS_ALGORITHM_RING}, kApart, {{0, 3, 0, 800e6}});
}

/* 4 domains are a tree 0 - 2, 2 - 1, 2 - 3: two levels up and two down, and domain 2 has three neighbours. A chain of 4
 * is 3 steps up and 3 down, and its inner GPUs send all of it both ways. */
TEST(Algorithms, Tree)
{
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, kSpan, {{6, 4, 1600e6, 2400e6 / 4}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, kInside, {{6, 0, 1600e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, kApart, {{0, 4, 0, 2400e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, {4, 2, 2, {}, {}}, {{2, 2, 800e6, 800e6 / 2}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, {3, 3, 1, {}, {}}, {{0, 4, 0, 1600e6}}); /* 0 - 2, 2 - 1 */
}

/* The second tree of 4 domains is 3 - 1, 1 - 2, 1 - 0: domain 2 has 3 + 1 neighbours for 400 MB each. Of 3 domains, it
 * is 1 - 0, 0 - 2: domains 0 and 2 have 3 neighbours. Both trees of 2 are one edge. */
TEST(Algorithms, DoubleTree)
{
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, kSpan, {{6, 4, 1600e6, 1600e6 / 4}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, kInside, {{6, 0, 1600e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, kApart, {{0, 4, 0, 1600e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {3, 3, 1, {}, {}}, {{0, 4, 0, 1200e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {4, 2, 2, {}, {}}, {{2, 2, 800e6, 800e6 / 2}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {36, 9, 4, {}, {}}, {{6, 8, 1600e6, 1600e6 / 4}});
}

/* 400 + 200 MB leave the domain through a GPU's own NIC, 100 + 50 MB stay inside. */
TEST(Algorithms, Halving)
{
  expect_phases({SS_REDUCE_SCATTER, SS_ALGORITHM_HALVING}, kSpan, {{0, 2, 0, 600e6}, {2, 0, 150e6, 0}});
  expect_phases({SS_ALL_GATHER, SS_ALGORITHM_HALVING}, kSpan, {{2, 0, 150e6, 0}, {0, 2, 0, 600e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_HALVING}, kSpan, {{0, 2, 0, 600e6}, {4, 0, 300e6, 0}, {0, 2, 0, 600e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_HALVING}, kInside, {{4, 0, 1200e6, 0}});
  expect_phases({SS_ALL_GATHER, SS_ALGORITHM_HALVING}, kApart, {{0, 2, 0, 600e6}});
}

/* Inside, 3/4 of it; across, 3/4 of what is left, a quarter each over 4 NICs. */
TEST(Algorithms, Hierarchical)
{
  expect_phases({SS_REDUCE_SCATTER, SS_ALGORITHM_HIERARCHICAL}, kSpan, {{3, 0, 600e6, 0}, {0, 3, 0, 600e6 / 4}});
  expect_phases({SS_ALL_GATHER, SS_ALGORITHM_HIERARCHICAL}, kSpan, {{0, 3, 0, 600e6 / 4}, {3, 0, 600e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_HIERARCHICAL}, kSpan,
                {{3, 0, 600e6, 0}, {0, 3, 0, 1200e6 / 4}, {3, 0, 600e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_HIERARCHICAL}, kInside, {{3, 0, 1200e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_HIERARCHICAL}, kApart, {{0, 3, 0, 1200e6}});
}

/* Each rank has 50 MB for each other one: 150 MB inside, 600 MB across. By way of the rank with the same place, 600 MB
 * move inside, at the same time. */
TEST(Algorithms, AllToAll)
{
  expect_phases({SS_ALL_TO_ALL, SS_ALGORITHM_DIRECT}, kSpan, {{3, 12, 150e6, 600e6}});
  expect_phases({SS_ALL_TO_ALL, SS_ALGORITHM_HIERARCHICAL}, kSpan, {{3, 3, 600e6, 600e6}});
  expect_phases({SS_ALL_TO_ALL, SS_ALGORITHM_HIERARCHICAL}, kInside, {{3, 0, 600e6, 0}});
  expect_phases({SS_ALL_TO_ALL, SS_ALGORITHM_HIERARCHICAL}, kApart, {{0, 3, 0, 600e6}});
}

/* Of n ranks in two domains, 7/8 of the volume moves over NVLink in the hierarchical all-to-all, and n/2 of n out of a
 * GPU's NIC in either: the direct one is as fast or faster while NVLink is faster than (7/8) / (1/2) = 1.75 NICs, but
 * has 8 messages to other domains where the other has one; with slower NVLink the hierarchical one takes as much
 * longer. */
TEST(AllToAll, HierarchicalTurnsSlowerWhereNvlinkIsSlow)
{
  const ss_span span = {16, 2, 8, {}, {}};
  for (const double ratio : {1.0, 1.7, 1.75, 1.8, 9.0}) {
    PlatformSpec spec;
    spec.domain = spec.nics = 8;
    spec.nvlink_bytes_per_s = ratio * spec.fabric_bytes_per_s;
    const ss_machine machine = make_machine(spec);
    const ss_workload workload = make_workload();
    const ss_network network = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
    const ss_comm_time direct = ss_method_time(&network, {SS_ALL_TO_ALL, SS_ALGORITHM_DIRECT}, span, kVolume);
    const ss_comm_time other = ss_method_time(&network, {SS_ALL_TO_ALL, SS_ALGORITHM_HIERARCHICAL}, span, kVolume);
    EXPECT_DOUBLE_EQ(other.transfer_s / direct.transfer_s, std::max(1.75 / ratio, 1.0));
    EXPECT_DOUBLE_EQ(direct.latency_s, 7 * kFastLatency + 8 * kSlowLatency);
    EXPECT_DOUBLE_EQ(other.latency_s, 7 * kFastLatency + kSlowLatency);
  }
}

/* Step i goes i ranks further with 50 MB: the last i of a domain's 4 ranks leave it, each by its own NIC, until all do,
 * and at the other end the first 16 - i. */
TEST(Algorithms, Pairwise)
{
  const ss_method pairwise = {SS_ALL_TO_ALL, SS_ALGORITHM_PAIRWISE};
  const Phase mixed = {0, 1, 50e6, 50e6}, far = {0, 1, 0, 50e6};
  expect_phases(pairwise, kSpan,
                {mixed, mixed, mixed, far, far, far, far, far, far, far, far, far, mixed, mixed, mixed});
  expect_phases(pairwise, kInside, {{1, 0, 200e6, 0}, {1, 0, 200e6, 0}, {1, 0, 200e6, 0}});
  expect_phases(pairwise, kApart, {{0, 1, 0, 200e6}, {0, 1, 0, 200e6}, {0, 1, 0, 200e6}});
}

/* 4 GPUs share one NIC: of 16 ranks, 1, 2, 3, then 4 send 50 MB through it, and fewer at the end. All in all, 12 + 12 +
 * 9 x 4 = 48 messages of a domain leave it, as many as its 4 ranks have for the 12 others. */
TEST(Algorithms, PairwiseSharesNics)
{
  PlatformSpec spec;
  spec.nics = 1;
  const ss_machine machine = make_machine(spec);
  const ss_workload workload = make_workload();
  const ss_network network = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
  const ss_method pairwise = {SS_ALL_TO_ALL, SS_ALGORITHM_PAIRWISE};
  const std::vector<double> senders = {1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 2, 1};
  for (size_t i = 0; i < senders.size(); ++i)
    EXPECT_DOUBLE_EQ(ss_collective_phase(&network, pairwise, kSpan, kVolume, (int)i).transfer_s,
                     senders[i] * 50e6 / kSlow);
  EXPECT_DOUBLE_EQ(ss_method_time(&network, pairwise, kSpan, kVolume).transfer_s, 48 * 50e6 / kSlow);
}

/* With a GPU, and a NIC, for each rank, every step is a message, whatever a machine states of messages. */
TEST(Algorithms, PairwiseStepsAreMessages)
{
  const ss_machine machine = with_protocols(make_machine({}));
  const ss_workload workload = make_workload();
  const ss_network network = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
  const ss_method pairwise = {SS_ALL_TO_ALL, SS_ALGORITHM_PAIRWISE};
  for (const ss_span span : {ss_span{4, 1, 4, {}, {}}, ss_span{256, 64, 4, {}, {}}, ss_span{1000, 1000, 1, {}, {}}})
    for (const double volume : {1e3, 1e6, 1e9}) {
      const double n = (double)span.size;
      const bool far = span.domains > 1;
      const double step_s = ss_comm_time_sum(ss_message_time(&network, far, volume / n, 1));
      expect_close(ss_comm_time_sum(ss_method_time(&network, pairwise, span, volume)), (n - 1) * step_s, 1e-12);
    }
}

/* With switches, 800 MB and what comes back of a GPU's own quarter; without, a chain or a double tree. */
TEST(Algorithms, InNetwork)
{
  const ss_method all_reduce = {SS_ALL_REDUCE, SS_ALGORITHM_IN_NETWORK};
  expect_phases(all_reduce, kSpan, {{1, 1, 1000e6, 800e6 / 4}}, {1, 1});
  expect_phases(all_reduce, kSpan, {{1, 4, 1000e6, 1600e6 / 4}}, {1, 0});
  expect_phases(all_reduce, kSpan, {{6, 1, 1600e6, 800e6 / 4}}, {0, 1});
  expect_phases(all_reduce, kInside, {{1, 0, 1000e6, 0}}, {1, 0});
  expect_phases(all_reduce, kApart, {{0, 1, 0, 800e6}}, {0, 1});
  const ss_method gather = {SS_ALL_GATHER, SS_ALGORITHM_IN_NETWORK};
  expect_phases(gather, kInside, {{1, 0, 800e6, 0}}, {1, 0});
  expect_phases(gather, kSpan, {{0, 3, 0, 600e6 / 4}, {1, 0, 800e6, 0}}, {1, 1});
  expect_phases({SS_REDUCE_SCATTER, SS_ALGORITHM_IN_NETWORK}, kSpan, {{1, 0, 800e6, 0}, {0, 3, 0, 600e6 / 4}}, {1, 1});
}

/* Whoever adds an algorithm fills in its table. */
TEST(Algorithms, HaveWhatTheirTableNeeds)
{
  unsigned considered = 0;
  for (const ss_algorithm algorithm : all_algorithms()) {
    const ss_algorithm_row *row = ss_algorithm_row_of(algorithm);
    SCOPED_TRACE(ss_word(SS_AT_schedule_all_reduce, algorithm));
    ASSERT_NE(row, nullptr);
    EXPECT_NE(row->load, nullptr);
    EXPECT_NE(row->flows, nullptr);
    EXPECT_NE(row->kinds, 0u);
    EXPECT_EQ(row->considered & ~row->kinds, 0u);
    /* the first that is considered is taken for granted */
    const bool conditional = row->runs_on != nullptr || row->suits != nullptr || row->power_of_two;
    EXPECT_EQ(conditional ? row->considered & ~considered : 0u, 0u);
    considered |= row->considered;
  }
  for (const ss_method method : all_methods())
    for (const ss_span span : {kSpan, kInside, kApart}) EXPECT_GE(ss_collective_phases(method, span), 1);
  EXPECT_EQ(considered, (1u << SS_COLLECTIVE_COUNT) - 1); /* all are done by some algorithm */
}

/* The attribute that names the algorithm of a collective is the one that is read. */
TEST(Algorithms, AreThoseThatTheWorkloadNames)
{
  ss_workload workload = make_workload();
  for (int i = 0; i < SS_COLLECTIVE_COUNT; ++i)
    EXPECT_EQ(ss_collective_given(&workload, (ss_collective)i), SS_ALGORITHM_AUTO);
  workload.schedule.all_gather = SS_ALGORITHM_RING;
  workload.schedule.reduce_scatter = SS_ALGORITHM_HALVING;
  workload.schedule.all_reduce = SS_ALGORITHM_TREE;
  workload.schedule.all_to_all = SS_ALGORITHM_DIRECT;
  EXPECT_EQ(ss_collective_given(&workload, SS_ALL_GATHER), SS_ALGORITHM_RING);
  EXPECT_EQ(ss_collective_given(&workload, SS_REDUCE_SCATTER), SS_ALGORITHM_HALVING);
  EXPECT_EQ(ss_collective_given(&workload, SS_ALL_REDUCE), SS_ALGORITHM_TREE);
  EXPECT_EQ(ss_collective_given(&workload, SS_ALL_TO_ALL), SS_ALGORITHM_DIRECT);
  EXPECT_EQ(ss_collective_given(&workload, SS_BROADCAST), SS_ALGORITHM_AUTO);
}

/* What a domain, or a rank of one domain, has to send and to get at least, whoever does it. */
TEST(Algorithms, NoneIsFasterThanItsLinks)
{
  const ss_network network = network_with({0, 0});
  const ss_machine machine = make_machine({});
  for (const ss_method method : all_methods())
    for (const int64_t domains : {1, 2, 3, 4, 5, 8, 16, 31})
      for (const int64_t local : {1, 2, 3, 4, 8}) {
        const ss_span span = {domains * local, domains, local, {}, {}};
        const bool sharded = (SS_SHARDED_KINDS & SS_KIND_BIT(method.kind)) != 0;
        if (span.size == 1 || !sharded || !ss_method_takes(method, span.size)) continue;
        if (!ss_method_runs_on(method, &machine)) continue; /* switches that reduce send less */
        const double parts = (double)(domains > 1 ? domains : local), passes = method.kind == SS_ALL_REDUCE ? 2 : 1;
        const double bytes = passes * (parts - 1) / parts * kVolume;
        const double least_s = domains > 1 ? bytes / ((double)local * kSlow) : bytes / kFast;
        EXPECT_GE(ss_method_time(&network, method, span, kVolume).transfer_s, least_s * (1 - 1e-12))
            << "collective " << method.kind << ", algorithm " << method.algorithm << ", " << domains << " domains of "
            << local;
      }
}

/* Between rings, with 3 x 5 + 12 x 2.5 = 45 us and 15/8 V / 70 GB/s, and trees, with 4 x 5 + 6 x 2.5 = 35 us and 2 V /
 * 70 GB/s, of which 8 % are not trusted: 10 us are worth (2/0.92 - 15/8) V / 70 GB/s, 2.342 MB. */
TEST(Choice, OfAllReducesTurnsFromTreesToRings)
{
  const ss_network network = network_with({0, 0});
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, kSpan, 2.34e6), SS_ALGORITHM_DOUBLE_TREE);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, kSpan, 2.35e6), SS_ALGORITHM_RING);
  /* 512 ranks: 1595 us against 85 us, worth (2/0.92 - 2 511/512) V / 70 GB/s: 594.4 MB */
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {512, 128, 4, {}, {}}, 594e6), SS_ALGORITHM_DOUBLE_TREE);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {512, 128, 4, {}, {}}, 595e6), SS_ALGORITHM_RING);
  /* two domains: rings have fewer steps and move 7/4 V, trees are taken to move 2 V as ever */
  for (const double bytes : {1e3, 520e3, 1e9})
    EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {8, 2, 4, {}, {}}, bytes), SS_ALGORITHM_RING);
}

/* Times are linear in the volume: one that has been left is not come back to. */
TEST(Choice, ChangesOnceAtMost)
{
  for (const Switches switches : {Switches{0, 0}, Switches{1, 0}, Switches{0, 1}, Switches{1, 1}}) {
    const ss_network network = network_with(switches);
    for (const ss_collective kind : {SS_ALL_GATHER, SS_REDUCE_SCATTER, SS_ALL_REDUCE})
      for (const ss_span span : {kSpan, kInside, kApart, ss_span{512, 128, 4, {}, {}}, ss_span{6, 3, 2, {}, {}}}) {
        std::vector<ss_algorithm> seen;
        for (double volume = 1; volume < 1e13; volume *= 1.5) {
          const ss_algorithm chosen = ss_collective_choose(&network, kind, span, volume);
          if (seen.empty() || seen.back() != chosen) seen.push_back(chosen);
          const ss_comm_time time = ss_collective_time(&network, kind, span, volume);
          EXPECT_EQ(ss_comm_time_sum(time), ss_comm_time_sum(ss_method_time(&network, {kind, chosen}, span, volume)));
          EXPECT_LE(ss_comm_time_sum(time),
                    ss_comm_time_sum(ss_method_time(&network, {kind, SS_ALGORITHM_RING}, span, volume)));
        }
        EXPECT_LE(seen.size(), 3u);
        for (size_t i = 2; i < seen.size(); ++i) EXPECT_NE(seen[i], seen[i - 2]);
      }
  }
}

/* Rings are what is left without switches, and with one domain; an all-to-all goes directly, a broadcast around. */
TEST(Choice, IsAmongWhatNcclWouldConsider)
{
  const ss_network plain = network_with({0, 0}), switched = network_with({1, 0});
  EXPECT_EQ(ss_collective_choose(&plain, SS_ALL_REDUCE, kInside, 1), SS_ALGORITHM_RING);
  EXPECT_EQ(ss_collective_choose(&plain, SS_ALL_GATHER, kSpan, 1), SS_ALGORITHM_RING);
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_GATHER, kSpan, 1), SS_ALGORITHM_RING);
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_GATHER, kInside, 1), SS_ALGORITHM_IN_NETWORK);
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_GATHER, kInside, 1e9), SS_ALGORITHM_RING); /* 3/4 of it */
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_REDUCE, kInside, 1e9), SS_ALGORITHM_IN_NETWORK);
  /* no switch between domains: 16 steps against 10 */
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_REDUCE, {17, 17, 1, {}, {}}, 1), SS_ALGORITHM_DOUBLE_TREE);
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_TO_ALL, kSpan, 1), SS_ALGORITHM_DIRECT);
  EXPECT_EQ(ss_collective_choose(&switched, SS_BROADCAST, kSpan, 1), SS_ALGORITHM_RING);
  EXPECT_EQ(ss_collective_choose(&switched, SS_REDUCE, kSpan, 1), SS_ALGORITHM_RING);
}

/* What the workload says is done, but not by the published costs, which have rings only. */
TEST(Choice, IsTheOneThatIsFixed)
{
  ss_workload workload = make_workload();
  workload.schedule.all_reduce = SS_ALGORITHM_TREE;
  workload.schedule.all_gather = SS_ALGORITHM_HALVING;
  workload.schedule.reduce_scatter = SS_ALGORITHM_HIERARCHICAL;
  workload.schedule.all_to_all = SS_ALGORITHM_HIERARCHICAL;
  const ss_network fixed = network_with({1, 1}, workload);
  ss_machine machine = make_machine({});
  machine.nvlink_reduces = machine.fabric_reduces = 1;
  for (const double volume : {1.0, 1e9, 1e12}) {
    EXPECT_EQ(ss_collective_choose(&fixed, SS_ALL_REDUCE, kSpan, volume), SS_ALGORITHM_TREE);
    EXPECT_EQ(ss_collective_choose(&fixed, SS_ALL_GATHER, kSpan, volume), SS_ALGORITHM_HALVING);
    EXPECT_EQ(ss_collective_choose(&fixed, SS_REDUCE_SCATTER, kSpan, volume), SS_ALGORITHM_HIERARCHICAL);
    EXPECT_EQ(ss_collective_choose(&fixed, SS_ALL_TO_ALL, kSpan, volume), SS_ALGORITHM_HIERARCHICAL);
    for (const ss_cost cost : {SS_COST_SC24, SS_COST_SC24_CODE}) {
      const ss_network published = ss_network_of(&machine, &workload, cost);
      EXPECT_EQ(ss_collective_choose(&published, SS_ALL_REDUCE, kSpan, volume), SS_ALGORITHM_RING);
      EXPECT_EQ(ss_collective_choose(&published, SS_ALL_GATHER, kInside, volume), SS_ALGORITHM_RING);
      EXPECT_EQ(ss_collective_choose(&published, SS_ALL_TO_ALL, kSpan, volume), SS_ALGORITHM_DIRECT);
    }
  }
}

/* Steps of a ring beside a product are a ring, whatever would be faster. */
TEST(Choice, LeavesRingsBesideProductsAlone)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
  const auto layer_s = [&](ss_algorithm gather) {
    workload.schedule.all_gather = workload.schedule.reduce_scatter = gather;
    return Job(workload, make_machine({}), SS_COST_CALIBRATED).layer_s(SS_PASS_FORWARD);
  };
  EXPECT_EQ(layer_s(SS_ALGORITHM_HALVING), layer_s(SS_ALGORITHM_RING));
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  EXPECT_LT(layer_s(SS_ALGORITHM_HALVING), layer_s(SS_ALGORITHM_RING)); /* 2 steps instead of 3 */
}
