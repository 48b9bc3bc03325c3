/* Time of kernels by their shape, of fused attention, and of casts to 8 bits. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/block/layer/build.h"
#include "model/block/mixer/attention_core.h"
#include "model/block/operation.h"
}

using namespace stepsim;

namespace
{

double compute_s(const ss_machine &machine, const ss_kernel &kernel)
{
  return ss_kernel_duration(&machine, SS_COST_CALIBRATED, &kernel).compute_s;
}

/* A product of m x k and k x n. */
ss_kernel product(ss_engine engine, double m, double n, double k)
{
  return {engine, 2 * m * n * k, 0, 0, SS_ACCESS_FRAMEWORK, {m, n, k, 16, false}, 0};
}

/* Published rates of products that are not square: cuBLASLt, github.com/Azure/AI-benchmarking-guide, with the squares
 * of the same pages as the curve. */
struct Published {
  ss_engine engine;
  double peak, start_bytes;
  ss_curve squares;
  double flat, large; /* flop/s of 802816 x 192 x 768 and of 6144 x 12288 x 12288 */
};

const double giga = 1e9, tera = 1e12;
const Published a100 = {SS_ENGINE_MATRIX,
                        312e12,
                        320,
                        {5,
                         {2.1 * giga, 17 * giga, 137 * giga, 1.1 * tera, 8.8 * tera},
                         {119.4 / 312, 221.8 / 312, 228.0 / 312, 253.7 / 312, 256.5 / 312}},
                        157.8e12,
                        250.8e12};
const Published h100 = {SS_ENGINE_FP8,
                        1979e12,
                        450,
                        {5,
                         {2.1 * giga, 17 * giga, 137 * giga, 1.1 * tera, 8.8 * tera},
                         {274.1 / 1979, 1011.3 / 1979, 1216.9 / 1979, 1290.1 / 1979, 1377.3 / 1979}},
                        663.8e12,
                        1351.4e12};
const Published gb200 = {SS_ENGINE_FP8,
                         5000e12,
                         450,
                         {5,
                          {2.1 * giga, 17 * giga, 137 * giga, 1.1 * tera, 8.8 * tera},
                          {489.2 / 5000, 2243.6 / 5000, 2834.6 / 5000, 2876.6 / 5000, 2906.9 / 5000}},
                         1459.5e12,
                         2895.6e12};

ss_machine machine_of(const Published &published)
{
  ss_machine machine = make_machine({});
  machine.matrix_flop_per_s = machine.fp8_flop_per_s = published.peak;
  machine.matrix_efficiency = machine.fp8_efficiency = published.squares;
  machine.tile_start_bytes = published.start_bytes;
  return machine;
}

} /* namespace */

/* Within 5 %; the curve alone has the flat one 48 to 95 % too fast. Squares are as they are in the curve. */
TEST(ProductShape, PredictsWhatIsNotSquare)
{
  for (const Published &p : {a100, h100, gb200}) {
    ss_machine machine = machine_of(p);
    const ss_kernel flat = product(p.engine, 802816, 192, 768), large = product(p.engine, 6144, 12288, 12288);
    expect_close(flat.flop / compute_s(machine, flat), p.flat, 0.05);
    expect_close(large.flop / compute_s(machine, large), p.large, 0.05);
    const ss_kernel square = product(p.engine, 4096, 4096, 4096);
    const double square_s = compute_s(machine, square);
    machine.tile_start_bytes = 0;
    EXPECT_EQ(square_s, compute_s(machine, square));
    EXPECT_GT(flat.flop / compute_s(machine, flat), 1.4 * p.flat);
  }
}

/* Efficiency 0.5 whatever the size, tiles start in the time of 64 elements of 2 bytes. 4096 x 4096 x 64 has 2^31 flop,
 * as a square of 2^10: 1/64 - 1/1024 of 64 are 0.9375 of its elements, so 1/e = 2 (1 + 0.9375). Of 192 columns the two
 * tiles have 256; rows of 100 elements are 200 bytes, which 16 does not divide. */
