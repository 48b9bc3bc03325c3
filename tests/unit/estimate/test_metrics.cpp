/* Flop of the model, flop that run, and what is made of them. */
#include "tests/support/random_jobs.hpp"

using namespace stepsim;

namespace
{

/* Flop of all matrix products in the lists that closed form and replay play, on all GPUs in an iteration. */
double listed_flop(const ss_job *job)
{
  double flop = 0;
  for (int64_t slot = 0; slot < job->stages * job->chunks; ++slot) {
    const ss_chunk chunk = {slot / job->chunks, slot % job->chunks};
    for (int64_t i = 0; i < ss_job_block_count(job, chunk); ++i)
      for (int pass = 0; pass < SS_PASSES; ++pass) {
        const ss_task_list *list = ss_job_tasks(job, ss_job_block_kind(job, chunk, i), (ss_pass)pass);
        for (int64_t t = 0; t < list->count; ++t)
          if (list->task[t].kernel.engine != SS_ENGINE_VECTOR) flop += list->task[t].kernel.flop;
      }
  }
  const double ranks = (double)ss_workload_gpus(job->workload) / (double)job->stages;
  return flop * ranks * (double)job->copy_batches;
}

} // namespace

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
  expect_close(metrics.days, 1e6 * 2 / 86400, 1e-12); /* 512e6 tokens are a million iterations of 512 */
  expect_close(metrics.tokens_per_s_per_gpu, 256, 1e-12);
}

/* What runs, with s^2 h = A: forward 24 s h^2 in the products of a layer and 4 A in the core of attention (2 A logits,
 * 2 A attend), backward twice as much; flash attention computes the logits again there (arXiv 2205.14135, algorithm 4),
 * 2 A, and of all of it half where it is causal. So the core takes 14 A of flash attention, 7 A of a causal one, 12 A
 * where logits are kept; full recomputation adds a forward pass, selective one only where attention is not flash. */
TEST(Metrics, HardwareFlop)
{
  const double h = 1024, s = 512, L = 8, products = 24 * s * h * h, A = s * s * h;
  const auto flop = [&](ss_attention attention, ss_recompute recompute, ss_switch causal) {
    ss_workload workload = make_workload();
    workload.training.attention = attention;
    workload.training.recompute = recompute;
    workload.model.causal = causal;
    return ss_estimate_metrics(Job(workload, make_machine({}), SS_COST_CALIBRATED).get(), 2.0).hfu * 2 * 312e12 / L;
  };
  expect_close(flop(SS_ATTENTION_FLASH, SS_RECOMPUTE_NONE, SS_NO), 3 * products + 14 * A, 1e-12);
  expect_close(flop(SS_ATTENTION_FLASH, SS_RECOMPUTE_NONE, SS_YES), 3 * products + 7 * A, 1e-12);
  expect_close(flop(SS_ATTENTION_FLASH, SS_RECOMPUTE_SELECTIVE, SS_YES), 3 * products + 7 * A, 1e-12);
  expect_close(flop(SS_ATTENTION_FLASH, SS_RECOMPUTE_FULL, SS_YES), 4 * products + 9 * A, 1e-12);
  for (const ss_switch causal : {SS_NO, SS_YES}) {
    expect_close(flop(SS_ATTENTION_UNFUSED, SS_RECOMPUTE_NONE, causal), 3 * products + 12 * A, 1e-12);
    expect_close(flop(SS_ATTENTION_UNFUSED, SS_RECOMPUTE_SELECTIVE, causal), 3 * products + 16 * A, 1e-12);
    expect_close(flop(SS_ATTENTION_UNFUSED, SS_RECOMPUTE_FULL, causal), 4 * products + 16 * A, 1e-12);
  }
}

/* Both utilisations are of the 16-bit peak, whatever products run in; what they would be of is beside them. */
TEST(Metrics, PeaksOfUtilisation)
{
  ss_workload workload = make_workload();
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = 624e12;
  const ss_metrics bf16 = ss_estimate_metrics(Job(workload, machine, SS_COST_CALIBRATED).get(), 2.0);
  workload.training.precision = SS_PRECISION_FP8;
  const ss_metrics fp8 = ss_estimate_metrics(Job(workload, machine, SS_COST_CALIBRATED).get(), 2.0);
  EXPECT_EQ(fp8.mfu, bf16.mfu);
  EXPECT_EQ(fp8.hfu, bf16.hfu);
  EXPECT_EQ(bf16.peak_flop_per_s, 312e12);
  EXPECT_EQ(bf16.products_peak_flop_per_s, 312e12);
  EXPECT_EQ(fp8.peak_flop_per_s, 312e12);
  EXPECT_EQ(fp8.products, SS_ENGINE_FP8);
  EXPECT_EQ(fp8.products_peak_flop_per_s, 624e12);
  machine.nvfp4_flop_per_s = 1248e12;
  workload.training.precision = SS_PRECISION_NVFP4;
  const ss_metrics nvfp4 = ss_estimate_metrics(Job(workload, machine, SS_COST_CALIBRATED).get(), 2.0);
  EXPECT_EQ(nvfp4.mfu, bf16.mfu);
  EXPECT_EQ(nvfp4.products_peak_flop_per_s, 1248e12);
}

