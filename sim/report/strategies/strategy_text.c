#include "model/base/spelling.h"
#include "model/input/workload.h"
#include "model/search/balance.h"
#include "model/search/varied.h"
#include "sim/report/strategies/strategy.h"
#include "sim/report/table.h"

#include <inttypes.h>
#include <string.h>

/* Of a placement: room for its text, and the least width of its column; and room for a list of knobs. */
enum { DOMAIN_SIZE = 96, LEAST_DOMAIN_WIDTH = 11, LIST_SIZE = 2048 };

static int wider(int width, const char *text)
{
  const int length = (int)strlen(text);
  return length > width ? length : width;
}

static const char *knob_label(int index)
{
  return ss_workload_attributes()[ss_knobs()[index].attribute].name;
}

void ss_knob_text(int index, const ss_candidate *candidate, char *text, size_t size)
{
  const ss_attribute_index attribute = ss_knobs()[index].attribute;
  const int32_t value = candidate->value.of[index];
  switch (ss_workload_attributes()[attribute].type) {
  case SS_ATTRIBUTE_TEXT: ss_balance_text(value, &candidate->model, text, size); break;
  case SS_ATTRIBUTE_CHOICE: (void)snprintf(text, size, "%s", ss_word(attribute, value)); break;
  case SS_ATTRIBUTE_SET: ss_words_text(attribute, (ss_word_set)value, text, size); break;
  case SS_ATTRIBUTE_COUNT:
  case SS_ATTRIBUTE_REAL: (void)snprintf(text, size, "%" PRId32, value); break;
  }
}

/* Counts that follow from others, in words. */
static const char *const derived_words[SS_ATTRIBUTE_TOTAL] = {[SS_AT_parallelism_shard_size] = "all",
                                                              [SS_AT_schedule_interleave_group] = "pp",
                                                              [SS_AT_training_recompute_layers] = "all",
                                                              [SS_AT_training_offload_layers] = "all",
                                                              [SS_AT_parallelism_vision_tp] = "-"};

/* The same in a cell of a table, which is not empty. */
static void cell_text(int index, const ss_candidate *candidate, char *text, size_t size)
{
  const char *word = derived_words[ss_knobs()[index].attribute];
  ss_knob_text(index, candidate, text, size);
  if (word != NULL && candidate->value.of[index] == SS_DERIVED) (void)snprintf(text, size, "%s", word);
  if (text[0] == '\0') (void)snprintf(text, size, "-");
}

/* "tp 4 pp 2": the coordinates that several GPUs of a domain share. */
static void domain_text(const ss_candidate *candidate, char *text, size_t size)
{
  const char *sequence = candidate->tensor == SS_TENSOR_1D ? "cp" : "tp2";
  const struct {
    const char *name;
    int64_t share;
  } axes[] = {{"tp", candidate->inside.tp},
              {sequence, candidate->inside.cp},
              {"dp", candidate->inside.dp},
              {"pp", candidate->inside.pp}};
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i) {
    if (axes[i].share == 1 || used >= size) continue;
    const int length =
        snprintf(text + used, size - used, "%s%s %" PRId64, used > 0 ? " " : "", axes[i].name, axes[i].share);
    used += (size_t)length;
  }
  if (used == 0) (void)snprintf(text, size, "-");
}

ss_strategy_columns ss_strategy_columns_of(ss_tensor own_layout, ss_knob_set knobs)
{
  return (ss_strategy_columns){
      .own_layout = own_layout, .knobs = knobs & ~SS_KNOB_BIT(SS_KNOB_cp), .domain_width = LEAST_DOMAIN_WIDTH};
}

void ss_strategy_columns_see(ss_strategy_columns *columns, const ss_candidate *candidate)
{
  char domain[DOMAIN_SIZE];
  domain_text(candidate, domain, sizeof domain);
  columns->domain_width = wider(columns->domain_width, domain);
  if (columns->seen++ == 0) columns->first = *candidate;
  columns->layouts = columns->layouts || candidate->tensor != columns->own_layout;
  columns->cp = columns->cp || candidate->cp > 1;
  columns->tp2 = columns->tp2 || candidate->tensor != SS_TENSOR_1D;
  columns->panels = columns->panels || candidate->tensor == SS_TENSOR_SUMMA;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((columns->knobs & SS_KNOB_BIT(i)) == 0) continue;
    char text[SS_TEXT_SIZE];
    cell_text(i, candidate, text, sizeof text);
    columns->width[i] = wider(columns->width[i], text);
    columns->differs[i] = columns->differs[i] || candidate->value.of[i] != columns->first.value.of[i];
  }
}

