#include "sim/import/import.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "model/block/recipe.h"
#include "model/input/origin.h"
#include "model/input/stack.h"
#include "model/plan/layers/layer_modules.h"
#include "sim/import/dialects/dialect_reader.h"
#include "sim/import/dialects/others.h"
#include "sim/import/files/arguments.h"
#include "sim/import/files/interpolation.h"
#include "sim/import/files/object.h"
#include "sim/import/files/source.h"
#include "sim/import/files/toml.h"
#include "sim/import/files/yaml.h"
#include "sim/import/models/config.h"
#include "sim/import/models/config_reader.h"
#include "sim/import/recipes.h"
#include "sim/import/replicas.h"
#include "sim/import/shell/variables.h"

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

/* Far more than files that build on one another are. */
enum { MOST_BASES = 16 };

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

/* NAME: VALUE, or "NAME": VALUE */
static bool begins_yaml(const char *at)
{
  const bool is_quoted = *at == '"';
  at += is_quoted;
  const size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
  at += is_quoted && at[name] == '"';
  return name > 0 && at[name] == ':' && (at[name + 1] == '\0' || isspace((unsigned char)at[name + 1]));
}

/* A model of its own has nothing to do with what settings ahead of it say of another one. */
static void forget_settings(ss_import *import)
{
  free(import->earlier);
  import->earlier = NULL;
}

/* What is no JSON may be YAML in braces, as GPT-NeoX has it, with comments and commas behind the last member. */
static ss_status read_braces(ss_import *import, ss_settings *settings, ss_error *error)
{
  ss_error second = {0};
  if (ss_yaml_read(settings, &second) != SS_OK) return SS_ERROR_INPUT;
  const ss_dialect *dialect = ss_dialect_of(settings, false);
  if (dialect == NULL || dialect->json_mark == NULL) return SS_ERROR_INPUT;
  return ss_dialect_read(import, dialect, settings, error);
}

/* Settings in JSON; else a model. */
static ss_status read_json(ss_import *import, ss_source *source, ss_settings *settings, ss_error *error)
{
  json_t *root = ss_object_parse(source, error);
  if (root == NULL) return read_braces(import, settings, error);
  if (ss_config_is(root)) forget_settings(import);
  ss_status status = ss_config_is(root) ? SS_OK : ss_object_read(settings, root, error);
  const ss_dialect *dialect = status == SS_OK ? ss_dialect_of(settings, true) : NULL;
  if (status == SS_OK)
    status = dialect != NULL ? ss_dialect_read(import, dialect, settings, error)
                             : ss_config_read(import, source, root, error);
  json_decref(root);
  return status;
}

static ss_status read_file(ss_import *import, const char *path, int depth, ss_error *error);

static bool is_there(const char *path)
{
  FILE *stream = fopen(path, "rb");
  if (stream != NULL) (void)fclose(stream);
  return stream != NULL;
}

/* Reads a file that another one builds on, which is beside it; where it is not, it is noted. */
static ss_status read_base(ss_import *import, const ss_settings *settings, const ss_setting *named, const char *name,
                           int depth, ss_error *error)
{
  const char *slash = strrchr(settings->source->path, '/');
  const int folder = slash != NULL ? (int)(slash + 1 - settings->source->path) : 0;
  char path[SS_PATH_SIZE];
  const int length = snprintf(path, sizeof path, "%.*s%s", folder, settings->source->path, name);
  if (length >= SS_PATH_SIZE || !is_there(path)) return ss_import_note(import, SS_NOTE_RECIPE, name, error);
  if (depth < MOST_BASES) return read_file(import, path, depth + 1, error);
  return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, named->line,
                      "%.64s: files build on one another, without an end; allowed: at most %d", named->key, MOST_BASES);
}

/* Where Primus names files that a configuration goes over. */
static const char *const base_keys[] = {"bases", "includes", "extends"};
enum { BASE_KEYS = sizeof base_keys / sizeof base_keys[0] };

static bool builds_on_files(const ss_settings *settings)
{
  int k = 0;
  while (k < BASE_KEYS && ss_settings_find(settings, base_keys[k]) == NULL) ++k;
  return k < BASE_KEYS;
}

/* Reads the files that a configuration goes over. Texts (`depth` below 0) have no files. */
static ss_status read_bases(ss_import *import, const ss_settings *settings, int depth, ss_error *error)
{
  ss_status status = SS_OK;
  for (int k = 0; k < BASE_KEYS && depth >= 0; ++k) {
    const ss_setting *named = ss_settings_find(settings, base_keys[k]);
    for (size_t i = 0; named != NULL && status == SS_OK && i < json_array_size(named->value); ++i) {
      const char *name = json_string_value(json_array_get(named->value, i));
      if (name != NULL) status = read_base(import, settings, named, name, depth, error);
    }
  }
  return status;
}

