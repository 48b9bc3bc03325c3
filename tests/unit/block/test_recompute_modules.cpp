/* Recomputation and offloading by module, against sums by hand. Bytes are of 512 tokens of one sequence; e, f, h, d are
 * hidden size, feed-forward size, heads and their size. */
#include "tests/support/attributes.hpp"
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
}

using namespace stepsim;

namespace
{

constexpr double tokens = 512, e = 1024, f = 4096, h = 8, d = 128;

using Modules = std::initializer_list<ss_recompute_module>;

/* A GPT layer with fused chains, without dropout. */
ss_workload gpt()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  return workload;
}

/* A Llama layer of four key/value heads: RMSNorm, rotary embedding, SwiGLU. */
ss_workload llama()
{
  ss_workload workload = gpt();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.kv_heads = 4;
  return workload;
}

/* A layer of DeepSeek-V3 in small: latent attention of ranks 384 and 128 with a rotary part of 64; top-4 of 16 experts
 * of 512 columns, and a shared one. */
constexpr double q_rank = 384, kv_rank = 128, rope = 64, experts = 16, choices = 4, expert_ffn = 512;

ss_workload deepseek()
{
  ss_workload workload = llama();
  workload.model.kv_heads = workload.model.heads;
  workload.model.q_rank = static_cast<int64_t>(q_rank);
  workload.model.kv_rank = static_cast<int64_t>(kv_rank);
  workload.model.rope_size = static_cast<int64_t>(rope);
  workload.model.experts = static_cast<int64_t>(experts);
  workload.model.top_k = static_cast<int64_t>(choices);
  workload.model.expert_ffn = static_cast<int64_t>(expert_ffn);
  workload.model.shared_experts = 1;
  return workload;
}

ss_workload again(ss_workload workload, Modules modules)
{
  workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
  workload.training.recompute_modules = set_of(modules);
  return workload;
}

ss_block_kind kind_of(const ss_workload &workload)
{
  return workload.model.experts > 0 ? SS_BLOCK_EXPERT : SS_BLOCK_LAYER;
}

/* Bytes that a layer keeps of a token. */
double kept(const ss_workload &workload)
{
  return build(workload, kind_of(workload))->stored_bytes / tokens;
}

double freed(const ss_workload &workload, Modules modules)
{
  return kept(workload) - kept(again(workload, modules));
}

/* What backward has: "(norm 2), fc2, fc1, ...", where what runs again is in brackets. */
std::string backward(const ss_workload &workload, bool all)
{
  std::string text;
  for (const ss_task &task : tasks(*build(workload, kind_of(workload)), SS_PASS_BACKWARD)) {
    const bool runs_again = task.role == SS_ROLE_AGAIN;
    const ss_activity activity = task.computes ? task.activity : ss_collective_activity(task.call[0].kind);
    if (!runs_again && (!all || task.role == SS_ROLE_WEIGHTS)) continue;
    const std::string name = ss_activity_name(activity);
    text += (text.empty() ? "" : ", ") + (runs_again && all ? "(" + name + ")" : name);
  }
  return text;
}

std::string runs_again(const ss_workload &workload)
{
  return backward(workload, false);
}

} /* namespace */

/* Inputs of two norms, of QKV and of FC1, queries, keys and values, 4 bytes a head and row of softmax, the output of
 * attention; what goes into GELU, and what comes out. */
TEST(RecomputeModules, OfAGptLayer)
{
  EXPECT_DOUBLE_EQ(kept(gpt()), 4 * e + 4 * e + 6 * e + 4 * h + 2 * e + 4 * f);
  EXPECT_DOUBLE_EQ(freed(gpt(), {SS_RECOMPUTE_LAYERNORM}), 4 * e);
  EXPECT_DOUBLE_EQ(freed(gpt(), {SS_RECOMPUTE_MLP}), 4 * f);
  EXPECT_DOUBLE_EQ(freed(gpt(), {SS_RECOMPUTE_CORE_ATTN}), 4 * h);
  EXPECT_DOUBLE_EQ(freed(gpt(), {SS_RECOMPUTE_LAYERNORM, SS_RECOMPUTE_MLP, SS_RECOMPUTE_CORE_ATTN}),
                   4 * e + 4 * f + 4 * h);
  ss_workload unfused = gpt();
  unfused.training.attention = SS_ATTENTION_UNFUSED; /* keeps what softmax writes: 2 bytes a head and key */
  EXPECT_DOUBLE_EQ(freed(unfused, {SS_RECOMPUTE_CORE_ATTN}), 2 * h * tokens);
}

