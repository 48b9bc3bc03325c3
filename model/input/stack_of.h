/* Which workloads the rows of a software stack are of: what decides in recipes of frameworks. */
#ifndef STEPSIM_MODEL_INPUT_STACK_OF_H
#define STEPSIM_MODEL_INPUT_STACK_OF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/exchange.h"
#include "model/input/layer_kinds.h"
#include "model/input/workload.h"

/* Whether ranks may gather what products read as these take it: not in 16 bits, and with scales of rows each rank has
 * its own. */
static inline bool ss_stack_quantises(const ss_workload *w)
{
  const ss_precision precision = w->training.precision;
  return precision != SS_PRECISION_BF16 && precision != SS_PRECISION_FP16 && precision != SS_PRECISION_FP8_ROWS;
}

static inline bool ss_stack_takes_8bit(const ss_workload *w)
{
  return ss_stack_quantises(w) && w->training.precision != SS_PRECISION_NVFP4;
}

static inline bool ss_stack_has_delayed_scales(const ss_workload *w)
{
  return w->training.precision == SS_PRECISION_FP8 || w->training.precision == SS_PRECISION_FP8_WGRAD16;
}

static inline bool ss_stack_has_tensor_scales(const ss_workload *w)
{
  return ss_stack_has_delayed_scales(w) || w->training.precision == SS_PRECISION_FP8_CURRENT;
}

static inline bool ss_stack_is_sequence_parallel(const ss_workload *w)
{
  return w->parallelism.tp > 1 && w->parallelism.sequence_parallel == SS_YES;
}

/* Whether the stages have an even share where the embedding and the output layer count as a layer each, and none where
 * they do not. */
static inline bool ss_stack_counts_ends(const ss_workload *w)
{
  const int64_t parts = w->parallelism.pp * w->parallelism.interleave;
  const bool is_said = w->parallelism.layout[0] != '\0' || w->parallelism.first_stage_layers != SS_DERIVED ||
                       w->parallelism.last_stage_layers != SS_DERIVED;
  return parts > 1 && !is_said && w->model.layers % parts != 0 && (w->model.layers + 2) % parts == 0;
}

/* Kinds of mixtures of experts: with latent attention, of these with many experts, which are trained otherwise (Kimi
 * K2); with attention to compressed tokens; with state spaces; with any other attention. */
static inline bool ss_stack_mixes(const ss_workload *w)
{
  return ss_workload_has_experts(w) && ss_workload_attends(w);
}

static inline bool ss_stack_is_latent(const ss_workload *w)
{
  return ss_stack_mixes(w) && w->model.kv_rank > 0;
}

static inline bool ss_stack_is_compressed(const ss_workload *w)
{
  return ss_stack_mixes(w) && ss_workload_is_compressed(w);
}

static inline bool ss_stack_is_hybrid(const ss_workload *w)
{
  return ss_stack_mixes(w) && ss_workload_has_mamba(w);
}

/* Of state-space hybrids, those whose experts work in a latent size (Nemotron 3 Super). */
static inline bool ss_stack_is_deep(const ss_workload *w)
{
  return ss_stack_is_hybrid(w) && w->model.expert_latent > 0;
}

/* The others (Nemotron 3 Nano). */
static inline bool ss_stack_is_shallow(const ss_workload *w)
{
  return ss_stack_is_hybrid(w) && w->model.expert_latent == 0;
}

static inline bool ss_stack_is_deep_in(const ss_workload *w, ss_precision precision)
{
  return ss_stack_is_deep(w) && w->training.precision == precision;
}

/* Modules that predict a token further, which may stay in 16 bits. */
static inline bool ss_stack_has_precise_modules(const ss_workload *w)
{
  return ss_stack_is_hybrid(w) && w->model.mtp_modules > 0 && ss_stack_quantises(w) && !ss_stack_has_delayed_scales(w);
}

static inline bool ss_stack_is_shallow_in_bf16(const ss_workload *w)
{
  return ss_stack_is_shallow(w) && w->training.precision == SS_PRECISION_BF16;
}

/* Of these, those that predict tokens further (Nemotron 3.5 Lightning). */
static inline bool ss_stack_is_light(const ss_workload *w)
{
  return ss_stack_is_shallow_in_bf16(w) && w->model.mtp_modules > 0;
}

/* Whether the last 14 layers may stay in 16 bits. */
static inline bool ss_stack_is_long(const ss_workload *w)
{
  return w->model.layers > 14 && ss_layer_kinds_in_16bit(w);
}

