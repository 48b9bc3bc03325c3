/* libFuzzer harness: any bytes as a program in Python with a recipe, and a config.json for its model. */
#include "sim/import/python/recipe.h"
#include "tests/fuzz/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_any(void *of, const char *field)
{
  (void)of;
  return field[0] != '_';
}

static ss_status read_recipe(ss_settings *settings, ss_error *error)
{
  json_t *config = json_pack("{s:s, s:i}", "model_type", "tiny", "num_hidden_layers", 2);
  const ss_py_asks asks = {NULL, config, is_any, is_any};
  ss_py_recipe recipe;
  const ss_status status = ss_py_recipe_read(&recipe, settings->source, NULL, &asks, settings, error);
  for (int64_t i = 0; i < settings->count; ++i)
    SS_ASSERT(settings->setting[i].unknown == NULL || settings->setting[i].unknown[0] != '\0');
  ss_py_recipe_free(&recipe);
  json_decref(config);
  for (int64_t i = 0; i < settings->count; ++i) settings->setting[i].unknown = settings->setting[i].path = NULL;
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  read_settings(read_recipe, data, size);
  return 0;
}
