#include "sim/import/dialects/dialect_writer.h"

#include <inttypes.h>
#include <string.h>

#include "model/schedule/schedule.h"
#include "sim/import/dialects/bridge_formats.h"
#include "sim/import/dialects/dialect.h"

enum { MEGATRON, TITAN }; /* rows of ss_dialects */

/* How a setting is written: `word` as it stands, `text` in quotes. */
typedef struct style {
  void (*begin)(FILE *stream, const ss_sheet *sheet);
  void (*setting)(FILE *stream, const char *table, const char *name, const char *value);
  void (*end)(FILE *stream);
  const char *yes, *no;               /* values of switches; NULL: what is off is not written */
  const char *quote;                  /* of texts */
  const char *open, *close, *between; /* of lists, and around their members quotes */
  int dialect;
} style;

/* torchrun --nproc-per-node N ... pretrain_gpt.py, and a line for each argument, with what validate_args asserts of the
 * environment: before Blackwell, collectives of tensors are in order with kernels by one connection. */
static void begin_command(FILE *stream, const ss_sheet *sheet)
{
  const ss_workload *w = sheet->workload;
  const bool orders = !sheet->nodes.is_blackwell && (w->parallelism.tp > 1 || w->parallelism.cp > 1) &&
                      w->parallelism.sharding < SS_SHARDING_GRADIENTS && w->schedule.overlap_ep == SS_EP_OVERLAP_NONE;
  if (orders) (void)fputs("CUDA_DEVICE_MAX_CONNECTIONS=1 ", stream);
  if (w->training.offload_modules != 0) (void)fputs("NVTE_CPU_OFFLOAD_V1=1 ", stream);
  (void)fprintf(stream,
                "torchrun --nproc-per-node %.0f --nnodes %.0f --node-rank ${NODE_RANK:-0} \\\n"
                "  --master-addr ${MASTER_ADDR:-localhost} --master-port ${MASTER_PORT:-29500} \\\n"
                "  pretrain_gpt.py",
                sheet->value[SS_VALUE_GPUS_OF_NODE], sheet->value[SS_VALUE_NODES]);
}

static void write_argument(FILE *stream, const char *table, const char *name, const char *value)
{
  (void)table;
  if (strcmp(name, "nnodes") == 0 || strcmp(name, "nproc-per-node") == 0) return; /* ahead of the program */
  (void)fprintf(stream, " \\\n  --%s%s%s", name, value[0] != '\0' ? " " : "", value);
}

static void end_command(FILE *stream)
{
  (void)fputc('\n', stream);
}

static void begin_nothing(FILE *stream, const ss_sheet *sheet)
{
  (void)stream, (void)sheet;
}

static void end_nothing(FILE *stream)
{
  (void)stream;
}

static void write_name(FILE *stream, const char *name, size_t length)
{
  for (size_t i = 0; i < length; ++i) (void)fputc(name[i] == '-' ? '_' : name[i], stream);
}

static void write_yaml(FILE *stream, const char *table, const char *name, const char *value)
{
  (void)fputs(table[0] != '\0' ? "  " : "", stream);
  write_name(stream, name, strlen(name));
  (void)fprintf(stream, ": %s\n", value[0] != '\0' ? value : "true");
}

static void write_toml(FILE *stream, const char *table, const char *name, const char *value)
{
  (void)table;
  write_name(stream, name, strlen(name));
  (void)fprintf(stream, " = %s\n", value);
}

static const style styles[SS_EMITS] = {
    [SS_EMIT_megatron] = {begin_command, write_argument, end_command, "", NULL, "\"", "", "", " ", MEGATRON},
    [SS_EMIT_nemo] = {begin_nothing, write_yaml, end_nothing, "true", "false", "\"", "[", "]", ", ", MEGATRON},
    [SS_EMIT_torchtitan] = {begin_nothing, write_toml, end_nothing, "true", "false", "\"", "[", "]", ", ", TITAN},
};

