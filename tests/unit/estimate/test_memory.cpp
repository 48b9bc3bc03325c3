/* Memory of every stage against numbers derived by hand. */
#include <vector>

#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* The workload of make_workload: b = 1, s = 512, h = 1024, 8 heads, 8 layers of 12 h^2 + 10 h parameters each (four
 * matrices of 12 h^2, two biases of h and one of 4 h, two norms of 2 h; qkv has none). */
const double kTokens = 512, kHidden = 1024, kHeads = 8, kLayers = 8;
const double kLayerParameters = 12 * kHidden * kHidden + 10 * kHidden;

ss_workload make_pipeline(ss_pipeline pipeline, int stages, int micro_batches)
{
  ss_workload workload = make_workload();
  workload.parallelism.pp = stages;
  workload.training.global_batch = micro_batches;
  workload.schedule.pipeline = pipeline;
  workload.training.attention = SS_ATTENTION_UNFUSED;
  return workload;
}

ss_machine make_offload_machine(double tier_bytes)
{
  ss_machine machine = make_machine({});
  machine.offload_bytes = tier_bytes;
  machine.offload_bytes_per_s = 50e9;
  return machine;
}

ss_memory stage_memory(const ss_workload &workload, int stage, const ss_machine &machine = make_machine({}))
{
  const Job job(workload, machine, SS_COST_CALIBRATED);
  return ss_estimate_stage_memory(job.get(), stage);
}

/* Of micro-batches, without what recomputation and messages need on top. */
double kept_bytes(const ss_memory &memory)
{
  return memory.activations_bytes - memory.recompute_bytes - memory.messages_bytes;
}

/* Gradients that are added up, without the placeholders that products return. */
double gradients_bytes(const ss_memory &memory)
{
  return memory.gradients_bytes - memory.placeholders_bytes;
}

} /* namespace */

/* Without a pipeline: 2 bytes of weights, 4 of gradients (bf16 reduces in fp32; fp16 2), 12 of optimizer states; ZeRO
 * 1, 2 and 3 divide one part after the other by the replicas. Two of the eight layers have gradients that are not yet
 * reduced (one runs, one is being reduced beside it), with FSDP two have all their weights (prefetch 1). Shards of FSDP
 * are the fp32 master weights, which the optimizer has, or a copy in 16 bits beside them. */
TEST(Memory, StatesBySharding)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = 4;
  workload.training.global_batch = 4;
  const double n = kLayers * kLayerParameters;
  const auto states = [&](ss_precision precision, ss_sharding sharding) {
    workload.training.precision = precision;
    workload.parallelism.sharding = sharding;
    const ss_memory memory = stage_memory(workload, 0);
    EXPECT_DOUBLE_EQ(memory.total_bytes,
                     memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + memory.activations_bytes);
    return std::vector<double>{memory.weights_bytes / n, gradients_bytes(memory) / n, memory.optimizer_bytes / n,
                               memory.gathered_bytes / n};
  };
  using row = std::vector<double>;
  EXPECT_EQ(states(SS_PRECISION_FP16, SS_SHARDING_NONE), (row{2, 2, 12, 0}));
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_NONE), (row{2, 4, 12, 0}));
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_OPTIMIZER), (row{2, 4, 3, 0}));
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_GRADIENTS), (row{2, 1 + 4 * 2 / 8.0, 3, 0}));
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_PARAMETERS), (row{2 * 2 / 8.0, 2, 3, 2 * 2 / 8.0}));
  workload.parallelism.shards = SS_SHARDS_16BIT;
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_PARAMETERS), (row{0.5 + 2 * 2 / 8.0, 2, 3, 2 * 2 / 8.0}));
  workload.schedule.prefetch = 20; /* ahead of more layers than there are */
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_PARAMETERS), (row{0.5 + 2, 2, 3, 2}));
  workload.schedule.overlap_dp = SS_NO; /* a layer is reduced before the next runs */
  EXPECT_EQ(states(SS_PRECISION_BF16, SS_SHARDING_GRADIENTS), (row{2, 1 + 4 / 8.0, 3, 0}));
}

