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

/* The types of layers as a list of words, where a file has one: a letter for those that are `word`, f for others, which
 * attend. */
static ss_status read_types(const plan *p, const char *word, char letter, char *letters, bool *found, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, "layer_types");
  *found = list != NULL && !json_is_null(list);
  if (!*found) return SS_OK;
  if (!json_is_array(list) || json_array_size(list) != (size_t)p->layers)
    return ss_config_refuse(p->config, "layer_types", list, error, "is not a list of %" PRId64 " words", p->layers);
  for (size_t i = 0; i < (size_t)p->layers; ++i) {
    const char *type = json_string_value(json_array_get(list, i));
    const bool attends = type != NULL && (strcmp(type, "full_attention") == 0 || strcmp(type, "attention") == 0);
    if (type == NULL || (strcmp(type, word) != 0 && !attends))
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

/* Whether a layer of GLM-5 takes what the one before has chosen: a list of words, a letter for each, or every n-th
 * layer behind some first ones has an indexer (configuration_glm_moe_dsa.py). */
static bool shares_choice(const json_t *types, const char *pattern, int64_t layer, int64_t every, int64_t offset)
{
  const char *type = json_string_value(json_array_get(types, (size_t)layer));
  if (types != NULL && !json_is_null(types)) return type != NULL && strcmp(type, "shared") == 0;
  if (pattern != NULL) return pattern[layer] == 'S';
  return layer >= offset && (layer - offset + 1) % every != 0;
}

static ss_status lay_out_choices(plan *p, ss_error *error)
{
  static const char listed[] = "indexer_types", letter[] = "index_topk_pattern", freq[] = "index_topk_freq";
  const json_t *types = json_object_get(p->config->root, listed);
  const json_t *pattern = json_object_get(p->config->root, letter);
  const char *text = json_string_value(pattern);
  char letters[MOST_LAYERS + 1] = "";
  int64_t every, offset, shared = 0;
  if (types != NULL && !json_is_null(types) && json_array_size(types) != (size_t)p->layers)
    return ss_config_refuse(p->config, listed, types, error, "is not a list of %" PRId64 " words", p->layers);
  if (pattern != NULL && !json_is_null(pattern) && (text == NULL || strlen(text) != (size_t)p->layers))
    return ss_config_refuse(p->config, letter, pattern, error, "is not a text of %" PRId64 " letters", p->layers);
  ss_status status = ss_config_count(p->config, freq, (ss_config_range){1, MOST_LAYERS, 1}, &every, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "index_skip_topk_offset", (ss_config_range){0, MOST_LAYERS, 2}, &offset, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; i < p->layers; ++i) {
    letters[i] = (char)(shares_choice(types, text, i, every, offset) ? 'l' : 'f');
    shared += letters[i] == 'l';
  }
  return shared > 0 ? lay_mixers(p, "index-heads=0", letters, listed, error) : SS_OK;
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
  const json_t *marks = json_object_get(p->config->root, listed);
  const int64_t size =
      w->line[SS_AT_model_head_size] != SS_LINE_DEFAULT ? w->model.head_size : w->model.hidden / w->model.heads;
  const int line = ss_config_line(p->config, "num_attention_heads");
  char letters[MOST_LAYERS + 1] = "";
  bool words = false;
  ss_import_set(import, SS_AT_model_state_heads, w->model.heads, line);
  ss_import_set(import, SS_AT_model_state_groups, w->model.heads, line);
  ss_import_set(import, SS_AT_model_state_head_size, size, line);
  ss_import_set(import, SS_AT_model_state_size, size, line);
  const ss_status status = read_types(p, "linear_attention", 'l', letters, &words, error);
  if (status != SS_OK) return status;
  if (!words && marks != NULL && json_array_size(marks) != (size_t)p->layers)
    return ss_config_refuse(p->config, listed, marks, error, "is not a list of 0 and 1 for each of %" PRId64 " layers",
                            p->layers);
  for (int64_t i = 0; !words && i < p->layers; ++i)
    letters[i] = (char)(marks == NULL ? (i % 2 == 0 ? 'f' : 'l')
                                      : (json_integer_value(json_array_get(marks, (size_t)i)) == 1 ? 'f' : 'l'));
  return lay_mixers(p, "mixer=lightning", letters, words ? "layer_types" : listed, error);
}

/* MiMo-V2: 1 for layers with a window, which have another number of keys, and for layers with experts. */
static ss_status lay_out_marks(plan *p, ss_error *error)
{
  static const char windows[] = "hybrid_layer_pattern", experts[] = "moe_layer_freq";
  static const char names[2][2] = {{'d', 'f'}, {'v', 'w'}}; /* whether with a window, and with experts */
  const json_t *root = p->config->root, *window = json_object_get(root, windows),
               *expert = json_object_get(root, experts);
  char letters[MOST_LAYERS + 1] = "", keys[SS_KIND_SIZE / 2], dense[SS_KIND_SIZE];
  int64_t tokens, heads;
  ss_status status =
      ss_config_count(p->config, "sliding_window", (ss_config_range){1, MOST_TOKENS, 128}, &tokens, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "swa_num_key_value_heads",
                        (ss_config_range){1, MOST_LAYERS, p->config->import->workload->model.kv_heads}, &heads, error);
  if (status != SS_OK) return status;
  if (json_array_size(window) != (size_t)p->layers || json_array_size(expert) != (size_t)p->layers)
    return ss_config_refuse(p->config, windows, window, error,
                            "is not, as %s, a list of 0 and 1 for each of %" PRId64 " layers", experts, p->layers);
  (void)snprintf(keys, sizeof keys, "kv-heads=%" PRId64, heads);
  (void)snprintf(dense, sizeof dense, "%s feed-forward=mlp", keys);
  ss_kinds_add(&p->kinds, 'w', "window", tokens, keys);
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'v', "window", tokens, dense);
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < p->layers; ++i)
    letters[i] = names[json_integer_value(json_array_get(window, (size_t)i)) == 1]
                      [json_integer_value(json_array_get(expert, (size_t)i)) == 1];
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
      {SS_OF(deepseek_v32) | SS_OF(glm_moe_dsa), lay_out_choices},
      {SS_OF(mimo_v2_flash), lay_out_marks},
      {SS_OF(minimax) | SS_OF(minimax_m1), lay_out_lightning},
  };
  plan p = {.config = config, .layers = config->import->workload->model.layers};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if ((rows[i].models >> config->model & 1) != 0) return rows[i].lay_out(&p, error);
  return lay_out_windows(&p, error);
}
