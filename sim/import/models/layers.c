#include "sim/import/models/layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/input/origin.h"
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

/* Whether a file has more than null there. */
static bool has(const plan *p, const char *key)
{
  const json_t *value = json_object_get(p->config->root, key);
  return value != NULL && !json_is_null(value);
}

/* A kind of layers as a file calls it. */
typedef struct word {
  const char *text;
  char letter;
} word;

typedef struct words {
  const word *word;
  size_t count;
  const char *allowed;
} words;

/* A word for each layer: its letter. */
static ss_status read_words(const plan *p, const char *key, words known, char *letters, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, key);
  if (json_array_size(list) != (size_t)p->layers)
    return ss_config_refuse(p->config, key, list, error, "is not a list of %" PRId64 " words", p->layers);
  for (size_t i = 0; i < (size_t)p->layers; ++i) {
    const char *text = json_string_value(json_array_get(list, i));
    size_t k = 0;
    while (k < known.count && (text == NULL || strcmp(known.word[k].text, text) != 0)) ++k;
    if (k == known.count)
      return ss_config_refuse(p->config, key, json_array_get(list, i), error, "is unknown; allowed: %s", known.allowed);
    letters[i] = known.word[k].letter;
  }
  return SS_OK;
}

/* A letter for each layer, of `known`, which `allowed` names. */
static ss_status read_letters(const plan *p, const char *key, const char *known, const char *allowed, char *letters,
                              ss_error *error)
{
  const json_t *value = json_object_get(p->config->root, key);
  const char *text = json_string_value(value);
  if (text == NULL || strlen(text) != (size_t)p->layers || strspn(text, known) != strlen(text))
    return ss_config_refuse(p->config, key, value, error, "is not one of %s for each of %" PRId64 " layers", allowed,
                            p->layers);
  memcpy(letters, text, strlen(text) + 1);
  return SS_OK;
}

/* 0 or 1 for each layer: the first or the second of two letters. */
static ss_status read_marks(const plan *p, const char *key, const char *names, char *letters, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, key);
  bool valid = json_array_size(list) == (size_t)p->layers;
  for (size_t i = 0; valid && i < (size_t)p->layers; ++i) {
    const json_t *mark = json_array_get(list, i);
    const json_int_t number = json_integer_value(mark);
    valid = json_is_integer(mark) && (number == 0 || number == 1);
    letters[i] = names[number == 1];
  }
  return valid ? SS_OK
               : ss_config_refuse(p->config, key, list, error,
                                  "is not a list of 0 and 1 for each of %" PRId64 " layers", p->layers);
}

/* The types of layers as a list of words, where a file has one: a letter for those that are `type`, f for others, which
 * attend. */
static ss_status read_types(const plan *p, const char *type, char letter, char *letters, bool *found, ss_error *error)
{
  const word known[] = {{type, letter}, {"full_attention", 'f'}, {"attention", 'f'}};
  char allowed[SS_KIND_SIZE];
  *found = has(p, "layer_types");
  if (!*found) return SS_OK;
  (void)snprintf(allowed, sizeof allowed, "full_attention, %s", type);
  return read_words(p, "layer_types", (words){known, sizeof known / sizeof known[0], allowed}, letters, error);
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
    uint64_t models;
    bool is_used; /* where use_sliding_window does not say it */
  } rows[] = {
      {"", 0,
       SS_OF(mistral) | SS_OF(mixtral) | SS_OF(phi3) | SS_OF(phimoe) | SS_OF(nemotron) | SS_OF(starcoder2) |
           SS_OF(ministral3),
       true},
      {"", 0,
       SS_OF(qwen2) | SS_OF(qwen2_moe) | SS_OF(qwen2_5_vl_text) | SS_OF(qwen3) | SS_OF(qwen3_moe) |
           SS_OF(qwen3_vl_text) | SS_OF(qwen3_vl_moe_text) | SS_OF(smollm3),
       false},
      {"", 4, SS_OF(olmo3) | SS_OF(exaone4), true},
      {"sliding_window_pattern", 4, SS_OF(cohere2), true},
      {"", 2, SS_OF(gemma2) | SS_OF(gpt_oss), true},
      {"sliding_window_pattern", 6, SS_OF(gemma3_text), true},
  };
  const json_t *use = json_object_get(p->config->root, "use_sliding_window");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if ((rows[i].models >> p->config->model & 1) == 0) continue;
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