TEST(ProductShape, ByHand)
{
  const ss_curve half = {1, {1}, {0.5}};
  const ss_product_shape square = {1024, 1024, 1024, 16, false}, inner = {4096, 4096, 64, 16, false};
  EXPECT_EQ(ss_product_shape_efficiency(&square, 0x1p31, 64, &half), 0.5);
  EXPECT_DOUBLE_EQ(ss_product_shape_efficiency(&inner, 0x1p31, 64, &half), 0.5 / 1.9375);
  const ss_product_shape long_inner = {512, 512, 4096, 16, false}, narrow = {1024, 192, 1024, 16, false};
  EXPECT_EQ(ss_product_shape_efficiency(&long_inner, 0x1p31, 64, &half), 0.5);
  EXPECT_DOUBLE_EQ(ss_product_shape_efficiency(&narrow, 0x1p31, 0, &half), 0.5 * 0.75);
  const ss_product_shape unaligned = {1024, 1024, 1024, 4, false}, thin = {1024, 8, 1024, 16, false}, none = {};
  EXPECT_EQ(ss_product_shape_efficiency(&unaligned, 0x1p31, 64, &half), 0.15);
  const ss_product_shape half_aligned = {1024, 1024, 1024, 8, false};
  EXPECT_EQ(ss_product_shape_efficiency(&half_aligned, 0x1p31, 64, &half), 0.3);
  EXPECT_EQ(ss_product_shape_efficiency(&thin, 0x1p24, 0, &half), 0.5);
  EXPECT_EQ(ss_product_shape_efficiency(&none, 0x1p31, 64, &half), 0.5);
  EXPECT_EQ(ss_rows_load_bytes(100, 128, 2), 8);
  EXPECT_EQ(ss_rows_load_bytes(128, 100, 2), 8);
  EXPECT_EQ(ss_rows_load_bytes(104, 128, 2), 16);
  EXPECT_EQ(ss_rows_load_bytes(104, 128, 1), 8);
  EXPECT_EQ(ss_rows_load_bytes(102, 100, 2), 4);
  EXPECT_EQ(ss_rows_load_bytes(128, 50257, 2), 2);
  EXPECT_EQ(ss_rows_load_bytes(128, 50257.0 / 2, 2), 16) << "no rank has half a word";
}

/* More of any dimension never takes less time (where the curve rises by less than the work), and nothing beats the
 * peak. */
TEST(ProductShape, MoreWorkTakesLonger)
{
  const ss_machine machine = machine_of(a100);
  const std::vector<double> sizes = {128, 192, 256, 500, 1024, 1536, 2048, 4608, 12288, 50304};
  const auto time_s = [&](double m, double n, double k) {
    return compute_s(machine, product(SS_ENGINE_MATRIX, m, n, k));
  };
  const double least = 1 - 1e-12;
  for (double a : sizes)
    for (double b : sizes)
      for (size_t i = 1; i < sizes.size(); ++i) {
        EXPECT_GE(time_s(sizes[i], a, b), least * time_s(sizes[i - 1], a, b));
        EXPECT_GE(time_s(a, sizes[i], b), least * time_s(a, sizes[i - 1], b));
        EXPECT_GE(time_s(a, b, sizes[i]), least * time_s(a, b, sizes[i - 1])) << a << " " << b << " " << sizes[i];
        EXPECT_GT(time_s(a, b, sizes[i]), 2 * a * b * sizes[i] / a100.peak);
      }
}

/* Products by size of the tensors: X (2 x 3) W (3 x 4), and its gradients dY W' and X' dY. */
TEST(ProductShape, OfTheThreeProducts)
{
  ss_product size = {};
  size.tokens = 2;
  size.in = 3;
  size.out = 4;
  const ss_operation p = ss_operation_product(&size);
  const auto expect = [](const ss_task &task, double rows, double columns, double inner) {
    EXPECT_EQ(task.kernel.shape.rows, rows);
    EXPECT_EQ(task.kernel.shape.columns, columns);
    EXPECT_EQ(task.kernel.shape.inner, inner);
    EXPECT_EQ(task.kernel.shape.load_bytes, 2);
    EXPECT_FALSE(task.kernel.shape.batched);
  };
  expect(p.forward, 2, 4, 3);
  expect(p.backward, 2, 3, 4);
  expect(p.weight, 3, 4, 2);
}

/* Unfused attention with heads of 54 elements, 108 bytes: at 0.8 of the 78 Tflop/s of the vector units, but only where
 * shapes count. */
TEST(UnfusedAttention, UnalignedHeadsLoseTheMatrixUnits)
{
  ss_attention_shape shape = {};
  shape.batch = shape.heads = shape.kv_heads = 1;
  shape.head_size = shape.value_size = 54;
  shape.queries = shape.keys = shape.span = shape.own_keys = 1024;
  ss_machine machine = make_machine({});
  for (const ss_operation &operation : {ss_operation_logits(&shape), ss_operation_attend(&shape)}) {
    const ss_kernel kernel = operation.forward.kernel;
    machine.tile_start_bytes = 0;
    expect_close(compute_s(machine, kernel), kernel.flop / (0.8 * 312e12), 1e-12);
    machine.tile_start_bytes = 100;
    expect_close(compute_s(machine, kernel), kernel.flop / (0.8 * 78e12), 1e-12);
  }
  shape.head_size = 56;
  const ss_kernel aligned = ss_operation_logits(&shape).forward.kernel;
  const double starts = 50.0 / 56 - 50.0 / std::cbrt(aligned.flop / 2);
  expect_close(compute_s(machine, aligned), aligned.flop * (1 + starts) / (0.8 * 312e12), 1e-12);
}

