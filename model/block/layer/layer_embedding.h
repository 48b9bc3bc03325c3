/* Embeddings that each layer has of its own for each token (get_per_layer_inputs, project_per_layer_inputs and
 * Gemma4TextDecoderLayer of transformers, models/gemma4/modeling_gemma4.py). */
#ifndef STEPSIM_MODEL_BLOCK_LAYER_LAYER_EMBEDDING_H
#define STEPSIM_MODEL_BLOCK_LAYER_LAYER_EMBEDDING_H

#include "model/block/builder.h"

/* Behind the embedding: those of all layers, from a table and from what the embedding has given. Nothing where the
 * model has none. */
void ss_builder_add_layer_embeddings(ss_builder *b);

/* At the end of a layer: its own, gated by what the layer has made, is added to the residual. */
void ss_builder_add_layer_embedding(ss_builder *b);

#endif