/* Context-parallel ranks hold the same weights, so sharding divides by dp cp. */
TEST(Memory, ContextParallelRanksShareTheShards)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = 2;
  workload.parallelism.cp = 4;
  workload.training.global_batch = 2;
  const ss_memory memory = stage_memory(workload, 0);
  EXPECT_DOUBLE_EQ(memory.weights_bytes, 2 * kLayers * kLayerParameters);
  EXPECT_DOUBLE_EQ(memory.optimizer_bytes, 12 * kLayers * kLayerParameters / 8);
}

/* The published memory: weights W d, gradients the same, optimizer 6 W d / D, for 1D over D replicas. */
TEST(Memory, Sc24)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.parallelism.dp = 4;
  const Job job(workload, make_machine({}), SS_COST_SC24);
  const ss_memory memory = ss_estimate_stage_memory(job.get(), 1);
  const double w = 2 * kLayerParameters, d = 4;
  EXPECT_DOUBLE_EQ(memory.weights_bytes, w * d);
  EXPECT_DOUBLE_EQ(memory.gradients_bytes, w * d);
  EXPECT_DOUBLE_EQ(memory.optimizer_bytes, 6 * w * d / 4);
  EXPECT_EQ(memory.messages_bytes, 0);
}

/* Embedding on the first stage, output layer and final norm on the last; four layers on each. The last stage keeps the
 * logits of one micro-batch: 2 bytes and, for the softmax in fp32, 4 more, as the block says. */
TEST(Memory, EndsOfTheModel)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.model.vocabulary = 32000;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  const double table = 32000 * kHidden;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).optimizer_bytes, 12 * (4 * kLayerParameters + table));
  EXPECT_DOUBLE_EQ(stage_memory(workload, 1).optimizer_bytes, 12 * (4 * kLayerParameters + table + 2 * kHidden));
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_GE(job->block[SS_BLOCK_HEAD].logits_bytes, 2 * kTokens * 32000);
  EXPECT_EQ(stage_memory(workload, 0).logits_bytes, 0);
  EXPECT_DOUBLE_EQ(stage_memory(workload, 1).logits_bytes, job->block[SS_BLOCK_HEAD].logits_bytes);
  workload.schedule.pipeline = SS_PIPELINE_GPIPE; /* all eight micro-batches wait for backward */
  EXPECT_DOUBLE_EQ(stage_memory(workload, 1).logits_bytes, 8 * job->block[SS_BLOCK_HEAD].logits_bytes);
}

/* Where the loss is that of PyTorch, two more tensors of logits in fp32 are there for a moment, and gone when layers
 * run again. */
TEST(Memory, LossOfPyTorch)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.model.vocabulary = 32000;
  for (ss_recompute recompute : {SS_RECOMPUTE_NONE, SS_RECOMPUTE_FULL}) {
    workload.training.recompute = recompute;
    workload.training.cross_entropy = SS_CROSS_ENTROPY_SEPARATE;
    const ss_memory before = stage_memory(workload, 1);
    workload.training.cross_entropy = SS_CROSS_ENTROPY_LOG_SOFTMAX;
    const double more = stage_memory(workload, 1).activations_bytes - before.activations_bytes;
    EXPECT_DOUBLE_EQ(more, std::max(8.0 * kTokens * 32000 - before.recompute_bytes, 0.0));
    EXPECT_GT(more, 0);
  }
}

/* Products that add up gradients themselves return placeholders in 16 bits: one of each shape of a layer, experts the
 * same, and that of the output layer with its norm on the last stage. */
TEST(Memory, PlaceholdersOfGradients)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.model.vocabulary = 32000;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).placeholders_bytes, 2 * kLayerParameters);
  EXPECT_DOUBLE_EQ(stage_memory(workload, 1).placeholders_bytes,
                   2 * (kLayerParameters + 32000 * kHidden + 2 * kHidden));
  workload.training.gradient_accumulation = SS_ACCUMULATION_SEPARATE;
  EXPECT_EQ(stage_memory(workload, 1).placeholders_bytes, 0);
  workload = make_workload();
  workload.parallelism.dp = 4;
  workload.training.global_batch = 4;
  workload.parallelism.sharding = SS_SHARDING_GRADIENTS; /* shards are added up by another kernel */
  EXPECT_EQ(stage_memory(workload, 0).placeholders_bytes, 0);
  workload.parallelism.sharding = SS_SHARDING_OPTIMIZER;
  workload.model.experts = 8;
  workload.parallelism.ep = 2;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double *parameters = job->block[SS_BLOCK_EXPERT].parameters;
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 0).placeholders_bytes,
                   2 * (parameters[SS_WEIGHTS_DENSE] + parameters[SS_WEIGHTS_EXPERT] / 4));
  EXPECT_EQ(ss_estimate_stage_memory(Job(workload, make_machine({}), SS_COST_SC24).get(), 0).placeholders_bytes, 0);
}

