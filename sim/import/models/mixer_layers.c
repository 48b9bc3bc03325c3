#include "sim/import/models/mixer_layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/base/number.h"
#include "model/input/origin.h"
#include "sim/import/models/hybrid_letters.h"

/* Layers of modules that predict a token further, as letters or as words. */
static ss_status read_modules(const ss_lay *p, ss_lay_words known, char letters[SS_KIND_SIZE], ss_error *error)
{
  static const char pattern[] = "mtp_hybrid_override_pattern", blocks[] = "mtp_layers_block_type";
  const json_t *list = json_object_get(p->config->root, blocks), *value = json_object_get(p->config->root, pattern);
  const char *text = ss_lay_has(p, pattern) ? json_string_value(value) : "";
  if (text == NULL || strspn(text, "M-*E") != strlen(text))
    return ss_config_refuse(p->config, pattern, value, error, "is no text of letters; allowed: M, -, * and E");
  if (ss_lay_has(p, blocks) && !json_is_array(list))
    return ss_config_refuse(p->config, blocks, list, error, "is no list of words; allowed: %s", known.allowed);
  (void)snprintf(letters, SS_KIND_SIZE, "%s", text);
  for (size_t i = 0; i < json_array_size(list) && i + 1 < SS_KIND_SIZE; ++i) {
    letters[i] = ss_lay_letter(known, json_array_get(list, i));
    if (letters[i] == '\0') return ss_lay_refuse_word(p, blocks, known, json_array_get(list, i), error);
    letters[i + 1] = '\0';
  }
  return SS_OK;
}

static ss_status lay_modules(ss_lay *p, ss_lay_words known, const char *mixer, ss_error *error)
{
  ss_workload *w = p->config->import->workload;
  char letters[SS_KIND_SIZE] = "";
  const ss_status status = read_modules(p, known, letters, error);
  if (status != SS_OK || letters[0] == '\0' || w->model.mtp_modules == 0) return status;
  if (ss_hybrid_add_module(&p->kinds, letters, mixer, w->model.experts > 0)) return SS_OK;
  w->model.mtp_modules = 0;
  return ss_import_note(p->config->import, SS_NOTE_LEFT_OUT, SS_HYBRID_MODULES_LEFT_OUT, error);
}

ss_status ss_lay_out_hybrid(ss_lay *p, ss_error *error)
{
  static const char blocks[] = "layers_block_type", pattern[] = "hybrid_override_pattern";
  static const ss_lay_word known[] = {{"mamba", 'M'}, {"mlp", '-'}, {"attention", '*'}, {"moe", 'E'}};
  static const ss_lay_words allowed = {known, sizeof known / sizeof known[0], "mamba, mlp, attention and moe"};
  static const char mamba[] = "mixer=mamba";
  const bool experts = p->config->import->workload->model.experts > 0;
  const bool listed = json_is_array(json_object_get(p->config->root, blocks));
  char letters[SS_LAY_MOST + 1] = "";
  ss_hybrid_add_kinds(&p->kinds, mamba, experts);
  ss_status status = listed ? ss_lay_read_words(p, blocks, allowed, letters, error)
                            : ss_lay_read_letters(p, pattern, "M-*E", "M, -, * and E", letters, error);
  if (status == SS_OK) status = lay_modules(p, allowed, mamba, error);
  return status == SS_OK ? ss_lay_set(p, letters, listed ? blocks : pattern, error) : status;
}

/* A gated delta rule, and attention in every so many layers, or as words say. */
static ss_status lay_linear(ss_lay *p, const char *key, int64_t every, bool last_attends, ss_error *error)
{
  char letters[SS_LAY_MOST + 1] = "";
  bool listed = false;
  ss_kinds_add(&p->kinds, 'l', "", 0, "mixer=linear");
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  const ss_status status = ss_lay_read_types(p, "linear_attention", 'l', letters, &listed, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !listed && i < p->layers; ++i) letters[i] = (char)((i + 1) % every == 0 ? 'f' : 'l');
  if (!listed && last_attends && p->layers < every) letters[p->layers - 1] = 'f';
  return ss_lay_set(p, letters, listed ? "layer_types" : key, error);
}

