#include "model/block/residual.h"

#include "model/block/streams.h"
#include "model/input/workload.h"

/* The bias behind a row-parallel product as arXiv 2410.00273 has it: on all tokens and the whole width. With two axes,
 * that of the feed-forward part is shared out by tokens and that of the projection by width; with summa all ranks have
 * a share of the width. */
static void add_published_bias(ss_builder *b, ss_activity activity)
{
  const bool two_axes = b->workload->parallelism.tensor == SS_TENSOR_2D;
  const bool by_width = b->summa || (two_axes && activity == SS_OP_PROJECTION_BIAS);
  const double shares = b->summa || two_axes ? b->tp : 1.0;
  ss_builder_add(b, ss_operation_bias(activity, b->tokens * b->hidden / shares, b->hidden / (by_width ? b->tp : 1.0)));
}

/* Ahead of a kernel that has neither. */
static void add_to_streams(ss_builder *b, ss_activity bias, ss_activity dropout, bool biased)
{
  const double elements = b->own_tokens * b->own_hidden;
  if (biased) ss_builder_add(b, ss_operation_bias(bias, elements, b->own_hidden));
  if (b->dropout) ss_builder_add(b, ss_operation_dropout(dropout, elements));
  ss_builder_add_stream_output(b);
}

void ss_builder_add_residual(ss_builder *b, ss_activity bias, ss_activity dropout, bool biased)
{
  const double elements = b->own_tokens * b->own_hidden;
  if (b->streams > 1.0) {
    add_to_streams(b, bias, dropout, biased);
    return;
  }
  if (b->fused) {
    const double width = biased ? b->own_hidden : 0.0;
    const bool summed = ss_builder_sums_biases(b) && !b->adapts;
    ss_builder_add(b, ss_operation_bias_dropout_add(elements, width, b->dropout, summed));
    return;
  }
  if (biased && b->traits.as_published) add_published_bias(b, bias);
  if (biased && !b->traits.as_published) ss_builder_add(b, ss_operation_bias(bias, elements, b->own_hidden));
  if (b->dropout) ss_builder_add(b, ss_operation_dropout(dropout, elements));
  if (!b->traits.as_published) ss_builder_add(b, ss_operation_add(elements));
}