/* One head of 8 on 1024 tokens, causal: half of 1024 x 1024 x (15 + 15) flop but for the sums, backward half of five
 * products. The efficiency is that of 1024 tokens, half way between 256 and 4096 in the logarithm: 0.4. What is left of
 * products under power does not touch it. */
TEST(FusedAttention, HasItsOwnEfficiency)
{
  ss_attention_shape shape = {};
  shape.batch = shape.heads = shape.kv_heads = 1;
  shape.head_size = shape.value_size = 8;
  shape.queries = shape.keys = shape.span = shape.own_keys = 1024;
  shape.share = 0.5;
  shape.vector_to_matrix = 4;
  shape.forward = SS_ENGINE_ATTENTION_FORWARD;
  shape.backward = SS_ENGINE_ATTENTION_BACKWARD;
  ss_machine machine = make_machine({});
  machine.attention_forward = {2, {256, 4096}, {0.2, 0.6}};
  machine.attention_backward = {1, {1}, {0.25}};
  const ss_operation flash = ss_operation_flash(&shape);
  const double l = 1024;
  EXPECT_EQ(flash.forward.kernel.engine, SS_ENGINE_ATTENTION_FORWARD);
  EXPECT_DOUBLE_EQ(flash.forward.kernel.flop, 0.5 * (l * l * 15 + l * 8 * (2 * l - 1)));
  expect_close(compute_s(machine, flash.forward.kernel), flash.forward.kernel.flop / (0.4 * 312e12), 1e-12);
  EXPECT_EQ(flash.backward.kernel.engine, SS_ENGINE_ATTENTION_BACKWARD);
  EXPECT_DOUBLE_EQ(flash.backward.kernel.flop, 0.5 * (l * 8 * (2 * l - 1) + l * 16 * (2 * l - 1) + l * l * 30));
  expect_close(compute_s(machine, flash.backward.kernel), flash.backward.kernel.flop / (0.25 * 312e12), 1e-12);
  machine.matrix_sustained = 0.5;
  expect_close(compute_s(machine, flash.backward.kernel), flash.backward.kernel.flop / (0.25 * 312e12), 1e-12);
}

/* A scan reaches what its chunks do, whatever products sustain; where that is not known, what products do. */
TEST(Kernel, ScanByChunk)
{
  ss_machine machine = make_machine({});
  ss_kernel scan = {}, product = {};
  scan.engine = SS_ENGINE_SCAN;
  product.engine = SS_ENGINE_MATRIX;
  scan.flop = product.flop = 1e12;
  scan.shape.columns = 128;
  machine.matrix_sustained = 0.5;
  expect_close(compute_s(machine, scan), compute_s(machine, product), 1e-12);
  machine.scan_efficiency = {2, {64, 256}, {0.02, 0.04}};
  expect_close(compute_s(machine, scan), 1e12 / (0.03 * 312e12), 1e-12);
}

/* A share of its own for products of fewer bits; none is that of 16 bits. */
TEST(Kernel, SustainedByFormat)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = 600e12;
  machine.fp8_efficiency = {1, {1}, {0.6}};
  ss_kernel wide = {}, narrow = {};
  wide.engine = SS_ENGINE_MATRIX;
  narrow.engine = SS_ENGINE_FP8;
  wide.flop = narrow.flop = 1e12;
  const double wide_s = compute_s(machine, wide), narrow_s = compute_s(machine, narrow);
  machine.matrix_sustained = 0.5;
  expect_close(compute_s(machine, wide), wide_s / 0.5, 1e-12);
  expect_close(compute_s(machine, narrow), narrow_s / 0.5, 1e-12);
  machine.fp8_sustained = 0.8;
  expect_close(compute_s(machine, wide), wide_s / 0.5, 1e-12);
  expect_close(compute_s(machine, narrow), narrow_s / 0.8, 1e-12);
}