ss_status ss_lay_out_linear(ss_lay *p, ss_error *error)
{
  static const char key[] = "full_attention_interval";
  int64_t every;
  ss_status status = ss_config_count(p->config, key, (ss_config_range){1, SS_LAY_MOST, 4}, &every, error);
  if (status == SS_OK) status = lay_linear(p, key, every, false, error);
  if (status != SS_OK) return status;
  return ss_import_note(p->config->import, SS_NOTE_LEFT_OUT,
                        "the gate of shared experts, and modules that predict a token further: model.mtp-modules has "
                        "them",
                        error);
}

/* What a file leaves out. */
static void set_fallback(const ss_lay *p, ss_attribute_index at, int64_t value)
{
  ss_import *import = p->config->import;
  if (import->workload->line[at] == SS_LINE_DEFAULT)
    ss_import_set(import, at, value, ss_config_line(p->config, "num_attention_heads"));
}

ss_status ss_lay_out_olmo(ss_lay *p, ss_error *error)
{
  enum { EVERY = 4 };
  const ss_workload *w = p->config->import->workload;
  set_fallback(p, SS_AT_model_state_heads, w->model.heads);
  set_fallback(p, SS_AT_model_state_groups, w->model.heads);
  if (w->model.state_groups > 0)
    set_fallback(p, SS_AT_model_state_size, 3 * w->model.hidden / (4 * w->model.state_groups));
  set_fallback(p, SS_AT_model_state_head_size, 2 * w->model.state_size);
  return lay_linear(p, "num_hidden_layers", EVERY, true, error);
}

/* Whether a size follows from others. */
static bool is_auto(const json_t *value)
{
  return json_is_string(value) && strcmp(json_string_value(value), "auto") == 0;
}

/* Channels of Mamba-2, where the file does not say them: so many times the hidden size, or those of Falcon-H1. */
static ss_status read_channels(const ss_lay *p, int64_t *channels, ss_error *error)
{
  static const char given[] = "mamba_d_ssm";
  const bool falcon = p->config->model == SS_CONFIG_falcon_h1;
  const bool fixed = falcon && (ss_lay_has(p, given) || json_object_get(p->config->root, given) == NULL);
  int64_t times;
  if (fixed) return ss_config_count(p->config, given, (ss_config_range){1, SS_LAY_MOST_TOKENS, 1024}, channels, error);
  const ss_status status =
      ss_config_count(p->config, "mamba_expand", (ss_config_range){1, SS_LAY_MOST, 2}, &times, error);
  if (status == SS_OK) *channels = times * p->config->import->workload->model.hidden;
  return status;
}

ss_status ss_lay_state_heads(ss_lay *p, ss_error *error)
{
  static const char key[] = "mamba_d_head";
  const json_t *given = json_object_get(p->config->root, key);
  const bool follows = is_auto(given);
  const int64_t heads = p->config->import->workload->model.state_heads;
  int64_t channels, size;
  ss_status status = read_channels(p, &channels, error);
  if (status != SS_OK) return status;
  size = heads > 0 ? channels / heads : 0;
  if (!follows) status = ss_config_count(p->config, key, (ss_config_range){1, SS_LAY_MOST, size}, &size, error);
  if (status != SS_OK) return status;
  const char *at = given != NULL ? key : "mamba_n_heads";
  if (heads * size != channels)
    return ss_config_refuse(p->config, at, json_object_get(p->config->root, at), error,
                            "makes %" PRId64 " channels of %" PRId64 " heads; allowed: %" PRId64
                            " channels, as mamba_d_ssm or mamba_expand says",
                            heads * size, heads, channels);
  ss_import_set(p->config->import, SS_AT_model_state_head_size, size, ss_config_line(p->config, key));
  return SS_OK;
}

ss_status ss_lay_out_states(ss_lay *p, ss_error *error)
{
  char letters[SS_LAY_MOST + 1] = "";
  bool listed = false;
  ss_status status = ss_lay_state_heads(p, error);
  if (status == SS_OK) status = ss_lay_read_types(p, "mamba", 'l', letters, &listed, error);
  if (status != SS_OK) return status;
  if (!listed) memset(letters, 'l', (size_t)p->layers);
  return ss_lay_own(p, "mixer=mamba", letters, "layer_types", error);
}

