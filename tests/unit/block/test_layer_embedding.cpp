/* What layers of Gemma 4 have beside others: embeddings of their own, and keys and values of another layer. Llama
 * layers of 8 heads of 128, 512 tokens. */
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, p = 64, v = 32000;

ss_workload two_layers()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.layers = 2;
  workload.model.vocabulary = static_cast<int64_t>(v);
  return workload;
}

double model_flop(const ss_workload &workload)
{
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  return ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration;
}

} /* namespace */

/* A table of 2 p columns beside that of e, a product e x 2 p of the embedding, and a norm over p; in each layer
 * products e x p and p x e, and a norm of e. Ranks of a tensor-parallel group share the tables out, and have products
 * whole, for their own tokens. */
TEST(LayerEmbedding, IsATableAndThreeProducts)
{
  ss_workload workload = two_layers();
  const double asked = model_flop(workload);
  const BlockPointer plain = build(workload), plain_ends = build(workload, SS_BLOCK_EMBEDDING);
  workload.model.layer_embedding = static_cast<int64_t>(p);
  const BlockPointer layer = build(workload), ends = build(workload, SS_BLOCK_EMBEDDING);
  EXPECT_EQ(names(*ends, SS_PASS_FORWARD),
            "embedding lookup, embedding lookup, layer embeddings, norm of layer embeddings, residual add");
  EXPECT_EQ(names(*layer, SS_PASS_FORWARD),
            names(*plain, SS_PASS_FORWARD) + ", layer embedding down, layer embedding gate, layer embedding up, norm "
                                             "of layer embeddings, residual add");
  EXPECT_DOUBLE_EQ(ends->parameters[SS_WEIGHTS_DENSE] - plain_ends->parameters[SS_WEIGHTS_DENSE],
                   v * 2 * p + e * 2 * p + p);
  EXPECT_DOUBLE_EQ(layer->parameters[SS_WEIGHTS_DENSE] - plain->parameters[SS_WEIGHTS_DENSE], 2 * e * p + e);
  EXPECT_DOUBLE_EQ(find(*ends, SS_PASS_FORWARD, SS_OP_LAYER_TABLE).kernel.flop, l * 2 * p * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_LAYER_DOWN).kernel.flop, l * p * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_LAYER_UP).kernel.flop, l * e * (2 * p - 1));
  EXPECT_DOUBLE_EQ(model_flop(workload) - asked, l * 6 * (2 * 2 * e * p + e * 2 * p));
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  const BlockPointer half = build(workload, SS_BLOCK_EMBEDDING);
  EXPECT_DOUBLE_EQ(half->parameters[SS_WEIGHTS_DENSE], v * (e + 2 * p) / 2 + e * 2 * p + p);
  EXPECT_DOUBLE_EQ(find(*half, SS_PASS_FORWARD, SS_COMM_REDUCE_SCATTER, 1).call[0].volume_bytes, 2 * l * 2 * p);
  EXPECT_DOUBLE_EQ(find(*half, SS_PASS_FORWARD, SS_OP_LAYER_TABLE).kernel.flop, l / 2 * 2 * p * (2 * e - 1));
}

/* No products for keys and values, e^2 each, and no norm of keys, 128. Attention is the same, but keeps neither, of 2 l
 * e bytes each, nor keys ahead of their norm; backward its gradients of both are added to those that are there. */
TEST(SharedKeys, AreOfAnotherLayer)
{
  ss_workload workload = two_layers();
  workload.model.qk_norm = SS_YES;
  const BlockPointer own = build(workload);
  workload.model.shared_keys = SS_YES;
  const BlockPointer shared = build(workload);
  EXPECT_DOUBLE_EQ(own->parameters[SS_WEIGHTS_DENSE] - shared->parameters[SS_WEIGHTS_DENSE], 2 * e * e + 128);
  EXPECT_DOUBLE_EQ(find(*shared, SS_PASS_FORWARD, SS_OP_QKV).kernel.flop, l * e * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*shared, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop,
                   find(*own, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop);
  EXPECT_DOUBLE_EQ(find(*shared, SS_PASS_BACKWARD, SS_OP_INPUT_SUM).kernel.flop, 2 * l * e);
  EXPECT_DOUBLE_EQ(own->stored_bytes - shared->stored_bytes, 3 * 2 * l * e);
  workload = two_layers();
  const double asked = model_flop(workload);
  (void)snprintf(workload.model.kinds, sizeof workload.model.kinds, "a; s shared-keys=yes");
  (void)snprintf(workload.model.pattern, sizeof workload.model.pattern, "as");
  workload.line[SS_AT_model_kinds] = 1;
  EXPECT_DOUBLE_EQ(asked - model_flop(workload), l * 6 * 2 * e * e);
}