/* Peaks that the allocator of PyTorch reported for Llama 3 on eight B200 (MooreThreads/SimuMax, docs/b200 of v1.2):
 * layers of 405B and 70B, tensor-parallel ranks, GiB. */
TEST(Memory, PublishedPeaks)
{
  struct peak {
    int64_t hidden, ffn, heads, kv_heads, layers, tp;
    double gib;
  };
  PlatformSpec platform;
  platform.gpus = platform.domain = 8;
  platform.nics = 8;
  for (const peak &p : {peak{16384, 53248, 128, 16, 4, 2, 81.59}, peak{16384, 53248, 128, 16, 4, 4, 52.89},
                        peak{8192, 28672, 64, 8, 12, 2, 60.68}, peak{8192, 28672, 64, 8, 12, 8, 28.29}}) {
    ss_workload workload = make_workload();
    workload.model.layers = p.layers;
    workload.model.hidden = p.hidden;
    workload.model.ffn = p.ffn;
    workload.model.heads = p.heads;
    workload.model.kv_heads = p.kv_heads;
    workload.model.head_size = p.hidden / p.heads;
    workload.model.sequence = 4096;
    workload.model.vocabulary = 128256;
    workload.model.mlp = SS_MLP_SWIGLU;
    workload.training.dropout = SS_NO;
    workload.training.optimizer_step = SS_STEP_SEPARATE;
    workload.parallelism.tp = p.tp;
    workload.parallelism.dp = 8 / p.tp;
    workload.training.global_batch = 8;
    EXPECT_NEAR(stage_memory(workload, 0, make_machine(platform)).total_bytes / 0x1p30 / p.gib, 1.0, 0.01);
  }
}

/* With one stage a table that embedding and output layer share is there once; two stages have a copy each. */
TEST(Memory, TiedEmbeddings)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.model.tied_embeddings = SS_YES;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  const double layers = 8 * kLayerParameters, table = 32000 * kHidden, norm = 2 * kHidden;
  const ss_memory memory = stage_memory(workload, 0);
  EXPECT_DOUBLE_EQ(memory.weights_bytes, 2 * (layers + table + norm));
  EXPECT_DOUBLE_EQ(gradients_bytes(memory), 4 * (layers + table + norm));
  EXPECT_DOUBLE_EQ(memory.optimizer_bytes, 12 * (layers + table + norm));
  workload.parallelism.pp = 2;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).optimizer_bytes, 12 * (layers / 2 + table));
  EXPECT_DOUBLE_EQ(stage_memory(workload, 1).optimizer_bytes, 12 * (layers / 2 + table + norm));
}

/* arXiv 2205.05198 section 4.2.3: the first of p stages holds p micro-batches of its L / p layers, so that it keeps
 * s b h L / t (34 + 5 a s / h) whatever p is, and s b h p / t for the dropout of the embedding (and 8 bytes for the
 * number of every token); 34 alone with selective recomputation, 2 with full. Stage i holds p - i: the middle one of
 * four half as much. */
TEST(Memory, ActivationsOfTheFirstStage)
{
  for (int t : {1, 4})
    for (int p : {2, 4}) {
      ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, p, 16);
      workload.model.vocabulary = 32000;
      workload.parallelism.tp = t;
      const double sbh = kTokens * kHidden, scores = 5 * kHeads * kTokens / kHidden;
      const auto kept = [&](ss_recompute recompute, int stage) {
        workload.training.recompute = recompute;
        return kept_bytes(stage_memory(workload, stage));
      };
      const double embedding = p * (sbh / t + 8 * kTokens);
      EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_NONE, 0), sbh / t * kLayers * (34 + scores) + embedding);
      EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_SELECTIVE, 0), sbh / t * kLayers * 34 + embedding);
      EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_FULL, 0), sbh / t * kLayers * 2 + embedding);
      if (p == 2) continue;
      EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_NONE, 2), sbh / t * kLayers * (34 + scores) / 2);
    }
}

