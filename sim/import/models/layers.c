#include "sim/import/models/layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/models/compressed_layers.h"
#include "sim/import/models/earlier_layers.h"
#include "sim/import/models/mixer_layers.h"

/* Layers with a window, of which every n-th one, or none where n is 0, has none; those before `first` have none
 * either. */
static ss_status lay_windows(ss_lay *p, int64_t window, int64_t every, int64_t first, ss_error *error)
{
  static const char key[] = "sliding_window";
  const bool dense = p->config->import->workload->model.dense_layers > 0;
  const char local = (char)(dense ? 'l' : 'w');
  char letters[SS_LAY_MOST + 1] = "", own[SS_KIND_SIZE];
  bool listed;
  ss_status status = ss_lay_read_types(p, "sliding_attention", local, letters, &listed, error);
  for (int64_t i = 0; !listed && i < p->layers; ++i) {
    const bool is_full = i < first || (every > 0 && (i + 1) % every == 0);
    letters[i] = (char)(is_full ? 'f' : local);
  }
  if (status != SS_OK) return status;
  (void)snprintf(own, sizeof own, "window=%" PRId64, window);
  if (dense) return ss_lay_own(p, own, letters, key, error);
  ss_kinds_add(&p->kinds, local, "", 0, own);
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  return ss_lay_set(p, letters, key, error);
}

/* Which layers have no window in the classes of transformers. */
static ss_status lay_out_windows(ss_lay *p, ss_error *error)
{
  static const struct {
    const char *key;
    int64_t every; /* fallback of the key */
    ss_config_models models;
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
      {"", 4, SS_OF(olmo3) | SS_OF(exaone4) | SS_OF(exaone_moe), true},
      {"global_attn_every_n_layers", 4, SS_OF(afmoe), true},
      {"sliding_window_pattern", 4, SS_OF(cohere2), true},
      {"", 2, SS_OF(gemma2) | SS_OF(gpt_oss), true},
      {"sliding_window_pattern", 6, SS_OF(gemma3_text), true},
  };
  static const char use[] = "use_sliding_window";
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (!ss_config_is_of(p->config, rows[i].models)) continue;
    int64_t window, every, first = 0;
    bool uses;
    ss_status status = ss_config_flag(p->config, use, &uses, error);
    if (status == SS_OK)
      status =
          ss_config_count(p->config, "sliding_window", (ss_config_range){1, SS_LAY_MOST_TOKENS, 0}, &window, error);
    if (status == SS_OK)
      status = ss_config_count(p->config, rows[i].key, (ss_config_range){1, SS_LAY_MOST, rows[i].every}, &every, error);
    if (status == SS_OK && !rows[i].is_used)
      status = ss_config_count(p->config, "max_window_layers", (ss_config_range){0, SS_LAY_MOST, 0}, &first, error);
    if (status != SS_OK) return status;
    const bool has = window > 0 && (json_object_get(p->config->root, use) != NULL ? uses : rows[i].is_used);
    return has ? lay_windows(p, window, every, first, error) : SS_OK;
  }
  return SS_OK;
}

