#include "sim/cli/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/io.h"

static int64_t parse_index(struct argp_state *state, const char *what, const char *list, const char *text, char **end)
{
  errno = 0;
  const long long value = strtoll(text, end, 10);
  if (!isdigit((unsigned char)*text) || errno != 0)
    argp_error(state, "%s \"%s\": not a list of numbers; allowed: such as 0-511:32 or 0,4,8-15", what, list);
  return value;
}

/* Reads "0-63:4,128" into ranges. */
void ss_parse_selection(struct argp_state *state, const char *what, const char *list, ss_selection *selection)
{
  char *end = (char *)(uintptr_t)list;
  *selection = (ss_selection){0};
  do {
    if (selection->count == SS_SELECTION_RANGES)
      argp_error(state, "%s \"%s\": more than %d ranges", what, list, SS_SELECTION_RANGES);
    const char *text = end;
    int64_t first = parse_index(state, what, list, text, &end), last = first, step = 1;
    if (*end == '-') last = parse_index(state, what, list, end + 1, &end);
    if (*end == ':') step = parse_index(state, what, list, end + 1, &end);
    if ((*end != ',' && *end != '\0') || last < first || step < 1)
      argp_error(state, "%s \"%s\": not a list of ranges; allowed: such as 0-511:32 or 0,4,8-15", what, list);
    selection->range[selection->count].first = first;
    selection->range[selection->count].last = last;
    selection->range[selection->count++].step = step;
  } while (*end++ == ',');
}

void ss_parse_cost(struct argp_state *state, const char *word, ss_options *options)
{
#define COST_WORD(id, name, help) " " name
  if (!ss_cost_find(word, &options->cost))
    argp_error(state, "--cost \"%s\": unknown; allowed:" SS_COST_LIST(COST_WORD), word);
#undef COST_WORD
}

/* One of the words of a list, by number. */
#define LIST_WORD(id, name, help)    name,
#define ALLOWED_WORD(id, name, help) " " name
static int parse_word(struct argp_state *state, const char *word, const char *const *words, const char *refusal)
{
  int i = 0;
  while (words[i] != NULL && strcmp(word, words[i]) != 0) ++i;
  if (words[i] == NULL) argp_error(state, refusal, word);
  return i;
}

void ss_parse_flows(struct argp_state *state, const char *word, ss_options *options)
{
  static const char *const words[] = {SS_FLOWS_LIST(LIST_WORD) NULL};
  options->flows =
      (ss_flow_mode)parse_word(state, word, words, "--flows \"%s\": unknown; allowed:" SS_FLOWS_LIST(ALLOWED_WORD));
}

void ss_parse_fold(struct argp_state *state, const char *word, ss_options *options)
{
  static const char *const words[] = {SS_FOLD_LIST(LIST_WORD) NULL};
  options->fold =
      (ss_fold)parse_word(state, word, words, "--fold \"%s\": unknown; allowed:" SS_FOLD_LIST(ALLOWED_WORD));
}
#undef LIST_WORD
#undef ALLOWED_WORD

void ss_parse_objective(struct argp_state *state, const char *word, ss_options *options)
{
#define OBJECTIVE_WORD(id, name, help) " " name
  if (!ss_objective_find(word, &options->objective))
    argp_error(state, "--objective \"%s\": unknown; allowed:" SS_OBJECTIVE_LIST(OBJECTIVE_WORD), word);
#undef OBJECTIVE_WORD
}

void ss_parse_best(struct argp_state *state, const char *word, ss_options *options)
{
#define BEST_WORD(id, name, help) " " name
  if (!ss_best_find(word, &options->best))
    argp_error(state, "--best \"%s\": unknown; allowed:" SS_BEST_LIST(BEST_WORD), word);
#undef BEST_WORD
}

void ss_parse_budget(struct argp_state *state, const char *text, ss_options *options)
{
  if (ss_quantity_parse(text, SS_UNIT_NONE, &options->budget) != 0 || options->budget <= 0.0)
    argp_error(state, "--budget \"%s\": is not an amount of dollars; allowed: such as 125e6", text);
}

