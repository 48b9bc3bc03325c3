/* Collectives on a torus, against numbers derived by hand: what groups put on its cables that fill dimensions, that are
 * boxes of it, and others. */
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* NICs of 17.5 GB/s and 5 us, NVLink of 210 GB/s. */
constexpr double kFast = 210e9, kSlow = 17.5e9, kSlowLatency = 5e-6;
constexpr double kVolume = 800e6;

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
  return ss_method_time(&network, {kind, SS_ALGORITHM_BUCKET}, {ranks, ranks, 1, {}, {}}, kVolume).transfer_s * kSlow /
         kVolume;
}

} /* namespace */

/* All to all, the shorter way: of the volume of each of 16 in a ring, the sum of distances 2 (1 + ... + 7) + 8 = 64
 * times 1/16 on cables of both directions: 2. In a ring of 4 it is 4/4/2, in one of 5 6/5/2, of 2 1/2, and on several
 * dimensions the most of these. Half a ring of 16: 4 send 4/8 through the middle each, 2. The other half of its
 * domains, 2 apart: 64/4 / 8 / 2 = 1 of each of two groups. Two on opposite sides: 1/2 of each of 8. On 8 x 2 of 8 x 4,
 * 1 on the 8 and 1/2 on the 2. Domains that are no box: what leaves a NIC counts. */
TEST(Direct, FillsTheCablesOfATorus)
{
  const auto share = [](const ss_network &network, int64_t ranks, int64_t apart = 1) {
    std::vector<int32_t> gpu((size_t)ranks);
    for (int64_t i = 0; i < ranks; ++i) gpu[(size_t)i] = (int32_t)(apart * i);
    const ss_span span = ss_span_of(gpu.data(), ranks, 1, &network.lattice);
    return ss_method_time(&network, {SS_ALL_TO_ALL, SS_ALGORITHM_DIRECT}, span, kVolume).transfer_s * kSlow / kVolume;
  };
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 16), 2);
  EXPECT_DOUBLE_EQ(share(on_torus(64, 1, "4,4,4"), 64), 0.5);
  EXPECT_DOUBLE_EQ(share(on_torus(5, 1, "5"), 5), 0.6);
  EXPECT_DOUBLE_EQ(share(on_torus(32, 1, "2,16"), 32), 2);
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 8), 2);
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 8, 2), 2);
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 2, 8), 4);
  EXPECT_DOUBLE_EQ(share(on_torus(32, 1, "8,4"), 16), 1);
  EXPECT_DOUBLE_EQ(share(on_torus(16, 1, "16"), 5, 3), 3 * 6.0 / 5);
  EXPECT_DOUBLE_EQ(share(on_torus(32, 1, "8,4"), 12), 11.0 / 12);
}

/* 4 x 4 x 4: three parts, each half up and half down. A part puts 3/4 of its half on each cable of the first dimension,
 * 3/16 on the second, 3/64 on the third; each cable has all three in turn: (3/4 + 3/16 + 3/64) / 6 = 63/384. 3 steps in
 * each dimension. A ring puts 63/64 on its cables in 63 steps. */
