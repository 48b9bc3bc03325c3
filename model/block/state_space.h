/* Mixers of a layer that carry a state along the sequence instead of attending: Mamba-2, and linear attention with a
 * gated delta rule. */
#ifndef STEPSIM_MODEL_BLOCK_STATE_SPACE_H
#define STEPSIM_MODEL_BLOCK_STATE_SPACE_H

#include "model/block/builder.h"

/* Norm, one product for all that the scan reads, convolution, scan, gated norm, output product and residual. The heads
 * are split over the tensor-parallel ranks; those of a context-parallel group exchange heads for tokens around the
 * convolution and the scan.
 * Mamba-2: arXiv 2405.21060, megatron/core/ssm/mamba_mixer.py. Gated delta rule: arXiv 2412.06464, and Qwen3-Next. */
void ss_builder_add_mamba(ss_builder *b);
void ss_builder_add_linear_attention(ss_builder *b);

/* Parameters of the products of such a mixer, over all ranks; and what its scan multiplies and adds for a token, 2 flop
 * each of a pair. 0 for attention. */
double ss_state_product_parameters(const ss_workload *workload);
double ss_state_scan_flop(const ss_workload *workload);

#endif
