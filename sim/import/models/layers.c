#include "sim/import/models/layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/import/models/kinds.h"

enum { MOST_LAYERS = SS_KINDS_LAYERS, MOST_TOKENS = 1000000000 };

/* What layers are of. */
typedef struct plan {
  const ss_config *config;
  int64_t layers;
  ss_kinds kinds;
} plan;

static ss_status set_kinds(const plan *p, char *letters, const char *key, ss_error *error)
{
  return ss_kinds_set(p->config->import, p->config->source->path, &p->kinds, letters, ss_config_line(p->config, key),
                      error);
}

/* The types of layers as a list of words, where a file has one: a letter for those that are `word`, f for others. */
static ss_status read_types(const plan *p, const char *word, char letter, char *letters, bool *found, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, "layer_types");
  *found = list != NULL && !json_is_null(list);
  if (!*found) return SS_OK;
  if (!json_is_array(list) || json_array_size(list) != (size_t)p->layers)
    return ss_config_refuse(p->config, "layer_types", list, error, "is not a list of %" PRId64 " words", p->layers);
  for (size_t i = 0; i < (size_t)p->layers; ++i) {
    const char *type = json_string_value(json_array_get(list, i));
    if (type == NULL || (strcmp(type, word) != 0 && strcmp(type, "full_attention") != 0))
      return ss_config_refuse(p->config, "layer_types", json_array_get(list, i), error,
                              "is unknown; allowed: full_attention, %s", word);
    letters[i] = (char)(strcmp(type, word) == 0 ? letter : 'f');
  }
  return SS_OK;
}

/* Layers with a window, of which every n-th one, or none where n is 0, has none; those before `first` have none
 * either. */
static ss_status lay_windows(plan *p, int64_t window, int64_t every, int64_t first, ss_error *error)
{
  char letters[MOST_LAYERS + 1] = "";
  bool listed;
  ss_kinds_add(&p->kinds, 'w', "window", window, "");
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_status status = read_types(p, "sliding_attention", 'w', letters, &listed, error);
  for (int64_t i = 0; !listed && i < p->layers; ++i) {
    const bool is_full = i < first || (every > 0 && (i + 1) % every == 0);
    letters[i] = "wf"[is_full];
  }
  return status == SS_OK ? set_kinds(p, letters, "sliding_window", error) : status;
}

/* Which layers have no window in the classes of transformers. */
static ss_status lay_out_windows(plan *p, ss_error *error)
{
  static const struct {
    const char *key;
    int64_t every; /* fallback of the key */
    unsigned models;
    bool is_used; /* where use_sliding_window does not say it */
  } rows[] = {
      {"", 0, SS_OF(mistral) | SS_OF(mixtral) | SS_OF(phi3) | SS_OF(phimoe) | SS_OF(nemotron), true},
      {"", 0, SS_OF(qwen2) | SS_OF(qwen2_moe) | SS_OF(qwen3) | SS_OF(qwen3_moe), false},
      {"", 2, SS_OF(gemma2) | SS_OF(gpt_oss), true},
      {"sliding_window_pattern", 6, SS_OF(gemma3_text), true},
  };
  const json_t *use = json_object_get(p->config->root, "use_sliding_window");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if ((rows[i].models & (1u << p->config->model)) == 0) continue;
    int64_t window, every, first = 0;
    ss_status status =
        ss_config_count(p->config, "sliding_window", (ss_config_range){1, MOST_TOKENS, 0}, &window, error);
    if (status == SS_OK)
      status = ss_config_count(p->config, rows[i].key, (ss_config_range){1, MOST_LAYERS, rows[i].every}, &every, error);
    if (status == SS_OK && !rows[i].is_used)
      status = ss_config_count(p->config, "max_window_layers", (ss_config_range){0, MOST_LAYERS, 0}, &first, error);
    if (status != SS_OK) return status;
    const bool has = window > 0 && (use == NULL ? rows[i].is_used : json_is_true(use));
    return has ? lay_windows(p, window, every, first, error) : SS_OK;
  }
  return SS_OK;
}

/* Whether a list of numbers of layers has this one. */
static bool lists(const json_t *list, int64_t layer)
{
  for (size_t i = 0; i < json_array_size(list); ++i)
    if (json_integer_value(json_array_get(list, i)) == layer) return true;
  return false;
}

