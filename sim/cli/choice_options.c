#include "sim/cli/choice_options.h"

#include <stdio.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/search/varied.h"
#include "sim/cli/option_values.h"
#include "sim/io/io.h"

static void set_gpus(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  ss_choice_options *options = target;
  options->gpus_count = ss_option_counts(state, row, text, options->gpus, SS_MAX_SIZES);
}

static void set_budget(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  double *dollars = target;
  if (ss_quantity_parse(text, SS_UNIT_NONE, dollars) != 0 || *dollars <= 0.0)
    argp_error(state, "--%s \"%s\": is not an amount of dollars; allowed: such as 125e6", row->name, text);
}

static bool find_tensor(const char *name, size_t length, unsigned *tensor)
{
  for (*tensor = SS_TENSOR_1D; *tensor <= SS_TENSOR_SUMMA; ++*tensor) {
    const char *word = ss_word(SS_AT_parallelism_tensor, (int)*tensor);
    if (strlen(word) == length && strncmp(word, name, length) == 0) return true;
  }
  return false;
}

static void set_tensors(struct argp_state *state, const ss_option *row, void *target, char *list)
{
  unsigned *tensors = target;
  const char *text = list;
  (void)row;
  *tensors = 0;
  do {
    unsigned tensor;
    const size_t length = strcspn(text, ",");
#define TENSOR_WORD(id, name) " " name
    if (!find_tensor(text, length, &tensor))
      argp_error(state, "--tensor \"%s\": is not a list of tensor layouts; allowed:" SS_TENSOR_LIST(TENSOR_WORD), list);
#undef TENSOR_WORD
    *tensors |= SS_TENSOR_BIT(tensor);
    text += length;
  } while (*text++ == ',');
}

/* The names of the table, each once. */
static void list_knobs(char *list, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < SS_KNOB_TOTAL && used < size; ++i) {
    const char *name = ss_knob_listed(0, i, false);
    if (name != NULL) used += (size_t)snprintf(list + used, size - used, " %s", name);
  }
}

/* The set of a list, or of the word none. */
static void set_knobs(struct argp_state *state, const ss_option *row, void *target, char *list)
{
  ss_choice_options *options = target;
  const char *text = list;
  char names[SS_MESSAGE_SIZE];
  list_knobs(names, sizeof names);
  options->knobs = 0;
  options->has_knobs = true;
  if (strcmp(list, "none") == 0) return;
  do {
    const size_t length = strcspn(text, ",");
    const ss_knob_set found = ss_knob_find(text, length);
    if (found == 0)
      argp_error(state, "--%s \"%.*s\": unknown; allowed: none by itself, or from%s", row->name, (int)length, text,
                 names);
    options->knobs |= found;
    text += length;
  } while (*text++ == ',');
}

static void set_objective(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  ss_choice_options *options = target;
  (void)row;
#define OBJECTIVE_WORD(id, name, help) " " name
  if (!ss_objective_find(text, &options->objective))
    argp_error(state, "--objective \"%s\": unknown; allowed:" SS_OBJECTIVE_LIST(OBJECTIVE_WORD), text);
#undef OBJECTIVE_WORD
  options->has_objective = true;
}

#define OBJECTIVE_HELP(id, word, help) word ": " help "; "

const ss_option ss_choice_option_rows[] = {
    {.name = "gpus",
     .argument = "LIST",
     .help = "Numbers of GPUs to search, such as 512,1024; default: all of the platform, or those of placement.free. A "
             "sweep "
             "takes one number, "
             "from which dp follows",
     .commands = SS_ON_SEARCHES,
     .set = set_gpus,
     .most = INT32_MAX},
    {.name = "budget",
     .argument = "DOLLARS",
     .help = "Use as many GPUs, in whole domains, as this buys at the platform's gpu-price",
     .commands = SS_ON_SEARCHES,
     .set = set_budget,
     .target = offsetof(ss_choice_options, budget)},
    {.name = "tensor",
     .argument = "LIST",
     .help = "Tensor layouts to try, from 1d,2d,summa; default: that of the workload",
     .commands = SS_ON_SEARCHES,
     .set = set_tensors,
     .target = offsetof(ss_choice_options, tensors)},
    {.name = "knobs",
     .argument = "LIST",
     .help =
         "Attributes to vary, such as recompute,schedule, or none; an unknown name prints the list. By itself a search "
         "varies recompute, ep and etp of experts, interleave of an interleaved schedule, uneven-stages if the layers "
         "are no multiple of 16 or there is a vision tower, and segment if domains are no power of two or not all GPUs "
         "free, unless --set sets "
         "them",
     .commands = SS_ON_SEARCHES,
     .set = set_knobs},
    {.name = "objective",
     .argument = "WHAT",
     .help = "What to minimise - " SS_OBJECTIVE_LIST(OBJECTIVE_HELP) "default time",
     .commands = SS_ON_SEARCHES,
     .set = set_objective},
    {.name = NULL},
};

ss_knob_set ss_choice_knobs(const ss_choice_options *options, const ss_workload *workload, const ss_machine *machine,
                            ss_cost cost)
{
  if (options->has_knobs) return options->knobs;
  return ss_cost_traits_of(cost).as_published ? 0 : ss_knobs_by_themselves(workload, machine);
}

bool ss_choice_asks_prices(const ss_choice_options *options)
{
  return options->budget > 0.0 || options->objective == SS_OBJECTIVE_COST;
}
