#include "sim/options/choice_options.h"

#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/workload.h"
#include "model/search/knob_need.h"
#include "model/search/varied.h"
#include "sim/io/io.h"
#include "sim/options/option_values.h"

static ss_status set_gpus(const ss_option *row, void *target, char *text, ss_error *error)
{
  ss_choice_options *options = target;
  return ss_option_counts(row, text, options->gpus, SS_MAX_SIZES, &options->gpus_count, error);
}

static ss_status set_budget(const ss_option *row, void *target, char *text, ss_error *error)
{
  double *dollars = target;
  if (ss_quantity_parse(text, SS_UNIT_NONE, dollars) == 0 && *dollars > 0.0) return SS_OK;
  return ss_option_refuse(error, "--%s \"%s\": is not an amount of dollars; allowed: such as 125e6", row->name, text);
}

static bool find_tensor(const char *name, size_t length, unsigned *tensor)
{
  for (*tensor = SS_TENSOR_1D; *tensor <= SS_TENSOR_SUMMA; ++*tensor) {
    const char *word = ss_word(SS_AT_parallelism_tensor, (int)*tensor);
    if (ss_spells(name, length, word)) return true;
  }
  return false;
}

static ss_status set_tensors(const ss_option *row, void *target, char *list, ss_error *error)
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
      return ss_option_refuse(
          error, "--tensor \"%s\": is not a list of tensor layouts; allowed:" SS_TENSOR_LIST(TENSOR_WORD), list);
#undef TENSOR_WORD
    *tensors |= SS_TENSOR_BIT(tensor);
    text += length;
  } while (*text++ == ',');
  return SS_OK;
}

/* Refuses a name that is none of the table, which the message has, each once. */
static ss_status refuse_knob(const ss_option *row, const char *name, ss_error *error)
{
  char list[SS_MESSAGE_SIZE];
  size_t used = 0;
  ss_near near = ss_near_to(name);
  for (int i = 0; i < SS_KNOB_TOTAL && used < sizeof list; ++i) {
    const char *known = ss_knob_listed(0, i, false);
    if (known == NULL) continue;
    used += (size_t)snprintf(list + used, sizeof list - used, " %s", known);
    ss_near_offer(&near, known);
  }
  return ss_option_refuse(error, "--%s \"%s\": unknown%s; allowed: none by itself, or from all%s", row->name, name,
                          ss_near_hint(&near).text, list);
}

/* Every knob that has a name, but those that have to be named. */
static ss_knob_set all_knobs(void)
{
  ss_knob_set all = 0;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    const char *name = ss_knob_listed(0, i, false);
    if (name != NULL) all |= ss_knob_find(name, strlen(name));
  }
  return all & ~SS_KNOBS_BY_NAME;
}

/* The set of a list, in which the word all may be, or of the word none. */
static ss_status set_knobs(const ss_option *row, void *target, char *list, ss_error *error)
{
  ss_choice_options *options = target;
  char *text = list;
  options->knobs = 0;
  options->has_knobs = true;
  options->all_knobs = false;
  if (strcmp(list, "none") == 0) return SS_OK;
  do {
    const size_t length = strcspn(text, ",");
    const ss_knob_set found = ss_knob_find(text, length);
    const bool is_all = ss_spells(text, length, "all");
    options->all_knobs = options->all_knobs || is_all;
    if (found == 0 && !is_all) {
      text[length] = '\0';
      return refuse_knob(row, text, error);
    }
    options->knobs |= found;
    text += length;
  } while (*text++ == ',');
  return SS_OK;
}

#define OBJECTIVE_WORD(id, word, help) word,
static const char *const objective_words[] = {SS_OBJECTIVE_LIST(OBJECTIVE_WORD) NULL};

static ss_status set_objective(const ss_option *row, void *target, char *text, ss_error *error)
{
  ss_choice_options *options = target;
  options->has_objective = true;
  return ss_option_set_word(row, &options->objective, text, error);
}

#define KNOBS_HELP                                                                                                     \
  "Attributes to vary, such as recompute,schedule, or none, or all but those that --set sets and those of modules "    \
  "and layers, which all,recompute-modules, for one, adds; an unknown name prints the list. "

#define OBJECTIVE_HELP(id, word, help) word ": " help "; "

