#include "sim/import/import.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/arguments.h"
#include "sim/import/config.h"
#include "sim/import/config_reader.h"
#include "sim/import/dialect_reader.h"
#include "sim/import/object.h"
#include "sim/import/source.h"
#include "sim/import/toml.h"
#include "sim/import/yaml.h"

/* The simple strategy. */
static const struct {
  ss_attribute_index attribute;
  int64_t value;
} chosen[] = {
    {SS_AT_model_sequence, SS_CONFIG_SEQUENCE},
    {SS_AT_training_global_batch, 1},
    {SS_AT_training_micro_batch, 1},
    {SS_AT_training_precision, SS_PRECISION_BF16},
    {SS_AT_training_attention, SS_ATTENTION_FLASH},
    {SS_AT_training_recompute, SS_RECOMPUTE_NONE},
    {SS_AT_training_dropout, SS_NO},
    {SS_AT_parallelism_tp, 1},
    {SS_AT_parallelism_pp, 1},
    {SS_AT_parallelism_dp, 1},
};

void ss_import_init(ss_import *import, ss_workload *workload)
{
  *import = (ss_import){.workload = workload};
  ss_workload_init(workload);
  for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; ++i)
    ss_import_set(import, chosen[i].attribute, chosen[i].value, SS_LINE_CHOSEN);
}

/* What the first line that is no comment begins with. */
static const char *beginning_of(const ss_source *source)
{
  const char *at = source->text;
  for (;;) {
    at += strspn(at, " \t\r\n");
    if (*at != '#' && strncmp(at, "---", 3) != 0) return at;
    at += strcspn(at, "\n");
  }
}

/* [TABLE], alone on its line, where the bracket behind it may be missing, or NAME = VALUE. */
static bool begins_toml(const char *at)
{
  const size_t name = strspn(at, "[abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
  const char *behind = at + name + strspn(at + name, "] \t");
  if (at[0] == '[' && at[name] != ']') return name > 1 && strchr("\r\n#", at[name]) != NULL;
  if (at[0] == '[') return strchr("\r\n#", *behind) != NULL;
  return name > 0 && isblank((unsigned char)at[name]) && *behind == '=';
}

/* NAME: VALUE */
static bool begins_yaml(const char *at)
{
  const size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
  return name > 0 && at[name] == ':' && (at[name + 1] == '\0' || isspace((unsigned char)at[name + 1]));
}

/* Settings in JSON; else a model. */
static ss_status read_json(ss_import *import, ss_source *source, ss_settings *settings, ss_error *error)
{
  json_t *root = ss_object_parse(source, error);
  if (root == NULL) return SS_ERROR_INPUT;
  ss_status status = ss_config_is(root) ? SS_OK : ss_object_read(settings, root, error);
  const ss_dialect *dialect = status == SS_OK ? ss_dialect_of(settings, true) : NULL;
  if (status == SS_OK)
    status = dialect != NULL ? ss_dialect_read(import, dialect, settings, error)
                             : ss_config_read(import, source, root, error);
  json_decref(root);
  return status;
}

/* Settings in the language that the file begins in. */
static ss_status read_settings(ss_import *import, const char *first, ss_settings *settings, ss_error *error)
{
  ss_status status;
  if (begins_toml(first))
    status = ss_toml_read(settings, error);
  else
    status = begins_yaml(first) ? ss_yaml_read(settings, error) : ss_arguments_read(settings, error);
  if (status != SS_OK) return status;
  ss_settings_resolve(settings);
  return ss_dialect_read(import, ss_dialect_of(settings, false), settings, error);
}

static ss_status read_source(ss_import *import, ss_source *source, ss_error *error)
{
  const char *first = beginning_of(source);
  ss_settings settings = {.source = source};
  const ss_status status =
      *first == '{' ? read_json(import, source, &settings, error) : read_settings(import, first, &settings, error);
  ss_settings_free(&settings);
  return status;
}

ss_status ss_import_read(ss_import *import, const char *path, ss_error *error)
{
  ss_source source;
  (void)snprintf(import->workload->file, sizeof import->workload->file, "%s", path);
  ss_status status = ss_source_read(path, &source, error);
  if (status == SS_OK) status = read_source(import, &source, error);
  ss_source_free(&source);
  return status;
}

ss_status ss_import_read_text(ss_import *import, const char *path, const char *text, ss_error *error)
{
  ss_source source = {.path = path, .text = strdup(text), .size = strlen(text)};
  ss_status status = source.text != NULL ? read_source(import, &source, error)
                                         : ss_error_set(error, SS_ERROR_MEMORY, path, 0, "out of memory for a text");
  ss_source_free(&source);
  return status;
}

void ss_import_chosen(const ss_import *import, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof chosen / sizeof chosen[0] && used < size; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[chosen[i].attribute];
    char value[SS_TEXT_SIZE];
    if (import->workload->line[chosen[i].attribute] != SS_LINE_CHOSEN) continue;
    ss_workload_value_text(import->workload, chosen[i].attribute, value, sizeof value);
    used +=
        (size_t)snprintf(text + used, size - used, "%s%s.%s=%s", used > 0 ? ", " : "", row->element, row->name, value);
  }
}

void ss_import_free(ss_import *import)
{
  for (int64_t i = 0; i < import->count; ++i) free(import->note[i].text);
  free(import->note);
  *import = (ss_import){.workload = NULL};
}
