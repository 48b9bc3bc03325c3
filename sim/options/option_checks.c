#include "sim/options/option_checks.h"

#include <string.h>

#include "sim/options/option_values.h"

/* What only a choice can do something with. */
static ss_status check_best(const ss_options *options, ss_error *error)
{
  const ss_choice_options *choice = &options->choice;
  const ss_sweep_options *sweep = &options->sweep;
  const bool chooses = sweep->best != SS_BEST_NOTHING;
  if (sweep->best != SS_BEST_STRATEGY && (choice->tensors != 0 || choice->has_knobs))
    return ss_option_refuse(error, "--%s needs --best strategy", choice->tensors != 0 ? "tensor" : "knobs");
  if (sweep->best != SS_BEST_STRATEGY && sweep->fewer) return ss_option_refuse(error, "--fewer needs --best strategy");
  if (!chooses && sweep->replay > 1)
    return ss_option_refuse(error, "--replay=%lld: there is one strategy at a point; allowed: 1, or more with --best",
                            (long long)sweep->replay);
  return SS_OK;
}

static ss_status check_sweep(const ss_options *options, ss_error *error)
{
  if (options->sweep.vary_count == 0) return ss_option_refuse(error, "sweep needs --vary NAME=VALUE,VALUE,...");
  if (options->choice.gpus_count > 1)
    return ss_option_refuse(error, "--gpus: a sweep takes one number; allowed: one, or --vary " SS_SWEEP_GPUS "=LIST");
  return check_best(options, error);
}

static ss_status check_search(const ss_options *options, ss_error *error)
{
  const ss_search_list_options *search = &options->search;
  if (search->pareto && (search->top > 0 || options->choice.has_objective))
    return ss_option_refuse(error, "--pareto lists all of the front: --top and --objective do not apply");
  if (options->output.save != NULL && options->choice.gpus_count > 1)
    return ss_option_refuse(error, "--save: keeps one strategy; allowed: with one number of --gpus");
  if (options->common.emits && options->choice.gpus_count > 1)
    return ss_option_refuse(error, "--emit: writes one strategy; allowed: with one number of --gpus");
  return SS_OK;
}

static ss_status check_plan(const ss_options *options, ss_error *error)
{
  const ss_choice_options *choice = &options->choice;
  const bool chooses = options->sweep.best == SS_BEST_STRATEGY || choice->gpus_count > 0;
  if (options->sweep.best != SS_BEST_NOTHING && options->sweep.best != SS_BEST_STRATEGY)
    return ss_option_refuse(error, "--best: a plan chooses strategies; allowed: strategy");
  if (!chooses && (choice->tensors != 0 || choice->has_knobs || choice->has_objective))
    return ss_option_refuse(error, "--%s needs --best strategy or --gpus",
                            choice->tensors != 0 ? "tensor"
                            : choice->has_knobs  ? "knobs"
                                                 : "objective");
  if (choice->objective == SS_OBJECTIVE_MEMORY)
    return ss_option_refuse(error, "--objective memory is of an iteration; allowed: time, gpu-hours, cost, energy");
  if (options->sweep.replay > 1)
    return ss_option_refuse(error, "--replay=%lld: a plan replays its iterations; allowed: 1",
                            (long long)options->sweep.replay);
  if (choice->budget > 0.0 && choice->gpus_count == 0)
    return ss_option_refuse(error, "--budget needs --gpus, the numbers of GPUs to choose from");
  return SS_OK;
}

