/* Kinds of layers that attend to compressed tokens (DeepSeek-V4), as lists of files have them: a number of tokens for
 * each layer. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_COMPRESSED_LAYERS_H
#define STEPSIM_SIM_IMPORT_MODELS_COMPRESSED_LAYERS_H

#include <stdint.h>

#include "sim/import/models/kinds.h"

/* Tokens of one compressed token in layers that have an indexer, and in those that attend to all of them. */
enum { SS_COMPRESSED_CHOSEN = 4, SS_COMPRESSED_ALL = 128 };

#define SS_COMPRESSED_LETTERS "wch" /* none, with an indexer, without one */

/* The letter of a number of tokens; 0 where it is none of 0, 4 and 128. */
char ss_compressed_letter(int64_t tokens);

/* The number of a letter. */
int64_t ss_compressed_tokens(char letter);

/* Adds the three kinds to those of a model whose layers have an indexer, and compress SS_COMPRESSED_CHOSEN tokens. */
void ss_compressed_add_kinds(ss_kinds *kinds);

#endif
