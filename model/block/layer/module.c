#include "model/block/layer/module.h"

#include "model/block/products.h"

/* The ranks of a tensor-parallel group gather the columns that each has computed. With sequence parallelism each then
 * keeps its own tokens, whose gradients are gathered on the way back. With summa the layer takes the columns as they
 * are. */
static void add_gather(ss_builder *b)
{
  const ss_call all = {SS_GROUP_TENSOR, SS_ALL_GATHER, SS_ELEMENT_BYTES * b->tokens * b->hidden};
  if (!b->summa) ss_builder_add_exchange(b, all, b->sequence_parallel ? all : (ss_call){.volume_bytes = 0.0});
}

void ss_builder_add_merger(ss_builder *b)
{
  const double width = 2.0 * b->hidden;
  ss_builder_add_norm(b, SS_OP_NEXT_NORM, b->hidden);
  ss_builder_add_norm(b, SS_OP_STATE_NORM, b->hidden);
  ss_builder_add(b, ss_operation_concatenation(2.0 * b->own_tokens * b->own_hidden));
  ss_builder_add_column(b, (ss_product){.activity = SS_OP_MERGER,
                                        .tokens = b->tokens,
                                        .in = width,
                                        .out = b->hidden,
                                        .input_from = SS_SOURCE_OTHER,
                                        .gradient_from = SS_SOURCE_OTHER});
  add_gather(b);
}
