/* The analytic layer against numbers derived by hand. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/operation.h"
}

using namespace stepsim;

namespace
{

ss_block build(const ss_workload &workload, ss_cost cost = SS_COST_CALIBRATED, ss_block_kind kind = SS_BLOCK_LAYER)
{
  static const ss_machine machine = make_machine({});
  ss_block block;
  ss_block_build(&workload, cost, &machine, kind, &block);
  return block;
}

} /* namespace */

/* GPT-3 175B, tensor parallel 4: parameters of a layer are 12 e^2 + 13 e without the qkv bias' 3 e, split over 4 but
 * for the norms and the two biases of width e: (12 e^2 + f) / 4 + 6 e with f = 4 e. */
TEST(Block, ParametersOfALayer)
{
  ss_workload workload = make_workload();
  workload.model.hidden = 12288;
  workload.model.ffn = workload.model.head_size = 0;
  workload.model.heads = 96;
  workload.model.kv_heads = 0;
  workload.parallelism.tp = 4;
  ss_workload_derive(&workload);
  const double e = 12288;
  for (ss_cost cost : {SS_COST_CALIBRATED, SS_COST_SC24})
    EXPECT_DOUBLE_EQ(build(workload, cost).parameters[SS_WEIGHTS_DENSE], (12 * e * e + 4 * e) / 4 + 6 * e);
}

/* Llama 3 8B: 4096 x (4096 + 2 x 1024) + 4096^2 + 3 x 4096 x 14336 and two norms of width 4096. */
TEST(Block, GroupedQueriesAndSwiglu)
{
  ss_workload workload = make_workload();
  workload.model.hidden = 4096;
  workload.model.heads = 32;
  workload.model.kv_heads = 8;
  workload.model.head_size = 128;
  workload.model.ffn = 14336;
  workload.model.mlp = SS_MLP_SWIGLU;
  EXPECT_DOUBLE_EQ(build(workload).parameters[SS_WEIGHTS_DENSE],
                   4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336 + 2 * 4096);
}

/* arXiv 2205.05198 equations 1 to 4: bytes kept of a layer are s b h (34 + 5 a s / h) on one GPU; (10 + 24/t + 5 a s /
 * (h t)) with tensor parallelism, (34 + 5 a s / h) / t with sequence parallelism, 34 / t with selective recomputation,
 * 2 / t with full. */
TEST(Block, ActivationsFollowKorthikanti)
{
  ss_workload workload = make_workload();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  const double s = 512, h = 1024, a = 8, sbh = s * h;
  const auto stored = [&](int tp, ss_switch sequence_parallel, ss_recompute recompute) {
    workload.parallelism.tp = tp;
    workload.parallelism.sequence_parallel = sequence_parallel;
    workload.training.recompute = recompute;
    return build(workload).stored_bytes;
  };
  EXPECT_DOUBLE_EQ(stored(1, SS_YES, SS_RECOMPUTE_NONE), sbh * (34 + 5 * a * s / h));
  EXPECT_DOUBLE_EQ(stored(4, SS_NO, SS_RECOMPUTE_NONE), sbh * (10 + 24 / 4.0 + 5 * a * s / (h * 4)));
  EXPECT_DOUBLE_EQ(stored(4, SS_YES, SS_RECOMPUTE_NONE), sbh * (34 + 5 * a * s / h) / 4);
  EXPECT_DOUBLE_EQ(stored(4, SS_YES, SS_RECOMPUTE_SELECTIVE), sbh * 34 / 4);
  EXPECT_DOUBLE_EQ(stored(4, SS_YES, SS_RECOMPUTE_FULL), sbh * 2 / 4);
}

/* Collectives of a layer: four of 2 b l e bytes each way with sequence parallelism, and two more where the inputs of
 * products are kept in shards; two all-reduces without. */
