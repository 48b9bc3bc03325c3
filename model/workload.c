#include "model/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many allowed values a message spells out before it says "...". */
#define LISTED_VALUES 7
#define LIST_SIZE     256

#define SS_WORD(id, word)    word,
#define SS_WORDS(name, list) static const char *const words_##name[] = {list(SS_WORD) NULL};
SS_CHOICE_LISTS(SS_WORDS)
#undef SS_WORDS
#undef SS_WORD

#define SS_ROW_TEXT(part, field, label, preset, text)                                                                  \
  {.element = #part,                                                                                                   \
   .name = label,                                                                                                      \
   .type = SS_ATTRIBUTE_TEXT,                                                                                          \
   .offset = offsetof(ss_workload, part.field),                                                                        \
   .text_fallback = preset,                                                                                            \
   .help = text},
#define SS_ROW_NUMBER(kind, part, field, label, preset, least, most, text)                                             \
  {.element = #part,                                                                                                   \
   .name = label,                                                                                                      \
   .type = kind,                                                                                                       \
   .offset = offsetof(ss_workload, part.field),                                                                        \
   .fallback = preset,                                                                                                 \
   .minimum = least,                                                                                                   \
   .maximum = most,                                                                                                    \
   .help = text},
#define SS_ROW_COUNT(part, field, label, preset, least, most, text)                                                    \
  SS_ROW_NUMBER(SS_ATTRIBUTE_COUNT, part, field, label, preset, least, most, text)
#define SS_ROW_REAL(part, field, label, preset, least, most, text)                                                     \
  SS_ROW_NUMBER(SS_ATTRIBUTE_REAL, part, field, label, preset, least, most, text)
#define SS_ROW_CHOICE(part, field, label, list, preset, text)                                                          \
  {.element = #part,                                                                                                   \
   .name = label,                                                                                                      \
   .type = SS_ATTRIBUTE_CHOICE,                                                                                        \
   .offset = offsetof(ss_workload, part.field),                                                                        \
   .fallback = preset,                                                                                                 \
   .words = words_##list,                                                                                              \
   .help = text},

static const ss_attribute attributes[SS_ATTRIBUTE_TOTAL] = {
    SS_WORKLOAD_ATTRIBUTES(SS_ROW_TEXT, SS_ROW_COUNT, SS_ROW_REAL, SS_ROW_CHOICE)};

#undef SS_ROW_TEXT
#undef SS_ROW_NUMBER
#undef SS_ROW_COUNT
#undef SS_ROW_REAL
#undef SS_ROW_CHOICE

const ss_attribute *ss_workload_attributes(void)
{
  return attributes;
}

const ss_attribute *ss_workload_attribute(const char *element, const char *name)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++)
    if (strcmp(attributes[i].element, element) == 0 && strcmp(attributes[i].name, name) == 0) return &attributes[i];
  return NULL;
}

static const void *field_of(const ss_workload *workload, const ss_attribute *row)
{
  return (const char *)workload + row->offset;
}

static int64_t count_of(const ss_workload *workload, ss_attribute_index index)
{
  int64_t count;
  memcpy(&count, field_of(workload, &attributes[index]), sizeof count);
  return count;
}

void ss_workload_init(ss_workload *workload)
{
  memset(workload, 0, sizeof *workload);
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &attributes[i];
    char *field = (char *)workload + row->offset;
    const int64_t count = row->fallback > 0 ? (int64_t)row->fallback : 0;
    const int choice = (int)row->fallback;
    switch (row->type) {
    case SS_ATTRIBUTE_TEXT: (void)snprintf(field, SS_TEXT_SIZE, "%s", row->text_fallback); break;
    case SS_ATTRIBUTE_COUNT: memcpy(field, &count, sizeof count); break;
    case SS_ATTRIBUTE_REAL: memcpy(field, &row->fallback, sizeof row->fallback); break;
    case SS_ATTRIBUTE_CHOICE: memcpy(field, &choice, sizeof choice); break;
    }
  }
}

void ss_workload_derive(ss_workload *workload)
{
  const int64_t hidden = workload->model.hidden, heads = workload->model.heads;
  if (workload->model.ffn == SS_DERIVED) workload->model.ffn = 4 * hidden;
  if (workload->model.kv_heads == SS_DERIVED) workload->model.kv_heads = heads;
  /* An uneven quotient stays 0, so that the check can tell it from a head size that was given. */
  if (workload->model.head_size == SS_DERIVED && heads > 0 && hidden % heads == 0)
    workload->model.head_size = hidden / heads;
}

const char *ss_word(ss_attribute_index index, int value)
{
  const char *const *words = attributes[index].words;
  SS_ASSERT(words != NULL && value >= 0);
  for (int i = 0; i < value; i++) SS_ASSERT(words[i] != NULL);
  SS_ASSERT(words[value] != NULL);
  return words[value];
}