/* Seconds or bytes above 0. */
double ss_parse_limit(struct argp_state *state, const char *option, const char *text, ss_unit unit)
{
  double limit = 0.0;
  if (ss_quantity_parse(text, unit, &limit) != 0 || limit <= 0.0)
    argp_error(state, "%s \"%s\": is no amount above 0; allowed: %s", option, text,
               unit == SS_UNIT_NONE ? "seconds, such as 10" : ss_unit_text(unit));
  return limit;
}

/* Reads a number from 1 on that is followed by a comma or the end. */
static int64_t parse_count(struct argp_state *state, const char *what, const char *text, int64_t largest, char **end)
{
  errno = 0;
  const long long value = strtoll(text, end, 10);
  if (!isdigit((unsigned char)*text) || errno != 0 || (**end != ',' && **end != '\0') || value < 1 || value > largest)
    argp_error(state, "%s \"%s\": out of range or not a number; allowed: 1 to %lld", what, text, (long long)largest);
  return value;
}

int64_t ss_parse_one_count(struct argp_state *state, const char *what, const char *text, int64_t largest)
{
  char *end;
  const int64_t value = parse_count(state, what, text, largest, &end);
  if (*end != '\0')
    argp_error(state, "%s \"%s\": is more than one number; allowed: 1 to %lld", what, text, (long long)largest);
  return value;
}

void ss_parse_gpus(struct argp_state *state, const char *list, ss_options *options)
{
  char *end = (char *)(uintptr_t)list;
  options->gpus_count = 0;
  do {
    const char *text = end;
    if (options->gpus_count == SS_MAX_SIZES) argp_error(state, "--gpus \"%s\": more than %d sizes", list, SS_MAX_SIZES);
    options->gpus[options->gpus_count++] = parse_count(state, "--gpus", text, INT32_MAX, &end);
  } while (*end++ == ',');
}

static bool find_tensor(const char *name, size_t length, unsigned *tensor)
{
  for (*tensor = SS_TENSOR_1D; *tensor <= SS_TENSOR_SUMMA; ++*tensor) {
    const char *word = ss_word(SS_AT_parallelism_tensor, (int)*tensor);
    if (strlen(word) == length && strncmp(word, name, length) == 0) return true;
  }
  return false;
}

void ss_parse_tensor(struct argp_state *state, const char *list, ss_options *options)
{
  const char *text = list;
  options->tensors = 0;
  do {
    unsigned tensor;
    const size_t length = strcspn(text, ",");
#define TENSOR_WORD(id, name) " " name
    if (!find_tensor(text, length, &tensor))
      argp_error(state, "--tensor \"%s\": not a list of tensor layouts; allowed:" SS_TENSOR_LIST(TENSOR_WORD), list);
#undef TENSOR_WORD
    options->tensors |= SS_TENSOR_BIT(tensor);
    text += length;
  } while (*text++ == ',');
}

/* The names of the table, each once. */
static void list_knobs(char *list, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < SS_KNOB_TOTAL && used < size; ++i) {
    const char *name = ss_knobs()[i].name;
    const bool is_first = name[0] != '\0' && (ss_knob_find(name, strlen(name)) & (SS_KNOB_BIT(i) - 1)) == 0;
    if (is_first) used += (size_t)snprintf(list + used, size - used, " %s", name);
  }
}

void ss_parse_knobs(struct argp_state *state, const char *list, ss_options *options)
{
  const char *text = list;
  char names[SS_MESSAGE_SIZE];
  list_knobs(names, sizeof names);
  options->knobs = 0;
  do {
    const size_t length = strcspn(text, ",");
    const ss_knob_set found = ss_knob_find(text, length);
    if (found == 0) argp_error(state, "--knobs \"%.*s\": unknown; allowed:%s", (int)length, text, names);
    options->knobs |= found;
    text += length;
  } while (*text++ == ',');
}