/* Llama 4: some layers have experts, and those with rotary embedding attend within chunks. */
static ss_status lay_out_chunks(ss_lay *p, ss_error *error)
{
  static const char expert[] = "moe_layers";
  const json_t *root = p->config->root, *moe = json_object_get(root, expert);
  static const char rotary[] = "no_rope_layers"; /* 1: has it, all the same; nothing in it: as without it */
  const json_t *marks = json_object_get(root, rotary);
  const bool is_marked = marks != NULL && !ss_config_is_off(marks);
  static const char names[2][2] = {{'g', 'f'}, {'d', 'e'}}; /* whether in chunks, and with experts */
  const bool lists = ss_lay_has(p, expert);
  char letters[SS_LAY_MOST + 1] = "", listed[SS_LAY_MOST + 1] = "", marked[SS_LAY_MOST + 1];
  int64_t chunk, step, every;
  ss_status status =
      ss_config_count(p->config, "attention_chunk_size", (ss_config_range){1, SS_LAY_MOST_TOKENS, 8192}, &chunk, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "interleave_moe_layer_step", (ss_config_range){1, SS_LAY_MOST, 1}, &step, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "no_rope_layer_interval", (ss_config_range){1, SS_LAY_MOST, 4}, &every, error);
  if (status == SS_OK && lists) status = ss_lay_read_list(p, expert, moe, 0, listed, error);
  if (status == SS_OK && is_marked) status = ss_lay_read_marks(p, rotary, "01", marked, error);
  if (status != SS_OK) return status;
  ss_kinds_add(&p->kinds, 'd', "chunk", chunk, "feed-forward=mlp");
  ss_kinds_add(&p->kinds, 'e', "chunk", chunk, "");
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'g', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < p->layers; ++i) {
    const bool experts = lists ? listed[i] == '1' : (i + 1) % step == 0;
    const bool chunked = is_marked ? marked[i] == '1' : (i + 1) % every != 0;
    letters[i] = names[chunked][experts];
  }
  return ss_lay_set(p, letters, "num_hidden_layers", error);
}

/* GLM-5: layers that take what the one before has chosen, l, by a list of words; by a letter for each; or all but every
 * n-th layer behind some first ones (configuration_glm_moe_dsa.py). `key` is what decides. */
static ss_status read_choices(const ss_lay *p, const char **key, char *letters, ss_error *error)
{
  static const char types[] = "indexer_types", pattern[] = "index_topk_pattern", freq[] = "index_topk_freq";
  static const ss_lay_word known[] = {{"full", 'f'}, {"shared", 'l'}};
  static const ss_lay_words allowed = {known, sizeof known / sizeof known[0], "full, shared"};
  const bool typed = ss_lay_has(p, types), lettered = !typed && ss_lay_has(p, pattern);
  int64_t every = 1, offset = 0;
  *key = typed ? types : lettered ? pattern : freq;
  ss_status status = ss_config_count(p->config, freq, (ss_config_range){1, SS_LAY_MOST, 1}, &every, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "index_skip_topk_offset", (ss_config_range){0, SS_LAY_MOST, 2}, &offset, error);
  if (status == SS_OK && typed) status = ss_lay_read_words(p, types, allowed, letters, error);
  if (status == SS_OK && lettered) status = ss_lay_read_letters(p, pattern, "FS", "F and S", letters, error);
  for (int64_t i = 0; status == SS_OK && !typed && i < p->layers; ++i) {
    const bool shares = lettered ? letters[i] == 'S' : i >= offset && (i - offset + 1) % every != 0;
    letters[i] = "fl"[shares];
  }
  return status;
}

static ss_status lay_out_choices(ss_lay *p, ss_error *error)
{
  const char *key;
  char letters[SS_LAY_MOST + 1] = "";
  const ss_status status = read_choices(p, &key, letters, error);
  if (status != SS_OK || strchr(letters, 'l') == NULL) return status;
  if (letters[0] == 'l')
    return ss_config_refuse(p->config, key, json_object_get(p->config->root, key), error,
                            "has a first layer that takes what one before has chosen; allowed: one with an indexer");
  return ss_lay_own(p, "index-heads=0", letters, key, error);
}