/* Labels without a candidate. The size, cp, has a column of its own. */
static void print_knobs(FILE *stream, const ss_strategy_columns *c, const ss_candidate *candidate)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if (!c->differs[i]) continue;
    char text[SS_TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%s", knob_label(i));
    if (candidate != NULL) cell_text(i, candidate, text, sizeof text);
    (void)fprintf(stream, "  %-*s", wider(c->width[i], knob_label(i)), text);
  }
}

/* Adds "label value" to a list of such. */
static void add_to_list(char list[LIST_SIZE], const char *label, const char *value)
{
  const size_t used = strlen(list);
  (void)snprintf(list + used, LIST_SIZE - used, "%s%s %s", used > 0 ? ", " : "", label, value);
}

/* Adds the knobs that differ, or those that are the same in all strategies. */
static void list_knobs(char list[LIST_SIZE], const ss_strategy_columns *c, const ss_candidate *candidate, bool differ)
{
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    if ((c->knobs & SS_KNOB_BIT(i)) == 0 || c->differs[i] != differ) continue;
    char text[SS_TEXT_SIZE];
    cell_text(i, candidate, text, sizeof text);
    add_to_list(list, knob_label(i), text);
  }
}

void ss_strategy_print_common(FILE *stream, const ss_strategy_columns *columns)
{
  char list[LIST_SIZE] = "";
  if (columns->seen > 0) list_knobs(list, columns, &columns->first, false);
  if (list[0] == '\0') return;
  (void)fputs("in all of them: ", stream);
  ss_table_print_wrapped(stream, list, (int)strlen("in all of them: "));
  (void)fputc('\n', stream);
}

static void panels_text(const ss_candidate *candidate, char *text, size_t size)
{
  (void)snprintf(text, size, "-");
  if (candidate->panels > 0) (void)snprintf(text, size, "%" PRId64, candidate->panels);
}

void ss_strategy_print_folded(FILE *stream, const ss_strategy_columns *columns, const ss_candidate *candidate,
                              int indent)
{
  char list[LIST_SIZE] = "", text[DOMAIN_SIZE];
  if (!columns->folded) return;
  panels_text(candidate, text, sizeof text);
  if (columns->panels) add_to_list(list, "panels", text);
  domain_text(candidate, text, sizeof text);
  add_to_list(list, "in a domain", text);
  list_knobs(list, columns, candidate, true);
  (void)fprintf(stream, "%*s", indent, "");
  ss_table_print_wrapped(stream, list, (size_t)indent);
}

void ss_strategy_print_header(FILE *stream, const ss_strategy_columns *columns)
{
  if (columns->layouts) (void)fprintf(stream, "  %-6s", "tensor");
  (void)fprintf(stream, "%4s", "tp");
  if (columns->tp2) (void)fprintf(stream, "%5s", "tp2");
  if (columns->cp) (void)fprintf(stream, "%5s", "cp");
  (void)fprintf(stream, "%4s%6s%12s", "pp", "dp", "micro-batch");
  if (columns->folded) return;
  if (columns->panels) (void)fprintf(stream, "%8s", "panels");
  print_knobs(stream, columns, NULL);
  (void)fprintf(stream, "  %-*s", columns->domain_width, "in a domain");
}

void ss_strategy_print(FILE *stream, const ss_strategy_columns *columns, const ss_candidate *candidate)
{
  char text[DOMAIN_SIZE];
  if (columns->layouts) (void)fprintf(stream, "  %-6s", ss_word(SS_AT_parallelism_tensor, candidate->tensor));
  (void)fprintf(stream, "%4" PRId64, candidate->tp);
  if (columns->tp2) (void)fprintf(stream, "%5" PRId64, candidate->tp2);
  if (columns->cp) (void)fprintf(stream, "%5" PRId64, candidate->cp);
  (void)fprintf(stream, "%4" PRId64 "%6" PRId64 "%12" PRId64, candidate->pp, candidate->dp, candidate->micro_batch);
  if (columns->folded) return;
  panels_text(candidate, text, sizeof text);
  if (columns->panels) (void)fprintf(stream, "%8s", text);
  print_knobs(stream, columns, candidate);
  domain_text(candidate, text, sizeof text);
  (void)fprintf(stream, "  %-*s", columns->domain_width, text);
}

