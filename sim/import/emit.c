#include "sim/import/emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/layer_kinds.h"
#include "model/input/origin.h"
#include "sim/import/dialects/dialect_writer.h"
#include "sim/import/dialects/titan_flavors.h"
#include "sim/import/import.h"
#include "sim/import/models/kinds.h"

/* The kinds of all layers; false where there are none. */
static bool lay(const ss_workload *w, ss_layer_kinds *kinds, int8_t *of)
{
  if (w->model.pattern[0] == '\0' || !ss_layer_kinds_read(w->model.kinds, kinds, NULL, 0)) return false;
  return ss_layer_pattern_fill(kinds, w->model.pattern, w->model.layers, of) == NULL;
}

/* Whether layers are alike, whatever letters stand for their kinds. */
static bool lies_alike(const ss_workload *a, const ss_workload *b)
{
  ss_layer_kinds of_a, of_b;
  int8_t *kind = a->model.layers == b->model.layers ? calloc((size_t)a->model.layers, 2) : NULL;
  bool alike = kind != NULL && lay(a, &of_a, kind) && lay(b, &of_b, kind + a->model.layers);
  for (int64_t i = 0; alike && i < a->model.layers; ++i) {
    const ss_layer_kind *one = &of_a.kind[kind[i]], *other = &of_b.kind[kind[a->model.layers + i]];
    for (int field = 0; field < SS_LAYER_FIELDS; ++field)
      alike = alike && one->has[field] == other->has[field] &&
              (!one->has[field] || one->value[field] == other->value[field]);
  }
  free(kind);
  return alike;
}

static bool is_same(const ss_workload *workload, const ss_workload *read, ss_attribute_index index)
{
  char value[SS_TEXT_SIZE], other[SS_TEXT_SIZE];
  ss_workload_value_text(workload, index, value, sizeof value);
  ss_workload_value_text(read, index, other, sizeof other);
  if (strcmp(value, other) == 0) return true;
  return (index == SS_AT_model_kinds || index == SS_AT_model_pattern) && lies_alike(workload, read);
}

/* TorchTitan names a model by its flavor, or its settings say none. */
static bool lacks_model(ss_emit emit, const char *settings)
{
  return emit == SS_EMIT_torchtitan && strstr(settings, "flavor") == NULL;
}

/* Reads the text as an import would; without a flavor, the model is there already. */
static ss_status read_back(const ss_workload *workload, ss_emit emit, const char *text, ss_workload *read,
                           ss_error *error)
{
  ss_import import;
  ss_import_init(&import, read);
  if (lacks_model(emit, text)) {
    read->model = workload->model;
    for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
      if (strcmp(ss_workload_attributes()[i].element, "model") == 0) read->line[i] = 1;
  }
  ss_status status = ss_import_read_text(&import, "emit", text, error);
  if (status == SS_OK) status = ss_import_complete(&import, error);
  ss_import_free(&import);
  if (status == SS_OK) ss_workload_derive(read);
  return status;
}

static bool is_any(const ss_workload *workload)
{
  (void)workload;
  return true;
}

#define ARGS  SS_BY(megatron)
#define YAML  SS_BY(nemo)
#define BOTH  (ARGS | YAML)
#define TITAN SS_BY(torchtitan)

/* Settings that define a model or a run and not how long an iteration takes, so that no attribute has them; names as
 * in rows. */
static const struct {
  const char *name;
  unsigned by;
  bool (*when)(const ss_workload *workload);
} timeless[] = {{"rotary-base", BOTH, ss_workload_is_rotary},
                {"use-rope-scaling", ARGS, ss_workload_is_rotary},
                {"norm-epsilon", ARGS, is_any},
                {"apply-layernorm-1p", ARGS, is_any},
                {"layernorm-epsilon", YAML, is_any},
                {"layernorm-zero-centered-gamma", YAML, is_any},
                {"moe-router-score-function", BOTH, ss_workload_has_experts},
                {"moe-router-topk-scaling-factor", BOTH, ss_workload_has_experts},
                {"moe-router-enable-expert-bias", BOTH, ss_workload_has_experts},
                {"init-method-std", BOTH, is_any},
                {"lr", BOTH, is_any},
                {"train-samples", ARGS, is_any},
                {"train-iters", YAML, is_any},
                {"tokenizer-type", BOTH, is_any},
                {"data-path", ARGS, is_any},
                {"dataset", YAML, is_any},
                {"optimizer.lr", TITAN, is_any},
                {"training.steps", TITAN, is_any},
                {"training.dataset", TITAN, is_any},
                {"model.hf-assets-path", TITAN, is_any}};

