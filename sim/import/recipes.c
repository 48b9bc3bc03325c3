#include "sim/import/recipes.h"

#include <stdio.h>
#include <string.h>

#include "sim/import/dialects/dialect_reader.h"
#include "sim/import/python/recipe.h"

static const char bridge[] = "megatron.bridge";

bool ss_recipes_are_in(const ss_source *source)
{
  return strstr(source->text, bridge) != NULL && ss_py_has_recipes(source);
}

/* The row of a field of the model, of its own or of many; NULL: there is none. */
static const ss_setting_row *row_of(const char *field)
{
  char key[SS_SETTING_KEY_SIZE];
  if ((size_t)snprintf(key, sizeof key, "model.%s", field) >= sizeof key) return NULL;
  return ss_dialect_row(ss_megatron_dialect(), key);
}

static bool matters(void *of, const char *field)
{
  const ss_setting_row *row = row_of(field);
  (void)of;
  return row == NULL || row->use != SS_SETTING_IDLE;
}

static bool is_field(void *of, const char *field)
{
  const ss_setting_row *row = row_of(field);
  (void)of;
  return row != NULL && strchr(row->key, '*') == NULL;
}

static ss_status take_notes(ss_import *import, const ss_py_recipe *recipe, ss_error *error)
{
  static const ss_note_kind kinds[] = {[SS_PY_NOTE_NAMED] = SS_NOTE_RECIPE,
                                       [SS_PY_NOTE_UNDECIDED] = SS_NOTE_UNDECIDED,
                                       [SS_PY_NOTE_WARNED] = SS_NOTE_WARNED};
  ss_status status = SS_OK;
  for (const ss_py_note *note = recipe->notes; note != NULL && status == SS_OK; note = note->next)
    status = ss_import_note(import, kinds[note->kind], note->text, error);
  return status;
}

/* A recipe takes the sizes of its model from what Hugging Face has by a name. */
static ss_status check_sizes(const ss_import *import, const ss_settings *settings, const ss_py_recipe *recipe,
                             ss_error *error)
{
  const bool is_said =
      ss_settings_find(settings, "model.num_layers") != NULL || ss_settings_find(settings, "model._target_") != NULL;
  if (import->workload->model.layers > 0 || is_said) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, recipe->line,
                      "%.100s: has a model whose sizes are in the config.json of %.100s; allowed: that file ahead of "
                      "this one",
                      recipe->name, recipe->model != NULL ? recipe->model : "its model");
}

/* A value that is a function, a class or what one of them gives stands for a setting whose value only a run knows,
 * unless settings have rows for what gives it. */
static void settle_target(ss_setting *setting)
{
  static const char end[] = "._target_";
  const ss_dialect *dialect = ss_megatron_dialect();
  const size_t length = strlen(setting->key), size = strlen(end);
  char key[SS_SETTING_KEY_SIZE];
  if (length <= size || strcmp(setting->key + length - size, end) != 0) return;
  if (ss_dialect_row(dialect, setting->key) != NULL) return;
  memcpy(key, setting->key, length - size);
  key[length - size] = '\0';
  const ss_setting_row *row = ss_dialect_row(dialect, key);
  if (row == NULL || row->use == SS_SETTING_IDLE || setting->unknown != NULL) return;
  memcpy(setting->key, key, length - size + 1);
  setting->unknown = json_string_value(setting->value);
}

/* What starts recipes makes their data as long as the sequences of the model (scripts/performance/utils/overrides.py of
 * NVIDIA-NeMo/Megatron-Bridge). */
static ss_status fit_data(ss_import *import, ss_settings *settings, ss_error *error)
{
  const ss_setting *model = ss_settings_find(settings, "model.seq_length");
  char text[SS_SETTING_KEY_SIZE + 32];
  for (int64_t i = 0; i < settings->count && model != NULL; ++i) {
    ss_setting *data = &settings->setting[i];
    if (strcmp(data->key, "dataset.seq_length") != 0 || json_equal(data->value, model->value)) continue;
    (void)snprintf(text, sizeof text, "%s=%lld", data->key, (long long)json_integer_value(data->value));
    json_decref(data->value);
    data->value = json_incref(model->value);
    return ss_import_note(import, SS_NOTE_OVER, text, error);
  }
  return SS_OK;
}

/* All releases in model/input/stacks.def that have recipes are built on it. */
static const ss_stack stacks[] = {SS_STACK_MEGATRON_BRIDGE_2026, SS_STACK_NONE};

static ss_status take(ss_import *import, ss_settings *settings, const ss_py_recipe *recipe, ss_error *error)
{
  const ss_dialect *dialect = ss_megatron_dialect();
  if (recipe->gpus > 0) import->recipe_gpus = recipe->gpus;
  for (int64_t i = 0; i < settings->count; ++i) settle_target(&settings->setting[i]);
  ss_status status = take_notes(import, recipe, error);
  if (status == SS_OK) status = check_sizes(import, settings, recipe, error);
  if (status == SS_OK) status = fit_data(import, settings, error);
  if (status == SS_OK) status = ss_dialect_read(import, dialect, settings, error);
  if (status == SS_OK) import->stacks = stacks;
  return status;
}

ss_status ss_recipes_read(ss_import *import, ss_settings *settings, ss_error *error)
{
  const ss_py_asks asks = {import, import->config, import->gpus, is_field, matters};
  ss_py_recipe recipe;
  import->read_recipe = true;
  ss_status status = ss_py_recipe_read(&recipe, settings->source, import->recipe, &asks, settings, error);
  if (status == SS_OK) status = take(import, settings, &recipe, error);
  ss_settings_free(settings); /* its texts are those of the recipe */
  ss_py_recipe_free(&recipe);
  return status;
}