TEST(Bucket, UsesAllDimensionsOfATorus)
{
  const ss_network cube = on_torus(64, 1, "4,4,4");
  const ss_span all = {64, 64, 1, {}, {}};
  EXPECT_DOUBLE_EQ(bucket_share(cube, SS_ALL_GATHER, 64), 63.0 / 384);
  EXPECT_DOUBLE_EQ(bucket_share(cube, SS_REDUCE_SCATTER, 64), 63.0 / 384);
  EXPECT_DOUBLE_EQ(bucket_share(cube, SS_ALL_REDUCE, 64), 63.0 / 192);
  EXPECT_DOUBLE_EQ(ss_method_time(&cube, {SS_ALL_GATHER, SS_ALGORITHM_BUCKET}, all, kVolume).latency_s,
                   9 * kSlowLatency);
  EXPECT_EQ(ss_collective_choose(&cube, SS_ALL_GATHER, all, kVolume), SS_ALGORITHM_BUCKET);
  EXPECT_EQ(ss_collective_choose(&cube, SS_ALL_GATHER, {16, 16, 1, {}, {}}, kVolume), SS_ALGORITHM_RING);
  const ss_machine machine = make_machine({});
  const ss_workload workload = make_workload();
  const ss_network flat = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
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
  const ss_span second = {8, 8, 1, {0b010, 1, 0.0}, {}}, both = {16, 16, 1, {0b110, 1, 0.0}, {}},
                third = {2, 2, 1, {0b100, 1, 0.0}, {}}, part = {16, 16, 1, {}, {}};
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
    return ss_span_of(gpu.data(), (int64_t)gpu.size(), 1, &lattice).torus.axes;
  };
  EXPECT_EQ(axes({3, 7, 11, 15, 19, 23, 27, 31}), 0b010u);
  EXPECT_EQ(axes({31, 7, 11, 15, 19, 23, 27, 3, 35, 39, 43, 47, 51, 55, 59, 63}), 0b110u);
  EXPECT_EQ(axes({4, 5, 6, 7}), 0b001u);
  EXPECT_EQ(axes({0, 4, 8, 12}), 0u);
  EXPECT_EQ(axes({0, 1, 2, 3, 4}), 0u);
  EXPECT_EQ(axes({0, 1, 4, 5, 8, 9, 12, 13}), 0u);
  EXPECT_EQ(axes({17}), 0u);
}

/* Groups of 8 x 4 x 2: every second domain of the first dimension, in all of the second; such groups lie two to a
 * cable, on which each puts what it passes on. Opposite domains are four to a cable. */
TEST(Bucket, GroupsThatLieApartShareCables)
{
  const ss_network network = on_torus(64, 1, "8,4,2");
  const auto gather_share = [&](std::vector<int32_t> gpu) {
    const ss_span span = ss_span_of(gpu.data(), (int64_t)gpu.size(), 1, &network.lattice);
    return ss_method_time(&network, {SS_ALL_GATHER, SS_ALGORITHM_RING}, span, kVolume).transfer_s * kSlow / kVolume;
  };
  std::vector<int32_t> second;
  for (int i = 0; i < 16; ++i) second.push_back(1 + 2 * i);
  EXPECT_DOUBLE_EQ(gather_share(second), 2 * 15.0 / 16);
  EXPECT_DOUBLE_EQ(gather_share({3, 7}), 4 * 1.0 / 2);
  EXPECT_DOUBLE_EQ(gather_share({3, 4}), 1.0 / 2);
  EXPECT_DOUBLE_EQ(gather_share({3, 4, 6}), 2.0 / 3);  /* no box */
  EXPECT_DOUBLE_EQ(gather_share({1, 7}), 2 * 1.0 / 2); /* two cables apart, the other way around */
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
  const ss_span all = {96, 24, 4, {}, {}};
  ASSERT_EQ(ss_collective_phases(gather, all), 2);
  EXPECT_DOUBLE_EQ(ss_collective_phase(&network, gather, all, kVolume, 0).transfer_s, 7.0 / 24 * kVolume / 4 / kSlow);
  EXPECT_DOUBLE_EQ(ss_collective_phase(&network, gather, all, kVolume, 0).latency_s, (7 + 2) * kSlowLatency);
  EXPECT_DOUBLE_EQ(ss_collective_phase(&network, gather, all, kVolume, 1).transfer_s, 0.75 * kVolume / kFast);
  EXPECT_EQ(on_torus(24, 4, "8,4,3").lattice.domains, 0);
  EXPECT_EQ(on_torus(24, 4, "2,2,8,3").lattice.dimensions, 2);
  EXPECT_EQ(on_torus(20, 4, "4,8,3").lattice.domains, 0); /* hosts to spare */
}