/* SwiGLU keeps both halves, 4 f, and its output 2 f; kernel by kernel also the SiLU. */
TEST(RecomputeModules, OfALlamaLayer)
{
  EXPECT_DOUBLE_EQ(kept(llama()), 8 * e + 2 * e + 4 * 4 * d + 4 * h + 2 * e + 6 * f);
  EXPECT_DOUBLE_EQ(freed(llama(), {SS_RECOMPUTE_LAYERNORM}), 4 * e);
  EXPECT_DOUBLE_EQ(freed(llama(), {SS_RECOMPUTE_MLP}), 6 * f);
  ss_workload unfused = llama();
  unfused.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(freed(unfused, {SS_RECOMPUTE_MLP}), 8 * f);
}

/* Up-projections: what they put out, queries and keys of d + rope and values of d for each head; their inputs stay, and
 * with them the rotary part of the keys. Routed experts: indices, copies to the experts and back, three of SwiGLU;
 * scores. Shared experts: three of SwiGLU; their input is the router's. */
TEST(RecomputeModules, OfADeepSeekLayer)
{
  const double qkv = 2 * h * (2 * (d + rope) + d), shared = 6 * expert_ffn;
  const double routed = 4 * choices + 4 * choices * e + 6 * choices * expert_ffn, scores = 2 * experts;
  const double latents = 4 * q_rank + 4 * kv_rank, layer = kept(deepseek());
  EXPECT_DOUBLE_EQ(layer, 8 * e + latents + qkv + 4 * h + 2 * h * d + scores + routed + shared);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_LAYERNORM}), 4 * e);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_MLA_UP_PROJ}), qkv - 2 * rope);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_MOE_ACT}), 2 * choices * expert_ffn);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_SHARED_EXPERTS}), shared);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_MOE}), scores + routed + shared);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_MOE, SS_RECOMPUTE_MOE_ACT, SS_RECOMPUTE_SHARED_EXPERTS}),
                   scores + routed + shared);
  EXPECT_DOUBLE_EQ(freed(deepseek(), {SS_RECOMPUTE_MLP}), 0);
  EXPECT_DOUBLE_EQ(kept(again(deepseek(), {SS_RECOMPUTE_LAYERNORM, SS_RECOMPUTE_MLA_UP_PROJ, SS_RECOMPUTE_CORE_ATTN,
                                           SS_RECOMPUTE_MOE})),
                   4 * e + latents + 2 * rope + 2 * h * d); /* a full layer keeps 2 e */
  ss_workload direct = deepseek();
  direct.model.q_rank = 0; /* queries come from the norm's output, which keys and values keep, too */
  EXPECT_DOUBLE_EQ(freed(direct, {SS_RECOMPUTE_MLA_UP_PROJ}), qkv - 2 * rope);
  EXPECT_DOUBLE_EQ(freed(direct, {SS_RECOMPUTE_MLA_UP_PROJ, SS_RECOMPUTE_LAYERNORM}), qkv - 2 * rope + 4 * e);
}

/* Products that discard their input quantise it again: of blocks of 128, 1 + 4 / 128 bytes a value. What a recomputed
 * part takes is kept in 16 bits. */
TEST(RecomputeModules, InEightBits)
{
  const double byte = 1 + 4.0 / 128;
  ss_workload workload = llama();
  workload.training.precision = SS_PRECISION_FP8_BLOCK;
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_LAYERNORM}), 2 * byte * e);
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_MLP}), byte * e + 4 * f + byte * f - 2 * e);
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_MLP, SS_RECOMPUTE_LAYERNORM}), 2 * byte * e + 4 * f + byte * f);
  EXPECT_EQ(runs_again(again(workload, {SS_RECOMPUTE_LAYERNORM})), "norm 2, quantise, norm 1, quantise");
  EXPECT_EQ(runs_again(again(workload, {SS_RECOMPUTE_MLP})), "quantise, fc1, activation, quantise, fc2");
}

