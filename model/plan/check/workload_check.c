#include "model/plan/check/workload_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/plan/check/refusal_row.h"
#include "model/plan/check/refusals.h"
#include "model/plan/layers/layer_plan.h"
#include "model/plan/layers/layout_text.h"
#include "model/schedule/schedule.h"

/* How many allowed values a message spells out before it says "...", and how many it tries to find them. */
#define LISTED_VALUES 7
#define TRIED_VALUES  1000000

#define LIST_SIZE    256
#define PROBLEM_SIZE 768

/* Text of limited size; what does not fit is left out. */
typedef struct text {
  char *at;
  size_t left;
} text;

static void append(text *to, const char *from, size_t length)
{
  if (length >= to->left) return;
  memcpy(to->at, from, length);
  to->at += length;
  to->left -= length;
  *to->at = '\0';
}

/* Appends ELEMENT.NAME="VALUE". */
static void append_attribute(text *to, const ss_workload *workload, const char *name, size_t length)
{
  char element[SS_TEXT_SIZE], value[SS_TEXT_SIZE];
  SS_ASSERT(length < sizeof element);
  memcpy(element, name, length);
  element[length] = '\0';
  char *dot = strchr(element, '.');
  SS_ASSERT(dot != NULL);
  *dot = '\0';
  const ss_attribute *row = ss_workload_attribute(element, dot + 1);
  SS_ASSERT(row != NULL);
  ss_workload_value_text(workload, (ss_attribute_index)(row - ss_workload_attributes()), value, sizeof value);
  append(to, name, length);
  append(to, "=\"", 2);
  append(to, value, strlen(value));
  append(to, "\"", 1);
}

/* What problems name beside attributes: X("name", printf format, value of `layout` and `shape`). */
#define FACT_LIST(X)                                                                                                   \
  X("kinds.problem", "%s", kinds)                                                                                      \
  X("pattern.problem", "%s", ss_layer_pattern_problem(workload))                                                       \
  X("recompute-layer-ids.problem", "%s", ss_layer_ids_problem(workload))                                               \
  X("layout.even", "%s", even)                                                                                         \
  X("layout.problem", "%s", layout.problem)                                                                            \
  X("layout.embeddings", "%" PRId64, layout.count[SS_LAYOUT_EMBEDDING])                                                \
  X("layout.layers", "%" PRId64, layout.count[SS_LAYOUT_LAYER])                                                        \
  X("layout.modules", "%" PRId64, layout.count[SS_LAYOUT_MODULE])                                                      \
  X("layout.module-parts", "%" PRId64, layout.module_parts)                                                            \
  X("layout.vision", "%" PRId64, layout.count[SS_LAYOUT_VISION])                                                       \
  X("layout.outputs", "%" PRId64, layout.count[SS_LAYOUT_OUTPUT])                                                      \
  X("layout.parts", "%" PRId64, layout.parts)                                                                          \
  X("pipeline.parts", "%" PRId64, ss_shape_parts(&shape))

/* A layout that a workload could have; where there is too little for its parts, what any layout looks like. */
static void write_even_layout(const ss_workload *workload, const ss_pipeline_shape *shape, char even[PROBLEM_SIZE])
{
  const int64_t parts = ss_shape_parts(shape), modules = workload->model.mtp_modules;
  if (parts < 2 || !ss_layout_even(workload->model.layers, modules, parts, even, PROBLEM_SIZE))
    (void)snprintf(even, PROBLEM_SIZE, "E|t|L");
}

/* Appends what follows from attributes; false when it is none of these. */
static bool append_fact(text *to, const ss_workload *workload, const char *name, size_t length)
{
  const ss_layout_sum layout = ss_layout_sum_of(workload->parallelism.layout);
  const ss_pipeline_shape shape = ss_pipeline_shape_of(workload);
  char value[PROBLEM_SIZE] = "", kinds[PROBLEM_SIZE] = "", even[PROBLEM_SIZE];
  (void)ss_layer_kinds_problem(workload, kinds, sizeof kinds);
  write_even_layout(workload, &shape, even);
#define FACT_WRITE(label, format, fact)                                                                                \
  if (strlen(label) == length && strncmp(name, label, length) == 0) (void)snprintf(value, sizeof value, format, fact);
  FACT_LIST(FACT_WRITE)
#undef FACT_WRITE
  append(to, value, strlen(value));
  return value[0] != '\0';
}