const ss_option ss_choice_option_rows[] = {
    {.name = "gpus",
     .argument = "LIST",
     .help = "Numbers of GPUs to search, such as 512,1024 or 64..512*2; default: all of the platform, or those of "
             "placement.free",
     .commands = SS_ON(SS_COMMAND_SEARCH),
     .set = set_gpus,
     .most = INT32_MAX},
    {.name = "gpus",
     .argument = "N",
     .help = "GPUs of every point, from which dp follows; default: as the workload says or, with --best strategy, all "
             "of the platform or of placement.free",
     .commands = SS_ON(SS_COMMAND_SWEEP),
     .set = set_gpus,
     .most = INT32_MAX},
    {.name = "gpus",
     .argument = "LIST",
     .help = "Numbers of GPUs, such as 512,1024 or 64..512*2, of which the plan takes the best, each phase with its "
             "best strategy; default: as the workload says",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = set_gpus,
     .most = INT32_MAX},
    {.name = "budget",
     .argument = "DOLLARS",
     .help = "Use as many GPUs, in whole domains, as this buys at the platform's gpu-price",
     .commands = SS_ON_SEARCHES,
     .set = set_budget,
     .target = offsetof(ss_choice_options, budget)},
    {.name = "budget",
     .argument = "DOLLARS",
     .help = "What the run may cost, on one of the numbers of --gpus",
     .commands = SS_ON(SS_COMMAND_PLAN),
     .set = set_budget,
     .target = offsetof(ss_choice_options, budget)},
    {.name = "tensor",
     .argument = "LIST",
     .help = "Tensor layouts to try, from 1d,2d,summa; default: that of the workload",
     .commands = SS_ON_CHOICES,
     .set = set_tensors,
     .target = offsetof(ss_choice_options, tensors)},
    {.name = "knobs",
     .argument = "LIST",
     .help = KNOBS_HELP
     "By itself a search "
     "varies recompute, cp from 16384 tokens on, ep and etp of experts, interleave of an interleaved schedule, "
     "uneven-stages if the layers are no multiple of 16, there is a vision tower, or GPUs have an odd factor that "
     "neither layers nor batch have; and, also beside those that are named, segment if domains are no power of two or "
     "not all GPUs free, sharding and shard-size with --for torchtitan, and overlap-pp with --for megatron and nemo. "
     "What --set sets is not varied",
     .commands = SS_ON_CHOICES & ~SS_ON(SS_COMMAND_SWEEP),
     .set = set_knobs},
    {.name = "knobs",
     .argument = "LIST",
     .help = KNOBS_HELP "By itself a sweep, other than a search, varies none but segment if domains are no power of "
                        "two or not all GPUs free: all points then differ in what --vary says and in their sizes",
     .commands = SS_ON(SS_COMMAND_SWEEP),
     .set = set_knobs},
    {.name = "objective",
     .argument = "WHAT",
     .help = "What to minimise - " SS_OBJECTIVE_LIST(OBJECTIVE_HELP) "default time",
     .commands = SS_ON_CHOICES,
     .set = set_objective,
     .words = objective_words},
    {.name = NULL},
};

ss_knob_set ss_choice_named_knobs(const ss_choice_options *options, const ss_workload *workload)
{
  return options->knobs | (options->all_knobs ? ss_knobs_left(all_knobs(), workload) : 0);
}

/* What is varied by itself on any of the numbers of GPUs. */
static ss_knob_set by_themselves(const ss_choice_options *options, const ss_workload *workload,
                                 const ss_machine *machine)
{
  ss_knob_set set = ss_knobs_by_themselves(workload, machine, options->gpus_count > 0 ? 0 : machine->gpus);
  for (int64_t i = 0; i < options->gpus_count; ++i) set |= ss_knobs_by_themselves(workload, machine, options->gpus[i]);
  return set;
}

/* Varied by themselves whatever --knobs names: where groups are, and what is a framework's. */
#define KEPT_KNOBS                                                                                                     \
  (SS_KNOB_BIT(SS_KNOB_segment) | SS_KNOB_BIT(SS_KNOB_sharding) | SS_KNOB_BIT(SS_KNOB_shard_size) |                    \
   SS_KNOB_BIT(SS_KNOB_overlap_pp))

ss_knob_set ss_choice_knobs(const ss_choice_options *options, const ss_workload *workload, const ss_machine *machine,
                            ss_cost cost)
{
  const bool none = ss_cost_traits_of(cost).as_published;
  const ss_knob_set own = none ? 0 : by_themselves(options, workload, machine);
  return options->has_knobs ? ss_choice_named_knobs(options, workload) | (own & KEPT_KNOBS) : own;
}

bool ss_choice_asks_prices(const ss_choice_options *options)
{
  return options->budget > 0.0 || options->objective == SS_OBJECTIVE_COST;
}

/* Refuses what is named and would do nothing, unless what it needs is varied otherwise. */
static ss_status check_needs(const ss_choice_options *options, const ss_workload *workload, const ss_sweep *sweep,
                             ss_error *error)
{
  const ss_knob_set varied = ss_choice_named_knobs(options, workload);
  int64_t count;
  const ss_knob_need *need = ss_knob_needs(&count);
  for (int64_t i = 0; i < count; ++i) {
    if ((options->knobs & SS_KNOB_BIT(need[i].knob)) == 0 || !need[i].lacks(varied, workload)) continue;
    if (sweep != NULL && ss_sweep_varies_attribute(sweep, need[i].attribute)) continue;
    return ss_error_set(error, SS_ERROR_INPUT, "--knobs", 0, "\"%s\": %s; allowed: %s", ss_knobs()[need[i].knob].name,
                        need[i].problem, need[i].allowed);
  }
  return SS_OK;
}

ss_status ss_choice_check(const ss_choice_options *options, const ss_workload *workload, const ss_sweep *sweep,
                          ss_error *error)
{
  if (options->tensors != 0 && workload->line[SS_AT_parallelism_tensor] == SS_LINE_OVERRIDE)
    return ss_error_set(error, SS_ERROR_INPUT, "--tensor", 0,
                        "chooses parallelism.tensor, which --set fixes; allowed: one of the two");
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[ss_knobs()[i].attribute];
    const bool starts_from_it = i == SS_KNOB_interleaved; /* its schedule is one of the two that it tries */
    const bool is_set = workload->line[ss_knobs()[i].attribute] == SS_LINE_OVERRIDE;
    if ((options->knobs & SS_KNOB_BIT(i)) == 0 || starts_from_it || !is_set) continue;
    return ss_error_set(error, SS_ERROR_INPUT, "--knobs", 0,
                        "\"%s\": varies %s.%s, which --set fixes; allowed: one of the two", ss_knobs()[i].name,
                        row->element, row->name);
  }
  return check_needs(options, workload, sweep, error);
}