/* MiMo-V2: 1 for layers with a window, which have another number of keys, and for layers with experts. */
static ss_status lay_out_marks(ss_lay *p, ss_error *error)
{
  static const char windows[] = "hybrid_layer_pattern", experts[] = "moe_layer_freq";
  static const char names[2][2] = {{'d', 'f'}, {'v', 'w'}}; /* whether with a window, and with experts */
  char letters[SS_LAY_MOST + 1] = "", expert[SS_LAY_MOST + 1] = "", keys[SS_KIND_SIZE / 2], dense[SS_KIND_SIZE];
  int64_t tokens, heads;
  ss_status status =
      ss_config_count(p->config, "sliding_window", (ss_config_range){1, SS_LAY_MOST_TOKENS, 128}, &tokens, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "swa_num_key_value_heads",
                        (ss_config_range){1, SS_LAY_MOST, p->config->import->workload->model.kv_heads}, &heads, error);
  if (status == SS_OK) status = ss_lay_read_marks(p, windows, "01", letters, error);
  if (status == SS_OK) status = ss_lay_read_marks(p, experts, "01", expert, error);
  if (status != SS_OK) return status;
  (void)snprintf(keys, sizeof keys, "kv-heads=%" PRId64, heads);
  (void)snprintf(dense, sizeof dense, "%s feed-forward=mlp", keys);
  ss_kinds_add(&p->kinds, 'w', "window", tokens, keys);
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'v', "window", tokens, dense);
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < p->layers; ++i) letters[i] = names[letters[i] == '1'][expert[i] == '1'];
  return ss_lay_set(p, letters, windows, error);
}

/* Gemma 4 has experts where a flag says so, whatever else stands there. They have an MLP beside them, which is as wide
 * as several of them. */
static ss_status set_experts(const ss_lay *p, ss_error *error)
{
  static const char key[] = "intermediate_size", flag[] = "enable_moe_block";
  ss_import *import = p->config->import;
  ss_workload *w = import->workload;
  bool has_experts;
  const ss_status status = ss_config_flag(p->config, flag, &has_experts, error);
  if (status != SS_OK) return status;
  if (!has_experts) {
    ss_lay_no_experts(p);
    return SS_OK;
  }
  if (w->model.experts == 0 || w->line[SS_AT_model_top_k] == SS_LINE_DEFAULT || w->model.expert_ffn < 1)
    return ss_config_refuse(p->config, flag, json_object_get(p->config->root, flag), error,
                            "needs num_experts, top_k_experts and moe_intermediate_size, whole numbers above 0");
  if (w->model.ffn % w->model.expert_ffn != 0)
    return ss_config_refuse(p->config, key, json_object_get(p->config->root, key), error,
                            "is no multiple of moe_intermediate_size; allowed: 1, 2, 3, ... of it");
  ss_import_set(import, SS_AT_model_shared_experts, w->model.ffn / w->model.expert_ffn, ss_config_line(p->config, key));
  return SS_OK;
}

/* Embeddings of layers are of as many words as the vocabulary, as the class has it where no key says another number. */
static ss_status check_embeddings(const ss_config *config, ss_error *error)
{
  enum { WORDS = 262144 };
  static const char key[] = "vocab_size_per_layer_input", all[] = "vocab_size";
  const ss_workload *w = config->import->workload;
  const char *blamed = json_object_get(config->root, key) != NULL ? key : all;
  int64_t words;
  const ss_status status = ss_config_count(config, key, (ss_config_range){1, SS_LAY_MOST_TOKENS, WORDS}, &words, error);
  if (status != SS_OK || w->model.layer_embedding == 0 || words == w->model.vocabulary) return status;
  return ss_config_refuse(config, blamed, json_object_get(config->root, blamed), error,
                          "is another number of words than %s has%s; allowed: the same", blamed == key ? all : key,
                          blamed == key ? "" : ", which is not given and 262144 then");
}

static ss_status note_norms(const ss_config *config, ss_error *error)
{
  const bool experts = config->import->workload->model.experts > 0;
  return ss_import_note(config->import, SS_NOTE_LEFT_OUT,
                        experts ? "norms of values, around experts, and of what their router reads" : "norms of values",
                        error);
}

/* Layers with a window, and others, every sixth one and the last, whose heads have other sizes; where their values are
 * keys, there may be another number of these, too. */
typedef struct of_heads {
  int64_t window, size, kv_heads, shared;
  bool same, wide; /* values are keys; layers that share these have an MLP twice as wide */
} of_heads;

