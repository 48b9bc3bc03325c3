/* Layers of a configuration that mix tokens otherwise than by attention, or some of them. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_MIXER_LAYERS_H
#define STEPSIM_SIM_IMPORT_MODELS_MIXER_LAYERS_H

#include "sim/import/models/lay.h"

/* Each sets the kinds of all layers. SS_ERROR_INPUT; SS_ERROR_MEMORY. */

/* Nemotron-H: a letter for each layer; a word in newer files. */
ss_status ss_lay_out_hybrid(ss_lay *p, ss_error *error);

/* Qwen3-Next: gated DeltaNet, and attention in every n-th layer (Qwen3NextAttention of modeling_qwen3_next.py). */
ss_status ss_lay_out_linear(ss_lay *p, ss_error *error);

/* OLMo Hybrid: the same, with heads as attention has them, keys of 3/4 of the hidden size and values of twice that,
 * where the file does not say it (OlmoHybridConfig of configuration_olmo_hybrid.py). */
ss_status ss_lay_out_olmo(ss_lay *p, ss_error *error);

/* Granite 4: Mamba-2 or attention, each with a feed-forward part. */
ss_status ss_lay_out_states(ss_lay *p, ss_error *error);

/* Bamba: Mamba-2, and layers of a list that attend. */
ss_status ss_lay_out_listed(ss_lay *p, ss_error *error);

/* Sizes of heads of Mamba-2, each a number, or what follows from the others; heads have all channels that there are.
 * All that Falcon-H1 needs, whose layers have Mamba-2 beside attention. */
ss_status ss_lay_state_heads(ss_lay *p, ss_error *error);

/* Jamba: Mamba-1, of so many layers one that attends, and of so many one with experts, if there are several. */
ss_status ss_lay_out_periods(ss_lay *p, ss_error *error);

/* LFM2: short convolutions, and layers that attend, as words or as a list of these. */
ss_status ss_lay_out_convolutions(ss_lay *p, ss_error *error);

/* Kimi Linear: Kimi Delta Attention, and latent attention in the layers of a list, which counts from 1. */
ss_status ss_lay_out_delta(ss_lay *p, ss_error *error);

/* Channels of Mamba-1, so many times the hidden size, and the rank of their steps, which may be a word for what follows
 * from the hidden size: keys of a file. */
ss_status ss_lay_set_channels(const ss_lay *p, const char *rank, const char *expand, ss_error *error);

/* MiniMax: lightning attention, with as many heads as attention, and layers that attend, as words or 1 of a list. */
ss_status ss_lay_out_lightning(ss_lay *p, ss_error *error);

#endif
