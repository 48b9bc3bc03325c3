/* Gates of what attention writes, against sums by hand: a Llama layer of 8 heads of 128 with 4 key/value heads, 512
 * tokens. The gate of a token is as wide as its queries, which are as wide as the model here: e. */
#include "tests/support/attributes.hpp"
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/estimate/model_size.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, d = 128, kv = 4;

ss_workload plain()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.kv_heads = static_cast<int64_t>(kv);
  return workload;
}

ss_workload gated(ss_workload workload = plain())
{
  workload.model.attention_output_gate = SS_YES;
  return workload;
}

/* What a layer keeps more with a gate. */
double kept_more(const ss_workload &workload)
{
  return build(gated(workload), SS_BLOCK_LAYER)->stored_bytes - build(workload, SS_BLOCK_LAYER)->stored_bytes;
}

} /* namespace */

/* A token's queries, gate, keys and values are one product of 2 e + 2 kv d columns. The gate reads what attention wrote
 * and itself and writes one tensor; backward it reads these and a gradient, and writes two. */
TEST(AttentionGate, IsPartOfTheProductOfQueries)
{
  const BlockPointer layer = build(gated());
  EXPECT_EQ(names(*layer, SS_PASS_FORWARD),
            "norm 1, qkv, rotary embedding, flash attention, attention gate, projection, bias + dropout + add, norm 2, "
            "fc1, activation, fc2, bias + dropout + add");
  EXPECT_DOUBLE_EQ(layer->parameters[SS_WEIGHTS_DENSE], build(plain())->parameters[SS_WEIGHTS_DENSE] + e * e);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_QKV).kernel.flop, l * (2 * e + 2 * kv * d) * (2 * e - 1));
  const ss_kernel forward = find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION_GATE).kernel;
  const ss_kernel backward = find(*layer, SS_PASS_BACKWARD, SS_OP_ATTENTION_GATE).kernel;
  EXPECT_DOUBLE_EQ(forward.hbm_bytes, 2 * 3 * l * e);
  EXPECT_DOUBLE_EQ(backward.hbm_bytes, 2 * 5 * l * e);
  EXPECT_DOUBLE_EQ(forward.flop, (8 + 1) * l * e);
  EXPECT_DOUBLE_EQ(backward.flop, (8 + 2 + 3) * l * e);
}

/* Where queries, keys and values are products of their own, the gate comes with the queries, as in
 * modeling_qwen3_next.py. */
TEST(AttentionGate, ComesWithTheQueries)
{
  ss_workload workload = gated();
  workload.training.projections = SS_PROJECTIONS_SEPARATE;
  const BlockPointer layer = build(workload);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_QKV).kernel.flop, l * 2 * e * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_QKV, 1).kernel.flop, l * kv * d * (2 * e - 1));
  EXPECT_DOUBLE_EQ(layer->parameters[SS_WEIGHTS_DENSE], build(gated())->parameters[SS_WEIGHTS_DENSE]);
}

/* Each tensor-parallel rank has the gates of its heads, and each context-parallel one those of its tokens. */
TEST(AttentionGate, IsSplitWithTheHeads)
{
  ss_workload workload = plain();
  workload.parallelism.tp = 4;
  workload.parallelism.cp = 2;
  for (const ss_cp_exchange exchange : {SS_CP_RING, SS_CP_GATHER, SS_CP_ALL_TO_ALL}) {
    workload.parallelism.cp_exchange = exchange;
    const BlockPointer layer = build(gated(workload)), before = build(workload);
    EXPECT_DOUBLE_EQ(layer->parameters[SS_WEIGHTS_DENSE], before->parameters[SS_WEIGHTS_DENSE] + e * e / 4);
    EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION_GATE).kernel.hbm_bytes, 2 * 3 * l * e / 8);
    EXPECT_EQ(calls(*layer, SS_PASS_FORWARD), calls(*before, SS_PASS_FORWARD));
    EXPECT_DOUBLE_EQ(kept_more(workload), 2 * 2 * l * e / 8);
  }
}

/* Kept are the gate and what it multiplies, in 16 bits, beside its product, which the projection keeps. Without fused
 * chains the sigmoid is kept in place of the gate that it is of: a kernel for it, of 2 and 3 tensors, and one for the
 * product, of 3 and 6. Where the projection has 8 bits, attention keeps its output for itself without a gate. */
