/* The analytic layer against numbers derived by hand. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/base/grow.h"
#include "model/run/price.h"
}

using namespace stepsim;

/* Points (20, 22500), (40, 25000), (80, 30000), (120, 40000), in GiB: 125 dollars per GiB up to 80 and below 20, then
 * 250. */
TEST(Prices, AreLinear)
{
  ss_curve prices = {};
  EXPECT_EQ(ss_price_value(&prices, 1e9), 0.0);
  prices.count = 1;
  prices.value[0] = 7.0;
  EXPECT_EQ(ss_price_value(&prices, 1e9), 7.0);
  const double size[] = {20, 40, 80, 120}, value[] = {22500, 25000, 30000, 40000};
  prices.count = 4;
  for (int i = 0; i < 4; ++i) {
    prices.size[i] = size[i];
    prices.value[i] = value[i];
  }
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(ss_price_value(&prices, size[i]), value[i]);
  EXPECT_DOUBLE_EQ(ss_price_value(&prices, 60), 27500);
  EXPECT_DOUBLE_EQ(ss_price_value(&prices, 0), 20000);
  EXPECT_DOUBLE_EQ(ss_price_value(&prices, 140), 45000);
  prices.value[0] = 0.0; /* 1250 per GiB at the start: below 0 at 0 */
  EXPECT_EQ(ss_price_value(&prices, 0), 0.0);
}

/* A GPU of 30000 + 2000 dollars; domains of 8 cost 256000: a million buys 3 of them, their exact price 5. Over 2 years
 * of 31557600 s a GPU loses 32000 / 63115200 dollars a second. */
TEST(Prices, BuyWholeDomains)
{
  ss_machine machine;
  ss_machine_init(&machine);
  machine.domain_size = machine.gpus = 8;
  machine.offload_price.count = 1;
  machine.offload_price.value[0] = 2000;
  EXPECT_EQ(ss_machine_gpu_dollars(&machine), 0.0);
  EXPECT_EQ(ss_machine_gpus_for(&machine, 1e9), 0);
  machine.gpu_price.count = 1;
  machine.gpu_price.value[0] = 30000;
  machine.lifetime_years = 2;
  EXPECT_DOUBLE_EQ(ss_machine_gpu_dollars(&machine), 32000);
  EXPECT_DOUBLE_EQ(ss_price_gpu_dollars_per_s(&machine), 32000.0 / 63115200.0);
  EXPECT_EQ(ss_machine_gpus_for(&machine, 1e6), 24);
  EXPECT_EQ(ss_machine_gpus_for(&machine, 5 * 256000.0), 40);
  EXPECT_EQ(ss_machine_gpus_for(&machine, 255999.0), 0);
  EXPECT_GT(ss_machine_gpus_for(&machine, 1e300), 0);
}

/* 1 Tflop at 312 Tflop/s x 0.8 and 20 us; 1 GB at 1555 GB/s takes longer, and the excess is memory time. */
TEST(Cost, Sc24IsTheRoofline)
{
  const ss_machine machine = make_machine({});
  const ss_kernel product = {SS_ENGINE_MATRIX, 1e12, 1e6, 0, SS_ACCESS_FRAMEWORK, {}, 0};
  const ss_duration fast = ss_kernel_duration(&machine, SS_COST_SC24, &product);
  EXPECT_DOUBLE_EQ(fast.compute_s, 20e-6 + 1e12 / (0.8 * 312e12));
  EXPECT_EQ(fast.memory_s, 0);
  const ss_kernel wide = {SS_ENGINE_VECTOR, 1e9, 1e9, 0, SS_ACCESS_FRAMEWORK, {}, 0};
  const ss_duration slow = ss_kernel_duration(&machine, SS_COST_SC24, &wide);
  EXPECT_DOUBLE_EQ(slow.compute_s, 20e-6 + 1e9 / (0.8 * 78e12));
  EXPECT_DOUBLE_EQ(slow.compute_s + slow.memory_s, 1e9 / 1555e9);
}