/* Each of two ranks keeps its tokens. Where all are kept as they were gathered, the norm frees nothing. */
TEST(RecomputeModules, WithTensorParallelism)
{
  ss_workload workload = llama();
  workload.parallelism.tp = 2;
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_LAYERNORM}), 4 * e / 2);
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_MLP}), 6 * f / 2);
  EXPECT_EQ(runs_again(again(workload, {SS_RECOMPUTE_MLP})), "all-gather, fc1, activation, fc2, reduce-scatter");
  workload.parallelism.tp_redo = SS_NO;
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_LAYERNORM}), 0);
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_MLP}), 6 * f / 2 + 2 * e - 2 * e / 2);
}

/* A module runs again where backward comes to what needs it: a norm before the part behind it, up-projections before
 * the core of attention, an activation before the gradients of the product that reads it. */
TEST(RecomputeModules, RunWhereBackwardNeedsThem)
{
  EXPECT_EQ(backward(again(llama(), {SS_RECOMPUTE_LAYERNORM}), true),
            "bias + dropout + add, (norm 2), fc2, activation, fc1, norm 2, bias + dropout + add, (norm 1), projection, "
            "flash attention, rotary embedding, qkv, norm 1");
  EXPECT_EQ(backward(again(llama(), {SS_RECOMPUTE_CORE_ATTN}), true),
            "bias + dropout + add, fc2, activation, fc1, norm 2, bias + dropout + add, projection, (flash attention), "
            "flash attention, rotary embedding, qkv, norm 1");
  EXPECT_EQ(backward(again(deepseek(), {SS_RECOMPUTE_MLA_UP_PROJ, SS_RECOMPUTE_MOE_ACT}), true),
            "bias + dropout + add, residual add, fc2, activation, fc1, unpermute, (expert activation), expert fc2, "
            "expert activation, expert fc1, permute, top-k, router, norm 2, bias + dropout + add, projection, (q up), "
            "(k/v up), (rotary embedding), flash attention, rotary embedding, k/v up, latent norm, k/v down, q up, "
            "latent norm, q down, norm 1");
}

/* A module inside of one that is recomputed runs twice more: when that runs again, and when its own output is needed.
 */
TEST(RecomputeModules, NestedOnesRunTwice)
{
  ss_workload workload = deepseek();
  workload.parallelism.ep = 2;
  workload.parallelism.dp = 2;
  EXPECT_EQ(runs_again(again(workload, {SS_RECOMPUTE_MOE})),
            "router, top-k, permute, all-to-all, permute, expert fc1, expert activation, expert fc2, permute, "
            "all-to-all, unpermute, fc1, "
            "activation, fc2, residual add");
  EXPECT_EQ(runs_again(again(workload, {SS_RECOMPUTE_MOE, SS_RECOMPUTE_MOE_ACT, SS_RECOMPUTE_LAYERNORM})),
            "norm 2, router, top-k, permute, all-to-all, permute, expert fc1, expert activation, expert fc2, permute, "
            "all-to-all, "
            "unpermute, fc1, activation, fc2, residual add, expert activation, norm 1");
}

/* On top of what is kept backward needs most where it begins, or where it comes to a part that has more again than what
 * is behind it has kept. */
TEST(RecomputeModules, WorkingBytes)
{
  const auto working = [](const ss_workload &w) { return build(w, kind_of(w))->working_bytes / tokens; };
  EXPECT_DOUBLE_EQ(working(gpt()), 0);
  EXPECT_DOUBLE_EQ(working(again(gpt(), {SS_RECOMPUTE_LAYERNORM})), 2 * e);
  EXPECT_DOUBLE_EQ(working(again(gpt(), {SS_RECOMPUTE_LAYERNORM, SS_RECOMPUTE_MLP})), 2 * e + 4 * f);
  EXPECT_DOUBLE_EQ(working(again(deepseek(), {SS_RECOMPUTE_MOE_ACT})), 0); /* less than unpermute has kept */
  ss_workload full = gpt();
  full.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_DOUBLE_EQ(working(full), kept(gpt()));
}