void ss_dialect_write_name(FILE *stream, const char *name, ss_emit emit)
{
  if (styles[emit].no == NULL)
    (void)fprintf(stream, "--%s", name);
  else
    write_name(stream, name, strlen(name));
}

/* What is written of a row. */
typedef struct writing {
  const ss_sheet *sheet;
  const style *style;
  const ss_dialect *dialect;
  char value[2 * SS_TEXT_SIZE];
} writing;

static int64_t number_of(const ss_sheet *sheet, ss_attribute_index index)
{
  const ss_attribute *attribute = &ss_workload_attributes()[index];
  const char *field = (const char *)sheet->workload + attribute->offset;
  int64_t count;
  int choice;
  if (attribute->type == SS_ATTRIBUTE_COUNT) {
    memcpy(&count, field, sizeof count);
    return count;
  }
  memcpy(&choice, field, sizeof choice);
  return choice;
}

static bool write_quoted(writing *w, const char *text)
{
  (void)snprintf(w->value, sizeof w->value, "%s%s%s", w->style->quote, text, w->style->quote);
  return text[0] != '\0';
}

static bool write_switch(writing *w, bool on)
{
  const char *word = on ? w->style->yes : w->style->no;
  if (word != NULL) (void)snprintf(w->value, sizeof w->value, "%s", word);
  return word != NULL;
}

static bool write_count(writing *w, const ss_setting_row *row)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  const int64_t number = number_of(w->sheet, row->attribute);
  const bool is_default = number == ss_dialect_default(w->dialect, row->attribute);
  (void)snprintf(w->value, sizeof w->value, "%" PRId64, number);
  if (attribute->fallback == SS_DERIVED && number == SS_DERIVED) return false;
  return row->number == 1 || row->when != NULL || !is_default;
}

/* What would be another thing in quotes: a truth value, nothing, a number and a mapping. */
static bool is_bare(const style *own, const char *word)
{
  return strcmp(word, own->no) == 0 || strcmp(word, own->yes) == 0 || strcmp(word, "null") == 0 || word[0] == '{' ||
         strspn(word, "0123456789") == strlen(word);
}

/* A word is written as it stands on a line, and in quotes in a file. */
static bool write_word(writing *w, const char *word)
{
  if (w->style->no == NULL || is_bare(w->style, word))
    (void)snprintf(w->value, sizeof w->value, "%s", word);
  else
    (void)write_quoted(w, word);
  return true;
}

static bool write_set(writing *w, const ss_setting_row *row)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  ss_word_set set;
  size_t used = (size_t)snprintf(w->value, sizeof w->value, "%s", w->style->open);
  memcpy(&set, (const char *)w->sheet->workload + attribute->offset, sizeof set);
  bool any = false;
  for (int i = 0; attribute->words[i] != NULL; ++i) {
    if ((set & SS_WORD_BIT(i)) == 0) continue;
    used += (size_t)snprintf(w->value + used, sizeof w->value - used, "%s%s", any ? w->style->between : "",
                             attribute->words[i]);
    any = true;
  }
  (void)snprintf(w->value + used, sizeof w->value - used, "%s", w->style->close);
  return any;
}

static bool write_pick(writing *w, const ss_setting_row *row)
{
  const double value = w->sheet->value[row->which];
  if (row->text != NULL) return value == (double)row->number && write_word(w, row->text);
  return value == (double)row->number ? write_switch(w, true) : (value == 0.0 && write_switch(w, false));
}

static bool write_flag(writing *w, const ss_setting_row *row)
{
  const int64_t number = number_of(w->sheet, row->attribute);
  if (row->when == NULL && number == ss_dialect_default(w->dialect, row->attribute)) return false;
  if (number == row->number) return write_switch(w, true);
  return number == row->otherwise && write_switch(w, false);
}

