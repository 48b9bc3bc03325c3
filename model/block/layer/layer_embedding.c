#include "model/block/layer/layer_embedding.h"

#include "model/block/products.h"
#include "model/input/workload.h"

/* Each tensor-parallel rank has a product whole, for its own tokens. */
static void add_product(ss_builder *b, ss_activity activity, double in, double out)
{
  ss_builder_add_own(b, (ss_product){.activity = activity,
                                     .tokens = b->tokens,
                                     .in = in,
                                     .out = out,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER});
}

/* The table is split over the vocabulary, as that of the embedding is. */
void ss_builder_add_layer_embeddings(ss_builder *b)
{
  const double size = (double)b->workload->model.layer_embedding, layers = (double)b->workload->model.layers;
  const double width = size * layers;
  if (size == 0.0) return;
  ss_builder_add(b, ss_operation_lookup(b->tokens, width, (double)b->workload->model.vocabulary / b->tp * width));
  ss_builder_add_reduction(b, SS_ELEMENT_BYTES * b->tokens * width);
  add_product(b, SS_OP_LAYER_TABLE, b->hidden, width);
  ss_builder_add(b, ss_builder_norm(b, SS_OP_LAYER_NORM, b->own_tokens * layers, size, size));
  ss_builder_add(b, ss_operation_add(b->own_tokens * width));
}

static void add_gate(ss_builder *b, double elements)
{
  if (b->fused || b->traits.as_published) {
    ss_builder_add(b, ss_operation_swiglu(SS_OP_LAYER_GATE, elements));
    return;
  }
  ss_builder_add(b, ss_operation_silu(SS_OP_LAYER_GATE, elements, false));
  ss_builder_add(b, ss_operation_gate(SS_OP_LAYER_GATE, elements));
}

void ss_builder_add_layer_embedding(ss_builder *b)
{
  const double size = (double)b->workload->model.layer_embedding;
  if (size == 0.0) return;
  add_product(b, SS_OP_LAYER_DOWN, b->hidden, size);
  add_gate(b, b->own_tokens * size);
  add_product(b, SS_OP_LAYER_UP, size, b->hidden);
  ss_builder_add_norm(b, SS_OP_LAYER_NORM, b->hidden);
  ss_builder_add(b, ss_operation_add(b->own_tokens * b->own_hidden));
}