/* Whole layers run again, or up to what the last product reads: not that, nor the addition behind it. What is kept is
 * the same. Backward takes the second product of a feed-forward part less. */
TEST(RecomputeModules, EarlyStop)
{
  ss_workload workload = gpt();
  workload.training.recompute = SS_RECOMPUTE_FULL;
  const double all = build(workload)->again_flop;
  const std::string whole = runs_again(workload);
  EXPECT_DOUBLE_EQ(kept(workload), 2 * e);
  workload.training.recompute_early_stop = SS_YES;
  EXPECT_EQ(whole, runs_again(workload) + ", fc2, bias + dropout + add");
  EXPECT_DOUBLE_EQ(kept(workload), 2 * e);
  EXPECT_DOUBLE_EQ(all - build(workload)->again_flop, tokens * e * (2 * f - 1));
}

/* Products of queries, keys, values and of the projection, of gate, up and down: the first, third, fifth and seventh
 * are kept, and what attention has made; beside the input of the layer. */
TEST(RecomputeModules, PerOp)
{
  ss_workload workload = llama();
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  workload.training.recompute = SS_RECOMPUTE_PER_OP;
  EXPECT_EQ(runs_again(workload), "norm 1, qkv, rotary embedding, projection, bias + dropout + add, norm 2, fc1, "
                                  "activation");
  EXPECT_DOUBLE_EQ(kept(workload), 2 * e + 2 * e + 2 * 4 * d + (2 * e + 4 * h) + 2 * f + 2 * e);
  EXPECT_DOUBLE_EQ(build(workload)->again_flop, tokens * (4 * d + e) * (2 * e - 1) + tokens * f * (2 * e - 1));
  workload.training.projections = SS_PROJECTIONS_FUSED; /* qkv and fc1 are kept; what fc2 makes, nobody reads */
  EXPECT_EQ(runs_again(workload), "norm 1, rotary embedding, projection, bias + dropout + add, norm 2, activation");
}

/* The largest values, which scales come of, are kept by operation: only what they scale is quantised again. */
TEST(RecomputeModules, PerOpKeepsLargestValues)
{
  ss_workload workload = llama();
  workload.training.precision = SS_PRECISION_FP8_CURRENT;
  workload.training.recompute = SS_RECOMPUTE_FULL;
  EXPECT_NE(runs_again(workload).find("largest value"), std::string::npos);
  workload.training.recompute = SS_RECOMPUTE_PER_OP;
  EXPECT_EQ(runs_again(workload).find("largest value"), std::string::npos);
  EXPECT_NE(runs_again(workload).find("quantise"), std::string::npos);
}

/* With tensor parallelism, sums of the ranks are kept, and a compiler leaves out the product of which they are; without
 * one it runs again. What was gathered is gathered again, also where that runs beside a product that is kept. */
TEST(RecomputeModules, PerOpOfRanks)
{
  ss_workload workload = llama();
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  workload.training.recompute = SS_RECOMPUTE_PER_OP;
  workload.parallelism.tp = 4;
  workload.parallelism.sequence_parallel = SS_YES;
  workload.parallelism.tp_redo = SS_NO;
  EXPECT_EQ(runs_again(workload),
            "norm 1, all-gather, qkv, rotary embedding, bias + dropout + add, norm 2, all-gather, "
            "fc1, activation");
  EXPECT_DOUBLE_EQ(kept(workload),
                   2 * e / 4 + (2 * e + 2 * 4 * d + 2 * e + 4 * h + 2 * f) / 4 + 2 * e / 4 + (2 * e + 2 * e / 4));
  workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
  EXPECT_EQ(runs_again(workload),
            "norm 1, all-gather, qkv, rotary embedding, bias + dropout + add, norm 2, all-gather, "
            "fc1, activation");
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  workload.training.fused = SS_NO;
  EXPECT_NE(runs_again(workload).find("projection"), std::string::npos);
}

