#include "model/block/feed_forward/router.h"

#include "model/block/recomputation.h"
#include "model/input/workload.h"

#define INDEX_BYTES 8.0 /* of a choice */

static double logit_bytes(const ss_builder *b)
{
  return b->workload->training.router_type == SS_ROUTER_FP32 ? SS_FP32_BYTES : SS_ELEMENT_BYTES;
}

/* torch.topk finds a value two bits at a time, and reads all in each pass and once more (RADIX_BITS of
 * aten/src/ATen/native/cuda/SortingRadixSelect.cuh). */
static double top_k_bytes(double value_bytes)
{
  return (8.0 * value_bytes / 2.0 + 1.0) * value_bytes;
}

/* One kernel after the other (topk_routing_with_score_function, compute_routing_scores_for_aux_loss and
 * switch_load_balancing_loss_func in megatron/core/transformer/moe). Forward, bytes of a score of x bytes: top-k of the
 * logits, two kernels; softmax of what is chosen and its type, two; weights of all experts x + 2 x (zeros, scatter out
 * of place, three); a map of them x, x + 4, 4 + 4, 4 + 1 (zeros, integers, scatter, booleans, five); for the loss that
 * balances experts softmax x + 4, top-k of that in fp32, two, and its map, five; sums 1 and 4; six of single values: 28
 * kernels. Backward: three kernels of what is chosen, zeros x that a fourth fills, and of the loss five of single
 * values, a copy 4, softmax 4 + 4 + x, the sum of both gradients 3 x: 13. A top-k is one operation of the framework, as
 * are a scatter or a gradient of either with the zeros or the copy that they begin with: 22 and 9. Kept are the softmax
 * and both maps. */
static ss_operation choose_separately(double scores, double chosen, double x)
{
  const double map_bytes = 2.0 * x + 17.0;
  const double forward_bytes = top_k_bytes(x) + 3.0 * x + map_bytes + x + SS_FP32_BYTES + top_k_bytes(SS_FP32_BYTES) +
                               map_bytes + 1.0 + SS_FP32_BYTES;
  return (ss_operation){.forward = ss_chain_task(SS_OP_TOP_K, 28.0, 22, 10.0 * scores, forward_bytes * scores),
                        .backward = ss_chain_task(SS_OP_TOP_K, 13.0, 9, 8.0 * scores, (5.0 * x + 12.0) * scores),
                        .stored_bytes = (SS_FP32_BYTES + 2.0) * scores + 2.0 * INDEX_BYTES * chosen};
}

/* Of all tokens an expert takes those with the largest weights (apply_router_token_dropping). Forward: top-k; a mask x
 * + 2 x (zeros, scatter) and x + 1 (booleans); its product with the weights 2 x + 1: six kernels, five operations.
 * Backward that product, for which the mask is kept. */
static ss_operation drop_tokens(double scores, double x)
{
  return (ss_operation){.forward =
                            ss_chain_task(SS_OP_TOP_K, 6.0, 5, scores, (top_k_bytes(x) + 6.0 * x + 2.0) * scores),
                        .backward = ss_chain_task(SS_OP_TOP_K, 1.0, 1, scores, (2.0 * x + 1.0) * scores),
                        .stored_bytes = scores};
}

/* In fp32 the product reads 16 bits and writes fp32. Its gradients are products in fp32, for which input and weights
 * are cast, as both gradients are behind them (RouterGatingLinearFunction in
 * megatron/core/transformer/moe/moe_utils.py). */
static void widen(ss_builder *b, ss_operation *router, double x, double w, double y)
{
  const double wider = SS_FP32_BYTES - SS_ELEMENT_BYTES, cast_bytes = SS_FP32_BYTES + SS_ELEMENT_BYTES;
  router->forward.kernel.hbm_bytes += wider * y;
  router->backward.kernel.hbm_bytes += wider * (y + w + x);
  router->weight.kernel.hbm_bytes += wider * (x + y + w);
  const ss_operation casts = {.backward = ss_chain_task(SS_OP_CAST, 4.0, 4, 0.0, 2.0 * cast_bytes * (x + w))};
  ss_builder_add(b, casts);
}

/* Each tensor-parallel rank routes its own tokens and has all weights of the router, which stay in 16 bits; its input
 * is what the shared experts keep, if they keep it that way. */
static void add_logits(ss_builder *b, double experts)
{
  ss_operation router = ss_operation_product(
      &(ss_product){.activity = SS_OP_ROUTER, .tokens = b->own_tokens, .in = b->hidden, .out = experts});
  router.keeps_norm = true;
  if (ss_builder_recomputes_norms(b)) router.remade_bytes = router.stored_bytes;
  if (b->workload->training.router_type == SS_ROUTER_FP32)
    widen(b, &router, b->own_tokens * b->hidden, b->hidden * experts, b->own_tokens * experts);
  ss_builder_add(b, router);
}

void ss_builder_add_router(ss_builder *b, double choices)
{
  const ss_workload *w = b->workload;
  const double experts = (double)(w->model.experts + w->model.zero_experts), scores = b->own_tokens * experts,
               x = logit_bytes(b);
  add_logits(b, experts);
  if (w->training.router == SS_ROUTER_SEPARATE)
    ss_builder_add(b, choose_separately(scores, b->own_tokens * choices, x));
  else
    ss_builder_add(b, ss_operation_top_k(b->own_tokens, experts, choices, x));
  if (w->training.capacity_factor > 0.0) ss_builder_add(b, drop_tokens(scores, x));
}