static inline bool ss_stack_is_plain(const ss_workload *w)
{
  return ss_stack_mixes(w) && !ss_stack_is_latent(w) && !ss_stack_is_compressed(w) && !ss_stack_is_hybrid(w);
}

static inline bool ss_stack_has_many(const ss_workload *w)
{
  return ss_stack_is_latent(w) && w->model.experts > 256;
}

static inline bool ss_stack_is_windowed(const ss_workload *w)
{
  return ss_stack_is_plain(w) && ss_workload_has_windows(w);
}

static inline bool ss_stack_is_linear(const ss_workload *w)
{
  return ss_stack_is_plain(w) && ss_workload_is_hybrid(w);
}

static inline bool ss_stack_is_mxfp8(const ss_workload *w)
{
  return w->training.precision == SS_PRECISION_MXFP8 && ss_stack_mixes(w) && !ss_workload_is_hybrid(w) &&
         !ss_stack_has_many(w) && !ss_stack_is_compressed(w) && w->model.index_heads == 0 &&
         w->training.documents == SS_DOCUMENTS_NONE;
}

static inline bool ss_stack_is_wide(const ss_workload *w)
{
  return ss_stack_is_mxfp8(w) && !ss_workload_has_windows(w);
}

/* Whether all-to-alls may run beside passes of the other direction: there are some, and passes that take turns. */
static inline bool ss_stack_pairs(const ss_workload *w)
{
  return w->parallelism.ep > 1 && w->parallelism.interleave > 1 && w->schedule.pipeline == SS_PIPELINE_INTERLEAVED;
}

static inline bool ss_stack_delays(const ss_workload *w)
{
  return ss_stack_pairs(w) ||
         (w->parallelism.ep > 1 && w->parallelism.pp == 1 && w->schedule.pipeline == SS_PIPELINE_1F1B);
}

/* Whether modules may be computed again: with scales of earlier iterations, what they put out cannot. */
static inline bool ss_stack_is_selective(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_SELECTIVE && !ss_stack_has_delayed_scales(w);
}

/* Whether modules may be in CUDA graphs: whole iterations are not, and nothing runs again as a whole. */
static inline bool ss_stack_is_launched(const ss_workload *w)
{
  return w->training.host == SS_HOST_EAGER && w->training.recompute != SS_RECOMPUTE_FULL;
}

/* Whether a dense model is whole on each GPU. */
static inline bool ss_stack_is_replicas(const ss_workload *w)
{
  return w->model.experts == 0 && !ss_workload_is_hybrid(w) && w->parallelism.tp == 1 && w->parallelism.cp == 1 &&
         w->parallelism.pp == 1 && w->parallelism.sharding != SS_SHARDING_PARAMETERS;
}

