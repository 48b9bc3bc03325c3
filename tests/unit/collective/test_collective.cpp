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

const ss_span kSpan = {16, 4, 4, 0}, kInside = {4, 1, 4, 0}, kApart = {4, 4, 1, 0};

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
    sum = {sum.latency_s + time.latency_s, sum.transfer_s + time.transfer_s};
  }
  const ss_comm_time whole = ss_method_time(&network, method, span, kVolume);
  EXPECT_DOUBLE_EQ(whole.latency_s, sum.latency_s);
  EXPECT_DOUBLE_EQ(whole.transfer_s, sum.transfer_s);
  EXPECT_EQ(ss_comm_time_sum(ss_collective_phase(&network, method, span, kVolume, (int)expected.size())), 0);
  EXPECT_EQ(ss_comm_time_sum(ss_method_time(&network, method, {1, 1, 1, 0}, kVolume)), 0);
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
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, {4, 2, 2, 0}, {{2, 2, 800e6, 800e6 / 2}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_TREE}, {3, 3, 1, 0}, {{0, 4, 0, 1600e6}}); /* 0 - 2, 2 - 1 */
}

/* The second tree of 4 domains is 3 - 1, 1 - 2, 1 - 0: domain 2 has 3 + 1 neighbours for 400 MB each. Of 3 domains, it
 * is 1 - 0, 0 - 2: domains 0 and 2 have 3 neighbours. Both trees of 2 are one edge. */