/* The other schedules: GPipe all M; eager 1F1B 2 (p - i) - 1; interleaved, arXiv 2205.05198 section 4.2.3, (1 + (p - 1)
 * / (p v)) times 1F1B on the first stage. Zero-bubble 1 holds p - i micro-batches whole, and i between backward and
 * weight gradients; zero-bubble 2 twice that, 2 (p - i) - 1 and 2 i. */
TEST(Memory, InFlightBySchedule)
{
  const int p = 4, m = 16;
  const double layer = kTokens * kHidden * (34 + 5 * kHeads * kTokens / kHidden), stage = layer * kLayers / p;
  EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(make_pipeline(SS_PIPELINE_GPIPE, p, m), 0)), m * stage);
  EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(make_pipeline(SS_PIPELINE_1F1B, p, m), 3)), stage);
  EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(make_pipeline(SS_PIPELINE_1F1B, p, 2), 0)), 2 * stage);
  ss_workload interleaved = make_pipeline(SS_PIPELINE_INTERLEAVED, p, m);
  interleaved.parallelism.interleave = 2;
  EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(interleaved, 0)), p * stage * (1 + (p - 1) / (2.0 * p)));
  EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(interleaved, 3)), (p + 1) * stage / 2);
  for (int i = 0; i < p; ++i) {
    EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(make_pipeline(SS_PIPELINE_EAGER_1F1B, p, m), i)),
                     (2 * (p - i) - 1) * stage);
    const ss_workload first = make_pipeline(SS_PIPELINE_ZERO_BUBBLE_1, p, m);
    const ss_workload second = make_pipeline(SS_PIPELINE_ZERO_BUBBLE_2, p, m);
    const double deferred =
        kLayers / p * Job(first, make_machine({}), SS_COST_CALIBRATED)->block[SS_BLOCK_LAYER].deferred_bytes;
    EXPECT_GT(deferred, 0);
    EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(first, i)), (p - i) * stage + i * deferred);
    EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(second, i)), (2 * (p - i) - 1) * stage + 2 * i * deferred);
  }
}

/* Interleaved over two stages, two chunks each, M = 8. Stage 0 goes forward 0 0 1 1 0 | then backward and forward in
 * turn, backward from chunk 1: B1 F0 B1 F1 B0 F1 ...: it holds chunk 0 four times and chunk 1 once at most (or 3 and
 * 2). The last stage holds the logits of chunk 1 once, though it has three chunk passes in flight. */
TEST(Memory, ChunksAreCountedByTheirOrder)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_INTERLEAVED, 2, 8);
  workload.parallelism.interleave = 2;
  workload.model.vocabulary = 32000;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double layers = 2 * job->block[SS_BLOCK_LAYER].stored_bytes;
  const double embedding = job->block[SS_BLOCK_EMBEDDING].stored_bytes, head = job->block[SS_BLOCK_HEAD].stored_bytes;
  EXPECT_GT(embedding, 0);
  EXPECT_DOUBLE_EQ(kept_bytes(ss_estimate_stage_memory(job.get(), 0)), 5 * layers + 4 * embedding);
  EXPECT_DOUBLE_EQ(kept_bytes(ss_estimate_stage_memory(job.get(), 1)), 3 * layers + head);
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 1).logits_bytes, job->block[SS_BLOCK_HEAD].logits_bytes);
}

/* Stages in the middle have messages coming and going both ways, each in a buffer of 2 b s h bytes. */
TEST(Memory, MessageBuffers)
{
  const ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 8);
  const double message = 2 * kTokens * kHidden;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).messages_bytes, 2 * message);
  EXPECT_DOUBLE_EQ(stage_memory(workload, 1).messages_bytes, 4 * message);
  EXPECT_DOUBLE_EQ(stage_memory(workload, 3).messages_bytes, 2 * message);
  EXPECT_EQ(stage_memory(make_workload(), 0).messages_bytes, 0);
}

