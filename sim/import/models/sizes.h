/* Sizes of models that files name and do not spell out. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_SIZES_H
#define STEPSIM_SIM_IMPORT_MODELS_SIZES_H

#include "sim/import/models/draft.h"

/* A model: counts and choices of the element "model" as NAME=VALUE with blanks between them, and its kinds of layers
 * with their pattern, or NULL. */
typedef struct ss_sizes {
  const char *of, *kinds, *pattern;
} ss_sizes;

/* Sets them, at a line of a file. */
void ss_sizes_set(ss_import *import, const ss_sizes *sizes, int line);

#endif