ss_status ss_lay_out_listed(ss_lay *p, ss_error *error)
{
  static const char key[] = "attn_layer_indices";
  const json_t *attend = json_object_get(p->config->root, key);
  char letters[SS_LAY_MOST + 1] = "";
  ss_status status = ss_lay_state_heads(p, error);
  memset(letters, '0', (size_t)p->layers);
  if (status == SS_OK && ss_lay_has(p, key)) status = ss_lay_read_list(p, key, attend, 0, letters, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; i < p->layers; ++i) letters[i] = "lf"[letters[i] == '1'];
  return ss_lay_own(p, "mixer=mamba", letters, key, error);
}

/* A layer in so many, from the first one of these on. */
typedef struct period {
  int64_t every, first;
} period;

static ss_status read_period(const ss_lay *p, const char *every, const char *first, period fallback, period *of,
                             ss_error *error)
{
  ss_status status =
      ss_config_count(p->config, every, (ss_config_range){1, SS_LAY_MOST, fallback.every}, &of->every, error);
  if (status == SS_OK)
    status = ss_config_count(p->config, first, (ss_config_range){0, SS_LAY_MOST, fallback.first}, &of->first, error);
  if (status != SS_OK || of->first < of->every) return status;
  const char *given = ss_lay_has(p, first) ? first : every;
  return ss_config_refuse(p->config, given, json_object_get(p->config->root, given), error,
                          "%s is %" PRId64 ", and %s %" PRId64 "; allowed: an offset below the period", first,
                          of->first, every, of->every);
}

ss_status ss_lay_set_channels(const ss_lay *p, const char *rank, const char *expand, ss_error *error)
{
  ss_import *import = p->config->import;
  const json_t *given = json_object_get(p->config->root, rank);
  const bool follows = is_auto(given);
  int64_t times, steps = 0;
  ss_status status = ss_config_count(p->config, expand, (ss_config_range){1, SS_LAY_MOST, 2}, &times, error);
  if (status == SS_OK && !follows)
    status = ss_config_count(p->config, rank, (ss_config_range){1, SS_LAY_MOST, 0}, &steps, error);
  if (status != SS_OK) return status;
  ss_import_set(import, SS_AT_model_state_heads, times * import->workload->model.hidden,
                ss_config_line(p->config, expand));
  ss_import_set(import, SS_AT_model_state_rank, steps, ss_config_line(p->config, rank));
  return SS_OK;
}

ss_status ss_lay_out_periods(ss_lay *p, ss_error *error)
{
  static const char names[2][2] = {{'m', 'e'}, {'d', 'f'}}; /* whether it attends, and with experts */
  char letters[SS_LAY_MOST + 1] = "";
  period attends, expert;
  const int64_t *experts = &p->config->import->workload->model.experts;
  ss_status status = ss_lay_set_channels(p, "mamba_dt_rank", "mamba_expand", error);
  if (status == SS_OK)
    status = read_period(p, "attn_layer_period", "attn_layer_offset", (period){8, 4}, &attends, error);
  if (status == SS_OK)
    status = read_period(p, "expert_layer_period", "expert_layer_offset", (period){2, 1}, &expert, error);
  if (status != SS_OK) return status;
  if (*experts == 1) ss_lay_no_experts(p);
  ss_kinds_add(&p->kinds, 'm', "", 0, "mixer=mamba-1 feed-forward=mlp");
  ss_kinds_add(&p->kinds, 'e', "", 0, "mixer=mamba-1");
  ss_kinds_add(&p->kinds, 'd', "", 0, "feed-forward=mlp");
  ss_kinds_add(&p->kinds, 'f', "", 0, "");
  for (int64_t i = 0; i < p->layers; ++i)
    letters[i] = names[i % attends.every == attends.first][*experts > 0 && i % expert.every == expert.first];
  return ss_lay_set(p, letters, "attn_layer_period", error);
}

