#include "model/block/casts.h"

#include "model/block/recipe.h"

bool ss_builder_scales_rows(const ss_builder *b)
{
  return b->recipe->scaling == SS_SCALING_ROWS;
}

/* Norms of cuDNN write MXFP8 themselves (pytorch/csrc/extensions/normalization.cpp of Transformer Engine). */
static bool norm_quantises(const ss_builder *b, ss_source source)
{
  return source == SS_SOURCE_NORM && b->cudnn_norms && b->recipe->forward == SS_FORMAT_MXFP8;
}

/* Whether a kernel of its own quantises what such a source writes. */
static bool is_cast(const ss_builder *b, ss_source source)
{
  if (source == SS_SOURCE_FUSED || norm_quantises(b, source)) return false;
  return b->casts && (source == SS_SOURCE_OTHER || !b->recipe->fuses_casts);
}

/* A norm of the framework knows the largest value that it writes. */
static bool seeks_largest(const ss_builder *b, ss_source source)
{
  const bool knows = source == SS_SOURCE_NORM && !b->cudnn_norms;
  return b->recipe->scaling == SS_SCALING_TENSOR && !knows;
}

bool ss_builder_gathers_quantised(const ss_builder *b)
{
  return b->split.gathers_operands && ss_builder_gathers(b) && ss_recipe_gathers(b->precision);
}

/* A product as what quantises its operands sees it. `own`: with the tokens of one rank; where the other copy is the
 * transpose of those of all ranks, they are quantised along rows alone, as they are where weights get no gradients. */
static ss_product quantised_by(const ss_builder *b, const ss_product *p, bool own)
{
  ss_product share = *p;
  if (own) share.tokens /= b->split.ranks;
  share.one_copy = b->shares_copy || b->adapts || (own && ss_recipe_transposes(b->recipe));
  return share;
}

/* _create_transpose behind gathers in transformer_engine/pytorch/distributed.py, and fp8_transpose of releases before
 * 2.0. */
void ss_builder_add_transposition(ss_builder *b, double elements)
{
  const bool transposes = ss_recipe_transposes(b->recipe) && !b->shares_copy && !b->adapts;
  if (!ss_builder_gathers_quantised(b) || !transposes || !b->casts) return;
  const double moved_bytes = 2.0 * ss_format_row_of(b->recipe->weight_gradient)->activation_bytes;
  ss_builder_add(b, ss_operation_copy(SS_OP_COPY, 0.0, elements * moved_bytes / (2.0 * SS_ELEMENT_BYTES)));
}

/* All ranks that share the tokens out have to agree on the largest value. */
static bool agrees(const ss_builder *b, bool own)
{
  return own && b->recipe->scaling == SS_SCALING_TENSOR;
}

static ss_call agreement(const ss_builder *b)
{
  return (ss_call){b->split.group, SS_ALL_REDUCE, SS_FP32_BYTES};
}

/* Columns have no scale before backward, where they are quantised beside the gradients of the product. */
void ss_builder_add_input_casts(ss_builder *b, const ss_product *p, bool own)
{
  if (!is_cast(b, p->input_from)) return;
  if (ss_builder_scales_rows(b)) {
    ss_operation cast = ss_operation_cast_input_rows(p);
    if (b->adapts) cast.backward = (ss_task){0};
    ss_builder_add(b, cast);
    if (!b->adapts) ss_builder_add(b, ss_operation_amax_columns(p));
    return;
  }
  const ss_product cast = quantised_by(b, p, own);
  if (seeks_largest(b, p->input_from)) ss_builder_add(b, ss_operation_amax_input(&cast));
  if (agrees(b, own)) ss_builder_add_exchange(b, agreement(b), (ss_call){.volume_bytes = 0.0});
  ss_builder_add(b, ss_operation_cast_input(&cast));
}

/* In the order of forward, so that backward seeks first and casts last. */
void ss_builder_add_gradient_casts(ss_builder *b, const ss_product *p, bool own)
{
  if (!is_cast(b, p->gradient_from)) return;
  if (ss_builder_scales_rows(b)) {
    if (!b->adapts) ss_builder_add(b, ss_operation_cast_gradient_columns(p));
    if (!b->adapts) ss_builder_add(b, ss_operation_amax_gradient(p));
    ss_builder_add(b, ss_operation_cast_gradient_rows(p));
    return;
  }
  const ss_product cast = quantised_by(b, p, own);
  ss_builder_add(b, ss_operation_cast_gradient(&cast));
  if (agrees(b, own)) ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0}, agreement(b));
  if (seeks_largest(b, p->gradient_from)) ss_builder_add(b, ss_operation_amax_gradient(&cast));
}
