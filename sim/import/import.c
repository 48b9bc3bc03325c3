#include "sim/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/arguments.h"
#include "sim/import/config.h"
#include "sim/import/config_reader.h"
#include "sim/import/source.h"

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

static bool is_json(const ss_source *source)
{
  const char first = source->text[strspn(source->text, " \t\r\n")];
  return first == '{' || first == '[';
}

ss_status ss_import_read(ss_import *import, const char *path, ss_error *error)
{
  ss_source source;
  (void)snprintf(import->workload->file, sizeof import->workload->file, "%s", path);
  ss_status status = ss_source_read(path, &source, error);
  if (status == SS_OK)
    status = is_json(&source) ? ss_config_read(import, &source, error) : ss_arguments_read(import, &source, error);
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