/* All-to-alls of tokens are kept, and grouped products are not. */
TEST(RecomputeModules, PerOpOfExperts)
{
  ss_workload workload = deepseek();
  workload.parallelism.ep = 4;
  workload.training.recompute = SS_RECOMPUTE_PER_OP;
  const std::string text = runs_again(workload);
  EXPECT_EQ(text.find("all-to-all"), std::string::npos) << text;
  EXPECT_NE(text.find("router"), std::string::npos) << text;
  EXPECT_NE(text.find("expert fc1, expert activation, expert fc2"), std::string::npos) << text;
}

/* Results of qkv, projection and fc1 are kept beside the input of the layer; nobody reads that of fc2. What runs again
 * has the flop of all but these four products. */
TEST(RecomputeModules, KeepProducts)
{
  ss_workload workload = llama();
  workload.training.projections = SS_PROJECTIONS_FUSED;
  workload.training.recompute = SS_RECOMPUTE_FULL;
  const double all = build(workload)->again_flop;
  workload.training.recompute = SS_RECOMPUTE_KEEP_PRODUCTS;
  EXPECT_EQ(runs_again(workload),
            "norm 1, rotary embedding, flash attention, bias + dropout + add, norm 2, activation");
  EXPECT_DOUBLE_EQ(kept(workload), 2 * e + 2 * (e + 2 * 4 * d) + 2 * e + 2 * 2 * f);
  const double products = tokens * ((e + 2 * 4 * d + e + 2 * f) * (2 * e - 1) + e * (2 * f - 1));
  EXPECT_DOUBLE_EQ(all - build(workload)->again_flop, products);
}

/* With tensor parallelism, a rank keeps its part of the sum of projections. Gradients of weights gather what they need,
 * however the gathers of forward run. */
TEST(RecomputeModules, KeepProductsOfRanks)
{
  ss_workload workload = llama();
  workload.training.projections = SS_PROJECTIONS_FUSED;
  workload.training.recompute = SS_RECOMPUTE_KEEP_PRODUCTS;
  workload.parallelism.tp = 4;
  workload.parallelism.sequence_parallel = SS_YES;
  for (const ss_tp_overlap overlap : {SS_TP_OVERLAP_NONE, SS_TP_OVERLAP_PIPE}) {
    workload.schedule.overlap_tp = overlap;
    EXPECT_EQ(runs_again(workload),
              "norm 1, rotary embedding, flash attention, bias + dropout + add, norm 2, activation");
    EXPECT_DOUBLE_EQ(kept(workload), (2 * e + 2 * (e + 2 * 4 * d) + 2 * e + 2 * 2 * f) / 4);
  }
}

/* Norms of linear attention are input norms; Mamba has none (megatron/core/ssm/mamba_layer.py). */
TEST(RecomputeModules, OfMixers)
{
  ss_workload workload = llama();
  workload.model.state_heads = 16;
  workload.model.state_groups = 8;
  workload.model.mixer = SS_MIXER_LINEAR;
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_LAYERNORM}), 4 * e);
  workload.model.mixer = SS_MIXER_MAMBA;
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_LAYERNORM}), 2 * e);
}

/* A mixer of Mamba keeps what is convolved, and makes the rest again: eight more groups of two projections of the
 * state, in 16 bits. Linear attention keeps both. */
TEST(RecomputeModules, MixersKeepWhatIsConvolved)
{
  const auto kept_with = [](ss_mixer mixer, int64_t groups) {
    ss_workload workload = llama();
    workload.model.mixer = mixer;
    workload.model.state_heads = 16;
    workload.model.state_size = 128;
    workload.model.state_groups = groups;
    return kept(workload);
  };
  const double more = 8 * 2 * 128 * 2;
  EXPECT_DOUBLE_EQ(kept_with(SS_MIXER_MAMBA, 16) - kept_with(SS_MIXER_MAMBA, 8), more);
  EXPECT_DOUBLE_EQ(kept_with(SS_MIXER_LINEAR, 16) - kept_with(SS_MIXER_LINEAR, 8), 2 * more);
}