TEST(Block, CollectivesOfALayer)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  const auto volumes = [&](bool backward) {
    const ss_block block = build(workload);
    const ss_task_list &list = block.list[backward ? SS_PASS_BACKWARD : SS_PASS_FORWARD];
    std::string kinds;
    for (int64_t i = 0; i < list.count; ++i)
      for (int64_t call = 0; call < list.task[i].calls; ++call) {
        EXPECT_DOUBLE_EQ(list.task[i].call[call].volume_bytes, 2.0 * 512 * 1024);
        kinds += std::string(ss_activity_name(ss_collective_activity(list.task[i].call[call].kind))) + " ";
      }
    return kinds;
  };
  EXPECT_EQ(volumes(false), "all-gather reduce-scatter all-gather reduce-scatter ");
  EXPECT_EQ(volumes(true), "all-gather all-gather reduce-scatter all-gather all-gather reduce-scatter ");
  workload.parallelism.tp_redo = SS_NO;
  EXPECT_EQ(volumes(true), "all-gather reduce-scatter all-gather reduce-scatter ");
  workload.parallelism.sequence_parallel = SS_NO;
  EXPECT_EQ(volumes(false), "all-reduce all-reduce ");
  EXPECT_EQ(volumes(true), "all-reduce all-reduce ");
  workload.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_EQ(volumes(true), "all-reduce all-reduce all-reduce all-reduce ");
  workload.parallelism.tp = 1;
  EXPECT_EQ(volumes(false), "");
}

/* A product of (2 x 3) and (3 x 4): 2 x 4 x (2 x 3 - 1) flop, 2 (6 + 8 + 12) bytes. */
TEST(Operation, LinearCountsMultipliesAndAdds)
{
  ss_product product = {};
  product.activity = SS_OP_FC1;
  product.tokens = 2;
  product.in = 3;
  product.out = 4;
  const ss_operation linear = ss_operation_product(&product);
  EXPECT_DOUBLE_EQ(linear.forward.kernel.flop, 40);
  EXPECT_DOUBLE_EQ(linear.forward.kernel.hbm_bytes, 52);
  /* dX = dY W' : 2 x 3 x (2 x 4 - 1); dW = X' dY : 3 x 4 x (2 x 2 - 1) */
  EXPECT_DOUBLE_EQ(linear.backward.kernel.flop, 42);
  EXPECT_DOUBLE_EQ(linear.weight.kernel.flop, 36);
  EXPECT_DOUBLE_EQ(linear.stored_bytes, 12);
}

/* 1 Tflop at 312 Tflop/s x 0.8 and 20 us; 1 GB at 1555 GB/s takes longer, and the excess is memory time. */
TEST(Cost, Sc24IsTheRoofline)
{
  const ss_machine machine = make_machine({});
  const ss_kernel product = {SS_ENGINE_MATRIX, 1e12, 1e6, 0};
  const ss_duration fast = ss_kernel_duration(&machine, SS_COST_SC24, &product);
  EXPECT_DOUBLE_EQ(fast.compute_s, 20e-6 + 1e12 / (0.8 * 312e12));
  EXPECT_EQ(fast.memory_s, 0);
  const ss_kernel wide = {SS_ENGINE_VECTOR, 1e9, 1e9, 0};
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
  ss_kernel kernel = {SS_ENGINE_MATRIX, std::pow(10, 10.5), 0, 0};
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
  const ss_network network = ss_network_of(&machine);
  const ss_span inside = {4, 1, 4}, across = {8, 2, 4}, apart = {8, 8, 1};
  const auto time = [&](ss_collective kind, ss_span span) { return ss_collective_time(&network, kind, span, 800e6); };
  EXPECT_DOUBLE_EQ(time(SS_ALL_GATHER, inside).transfer_s, 600e6 / 210e9);
  EXPECT_DOUBLE_EQ(time(SS_ALL_GATHER, inside).latency_s, 3 * 2.5e-6);
  EXPECT_DOUBLE_EQ(time(SS_REDUCE_SCATTER, across).transfer_s, 700e6 / (4 * 17.5e9));
  EXPECT_DOUBLE_EQ(time(SS_REDUCE_SCATTER, across).latency_s, 5e-6 + 6 * 2.5e-6);
  EXPECT_DOUBLE_EQ(time(SS_ALL_REDUCE, apart).transfer_s, 2 * 700e6 / 17.5e9);
  EXPECT_DOUBLE_EQ(time(SS_BROADCAST, apart).transfer_s, 800e6 / 17.5e9);
  EXPECT_DOUBLE_EQ(time(SS_REDUCE, inside).transfer_s, 800e6 / 210e9);
  for (int kind = 0; kind < SS_COLLECTIVE_COUNT; ++kind)
    EXPECT_EQ(ss_comm_time_sum(time((ss_collective)kind, {1, 1, 1})), 0);
}