/* Efficiency 0.2 at 1 Gf and 0.8 at 1 Tf: half way in the logarithm, at 10^10.5, it is 0.5. */
TEST(Cost, CalibratedFollowsTheCurve)
{
  ss_machine machine = make_machine({});
  machine.matrix_efficiency = {2, {1e9, 1e12}, {0.2, 0.8}};
  machine.fp8_flop_per_s = 600e12;
  machine.launch_overhead_s = 3e-6;
  ss_kernel kernel = {SS_ENGINE_MATRIX, std::pow(10, 10.5), 0, 0, SS_ACCESS_FRAMEWORK, {}, 0};
  const ss_duration middle = ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel);
  expect_close(middle.compute_s, kernel.flop / (0.5 * 312e12), 1e-12);
  EXPECT_DOUBLE_EQ(middle.launch_s, 3e-6);
  kernel.engine = SS_ENGINE_FP8;
  expect_close(ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel).compute_s, kernel.flop / (0.5 * 600e12),
               1e-12);
  /* as many as make each of them 1 Gf */
  kernel.products = std::pow(10, 1.5);
  expect_close(ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel).compute_s, kernel.flop / (0.2 * 600e12),
               1e-12);
  EXPECT_DOUBLE_EQ(ss_curve_value(&machine.matrix_efficiency, 1), 0.2);
  EXPECT_DOUBLE_EQ(ss_curve_value(&machine.matrix_efficiency, 1e15), 0.8);
}

/* Rates of a whole iteration: 0.9 of the efficiency of 0.8, in both precisions, and of the bandwidth's 0.85 an
 * element-wise kernel has 0.6, a norm of cuDNN 0.9 where that is known, one that streams all; at half the speed of
 * kernels, both take twice as long. None of it changes the published model. */
