#include "sim/import/models/earlier_layers.h"

#include <inttypes.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/models/mixer_layers.h"

/* A flag that a class has by itself where the file does not say it. */
static ss_status read_flag(const ss_lay *p, const char *key, bool fallback, bool *is_true, ss_error *error)
{
  const ss_status status = ss_config_flag(p->config, key, is_true, error);
  if (status == SS_OK && !ss_lay_has(p, key)) *is_true = fallback;
  return status;
}

static void set(const ss_lay *p, ss_attribute_index index, int64_t value, const char *key)
{
  ss_import_set(p->config->import, index, value, ss_config_line(p->config, key));
}

/* One head of keys and values, so many, or as many as of queries (FalconAttention of modeling_falcon.py). */
static ss_status set_falcon_heads(const ss_lay *p, bool new_decoder, ss_error *error)
{
  static const char one[] = "multi_query", some[] = "num_kv_heads";
  const int64_t heads = p->config->import->workload->model.heads;
  bool shares;
  int64_t kv_heads;
  ss_status status = read_flag(p, one, true, &shares, error);
  if (status == SS_OK) status = ss_config_count(p->config, some, (ss_config_range){1, heads, heads}, &kv_heads, error);
  if (status != SS_OK) return status;
  if (!new_decoder) kv_heads = shares ? 1 : heads;
  set(p, SS_AT_model_kv_heads, kv_heads, new_decoder ? some : one);
  return SS_OK;
}

ss_status ss_lay_out_falcon(ss_lay *p, ss_error *error)
{
  static const char beside[] = "parallel_attn", newer[] = "new_decoder_architecture",
                    norms[] = "num_ln_in_parallel_attn";
  bool parallel, biased, distances, new_decoder;
  int64_t norm;
  ss_status status = read_flag(p, beside, true, &parallel, error);
  if (status == SS_OK) status = read_flag(p, newer, false, &new_decoder, error);
  if (status == SS_OK) status = read_flag(p, "bias", false, &biased, error);
  if (status == SS_OK) status = read_flag(p, "alibi", false, &distances, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, norms, (ss_config_range){1, 2, new_decoder ? 2 : 1}, &norm, error);
  if (status == SS_OK) status = set_falcon_heads(p, new_decoder, error);
  if (status != SS_OK) return status;
  if (parallel || new_decoder) set(p, SS_AT_model_parallel, SS_YES, new_decoder ? newer : beside);
  if (!biased) set(p, SS_AT_model_biases, SS_MODEL_BIASES_NO, "bias");
  if (!distances) set(p, SS_AT_model_rotary, SS_MODEL_ROTARY_YES, "alibi");
  if (norm == 1) return SS_OK;
  return ss_import_note(p->config->import, SS_NOTE_LEFT_OUT, "a norm of its own for each of the parallel parts", error);
}

/* Heads of keys and values, by a word. */
static ss_status set_mpt_heads(const ss_lay *p, ss_error *error)
{
  static const char type[] = "attn_config.attn_type";
  static const char *const words[] = {"multihead_attention", "multiquery_attention", "grouped_query_attention"};
  const json_t *value = json_object_get(json_object_get(p->config->root, "attn_config"), "attn_type");
  const char *word = json_string_value(value);
  size_t i = 0;
  if (value == NULL || json_is_null(value)) return SS_OK;
  while (i < sizeof words / sizeof words[0] && (word == NULL || strcmp(words[i], word) != 0)) ++i;
  if (i == sizeof words / sizeof words[0])
    return ss_config_refuse(p->config, type, value, error, "is unknown; allowed: %s, %s, %s", words[0], words[1],
                            words[2]);
  if (i == 1) set(p, SS_AT_model_kv_heads, 1, type);
  return SS_OK;
}

/* Without biases in the logits (ALiBi) and without rotary embedding positions are learned. */
ss_status ss_lay_out_mpt(ss_lay *p, ss_error *error)
{
  static const char learned[] = "learned_pos_emb", room[] = "max_seq_len", plain[] = "no_bias";
  const json_t *attention = json_object_get(p->config->root, "attn_config");
  const bool other =
      json_is_true(json_object_get(attention, "alibi")) || json_is_true(json_object_get(attention, "rope"));
  bool learns, unbiased;
  int64_t tokens;
  ss_status status = set_mpt_heads(p, error);
  if (status == SS_OK) status = read_flag(p, learned, true, &learns, error);
  if (status == SS_OK) status = read_flag(p, plain, true, &unbiased, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, room, (ss_config_range){1, SS_LAY_MOST_TOKENS / 10, 2048}, &tokens, error);
  if (status != SS_OK) return status;
  if (unbiased) set(p, SS_AT_model_biases, SS_MODEL_BIASES_NO, plain);
  if (learns && !other && json_is_object(attention)) set(p, SS_AT_model_positions, tokens, room);
  return SS_OK;
}