static void format_value(const ss_workload *workload, ss_attribute_index index, char *text, size_t size)
{
  const ss_attribute *row = &attributes[index];
  const void *field = field_of(workload, row);
  double real;
  int choice;
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: (void)snprintf(text, size, "%s", (const char *)field); break;
  case SS_ATTRIBUTE_COUNT: (void)snprintf(text, size, "%" PRId64, count_of(workload, index)); break;
  case SS_ATTRIBUTE_REAL:
    memcpy(&real, field, sizeof real);
    (void)snprintf(text, size, "%g", real);
    break;
  case SS_ATTRIBUTE_CHOICE:
    memcpy(&choice, field, sizeof choice);
    (void)snprintf(text, size, "%s", ss_word(index, choice));
    break;
  }
}

ss_status ss_workload_refuse(const ss_workload *workload, ss_attribute_index index, ss_error *error, const char *format,
                             ...)
{
  char value[SS_TEXT_SIZE], problem[SS_MESSAGE_SIZE];
  format_value(workload, index, value, sizeof value);
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  const bool overridden = workload->line[index] == SS_LINE_OVERRIDE;
  return ss_error_set(error, SS_ERROR_INPUT, overridden ? SS_OVERRIDE_FILE : workload->file,
                      overridden ? 0 : workload->line[index], "%s.%s=\"%s\": %s", attributes[index].element,
                      attributes[index].name, value, problem);
}

/* Products saturate: what is too large for a machine is refused by comparison, not by overflow. */
static int64_t product(int64_t a, int64_t b)
{
  return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

int64_t ss_workload_gpus(const ss_workload *workload)
{
  const int64_t tensor = product(workload->parallelism.tp, workload->parallelism.tp2);
  const int64_t stage = product(product(tensor, workload->parallelism.cp), workload->parallelism.dp);
  return product(stage, workload->parallelism.pp);
}

int64_t ss_workload_micro_batches(const ss_workload *workload)
{
  return workload->training.global_batch / product(workload->parallelism.dp, workload->training.micro_batch);
}

/* A comma-separated list of the values that a message offers. */
typedef struct value_list {
  char text[LIST_SIZE];
  size_t used;
  int count;
} value_list;

/* Appends one value; false when the list has its fill, which it then says. */
static bool list_add(value_list *list, int64_t value)
{
  const bool full = list->count == LISTED_VALUES;
  const char *separator = list->count > 0 ? ", " : "";
  const size_t left = sizeof list->text - list->used;
  const int written = full ? snprintf(list->text + list->used, left, ", ...")
                           : snprintf(list->text + list->used, left, "%s%" PRId64, separator, value);
  SS_ASSERT(written > 0 && (size_t)written < left);
  list->used += (size_t)written;
  list->count++;
  return !full;
}

/* The divisors in increasing order: those up to the root, then their partners. */
static void list_divisors(value_list *list, int64_t number)
{
  *list = (value_list){.used = 0};
  int64_t divisor = 1;
  for (; divisor <= number / divisor; divisor++)
    if (number % divisor == 0 && !list_add(list, divisor)) return;
  while (--divisor > 0)
    if (number % divisor == 0 && divisor != number / divisor && !list_add(list, number / divisor)) return;
}

/* Refuses `divisor` unless it divides `multiple`. */
static ss_status check_divides(const ss_workload *workload, ss_attribute_index divisor, ss_attribute_index multiple,
                               ss_error *error)
{
  const int64_t number = count_of(workload, multiple);
  if (number % count_of(workload, divisor) == 0) return SS_OK;
  value_list allowed;
  list_divisors(&allowed, number);
  return ss_workload_refuse(workload, divisor, error, "does not divide %s.%s=\"%" PRId64 "\"; allowed: %s",
                            attributes[multiple].element, attributes[multiple].name, number, allowed.text);
}

static ss_status check_required(const ss_workload *workload, ss_error *error)
{
  char missing[SS_MESSAGE_SIZE] = "";
  size_t used = 0;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &attributes[i];
    const bool required = row->type == SS_ATTRIBUTE_COUNT && row->fallback < 0;
    if (!required || count_of(workload, (ss_attribute_index)i) != 0) continue;
    const int written = snprintf(missing + used, sizeof missing - used, "%s%s.%s (%.0f to %.0f)", used > 0 ? ", " : "",
                                 row->element, row->name, row->minimum, row->maximum);
    SS_ASSERT(written > 0 && (size_t)written < sizeof missing - used);
    used += (size_t)written;
  }
  if (used == 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, workload->file, 0, "required attributes are missing: %s", missing);
}

static ss_status check_head_size(const ss_workload *workload, ss_error *error)
{
  if (workload->model.head_size != SS_DERIVED) return SS_OK;
  value_list allowed;
  list_divisors(&allowed, workload->model.hidden);
  return ss_workload_refuse(workload, SS_AT_model_heads, error,
                            "does not divide model.hidden=\"%" PRId64
                            "\", and model.head-size is not given; allowed: %s, or a model.head-size",
                            workload->model.hidden, allowed.text);
}