/* MXFP8 and NVFP4 have shares of their own, or that of 8 bits; above 1 products are faster than benchmarks. */
TEST(Kernel, SustainedByScaledFormat)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 600e12;
  machine.fp8_efficiency = {1, {1}, {0.6}};
  const auto time_s = [&](ss_engine engine) {
    return compute_s(machine, {engine, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0});
  };
  const double alone_s = 1e12 / (0.6 * 600e12);
  machine.fp8_sustained = 0.8;
  expect_close(time_s(SS_ENGINE_MXFP8), alone_s / 0.8, 1e-12);
  expect_close(time_s(SS_ENGINE_NVFP4), alone_s / 0.8, 1e-12);
  machine.mxfp8_sustained = 1.1;
  machine.nvfp4_sustained = 0.5;
  expect_close(time_s(SS_ENGINE_FP8), alone_s / 0.8, 1e-12);
  expect_close(time_s(SS_ENGINE_MXFP8), alone_s / 1.1, 1e-12);
  expect_close(time_s(SS_ENGINE_NVFP4), alone_s / 0.5, 1e-12);
}

/* Casts of the small transformer, e = 1024 and l = 512: forward the input of the projection; backward the gradients of
 * fc2, projection and qkv. Each element is read in two bytes and written twice in one. Without an fp8-efficiency there
 * are none. */
TEST(Fp8, CastsAreKernels)
{
  ss_workload workload = make_workload();
  workload.training.precision = SS_PRECISION_FP8;
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = 600e12;
  const auto cast_bytes = [&](ss_cost cost, ss_pass pass) {
    ss_block block;
    static ss_task_list tasks[SS_PASSES];
    ss_block_clear(&block, SS_BLOCK_LAYER, tasks);
    ss_block_build(&workload, cost, &machine, &block);
    double bytes = 0;
    for (int64_t i = 0; i < tasks[pass].count; ++i)
      if (tasks[pass].task[i].activity == SS_OP_CAST) bytes += tasks[pass].task[i].kernel.hbm_bytes;
    return bytes;
  };
  EXPECT_EQ(cast_bytes(SS_COST_CALIBRATED, SS_PASS_FORWARD), 0);
  machine.fp8_efficiency = {1, {1}, {0.5}};
  EXPECT_EQ(cast_bytes(SS_COST_CALIBRATED, SS_PASS_FORWARD), 4.0 * 512 * 1024);
  EXPECT_EQ(cast_bytes(SS_COST_CALIBRATED, SS_PASS_BACKWARD), 4.0 * 512 * (1024 + 1024 + 3 * 1024));
  EXPECT_EQ(cast_bytes(SS_COST_SC24, SS_PASS_BACKWARD), 0);
  const ss_kernel kernel = {SS_ENGINE_FP8, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0};
  expect_close(compute_s(machine, kernel), 1e12 / (0.5 * 600e12), 1e-12);
}

/* Each format has a peak; one whose efficiency is not known has that of fp8, and of 16 bits where that is not, either.
 */
TEST(Formats, RatesOfProducts)
{
  ss_machine machine = make_machine({});
  machine.matrix_efficiency = {1, {1}, {0.8}};
  machine.matrix_flop_per_s = 100e12;
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = 200e12;
  machine.nvfp4_flop_per_s = 400e12;
  const auto time_s = [&](ss_engine engine) {
    return compute_s(machine, {engine, 1e12, 0, 0, SS_ACCESS_FRAMEWORK, {}, 0});
  };
  expect_close(time_s(SS_ENGINE_NVFP4), 1e12 / (0.8 * 400e12), 1e-12);
  machine.fp8_efficiency = {1, {1}, {0.5}};
  expect_close(time_s(SS_ENGINE_MXFP8), 1e12 / (0.5 * 200e12), 1e-12);
  expect_close(time_s(SS_ENGINE_NVFP4), 1e12 / (0.5 * 400e12), 1e-12);
  machine.nvfp4_efficiency = {1, {1}, {0.25}};
  expect_close(time_s(SS_ENGINE_NVFP4), 1e12 / (0.25 * 400e12), 1e-12);
  expect_close(time_s(SS_ENGINE_FP8_BLOCK), 1e12 / (0.5 * 200e12), 1e-12);
  machine.fp8_block_efficiency = {1, {1}, {0.4}};
  machine.fp8_tile_efficiency = {1, {1}, {0.3}};
  machine.fp8_sustained = 0.9;
  expect_close(time_s(SS_ENGINE_FP8_BLOCK), 1e12 / (0.9 * 0.4 * 200e12), 1e-12);
  expect_close(time_s(SS_ENGINE_FP8_TILE), 1e12 / (0.9 * 0.3 * 200e12), 1e-12);
  expect_close(time_s(SS_ENGINE_MATRIX), 1e12 / (0.8 * 100e12), 1e-12);
}