static ss_status read_heads(const ss_lay *p, of_heads *of, ss_error *error)
{
  const ss_workload *w = p->config->import->workload;
  ss_status status = ss_config_flag(p->config, "attention_k_eq_v", &of->same, error);
  if (status == SS_OK) status = ss_config_flag(p->config, "use_double_wide_mlp", &of->wide, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "sliding_window", (ss_config_range){1, SS_LAY_MOST_TOKENS, 512}, &of->window, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "global_head_dim", (ss_config_range){1, SS_LAY_MOST, 512}, &of->size, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, "num_global_key_value_heads",
                             (ss_config_range){1, SS_LAY_MOST, w->model.kv_heads}, &of->kv_heads, error);
  if (status == SS_OK)
    status =
        ss_config_count(p->config, "num_kv_shared_layers", (ss_config_range){0, p->layers - 1, 0}, &of->shared, error);
  if (!of->same) of->kv_heads = w->model.kv_heads;
  return status;
}

/* v and g have keys and values of the last of w and f that makes its own. */
static void add_heads(ss_lay *p, const of_heads *of)
{
  char own[SS_KIND_SIZE], shared[SS_KIND_SIZE - 24], both[SS_KIND_SIZE];
  const int wide = (int)(2 * p->config->import->workload->model.ffn);
  (void)snprintf(own, sizeof own, "head-size=%d kv-heads=%d%s", (int)of->size, (int)of->kv_heads,
                 of->same ? " keys-as-values=yes" : "");
  ss_kinds_add(&p->kinds, 'w', "window", of->window, "");
  ss_kinds_add(&p->kinds, 'f', "", 0, own);
  if (of->shared == 0) return;
  (void)snprintf(shared, sizeof shared, "shared-keys=yes");
  if (of->wide) (void)snprintf(shared, sizeof shared, "shared-keys=yes ffn=%d", wide);
  (void)snprintf(both, sizeof both, "head-size=%d kv-heads=%d %s", (int)of->size, (int)of->kv_heads, shared);
  ss_kinds_add(&p->kinds, 'v', "window", of->window, shared);
  ss_kinds_add(&p->kinds, 'g', "", 0, both);
}

/* Gemma 4; its last layers may share keys and values. */
static ss_status lay_out_heads(ss_lay *p, ss_error *error)
{
  char letters[SS_LAY_MOST + 1] = "";
  bool listed = false;
  of_heads of;
  ss_status status = check_embeddings(p->config, error);
  if (status == SS_OK) status = read_heads(p, &of, error);
  if (status == SS_OK) status = ss_lay_read_types(p, "sliding_attention", 'w', letters, &listed, error);
  if (status == SS_OK) status = set_experts(p, error);
  if (status == SS_OK) status = note_norms(p->config, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !listed && i < p->layers; ++i) letters[i] = "wf"[(i + 1) % 6 == 0];
  letters[p->layers - 1] = 'f';
  for (int64_t i = p->layers - of.shared; i < p->layers; ++i) letters[i] = "vg"[letters[i] == 'f'];
  add_heads(p, &of);
  return ss_lay_set(p, letters, "sliding_window", error);
}

/* Layers with experts, as a list or a text of numbers with commas. Without the key they are those of the class of the
 * configuration, and where it is null those of the class of layers. */
static ss_status read_experts(const ss_lay *p, char *marks, ss_error *error)
{
  const bool third = p->config->model == SS_CONFIG_step3_text;
  const int64_t first = third ? 4 : 3, last = third ? 59 : 44;
  static const char key[] = "moe_layers_enum";
  const json_t *given = json_object_get(p->config->root, key);
  if (given == NULL || json_is_null(given)) {
    for (int64_t i = 0; i < p->layers; ++i) marks[i] = "01"[given == NULL ? i >= first && i <= last : i >= 1];
    return SS_OK;
  }
  json_t *text = json_is_string(given) ? json_sprintf("[%s]", json_string_value(given)) : NULL;
  json_t *list = text != NULL ? json_loads(json_string_value(text), 0, NULL) : NULL;
  const ss_status status = ss_lay_read_list(p, key, list != NULL ? list : given, 0, marks, error);
  json_decref(list);
  json_decref(text);
  return status;
}