ss_status ss_lay_out_bigcode(ss_lay *p, ss_error *error)
{
  static const char one[] = "multi_query";
  bool shares;
  const ss_status status = read_flag(p, one, true, &shares, error);
  if (status == SS_OK && shares) set(p, SS_AT_model_kv_heads, 1, one);
  return status;
}

/* Lists of words, each with how often it is repeated: [[["global", "local"], 12]]. */
static ss_status repeat_types(const ss_lay *p, const char *key, ss_lay_words known, char *letters, ss_error *error)
{
  const json_t *types = json_object_get(p->config->root, key);
  int64_t count = 0;
  for (size_t i = 0; i < json_array_size(types); ++i) {
    const json_t *words = json_array_get(json_array_get(types, i), 0);
    const json_int_t times = json_integer_value(json_array_get(json_array_get(types, i), 1));
    for (json_int_t k = 0; k < times && count < p->layers; ++k)
      for (size_t j = 0; j < json_array_size(words) && count < p->layers; ++j) {
        letters[count] = ss_lay_letter(known, json_array_get(words, j));
        if (letters[count++] == '\0') return ss_lay_refuse_word(p, key, known, json_array_get(words, j), error);
      }
  }
  if (count == p->layers) return SS_OK;
  return ss_config_refuse(p->config, key, types, error, "is not [[WORDS, TIMES], ...] for %" PRId64 " layers",
                          p->layers);
}

/* Layers that attend to all tokens, and to a window. */
ss_status ss_lay_out_neo(ss_lay *p, ss_error *error)
{
  static const char listed[] = "attention_layers", types[] = "attention_types";
  static const ss_lay_word word[] = {{"global", 'f'}, {"local", 'w'}};
  static const ss_lay_words known = {word, sizeof word / sizeof word[0], "global, local"};
  char letters[SS_LAY_MOST + 1] = "";
  int64_t window;
  ss_status status =
      ss_config_count(p->config, "window_size", (ss_config_range){1, SS_LAY_MOST_TOKENS, 256}, &window, error);
  const bool lists = ss_lay_has(p, listed), repeats = !lists && ss_lay_has(p, types);
  if (status == SS_OK && lists) status = ss_lay_read_words(p, listed, known, letters, error);
  if (status == SS_OK && repeats) status = repeat_types(p, types, known, letters, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !lists && !repeats && i < p->layers; ++i) letters[i] = "fw"[i % 2];
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  ss_kinds_add(&p->kinds, 'w', "window", window, "");
  return ss_lay_set(p, letters, lists ? listed : types, error);
}

/* Channels that a file says go over those that follow from the hidden size (FalconMambaConfig). */
static ss_status set_channels(const ss_lay *p, ss_error *error)
{
  static const char said[] = "intermediate_size";
  int64_t channels;
  ss_status status = ss_lay_set_channels(p, "time_step_rank", "expand", error);
  if (status == SS_OK)
    status = ss_config_count(p->config, said, (ss_config_range){1, SS_LAY_MOST_TOKENS / 1000, 0}, &channels, error);
  if (status == SS_OK && channels > 0) set(p, SS_AT_model_state_heads, channels, said);
  return status;
}

/* No layer attends: heads, which a workload has to have, are those of the states. */
ss_status ss_lay_out_pure(ss_lay *p, ss_error *error)
{
  static const char heads[] = "num_heads";
  const ss_workload *w = p->config->import->workload;
  const ss_status status = p->config->model != SS_CONFIG_mamba2 ? set_channels(p, error) : SS_OK;
  if (status != SS_OK) return status;
  set(p, SS_AT_model_heads, w->model.state_heads, heads);
  set(p, SS_AT_model_head_size, w->model.state_head_size, heads);
  if (p->config->model != SS_CONFIG_mamba) return SS_OK;
  return ss_import_note(p->config->import, SS_NOTE_LEFT_OUT, "that steps, B and C have no norms, as Jamba's have",
                        error);
}
