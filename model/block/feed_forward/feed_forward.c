#include "model/block/feed_forward/feed_forward.h"

#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/block/residual.h"
#include "model/input/workload.h"

/* Autograd of SwiGLU keeps a copy of its input (fp8_input_store of megatron/core/fusions/fused_bias_swiglu.py). */
static bool keeps_8bit(const ss_builder *b)
{
  return b->workload->training.activation_input == SS_ACTIVATION_INPUT_FP8 && b->layer;
}

void ss_builder_add_activation(ss_builder *b, ss_activity activity, double elements)
{
  const bool apart = b->gated && !b->fused && !b->traits.as_published;
  if (!apart) {
    ss_operation whole = b->gated ? ss_operation_swiglu(activity, elements) : ss_operation_gelu(activity, elements);
    if (keeps_8bit(b)) whole.stored_bytes = 0.0;
    ss_builder_add(b, whole);
    if (keeps_8bit(b)) ss_builder_add(b, ss_operation_keep_8bit(2.0 * elements));
    return;
  }
  const bool joined = activity == SS_OP_EXPERT_ACTIVATION || !ss_builder_separates(b); /* experts: always one product */
  ss_builder_add(b, ss_operation_silu(activity, elements, joined));
  ss_builder_add(b, ss_operation_gate(SS_OP_GATE, elements));
}

static void add_bias_activation(ss_builder *b, double elements, double width)
{
  if (b->fused) {
    ss_builder_add(b, ss_operation_bias_gelu(elements, width, ss_builder_sums_biases(b) && !b->adapts));
    return;
  }
  ss_builder_add(b, ss_operation_bias(SS_OP_FC1_BIAS, elements, width));
  ss_builder_add_activation(b, SS_OP_ACTIVATION, elements);
  /* the published list drops out here too */
  if (b->dropout && b->traits.as_published) ss_builder_add(b, ss_operation_dropout(SS_OP_DROPOUT_1, elements));
}

void ss_builder_add_mlp(ss_builder *b, double ffn, bool shares_input, bool biased, bool reads_norm)
{
  const bool parallel = b->workload->model.parallel == SS_YES;
  const double width = ffn / b->tp, elements = b->tokens * width;
  const double out[] = {ffn, ffn};
  const ss_product first = {.activity = SS_OP_FC1,
                            .tokens = b->tokens,
                            .in = b->hidden,
                            .shares_input = shares_input || parallel,
                            .gathered = parallel,
                            .gradient_from = SS_SOURCE_ACTIVATION,
                            .reads_norm = reads_norm};
  ss_builder_add_columns(b, first, out, b->gated ? 2 : 1);
  if (biased)
    add_bias_activation(b, elements, width);
  else
    ss_builder_add_activation(b, SS_OP_ACTIVATION, elements);
  ss_builder_add_row(b, (ss_product){.activity = SS_OP_FC2,
                                     .tokens = b->tokens,
                                     .in = ffn,
                                     .out = b->hidden,
                                     .input_from = SS_SOURCE_ACTIVATION,
                                     .gradient_from = SS_SOURCE_OTHER});
}

void ss_builder_add_feed_forward(ss_builder *b)
{
  const bool parallel = b->workload->model.parallel == SS_YES;
  if (!parallel) ss_builder_add_input_norm(b, SS_OP_NORM_2, SS_OFFLOAD_MLP_NORM);
  const int64_t first = ss_builder_open(b, SS_RECOMPUTE_MLP);
  ss_builder_add_mlp(b, (double)b->workload->model.ffn, false, b->biased, true);
  ss_builder_close(b, SS_RECOMPUTE_MLP, first);
  ss_builder_end_input_norm(b);
  ss_builder_add_post_norm(b, SS_OP_POST_NORM_2);
  ss_builder_add_residual(b, SS_OP_FC2_BIAS, SS_OP_DROPOUT_3, b->biased);
}