/* Appends a fact of no workload in particular, as what its printf format stands for; false when it is none. */
static bool append_fact_in_general(text *to, const char *name, size_t length)
{
  const char *fact = NULL;
#define FACT_KIND(label, format, of_workload)                                                                          \
  if (strlen(label) == length && strncmp(name, label, length) == 0) fact = strcmp(format, "%s") == 0 ? "..." : "N";
  FACT_LIST(FACT_KIND)
#undef FACT_KIND
  if (fact != NULL) append(to, fact, strlen(fact));
  return fact != NULL;
}

/* Appends what a problem has in braces: with its value, if there is a workload to have it from. */
static void append_named(text *to, const ss_workload *workload, const char *name, size_t length)
{
  const bool is_fact =
      workload != NULL ? append_fact(to, workload, name, length) : append_fact_in_general(to, name, length);
  if (is_fact) return;
  if (workload != NULL)
    append_attribute(to, workload, name, length);
  else
    append(to, name, length);
}

/* Writes `problem` with the attributes and the facts that it has in braces: those of a workload, or, with NULL, as they
 * are of many. */
static void write_problem(const ss_workload *workload, const char *problem, char *copy, size_t size)
{
  text to = {copy, size};
  *copy = '\0';
  while (*problem != '\0') {
    const size_t plain = strcspn(problem, "{");
    append(&to, problem, plain);
    problem += plain;
    if (*problem == '\0') return;
    const size_t name = strcspn(++problem, "}");
    append_named(&to, workload, problem, name);
    problem += name + 1;
  }
}

void ss_refusal_problem(const ss_refusal *row, char *copy, size_t size)
{
  write_problem(NULL, row->problem, copy, size);
}

/* Lists counts that pass a row and those above it. */
static void list_counts(ss_workload trial, const ss_machine *machine, ss_refusal_index index, text *to)
{
  const ss_attribute *row = &ss_workload_attributes()[ss_refusals()[index].blamed];
  int listed = 0;
  const int64_t first = (int64_t)row->minimum, last = (int64_t)row->maximum;
  for (int64_t value = first; value <= last && value < first + TRIED_VALUES; value++) {
    memcpy((char *)&trial + row->offset, &value, sizeof value);
    if (!ss_refusals_pass(&trial, machine, index)) continue;
    char item[32];
    const bool more = listed++ < LISTED_VALUES;
    const int length = more ? snprintf(item, sizeof item, "%s%" PRId64, listed > 1 ? ", " : "", value)
                            : snprintf(item, sizeof item, ", ...");
    append(to, item, (size_t)length);
    if (!more) return;
  }
  if (listed > 0 && last >= first + TRIED_VALUES) append(to, ", ...", strlen(", ..."));
}

/* Lists words that pass a row and those above it. */
static void list_words(ss_workload trial, const ss_machine *machine, ss_refusal_index index, text *to)
{
  const ss_attribute *row = &ss_workload_attributes()[ss_refusals()[index].blamed];
  const char *separator = "";
  for (int value = 0; row->words[value] != NULL; value++) {
    memcpy((char *)&trial + row->offset, &value, sizeof value);
    if (!ss_refusals_pass(&trial, machine, index)) continue;
    append(to, separator, strlen(separator));
    append(to, row->words[value], strlen(row->words[value]));
    separator = ", ";
  }
}

/* Lists words of a set that pass a row and those above it by themselves. */
static void list_members(ss_workload trial, const ss_machine *machine, ss_refusal_index index, text *to)
{
  const ss_attribute *row = &ss_workload_attributes()[ss_refusals()[index].blamed];
  const char *separator = "";
  for (int i = 0; row->words[i] != NULL; i++) {
    const ss_word_set member = (ss_word_set)SS_WORD_BIT(i);
    memcpy((char *)&trial + row->offset, &member, sizeof member);
    if (!ss_refusals_pass(&trial, machine, index)) continue;
    append(to, separator, strlen(separator));
    append(to, row->words[i], strlen(row->words[i]));
    separator = ", ";
  }
}