/* Nemotron-H: a letter for each layer; a word in newer files. */
static ss_status lay_out_hybrid(plan *p, ss_error *error)
{
  static const char blocks[] = "layers_block_type", pattern[] = "hybrid_override_pattern";
  static const word known[] = {{"mamba", 'M'}, {"mlp", '-'}, {"attention", '*'}, {"moe", 'E'}};
  static const words allowed = {known, sizeof known / sizeof known[0], "mamba, mlp, attention and moe"};
  const bool experts = p->config->import->workload->model.experts > 0;
  const bool listed = json_is_array(json_object_get(p->config->root, blocks));
  char letters[MOST_LAYERS + 1] = "";
  ss_kinds_add(&p->kinds, 'M', "", 0, "mixer=mamba feed-forward=none");
  ss_kinds_add(&p->kinds, '-', "", 0, experts ? "mixer=none feed-forward=mlp" : "mixer=none");
  ss_kinds_add(&p->kinds, '*', "", 0, "feed-forward=none");
  ss_kinds_add(&p->kinds, 'E', "", 0, "mixer=none");
  const ss_status status = listed ? read_words(p, blocks, allowed, letters, error)
                                  : read_letters(p, pattern, "M-*E", "M, -, * and E", letters, error);
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

/* Layers of another mixer, and some that attend, f; of either the first ones may have no experts. */
static ss_status lay_mixers(plan *p, const char *mixer, char *letters, const char *key, ss_error *error)
{
  ss_workload *w = p->config->import->workload;
  char dense[SS_KIND_SIZE];
  (void)snprintf(dense, sizeof dense, "%s feed-forward=mlp", mixer);
  ss_kinds_add(&p->kinds, 'l', "", 0, mixer);
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'm', "", 0, dense);
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < w->model.dense_layers && i < p->layers; ++i) letters[i] = letters[i] == 'l' ? 'm' : 'd';
  w->model.dense_layers = 0; /* kinds say it */
  return set_kinds(p, letters, key, error);
}

/* GLM-5: layers that take what the one before has chosen, l, by a list of words; by a letter for each; or all but every
 * n-th layer behind some first ones (configuration_glm_moe_dsa.py). `key` is what decides. */
static ss_status read_choices(const plan *p, const char **key, char *letters, ss_error *error)
{
  static const char types[] = "indexer_types", pattern[] = "index_topk_pattern", freq[] = "index_topk_freq";
  static const word known[] = {{"full", 'f'}, {"shared", 'l'}};
  static const words allowed = {known, sizeof known / sizeof known[0], "full, shared"};
  const bool typed = has(p, types), lettered = !typed && has(p, pattern);
  int64_t every = 1, offset = 0;
  *key = typed ? types : lettered ? pattern : freq;
  ss_status status = ss_config_count(p->config, freq, (ss_config_range){1, MOST_LAYERS, 1}, &every, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "index_skip_topk_offset", (ss_config_range){0, MOST_LAYERS, 2}, &offset, error);
  if (status == SS_OK && typed) status = read_words(p, types, allowed, letters, error);
  if (status == SS_OK && lettered) status = read_letters(p, pattern, "FS", "F and S", letters, error);
  for (int64_t i = 0; status == SS_OK && !typed && i < p->layers; ++i) {
    const bool shares = lettered ? letters[i] == 'S' : i >= offset && (i - offset + 1) % every != 0;
    letters[i] = "fl"[shares];
  }
  return status;
}

static ss_status lay_out_choices(plan *p, ss_error *error)
{
  const char *key;
  char letters[MOST_LAYERS + 1] = "";
  const ss_status status = read_choices(p, &key, letters, error);
  if (status != SS_OK || strchr(letters, 'l') == NULL) return status;
  if (letters[0] == 'l')
    return ss_config_refuse(p->config, key, json_object_get(p->config->root, key), error,
                            "has a first layer that takes what one before has chosen; allowed: one with an indexer");
  return lay_mixers(p, "index-heads=0", letters, key, error);
}

