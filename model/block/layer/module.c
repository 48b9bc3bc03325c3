#include "model/block/layer/module.h"

#include "model/block/products.h"
#include "model/block/streams.h"

/* The ranks of a tensor-parallel group gather the columns that each has computed. With sequence parallelism each then
 * keeps its own tokens, whose gradients are gathered on the way back. With summa the layer takes the columns as they
 * are. */
static void add_gather(ss_builder *b)
{
  const ss_call all = {SS_GROUP_TENSOR, SS_ALL_GATHER, SS_ELEMENT_BYTES * b->tokens * b->hidden};
  if (!b->summa) ss_builder_add_exchange(b, all, b->sequence_parallel ? all : (ss_call){.volume_bytes = 0.0});
}

/* Each stream has the product of states, by itself, and all have that of the next token (e_proj and h_proj of
 * megatron/core/transformer/multi_token_prediction.py). */
static void add_streams(ss_builder *b)
{
  const ss_product product = {.activity = SS_OP_MERGER,
                              .tokens = b->tokens,
                              .in = b->hidden,
                              .out = b->hidden,
                              .gradient_from = SS_SOURCE_OTHER};
  ss_product states = product;
  states.tokens *= b->streams;
  ss_builder_add_norm(b, SS_OP_NEXT_NORM, b->hidden);
  ss_builder_add(b, ss_builder_norm(b, SS_OP_STATE_NORM, b->streams * b->own_tokens, b->hidden, b->hidden));
  ss_builder_add_column(b, product);
  ss_builder_add_column(b, states);
  ss_builder_add_stream_broadcast(b);
}

void ss_builder_add_merger(ss_builder *b)
{
  const double width = 2.0 * b->hidden;
  if (b->streams > 1.0) {
    add_streams(b);
    return;
  }
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
