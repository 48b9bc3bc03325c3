/* Products of a block, as the ranks of a group share them out: what they gather, quantise, overlap and reduce. */
#ifndef STEPSIM_MODEL_BLOCK_PRODUCTS_H
#define STEPSIM_MODEL_BLOCK_PRODUCTS_H

#include "model/block/builder.h"

/* Add products, whose `in` and `out` are those of the whole model. Column: the tokens that the ranks of a
 * tensor-parallel group hold are gathered, each computes its share of the outputs. Row: each has a share of the inputs,
 * the partial sums are reduced; with summa both are split on both axes. Own: each rank has all weights and works on its
 * own tokens, or, of a detached input, on all that it has been given of its group. */
void ss_builder_add_column(ss_builder *b, ss_product product);
void ss_builder_add_row(ss_builder *b, ss_product product);
void ss_builder_add_own(ss_builder *b, ss_product product);

/* Adds `count` column-parallel products of the same tokens, of these widths each: one of all widths, or what
 * training.projections says. */
void ss_builder_add_columns(ss_builder *b, ss_product product, const double *out, int64_t count);

/* Adds a product for each of so many heads, or groups of them, of this rank, of whose size `in` and `out` are: one
 * kernel in 16 bits. Weights are part of `matrix`, or of one that another operation has. */
void ss_builder_add_by_head(ss_builder *b, double heads, ss_product product, ss_matrix matrix);

/* Adds partial sums of so many bytes, reduced over the tensor-parallel group forward; their gradient gathered backward.
 */
void ss_builder_add_reduction(ss_builder *b, double volume_bytes);

#endif
