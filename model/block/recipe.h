/* Recipes of reduced precision: in which formats the products of a layer compute, and what it takes to get there. */
#ifndef STEPSIM_MODEL_BLOCK_RECIPE_H
#define STEPSIM_MODEL_BLOCK_RECIPE_H

#include <stdbool.h>

#include "model/input/words.h"
#include "model/kernel/format.h"

/* How the scale of an operand is found: from earlier iterations; from the values of a block, in the kernel that
 * quantises them; from the largest value of the tensor, which a kernel before that looks for, and which the ranks that
 * share the tensor out agree on; from the largest of a row, in the kernel that quantises it, and for the other copy
 * from the largest of a column, which a kernel before that looks for. */
typedef enum ss_scaling { SS_SCALING_DELAYED, SS_SCALING_BLOCKS, SS_SCALING_TENSOR, SS_SCALING_ROWS } ss_scaling;

/* A row for each word of training.precision. */
typedef struct ss_recipe {
  ss_format forward, input_gradient, weight_gradient; /* of the operands of the three products of a linear layer */
  ss_format attention; /* of fused attention, where it is to compute in less than 16 bits (get_attention_backend of
                        * Transformer Engine, pytorch/attention/dot_product_attention/utils.py): there is no kernel of
                        * 4, and none of blocks of 128; else 16 bits */
  ss_scaling scaling;
  bool fuses_casts;      /* norms, activations and the gradients of these write the format themselves */
  double gathered_bytes; /* of a weight, where ranks gather it as products take it */
} ss_recipe;

/* The recipe of a precision; static. */
const ss_recipe *ss_recipe_of(ss_precision precision);

/* Whether any product takes less than 16 bits. */
bool ss_recipe_quantises(ss_precision precision);

/* Whether the products forward take operands of one byte, as which tokens can be sent to experts. */
bool ss_recipe_takes_bytes(ss_precision precision);

/* Whether fused attention has kernels of less than 16 bits beside such products. */
bool ss_recipe_attends(ss_precision precision);

/* Whether ranks can gather operands as products take them: with scales of rows they gather 16 bits. */
bool ss_recipe_gathers(ss_precision precision);

/* Whether the other copy of an operand is its transpose, as whole tensors have one scale: it can be made of what ranks
 * have gathered. */
bool ss_recipe_transposes(const ss_recipe *recipe);

/* Whether frozen weights that are kept as operands are transposed ahead of each gradient of an input: one copy of them
 * is kept, as both would be as much as weights in 16 bits. */
bool ss_recipe_transposes_frozen(const ss_recipe *recipe, const ss_machine *machine);

/* Whether one copy serves all products, where whole tensors have one scale: tensor cores that have formats of blocks
 * read 8 bits in either order, those before along rows alone (nvte_is_non_tn_fp8_gemm_supported of Transformer Engine).
 */
bool ss_recipe_shares_copy(const ss_recipe *recipe, const ss_machine *machine);

/* Bytes of an activation and of the gradient of one as they are quantised: along its rows for one product and along
 * its columns for the other, unless both read one copy. Activations go into the products forward and for the gradient
 * of the weights, gradients into those for the gradients of both operands. An operand in 16 bits is no copy: 0. */
double ss_recipe_input_copies_bytes(const ss_recipe *recipe, bool one_copy);
double ss_recipe_gradient_copies_bytes(const ss_recipe *recipe, bool one_copy);

/* Bytes of a gradient that ranks gather as products take it: both copies, unless whole tensors have one scale, as the
 * other copy is then the transpose, or one product takes 16 bits. */
double ss_recipe_gathered_gradient_bytes(const ss_recipe *recipe);

/* Bytes of a weight in the copies that the products forward and for the gradient of the input read, or in the one that
 * both read (ss_recipe_shares_copy); 0 in 16 bits, and with scales of rows, with which no copy is kept. */
double ss_recipe_weight_copies_bytes(const ss_recipe *recipe, const ss_machine *machine);

/* Bytes of a weight as a GPU keeps it for products: these copies, or of one that is `frozen` as operands only that of
 * rows, where the other is its transpose. */
double ss_recipe_kept_bytes(const ss_recipe *recipe, const ss_machine *machine, bool frozen);

/* Whether products need these units, and the machine has no rate of them. */
bool ss_recipe_lacks(ss_precision precision, const ss_machine *machine, ss_engine engine);

#endif
