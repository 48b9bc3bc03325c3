/* What a matrix product loses by its shape, against a square product of as many flop. */
#ifndef STEPSIM_MODEL_KERNEL_PRODUCT_SHAPE_H
#define STEPSIM_MODEL_KERNEL_PRODUCT_SHAPE_H

#include <stdbool.h>

#include "model/input/machine.h"

/* Rows x columns of the result, and the elements that each is a sum over. Of fused attention queries, keys and size of
 * a head. Of one piece where a kernel is cut; all 0 where the shape is of no concern. */
typedef struct ss_product_shape {
  double rows, columns, inner;
  double load_bytes; /* what the units load at once: SS_LOAD_BYTES, or less, of which rows in memory are multiples;
                        0: of no concern */
  bool batched;      /* one of very many small ones, which with less do not run on matrix units at all */
} ss_product_shape;

#define SS_LOAD_BYTES 16.0

/* What the units load at once, SS_LOAD_BYTES or less, where rows of `a` and rows of `b` elements in memory are aligned
 * to it. What ranks can't share out whole, such as a vocabulary, is padded or cut so that rows of each are
 * (vocab_size_with_padding of Megatron-LM). */
double ss_rows_load_bytes(double a, double b, double element_bytes);

/* Whether the units load less at once than they could. */
static inline bool ss_shape_is_unaligned(const ss_product_shape *shape)
{
  return shape->load_bytes > 0.0 && shape->load_bytes < SS_LOAD_BYTES;
}

/* Efficiency of a product of `flop` flop, where `squares` is that of square ones by their flop:
 * - results are computed in tiles of 128 x 128, and what a tile has beyond the result is lost;
 * - each tile takes the time of `start` more elements of the sum than it has, to begin and to be stored; of a square
 *   this is in its efficiency;
 * - loads of 8 bytes leave 0.6 of it, smaller ones 0.3.
 * NVIDIA, Matrix Multiplication Background User's Guide, sections 2.2 and 3.1. */
double ss_product_shape_efficiency(const ss_product_shape *shape, double flop, double start, const ss_curve *squares);

#endif
