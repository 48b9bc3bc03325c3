/* What NCCL expects of rings and trees, by numbers derived by hand from the constants of its src/graph/tuning.cc. */
#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

constexpr double kUs = 1e-6;

/* Four GPUs in a domain with 300 GB/s each over NVLink, of which NCCL takes 240, and a NIC of 24 GB/s each. */
const ss_tuning kTuning = {true, 300e9, 24e9, 1.0, 4.0, false};

/* GPUs in all, domains, and in each. */
ss_span span_of(int64_t domains, int64_t gpus)
{
  return {domains * gpus, domains, gpus, {}, {}};
}

ss_expected ring(ss_collective kind, ss_span span, double bytes)
{
  return ss_tuning_ring(&kTuning, kind, span, bytes);
}

} // namespace

/* Three steps: of LL 6.6 + 3 x 0.6 us and 3/4 of the volume at a third of 240 GB/s, of Simple 8.4 + 3 x 3.4 us at all
 * of it. An all-reduce goes around twice: 6.6 + 6 x 0.6 us at a quarter, 8.4 + 6 x 3.4 us. */
TEST(Tuning, RingsInsideADomain)
{
  const ss_span span = span_of(1, 4);
  EXPECT_EQ(ring(SS_ALL_GATHER, span, 1.6e6).protocol, SS_LL);
  EXPECT_DOUBLE_EQ(ring(SS_ALL_GATHER, span, 1.6e6).time_s, 8.4 * kUs + 1.2e6 / 80e9);
  EXPECT_EQ(ring(SS_ALL_GATHER, span, 1.7e6).protocol, SS_SIMPLE);
  EXPECT_DOUBLE_EQ(ring(SS_REDUCE_SCATTER, span, 3.2e6).time_s, 18.6 * kUs + 2.4e6 / 240e9);
  EXPECT_DOUBLE_EQ(ring(SS_ALL_REDUCE, span, 0.8e6).time_s, 10.2 * kUs + 1.2e6 / 60e9);
  EXPECT_DOUBLE_EQ(ring(SS_ALL_REDUCE, span, 3.2e6).time_s, 28.8 * kUs + 4.8e6 / 240e9);
}

/* A GPU of four without a switch has a third of its links to another one: 80 GB/s, of which LL has a third. */
TEST(Tuning, RingsOfPairs)
{
  ss_tuning pairs = kTuning;
  pairs.pairs = true;
  EXPECT_DOUBLE_EQ(ss_tuning_ring(&pairs, SS_ALL_GATHER, span_of(1, 2), 0.2e6).time_s, 7.2 * kUs + 0.3e6 / 80e9);
}

/* One GPU in each of eight domains: LL has 6 of 24 GB/s, and seven steps of 2.7 us; those of Simple are 14 us. With
 * four GPUs, the host passes the 24 steps over NVLink on, too: 2 us each, and 6 us of Simple; LL has 19 of 96 GB/s. */
TEST(Tuning, RingsAcrossDomains)
{
  const ss_span apart = span_of(8, 1), whole = span_of(8, 4);
  EXPECT_EQ(ring(SS_REDUCE_SCATTER, apart, 0.73e6).protocol, SS_LL);
  EXPECT_DOUBLE_EQ(ring(SS_REDUCE_SCATTER, apart, 0.48e6).time_s, 25.5 * kUs + 0.42e6 / 6e9);
  EXPECT_EQ(ring(SS_REDUCE_SCATTER, apart, 0.75e6).protocol, SS_SIMPLE);
  EXPECT_DOUBLE_EQ(ring(SS_REDUCE_SCATTER, apart, 0.96e6).time_s, 106.4 * kUs + 0.84e6 / 24e9);
  EXPECT_DOUBLE_EQ(ring(SS_ALL_GATHER, whole, 3.2e6).time_s, 73.5 * kUs + 3.1e6 / 19e9);
  EXPECT_DOUBLE_EQ(ring(SS_ALL_GATHER, whole, 32e6).time_s, 250.4 * kUs + 31e6 / 96e9);
}

/* Of an all-reduce over eight GPUs apart, 14 steps are taken for 16 across domains less 2 inside, and Simple for 1.4
 * times as slow: 1.4 x (8.4 - 2 x 6 + 16 x 14) us. */
TEST(Tuning, AllReducesAcrossDomains)
{
  const double steps_s = 1.4 * 220.4 * kUs;
  EXPECT_DOUBLE_EQ(ring(SS_ALL_REDUCE, span_of(8, 1), 9.6e6).time_s, steps_s + 16.8e6 / 24e9);
}

/* Three levels up and down of 14 us each; the volume twice at 0.85 x 17.8 GB/s, and of 1 to 2 MiB half of that. By LL,
 * levels of 5 us after 6.8 us, at 1 / 3.8 of that. */
TEST(Tuning, Trees)
{
  const ss_span span = span_of(8, 1);
  const double reached = 0.85 * 17.8e9;
  const ss_expected large = ss_tuning_trees(&kTuning, span, 1.2e6), small = ss_tuning_trees(&kTuning, span, 1e3);
  EXPECT_EQ(large.protocol, SS_SIMPLE);
  EXPECT_NEAR(large.time_s, 84 * kUs + 2.4e6 / (0.5 * reached), 1e-12);
  EXPECT_EQ(small.protocol, SS_LL);
  EXPECT_NEAR(small.time_s, 36.8 * kUs + 2e3 / (reached / 3.8), 1e-12);
}

/* Over 128 GPUs apart rings are expected to take 5 ms and 2 x 127/128 of the volume at 24 GB/s, trees 0.2 ms and twice
 * the volume at 0.7 (32 MiB) and 0.8 (64 MiB) of 15.13 GB/s: 7.8 and 6.5 ms, then 10.6 and 11.3 ms. nccl-tests on
 * Perlmutter take 5.1 and 12.7 ms (validation/measured-nccl-perlmutter.xml): the latter by a ring, where trees would be
 * faster. */
TEST(Tuning, ChoosesAmongRingsAndTrees)
{
  ss_machine machine = with_protocols(make_machine({}));
  machine.fabric_bytes_per_s = 24e9;
  machine.nccl_tuning = 1;
  const ss_workload workload = make_workload();
  ss_network network = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
  const ss_span span = span_of(128, 1);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, span, 32 << 20), SS_ALGORITHM_DOUBLE_TREE);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, span, 64 << 20), SS_ALGORITHM_RING);
  machine.nccl_tuning = 0;
  network = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, span, 64 << 20), SS_ALGORITHM_DOUBLE_TREE);
}

/* A protocol is taken where it is expected to be faster, whether it is or not: a gather of 1.7 MB inside a domain takes
 * 15 + 3 x 12 us and its bytes by Simple, although LL would take 15 + 3 x 0.5 us and twice those. */
TEST(Tuning, TakesWhatItExpectsToBeFaster)
{
  ss_machine machine = with_protocols(make_machine({}));
  const ss_workload workload = make_workload();
  const ss_method method = {SS_ALL_GATHER, SS_ALGORITHM_RING};
  const auto time_s = [&](double bytes) {
    const ss_network network = ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
    return ss_comm_time_sum(ss_method_time(&network, method, span_of(1, 4), bytes));
  };
  const double steps_s = 15 * kUs, bytes_s = 0.75 / 210e9;
  EXPECT_DOUBLE_EQ(time_s(1.7e6), steps_s + 1.5 * kUs + 2 * 1.7e6 * bytes_s);
  machine.nccl_tuning = 1;
  EXPECT_DOUBLE_EQ(time_s(1.7e6), steps_s + 36 * kUs + 1.7e6 * bytes_s);
}
