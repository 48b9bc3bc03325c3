#include "sim/import/models/config_reader.h"

#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/origin.h"
#include "sim/import/files/unknown.h"
#include "sim/import/models/config_keys.h"
#include "sim/import/models/layers.h"
#include "sim/import/models/takes.h"

static const char *const words[] = {
#define MODEL_WORD(name) #name,
    SS_CONFIG_MODEL_LIST(MODEL_WORD)
#undef MODEL_WORD
        NULL};

#define ENCODED "has an encoder and a decoder, and a workload has one of them"

/* Models whose classes in transformers have what no part of a workload says. */
static const struct {
  const char *word, *why;
} unsaid[] = {
    {"t5", ENCODED},
    {"mt5", ENCODED},
    {"umt5", ENCODED},
    {"bart", ENCODED},
    {"mbart", ENCODED},
    {"whisper", ENCODED},
    {"arctic", "has experts beside attention and an MLP, which read what comes into the layer, which no part of a "
               "workload says"},
    {"recurrent_gemma", "has a gated linear recurrence (RG-LRU), which no part of a workload says"},
    {"rwkv", "mixes tokens by time decay (WKV), which no part of a workload says"},
    {"zamba2", "has layers that share weights of attention, with adapters of their own, which no part of a workload "
               "says"},
    {"gemma3n_text", "has four residual streams (AltUp) and a product of low rank beside each layer (LAuReL), which no "
                     "part of a workload says"},
    {"minimax_m3_vl",
     "attends to blocks of tokens that an index chooses, with keys and values of groups of heads (MiniMax Sparse "
     "Attention), which no part of a workload says"},
    {"nemotron-nas",
     "has layers that differ in the width of their MLPs, and of which some do not attend; model.kinds can say so, and "
     "files of its kind are not read"},
    {"minimax_m3",
     "attends to blocks of tokens that an index chooses, with keys and values of groups of heads (MiniMax "
     "Sparse Attention), which no part of a workload says"},
};

/* Why a model is refused that is known; NULL where it is not. */
static const char *why_not(const char *word)
{
  for (size_t i = 0; word != NULL && i < sizeof unsaid / sizeof unsaid[0]; ++i)
    if (strcmp(unsaid[i].word, word) == 0) return unsaid[i].why;
  return NULL;
}

/* The model of a word, with `end` behind it; SS_CONFIG_MODELS: there is none. */
static int model_of(const char *word, const char *end)
{
  int model = 0;
  const size_t length = strlen(word);
  while (words[model] != NULL && (strncmp(words[model], word, length) != 0 || strcmp(words[model] + length, end) != 0))
    ++model;
  return model;
}

/* A model with pictures whose text has no configuration of its own is that of its text, as its keys are. */
static ss_status find_model(ss_config *config, const json_t *around, ss_error *error)
{
  const json_t *own = json_object_get(config->root, "model_type");
  const json_t *other = json_object_get(around, "model_type");
  const json_t *value = own == NULL && why_not(json_string_value(other)) != NULL ? other : own;
  const char *word = json_string_value(value);
  int model = word != NULL ? model_of(word, "") : 0;
  config->is_whole = model == SS_CONFIG_MODELS && json_object_get(config->root, "vision_config") != NULL;
  if (config->is_whole) model = model_of(word, "_text");
  config->model = (ss_config_model)model;
  config->word = words[model];
  if (word != NULL && model < SS_CONFIG_MODELS) return SS_OK;
#define MODEL_NAME(name) " " #name
  if (value == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, config->source->path, 0,
                        "has no model_type; allowed:" SS_CONFIG_MODEL_LIST(MODEL_NAME));
  if (why_not(word) != NULL)
    return ss_config_refuse(config, "model_type", value, error, "%s; allowed:" SS_CONFIG_MODEL_LIST(MODEL_NAME),
                            why_not(word));
  return ss_config_refuse(config, "model_type", value, error, "is %s%s; allowed:" SS_CONFIG_MODEL_LIST(MODEL_NAME),
                          word == NULL ? "no text" : "unknown", word != NULL ? ss_hint_of(word, words).text : "");
#undef MODEL_NAME
}

static void apply_presets(const ss_config *config)
{
  const int line = ss_config_line(config, "model_type");
  (void)snprintf(config->import->workload->model.name, SS_TEXT_SIZE, "%s", config->word);
  config->import->workload->line[SS_AT_model_name] = line;
  for (const ss_config_preset *row = ss_config_presets; row->models != 0; ++row)
    if (ss_config_is_of(config, row->models)) ss_import_set(config->import, row->attribute, row->value, line);
}

static const ss_config_key *find_key(const ss_config *config, const char *key)
{
  for (const ss_config_key *row = ss_config_keys; row->key != NULL; ++row)
    if (ss_config_is_of(config, row->models) && strcmp(row->key, key) == 0) return row;
  return NULL;
}

/* Whether a key is of pictures, beside those of text. */
static bool is_of_pictures(const ss_config *config, const char *key)
{
  static const char *const begins[] = {"vision_", "image_", "video_"};
  for (size_t i = 0; config->is_whole && i < sizeof begins / sizeof begins[0]; ++i)
    if (strncmp(key, begins[i], strlen(begins[i])) == 0) return true;
  return false;
}

/* The name that rows have for a key, which may be inside of an object. */
typedef struct named {
  char key[SS_TEXT_SIZE];
} named;