/* 8 experts of 2 h f on 4 replicas, 2 of which share a set: each GPU has 4 experts, held by 2 ranks; the rest by 4. */
TEST(Memory, ExpertsAreShardedOverTheirHolders)
{
  ss_workload workload = make_workload();
  workload.model.experts = 8;
  workload.model.top_k = 2;
  workload.parallelism.dp = 4;
  workload.parallelism.ep = 2;
  workload.training.global_batch = 4;
  workload.parallelism.sharding = SS_SHARDING_GRADIENTS;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double *parameters = job->block[SS_BLOCK_EXPERT].parameters;
  const double dense = kLayers * parameters[SS_WEIGHTS_DENSE], experts = kLayers * 4 * 2 * kHidden * 4 * kHidden;
  EXPECT_DOUBLE_EQ(kLayers * parameters[SS_WEIGHTS_EXPERT], experts);
  const ss_memory memory = ss_estimate_stage_memory(job.get(), 0);
  EXPECT_DOUBLE_EQ(memory.weights_bytes, 2 * (dense + experts));
  EXPECT_DOUBLE_EQ(memory.gradients_bytes - memory.unreduced_bytes, 4 * (dense / 4 + experts / 2));
  EXPECT_DOUBLE_EQ(memory.unreduced_bytes, 4 * (dense + experts) * 2 / kLayers);
  EXPECT_DOUBLE_EQ(memory.optimizer_bytes, 12 * (dense / 4 + experts / 2));
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).gathered_bytes, 2 * 2 * (dense + experts) / kLayers);
  workload.parallelism.shards = SS_SHARDS_16BIT;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).weights_bytes,
                   2 * (dense / 4 + experts / 2) + 2 * 2 * (dense + experts) / kLayers);
  workload.parallelism.ep = 4; /* experts are on one rank only: nothing to shard and to gather */
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).gathered_bytes, 2 * 2 * dense / kLayers);
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0).weights_bytes, 2 * (dense / 4 + experts / 2) + 2 * 2 * dense / kLayers);
}

/* fp8 keeps a copy of the layers' weights and its transpose, one byte a parameter each. */
TEST(Memory, Fp8Copies)
{
  ss_workload workload = make_workload();
  workload.training.precision = SS_PRECISION_FP8;
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = 624e12;
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0, machine).weights_bytes, 4 * kLayers * kLayerParameters);
  EXPECT_DOUBLE_EQ(gradients_bytes(stage_memory(workload, 0, machine)), 4 * kLayers * kLayerParameters);
}

/* What is offloaded leaves HBM: optimizer states altogether, of the weights two layers stay (prefetch 1), of the
 * activations three (one runs, one is written, one is read). */
TEST(Memory, OffloadedPartsMoveToTheSecondTier)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.training.offload_weights = workload.training.offload_activations = workload.training.offload_optimizer =
      SS_YES;
  const double n = kLayers / 2 * kLayerParameters;
  const double layer = kTokens * kHidden * (34 + 5 * kHeads * kTokens / kHidden);
  const double offloaded = 2 * n + 12 * n + 2 * 4 * layer;
  const ss_memory memory = stage_memory(workload, 0, make_offload_machine(offloaded));
  EXPECT_EQ(memory.optimizer_bytes, 0);
  EXPECT_DOUBLE_EQ(memory.weights_bytes, 2 * 2 * kLayerParameters);
  EXPECT_DOUBLE_EQ(gradients_bytes(memory), 4 * n);
  EXPECT_EQ(memory.gathered_bytes, 0);
  EXPECT_DOUBLE_EQ(kept_bytes(memory), 3 * layer);
  EXPECT_DOUBLE_EQ(memory.offloaded_bytes, offloaded);
  EXPECT_TRUE(memory.fits);
  EXPECT_FALSE(stage_memory(workload, 0, make_offload_machine(offloaded - 1e6)).fits);
  workload.schedule.prefetch = 100; /* no more stays than there is: 2 micro-batches of 4 layers */
  EXPECT_DOUBLE_EQ(kept_bytes(stage_memory(workload, 0, make_offload_machine(1e12))), 2 * 4 * layer);
  EXPECT_DOUBLE_EQ(stage_memory(workload, 0, make_offload_machine(1e12)).weights_bytes, 2 * n);
}

/* An iteration of 8 micro-batches: weights are read twice and activations once for each, activations written once;
 * optimizer states once both ways. The passes need max(read, written) of a micro-batch in its time on the stage. */