/* What layers with a window have of their own, as an object says it: other heads. */
static ss_status add_other_heads(ss_lay *p, int64_t window, ss_error *error)
{
  static const char object[] = "attention_other_setting";
  const ss_workload *w = p->config->import->workload;
  const json_t *other = json_object_get(p->config->root, object);
  const json_int_t heads = json_integer_value(json_object_get(other, "num_attention_heads"));
  const json_int_t kv_heads = json_integer_value(json_object_get(other, "num_attention_groups"));
  char own[SS_KIND_SIZE - 24], dense[SS_KIND_SIZE];
  if (ss_lay_has(p, object) && (heads < 1 || heads > SS_LAY_MOST || kv_heads < 1 || kv_heads > heads))
    return ss_config_refuse(p->config, object, other, error, "has no num_attention_heads and num_attention_groups");
  const int most = (int)(heads > 0 ? heads : w->model.heads), keys = (int)(heads > 0 ? kv_heads : w->model.kv_heads);
  (void)snprintf(own, sizeof own, "heads=%d kv-heads=%d", most, keys);
  (void)snprintf(dense, sizeof dense, "%s feed-forward=mlp", own);
  ss_kinds_add(&p->kinds, 'w', "window", window, own);
  ss_kinds_add(&p->kinds, 'v', "window", window, dense);
  return SS_OK;
}

/* Step 3: queries of low rank, which is the size of a head where it is null or 0, and experts in layers of a list. */
static ss_status lay_out_factors(ss_lay *p, ss_error *error)
{
  static const char rank[] = "share_q_dim", experts[] = "moe_layers_enum";
  ss_import *import = p->config->import;
  char letters[SS_LAY_MOST + 1] = "";
  if (import->workload->model.q_rank == 0)
    ss_import_set(import, SS_AT_model_q_rank, import->workload->model.head_size, ss_config_line(p->config, rank));
  const ss_status status = read_experts(p, letters, error);
  if (status != SS_OK) return status;
  letters[p->layers] = '\0';
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < p->layers; ++i) letters[i] = "df"[letters[i] == '1'];
  return ss_lay_set(p, letters, experts, error);
}

/* Words of LongCat-Flash that stand for what it is known to have. */
static ss_status check_word(const ss_lay *p, const char *key, const char *known, ss_error *error)
{
  const json_t *value = json_object_get(p->config->root, key);
  const char *word = json_string_value(value);
  if (!ss_lay_has(p, key) || (word != NULL && strcmp(word, known) == 0)) return SS_OK;
  return ss_config_refuse(p->config, key, value, error, "is not known; allowed: %s", known);
}

/* LongCat-Flash: a layer of the file is attention, an MLP with experts beside it, which read the same norm, attention
 * and an MLP: two layers here, the first of which has the MLP as shared experts (LongcatFlashDecoderLayer of
 * transformers, models/longcat_flash/modeling_longcat_flash.py). */