/* Granite 4: Mamba-2 or attention, each with a feed-forward part. */
static ss_status lay_out_states(plan *p, ss_error *error)
{
  char letters[MOST_LAYERS + 1] = "";
  bool listed = false;
  const ss_status status = read_types(p, "mamba", 'l', letters, &listed, error);
  if (status != SS_OK) return status;
  if (!listed) memset(letters, 'l', (size_t)p->layers);
  return lay_mixers(p, "mixer=mamba", letters, "layer_types", error);
}

/* Two thirds of what the file has, in whole blocks: Lfm2MLP of modeling_lfm2.py. */
static ss_status adjust_ffn(const plan *p, ss_error *error)
{
  const json_t *root = p->config->root, *adjusts = json_object_get(root, "block_auto_adjust_ff_dim");
  const json_t *factor = json_object_get(root, "block_ffn_dim_multiplier");
  int64_t *ffn = &p->config->import->workload->model.ffn, block;
  if (p->config->model != SS_CONFIG_lfm2 || (adjusts != NULL && !json_is_true(adjusts))) return SS_OK;
  if (factor != NULL && !json_is_null(factor) && json_number_value(factor) != 1.0)
    return ss_config_refuse(p->config, "block_ffn_dim_multiplier", factor, error, "changes a size; allowed: 1");
  const ss_status status =
      ss_config_count(p->config, "block_multiple_of", (ss_config_range){1, MOST_TOKENS, 256}, &block, error);
  if (status == SS_OK) *ffn = (2 * *ffn / 3 + block - 1) / block * block;
  return status;
}

/* LFM2: short convolutions, and layers that attend, as words or as a list of these. */
static ss_status lay_out_convolutions(plan *p, ss_error *error)
{
  const json_t *attend = json_object_get(p->config->root, "full_attn_idxs");
  char letters[MOST_LAYERS + 1] = "";
  bool listed = false;
  ss_status status = adjust_ffn(p, error);
  if (status == SS_OK) status = read_types(p, "conv", 'l', letters, &listed, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !listed && i < p->layers; ++i)
    letters[i] = (char)(attend == NULL || lists(attend, i) ? 'f' : 'l');
  return lay_mixers(p, "mixer=convolution", letters, listed ? "layer_types" : "full_attn_idxs", error);
}

/* A size of Kimi Delta Attention, which is inside of an object. */
static ss_status set_delta_size(const plan *p, const char *key, ss_attribute_index to, ss_error *error)
{
  static const char object[] = "linear_attn_config";
  const json_t *value = json_object_get(json_object_get(p->config->root, object), key);
  const double number = (double)json_integer_value(value), most = ss_workload_attributes()[to].maximum;
  if (number < 1.0 || number > most)
    return ss_config_refuse(p->config, object, value, error, "has no %s, a whole number from 1 to %.15g", key, most);
  ss_import_set(p->config->import, to, json_integer_value(value), ss_config_line(p->config, object));
  return SS_OK;
}

/* Kimi Linear: Kimi Delta Attention, and latent attention in the layers of a list, which counts from 1. */
static ss_status lay_out_delta(plan *p, ss_error *error)
{
  static const char object[] = "linear_attn_config";
  static const struct {
    const char *key;
    ss_attribute_index to;
  } sizes[] = {{"num_heads", SS_AT_model_state_heads},
               {"num_heads", SS_AT_model_state_groups},
               {"head_dim", SS_AT_model_state_head_size},
               {"head_dim", SS_AT_model_state_size},
               {"short_conv_kernel_size", SS_AT_model_convolution}};
  const json_t *attend = json_object_get(json_object_get(p->config->root, object), "full_attn_layers");
  char letters[MOST_LAYERS + 1] = "";
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const ss_status status = set_delta_size(p, sizes[i].key, sizes[i].to, error);
    if (status != SS_OK) return status;
  }
  if (json_array_size(attend) == 0)
    return ss_config_refuse(p->config, object, attend, error, "has no full_attn_layers, a list of layers from 1 on");
  for (int64_t i = 0; i < p->layers; ++i) letters[i] = (char)(lists(attend, i + 1) ? 'f' : 'l');
  return lay_mixers(p, "mixer=kda", letters, object, error);
}

