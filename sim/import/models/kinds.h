/* Layers of several kinds: how a workload says them. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_KINDS_H
#define STEPSIM_SIM_IMPORT_MODELS_KINDS_H

#include "sim/import/models/draft.h"

enum { SS_KINDS_LAYERS = 100000, SS_KINDS_MOST = 6, SS_KIND_SIZE = 64 };

/* What layers are of: what each letter stands for. */
typedef struct ss_kinds {
  struct {
    char letter;
    char text[SS_KIND_SIZE]; /* what layers have of their own */
  } kind[SS_KINDS_MOST];
  int64_t count;
  char of_modules; /* the letter of what modules that predict a token further have; 0: as the last layer */
} ss_kinds;

/* Adds a kind whose layers have `words` of their own, and the count `what`, unless that is 0. */
void ss_kinds_add(ss_kinds *kinds, char letter, const char *what, int64_t number, const char *words);

/* Adds l, layers that have `words` of their own, such as another mixer or a window, and f, those that the model says;
 * of either, the first `dense` layers have no experts, for which `letters` get others: kinds say it, and `dense` no
 * more. */
void ss_kinds_add_own(ss_kinds *kinds, const char *words, char *letters, int64_t *dense);

/* Sets the kinds that occur among `letters`, one for each layer, or in modules, and their pattern, at a line of a file;
 * `letters` are cut where they repeat. SS_ERROR_INPUT where the pattern is too long. */
ss_status ss_kinds_set(ss_import *import, const char *path, const ss_kinds *kinds, char *letters, int line,
                       ss_error *error);

#endif
