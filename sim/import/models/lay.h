/* What layers of a configuration are of: what is shared by those who read the keys of different models. */
#ifndef STEPSIM_SIM_IMPORT_MODELS_LAY_H
#define STEPSIM_SIM_IMPORT_MODELS_LAY_H

#include "sim/import/models/config.h"
#include "sim/import/models/kinds.h"

enum { SS_LAY_MOST = SS_KINDS_LAYERS, SS_LAY_MOST_TOKENS = 1000000000 };

/* What layers are of. */
typedef struct ss_lay {
  const ss_config *config;
  int64_t layers;
  ss_kinds kinds;
} ss_lay;

/* A kind of layers as a file calls it. */
typedef struct ss_lay_word {
  const char *text;
  char letter;
} ss_lay_word;

typedef struct ss_lay_words {
  const ss_lay_word *word;
  size_t count;
  const char *allowed;
} ss_lay_words;

/* Sets the kinds of all layers, a letter for each, at the line of a key. SS_ERROR_INPUT, as of all that follow. */
ss_status ss_lay_set(const ss_lay *p, char *letters, const char *key, ss_error *error);

/* Whether a file has more than null there. */
bool ss_lay_has(const ss_lay *p, const char *key);

/* Says that layers have no experts, and nothing of these. */
void ss_lay_no_experts(const ss_lay *p);

/* The letter of a word; 0 where it is none of these. */
char ss_lay_letter(ss_lay_words known, const json_t *value);

/* Refuses a word. Always SS_ERROR_INPUT. */
ss_status ss_lay_refuse_word(const ss_lay *p, const char *key, ss_lay_words known, const json_t *value,
                             ss_error *error);

/* A word for each layer: its letter. */
ss_status ss_lay_read_words(const ss_lay *p, const char *key, ss_lay_words known, char *letters, ss_error *error);

/* A letter for each layer, of `known`, which `allowed` names. */
ss_status ss_lay_read_letters(const ss_lay *p, const char *key, const char *known, const char *allowed, char *letters,
                              ss_error *error);

/* 0 or 1 for each layer: the first or the second of two letters. */
ss_status ss_lay_read_marks(const ss_lay *p, const char *key, const char *names, char *letters, ss_error *error);

/* The types of layers as a list of words, where a file has one: a letter for those that are `type`, f for others, which
 * attend. */
ss_status ss_lay_read_types(const ss_lay *p, const char *type, char letter, char *letters, bool *found,
                            ss_error *error);

/* Sets kinds as ss_kinds_add_own adds them. */
ss_status ss_lay_own(ss_lay *p, const char *mixer, char *letters, const char *key, ss_error *error);

/* A list of numbers of layers, which counts from `first`, at the line of a key: '1' for each layer that it has, '0' for
 * others. */
ss_status ss_lay_read_list(const ss_lay *p, const char *key, const json_t *list, int64_t first, char *marks,
                           ss_error *error);

#endif