/* Options that do nothing without another one. */
static ss_status check_needs(ss_command command, const ss_option_table *table, ss_error *error)
{
  static const struct {
    unsigned commands;
    const char *name, *needs;
  } rows[] = {
      {SS_ON_CHOICES | SS_ON_FITS, "flows", "replay"},
      {SS_ON_CHOICES | SS_ON_FITS, "fold", "replay"},
      {(SS_ON_CHOICES & ~SS_ON(SS_COMMAND_SEARCH)) | SS_ON_FITS, "max-seconds", "replay"},
      {SS_ON_CHOICES | SS_ON_FITS, "max-memory", "replay"},
      {SS_ON(SS_COMMAND_RUN), "trace-ranks", "trace"},
      {SS_ON(SS_COMMAND_RUN), "trace-micro-batches", "trace"},
      {SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE), "chakra-ranks", "chakra"},
      {~0U, "figure", "plot"},
      {~0U, "plot-size", "plot"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if ((rows[i].commands & SS_ON(command)) != 0 && ss_option_table_given(table, command, rows[i].name) &&
        !ss_option_table_given(table, command, rows[i].needs))
      return ss_option_refuse(error, "--%s does nothing without --%s", rows[i].name, rows[i].needs);
  return SS_OK;
}

/* What is of one prediction, where there are two. */
static ss_status check_against(const ss_options *options, const ss_option_table *table, ss_error *error)
{
  static const char *const single[] = {"trials", "trace", "chakra", "links", "save", "report", "plot", "emit"};
  if (options->run.against_count == 0) return SS_OK;
  for (size_t i = 0; i < sizeof single / sizeof single[0]; ++i)
    if (ss_option_table_given(table, options->command, single[i]))
      return ss_option_refuse(error,
                              "--%s is of one prediction, and --against puts two side by side; allowed: one of "
                              "the two options",
                              single[i]);
  return SS_OK;
}

/* What predicts nothing and prints one table. */
static ss_status check_coverage(const ss_options *options, const ss_option_table *table, ss_error *error)
{
  if (!options->measurement.coverage) return SS_OK;
  if (options->argument_count > 0)
    return ss_option_refuse(error, "--coverage is about all that is shipped; allowed: no files");
  for (int i = 0; i < table->count; ++i)
    if (table->is_given[i] && strcmp(table->option[i]->name, "coverage") != 0)
      return ss_option_refuse(error, "--%s does nothing with --coverage, which predicts nothing",
                              table->option[i]->name);
  return SS_OK;
}

static ss_status check_summary(const ss_options *options, ss_error *error)
{
  const ss_output_options *output = &options->output;
  if (options->measurement.summary &&
      (ss_option_is_standard_output(output->json) || ss_option_is_standard_output(output->csv) ||
       ss_option_is_standard_output(output->residuals)))
    return ss_option_refuse(error, "--summary is of the table, which another option replaces on standard output");
  return SS_OK;
}

static ss_status check_wide(const ss_options *options, ss_error *error)
{
  const ss_output_options *output = &options->output;
  if (options->common.wide && (options->common.emits || ss_option_is_standard_output(output->json) ||
                               ss_option_is_standard_output(output->csv)))
    return ss_option_refuse(error, "--wide is of the table, which another option replaces on standard output");
  return SS_OK;
}

static ss_status check_replay(const ss_options *options, ss_error *error)
{
  if ((options->search.replay > 0 || options->sweep.replay > 0) && options->choice.objective == SS_OBJECTIVE_MEMORY)
    return ss_option_refuse(error, "--replay does not apply to --objective memory, which it does not change");
  return SS_OK;
}

ss_status ss_options_check(const ss_options *options, const ss_option_table *table, ss_error *error)
{
  ss_status status = options->command == SS_COMMAND_SWEEP ? check_sweep(options, error) : SS_OK;
  if (status == SS_OK) status = ss_output_options_check(&options->output, options->common.emits, error);
  if (status == SS_OK && options->command == SS_COMMAND_PLAN) status = check_plan(options, error);
  if (status == SS_OK && options->command != SS_COMMAND_PLAN && options->choice.budget > 0.0 &&
      options->choice.gpus_count > 0)
    status = ss_option_refuse(error, "--budget and --gpus: allowed: one of the two");
  if (status == SS_OK) status = check_needs(options->command, table, error);
  if (status == SS_OK) status = check_against(options, table, error);
  if (status == SS_OK) status = check_coverage(options, table, error);
  if (status == SS_OK) status = check_summary(options, error);
  if (status == SS_OK) status = check_wide(options, error);
  if (status == SS_OK && options->command == SS_COMMAND_SEARCH) status = check_search(options, error);
  return status == SS_OK ? check_replay(options, error) : status;
}