/* Words with blanks between them. */
static bool write_list(writing *w, const char *text)
{
  char words[SS_TEXT_SIZE], list[sizeof w->value], *rest = NULL;
  size_t used = (size_t)snprintf(list, sizeof list, "%s", w->style->open);
  (void)snprintf(words, sizeof words, "%s", text);
  for (const char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    (void)write_quoted(w, word);
    if (used < sizeof list)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", word != words ? ", " : "", w->value);
  }
  (void)snprintf(w->value, sizeof w->value, "%s%s", list, w->style->close);
  return true;
}

static bool write_kept(writing *w, const ss_setting_row *row)
{
  const char *text = w->sheet->text[row->which];
  const bool is_one = w->style->no == NULL && strpbrk(text, "([*|, ") == NULL;
  if (text[0] == '\0') return false;
  if (is_one || row->which == SS_KEPT_HIERARCHY) return write_word(w, text);
  return row->number == 1 ? write_list(w, text) : write_quoted(w, text);
}

/* Writes the value of a row that a workload has, if it is not what holds without it. */
static bool write_value(writing *w, const ss_setting_row *row)
{
  const ss_sheet *sheet = w->sheet;
  w->value[0] = '\0';
  if (row->when != NULL && !row->when(sheet->workload)) return false;
  switch (row->use) {
  case SS_SETTING_COUNT: return write_count(w, row);
  case SS_SETTING_TEXT:
    return write_quoted(w, (const char *)sheet->workload + ss_workload_attributes()[row->attribute].offset);
  case SS_SETTING_SET: return write_set(w, row);
  case SS_SETTING_FLAG: return write_flag(w, row);
  case SS_SETTING_WORD:
    if (number_of(sheet, row->attribute) != row->number) return false;
    if (row->when == NULL && row->number == ss_dialect_default(w->dialect, row->attribute)) return false;
    return write_word(w, row->text);
  case SS_SETTING_REAL:
  case SS_SETTING_WHOLE:
  case SS_SETTING_RANKS:
    (void)snprintf(w->value, sizeof w->value, "%.15g", sheet->value[row->which]);
    return sheet->value[row->which] != SS_NOT_GIVEN;
  case SS_SETTING_PICK: return write_pick(w, row);
  case SS_SETTING_KEEP: return write_kept(w, row);
  case SS_SETTING_IDLE:
    if (row->number == 1) return write_count(w, row);
    return row->text[0] != '\0' ? write_word(w, row->text) : write_switch(w, true);
  case SS_SETTING_PARTS:
  case SS_SETTING_RECIPE:
  case SS_SETTING_LEFT_OUT:
  case SS_SETTING_MATTERS:
  case SS_SETTING_REFUSED: break;
  }
  return false;
}

/* The table of a row: its section, or what its key begins with. */
static size_t table_of(const ss_setting_row *row, const char **table)
{
  const char *dot = strrchr(row->key, '.');
  *table = row->section != NULL ? row->section : row->key;
  return row->section != NULL ? strlen(row->section) : (size_t)(dot - row->key);
}

static bool is_in(const ss_setting_row *row, const char *table, size_t length)
{
  const char *own;
  return table_of(row, &own) == length && memcmp(own, table, length) == 0;
}

/* Writes all settings of the table that a row is the first one of. */
static void write_table(FILE *stream, writing *w, ss_emit emit, const ss_setting_row *first)
{
  const char *table;
  const size_t length = table_of(first, &table);
  const bool is_toml = w->dialect == &ss_dialects[TITAN];
  bool begun = length == 0 || w->style->no == NULL;
  for (const ss_setting_row *row = first; row->key != NULL; ++row) {
    if ((row->by & (1u << emit)) == 0 || !is_in(row, table, length) || !write_value(w, row)) continue;
    if (!begun) {
      (void)fputs(is_toml ? "\n[" : "", stream);
      write_name(stream, table, length);
      (void)fputs(is_toml ? "]\n" : ":\n", stream);
    }
    begun = true;
    w->style->setting(stream, length > 0 ? "  " : "", row->section != NULL ? row->key : row->key + length + 1,
                      w->value);
  }
}

