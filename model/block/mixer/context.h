/* Fused attention in pieces, one for the keys of each context-parallel rank: what the ranks exchange, beside it or
 * ahead of it, and the kernels that sum the pieces up. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_CONTEXT_H
#define STEPSIM_MODEL_BLOCK_MIXER_CONTEXT_H

#include <stdbool.h>

#include "model/block/builder.h"
#include "model/block/mixer/attention_core.h"

/* Whether fused attention is in pieces: a ring passes keys and values on, or the pieces are summed up in fp32. */
bool ss_builder_attends_in_pieces(const ss_builder *b);

/* Joins to the kernel `flash` what runs beside it; `volume_bytes` are keys and values of all ranks. */
void ss_builder_join_pieces(const ss_builder *b, ss_operation *flash, double volume_bytes);

/* Add what runs ahead of the kernel forward, and what runs behind it; backward the other way round. */
void ss_builder_add_piece_inputs(ss_builder *b, const ss_attention_shape *shape, double volume_bytes);
void ss_builder_add_piece_outputs(ss_builder *b, const ss_attention_shape *shape, double volume_bytes);

#endif