/* Attention and MLP beside each other read one norm, which runs again before both. */
TEST(RecomputeModules, OfParallelParts)
{
  ss_workload workload = llama();
  workload.model.parallel = SS_YES;
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_LAYERNORM}), 2 * e);
  EXPECT_DOUBLE_EQ(freed(workload, {SS_RECOMPUTE_MLP}), 6 * f);
  EXPECT_EQ(backward(again(workload, {SS_RECOMPUTE_LAYERNORM}), true),
            "bias + dropout + add, (norm 1), fc2, activation, fc1, projection, flash attention, rotary embedding, qkv, "
            "norm 1");
}

/* Weight gradients that wait keep what they read, whether or not it was there from forward on. */
TEST(RecomputeModules, DeferredGradientsKeepWhatTheyRead)
{
  ss_workload workload = deepseek();
  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_1;
  const auto deferred = [](const ss_workload &w) { return build(w, SS_BLOCK_EXPERT)->deferred_bytes; };
  EXPECT_DOUBLE_EQ(deferred(workload), deferred(again(workload, {SS_RECOMPUTE_LAYERNORM, SS_RECOMPUTE_MOE})));
}

/* Forward products of a layer for a sequence: up-projections q_rank h (d + rope) + kv_rank 2 h d; a router and 5
 * experts of 3 e f. */
TEST(RecomputeModules, HardwareFlop)
{
  const auto flop = [](const ss_workload &w) {
    const Job job(w, make_machine({}), SS_COST_CALIBRATED);
    return ss_estimate_metrics(job.get(), 1.0).hfu * 2 * 312e12 / static_cast<double>(w.model.layers) / tokens;
  };
  const double up = 2 * (q_rank * h * (d + rope) + kv_rank * 2 * h * d), expert = 2 * 3 * e * expert_ffn;
  const auto more = [&](const ss_workload &w, Modules modules) { return flop(again(w, modules)) - flop(w); };
  ss_workload workload = deepseek();
  workload.parallelism.dp = 2; /* a machine of two GPUs */
  workload.training.global_batch = 2;
  const double batch = 2;
  expect_close(more(workload, {SS_RECOMPUTE_MLA_UP_PROJ}), batch * up, 1e-9);
  expect_close(more(workload, {SS_RECOMPUTE_SHARED_EXPERTS}), batch * expert, 1e-9);
  expect_close(more(workload, {SS_RECOMPUTE_MOE}), batch * (5 * expert + 2 * e * experts), 1e-9);
  expect_close(more(workload, {SS_RECOMPUTE_MOE, SS_RECOMPUTE_SHARED_EXPERTS}), batch * (6 * expert + 2 * e * experts),
               1e-9);
  EXPECT_EQ(more(workload, {SS_RECOMPUTE_LAYERNORM, SS_RECOMPUTE_MOE_ACT}), 0);
  const double core = 2 * h * tokens * (d + rope + d) / 2; /* causal */
  expect_close(more(workload, {SS_RECOMPUTE_CORE_ATTN}), batch * core, 1e-9);
}

/* A module's inputs go to the second tier: of the norms, of all that makes queries, keys and values, of the core these
 * and 4 bytes a head, of the projection what the core puts out; tokens of the experts, and what their activation reads.
 */
TEST(OffloadModules, MoveTheirInputs)
{
  const auto moved = [](std::initializer_list<ss_offload_module> modules) {
    ss_workload workload = deepseek();
    workload.training.offload_activations = SS_YES;
    workload.training.offload_modules = set_of(modules);
    return build(workload, SS_BLOCK_EXPERT)->offload_bytes / tokens;
  };
  const double core = 2 * h * (2 * (d + rope) + d) + 4 * h;
  EXPECT_DOUBLE_EQ(moved({}), kept(deepseek()));
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_ATTN_NORM}), 2 * e);
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_QKV_LINEAR}), 2 * e + 4 * q_rank + 4 * kv_rank);
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_CORE_ATTN}), core);
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_CORE_ATTN, SS_OFFLOAD_ATTN_PROJ}), core + 2 * h * d);
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_MLP_NORM}), 2 * e);
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_EXPERT_FC1}), 2 * choices * e);
  EXPECT_DOUBLE_EQ(moved({SS_OFFLOAD_MOE_ACT}), 4 * choices * expert_ffn);
}