/* Settings in the language that the file begins in. */
static ss_status read_settings(ss_import *import, const char *first, ss_settings *settings, int depth, ss_error *error)
{
  ss_status status;
  settings->keeps_last = !begins_toml(first) && begins_yaml(first);
  if (begins_toml(first))
    status = ss_toml_read(settings, error);
  else
    status = begins_yaml(first) ? ss_yaml_read(settings, error) : ss_arguments_read(settings, error);
  if (status == SS_OK && settings->gives) return SS_OK;
  if (status == SS_OK) status = ss_others_check(settings, error);
  if (status == SS_OK && begins_yaml(first)) status = read_bases(import, settings, depth, error);
  if (status != SS_OK) return status;
  ss_settings_resolve(settings);
  const ss_dialect *dialect = ss_dialect_of(settings, false);
  if (dialect == NULL && (depth > 0 || builds_on_files(settings)))
    return ss_import_note(import, SS_NOTE_UNREAD, settings->source->path, error);
  return ss_dialect_read(import, dialect, settings, error);
}

static ss_status read_source(ss_import *import, ss_source *source, int depth, ss_error *error)
{
  const char *first = beginning_of(source);
  const bool is_recipe = ss_others_is_program(first) && ss_recipes_are_in(source);
  ss_status status = is_recipe ? SS_OK : ss_others_check_program(source, first, error);
  if (import->given == NULL) import->given = calloc(1, sizeof *import->given);
  if (import->given == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, source->path, 0, "out of memory for variables");
  if (status != SS_OK) return status;
  ss_settings settings = {.source = source, .given = import->given};
  status = is_recipe       ? ss_recipes_read(import, &settings, error)
           : *first == '{' ? read_json(import, source, &settings, error)
                           : read_settings(import, first, &settings, depth, error);
  ss_settings_free(&settings);
  return status;
}

/* Reads a file on which as many as `depth` build. */
static ss_status read_file(ss_import *import, const char *path, int depth, ss_error *error)
{
  ss_source source;
  ss_status status = ss_source_read(path, &source, error);
  if (status == SS_OK) status = ss_import_note(import, SS_NOTE_READ, path, error);
  if (status == SS_OK) status = read_source(import, &source, depth, error);
  ss_source_free(&source);
  return status;
}

ss_status ss_import_read(ss_import *import, const char *path, ss_error *error)
{
  (void)snprintf(import->workload->file, sizeof import->workload->file, "%s", path);
  return read_file(import, path, 0, error);
}

ss_status ss_import_read_text(ss_import *import, const char *path, const char *text, ss_error *error)
{
  ss_source source = {.path = path, .text = strdup(text), .size = strlen(text)};
  ss_status status = source.text != NULL ? read_source(import, &source, -1, error)
                                         : ss_error_set(error, SS_ERROR_MEMORY, path, 0, "out of memory for a text");
  ss_source_free(&source);
  return status;
}

/* Buffers of users are for gathers and reductions of tensor-parallel ranks:
 * src/megatron/bridge/training/comm_overlap.py of Megatron-Bridge turns them off elsewhere. */
static void check_user_buffers(ss_import *import)
{
  const ss_workload *w = import->workload;
  const ss_attribute_index overlap = SS_AT_schedule_overlap_tp;
  const bool used = w->parallelism.tp > 1 && w->parallelism.sequence_parallel == SS_YES;
  if (w->schedule.overlap_tp != SS_TP_OVERLAP_USER_BUFFERS || w->line[overlap] == SS_LINE_OVERRIDE || used) return;
  ss_import_set(import, overlap, (int64_t)ss_workload_attributes()[overlap].fallback, w->line[overlap]);
  if (w->line[SS_AT_schedule_tp_reduction] > 0) ss_import_unset(import, SS_AT_schedule_tp_reduction);
}

/* Where shards are weights in 32 bits, as those of Megatron-FSDP, there are no others that a rest would be of. */
static void check_master_weights(ss_import *import)
{
  const ss_workload *w = import->workload;
  const bool holds = w->parallelism.sharding == SS_SHARDING_PARAMETERS && w->parallelism.shards == SS_SHARDS_FP32;
  if (!holds || w->training.master_weights != SS_MASTER_16BIT) return;
  if (w->line[SS_AT_training_master_weights] == SS_LINE_OVERRIDE) return;
  ss_import_set(import, SS_AT_training_master_weights, SS_MASTER_FP32, w->line[SS_AT_training_master_weights]);
}

/* Modules of selective recomputation that follow from others, as far as layers have them. Attention that is not fused
 * is what is computed again without any. */
