/* Layers as letters, as stacks of Megatron-LM and Nemotron-H have them: each is a mixer or a feed-forward part alone.
 */
#ifndef STEPSIM_SIM_IMPORT_MODELS_HYBRID_LETTERS_H
#define STEPSIM_SIM_IMPORT_MODELS_HYBRID_LETTERS_H

#include <stdbool.h>

#include "sim/import/models/kinds.h"

/* All letters: M, which has `mixer`, G a gated delta rule, - an MLP, * attention, E experts, if the model has any. */
#define SS_HYBRID_LETTERS "MG-*E"
void ss_hybrid_add_kinds(ss_kinds *kinds, const char *mixer, bool experts);

/* Says that modules which predict a token further have layers of these letters: one, or a mixer and the feed-forward
 * part behind it, which are one layer of a kind of its own. False where they are others, which are left out. */
#define SS_HYBRID_MODULES_LEFT_OUT                                                                                     \
  "modules that predict a token further, of more than a mixer and a feed-forward part each"
bool ss_hybrid_add_module(ss_kinds *kinds, const char *letters, const char *mixer, bool experts);

#endif