/* MiniMax: lightning attention, with as many heads as attention, and layers that attend, as words or 1 of a list. */
static ss_status lay_out_lightning(plan *p, ss_error *error)
{
  static const char listed[] = "attn_type_list";
  ss_import *import = p->config->import;
  const ss_workload *w = import->workload;
  const int64_t size =
      w->line[SS_AT_model_head_size] != SS_LINE_DEFAULT ? w->model.head_size : w->model.hidden / w->model.heads;
  const int line = ss_config_line(p->config, "num_attention_heads");
  char letters[MOST_LAYERS + 1] = "";
  const bool marked = has(p, listed);
  bool typed = false;
  ss_import_set(import, SS_AT_model_state_heads, w->model.heads, line);
  ss_import_set(import, SS_AT_model_state_groups, w->model.heads, line);
  ss_import_set(import, SS_AT_model_state_head_size, size, line);
  ss_import_set(import, SS_AT_model_state_size, size, line);
  ss_status status = read_types(p, "linear_attention", 'l', letters, &typed, error);
  if (status == SS_OK && !typed && marked) status = read_marks(p, listed, "lf", letters, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !typed && !marked && i < p->layers; ++i) letters[i] = "fl"[i % 2];
  return lay_mixers(p, "mixer=lightning", letters, typed ? "layer_types" : listed, error);
}

/* MiMo-V2: 1 for layers with a window, which have another number of keys, and for layers with experts. */
static ss_status lay_out_marks(plan *p, ss_error *error)
{
  static const char windows[] = "hybrid_layer_pattern", experts[] = "moe_layer_freq";
  static const char names[2][2] = {{'d', 'f'}, {'v', 'w'}}; /* whether with a window, and with experts */
  char letters[MOST_LAYERS + 1] = "", expert[MOST_LAYERS + 1] = "", keys[SS_KIND_SIZE / 2], dense[SS_KIND_SIZE];
  int64_t tokens, heads;
  ss_status status =
      ss_config_count(p->config, "sliding_window", (ss_config_range){1, MOST_TOKENS, 128}, &tokens, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "swa_num_key_value_heads",
                        (ss_config_range){1, MOST_LAYERS, p->config->import->workload->model.kv_heads}, &heads, error);
  if (status == SS_OK) status = read_marks(p, windows, "01", letters, error);
  if (status == SS_OK) status = read_marks(p, experts, "01", expert, error);
  if (status != SS_OK) return status;
  (void)snprintf(keys, sizeof keys, "kv-heads=%" PRId64, heads);
  (void)snprintf(dense, sizeof dense, "%s feed-forward=mlp", keys);
  ss_kinds_add(&p->kinds, 'w', "window", tokens, keys);
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'v', "window", tokens, dense);
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < p->layers; ++i) letters[i] = names[letters[i] == '1'][expert[i] == '1'];
  return set_kinds(p, letters, windows, error);
}

ss_status ss_config_lay_out(const ss_config *config, ss_error *error)
{
  static const struct {
    uint64_t models;
    ss_status (*lay_out)(plan *, ss_error *);
  } rows[] = {
      {SS_OF(llama4_text), lay_out_chunks},
      {SS_OF(nemotron_h), lay_out_hybrid},
      {SS_OF(qwen3_next) | SS_OF(qwen3_5_text) | SS_OF(qwen3_5_moe_text), lay_out_linear},
      {SS_OF(granitemoehybrid), lay_out_states},
      {SS_OF(lfm2) | SS_OF(lfm2_moe), lay_out_convolutions},
      {SS_OF(kimi_linear), lay_out_delta},
      {SS_OF(glm_moe_dsa), lay_out_choices},
      {SS_OF(mimo_v2_flash), lay_out_marks},
      {SS_OF(minimax) | SS_OF(minimax_m1), lay_out_lightning},
  };
  plan p = {.config = config, .layers = config->import->workload->model.layers};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if ((rows[i].models >> config->model & 1) != 0) return rows[i].lay_out(&p, error);
  return lay_out_windows(&p, error);
}