/* Llama 4: some layers have experts, and those with rotary embedding attend within chunks. */
static ss_status lay_out_chunks(plan *p, ss_error *error)
{
  const json_t *root = p->config->root, *moe = json_object_get(root, "moe_layers");
  const json_t *rotary = json_object_get(root, "no_rope_layers"); /* 1: has it, all the same */
  const bool marks = json_array_size(rotary) == (size_t)p->layers;
  static const char names[2][2] = {{'g', 'f'}, {'d', 'e'}}; /* whether in chunks, and with experts */
  char letters[MOST_LAYERS + 1] = "";
  int64_t chunk, step, every;
  ss_status status =
      ss_config_count(p->config, "attention_chunk_size", (ss_config_range){1, MOST_TOKENS, 8192}, &chunk, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "interleave_moe_layer_step", (ss_config_range){1, MOST_LAYERS, 1}, &step, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "no_rope_layer_interval", (ss_config_range){1, MOST_LAYERS, 4}, &every, error);
  if (status != SS_OK) return status;
  ss_kinds_add(&p->kinds, 'd', "chunk", chunk, "feed-forward=mlp");
  ss_kinds_add(&p->kinds, 'e', "chunk", chunk, "");
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'g', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < p->layers; ++i) {
    const bool experts = json_array_size(moe) > 0 ? lists(moe, i) : (i + 1) % step == 0;
    const bool chunked = marks ? json_integer_value(json_array_get(rotary, (size_t)i)) != 0 : (i + 1) % every != 0;
    letters[i] = names[chunked][experts];
  }
  return set_kinds(p, letters, "num_hidden_layers", error);
}

/* Nemotron-H: a letter for each layer. */
static ss_status read_letters(const plan *p, const char *key, char *letters, ss_error *error)
{
  const json_t *value = json_object_get(p->config->root, key);
  const char *text = json_string_value(value);
  if (text == NULL || strlen(text) != (size_t)p->layers || strspn(text, "M-*E") != strlen(text))
    return ss_config_refuse(p->config, key, value, error, "is not one of M, -, * and E for each of %" PRId64 " layers",
                            p->layers);
  memcpy(letters, text, strlen(text) + 1);
  return SS_OK;
}

/* The same in newer files: a word for each layer. */
static ss_status read_blocks(const plan *p, const char *key, char *letters, ss_error *error)
{
  static const struct {
    const char *word;
    char letter;
  } blocks[] = {{"mamba", 'M'}, {"mlp", '-'}, {"attention", '*'}, {"moe", 'E'}};
  const size_t count = sizeof blocks / sizeof blocks[0];
  const json_t *list = json_object_get(p->config->root, key);
  if (json_array_size(list) != (size_t)p->layers)
    return ss_config_refuse(p->config, key, list, error, "is not a list of %" PRId64 " words", p->layers);
  for (size_t i = 0; i < (size_t)p->layers; ++i) {
    const char *word = json_string_value(json_array_get(list, i));
    size_t k = 0;
    while (k < count && (word == NULL || strcmp(blocks[k].word, word) != 0)) ++k;
    if (k == count)
      return ss_config_refuse(p->config, key, json_array_get(list, i), error,
                              "is unknown; allowed: mamba, mlp, attention and moe");
    letters[i] = blocks[k].letter;
  }
  return SS_OK;
}

static ss_status lay_out_hybrid(plan *p, ss_error *error)
{
  static const char blocks[] = "layers_block_type", pattern[] = "hybrid_override_pattern";
  const bool experts = p->config->import->workload->model.experts > 0;
  const bool listed = json_is_array(json_object_get(p->config->root, blocks));
  char letters[MOST_LAYERS + 1] = "";
  ss_kinds_add(&p->kinds, 'M', "", 0, "mixer=mamba feed-forward=none");
  ss_kinds_add(&p->kinds, '-', "", 0, experts ? "mixer=none feed-forward=mlp" : "mixer=none");
  ss_kinds_add(&p->kinds, '*', "", 0, "feed-forward=none");
  ss_kinds_add(&p->kinds, 'E', "", 0, "mixer=none");
  const ss_status status = listed ? read_blocks(p, blocks, letters, error) : read_letters(p, pattern, letters, error);
  return status == SS_OK ? set_kinds(p, letters, listed ? blocks : pattern, error) : status;
}

/* Qwen3-Next: gated DeltaNet, and attention in every n-th layer (Qwen3NextAttention of modeling_qwen3_next.py). */
static ss_status lay_out_linear(plan *p, ss_error *error)
{
  static const char key[] = "full_attention_interval";
  char letters[MOST_LAYERS + 1] = "";
  bool listed = false;
  int64_t every;
  ss_kinds_add(&p->kinds, 'l', "", 0, "mixer=linear");
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_status status = ss_config_count(p->config, key, (ss_config_range){1, MOST_LAYERS, 4}, &every, error);
  if (status == SS_OK) status = read_types(p, "linear_attention", 'l', letters, &listed, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !listed && i < p->layers; ++i) letters[i] = (char)((i + 1) % every == 0 ? 'f' : 'l');
  status = set_kinds(p, letters, listed ? "layer_types" : key, error);
  if (status != SS_OK) return status;
  return ss_import_note(p->config->import, SS_NOTE_LEFT_OUT,
                        "the gate of shared experts, and modules that predict a token further: model.mtp-modules has "
                        "them",
                        error);
}

ss_status ss_config_lay_out(const ss_config *config, ss_error *error)
{
  plan p = {.config = config, .layers = config->import->workload->model.layers};
  if (config->model == SS_CONFIG_llama4_text) return lay_out_chunks(&p, error);
  if (config->model == SS_CONFIG_nemotron_h) return lay_out_hybrid(&p, error);
  if (config->model == SS_CONFIG_qwen3_next) return lay_out_linear(&p, error);
  return lay_out_windows(&p, error);
}