static void complete_modules(ss_import *import)
{
  ss_workload *w = import->workload;
  const int line = w->line[SS_AT_training_recompute];
  const bool is_named = w->training.recompute_modules != 0;
  const bool is_open = w->line[SS_AT_training_recompute_modules] != SS_LINE_OVERRIDE && line != SS_LINE_OVERRIDE;
  unsigned modules = 0;
  if (w->training.recompute != SS_RECOMPUTE_SELECTIVE || !is_open) return;
  const bool is_core = import->recomputes_core && !is_named;
  const bool is_plain = w->training.attention == SS_ATTENTION_UNFUSED && !import->recomputes_experts;
  if (is_core && !is_plain) modules |= SS_WORD_BIT(SS_RECOMPUTE_CORE_ATTN);
  if (import->recomputes_experts) modules |= SS_WORD_BIT(SS_RECOMPUTE_MOE);
  modules &= ss_layer_recompute_modules(w);
  if (modules == 0) return;
  w->training.recompute_modules = (ss_word_set)(w->training.recompute_modules | modules);
  w->line[SS_AT_training_recompute_modules] = line;
}

/* Modules are of selective recomputation, and say nothing without (_checkpointed_forward of
 * megatron/core/transformer/transformer_layer.py asks for both). */
static ss_status drop_modules(ss_import *import, ss_error *error)
{
  ss_workload *w = import->workload;
  const bool is_of_files = w->line[SS_AT_training_recompute_modules] > 0;
  if (w->training.recompute == SS_RECOMPUTE_SELECTIVE || w->training.recompute_modules == 0 || !is_of_files)
    return SS_OK;
  ss_workload_reset(w, SS_AT_training_recompute_modules);
  return ss_import_note(import, SS_NOTE_IDLE, "recompute_modules, since recomputation is not selective", error);
}

/* A release that is named says itself what all of its framework would be taken to do, and goes over what is chosen
 * here. */
static void leave_to_stack(ss_import *import)
{
  int64_t count;
  const ss_stack stack = import->workload->training.stack;
  const ss_stack_setting *row = ss_stack_settings(&count);
  for (int64_t i = 0; i < count && stack != SS_STACK_NONE; ++i) {
    const ss_attribute_index index = row[i].attribute;
    const int line = import->workload->line[index];
    const bool is_open = line == SS_LINE_CHOSEN || (import->of_release[index] && line != SS_LINE_OVERRIDE);
    if (ss_stack_includes(stack, row[i].stack) && is_open) ss_import_unset(import, index);
  }
}

/* Whether a stack is one of those, or built on one. */
static bool is_built_on(ss_stack stack, const ss_stack *stacks)
{
  while (*stacks != SS_STACK_NONE && !ss_stack_includes(stack, *stacks)) ++stacks;
  return *stacks != SS_STACK_NONE;
}

/* Releases of the framework that the files are of. */
static ss_status note_stacks(ss_import *import, ss_error *error)
{
  const ss_attribute *row = &ss_workload_attributes()[SS_AT_training_stack];
  ss_status status = SS_OK;
  if (import->workload->training.stack != SS_STACK_NONE || import->stacks == NULL) return SS_OK;
  for (int i = SS_STACK_NONE + 1; row->words[i] != NULL && status == SS_OK; ++i)
    if (is_built_on((ss_stack)i, import->stacks)) status = ss_import_note(import, SS_NOTE_STACK, row->words[i], error);
  return status;
}

/* Groups limit nothing where no file says how many of them a token takes: compute_topk of
 * megatron/core/transformer/moe/moe_utils.py. */
static ss_status check_router_groups(ss_import *import, ss_error *error)
{
  ss_workload *w = import->workload;
  if (w->line[SS_AT_model_router_groups] <= 0 || w->model.router_groups == 0 || w->model.router_group_top_k > 0 ||
      w->line[SS_AT_model_router_group_top_k] == SS_LINE_OVERRIDE)
    return SS_OK;
  ss_workload_reset(w, SS_AT_model_router_groups);
  return ss_import_note(import, SS_NOTE_IDLE, "groups of experts, since no file says how many a token takes", error);
}

/* Rows of experts whose products have 8 bits are padded by somebody. */
static void pad_experts(ss_import *import)
{
  const ss_workload *w = import->workload;
  const bool takes_8 =
      w->model.experts > 0 && ss_recipe_quantises(w->training.precision) && w->training.expert_type == SS_AS_OPERANDS;
  const bool is_grouped = w->training.expert_kernels != SS_EXPERT_KERNELS_SEQUENTIAL;
  if (import->pads == SS_PADS_KERNELS && takes_8 && is_grouped &&
      w->line[SS_AT_training_expert_padding] == SS_LINE_DEFAULT)
    ss_import_set(import, SS_AT_training_expert_padding, SS_YES, 1);
}

