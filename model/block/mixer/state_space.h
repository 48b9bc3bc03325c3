/* Mixers of a layer that do not attend: those that carry a state along the sequence, Mamba-2 and linear attention with
 * a gated delta rule or with decays, and a short convolution. */
#ifndef STEPSIM_MODEL_BLOCK_MIXER_STATE_SPACE_H
#define STEPSIM_MODEL_BLOCK_MIXER_STATE_SPACE_H

#include "model/block/builder.h"

/* Norm, one product for all that the scan reads, convolution, scan, gated norm, output product and residual. The heads
 * are split over the tensor-parallel ranks; those of a context-parallel group exchange heads for tokens around the
 * convolution and the scan.
 * Mamba-2: arXiv 2405.21060, megatron/core/ssm/mamba_mixer.py. Gated delta rule: arXiv 2412.06464, and Qwen3-Next. */
void ss_builder_add_mamba(ss_builder *b);
void ss_builder_add_linear_attention(ss_builder *b);

/* Mamba-1, whose channels have a state each (arXiv 2312.00752), with the norms of Jamba ahead of the scan:
 * JambaMambaMixer of transformers (models/jamba/modeling_jamba.py). */
void ss_builder_add_mamba_1(ss_builder *b);

/* The same with a decay of each channel of a key, which comes through a low rank, as the output gate does: Kimi Delta
 * Attention (arXiv 2510.26692; KimiDeltaAttention of fla/layers/kda.py). Their way down is whole on each
 * tensor-parallel rank. */
void ss_builder_add_delta_attention(ss_builder *b);

/* Queries, keys and values are activated in place of a convolution, and heads decay as they are: lightning attention
 * (MiniMaxLightningAttention of transformers, models/minimax/modeling_minimax.py). */
void ss_builder_add_lightning_attention(ss_builder *b);

/* One product for three of the hidden size, of which the convolution reads the product of two, and the output product
 * that of its result and the third: Lfm2ShortConv of transformers (models/lfm2/modeling_lfm2.py). */
void ss_builder_add_short_convolution(ss_builder *b);

/* Parameters of the products of such a mixer, over `tp` tensor-parallel ranks with the copies of groups that these
 * have; and what its scan multiplies and adds for a token, 2 flop each of a pair, over `ranks` that share the heads
 * out. 1: what the model asks for. 0 for attention. Of the former, those that each tensor-parallel rank has whole. */
double ss_state_product_parameters(const ss_workload *workload, double tp);
double ss_state_shared_parameters(const ss_workload *workload);
double ss_state_scan_flop(const ss_workload *workload, double ranks);

#endif