/* To be moved, tokens of experts are kept in 16 bits and quantised again; MXFP8 keeps its copy, of 1 + 1/32 bytes. */
TEST(OffloadModules, OfEightBits)
{
  ss_workload workload = deepseek();
  workload.training.offload_activations = SS_YES;
  workload.training.offload_modules = set_of({SS_OFFLOAD_EXPERT_FC1});
  workload.training.precision = SS_PRECISION_FP8_BLOCK;
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_EXPERT)->offload_bytes / tokens, 2 * choices * e);
  EXPECT_EQ(runs_again(workload), "quantise");
  workload.training.precision = SS_PRECISION_MXFP8;
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_EXPERT)->offload_bytes / tokens, (1 + 1.0 / 32) * choices * e);
  EXPECT_EQ(runs_again(workload), "");
}

/* What is made again is not moved: of the norm's output nothing, of its input all. */
TEST(OffloadModules, BesideRecomputation)
{
  ss_workload workload = again(llama(), {SS_RECOMPUTE_LAYERNORM, SS_RECOMPUTE_MLP});
  workload.training.offload_activations = SS_YES;
  EXPECT_DOUBLE_EQ(build(workload)->offload_bytes / tokens, kept(workload));
  workload.training.offload_modules = set_of({SS_OFFLOAD_ATTN_NORM, SS_OFFLOAD_MLP_NORM});
  EXPECT_DOUBLE_EQ(build(workload)->offload_bytes / tokens, 4 * e);
}

/* Where queries, keys and values are made again, the output of the core and its sums of exponents are left. */
TEST(OffloadModules, OfACoreWhoseInputsAreMadeAgain)
{
  ss_workload workload = again(deepseek(), {SS_RECOMPUTE_MLA_UP_PROJ});
  workload.training.offload_activations = SS_YES;
  workload.training.offload_modules = set_of({SS_OFFLOAD_CORE_ATTN, SS_OFFLOAD_ATTN_PROJ});
  ss_workload_derive(&workload);
  EXPECT_EQ(ss_workload_check(&workload, nullptr), SS_OK);
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_EXPERT)->offload_bytes / tokens, 2 * h * d + 4 * h);
}

/* Three of eight layers are written in forward, and read in backward. */
TEST(OffloadLayers, MoveTheFirstOnes)
{
  ss_workload workload = gpt();
  workload.training.offload_activations = SS_YES;
  workload.training.offload_layers = 3;
  workload.training.global_batch = 4;
  ss_machine machine = make_machine({});
  machine.offload_bytes = machine.offload_bytes_per_s = 1e12;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const ss_offload offload = ss_estimate_offload(job.get(), 0);
  EXPECT_DOUBLE_EQ(offload.written_bytes, 4 * 3 * kept(gpt()) * tokens);
  EXPECT_DOUBLE_EQ(offload.read_bytes, offload.written_bytes);
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 0).offloaded_bytes, 3 * kept(gpt()) * tokens);
}

/* Groups of three, three and two layers: three inputs of 2 e are kept, and while a group runs backward all of three
 * layers. It takes as long as layers that recompute one by one. */
TEST(RecomputeGroups, KeepOneInputEach)
{
  ss_workload workload = gpt();
  workload.training.recompute = SS_RECOMPUTE_FULL;
  const Job one_by_one(workload, make_machine({}), SS_COST_CALIBRATED);
  workload.training.recompute_method = SS_RECOMPUTE_UNIFORM;
  workload.training.recompute_layers = 3;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const ss_memory memory = ss_estimate_stage_memory(job.get(), 0);
  EXPECT_DOUBLE_EQ(memory.recompute_bytes, 3 * kept(gpt()) * tokens);
  EXPECT_DOUBLE_EQ(memory.activations_bytes - memory.recompute_bytes, 3 * 2 * e * tokens);
  EXPECT_DOUBLE_EQ(ss_estimate_time(job.get()).iteration_s, ss_estimate_time(one_by_one.get()).iteration_s);
  EXPECT_DOUBLE_EQ(ss_estimate_metrics(job.get(), 1).hfu, ss_estimate_metrics(one_by_one.get(), 1).hfu);
}