/* Tables are padded for the tensor-parallel ranks that a job has, unless their size was set. */
static ss_status pad_vocabulary(ss_import *import, ss_error *error)
{
  ss_workload *w = import->workload;
  const int64_t multiple = import->vocabulary_multiple * w->parallelism.tp, own = w->model.vocabulary;
  char text[SS_TEXT_SIZE];
  if (multiple == 0 || own <= 0 || own % multiple == 0 || w->line[SS_AT_model_vocabulary] == SS_LINE_OVERRIDE)
    return SS_OK;
  w->model.vocabulary = ss_divide_up(own, multiple) * multiple;
  (void)snprintf(text, sizeof text, "model.vocabulary from %" PRId64 " to %" PRId64, own, w->model.vocabulary);
  return ss_import_note(import, SS_NOTE_PADDED, text, error);
}

/* Files of frameworks have the ranks of a replica, and whoever starts them the GPUs. */
static ss_status note_replicas(ss_import *import, ss_error *error)
{
  if (!import->has_strategy || import->workload->line[SS_AT_parallelism_dp] != SS_LINE_CHOSEN) return SS_OK;
  return ss_import_note(import, SS_NOTE_UNKNOWN, "replicas of the model (--gpus N, or --set parallelism.dp=N)", error);
}

/* The batch of all replicas, where files have that of one, or none: then each replica has a micro-batch. */
static void add_up_batch(ss_import *import)
{
  ss_workload *w = import->workload;
  const int line = w->line[SS_AT_training_global_batch];
  if (import->replica_batch > 0 && line != SS_LINE_OVERRIDE)
    w->training.global_batch = import->replica_batch * w->parallelism.dp;
  else if (line == SS_LINE_CHOSEN)
    w->training.global_batch = w->training.micro_batch * w->parallelism.dp;
}

ss_status ss_import_complete(ss_import *import, ss_error *error)
{
  ss_workload *w = import->workload;
  if (import->recipe != NULL && !import->read_recipe)
    return ss_error_set(error, SS_ERROR_INPUT, w->file, 0,
                        "--recipe \"%.100s\": no file has recipes; allowed: a file of Megatron-Bridge that has it",
                        import->recipe);
  ss_status status = ss_replicas_spread(import, error);
  if (status == SS_OK) status = pad_vocabulary(import, error);
  if (status != SS_OK) return status;
  add_up_batch(import);
  leave_to_stack(import);
  check_user_buffers(import);
  check_master_weights(import);
  complete_modules(import);
  status = drop_modules(import, error);
  if (status == SS_OK) status = check_router_groups(import, error);
  if (status == SS_OK) status = ss_replicas_share(import, error);
  if (import->experts_stay && w->model.experts > 0 && w->line[SS_AT_training_expert_type] == SS_LINE_DEFAULT)
    ss_import_set(import, SS_AT_training_expert_type, SS_AS_16BIT, 1);
  pad_experts(import);
  if (status == SS_OK) status = note_replicas(import, error);
  if (status == SS_OK) status = note_stacks(import, error);
  if (status != SS_OK || w->model.vocabulary > 0) return status;
  if (w->line[SS_AT_model_tied_embeddings] != SS_LINE_OVERRIDE) ss_import_unset(import, SS_AT_model_tied_embeddings);
  return ss_import_note(import, SS_NOTE_MATTERS,
                        "embedding and output layer: no file has the vocabulary, but --set model.vocabulary=N", error);
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

static ss_status write_lines(FILE *stream, const ss_import *import, const char *title, ss_error *error)
{
  char chosen_text[SS_MESSAGE_SIZE];
  ss_status status = SS_OK;
  ss_import_chosen(import, chosen_text, sizeof chosen_text);
  if (chosen_text[0] != '\0') (void)fprintf(stream, "%s: %s\n", title, chosen_text);
  for (int kind = 0; status == SS_OK && kind < SS_NOTE_KINDS; ++kind) {
    char *line = NULL;
    status = ss_import_notes(import, (ss_note_kind)kind, &line, error);
    if (line != NULL) (void)fprintf(stream, "%s\n", line);
    free(line);
  }
  return status;
}

ss_status ss_import_text(const ss_import *import, const char *title, char **text, ss_error *error)
{
  size_t size = 0;
  *text = NULL;
  FILE *stream = open_memstream(text, &size);
  ss_status status = stream != NULL ? write_lines(stream, import, title, error) : SS_OK;
  if (stream == NULL || fclose(stream) != 0)
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
  if (status == SS_OK) return SS_OK;
  free(*text);
  *text = NULL;
  return status;
}

void ss_import_free(ss_import *import)
{
  for (int64_t i = 0; i < import->count; ++i) free(import->note[i].text);
  free(import->note);
  free(import->earlier);
  free(import->given);
  json_decref(import->config);
  *import = (ss_import){.workload = NULL};
}
