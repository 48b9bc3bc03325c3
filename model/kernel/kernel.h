/* One kernel of a GPU, and the seconds it takes by each cost model. */
#ifndef STEPSIM_MODEL_KERNEL_KERNEL_H
#define STEPSIM_MODEL_KERNEL_KERNEL_H

#include <stdbool.h>

#include "model/input/machine.h"
#include "model/kernel/cost.h"
#include "model/kernel/duration.h"
#include "model/kernel/product_shape.h"

/* Units that a kernel runs on: X(enumerator, "what reports call their operands", field of the machine with their peak,
 * with their efficiency, bytes of an operand, whether that efficiency is of whole kernels and by tokens, the units that
 * a kernel is taken to run on where the machine has no such efficiency). Products have a format of their own, and keep
 * its peak: ss_kernel_duration takes another efficiency for them. */
#define SS_ENGINE_LIST(X)                                                                                              \
  X(SS_ENGINE_VECTOR, "16-bit", vector_flop_per_s, vector_efficiency, 2.0, false, SS_ENGINE_VECTOR)                    \
  X(SS_ENGINE_MATRIX, "16-bit", matrix_flop_per_s, matrix_efficiency, 2.0, false, SS_ENGINE_MATRIX)                    \
  X(SS_ENGINE_FP8, "fp8", fp8_flop_per_s, fp8_efficiency, 1.0, false, SS_ENGINE_FP8)                                   \
  X(SS_ENGINE_FP8_BLOCK, "fp8", fp8_flop_per_s, fp8_block_efficiency, 1.0, false, SS_ENGINE_FP8)                       \
  X(SS_ENGINE_FP8_TILE, "fp8", fp8_flop_per_s, fp8_tile_efficiency, 1.0, false, SS_ENGINE_FP8)                         \
  X(SS_ENGINE_MXFP8, "mxfp8", mxfp8_flop_per_s, mxfp8_efficiency, 1.0, false, SS_ENGINE_MXFP8)                         \
  X(SS_ENGINE_NVFP4, "nvfp4", nvfp4_flop_per_s, nvfp4_efficiency, 0.5, false, SS_ENGINE_NVFP4)                         \
  X(SS_ENGINE_ATTENTION_FORWARD, "16-bit", matrix_flop_per_s, attention_forward, 2.0, true, SS_ENGINE_MATRIX)          \
  X(SS_ENGINE_ATTENTION_BACKWARD, "16-bit", matrix_flop_per_s, attention_backward, 2.0, true, SS_ENGINE_MATRIX)        \
  X(SS_ENGINE_LATENT_FORWARD, "16-bit", matrix_flop_per_s, latent_forward, 2.0, true, SS_ENGINE_ATTENTION_FORWARD)     \
  X(SS_ENGINE_LATENT_BACKWARD, "16-bit", matrix_flop_per_s, latent_backward, 2.0, true, SS_ENGINE_ATTENTION_BACKWARD)  \
  X(SS_ENGINE_FP8_ATTENTION_FORWARD, "fp8", fp8_flop_per_s, fp8_attention_forward, 1.0, true,                          \
    SS_ENGINE_ATTENTION_FORWARD)                                                                                       \
  X(SS_ENGINE_FP8_ATTENTION_BACKWARD, "fp8", fp8_flop_per_s, fp8_attention_backward, 1.0, true,                        \
    SS_ENGINE_ATTENTION_BACKWARD)                                                                                      \
  X(SS_ENGINE_FP8_LATENT_FORWARD, "fp8", fp8_flop_per_s, fp8_latent_forward, 1.0, true, SS_ENGINE_LATENT_FORWARD)      \
  X(SS_ENGINE_FP8_LATENT_BACKWARD, "fp8", fp8_flop_per_s, fp8_latent_backward, 1.0, true, SS_ENGINE_LATENT_BACKWARD)   \
  X(SS_ENGINE_MXFP8_ATTENTION_FORWARD, "mxfp8", mxfp8_flop_per_s, mxfp8_attention_forward, 1.0, true,                  \
    SS_ENGINE_ATTENTION_FORWARD)                                                                                       \
  X(SS_ENGINE_MXFP8_ATTENTION_BACKWARD, "mxfp8", mxfp8_flop_per_s, mxfp8_attention_backward, 1.0, true,                \
    SS_ENGINE_ATTENTION_BACKWARD)                                                                                      \
  X(SS_ENGINE_MXFP8_LATENT_FORWARD, "mxfp8", mxfp8_flop_per_s, mxfp8_latent_forward, 1.0, true,                        \
    SS_ENGINE_LATENT_FORWARD)                                                                                          \
  X(SS_ENGINE_MXFP8_LATENT_BACKWARD, "mxfp8", mxfp8_flop_per_s, mxfp8_latent_backward, 1.0, true,                      \
    SS_ENGINE_LATENT_BACKWARD)                                                                                         \
  X(SS_ENGINE_SCAN, "16-bit", matrix_flop_per_s, scan_efficiency, 2.0, true, SS_ENGINE_MATRIX)

typedef enum ss_engine {
#define SS_ENGINE_ID(id, name, peak, efficiency, bytes, by_tokens, instead) id,
  SS_ENGINE_LIST(SS_ENGINE_ID)
#undef SS_ENGINE_ID
} ss_engine;

/* What reports call the operands of the units; static. */
const char *ss_engine_name(ss_engine engine);

/* The peak of the units; 0 where the machine has none. */
double ss_engine_peak_flop_per_s(const ss_machine *machine, ss_engine engine);

/* The units whose efficiency those have of which a machine does not say it. */
ss_engine ss_engine_instead(ss_engine engine);

/* The units that a kernel for some is taken to run on: those themselves where the machine says their efficiency. */
ss_engine ss_engine_known(const ss_machine *machine, ss_engine engine);

/* How a kernel of the vector units reads and writes: as element-wise kernels of a framework do, as norms of cuDNN, or
 * in long runs with little else to do, as fast as benchmarks of HBM. */
typedef enum ss_access { SS_ACCESS_FRAMEWORK, SS_ACCESS_CUDNN_NORM, SS_ACCESS_LONG_RUNS } ss_access;

/* A kernel: flop on its units, bytes of HBM. A grouped product is one kernel of `products` equal ones, each of which
 * fills the GPU or not by itself; `kernels` equal ones come one after the other, and share the flop and bytes. */
typedef struct ss_kernel {
  ss_engine engine;
  double flop, hbm_bytes;
  double products; /* 0 is 1 */
  ss_access access;
  ss_product_shape shape;
  double kernels; /* 0 is 1 */
} ss_kernel;

/* Roofline time of one kernel: the units' time, and what HBM needs beyond it.
 * sc24: max(20e-6 + flop / (0.8 peak), bytes / hbm), arXiv 2410.00273 section III-A.
 * calibrated: launch + max(flop / (efficiency peak), bytes / (efficiency(bytes) hbm)); the first efficiency is
 * efficiency(flop / products) of the engine, what the shape leaves of it, for fused attention efficiency(keys), and for
 * scans efficiency(tokens of a chunk); of several kernels each is launched, and has its share of the bytes. Of it a
 * matrix kernel has matrix-sustained, and all have the share of the clock that gpu-power-limit leaves
 * (ss_machine_clock); of the second an element-wise one has vector-hbm-share, or cudnn-norm-share. All but the launches
 * run at kernel-speed.
 */
ss_duration ss_kernel_duration(const ss_machine *machine, ss_cost cost, const ss_kernel *kernel);

#endif