/* Two thirds of what the file has, in whole blocks: Lfm2MLP of modeling_lfm2.py. */
static ss_status adjust_ffn(const ss_lay *p, ss_error *error)
{
  static const char adjust[] = "block_auto_adjust_ff_dim";
  const json_t *root = p->config->root;
  const json_t *factor = json_object_get(root, "block_ffn_dim_multiplier");
  int64_t *ffn = &p->config->import->workload->model.ffn, block;
  bool adjusts = false;
  if (p->config->model != SS_CONFIG_lfm2) return SS_OK;
  ss_status status = ss_config_flag(p->config, adjust, &adjusts, error);
  if (status != SS_OK || (json_object_get(root, adjust) != NULL && !adjusts)) return status;
  if (factor != NULL && !json_is_null(factor) && json_number_value(factor) != 1.0)
    return ss_config_refuse(p->config, "block_ffn_dim_multiplier", factor, error, "changes a size; allowed: 1");
  status =
      ss_config_count(p->config, "block_multiple_of", (ss_config_range){1, SS_LAY_MOST_TOKENS, 256}, &block, error);
  if (status == SS_OK) *ffn = ss_divide_up(2 * *ffn / 3, block) * block;
  return status;
}

ss_status ss_lay_out_convolutions(ss_lay *p, ss_error *error)
{
  static const char key[] = "full_attn_idxs";
  const json_t *attend = json_object_get(p->config->root, key);
  char letters[SS_LAY_MOST + 1] = "", marks[SS_LAY_MOST + 1];
  bool listed = false;
  ss_status status = adjust_ffn(p, error);
  if (status == SS_OK) status = ss_lay_read_types(p, "conv", 'l', letters, &listed, error);
  memset(marks, '1', (size_t)p->layers);
  if (status == SS_OK && !listed && ss_lay_has(p, key)) status = ss_lay_read_list(p, key, attend, 0, marks, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !listed && i < p->layers; ++i) letters[i] = "lf"[marks[i] == '1'];
  return ss_lay_own(p, "mixer=convolution", letters, listed ? "layer_types" : key, error);
}

/* A size of Kimi Delta Attention, which is inside of an object. */
static ss_status set_delta_size(const ss_lay *p, const char *key, ss_attribute_index to, ss_error *error)
{
  static const char object[] = "linear_attn_config";
  const json_t *value = json_object_get(json_object_get(p->config->root, object), key);
  const double number = (double)json_integer_value(value), most = ss_workload_attributes()[to].maximum;
  if (number < 1.0 || number > most)
    return ss_config_refuse(p->config, object, value, error, "has no %s, a whole number from 1 to %.15g", key, most);
  ss_import_set(p->config->import, to, json_integer_value(value), ss_config_line(p->config, object));
  return SS_OK;
}

ss_status ss_lay_out_delta(ss_lay *p, ss_error *error)
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
  char letters[SS_LAY_MOST + 1] = "";
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const ss_status status = set_delta_size(p, sizes[i].key, sizes[i].to, error);
    if (status != SS_OK) return status;
  }
  if (json_array_size(attend) == 0)
    return ss_config_refuse(p->config, object, attend, error, "has no full_attn_layers, a list of layers from 1 on");
  const ss_status status = ss_lay_read_list(p, object, attend, 1, letters, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; i < p->layers; ++i) letters[i] = "lf"[letters[i] == '1'];
  return ss_lay_own(p, "mixer=kda", letters, object, error);
}

ss_status ss_lay_out_lightning(ss_lay *p, ss_error *error)
{
  static const char listed[] = "attn_type_list";
  ss_import *import = p->config->import;
  const ss_workload *w = import->workload;
  const int64_t size =
      w->line[SS_AT_model_head_size] != SS_LINE_DEFAULT ? w->model.head_size : w->model.hidden / w->model.heads;
  const int line = ss_config_line(p->config, "num_attention_heads");
  char letters[SS_LAY_MOST + 1] = "";
  const bool marked = ss_lay_has(p, listed);
  bool typed = false;
  ss_import_set(import, SS_AT_model_state_heads, w->model.heads, line);
  ss_import_set(import, SS_AT_model_state_groups, w->model.heads, line);
  ss_import_set(import, SS_AT_model_state_head_size, size, line);
  ss_import_set(import, SS_AT_model_state_size, size, line);
  ss_status status = ss_lay_read_types(p, "linear_attention", 'l', letters, &typed, error);
  if (status == SS_OK && !typed && marked) status = ss_lay_read_marks(p, listed, "lf", letters, error);
  if (status != SS_OK) return status;
  for (int64_t i = 0; !typed && !marked && i < p->layers; ++i) letters[i] = "fl"[i % 2];
  return ss_lay_own(p, "mixer=lightning", letters, typed ? "layer_types" : listed, error);
}
