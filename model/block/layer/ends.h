/* The blocks at the ends of a model and of its stages. */
#ifndef STEPSIM_MODEL_BLOCK_LAYER_ENDS_H
#define STEPSIM_MODEL_BLOCK_LAYER_ENDS_H

#include "model/block/builder.h"

/* The ends of the model: embedding and output layer, the latter with norm and cross entropy, once for the next token
 * and once for each module. */
void ss_builder_add_embedding(ss_builder *b);
void ss_builder_add_head(ss_builder *b);

/* The lookups of the tokens further on, one for each module. */
void ss_builder_add_next(ss_builder *b);

/* The ends of a stage, where messages that were sent in shares are gathered: at its entry forward, at its exit
 * backward.
 */
void ss_builder_add_entry(ss_builder *b);
void ss_builder_add_exit(ss_builder *b);

/* Behind forward through the layers of a chunk, and behind backward: ranks agree on largest values
 * (model/block/amax.h), and compute waits. */
void ss_builder_add_amax_values(ss_builder *b);
void ss_builder_add_amax_gradients(ss_builder *b);

#endif