TEST(Algorithms, DoubleTree)
{
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, kSpan, {{6, 4, 1600e6, 1600e6 / 4}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, kInside, {{6, 0, 1600e6, 0}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, kApart, {{0, 4, 0, 1600e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {3, 3, 1, 0}, {{0, 4, 0, 1200e6}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {4, 2, 2, 0}, {{2, 2, 800e6, 800e6 / 2}});
  expect_phases({SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE}, {36, 9, 4, 0}, {{6, 8, 1600e6, 1600e6 / 4}});
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
  const ss_span span = {16, 2, 8, 0};
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
  for (const ss_span span : {ss_span{4, 1, 4, 0}, ss_span{256, 64, 4, 0}, ss_span{1000, 1000, 1, 0}})
    for (const double volume : {1e3, 1e6, 1e9}) {
      const double n = (double)span.size;
      const bool far = span.domains > 1;
      const double step_s = ss_comm_time_sum(ss_message_time(&network, far, volume / n));
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

namespace
{

/* A machine on a torus, its domains with a NIC for each GPU. */
ss_network on_torus(int domains, int local, const char *sizes)
{
  PlatformSpec spec;
  spec.domain = spec.nics = local;
  spec.gpus = domains * local;
  spec.topology = "topology=\"TORUS\" topo_parameters=\"" + std::string(sizes) + "\"";
  const ss_machine machine = make_machine(spec);
  const ss_workload workload = make_workload();
  return ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
}

/* The slowest cable of a bucket algorithm, as a share of the volume; one GPU to a domain. */
double bucket_share(const ss_network &network, ss_collective kind, int64_t ranks)
{
  return ss_method_time(&network, {kind, SS_ALGORITHM_BUCKET}, {ranks, ranks, 1, 0}, kVolume).transfer_s * kSlow /
         kVolume;
}

} // namespace

/* All to all, the shorter way: of the volume of each of 16 in a ring, the sum of distances 2 (1 + ... + 7) + 8 = 64
 * times 1/16 on cables of both directions: 2. In a ring of 4 it is 4/4/2, in one of 5 6/5/2, of 2 1/2, and on several
 * dimensions the most of these. Where no dimension is filled, what leaves a NIC counts. */
TEST(Direct, FillsTheCablesOfATorus)
{
  const auto share = [](const ss_network &network, int64_t ranks) {
    const ss_span span = {ranks, ranks, 1, 0};
    return ss_method_time(&network, {SS_ALL_TO_ALL, SS_ALGORITHM_DIRECT}, span, kVolume).transfer_s * kSlow / kVolume;
  };
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 16), 2);
  EXPECT_DOUBLE_EQ(share(on_torus(64, 1, "4,4,4"), 64), 0.5);
  EXPECT_DOUBLE_EQ(share(on_torus(5, 1, "5"), 5), 0.6);
  EXPECT_DOUBLE_EQ(share(on_torus(32, 1, "2,16"), 32), 2);
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 8), 7.0 / 8);
}

/* 4 x 4 x 4: three parts, each half up and half down. A part puts 3/4 of its half on each cable of the first dimension,
 * 3/16 on the second, 3/64 on the third; each cable has all three in turn: (3/4 + 3/16 + 3/64) / 6 = 63/384. 3 steps in
 * each dimension. A ring puts 63/64 on its cables in 63 steps. */
TEST(Bucket, UsesAllDimensionsOfATorus)
{
  const ss_network cube = on_torus(64, 1, "4,4,4");
  const ss_span all = {64, 64, 1, 0};
  EXPECT_DOUBLE_EQ(bucket_share(cube, SS_ALL_GATHER, 64), 63.0 / 384);
  EXPECT_DOUBLE_EQ(bucket_share(cube, SS_REDUCE_SCATTER, 64), 63.0 / 384);
  EXPECT_DOUBLE_EQ(bucket_share(cube, SS_ALL_REDUCE, 64), 63.0 / 192);
  EXPECT_DOUBLE_EQ(ss_method_time(&cube, {SS_ALL_GATHER, SS_ALGORITHM_BUCKET}, all, kVolume).latency_s,
                   9 * kSlowLatency);
  EXPECT_EQ(ss_collective_choose(&cube, SS_ALL_GATHER, all, kVolume), SS_ALGORITHM_BUCKET);
  EXPECT_EQ(ss_collective_choose(&cube, SS_ALL_GATHER, {16, 16, 1, 0}, kVolume), SS_ALGORITHM_RING);
  const ss_network flat = network_with({0, 0});
  EXPECT_EQ(flat.others[SS_ALL_GATHER], 0u);
}

/* A ring of 5 in both directions has 4/5 in two halves. Of 4 x 2, the part that starts with the 2, where up and down
 * are one cable, has 1/2 of 1/2 there, the other 1/2 of the 1/8 of each half that is left, together 5/16; on the 4, 3/4
 * (1 + 1/2) / 4 = 9/32. A dimension of 1 is none. */
TEST(Bucket, OfUnequalDimensionsFillsOneMost)
{
  EXPECT_DOUBLE_EQ(bucket_share(on_torus(5, 1, "5"), SS_ALL_GATHER, 5), 2.0 / 5);
  for (const char *sizes : {"4,2", "2,4", "4,1,2"})
    EXPECT_DOUBLE_EQ(bucket_share(on_torus(8, 1, sizes), SS_ALL_GATHER, 8), 5.0 / 16);
}

/* Groups that have all of some dimensions of 4 x 8 x 2. All 8 of the second: 7/8 in two halves, 7 steps; with the
 * third, 8 x 2: on the 8, 7/8 (1 + 1/2) / 4 = 21/64; on the 2, 1/2 (1 + 1/8) / 2 = 18/64. The third alone is one cable,
 * 1/2 of all. Where a group has half of a dimension no ring closes, and rings go over all of it in one direction. */
TEST(Bucket, GoesAroundTheDimensionsThatAGroupFills)
{
  const ss_network network = on_torus(64, 1, "4,8,2");
  const ss_method gather = {SS_ALL_GATHER, SS_ALGORITHM_BUCKET};
  const auto share = [&](const ss_span &span) {
    return ss_method_time(&network, gather, span, kVolume).transfer_s * kSlow / kVolume;
  };
  const ss_span second = {8, 8, 1, 0b010}, both = {16, 16, 1, 0b110}, third = {2, 2, 1, 0b100}, part = {16, 16, 1, 0};
  EXPECT_DOUBLE_EQ(share(second), 7.0 / 16);
  EXPECT_DOUBLE_EQ(ss_method_time(&network, gather, second, kVolume).latency_s, 7 * kSlowLatency);
  EXPECT_DOUBLE_EQ(share(both), 21.0 / 64);
  EXPECT_DOUBLE_EQ(ss_method_time(&network, gather, both, kVolume).latency_s, (7 + 1) * kSlowLatency);
  EXPECT_DOUBLE_EQ(share(third), 1.0 / 2);
  EXPECT_DOUBLE_EQ(share(part), 15.0 / 16);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_GATHER, second, kVolume), SS_ALGORITHM_BUCKET);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_GATHER, part, kVolume), SS_ALGORITHM_RING);
}

/* On 4 x 8 x 2, GPUs 3, 7, ..., 31 are all of the second dimension; with those 32 further on, also of the third. 0, 4,
 * 8 and 12 are half of a dimension, 0 to 4 are parts of two, and a rectangle of 2 x 4 is one of none. */