static named name_of(const char *inside, const char *key)
{
  named name;
  (void)snprintf(name.key, sizeof name.key, "%s%s%s", inside, inside[0] != '\0' ? "." : "", key);
  return name;
}

/* Whether a key is an object whose members have rows. */
static bool has_members(const ss_config_key *row)
{
  return row != NULL && row->take == ss_take_inside;
}

static ss_status take_keys(const ss_config *config, const char *inside, const json_t *object, ss_error *error)
{
  const char *own;
  json_t *value;
  ss_status status = SS_OK;
  json_object_foreach((json_t *)object, own, value)
  {
    const named name = name_of(inside, own);
    const char *key = name.key;
    const ss_config_key *row = find_key(config, key);
    if (is_of_pictures(config, key))
      status = ss_import_note(config->import, SS_NOTE_AROUND, key, error);
    else if (row != NULL)
      status = row->take(config, row, value, error);
    else if (ss_config_is_off(value))
      status = ss_import_note(config->import, SS_NOTE_OFF, key, error);
    if (status == SS_OK && has_members(row)) status = take_keys(config, key, value, error);
    if (status != SS_OK) return status;
  }
  return status;
}

static void add_unknown(const ss_config *config, const char *inside, const json_t *object, ss_unknown *unknown)
{
  const char *own;
  json_t *value;
  json_object_foreach((json_t *)object, own, value)
  {
    const named name = name_of(inside, own);
    const ss_config_key *row = find_key(config, name.key);
    if (row == NULL && !ss_config_is_off(value) && !is_of_pictures(config, name.key))
      ss_unknown_add(unknown, name.key, ss_config_line(config, name.key));
    if (has_members(row)) add_unknown(config, name.key, value, unknown);
  }
}

/* Refuses all keys at once that have no row and may matter. */
static ss_status check_known(const ss_config *config, ss_error *error)
{
  ss_unknown unknown = {.more = 0};
  add_unknown(config, "", config->root, &unknown);
  return ss_unknown_check(&unknown, config->source->path, config->word, error);
}

static ss_status refuse_without(const ss_config *config, const char *key, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, config->source->path, 0, "has no %s, which %s needs", key, config->word);
}

/* Refuses a file without what a model cannot do without: sizes that do not follow from others. */
static ss_status check_given(const ss_config *config, ss_error *error)
{
  for (const ss_config_need *need = ss_config_needs; need->models != 0; ++need) {
    if (!ss_config_is_of(config, need->models)) continue;
    if (config->import->workload->line[need->attribute] != SS_LINE_DEFAULT) continue;
    const ss_config_key *row = ss_config_keys;
    while (row->attribute != need->attribute || !ss_config_is_of(config, row->models)) ++row;
    return refuse_without(config, row->key, error);
  }
  return SS_OK;
}

/* Refuses a file that leaves a size to its class. */
static ss_status check_said(const ss_config *config, ss_error *error)
{
  for (const ss_config_said *said = ss_config_saids; said->models != 0; ++said) {
    if (!ss_config_is_of(config, said->models)) continue;
    if (said->of_experts && config->import->workload->model.experts == 0) continue;
    const bool has_other = said->other != NULL && json_object_get(config->root, said->other) != NULL;
    if (json_object_get(config->root, said->key) == NULL && !has_other) return refuse_without(config, said->key, error);
  }
  return SS_OK;
}

bool ss_config_is(const json_t *root)
{
  return json_object_get(root, "model_type") != NULL || json_object_get(root, "text_config") != NULL ||
         json_object_get(root, "architectures") != NULL;
}

/* What stands around the model of text: tables may be shared there, and all else is another part's. */
static ss_status take_around(const ss_config *config, const json_t *around, ss_error *error)
{
  static const char shared[] = "tie_word_embeddings";
  const char *key;
  json_t *value;
  ss_status status = SS_OK;
  if (around == config->root) return SS_OK;
  json_object_foreach((json_t *)around, key, value)
  {
    const ss_config_key *row = strcmp(key, shared) == 0 ? find_key(config, key) : NULL;
    if (value == config->root) continue;
    if (row != NULL && json_object_get(config->root, key) == NULL)
      status = row->take(config, row, value, error);
    else
      status = ss_import_note(config->import, SS_NOTE_AROUND, key, error);
    if (status != SS_OK) return status;
  }
  return status;
}

ss_status ss_config_read(ss_import *import, const ss_source *source, const json_t *root, ss_error *error)
{
  static const char inside[] = "text_config";
  const json_t *text = json_object_get(root, inside);
  ss_config config = {.import = import, .source = source, .root = root, .from = source->text};
  if (json_is_object(text)) {
    const char *from = strstr(source->text, inside);
    config.root = text;
    if (from != NULL) config.from = from;
  }
  json_decref(import->config);
  import->config = json_incref((json_t *)root);
  ss_status status = find_model(&config, root, error);
  if (status == SS_OK) status = check_known(&config, error);
  if (status == SS_OK) apply_presets(&config);
  if (status == SS_OK) status = take_around(&config, root, error);
  if (status == SS_OK) status = take_keys(&config, "", config.root, error);
  if (status == SS_OK) status = check_given(&config, error);
  if (status == SS_OK) status = ss_config_lay_out(&config, error);
  if (status == SS_OK) status = check_said(&config, error);
  return status;
}
