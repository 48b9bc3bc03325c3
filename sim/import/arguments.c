#include "sim/import/arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/argument_rows.h"
#include "sim/import/shell.h"

/* Of --make-vocab-size-divisible-by, and of dropout. */
enum { MULTIPLE = 128, MOST = 1000000, NONE = -1 };

typedef struct arguments {
  ss_import *import;
  ss_shell shell;
  char name[SS_SHELL_WORD_SIZE]; /* of the last argument */
  int line;
  double value[SS_VALUES]; /* NONE where it is not given */
  int value_line[SS_VALUES];
  bool is_set[SS_ATTRIBUTE_TOTAL]; /* by a number, in this file */
  int found;
} arguments;

static ss_status refuse(const arguments *a, const char *value, ss_error *error, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, a->shell.source->path, a->line, "--%.64s%s%.64s: %s", a->name,
                      value[0] != '\0' ? " " : "", value, problem);
}

static bool is_called(const ss_argument_row *row, const char *name)
{
  const size_t length = strlen(row->name);
  if (row->name[length - 1] == '*') return strncmp(row->name, name, length - 1) == 0;
  return strcmp(row->name, name) == 0;
}

/* Sets an attribute. Branches of a script are all taken, and have to agree. */
static ss_status put(arguments *a, ss_attribute_index index, int64_t number, const char *value, ss_error *error)
{
  int64_t earlier;
  memcpy(&earlier, (const char *)a->import->workload + ss_workload_attributes()[index].offset, sizeof earlier);
  if (a->is_set[index] && earlier != number) return refuse(a, value, error, "had another value before; allowed: one");
  a->is_set[index] = true;
  ss_import_set(a->import, index, number, a->line);
  return SS_OK;
}

static ss_status take_count(arguments *a, const ss_argument_row *row, const char *value, ss_error *error)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  char *end, problem[SS_MESSAGE_SIZE / 4];
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  const double real = (double)number;
  if (value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0 && real >= attribute->minimum &&
      real <= attribute->maximum)
    return put(a, row->attribute, number, value, error);
  (void)snprintf(problem, sizeof problem,
                 "is not a whole number from %.15g to %.15g; allowed: one, or a variable that the file gives one",
                 attribute->minimum, attribute->maximum);
  return refuse(a, value, error, problem);
}

/* A row with the word, or the rows of the argument do not know it. */
static ss_status take_word(const arguments *a, const char *value, ss_error *error)
{
  char problem[SS_MESSAGE_SIZE / 2] = "is unknown; allowed:";
  for (const ss_argument_row *row = ss_argument_rows; row->name != NULL; ++row) {
    if (strcmp(row->name, a->name) != 0) continue;
    if (strcmp(row->text, value) == 0) {
      ss_import_set(a->import, row->attribute, row->number, a->line);
      return SS_OK;
    }
    const size_t used = strlen(problem);
    (void)snprintf(problem + used, sizeof problem - used, " %s", row->text);
  }
  return refuse(a, value, error, problem);
}

/* Keeps a number for what follows from several; of dropouts the largest. What is not one is as good as not given. */
static void keep(arguments *a, int64_t which, const char *value)
{
  char *end;
  const double number = strtod(value, &end);
  if (end == value || *end != '\0' || !(number >= 0.0 && number <= MOST)) return;
  if (which == SS_VALUE_DROPOUT && number < a->value[which]) return;
  a->value[which] = number;
  a->value_line[which] = a->line;
}

static ss_status take(arguments *a, const ss_argument_row *row, const char *value, ss_error *error)
{
  char text[SS_TEXT_SIZE];
  switch (row->use) {
  case SS_ARGUMENT_COUNT: return take_count(a, row, value, error);
  case SS_ARGUMENT_FLAG: ss_import_set(a->import, row->attribute, row->number, a->line); return SS_OK;
  case SS_ARGUMENT_WORD: return take_word(a, value, error);
  case SS_ARGUMENT_VALUE: keep(a, row->number, value); return SS_OK;
  case SS_ARGUMENT_IDLE: return ss_import_note(a->import, SS_NOTE_IDLE, a->name, error);
  case SS_ARGUMENT_LEFT_OUT:
    (void)snprintf(text, sizeof text, "%s: %s", row->name, row->text);
    return ss_import_note(a->import, SS_NOTE_LEFT_OUT, text, error);
  case SS_ARGUMENT_REFUSED: break;
  }
  return refuse(a, "", error, row->text);
}

/* Takes the argument that `name` and `line` have, with the value behind it, if there is one. */
static ss_status take_argument(arguments *a, const char *value, ss_error *error)
{
  const ss_argument_row *row = ss_argument_rows;
  while (row->name != NULL && !is_called(row, a->name)) ++row;
  if (row->name == NULL)
    return refuse(a, value, error, "is not known, and may matter; allowed: the file without it, if it does not");
  ++a->found;
  return take(a, row, value, error);
}