/* Every division below is by a number that this has found positive. */
static ss_status check_ranges(const ss_workload *workload, ss_error *error)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute *row = &attributes[i];
    if (row->type != SS_ATTRIBUTE_COUNT) continue;
    const double count = (double)count_of(workload, (ss_attribute_index)i);
    if (count < row->minimum || count > row->maximum)
      return ss_workload_refuse(workload, (ss_attribute_index)i, error, "is out of range; allowed: %.0f to %.0f",
                                row->minimum, row->maximum);
  }
  return SS_OK;
}

static ss_status check_divisions(const ss_workload *workload, ss_error *error)
{
  static const struct {
    ss_attribute_index divisor, multiple;
  } rules[] = {
      {SS_AT_model_kv_heads, SS_AT_model_heads},
      {SS_AT_parallelism_tp, SS_AT_model_heads},
      {SS_AT_parallelism_tp, SS_AT_model_ffn},
      {SS_AT_parallelism_pp, SS_AT_model_layers},
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const ss_status status = check_divides(workload, rules[i].divisor, rules[i].multiple, error);
    if (status != SS_OK) return status;
  }
  return SS_OK;
}

static bool heads_fit(int64_t tp, int64_t kv_heads)
{
  return kv_heads % tp == 0 || tp % kv_heads == 0;
}

/* Key/value heads are split over the tensor ranks, or each is copied to equally many of them. */
static ss_status check_kv_heads(const ss_workload *workload, ss_error *error)
{
  const int64_t heads = workload->model.heads, kv_heads = workload->model.kv_heads;
  if (heads_fit(workload->parallelism.tp, kv_heads)) return SS_OK;
  value_list allowed = {.used = 0};
  for (int64_t tp = 1; tp <= heads; tp++)
    if (heads % tp == 0 && heads_fit(tp, kv_heads) && !list_add(&allowed, tp)) break;
  return ss_workload_refuse(workload, SS_AT_parallelism_tp, error,
                            "neither divides model.kv-heads=\"%" PRId64 "\" nor is a multiple of it; allowed: %s",
                            kv_heads, allowed.text);
}

static ss_status check_sequence(const ss_workload *workload, ss_error *error)
{
  if (workload->parallelism.sequence_parallel == SS_NO) return SS_OK;
  return check_divides(workload, SS_AT_parallelism_tp, SS_AT_model_sequence, error);
}

static ss_status check_batch(const ss_workload *workload, ss_error *error)
{
  const int64_t dp = workload->parallelism.dp, micro_batch = workload->training.micro_batch;
  const int64_t step = product(dp, micro_batch);
  if (workload->training.global_batch % step == 0) return SS_OK;
  return ss_workload_refuse(workload, SS_AT_training_global_batch, error,
                            "is not a multiple of parallelism.dp=\"%" PRId64 "\" * training.micro-batch=\"%" PRId64
                            "\"; allowed: multiples of %" PRId64,
                            dp, micro_batch, step);
}

const char *ss_axis_name(ss_axis axis)
{
  static const char *const names[] = {
#define AXIS_NAME(id, word) word,
      SS_AXIS_LIST(AXIS_NAME)
#undef AXIS_NAME
  };
  return names[axis];
}

ss_axis ss_axis_find(const char *name, size_t length)
{
  int axis = 0;
  while (axis < SS_AXIS_COUNT &&
         (strlen(ss_axis_name((ss_axis)axis)) != length || strncmp(name, ss_axis_name((ss_axis)axis), length) != 0))
    axis++;
  return (ss_axis)axis;
}

static ss_status check_order(const ss_workload *workload, ss_error *error)
{
  bool seen[SS_AXIS_COUNT] = {false};
  int found = 0;
  bool usable = true;
  for (const char *word = workload->placement.order; usable; found++) {
    const size_t length = strcspn(word, ",");
    const ss_axis axis = ss_axis_find(word, length);
    usable = axis < SS_AXIS_COUNT && !seen[axis];
    if (usable) seen[axis] = true;
    if (word[length] == '\0') break;
    word += length + 1;
  }
  if (usable && found == SS_AXIS_COUNT - 1) return SS_OK;
  return ss_workload_refuse(workload, SS_AT_placement_order, error,
                            "is not an order of the four coordinates; allowed: tp,cp,dp,pp in any order, each once");
}

static ss_status check_placement(const ss_workload *workload, ss_error *error)
{
  if (workload->placement.domain[0] == '\0' || workload->placement.ranks[0] == '\0') return SS_OK;
  return ss_workload_refuse(workload, SS_AT_placement_ranks, error,
                            "excludes placement.domain=\"%s\"; allowed: one of the two", workload->placement.domain);
}

ss_status ss_workload_check(const ss_workload *workload, ss_error *error)
{
  /* The order matters: each rule may rely on those above it. */
  static ss_status (*const rules[])(const ss_workload *, ss_error *) = {
      check_required, check_head_size, check_ranges, check_divisions, check_kv_heads,
      check_sequence, check_batch,     check_order,  check_placement,
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const ss_status status = rules[i](workload, error);
    if (status != SS_OK) return status;
  }
  return SS_OK;
}