TEST(Cost, SharesOfMeasuredRates)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = 600e12;
  machine.matrix_sustained = 0.9;
  machine.vector_hbm_share = 0.6;
  machine.launch_overhead_s = 0;
  const auto time_s = [&](const ss_kernel &kernel) {
    return ss_duration_sum(ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel));
  };
  expect_close(time_s({SS_ENGINE_MATRIX, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 1e12 / (0.9 * 0.8 * 312e12), 1e-12);
  expect_close(time_s({SS_ENGINE_FP8, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 1e12 / (0.9 * 0.8 * 600e12), 1e-12);
  expect_close(time_s({SS_ENGINE_VECTOR, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 1e12 / (0.8 * 78e12), 1e-12);
  expect_close(time_s({SS_ENGINE_VECTOR, 0, 1e9, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 1e9 / (0.6 * 0.85 * 1555e9), 1e-12);
  expect_close(time_s({SS_ENGINE_VECTOR, 0, 1e9, 0, SS_ACCESS_LONG_RUNS, {}, 0}), 1e9 / (0.85 * 1555e9), 1e-12);
  expect_close(time_s({SS_ENGINE_MATRIX, 0, 1e9, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 1e9 / (0.85 * 1555e9), 1e-12);
  expect_close(time_s({SS_ENGINE_VECTOR, 0, 1e9, 0, SS_ACCESS_CUDNN_NORM, {}, 0}), 1e9 / (0.6 * 0.85 * 1555e9), 1e-12);
  machine.cudnn_norm_share = 0.9;
  expect_close(time_s({SS_ENGINE_VECTOR, 0, 1e9, 0, SS_ACCESS_CUDNN_NORM, {}, 0}), 1e9 / (0.9 * 0.85 * 1555e9), 1e-12);
  machine.kernel_speed = 0.5;
  expect_close(time_s({SS_ENGINE_MATRIX, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 2e12 / (0.9 * 0.8 * 312e12), 1e-12);
  expect_close(time_s({SS_ENGINE_VECTOR, 0, 1e9, 0, SS_ACCESS_FRAMEWORK, {}, 0}), 2e9 / (0.6 * 0.85 * 1555e9), 1e-12);
  const ss_kernel kernel = {SS_ENGINE_VECTOR, 1e9, 1e9, 0, SS_ACCESS_FRAMEWORK, {}, 0};
  const ss_machine plain = make_machine({});
  EXPECT_EQ(ss_duration_sum(ss_kernel_duration(&machine, SS_COST_SC24, &kernel)),
            ss_duration_sum(ss_kernel_duration(&plain, SS_COST_SC24, &kernel)));
}

namespace
{

/* What ss_overlap says, piece by piece. */
double overlap_by_hand(const ss_overlap &overlap, double kernel_s, double call_s)
{
  const int64_t firsts = overlap.kernel_first ? overlap.kernel_pieces : overlap.call_pieces;
  const int64_t seconds = overlap.kernel_first ? overlap.call_pieces : overlap.kernel_pieces;
  const double first_s = overlap.kernel_first ? kernel_s : call_s, second_s = overlap.kernel_first ? call_s : kernel_s;
  double end_s = 0;
  for (int64_t piece = 1; piece <= seconds; ++piece) {
    const int64_t needed = std::min(std::max<int64_t>(piece - overlap.lag, 0), firsts);
    end_s = std::max(end_s, (double)needed * first_s) + second_s;
  }
  return std::max(end_s, (double)firsts * first_s);
}

} /* namespace */

TEST(Overlap, IsThePipelineOfItsPieces)
{
  for (const bool kernel_first : {false, true})
    for (int64_t kernels = 1; kernels <= 6; ++kernels)
      for (int64_t calls = 1; calls <= 6; ++calls)
        for (int64_t lag = 0; lag <= 4; ++lag)
          for (const double call_s : {0.0, 0.1, 0.9, 1.0, 1.1, 1.3, 7.0}) {
            const ss_overlap overlap = {kernel_first, kernels, calls, lag, false};
            expect_close(ss_overlap_time(&overlap, 1, call_s), overlap_by_hand(overlap, 1, call_s), 1e-14);
          }
}

/* The shapes that are in use, with kernel pieces of k and call pieces of c seconds. */
TEST(Overlap, ShapesInUse)
{
  for (const double c : {0.3, 1.0, 4.0}) {
    const double k = 1.0, n = 8;
    const ss_overlap beside = {false, 1, 1, 1, false};
    EXPECT_DOUBLE_EQ(ss_overlap_time(&beside, k, c), std::max(k, c));
    /* one piece goes before, or after, all the others side by side */
    const ss_overlap pipe = {true, 8, 8, 0, false};
    EXPECT_DOUBLE_EQ(ss_overlap_time(&pipe, k, c), std::max(n * k + c, k + n * c));
    const ss_overlap gather = {false, 8, 7, 1, true}, scatter = {true, 8, 7, 0, true};
    EXPECT_DOUBLE_EQ(ss_overlap_time(&gather, k, c), std::max(n * k, (n - 1) * c + k));
    EXPECT_DOUBLE_EQ(ss_overlap_time(&scatter, k, c), std::max(n * k, std::max((n - 1) * k + c, k + (n - 1) * c)));
    /* arXiv 2410.00273: t + s + max(nb s - t, 0) */
    const ss_overlap summa = {false, 8, 9, 0, false};
    EXPECT_DOUBLE_EQ(ss_overlap_time(&summa, k, c), n * k + c + std::max(n * c - n * k, 0.0));
  }
}

/* 8 ranks, 4 in each of two domains with 4 NICs, 800 MB: 210 GB/s inside, 17.5 GB/s per NIC. */
TEST(Collective, RingsAndTwoBandwidths)
{
  const ss_machine machine = make_machine({});
  const ss_workload workload = make_workload();
  const ss_network network = ss_network_of(&machine, &workload, SS_COST_SC24);
  const ss_span inside = {4, 1, 4, {}, {}}, across = {8, 2, 4, {}, {}}, apart = {8, 8, 1, {}, {}};
  const auto time = [&](ss_collective kind, ss_span span) { return ss_collective_time(&network, kind, span, 800e6); };
  EXPECT_DOUBLE_EQ(time(SS_ALL_GATHER, inside).transfer_s, 600e6 / 210e9);
  EXPECT_DOUBLE_EQ(time(SS_ALL_GATHER, inside).latency_s, 3 * 2.5e-6);
  EXPECT_DOUBLE_EQ(time(SS_REDUCE_SCATTER, across).transfer_s, 700e6 / (4 * 17.5e9));
  EXPECT_DOUBLE_EQ(time(SS_REDUCE_SCATTER, across).latency_s, 5e-6 + 6 * 2.5e-6);
  EXPECT_DOUBLE_EQ(time(SS_ALL_REDUCE, apart).transfer_s, 2 * 700e6 / 17.5e9);
  EXPECT_DOUBLE_EQ(time(SS_BROADCAST, apart).transfer_s, 800e6 / 17.5e9);
  EXPECT_DOUBLE_EQ(time(SS_REDUCE, inside).transfer_s, 800e6 / 210e9);
  for (int kind = 0; kind < SS_COLLECTIVE_COUNT; ++kind)
    EXPECT_EQ(ss_comm_time_sum(time((ss_collective)kind, {1, 1, 1, {}, {}})), 0);
}

/* Every rank has 100 MB for each of the 8: 300 MB stay in its domain, 4 x 400 MB leave it over 4 NICs. */
TEST(Collective, AllToAllGoesDirectly)
{
  ss_machine machine = make_machine({});
  const ss_workload workload = make_workload();
  const auto transfer_s = [&](ss_span span) {
    const ss_network network = ss_network_of(&machine, &workload, SS_COST_SC24);
    return ss_collective_time(&network, SS_ALL_TO_ALL, span, 800e6).transfer_s;
  };
  EXPECT_DOUBLE_EQ(transfer_s({8, 1, 8, {}, {}}), 700e6 / 210e9);
  EXPECT_DOUBLE_EQ(transfer_s({8, 2, 4, {}, {}}), 400e6 / 17.5e9);
  EXPECT_DOUBLE_EQ(transfer_s({8, 8, 1, {}, {}}), 700e6 / 17.5e9);
  machine.nics_per_domain = 1;
  EXPECT_DOUBLE_EQ(transfer_s({8, 2, 4, {}, {}}), 4 * 400e6 / 17.5e9);
  machine.fabric_bytes_per_s = 1e12; /* then what stays takes longer */
  EXPECT_DOUBLE_EQ(transfer_s({8, 2, 4, {}, {}}), std::max(4 * 400e6 / 0.7e12, 300e6 / 210e9));
}

/* Each code has a text of its own; texts that do not fit are cut. */
TEST(Error, EveryStatusHasAText)
{
  for (int code = 0; code < SS_STATUS_COUNT; ++code) EXPECT_STRNE(ss_status_text((ss_status)code), "unknown status");
  EXPECT_STREQ(ss_status_text(SS_STATUS_COUNT), "unknown status");
  ss_error error = {};
  const std::string longer(2 * SS_MESSAGE_SIZE, 'x');
  EXPECT_EQ(ss_error_set(&error, SS_ERROR_INPUT, "file", 3, "%s", longer.c_str()), SS_ERROR_INPUT);
  EXPECT_EQ(std::string(error.message).size(), (size_t)SS_MESSAGE_SIZE - 1);
  EXPECT_EQ(ss_error_set(&error, SS_ERROR_INPUT, "file", 3, "%s", "layers=\x1b[2J"), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message, "layers=?[2J") << "messages go to a terminal";
  EXPECT_EQ(ss_error_set(nullptr, SS_ERROR_MEMORY, nullptr, 0, "-"), SS_ERROR_MEMORY);
}

/* Room doubles when a list is full, and what is there stays. */
TEST(Grown, KeepsWhatIsThere)
{
  int64_t *list = nullptr, room = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const int64_t before = room;
    list = static_cast<int64_t *>(ss_grown(list, i, &room, sizeof *list));
    ASSERT_NE(list, nullptr);
    EXPECT_TRUE(room == before || (i == before && room >= 2 * before));
    list[i] = i;
  }
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(list[i], i);
  free(list);
}