TEST(Memory, OffloadTraffic)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.training.offload_weights = workload.training.offload_activations = SS_YES;
  const ss_machine machine = make_offload_machine(1e12);
  const double weights = kLayers / 2 * 2 * kLayerParameters;
  const double activations = kLayers / 2 * kTokens * kHidden * (34 + 5 * kHeads * kTokens / kHidden);
  {
    const Job job(workload, machine, SS_COST_CALIBRATED);
    const ss_offload offload = ss_estimate_offload(job.get(), 0);
    EXPECT_DOUBLE_EQ(offload.read_bytes, 8 * (2 * weights + activations));
    EXPECT_DOUBLE_EQ(offload.written_bytes, 8 * activations + weights); /* new weights */
    EXPECT_DOUBLE_EQ(offload.needed_bytes_per_s,
                     (2 * weights + activations) /
                         (kLayers / 2 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD))));
    EXPECT_EQ(offload.available_bytes_per_s, 50e9);
  }
  workload.training.offload_weights = workload.training.offload_activations = SS_NO;
  workload.training.offload_optimizer = SS_YES;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const ss_offload offload = ss_estimate_offload(job.get(), 0);
  EXPECT_DOUBLE_EQ(offload.read_bytes, 6 * weights);
  EXPECT_DOUBLE_EQ(offload.written_bytes, 6 * weights);
  EXPECT_EQ(offload.needed_bytes_per_s, 0);
  EXPECT_DOUBLE_EQ(offload.optimizer_bytes_per_s, 6 * weights / ss_job_optimizer(job.get(), 0).optimizer_s);
  EXPECT_EQ(ss_estimate_offload(Job(make_workload(), machine).get(), 0).read_bytes, 0);
}

/* The fullest stage is reported: with 1F1B the first, which holds most micro-batches; it fits or not by HBM. */
TEST(Memory, FullestStage)
{
  const ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 16);
  ss_machine machine = make_machine({});
  const ss_memory first = stage_memory(workload, 0), second = stage_memory(workload, 1);
  EXPECT_GT(first.total_bytes, second.total_bytes);
  machine.hbm_bytes = (first.total_bytes + second.total_bytes) / 2;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  EXPECT_EQ(ss_estimate_memory(job.get()).stage, 0);
  EXPECT_FALSE(ss_estimate_memory(job.get()).fits);
  EXPECT_TRUE(ss_estimate_stage_memory(job.get(), 1).fits);
}

/* ZeRO, arXiv 1910.02054, figure 1 and table 1: a model of 7.5 billion parameters on 64 replicas, fp16 gradients and 12
 * bytes of optimizer states (K): 120 GB per GPU, 31.4 GB with optimizer states divided (4 + 12 / 64 bytes a parameter),
 * 16.6 GB with gradients, too (2 + 14 / 64), 1.9 GB with all (16 / 64). 149 layers of hidden size 2048 have 7.5025
 * billion parameters; the layers that FSDP has gathered are no part of the published figure. ZeRO 3
 * keeps a copy in 16 bits. */
TEST(Memory, PublishedByZero)
{
  ss_workload workload = make_workload();
  workload.model.layers = 149;
  workload.model.hidden = 2048;
  workload.model.heads = 16;
  workload.model.ffn = 4 * 2048;
  workload.model.head_size = 128;
  workload.model.kv_heads = 16;
  workload.training.precision = SS_PRECISION_FP16;
  workload.training.global_batch = workload.parallelism.dp = 64;
  workload.parallelism.shards = SS_SHARDS_16BIT;
  PlatformSpec platform;
  platform.gpus = 64;
  const ss_machine machine = make_machine(platform);
  const auto states_gb = [&](ss_sharding sharding) {
    workload.parallelism.sharding = sharding;
    const ss_memory memory = stage_memory(workload, 0, machine);
    return (memory.weights_bytes - memory.gathered_bytes + gradients_bytes(memory) - memory.unreduced_bytes +
            memory.optimizer_bytes) /
           1e9;
  };
  const double last_digit = 0.05;
  EXPECT_NEAR(states_gb(SS_SHARDING_NONE), 120.0, last_digit);
  EXPECT_NEAR(states_gb(SS_SHARDING_OPTIMIZER), 31.4, last_digit);
  EXPECT_NEAR(states_gb(SS_SHARDING_GRADIENTS), 16.6, last_digit);
  EXPECT_NEAR(states_gb(SS_SHARDING_PARAMETERS), 1.9, last_digit);
}