/* Workloads that a row is of: X(id, expression of the workload `w`, what they have). */
#define SS_STACK_OF_LIST(X)                                                                                            \
  X(ALWAYS, true, "")                                                                                                  \
  X(EXPERTS, w->model.experts > 0, "experts")                                                                          \
  X(STAGES, w->parallelism.pp > 1, "pp above 1")                                                                       \
  X(ENDS, ss_stack_counts_ends(w), "stages that layers divide only with both ends")                                    \
  X(CHUNKS, w->parallelism.interleave > 1, "interleave above 1")                                                       \
  X(WHOLE, w->training.recompute == SS_RECOMPUTE_FULL && w->training.recompute_method == SS_RECOMPUTE_BLOCK,           \
    "recompute full, method block")                                                                                    \
  X(RING, ss_exchange_takes_ring(w), "no window, chunks or chosen tokens that exclude a ring")                         \
  X(COMPILED, w->training.fused == SS_YES, "fused kernels")                                                            \
  X(QUANTISED, ss_stack_quantises(w), "products in 8 or 4 bits with scales that ranks agree on")                       \
  X(EIGHT_BITS, ss_stack_takes_8bit(w), "products in 8 bits with scales that ranks agree on")                          \
  X(TENSOR_SCALES, ss_stack_has_tensor_scales(w), "products in fp8 with scales of tensors")                            \
  X(LATENT, ss_stack_is_latent(w), "experts and latent attention")                                                     \
  X(LATENT_SELECTIVE, ss_stack_is_latent(w) && ss_stack_is_selective(w),                                               \
    "experts, latent attention and recompute selective")                                                               \
  X(LATENT_DENSE_SELECTIVE, ss_stack_is_latent(w) && w->model.dense_layers > 0 && ss_stack_is_selective(w),            \
    "experts, latent attention, dense layers and recompute selective")                                                 \
  X(LATENT_CHUNKS, ss_stack_is_latent(w) && ss_stack_pairs(w), "experts, latent attention, ep and interleave above 1") \
  X(LATENT_PADDED, ss_stack_is_latent(w) && ss_stack_pairs(w) && ss_stack_quantises(w),                                \
    "experts, latent attention, ep and interleave above 1, products in 8 or 4 bits")                                   \
  X(COMPRESSED, ss_stack_is_compressed(w), "experts and attention to compressed tokens")                               \
  X(COMPRESSED_SELECTIVE, ss_stack_is_compressed(w) && ss_stack_is_selective(w),                                       \
    "experts, attention to compressed tokens and recompute selective")                                                 \
  X(COMPRESSED_MXFP8, ss_stack_is_compressed(w) && w->training.precision == SS_PRECISION_MXFP8,                        \
    "experts in mxfp8, attention to compressed tokens")                                                                \
  X(HYBRID, ss_stack_is_hybrid(w), "experts and state-space layers")                                                   \
  X(HYBRID_SELECTIVE, ss_stack_is_hybrid(w) && ss_stack_is_selective(w),                                               \
    "experts, state-space layers and recompute selective")                                                             \
  X(SHALLOW_HYBRID, ss_stack_is_shallow(w), "state-space layers and experts without a latent size")                    \
  X(DEEP_SELECTIVE, ss_stack_is_deep(w) && ss_stack_is_selective(w),                                                   \
    "state-space layers, experts with a latent size, recompute selective")                                             \
  X(DEEP_BF16, ss_stack_is_deep_in(w, SS_PRECISION_BF16), "state-space layers and experts with a latent size in bf16") \
  X(DEEP_BF16_SELECTIVE, ss_stack_is_deep_in(w, SS_PRECISION_BF16) && ss_stack_is_selective(w),                        \
    "state-space layers, experts with a latent size in bf16, recompute selective")                                     \
  X(DEEP_MXFP8, ss_stack_is_deep_in(w, SS_PRECISION_MXFP8),                                                            \
    "state-space layers and experts with a latent size in mxfp8")                                                      \
  X(DEEP_NVFP4, ss_stack_is_deep_in(w, SS_PRECISION_NVFP4),                                                            \
    "state-space layers and experts with a latent size in nvfp4")                                                      \
  X(DEEP_NVFP4_LONG, ss_stack_is_deep_in(w, SS_PRECISION_NVFP4) && ss_stack_is_long(w),                                \
    "more than 14 layers, of up to 4 kinds, with state spaces, and experts with a latent size in nvfp4")               \
  X(DEEP_NVFP4_MODULES, ss_stack_is_deep_in(w, SS_PRECISION_NVFP4) && w->model.mtp_modules > 0,                        \
    "state-space layers, experts with a latent size and modules in nvfp4")                                             \
  X(HYBRID_MODULES, ss_stack_has_precise_modules(w),                                                                   \
    "experts, state-space layers and modules, products in 8 or 4 bits")                                                \
  X(HYBRID_BF16_SELECTIVE,                                                                                             \
    ss_stack_is_hybrid(w) && w->training.precision == SS_PRECISION_BF16 && ss_stack_is_selective(w),                   \
    "experts and state-space layers in bf16, recompute selective")                                                     \
  X(PLAIN, ss_stack_is_plain(w), "experts and plain attention")                                                        \
  X(PLAIN_STAGES, ss_stack_is_plain(w) && w->parallelism.pp > 1, "experts, plain attention and pp above 1")            \
  X(PLAIN_CHUNKS, ss_stack_is_plain(w) && ss_stack_pairs(w), "experts, plain attention, ep and interleave above 1")    \
  X(NORMED, w->model.experts > 0 && w->model.qk_norm == SS_YES, "experts and norms of queries and keys")               \
  X(SHARDED, w->parallelism.sharding == SS_SHARDING_PARAMETERS, "weights sharded")                                     \
  X(COPIES,                                                                                                            \
    ss_stack_quantises(w) && w->schedule.dispatch == SS_DISPATCH_COPIES && w->model.experts > 0 &&                     \
        w->training.capacity_factor <= 0.0,                                                                            \
    "dispatch copies, without a capacity, in 8 or 4 bits")                                                             \
  X(LAUNCHED_LATENT, ss_stack_is_launched(w) && ss_stack_is_latent(w), "experts and latent attention, host eager")     \
  X(LAUNCHED_HYBRID, ss_stack_is_launched(w) && ss_stack_is_hybrid(w), "experts and state-space layers, host eager")   \
  X(LAUNCHED_STAGE, ss_stack_is_launched(w) && ss_stack_is_plain(w) && w->parallelism.pp == 1,                         \
    "experts and plain attention in one stage, host eager")                                                            \
  X(LAUNCHED_STAGES, ss_stack_is_launched(w) && ss_stack_is_plain(w) && w->parallelism.pp > 1,                         \
    "experts and plain attention, pp above 1, host eager")                                                             \
  X(LAUNCHED_DENSE_HYBRID,                                                                                             \
    ss_stack_is_launched(w) && ss_workload_has_mamba(w) && ss_workload_attends(w) && w->model.experts == 0,            \
    "state-space layers, no experts, host eager")                                                                      \
  X(GRAPHED, w->training.host == SS_HOST_GRAPHS, "host graphs")                                                        \
  X(DENSE_CURRENT,                                                                                                     \
    w->model.experts == 0 && !ss_workload_is_hybrid(w) && w->training.precision == SS_PRECISION_FP8_CURRENT,           \
    "no experts, fp8 with scales from the values themselves")                                                          \
  X(REPLICAS, ss_stack_is_replicas(w), "no experts, nothing but replicas of the model")                                \
  X(MXFP8, ss_stack_is_mxfp8(w), "experts in mxfp8, all layers with attention")                                        \
  X(MXFP8_PLAIN, ss_stack_is_wide(w) && ss_stack_is_plain(w), "experts in mxfp8, plain attention without windows")     \
  X(MXFP8_LATENT, ss_stack_is_mxfp8(w) && ss_stack_is_latent(w) && w->model.tied_embeddings == SS_NO,                  \
    "experts in mxfp8, latent attention, a table for each end")                                                        \
  X(MXFP8_STAGE, ss_stack_is_wide(w) && w->parallelism.pp == 1,                                                        \
    "experts in mxfp8, all layers with attention, no windows, in one stage")                                           \
  X(MXFP8_STAGE_DELAYED, ss_stack_is_wide(w) && w->parallelism.pp == 1 && ss_stack_delays(w),                          \
    "experts in mxfp8, all layers with attention, no windows, in one stage, ep above 1")                               \
  X(MXFP8_DELAYED, ss_stack_is_mxfp8(w) && ss_stack_delays(w),                                                         \
    "experts in mxfp8, all layers with attention, ep above 1, in one stage or with interleave above 1")                \
  X(MXFP8_WIDE, ss_stack_is_wide(w), "experts in mxfp8, all layers with attention, no windows")                        \
  X(MXFP8_WIDE_DELAYED, ss_stack_is_wide(w) && ss_stack_delays(w),                                                     \
    "experts in mxfp8, all layers with attention, no windows, ep above 1, in one stage or with interleave above 1")    \
  X(MXFP8_PLAIN_DELAYED, ss_stack_is_wide(w) && ss_stack_is_plain(w) && ss_stack_delays(w),                            \
    "experts in mxfp8, plain attention without windows, ep above 1, in one stage or with interleave above 1")          \
  X(HYBRID_BF16_MODULES, ss_stack_is_light(w),                                                                         \
    "experts without a latent size, state-space layers and modules in bf16")                                           \
  X(HYBRID_BF16_MODULES_SELECTIVE, ss_stack_is_light(w) && ss_stack_is_selective(w),                                   \
    "experts without a latent size, state-space layers and modules in bf16, recompute selective")                      \
  X(LAUNCHED_SHALLOW_BF16, ss_stack_is_shallow_in_bf16(w) && ss_stack_is_launched(w),                                  \
    "state-space layers and experts without a latent size in bf16, host eager")                                        \
  X(NARROW_STATES, w->training.master_weights != SS_MASTER_FP32 || w->training.moments != SS_MOMENTS_FP32,             \
    "master weights or moments not in fp32")                                                                           \
  X(BF16, w->training.precision == SS_PRECISION_BF16 && w->parallelism.sharding != SS_SHARDING_PARAMETERS,             \
    "products in bf16, weights not sharded")                                                                           \
  X(MANY, ss_stack_has_many(w), "latent attention and more than 256 experts")                                          \
  X(LAUNCHED_MANY, ss_stack_is_launched(w) && ss_stack_has_many(w),                                                    \
    "latent attention and more than 256 experts, host eager")                                                          \
  X(WINDOWED, ss_stack_is_windowed(w), "experts and attention within windows")                                         \
  X(WINDOWED_SELECTIVE, ss_stack_is_windowed(w) && ss_stack_is_selective(w),                                           \
    "experts, attention within windows and recompute selective")                                                       \
  X(WINDOWED_BF16, ss_stack_is_windowed(w) && w->training.precision == SS_PRECISION_BF16,                              \
    "experts and attention within windows in bf16")                                                                    \
  X(WINDOWED_BF16_SELECTIVE,                                                                                           \
    ss_stack_is_windowed(w) && w->training.precision == SS_PRECISION_BF16 && ss_stack_is_selective(w),                 \
    "experts, attention within windows in bf16, recompute selective")                                                  \
  X(WINDOWED_QUANTISED, ss_stack_is_windowed(w) && ss_stack_quantises(w),                                              \
    "experts and attention within windows, products in 8 or 4 bits")                                                   \
  X(WINDOWED_DELAYED, ss_stack_is_windowed(w) && ss_stack_delays(w),                                                   \
    "experts and attention within windows, ep above 1, in one stage or with interleave above 1")                       \
  X(WINDOWED_MXFP8, ss_stack_is_mxfp8(w) && ss_stack_is_windowed(w), "experts in mxfp8 and attention within windows")  \
  X(WINDOWED_MXFP8_ENDS, ss_stack_is_mxfp8(w) && ss_stack_is_windowed(w) && w->model.tied_embeddings == SS_NO,         \
    "experts in mxfp8, attention within windows, a table for each end")                                                \
  X(LAUNCHED_WINDOWED, ss_stack_is_launched(w) && ss_stack_is_windowed(w),                                             \
    "experts and attention within windows, host eager")                                                                \
  X(LAUNCHED_STAGE_CURRENT,                                                                                            \
    ss_stack_is_launched(w) && ss_stack_is_plain(w) && w->parallelism.pp == 1 &&                                       \
        w->training.precision == SS_PRECISION_FP8_CURRENT,                                                             \
    "experts and plain attention in one stage in fp8-current, host eager")                                             \
  X(LINEAR, ss_stack_is_linear(w), "experts and linear attention")                                                     \
  X(LINEAR_SELECTIVE, ss_stack_is_linear(w) && ss_stack_is_selective(w),                                               \
    "experts, linear attention and recompute selective")                                                               \
  X(LINEAR_QUANTISED, ss_stack_is_linear(w) && ss_stack_quantises(w),                                                  \
    "experts and linear attention, products in 8 or 4 bits")                                                           \
  X(PLAIN_ONCE, ss_stack_is_plain(w) && !ss_workload_is_hybrid(w) && w->schedule.dispatch == SS_DISPATCH_ONCE,         \
    "experts, plain attention and dispatch once")                                                                      \
  X(SEQUENCE, ss_stack_is_sequence_parallel(w), "tp above 1 and sequence-parallel")                                    \
  X(BUFFERS_DELAYED, w->schedule.overlap_tp == SS_TP_OVERLAP_USER_BUFFERS && ss_stack_has_delayed_scales(w),           \
    "user-buffers and products in fp8 with scales from earlier iterations")                                            \
  X(BUFFERS_8BIT, w->schedule.overlap_tp == SS_TP_OVERLAP_USER_BUFFERS && ss_stack_takes_8bit(w),                      \
    "user-buffers and products in 8 bits")                                                                             \
  X(NVFP4, w->training.precision == SS_PRECISION_NVFP4, "products in nvfp4")                                           \
  X(SEQUENCE_NVFP4, ss_stack_is_sequence_parallel(w) && w->training.precision == SS_PRECISION_NVFP4,                   \
    "tp above 1, sequence-parallel and nvfp4")

typedef enum ss_stack_of {
#define SS_STACK_OF_ID(id, test, text) SS_STACK_OF_##id,
  SS_STACK_OF_LIST(SS_STACK_OF_ID)
#undef SS_STACK_OF_ID
} ss_stack_of;

#endif