static ss_status lay_out_shortcuts(ss_lay *p, ss_error *error)
{
  static const char width[] = "ffn_hidden_size";
  ss_import *import = p->config->import;
  const ss_workload *w = import->workload;
  char letters[SS_LAY_MOST + 1] = "";
  ss_status status = check_word(p, "zero_expert_type", "identity", error);
  if (status == SS_OK) status = check_word(p, "attention_method", "MLA", error);
  if (status != SS_OK) return status;
  if (w->model.expert_ffn < 1 || w->model.ffn < 1 || w->model.ffn % w->model.expert_ffn != 0 || w->model.experts < 1)
    return ss_config_refuse(p->config, width, json_object_get(p->config->root, width), error,
                            "is no multiple of expert_ffn_hidden_size, or there is no n_routed_experts; allowed: 1, 2, "
                            "3, ... of it, beside experts");
  if (2 * p->layers > SS_LAY_MOST)
    return ss_config_refuse(p->config, "num_layers", json_object_get(p->config->root, "num_layers"), error,
                            "is above %d, half of what model.layers may be", SS_LAY_MOST / 2);
  ss_import_set(import, SS_AT_model_layers, 2 * p->layers, ss_config_line(p->config, "num_layers"));
  ss_import_set(import, SS_AT_model_shared_experts, w->model.ffn / w->model.expert_ffn,
                ss_config_line(p->config, width));
  ss_kinds_add(&p->kinds, 'e', "", 0, "");
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < 2 * p->layers; ++i) letters[i] = "ed"[i % 2];
  status = ss_lay_set(p, letters, "num_layers", error);
  if (status != SS_OK) return status;
  return ss_import_note(import, SS_NOTE_LEFT_OUT,
                        "that results of experts are added one layer later, which their exchange may run beside, and "
                        "modules that predict a token further: model.mtp-modules has them",
                        error);
}

/* Step 3.5: layers with a window, which have other heads, and with experts, by lists; those of modules that predict a
 * token further are behind those of the model. */
static ss_status lay_out_steps(ss_lay *p, ss_error *error)
{
  static const char types[] = "layer_types";
  static const char names[2][2] = {{'d', 'f'}, {'v', 'w'}}; /* whether with a window, and with experts */
  static const ss_lay_word known[] = {{"full_attention", 'f'}, {"sliding_attention", 'w'}};
  static const ss_lay_words allowed = {known, sizeof known / sizeof known[0], "full_attention, sliding_attention"};
  const json_t *list = json_object_get(p->config->root, types);
  char letters[SS_LAY_MOST + 1] = "", experts[SS_LAY_MOST + 1] = "";
  int64_t window;
  const ss_lay behind = {.config = p->config, .layers = (int64_t)json_array_size(list)};
  const bool modules = behind.layers > p->layers && behind.layers <= SS_LAY_MOST;
  ss_status status =
      ss_config_count(p->config, "sliding_window", (ss_config_range){1, SS_LAY_MOST_TOKENS, 512}, &window, error);
  if (status == SS_OK) status = ss_lay_read_words(modules ? &behind : p, types, allowed, letters, error);
  if (status == SS_OK) status = read_experts(modules ? &behind : p, experts, error);
  if (status == SS_OK) status = add_other_heads(p, window, error);
  if (status != SS_OK) return status;
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; letters[i] != '\0'; ++i) letters[i] = names[letters[i] == 'w'][experts[i] == '1'];
  p->kinds.of_modules = (char)(p->config->import->workload->model.mtp_modules > 0 ? letters[p->layers] : '\0');
  letters[p->layers] = '\0';
  return ss_lay_set(p, letters, types, error);
}

/* Numbers of tokens of all layers, and of modules behind them. */
static ss_status read_ratios(const ss_lay *p, const char *key, char *letters, ss_error *error)
{
  const json_t *list = json_object_get(p->config->root, key);
  const int64_t count = (int64_t)json_array_size(list), modules = p->config->import->workload->model.mtp_modules;
  if (count != p->layers && count != p->layers + modules)
    return ss_config_refuse(p->config, key, list, error, "is not a list of %" PRId64 " numbers, or of %" PRId64,
                            p->layers, p->layers + modules);
  for (int64_t i = 0; i < count; ++i) {
    const json_t *ratio = json_array_get(list, (size_t)i);
    letters[i] = json_is_integer(ratio) ? ss_compressed_letter(json_integer_value(ratio)) : '\0';
    if (letters[i] == '\0') return ss_config_refuse(p->config, key, ratio, error, "is none of 0, 4 and 128");
  }
  return SS_OK;
}

/* DeepSeek-V4: tokens of one compressed token, layer by layer, or words for them, for which compress_rates has the
 * usual numbers. Modules behind all layers are within the window, unless the list says otherwise. */