/* Lists values of the blamed attribute that would not be refused; leaves `list` empty when none is found. */
static void list_values(const ss_workload *workload, const ss_machine *machine, ss_refusal_index index,
                        char list[LIST_SIZE])
{
  text to = {list, LIST_SIZE};
  static void (*const list_of[])(ss_workload, const ss_machine *, ss_refusal_index, text *) = {
      [SS_ATTRIBUTE_COUNT] = list_counts, [SS_ATTRIBUTE_CHOICE] = list_words, [SS_ATTRIBUTE_SET] = list_members};
  const ss_attribute_type type = ss_workload_attributes()[ss_refusals()[index].blamed].type;
  SS_ASSERT(list_of[type] != NULL);
  list_of[type](*workload, machine, index, &to);
}

static ss_status refuse(const ss_workload *workload, const ss_machine *machine, ss_refusal_index index, ss_error *error)
{
  const ss_refusal *row = &ss_refusals()[index];
  char problem[PROBLEM_SIZE], otherwise[PROBLEM_SIZE], list[LIST_SIZE] = "";
  write_problem(workload, row->problem, problem, sizeof problem);
  write_problem(workload, row->otherwise, otherwise, sizeof otherwise);
  if (row->values[0] != '\0') list_values(workload, machine, index, list);
  const char *values = list[0] != '\0' ? list : row->values;
  return ss_workload_refuse(workload, row->blamed, error, "%s; allowed: %s%s%s", problem, values,
                            values[0] != '\0' && otherwise[0] != '\0' ? ", or " : "", otherwise);
}

static ss_status check_rules(const ss_workload *workload, const ss_machine *machine, ss_error *error)
{
  ss_workload blamed;
  const ss_refusal_index index = ss_workload_refused_by(workload, machine, error != NULL ? &blamed : NULL);
  if (index == SS_REFUSAL_TOTAL) return SS_OK;
  return error != NULL ? refuse(&blamed, machine, index, error) : SS_ERROR_INPUT; /* a search wants no text */
}

static int64_t count_of(const ss_workload *workload, const ss_attribute *row)
{
  int64_t count;
  memcpy(&count, (const char *)workload + row->offset, sizeof count);
  return count;
}

static ss_status check_required(const ss_workload *workload, ss_error *error)
{
  char missing[SS_MESSAGE_SIZE] = "";
  text to = {missing, sizeof missing};
  int line = 0;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    const bool required = row->type == SS_ATTRIBUTE_COUNT && row->fallback < 0;
    if (!required || count_of(workload, row) != 0) continue;
    if (missing[0] == '\0') line = ss_workload_line(workload, (ss_attribute_index)i);
    char item[SS_TEXT_SIZE];
    const int length = snprintf(item, sizeof item, "%s%s.%s (%.0f to %.0f)", missing[0] != '\0' ? ", " : "",
                                row->element, row->name, row->minimum, row->maximum);
    append(&to, item, (size_t)length);
  }
  if (missing[0] == '\0') return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, workload->file, line, "required attributes are missing: %s", missing);
}

/* Every division of the rules is by a number that this has found positive, or derived. What is still 0 for "derived"
 * has no range; where it makes no sense, a rule says why. */
static ss_status check_ranges(const ss_workload *workload, ss_error *error)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (row->type != SS_ATTRIBUTE_COUNT) continue;
    const double count = (double)count_of(workload, row);
    if (row->fallback == SS_DERIVED && count == SS_DERIVED) continue;
    if (count < row->minimum || count > row->maximum)
      return ss_workload_refuse(workload, (ss_attribute_index)i, error, "is out of range; allowed: %.0f to %.0f",
                                row->minimum, row->maximum);
  }
  return SS_OK;
}

ss_status ss_workload_check_values(const ss_workload *workload, ss_error *error)
{
  const ss_status status = check_required(workload, error);
  return status == SS_OK ? check_ranges(workload, error) : status;
}

ss_status ss_workload_check(const ss_workload *workload, ss_error *error)
{
  const ss_status status = ss_workload_check_values(workload, error);
  if (status != SS_OK) return status;
  SS_ASSERT(workload->model.kv_heads > 0 && workload->parallelism.panels > 0); /* derived */
  return check_rules(workload, NULL, error);
}

ss_status ss_workload_check_model(const ss_workload *workload, ss_error *error)
{
  ss_workload blamed;
  const ss_refusal_index index = ss_model_refused_by(workload, &blamed);
  return index < SS_REFUSAL_TOTAL ? refuse(&blamed, NULL, index, error) : SS_OK;
}

ss_status ss_workload_check_machine(const ss_workload *workload, const ss_machine *machine, ss_error *error)
{
  SS_ASSERT(machine != NULL);
  return check_rules(workload, machine, error);
}
