#include "sim/import/models/takes.h"

#include <stdio.h>
#include <string.h>

/* The functions have one type for all rows. */
#define UNUSED(parameter) (void)(parameter)

static ss_status refuse_range(const ss_config *config, const ss_config_key *row, const json_t *value, ss_error *error)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  return ss_config_refuse(config, row->key, value, error, "is not a whole number from %.15g to %.15g",
                          attribute->minimum, attribute->maximum);
}

SS_CONFIG_TAKE(ss_take_count)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  if (json_is_null(value)) return SS_OK;
  const double number = (double)json_integer_value(value);
  if (!json_is_integer(value) || number < attribute->minimum || number > attribute->maximum)
    return refuse_range(config, row, value, error);
  ss_import_set(config->import, row->attribute, json_integer_value(value), ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_or_default)
{
  if (json_is_null(value)) ss_import_unset(config->import, row->attribute);
  return ss_take_count(config, row, value, error);
}

SS_CONFIG_TAKE(ss_take_flag)
{
  if (json_is_null(value)) return SS_OK;
  if (!json_is_boolean(value)) return ss_config_refuse(config, row->key, value, error, "is not true or false");
  ss_import_set(config->import, row->attribute, json_is_true(value) ? row->number : 0,
                ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_number)
{
  if (!json_is_null(value) && !json_is_number(value))
    return ss_config_refuse(config, row->key, value, error, "is not a number or null");
  const bool earlier = config->import->workload->line[row->attribute] > 0;
  if (ss_config_is_off(value) && earlier) return SS_OK; /* another key may have said yes */
  ss_import_set(config->import, row->attribute, ss_config_is_off(value) ? 0 : row->number,
                ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_share)
{
  const double share = json_number_value(value);
  if (json_is_number(value) && (share < 0.0 || share > 1.0))
    return ss_config_refuse(config, row->key, value, error, "is no share; allowed: 0 to 1");
  return ss_take_number(config, row, value, error);
}

/* Gated and plain activations are element-wise: which one it is takes no other time. */
SS_CONFIG_TAKE(ss_take_activation)
{
  static const char *const words[][6] = {
      [SS_MLP_GELU] = {"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "relu", NULL},
      [SS_MLP_SWIGLU] = {"silu", "swish", "gelu", "gelu_pytorch_tanh", NULL},
      [SS_MLP_RELU2] = {"relu2", "xielu", NULL},
  };
  const ss_mlp mlp = config->import->workload->model.mlp;
  const char *word = json_string_value(value);
  if (json_is_null(value)) return SS_OK;
  for (int i = 0; word != NULL && words[mlp][i] != NULL; ++i)
    if (strcmp(words[mlp][i], word) == 0) return SS_OK;
  return ss_config_refuse(
      config, row->key, value, error, "is not an activation of %s that is known; allowed: %s", config->word,
      mlp == SS_MLP_RELU2 ? "relu2, xielu" : "gelu, relu where it is not gated, and silu where it is");
}

static void limit_sequence(const ss_config *config, int64_t tokens)
{
  int64_t *sequence = &config->import->workload->model.sequence;
  if (tokens < *sequence) *sequence = tokens;
}

SS_CONFIG_TAKE(ss_take_sequence)
{
  if (json_is_null(value)) return SS_OK;
  if (!json_is_integer(value) || json_integer_value(value) < 1) return refuse_range(config, row, value, error);
  limit_sequence(config, json_integer_value(value));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_positions)
{
  const int64_t number = json_integer_value(value), more = row->number > 0 ? row->number : 0;
  const int64_t fewer = row->number < 0 ? -row->number : 0;
  const double most = ss_workload_attributes()[row->attribute].maximum;
  if (json_is_null(value)) return SS_OK;
  if (!json_is_integer(value) || number <= fewer || (double)(number + more) > most)
    return ss_config_refuse(config, row->key, value, error, "is not a whole number from %lld to %lld",
                            (long long)fewer + 1, (long long)most - (long long)more);
  ss_import_set(config->import, row->attribute, number + more, ss_config_line(config, row->key));
  limit_sequence(config, number - fewer);
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_times)
{
  const json_int_t times = json_integer_value(value);
  const json_int_t of = json_integer_value(json_object_get(config->root, row->text));
  const double most = ss_workload_attributes()[row->attribute].maximum;
  if (json_is_null(value)) return SS_OK;
  if (!json_is_integer(value) || times < 1 || (double)times * (double)of > most)
    return ss_config_refuse(config, row->key, value, error, "times %s is not a whole number up to %.15g", row->text,
                            most);
  if (of > 0) ss_import_set(config->import, row->attribute, times * of, ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_half)
{
  const json_int_t number = json_integer_value(value);
  if (json_is_null(value)) return SS_OK;
  if (!json_is_integer(value) || number < 2 || number % 2 != 0 ||
      (double)number > ss_workload_attributes()[row->attribute].maximum)
    return ss_config_refuse(config, row->key, value, error, "is twice the width of its class; allowed: an even number");
  ss_import_set(config->import, row->attribute, number / 2, ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_true)
{
  if (json_is_null(value) || json_is_true(value)) return SS_OK;
  return ss_config_refuse(config, row->key, value, error, "%s; allowed: true", row->text);
}

SS_CONFIG_TAKE(ss_take_inside)
{
  if (json_is_null(value) || json_is_object(value)) return SS_OK;
  return ss_config_refuse(config, row->key, value, error, "is no object");
}

SS_CONFIG_TAKE(ss_take_word)
{
  const char *word = json_string_value(value);
  if (json_is_null(value) || (word != NULL && strcmp(word, row->text) == 0)) return SS_OK;
  return ss_config_refuse(config, row->key, value, error, "is not known of %s; allowed: %s", config->word, row->text);
}

SS_CONFIG_TAKE(ss_take_name)
{
  const char *path = json_string_value(value);
  char *name = config->import->workload->model.name;
  if (path == NULL || path[0] == '\0') return SS_OK;
  const char *slash = strrchr(path, '/');
  if (slash != NULL && slash[1] != '\0') path = slash + 1;
  if (strlen(path) >= SS_TEXT_SIZE)
    return ss_config_refuse(config, row->key, value, error, "is longer than %d bytes", SS_TEXT_SIZE - 1);
  memcpy(name, path, strlen(path) + 1);
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_only)
{
  const bool is = json_is_null(value) || (row->number == 0 && ss_config_is_off(value)) ||
                  (json_is_integer(value) && json_integer_value(value) == row->number) ||
                  (json_is_array(value) && json_array_size(value) == (size_t)row->number);
  if (is) return SS_OK;
  return ss_config_refuse(config, row->key, value, error, "%s; allowed: %lld", row->text, (long long)row->number);
}

SS_CONFIG_TAKE(ss_take_same)
{
  const json_t *other = json_object_get(config->root, row->text);
  if (!json_is_integer(other) || (json_is_integer(value) && json_integer_value(value) == json_integer_value(other)))
    return SS_OK;
  return ss_config_refuse(config, row->key, value, error, "differs from %s; allowed: the same", row->text);
}

SS_CONFIG_TAKE(ss_take_shared)
{
  const json_int_t each = json_integer_value(json_object_get(config->root, row->text));
  const json_int_t all = json_integer_value(value);
  if (json_is_null(value) || (json_is_integer(value) && all == 0)) return SS_OK;
  if (each < 1 || all < each || all % each != 0)
    return ss_config_refuse(config, row->key, value, error, "is no multiple of %s; allowed: 1, 2, 3, ... of it",
                            row->text);
  ss_import_set(config->import, row->attribute, all / each, ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_unlike)
{
  const bool same = json_equal(value, json_object_get(config->root, row->text)) != 0;
  return same ? SS_OK : ss_take_count(config, row, value, error);
}

SS_CONFIG_TAKE(ss_take_with)
{
  const bool off = ss_config_is_off(json_object_get(config->root, row->text));
  return off ? SS_OK : ss_take_count(config, row, value, error);
}

SS_CONFIG_TAKE(ss_take_uniform)
{
  const json_t *first = json_array_get(value, 0);
  for (size_t i = 1; i < json_array_size(value); ++i)
    if (json_equal(first, json_array_get(value, i)) == 0)
      return ss_config_refuse(config, row->key, value, error, "differs between layers; allowed: the same for all");
  return ss_take_count(config, row, first != NULL ? first : value, error);
}

SS_CONFIG_TAKE(ss_take_ones)
{
  for (size_t i = 0; i < json_array_size(value); ++i)
    if (json_integer_value(json_array_get(value, i)) != 1)
      return ss_config_refuse(config, row->key, value, error, "has layers of another attention; allowed: 1 for all");
  return ss_take_idle(config, row, value, error);
}

SS_CONFIG_TAKE(ss_take_attend)
{
  for (size_t i = 0; i < json_array_size(value); ++i) {
    const char *word = json_string_value(json_array_get(value, i));
    if (word == NULL || (strcmp(word, "full_attention") != 0 && strcmp(word, row->text) != 0))
      return ss_config_refuse(config, row->key, json_array_get(value, i), error,
                              "is not known of %s; allowed: full_attention, %s", config->word, row->text);
  }
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_last)
{
  const json_int_t layers = json_integer_value(json_object_get(config->root, row->text));
  const json_int_t last = json_integer_value(value);
  if (json_is_null(value) || last == -1 || last >= layers - 1) return SS_OK;
  return ss_config_refuse(config, row->key, value, error, "leaves layers behind it; allowed: -1, or the last one");
}

SS_CONFIG_TAKE(ss_take_dense_first)
{
  static const char *const words[] = {"dense", "sparse"};
  size_t dense = 0;
  for (size_t i = 0, sparse = 0; i < json_array_size(value); ++i) {
    const char *word = json_string_value(json_array_get(value, i));
    sparse += word != NULL && strcmp(word, words[1]) == 0;
    if (word == NULL || strcmp(word, words[sparse > 0]) != 0)
      return ss_config_refuse(config, row->key, value, error, "is not dense for some layers, and sparse behind them");
    dense += sparse == 0;
  }
  if (json_is_array(value))
    ss_import_set(config->import, SS_AT_model_dense_layers, (int64_t)dense, ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_shared_or_ffn)
{
  if (!ss_config_is_off(json_object_get(config->root, "num_local_experts")))
    return ss_take_shared(config, row, value, error);
  ss_config_key ffn = *row;
  ffn.attribute = SS_AT_model_ffn;
  return ss_take_count(config, &ffn, value, error);
}

SS_CONFIG_TAKE(ss_take_idle)
{
  UNUSED(value);
  return ss_import_note(config->import, SS_NOTE_IDLE, row->key, error);
}

SS_CONFIG_TAKE(ss_take_elsewhere)
{
  UNUSED(config), UNUSED(row), UNUSED(value), UNUSED(error);
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_left_out)
{
  if (ss_config_is_off(value)) return ss_take_idle(config, row, value, error);
  char text[SS_TEXT_SIZE];
  (void)snprintf(text, sizeof text, "%s (%s)", row->text, row->key);
  return ss_import_note(config->import, SS_NOTE_LEFT_OUT, text, error);
}

/* Newer files have a word for each layer, and no number of them. */
SS_CONFIG_TAKE(ss_take_listed)
{
  UNUSED(error);
  const json_t *layers = json_object_get(config->root, "num_hidden_layers");
  if (json_array_size(value) > 0 && (layers == NULL || json_is_null(layers)))
    ss_import_set(config->import, SS_AT_model_layers, (int64_t)json_array_size(value),
                  ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_router_type)
{
  const char *word = json_string_value(value);
  const bool is_whole = word != NULL && (strcmp(word, "fp32") == 0 || strcmp(word, "float32") == 0);
  UNUSED(error);
  if (is_whole && config->import->workload->model.experts > 0)
    ss_import_set(config->import, SS_AT_training_router_type, SS_ROUTER_FP32, ss_config_line(config, row->key));
  return SS_OK;
}

SS_CONFIG_TAKE(ss_take_sides)
{
  const char *word = json_string_value(value);
  if (ss_config_is_off(value) || (word != NULL && strcmp(word, "vision") == 0))
    return ss_take_left_out(config, row, value, error);
  return ss_config_refuse(config, row->key, value, error,
                          "is not known, or all tokens attend to both sides; allowed: vision, null");
}

SS_CONFIG_TAKE(ss_take_grouped)
{
  const json_t *chosen = json_object_get(config->root, row->text);
  return chosen == NULL || json_equal(value, chosen) != 0 ? ss_take_idle(config, row, value, error) : SS_OK;
}

SS_CONFIG_TAKE(ss_take_groups)
{
  const ss_config_key groups = {.key = row->text, .take = ss_take_count, .attribute = SS_AT_model_router_groups};
  const json_t *of = json_object_get(config->root, groups.key);
  if (of == NULL || json_equal(value, of) != 0) return ss_take_idle(config, row, value, error);
  const ss_status status = ss_take_count(config, &groups, of, error);
  return status == SS_OK ? ss_take_count(config, row, value, error) : status;
}