/* Whether no row before it is of the same table. */
static bool begins_table(const ss_dialect *dialect, ss_emit emit, const ss_setting_row *row)
{
  const char *table;
  const size_t length = table_of(row, &table);
  for (const ss_setting_row *before = dialect->rows; before != row; ++before)
    if ((before->by & (1u << emit)) != 0 && is_in(before, table, length)) return false;
  return true;
}

/* Arguments have no tables, and stand in the order of the rows. */
static void write_settings(FILE *stream, writing *w, ss_emit emit)
{
  const bool on_line = w->style->no == NULL;
  for (const ss_setting_row *row = w->dialect->rows; row->key != NULL; ++row) {
    if ((row->by & (1u << emit)) == 0) continue;
    if (on_line && write_value(w, row)) w->style->setting(stream, "", row->key, w->value);
    if (!on_line && begins_table(w->dialect, emit, row)) write_table(stream, w, emit, row);
  }
}

void ss_dialect_write(FILE *stream, const ss_workload *workload, const ss_emit_nodes *nodes, ss_emit emit)
{
  ss_workload own = *workload;
  ss_sheet sheet;
  writing w = {.sheet = &sheet, .style = &styles[emit], .dialect = &ss_dialects[styles[emit].dialect]};
  ss_sheet_init(&sheet, NULL, &own, "");
  sheet.nodes = *nodes;
  for (int i = 0; i < *w.dialect->joint_count; ++i)
    if (w.dialect->joints[i].write != NULL) w.dialect->joints[i].write(&sheet);
  w.style->begin(stream, &sheet);
  write_settings(stream, &w, emit);
  w.style->end(stream);
}

/* Layers of the largest part of a stage. */
static int64_t most_layers(const ss_workload *w)
{
  int64_t layers = ss_pipeline_even_layers(w);
  if (w->parallelism.first_stage_layers > layers) layers = w->parallelism.first_stage_layers;
  if (w->parallelism.last_stage_layers > layers) layers = w->parallelism.last_stage_layers;
  return w->parallelism.layout[0] != '\0' ? w->model.layers : layers;
}

/* What is selective and names no module is the core of attention there, and here where it is not fused only. */
static bool computes_nothing_again(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_SELECTIVE && w->training.recompute_modules == 0 &&
         w->training.attention == SS_ATTENTION_FLASH;
}

/* Megatron-Bridge says the type of gradients in any case. Megatron-LM turns sequence parallelism off where nothing is
 * split, counts layers that are computed again, and asserts that DeepEP has ranks to send to
 * (megatron/core/transformer/moe/token_dispatcher.py), where all dispatchers are one. */
ss_workload ss_dialect_workload(const ss_workload *workload, ss_emit emit)
{
  ss_workload own = *workload;
  const bool gathers_once =
      own.parallelism.sharding == SS_SHARDING_OPTIMIZER || own.parallelism.sharding == SS_SHARDING_GRADIENTS;
  if (!gathers_once || own.schedule.overlap_dp == SS_NO) own.schedule.overlap_gather = SS_YES; /* says nothing */
  if (emit == SS_EMIT_torchtitan) return own;
  if (emit == SS_EMIT_nemo) own.training.gradients = ss_bridge_gradients(&own);
  if (own.parallelism.tp == 1) own.parallelism.sequence_parallel = SS_NO;
  if (own.parallelism.pp == 1) own.schedule.overlap_pp = SS_NO;
  if (own.parallelism.ep * ss_workload_etp(&own) == 1) own.schedule.dispatch = SS_DISPATCH_COPIES;
  if (computes_nothing_again(&own)) own.training.recompute = SS_RECOMPUTE_NONE;
  if (own.training.recompute == SS_RECOMPUTE_FULL && own.training.recompute_layers == SS_DERIVED)
    own.training.recompute_layers = own.training.recompute_method == SS_RECOMPUTE_UNIFORM ? 1 : most_layers(&own);
  return own;
}
