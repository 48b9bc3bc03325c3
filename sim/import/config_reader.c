#include "sim/import/config_reader.h"

#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/origin.h"
#include "sim/import/config_keys.h"
#include "sim/import/layers.h"

static const char *const words[] = {
#define MODEL_WORD(name) #name,
    SS_CONFIG_MODEL_LIST(MODEL_WORD)
#undef MODEL_WORD
        NULL};

/* Python writes numbers that JSON does not have. None of them is of interest; 0 stands in their place. */
static void blank_words(char *text)
{
  static const char *const names[] = {"-Infinity", "Infinity", "NaN"};
  bool quoted = false;
  for (char *at = text; *at != '\0'; ++at) {
    if (quoted && *at == '\\' && at[1] != '\0')
      ++at;
    else if (*at == '"')
      quoted = !quoted;
    for (size_t i = 0; !quoted && i < sizeof names / sizeof names[0]; ++i) {
      const size_t length = strlen(names[i]);
      if (strncmp(at, names[i], length) != 0) continue;
      memset(at, ' ', length);
      *at = '0';
    }
  }
}

static json_t *parse(const ss_source *source, ss_error *error)
{
  json_error_t problem;
  blank_words(source->text);
  json_t *root = json_loadb(source->text, source->size, JSON_REJECT_DUPLICATES, &problem);
  if (root == NULL)
    (void)ss_error_set(error, SS_ERROR_INPUT, source->path, problem.line > 0 ? problem.line : 0, "is not JSON: %s",
                       problem.text);
  return root;
}

static ss_status find_model(ss_config *config, ss_error *error)
{
  const json_t *value = json_object_get(config->root, "model_type");
  const char *word = json_string_value(value);
  if (!json_is_object(config->root))
    return ss_error_set(error, SS_ERROR_INPUT, config->source->path, 0, "is not an object; allowed: a config.json");
  int model = 0;
  while (word != NULL && words[model] != NULL && strcmp(words[model], word) != 0) ++model;
  config->model = (ss_config_model)model;
  config->word = words[model];
  if (word != NULL && model < SS_CONFIG_MODELS) return SS_OK;
#define MODEL_NAME(name) " " #name
  return ss_config_refuse(config, "model_type", value, error, "is %s%s; allowed:" SS_CONFIG_MODEL_LIST(MODEL_NAME),
                          word == NULL ? "missing" : "unknown", word != NULL ? ss_hint_of(word, words).text : "");
#undef MODEL_NAME
}

static bool is_of(unsigned models, const ss_config *config)
{
  return (models & (1u << config->model)) != 0;
}

static void apply_presets(const ss_config *config)
{
  const int line = ss_config_line(config, "model_type");
  (void)snprintf(config->import->workload->model.name, SS_TEXT_SIZE, "%s", config->word);
  config->import->workload->line[SS_AT_model_name] = line;
  for (const ss_config_preset *row = ss_config_presets; row->models != 0; ++row)
    if (is_of(row->models, config)) ss_import_set(config->import, row->attribute, row->value, line);
}

static const ss_config_key *find_key(const ss_config *config, const char *key)
{
  for (const ss_config_key *row = ss_config_keys; row->key != NULL; ++row)
    if (is_of(row->models, config) && strcmp(row->key, key) == 0) return row;
  return NULL;
}

static ss_status take_keys(const ss_config *config, ss_error *error)
{
  const char *key;
  json_t *value;
  ss_status status = SS_OK;
  json_object_foreach((json_t *)config->root, key, value)
  {
    const ss_config_key *row = find_key(config, key);
    if (row != NULL)
      status = row->take(config, row, value, error);
    else if (ss_config_is_off(value))
      status = ss_import_note(config->import, SS_NOTE_OFF, key, error);
    if (status != SS_OK) return status;
  }
  return status;
}

/* Refuses all keys at once that have no row and may matter. */
static ss_status check_known(const ss_config *config, ss_error *error)
{
  char names[SS_MESSAGE_SIZE / 2] = "";
  size_t used = 0;
  const char *key, *first = NULL;
  json_t *value;
  json_object_foreach((json_t *)config->root, key, value)
  {
    if (find_key(config, key) != NULL || ss_config_is_off(value) || used >= sizeof names) continue;
    if (first == NULL) first = key;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", key);
  }
  if (first == NULL) return SS_OK;
  for (char *at = names; *at != '\0'; ++at)
    if ((unsigned char)*at < ' ') *at = '?';
  return ss_error_set(
      error, SS_ERROR_INPUT, config->source->path, ss_config_line(config, first),
      "not known of %s, and may matter: %s; allowed: the file without those that have no influence on time",
      config->word, names);
}

/* Refuses a file without what a model cannot do without. */
static ss_status check_given(const ss_config *config, ss_error *error)
{
  static const ss_attribute_index needed[] = {SS_AT_model_layers, SS_AT_model_hidden, SS_AT_model_heads,
                                              SS_AT_model_vocabulary};
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
    if (config->import->workload->line[needed[i]] != SS_LINE_DEFAULT) continue;
    const ss_config_key *row = ss_config_keys;
    while (row->attribute != needed[i] || !is_of(row->models, config)) ++row;
    return ss_error_set(error, SS_ERROR_INPUT, config->source->path, 0, "has no %s, which %s needs", row->key,
                        config->word);
  }
  return SS_OK;
}

ss_status ss_config_read(ss_import *import, const ss_source *source, ss_error *error)
{
  json_t *root = parse(source, error);
  if (root == NULL) return SS_ERROR_INPUT;
  ss_config config = {.import = import, .source = source, .root = root};
  ss_status status = find_model(&config, error);
  if (status == SS_OK) status = check_known(&config, error);
  if (status == SS_OK) apply_presets(&config);
  if (status == SS_OK) status = take_keys(&config, error);
  if (status == SS_OK) status = check_given(&config, error);
  if (status == SS_OK) status = ss_config_lay_out(&config, error);
  json_decref(root);
  return status;
}