TEST(Bucket, FindsTheDimensionsThatAGroupFills)
{
  const ss_lattice lattice = on_torus(64, 1, "4,8,2").lattice;
  const auto axes = [&](std::vector<int32_t> gpu) {
    return ss_span_of(gpu.data(), (int64_t)gpu.size(), 1, &lattice).axes;
  };
  EXPECT_EQ(axes({3, 7, 11, 15, 19, 23, 27, 31}), 0b010u);
  EXPECT_EQ(axes({31, 7, 11, 15, 19, 23, 27, 3, 35, 39, 43, 47, 51, 55, 59, 63}), 0b110u);
  EXPECT_EQ(axes({4, 5, 6, 7}), 0b001u);
  EXPECT_EQ(axes({0, 4, 8, 12}), 0u);
  EXPECT_EQ(axes({0, 1, 2, 3, 4}), 0u);
  EXPECT_EQ(axes({0, 1, 4, 5, 8, 9, 12, 13}), 0u);
  EXPECT_EQ(axes({17}), 0u);
}

/* All that comes to a domain is what it misses, n - 1 of n parts, whatever the sizes are. */
TEST(Bucket, BringsEveryDomainWhatItMisses)
{
  for (const char *sizes : {"2", "3", "7", "4,4", "2,2,2", "5,3,2", "8,8,16", "2,3,4,5", "3,3,3,3,3,3"}) {
    int64_t domains = 1;
    for (const char *c = sizes; *c != '\0'; c += std::strcspn(c, ",") + (std::strchr(c, ',') != nullptr))
      domains *= std::atoi(c);
    const ss_lattice lattice = on_torus((int)domains, 1, sizes).lattice;
    double share = 0;
    for (int i = 0; i < lattice.dimensions; ++i) share += (lattice.size[i] > 2 ? 2 : 1) * ss_lattice_share(&lattice, i);
    EXPECT_NEAR(share, 1 - 1.0 / (double)domains, 1e-12) << sizes;
  }
}

/* Domains of 4 GPUs, whose NICs fill the first dimension of 4 x 8 x 3: 3/4 inside, then the four NICs go around the 8 x
 * 3 of their own. On the 8, 7/8 (1 + 1/3) / 4 = 7/24. Where NICs do not fill a dimension, domains are no torus. */
TEST(Bucket, GoesAroundTheDomains)
{
  const ss_network network = on_torus(24, 4, "4,8,3");
  const ss_method gather = {SS_ALL_GATHER, SS_ALGORITHM_BUCKET};
  const ss_span all = {96, 24, 4, 0};
  ASSERT_EQ(ss_collective_phases(gather, all), 2);
  EXPECT_DOUBLE_EQ(ss_collective_phase(&network, gather, all, kVolume, 0).transfer_s, 7.0 / 24 * kVolume / 4 / kSlow);
  EXPECT_DOUBLE_EQ(ss_collective_phase(&network, gather, all, kVolume, 0).latency_s, (7 + 2) * kSlowLatency);
  EXPECT_DOUBLE_EQ(ss_collective_phase(&network, gather, all, kVolume, 1).transfer_s, 0.75 * kVolume / kFast);
  EXPECT_EQ(on_torus(24, 4, "8,4,3").lattice.domains, 0);
  EXPECT_EQ(on_torus(24, 4, "2,2,8,3").lattice.dimensions, 2);
  EXPECT_EQ(on_torus(20, 4, "4,8,3").lattice.domains, 0); /* hosts to spare */
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
        const ss_span span = {domains * local, domains, local, 0};
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
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {512, 128, 4, 0}, 594e6), SS_ALGORITHM_DOUBLE_TREE);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {512, 128, 4, 0}, 595e6), SS_ALGORITHM_RING);
  /* two domains: rings have fewer steps and move 7/4 V, trees are taken to move 2 V as ever */
  for (const double bytes : {1e3, 520e3, 1e9})
    EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {8, 2, 4, 0}, bytes), SS_ALGORITHM_RING);
}

/* Times are linear in the volume: one that has been left is not come back to. */
TEST(Choice, ChangesOnceAtMost)
{
  for (const Switches switches : {Switches{0, 0}, Switches{1, 0}, Switches{0, 1}, Switches{1, 1}}) {
    const ss_network network = network_with(switches);
    for (const ss_collective kind : {SS_ALL_GATHER, SS_REDUCE_SCATTER, SS_ALL_REDUCE})
      for (const ss_span span : {kSpan, kInside, kApart, ss_span{512, 128, 4, 0}, ss_span{6, 3, 2, 0}}) {
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
  EXPECT_EQ(ss_collective_choose(&switched, SS_ALL_REDUCE, {17, 17, 1, 0}, 1), SS_ALGORITHM_DOUBLE_TREE);
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