/* Whether a count is one that follows from the others, which no text of it can say. */
static bool is_derived(const ss_attribute *row, const char *value)
{
  return row->type == SS_ATTRIBUTE_COUNT && row->fallback == SS_DERIVED && row->minimum > 0 && strcmp(value, "0") == 0;
}

/* Options of a command line as they are printed: how far the line is. */
typedef struct option_line {
  FILE *stream;
  int column;
} option_line;

/* A ss_tell_setting: " --set TEXT" as the shell takes it, on the next line where this one is full. */
static void print_set(void *context, const char *text)
{
  option_line *line = context;
  const bool is_plain = strpbrk(text, " \t|&;()<>$`\\\"'*?[]{}~#!") == NULL;
  char quoted[4 * SS_TEXT_SIZE];
  size_t used = 0;
  for (const char *at = text; *at != '\0' && used + sizeof "'\\''" < sizeof quoted; ++at)
    used += (size_t)snprintf(quoted + used, sizeof quoted - used, *at == '\'' ? "'\\''" : "%c", *at);
  quoted[used] = '\0';
  const int length = (int)strlen(" --set ") + (int)used + (is_plain ? 0 : 2);
  if (line->column > 1 && line->column + length > SS_TABLE_COLUMNS - 2) {
    (void)fputs(" \\\n ", line->stream);
    line->column = 1;
  }
  (void)fprintf(line->stream, is_plain ? " --set %s" : " --set '%s'", quoted);
  line->column += length;
}

/* Whether an override is of an attribute. */
static bool is_of(const char *override, const ss_attribute *row)
{
  char name[2 * SS_NAME_SIZE];
  (void)snprintf(name, sizeof name, "%s.%s", row->element, row->name);
  return ss_spells(override, strcspn(override, "="), name);
}

/* What a strategy sets of an attribute that a workload has otherwise, as NAME=VALUE; false if nothing. `chosen` is the
 * workload with the strategy. */
static bool find_change(const ss_workload *workload, const ss_workload *chosen, int index, char *text, size_t size)
{
  const ss_attribute *row = &ss_workload_attributes()[index];
  char own[SS_TEXT_SIZE], value[SS_TEXT_SIZE];
  ss_workload_value_text(workload, (ss_attribute_index)index, own, sizeof own);
  ss_workload_value_text(chosen, (ss_attribute_index)index, value, sizeof value);
  const bool follows =
      index == SS_AT_parallelism_panels && chosen->parallelism.tensor != SS_TENSOR_SUMMA; /* from the other sizes */
  if (strcmp(own, value) == 0 || follows) return false;
  (void)snprintf(text, size, "%s.%s=%s", row->element, row->name, is_derived(row, value) ? "default" : value);
  return true;
}

/* Whether a strategy leaves an override as it is. */
static bool stays(const char *override, const ss_workload *workload, const ss_workload *chosen)
{
  char text[2 * SS_TEXT_SIZE];
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
    if (is_of(override, &ss_workload_attributes()[i])) return !find_change(workload, chosen, i, text, sizeof text);
  return true;
}

void ss_strategy_tell_settings(const ss_search_report *report, const ss_candidate *candidate, ss_tell_setting *tell,
                               void *context)
{
  ss_workload chosen = *report->workload;
  char text[2 * SS_TEXT_SIZE];
  ss_candidate_apply(candidate, &chosen);
  for (int64_t i = 0; i < report->overrides; ++i)
    if (stays(report->override[i], report->workload, &chosen)) tell(context, report->override[i]);
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
    if (find_change(report->workload, &chosen, i, text, sizeof text)) tell(context, text);
}

void ss_strategy_print_options(FILE *stream, const ss_search_report *report, const ss_candidate *candidate)
{
  option_line line = {.stream = stream, .column = 1};
  ss_strategy_tell_settings(report, candidate, print_set, &line);
}