static ss_status take_all(arguments *a, ss_error *error)
{
  ss_status status = SS_OK;
  bool more = ss_shell_next(&a->shell);
  while (status == SS_OK && more) {
    if (strncmp(a->shell.word, "--", 2) != 0 || a->shell.word[2] == '\0') {
      more = ss_shell_next(&a->shell);
      continue;
    }
    char *equals = strchr(a->shell.word, '='), value[SS_SHELL_WORD_SIZE] = "";
    if (equals != NULL) {
      *equals = '\0';
      (void)snprintf(value, sizeof value, "%s", equals + 1);
    }
    (void)snprintf(a->name, sizeof a->name, "%s", a->shell.word + 2);
    a->line = a->shell.line;
    more = ss_shell_next(&a->shell);
    if (equals == NULL && more && strncmp(a->shell.word, "--", 2) != 0)
      (void)snprintf(value, sizeof value, "%s", a->shell.word);
    status = take_argument(a, value, error);
  }
  return status;
}

static int64_t given(const arguments *a, ss_argument_value which, int64_t fallback)
{
  return a->value[which] > 0.0 ? (int64_t)a->value[which] : fallback;
}

/* The name of the file without folder and extension. */
static void name_model(const arguments *a)
{
  ss_workload *w = a->import->workload;
  const char *slash = strrchr(a->shell.source->path, '/');
  const char *name = slash != NULL ? slash + 1 : a->shell.source->path;
  if (w->line[SS_AT_model_name] != SS_LINE_DEFAULT) return;
  (void)snprintf(w->model.name, SS_TEXT_SIZE, "%.*s", (int)strcspn(name, "."), name);
  w->line[SS_AT_model_name] = 1;
}

/* What holds without an argument: of the strategy, and, where a file has one, of the model. */
static void apply_defaults(const arguments *a)
{
  static const struct {
    int64_t value;
    ss_attribute_index attribute;
    bool of_model;
  } rows[] = {{SS_NO, SS_AT_parallelism_sequence_parallel, false},
              {SS_SHARDING_NONE, SS_AT_parallelism_sharding, false},
              {SS_NO, SS_AT_schedule_overlap_dp, false},
              {SS_YES, SS_AT_model_tied_embeddings, true}};
  const ss_workload *w = a->import->workload;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (w->line[rows[i].attribute] == SS_LINE_DEFAULT && (!rows[i].of_model || a->is_set[SS_AT_model_layers]))
      ss_import_set(a->import, rows[i].attribute, rows[i].value, 1);
  const bool drops =
      a->value[SS_VALUE_DROPOUT] > 0.0 || (a->value[SS_VALUE_DROPOUT] < 0.0 && a->is_set[SS_AT_model_layers]);
  if (drops) ss_import_set(a->import, SS_AT_training_dropout, SS_YES, 1); /* 0.1 where nobody says */
}

/* What follows from several arguments. */
static void combine(arguments *a)
{
  ss_workload *w = a->import->workload;
  const int64_t tp = w->parallelism.tp, pp = w->parallelism.pp, ranks = tp * pp * w->parallelism.cp;
  const int64_t gpus = given(a, SS_VALUE_NODES, 0) * given(a, SS_VALUE_GPUS_OF_NODE, 0);
  const int64_t multiple = given(a, SS_VALUE_VOCABULARY_MULTIPLE, MULTIPLE) * tp;
  w->model.vocabulary = (w->model.vocabulary + multiple - 1) / multiple * multiple;
  if (gpus > 0 && gpus % ranks == 0)
    ss_import_set(a->import, SS_AT_parallelism_dp, gpus / ranks, a->value_line[SS_VALUE_NODES]);
  const int64_t layers = given(a, SS_VALUE_LAYERS_OF_CHUNK, 0);
  if (layers > 0 && w->model.layers % (pp * layers) == 0)
    ss_import_set(a->import, SS_AT_parallelism_interleave, w->model.layers / pp / layers,
                  a->value_line[SS_VALUE_LAYERS_OF_CHUNK]);
  if (w->parallelism.interleave > 1)
    ss_import_set(a->import, SS_AT_schedule_pipeline, SS_PIPELINE_INTERLEAVED, w->line[SS_AT_parallelism_interleave]);
  const int64_t shared = given(a, SS_VALUE_SHARED_FFN, 0), expert = w->model.expert_ffn;
  if (shared > 0 && expert > 0)
    ss_import_set(a->import, SS_AT_model_shared_experts, shared / expert, a->value_line[SS_VALUE_SHARED_FFN]);
}

ss_status ss_arguments_read(ss_import *import, const ss_source *source, ss_error *error)
{
  arguments *a = calloc(1, sizeof *a);
  if (a == NULL) return ss_error_set(error, SS_ERROR_MEMORY, source->path, 0, "out of memory for arguments");
  a->import = import;
  a->shell = (ss_shell){.source = source, .at = source->text, .line_at = 1};
  for (int i = 0; i < SS_VALUES; ++i) a->value[i] = NONE;
  ss_status status = take_all(a, error);
  if (status == SS_OK && a->found == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, source->path, 0,
                          "is no object of JSON, and has no arguments; allowed: a config.json, or a script with "
                          "arguments of Megatron-LM");
  if (status == SS_OK) apply_defaults(a);
  if (status == SS_OK) combine(a);
  if (status == SS_OK) name_model(a);
  if (status == SS_OK && import->workload->model.vocabulary == 0)
    status =
        ss_import_note(import, SS_NOTE_LEFT_OUT,
                       "embedding and output layer: there is no --vocab-size, but --set model.vocabulary=N", error);
  free(a);
  return status;
}