static ss_status lay_out_compressed(ss_lay *p, ss_error *error)
{
  static const char ratios[] = "compress_ratios", types[] = "layer_types", rates[] = "compress_rates";
  static const ss_lay_word known[] = {
      {"sliding_attention", 'w'}, {"compressed_sparse_attention", 'c'}, {"heavily_compressed_attention", 'h'}};
  static const ss_lay_words allowed = {known, sizeof known / sizeof known[0],
                                       "sliding_attention, compressed_sparse_attention, heavily_compressed_attention"};
  const json_t *object = json_object_get(p->config->root, rates);
  char letters[SS_LAY_MOST + 1] = "";
  const bool listed = ss_lay_has(p, ratios);
  for (size_t i = 1; i < allowed.count; ++i) {
    const json_t *rate = json_object_get(object, known[i].text);
    if (rate != NULL && json_integer_value(rate) != ss_compressed_tokens(known[i].letter))
      return ss_config_refuse(p->config, rates, object, error, "has another %s than %" PRId64, known[i].text,
                              ss_compressed_tokens(known[i].letter));
  }
  const ss_status status =
      listed ? read_ratios(p, ratios, letters, error) : ss_lay_read_words(p, types, allowed, letters, error);
  if (status != SS_OK) return status;
  const bool modules = p->config->import->workload->model.mtp_modules > 0;
  if (modules) p->kinds.of_modules = letters[p->layers];
  if (modules && p->kinds.of_modules == '\0') p->kinds.of_modules = 'w';
  letters[p->layers] = '\0';
  ss_compressed_add_kinds(&p->kinds);
  return ss_lay_set(p, letters, listed ? ratios : types, error);
}

ss_status ss_config_lay_out(const ss_config *config, ss_error *error)
{
  static const struct {
    ss_config_models models;
    ss_status (*lay_out)(ss_lay *, ss_error *);
  } rows[] = {
      {SS_OF(llama4_text), lay_out_chunks},
      {SS_OF(nemotron_h), ss_lay_out_hybrid},
      {SS_OF(qwen3_next) | SS_OF(qwen3_5_text) | SS_OF(qwen3_5_moe_text), ss_lay_out_linear},
      {SS_OF(olmo_hybrid), ss_lay_out_olmo},
      {SS_OF(granitemoehybrid), ss_lay_out_states},
      {SS_OF(bamba), ss_lay_out_listed},
      {SS_OF(falcon_h1), ss_lay_state_heads},
      {SS_OF(jamba), ss_lay_out_periods},
      {SS_OF(lfm2) | SS_OF(lfm2_moe), ss_lay_out_convolutions},
      {SS_OF(kimi_linear), ss_lay_out_delta},
      {SS_OF(glm_moe_dsa), lay_out_choices},
      {SS_OF(deepseek_v4), lay_out_compressed},
      {SS_OF(mimo_v2_flash), lay_out_marks},
      {SS_OF(step3p5), lay_out_steps},
      {SS_OF(step3_text), lay_out_factors},
      {SS_OF(longcat_flash), lay_out_shortcuts},
      {SS_OF(gemma4_text), lay_out_heads},
      {SS_OF(minimax) | SS_OF(minimax_m1), ss_lay_out_lightning},
      {SS_OF(falcon), ss_lay_out_falcon},
      {SS_OF(mpt), ss_lay_out_mpt},
      {SS_OF(gpt_bigcode), ss_lay_out_bigcode},
      {SS_OF(gpt_neo), ss_lay_out_neo},
      {SS_OF(mamba) | SS_OF(mamba2) | SS_OF(falcon_mamba), ss_lay_out_pure},
  };
  ss_lay p = {.config = config, .layers = config->import->workload->model.layers};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (ss_config_is_of(config, rows[i].models)) return rows[i].lay_out(&p, error);
  return lay_out_windows(&p, error);
}