/* HFU counts the products that run, of every valid job. A list has 2 k - 1 flop where a sum has k terms, 1 / 64 less at
 * most (attention of 32 columns a head); it is that of the fullest rank, so ranks do not differ here. */
TEST(Metrics, HardwareFlopIsWhatTheListsHave)
{
  PlatformSpec spec;
  spec.gpus = 64;
  ss_machine machine = make_machine(spec);
  machine.vector_flop_per_s = 1e30; /* so softmax and dropout inside fused attention count as nothing */
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 624e12;
  machine.nvlink_reduces = machine.fabric_reduces = 1;
  machine.offload_bytes = machine.offload_bytes_per_s = 1e12;
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    ss_workload workload = random_workload(random);
    workload.training.imbalance = 1;
    workload.parallelism.cp_balance = SS_YES;
    for (const ss_cost cost : {SS_COST_CALIBRATED, SS_COST_SC24}) {
      SCOPED_TRACE(testing::Message() << "job " << i << ", " << ss_cost_word(cost));
      const Job job(workload, machine, cost);
      const ss_metrics metrics = ss_estimate_metrics(job.get(), 1.0);
      const double flop = metrics.hfu * (double)ss_workload_gpus(&workload) * machine.matrix_flop_per_s;
      const double listed = listed_flop(job.get());
      EXPECT_LT(listed, flop * (1 + 1e-12));
      EXPECT_GT(listed, flop * (1 - 1.0 / 64));
    }
    if (testing::Test::HasFailure()) return;
  }
}

/* Six flop a token and active parameter, forward and backward: a router, top-2 of 8 experts and a shared one, each of
 * 2 h f with f = 512, in six of eight layers; and attention, 12 s^2 h a layer. Context parallelism changes nothing. */
TEST(Metrics, ActiveExperts)
{
  ss_workload workload = make_workload();
  workload.model.experts = 8;
  workload.model.shared_experts = 1;
  workload.model.expert_ffn = 512;
  workload.model.dense_layers = 2;
  const double s = 512, h = 1024;
  const double attention = 8 * 4 * h * h, dense = 2 * 8 * h * h, experts = 6 * (3 * 2 * h * 512 + 8 * h);
  const double flop = 6 * s * (attention + dense + experts) + 8 * 12 * s * s * h;
  const Job job(workload, make_machine({}));
  expect_close(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration, flop, 1e-12);
  workload.parallelism.cp = 4;
  const Job split(workload, make_machine({}));
  expect_close(ss_estimate_metrics(split.get(), 1.0).model_flop_per_iteration, flop, 1e-12);
  expect_close(ss_estimate_metrics(split.get(), 1.0).mfu, ss_estimate_metrics(job.get(), 1.0).mfu / 4, 1e-12);
}

/* Latent attention of DeepSeek-V3 (arXiv 2412.19437), parameters of a layer: queries 7168 x 1536 + 1536 x 128 x 192,
 * keys and values 7168 x 576 + 512 x 128 x 256, projection 128 x 128 x 7168: 187.1 million. Logits have 128 + 64
 * columns a head, attend 128. */
TEST(Metrics, LatentAttention)
{
  ss_workload workload = make_workload();
  workload.model.layers = 1;
  workload.model.hidden = 7168;
  workload.model.heads = workload.model.kv_heads = 128;
  workload.model.head_size = 128;
  workload.model.q_rank = 1536;
  workload.model.kv_rank = 512;
  workload.model.rope_size = 64;
  workload.model.ffn = 18432;
  workload.model.mlp = SS_MLP_SWIGLU;
  const double attention = 187105280, mlp = 3 * 7168.0 * 18432, s = 512;
  const double core = 2 * 128 * s * s * (192 + 128);
  expect_close(ss_estimate_metrics(Job(workload, make_machine({})).get(), 1.0).model_flop_per_iteration,
               6 * s * (attention + mlp) + 3 * core, 1e-12);
}

/* Three of the four layers of each of two stages run forward again: 6 layers' forward pass more. Flash attention
 * computes its logits again in all of them, half of its core; half of everything in the core is left out where costs
 * know that it is causal. */
TEST(Metrics, OnlyRecomputingLayersRunAgain)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.training.recompute = SS_RECOMPUTE_FULL;
  workload.training.recompute_layers = 3;
  const double s = 512, h = 1024, core = 4 * s * s * h, products = 2 * s * 12 * h * h;
  const Job published(workload, make_machine({})), calibrated(workload, make_machine({}), SS_COST_CALIBRATED);
  const auto flop = [](const Job &job) { return ss_estimate_metrics(job.get(), 1.0).hfu * 2 * 312e12; };
  expect_close(flop(published), (8 * 3 + 6) * (products + core) + 8 * core / 2, 1e-12);
  expect_close(flop(calibrated), (8 * 3 + 6) * (products + core / 2) + 8 * core / 4, 1e-12);
}