/* arXiv 2205.05198, tables 2 and 3 and section 5: of what a layer of GPT-3 175B and of MT-NLG 530B keeps, in units of
 * s b h / t, 34 and 5 a s / h = 80 and 64, so that selective recomputation saves 70 % and 65 %. Without sequence
 * parallelism 10 of the 34 are not divided by t = 8: 10 + 24 / t + 5 a s / (h t); sequence parallelism and selective
 * recomputation together save "5x" (section 7 and abstract), here 5.4 and 4.9 times. */
TEST(Memory, PublishedBySelectiveRecomputation)
{
  struct published {
    int64_t hidden, heads;
    double scores, saved;
  };
  for (const published &model : {published{12288, 96, 80, 0.70}, published{20480, 128, 64, 0.65}}) {
    ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 1, 1);
    workload.model.layers = 1;
    workload.model.hidden = model.hidden;
    workload.model.heads = workload.model.kv_heads = model.heads;
    workload.model.head_size = model.hidden / model.heads;
    workload.model.ffn = 4 * model.hidden;
    workload.model.sequence = 2048;
    workload.parallelism.tp = 8;
    const double unit = 2048.0 * (double)model.hidden / 8;
    const auto kept = [&](ss_recompute recompute, ss_switch sequence_parallel) {
      workload.training.recompute = recompute;
      workload.parallelism.sequence_parallel = sequence_parallel;
      return kept_bytes(stage_memory(workload, 0)) / unit;
    };
    EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_NONE, SS_YES), 34 + model.scores);
    EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_SELECTIVE, SS_YES), 34);
    EXPECT_NEAR(1 - kept(SS_RECOMPUTE_SELECTIVE, SS_YES) / kept(SS_RECOMPUTE_NONE, SS_YES), model.saved, 0.005);
    EXPECT_DOUBLE_EQ(kept(SS_RECOMPUTE_NONE, SS_NO), 8 * 10 + 24 + model.scores);
    EXPECT_NEAR(kept(SS_RECOMPUTE_NONE, SS_NO) / kept(SS_RECOMPUTE_SELECTIVE, SS_YES), 5, 0.5);
  }
}

/* arXiv 2401.10241, section 2: what weight gradients need (32 s b h) is less than what backward needs (34 s b h + 5 a
 * s^2 b), so that no stage of ZB-H1 has more than the p micro-batches of the first stage of 1F1B, and of ZB-H2 none
 * more than 2 p - 1. Without tensor parallelism, as there. */
TEST(Memory, PublishedByZeroBubble)
{
  const double sbh = kTokens * kHidden;
  for (int p : {2, 4, 8}) {
    const auto kept = [&](ss_pipeline pipeline, int stage) {
      return kept_bytes(stage_memory(make_pipeline(pipeline, p, 4 * p), stage));
    };
    const Job job(make_pipeline(SS_PIPELINE_ZERO_BUBBLE_1, p, 4 * p), make_machine({}), SS_COST_CALIBRATED);
    EXPECT_DOUBLE_EQ(job->block[SS_BLOCK_LAYER].deferred_bytes, 32 * sbh);
    EXPECT_DOUBLE_EQ(job->block[SS_BLOCK_LAYER].stored_bytes, (34 + 5 * kHeads * kTokens / kHidden) * sbh);
    const double most = kept(SS_PIPELINE_1F1B, 0), each = most / p;
    EXPECT_DOUBLE_EQ(kept(SS_PIPELINE_ZERO_BUBBLE_1, 0), most);
    EXPECT_DOUBLE_EQ(kept(SS_PIPELINE_ZERO_BUBBLE_2, 0), (2 * p - 1) * each);
    for (int stage = 1; stage < p; ++stage) {
      EXPECT_LT(kept(SS_PIPELINE_ZERO_BUBBLE_1, stage), most);
      EXPECT_LT(kept(SS_PIPELINE_ZERO_BUBBLE_2, stage), (2 * p - 1) * each);
    }
  }
}