TEST(AttentionGate, KeepsBothFactors)
{
  EXPECT_DOUBLE_EQ(kept_more(plain()), 2 * 2 * l * e);
  ss_workload workload = plain();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  EXPECT_DOUBLE_EQ(kept_more(workload), 2 * 2 * l * e);
  workload = plain();
  workload.training.precision = SS_PRECISION_FP8;
  EXPECT_DOUBLE_EQ(kept_more(workload), 2 * l * e);
  workload = plain();
  workload.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(kept_more(workload), (2 + 2) * l * e);
  const BlockPointer layer = build(gated(workload));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION_GATE).kernel.hbm_bytes, 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION_GATE, 1).kernel.hbm_bytes, 2 * 3 * l * e);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_BACKWARD, SS_OP_ATTENTION_GATE).kernel.hbm_bytes, 2 * 6 * l * e);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_BACKWARD, SS_OP_ATTENTION_GATE, 1).kernel.hbm_bytes, 2 * 3 * l * e);
}

/* Attention that runs again does not make the gate again, nor what that multiplies, which is outside of the module; a
 * whole layer does. Of modules whose inputs go to the host, that of the projection is the product. */
TEST(AttentionGate, IsNoPartOfModules)
{
  ss_workload workload = plain();
  workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
  workload.training.recompute_modules = set_of({SS_RECOMPUTE_CORE_ATTN});
  const std::string again = names(*build(gated(workload), SS_BLOCK_LAYER), SS_PASS_BACKWARD);
  EXPECT_NE(again.find("projection, attention gate, flash attention, flash attention, rotary"), std::string::npos)
      << again;
  EXPECT_DOUBLE_EQ(kept_more(workload), 2 * 2 * l * e);
  workload.training.recompute = SS_RECOMPUTE_FULL;
  workload.training.recompute_modules = 0;
  EXPECT_DOUBLE_EQ(kept_more(workload), 0);
  EXPECT_DOUBLE_EQ(build(gated(workload))->working_bytes, build(workload)->working_bytes + 2 * 2 * l * e);
  workload = plain();
  workload.training.offload_activations = SS_YES;
  workload.training.offload_modules = set_of({SS_OFFLOAD_CORE_ATTN, SS_OFFLOAD_ATTN_PROJ});
  EXPECT_DOUBLE_EQ(build(gated(workload))->offload_bytes, build(workload)->offload_bytes);
}

/* Queries lie between gates, keys and values of other groups, and so do gates. */
TEST(AttentionGate, IsCopiedAsQueriesAre)
{
  ss_workload workload = gated();
  workload.training.layout_copies = SS_YES;
  const BlockPointer layer = build(workload);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_COPY).kernel.hbm_bytes, 2 * 2 * l * 2 * e);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_BACKWARD, SS_OP_COPY).kernel.hbm_bytes, 2 * 2 * l * (2 * e + 2 * kv * d));
}

/* 6 flop for each parameter and token, also of one kind among others; kinds that do not attend have none. */
TEST(AttentionGate, CountsAsWhatTheModelAsksFor)
{
  const ss_machine machine = make_machine({});
  const auto difference = [&](const char *kinds, const char *pattern) {
    double flop[2], parameters[2];
    for (int i = 0; i < 2; ++i) {
      ss_workload workload = i == 0 ? plain() : gated();
      if (kinds[0] != '\0') workload.model.attention_output_gate = SS_NO;
      workload.model.state_heads = workload.model.state_groups = 8;
      (void)snprintf(workload.model.kinds, sizeof workload.model.kinds, "%s",
                     i == 0 && kinds[0] != '\0' ? "g; l" : kinds);
      (void)snprintf(workload.model.pattern, sizeof workload.model.pattern, "%s", pattern);
      const Job job(workload, machine, SS_COST_CALIBRATED);
      flop[i] = ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration;
      parameters[i] = ss_estimate_metrics(job.get(), 1.0).parameters;
    }
    EXPECT_DOUBLE_EQ(flop[1] - flop[0], 6 * l * (parameters[1] - parameters[0]));
    return (parameters[1] - parameters[0]) / (e * e);
  };
  const double layers = static_cast<double>(plain().model.layers);
  EXPECT_DOUBLE_EQ(difference("", ""), layers);
  EXPECT_DOUBLE_EQ(difference("g attention-output-gate=yes; l", "gl"), layers / 2);
}
