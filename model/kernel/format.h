/* Formats of the operands of matrix products: the units that multiply them, and the bytes of a value with its scale. */
#ifndef STEPSIM_MODEL_KERNEL_FORMAT_H
#define STEPSIM_MODEL_KERNEL_FORMAT_H

#include "model/kernel/kernel.h"

/* X(enumerator, units, bytes of a value, of a scale, values of an activation that share one, of weights). A scale for
 * a whole tensor is left out.
 * Scales for blocks: arXiv 2412.19437 section 3.3.2 (1 x 128 and 128 x 128, in fp32). Products that are gradients of
 * weights have no weights among their operands: both have tiles of 1 x 128.
 * MXFP8: OCP Microscaling Formats (MX) Specification 1.0, section 5. NVFP4: arXiv 2509.25149 section 2; weights share
 * a scale in squares of 16 x 16, but each row of a square has a copy of it. */
#define SS_FORMAT_LIST(X)                                                                                              \
  X(SS_FORMAT_16BIT, SS_ENGINE_MATRIX, 2.0, 0.0, 1.0, 1.0)                                                             \
  X(SS_FORMAT_FP8, SS_ENGINE_FP8, 1.0, 0.0, 1.0, 1.0)                                                                  \
  X(SS_FORMAT_FP8_BLOCK, SS_ENGINE_FP8_BLOCK, 1.0, 4.0, 128.0, 128.0 * 128.0)                                          \
  X(SS_FORMAT_FP8_TILE, SS_ENGINE_FP8_TILE, 1.0, 4.0, 128.0, 128.0)                                                    \
  X(SS_FORMAT_MXFP8, SS_ENGINE_MXFP8, 1.0, 1.0, 32.0, 32.0)                                                            \
  X(SS_FORMAT_NVFP4, SS_ENGINE_NVFP4, 0.5, 1.0, 16.0, 16.0)

typedef enum ss_format {
#define SS_FORMAT_ID(id, engine, value_bytes, scale_bytes, activations, weights) id,
  SS_FORMAT_LIST(SS_FORMAT_ID)
#undef SS_FORMAT_ID
} ss_format;

typedef struct ss_format_row {
  ss_engine engine;
  double value_bytes;
  double activation_bytes, weight_bytes; /* of a value and its share of a scale */
} ss_format_row;

/* The row of a format; static. */
const ss_format_row *ss_format_row_of(ss_format format);

#endif