/* Every rank has 100 MB for each of the 8: 300 MB stay in its domain, 4 x 400 MB leave it over 4 NICs. */
TEST(Collective, AllToAllGoesDirectly)
{
  ss_machine machine = make_machine({});
  const auto transfer_s = [&](ss_span span) {
    const ss_network network = ss_network_of(&machine);
    return ss_collective_time(&network, SS_ALL_TO_ALL, span, 800e6).transfer_s;
  };
  EXPECT_DOUBLE_EQ(transfer_s({8, 1, 8}), 700e6 / 210e9);
  EXPECT_DOUBLE_EQ(transfer_s({8, 2, 4}), 400e6 / 17.5e9);
  EXPECT_DOUBLE_EQ(transfer_s({8, 8, 1}), 700e6 / 17.5e9);
  machine.nics_per_domain = 1;
  EXPECT_DOUBLE_EQ(transfer_s({8, 2, 4}), 4 * 400e6 / 17.5e9);
  machine.fabric_bytes_per_s = 1e12; /* then what stays takes longer */
  EXPECT_DOUBLE_EQ(transfer_s({8, 2, 4}), std::max(4 * 400e6 / 0.7e12, 300e6 / 210e9));
}

/* arXiv 2104.04473: 72 B s L h^2 (1 + s / 6h + V / 12 L h) flop in forward and backward, without recomputation. */
TEST(Metrics, ModelFlop)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 51200;
  workload.training.recompute = SS_RECOMPUTE_FULL;
  workload.model.causal = SS_NO;
  workload.training.tokens = 512e6;
  const Job job(workload, make_machine({}));
  const ss_metrics metrics = ss_estimate_metrics(job.get(), 2.0);
  const double h = 1024, s = 512, L = 8, V = 51200;
  expect_close(metrics.model_flop_per_iteration, 72 * s * L * h * h * (1 + s / (6 * h) + V / (12 * L * h)), 1e-12);
  expect_close(metrics.mfu, metrics.model_flop_per_iteration / (2 * 312e12), 1e-12);
  /* the layers' forward pass once more: a third of their share */
  const double layers = 72 * s * L * h * h * (1 + s / (6 * h));
  expect_close(metrics.hfu, (metrics.model_flop_per_iteration + layers / 3) / (2 * 312e12), 1e-12);
  /* flash attention recomputes nothing that selective recomputation would */
  workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
  const Job selective(workload, make_machine({}));
  expect_close(ss_estimate_metrics(selective.get(), 2.0).hfu, metrics.mfu, 1e-12);
  /* and skips half of causal attention, the part s / 6h of the flop: so much less runs than the model counts */
  workload.model.causal = SS_YES;
  const Job causal(workload, make_machine({}), SS_COST_CALIBRATED);
  const double attention = 72 * s * L * h * h * (s / (6 * h));
  expect_close(ss_estimate_metrics(causal.get(), 2.0).mfu, metrics.mfu, 1e-12);
  expect_close(ss_estimate_metrics(causal.get(), 2.0).hfu, metrics.mfu - attention / 2 / (2 * 312e12), 1e-12);
  expect_close(metrics.tokens_per_s_per_gpu, 256, 1e-12);
  expect_close(metrics.days, 1e6 * 2 / 86400, 1e-12); /* 512e6 tokens are a million iterations of 512 */
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
  EXPECT_EQ(ss_error_set(nullptr, SS_ERROR_MEMORY, nullptr, 0, "-"), SS_ERROR_MEMORY);
}