/* Who has them. */
static const char *const owners[SS_EMITS] = {
    [SS_EMIT_megatron] = "your own script", [SS_EMIT_nemo] = "your recipe", [SS_EMIT_torchtitan] = "your own file"};

/* Those that are not in the text, and whoever starts the job has to add. */
static void tell_timeless(FILE *stream, const ss_workload *workload, ss_emit emit)
{
  enum { WIDTH = 100 };
  const char *separator = "";
  size_t column = WIDTH;
  (void)fprintf(stream, SS_EMIT_COMMENT "stepsim: what does not change the time is not here, and has to be that of %s:",
                owners[emit]);
  for (size_t i = 0; i < sizeof timeless / sizeof timeless[0]; ++i) {
    const size_t length = strlen(timeless[i].name) + 4;
    if ((timeless[i].by & 1u << emit) == 0 || !timeless[i].when(workload)) continue;
    const bool breaks = column + length > WIDTH;
    (void)fprintf(stream, "%s%s ", separator, breaks ? "\n" SS_EMIT_COMMENT " " : "");
    ss_dialect_write_name(stream, timeless[i].name, emit);
    column = breaks ? length + 2 : column + length;
    separator = ",";
  }
  (void)fputs(" and others\n", stream);
}

/* The GPUs, and the attributes that do not come back. */
static void comment(FILE *stream, const ss_workload *workload, const ss_workload *read)
{
  const char *separator = SS_EMIT_COMMENT "stepsim: these settings do not say ";
  (void)fprintf(stream, SS_EMIT_COMMENT "%s on %" PRId64 " GPU%s\n", workload->model.name, ss_workload_gpus(workload),
                ss_workload_gpus(workload) == 1 ? "" : "s");
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute *attribute = &ss_workload_attributes()[i];
    char value[SS_TEXT_SIZE];
    if (i == SS_AT_model_name || i == SS_AT_training_framework) continue;
    if (is_same(workload, read, (ss_attribute_index)i)) continue;
    ss_workload_value_text(workload, (ss_attribute_index)i, value, sizeof value);
    (void)fprintf(stream, "%s%s.%s=%s", separator, attribute->element, attribute->name, value);
    separator = ", ";
  }
  if (strcmp(separator, ", ") == 0) (void)fputc('\n', stream);
}

ss_status ss_emit_write(const ss_workload *workload, const ss_emit_nodes *nodes, ss_emit emit, char **text,
                        ss_error *error)
{
  const ss_workload own = ss_dialect_workload(workload, emit);
  ss_workload read;
  size_t size;
  char *settings = NULL;
  ss_status status = SS_OK;
  FILE *stream = open_memstream(&settings, &size);
  *text = NULL;
  if (stream == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for settings");
  ss_dialect_write(stream, &own, nodes, emit);
  if (fclose(stream) != 0) status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for settings");
  if (status == SS_OK) status = read_back(&own, emit, settings, &read, error);
  stream = status == SS_OK ? open_memstream(text, &size) : NULL;
  if (status == SS_OK && stream == NULL)
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for settings");
  if (stream != NULL) {
    comment(stream, &own, &read);
    tell_timeless(stream, &own, emit);
    if (lacks_model(emit, settings))
      (void)fputs(SS_EMIT_COMMENT "stepsim: no flavor has these sizes; a model of them has to be registered first\n",
                  stream);
    (void)fputs(settings, stream);
    if (fclose(stream) != 0) status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for settings");
  }
  free(settings);
  return status;
}

ss_status ss_emit_check(const ss_workload *workload, ss_emit emit, ss_error *error)
{
  if (emit != SS_EMIT_torchtitan || ss_titan_has_flavor(workload)) return SS_OK;
  return ss_workload_refuse(workload, SS_AT_model_name, error,
                            "has sizes that no model of TorchTitan has, so that no settings name it "
                            "(torchtitan/models/*/__init__.py at v0.2.0); allowed: such as llama3-8b and qwen3-30b, or "
                            "--for torchtitan without --emit");
}
