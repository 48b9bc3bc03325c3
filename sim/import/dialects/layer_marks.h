/* Marks of layers, 0 or 1, as settings of Megatron-LM have them. */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_LAYER_MARKS_H
#define STEPSIM_SIM_IMPORT_DIALECTS_LAYER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Fills `bits` [SS_KINDS_LAYERS + 1, sim/import/models/kinds.h] with a list of 0 and 1 for all layers: with blanks
 * between, or as sums and multiples of lists in Python. False where the text is no such list. */
bool ss_layer_marks_list(const char *text, int64_t layers, char *bits);

/* The same of other marks, each of which is a character of `known`. */
bool ss_layer_marks_of(const char *text, int64_t layers, const char *known, char *marks);

/* Fills `bits` [SS_KINDS_LAYERS + 1] with 1 for layers that are marked: one in n, or a list: moe_layer_freq of
 * TransformerConfig. False where the text is neither. */
bool ss_layer_marks_read(const char *text, int64_t layers, char *bits);

#endif
