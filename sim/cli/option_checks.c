#include "sim/cli/option_checks.h"

#include <string.h>

/* What only a choice can do something with. */
static void check_best(struct argp_state *state, const ss_options *options)
{
  const ss_choice_options *choice = &options->choice;
  const ss_sweep_options *sweep = &options->sweep;
  const bool chooses = sweep->best != SS_BEST_NOTHING;
  if (sweep->best != SS_BEST_STRATEGY && (choice->tensors != 0 || choice->has_knobs))
    argp_error(state, "--%s needs --best strategy", choice->tensors != 0 ? "tensor" : "knobs");
  if (sweep->best != SS_BEST_STRATEGY && sweep->fewer) argp_error(state, "--fewer needs --best strategy");
  if (!chooses && choice->objective != SS_OBJECTIVE_TIME) argp_error(state, "--objective needs --best");
  if (!chooses && sweep->replay > 1)
    argp_error(state, "--replay=%lld: there is one strategy at a point; allowed: 1, or more with --best",
               (long long)sweep->replay);
}

static void check_sweep(struct argp_state *state, const ss_options *options)
{
  if (options->sweep.vary_count == 0) argp_error(state, "sweep needs --vary NAME=VALUE,VALUE,...");
  if (options->choice.gpus_count > 1)
    argp_error(state, "--gpus: a sweep takes one number; allowed: one, or --vary " SS_SWEEP_GPUS "=LIST");
  check_best(state, options);
}

static void check_search(struct argp_state *state, const ss_options *options)
{
  const ss_search_list_options *search = &options->search;
  if (search->pareto && (search->top > 0 || options->choice.has_objective))
    argp_error(state, "--pareto lists all of the front: --top and --objective do not apply");
  if (options->output.save != NULL && options->choice.gpus_count > 1)
    argp_error(state, "--save: keeps one strategy; allowed: with one number of --gpus");
  if (!search->pareto && search->replay > ss_search_top(search))
    argp_error(state, "--replay %lld: more than are listed; allowed: 1 to %lld, or a larger --top",
               (long long)search->replay, (long long)ss_search_top(search));
}

/* Options that do nothing without another one. */
static void check_needs(struct argp_state *state, ss_command command, const ss_option_table *table)
{
  static const struct {
    unsigned commands;
    const char *name, *needs;
  } rows[] = {
      {SS_ON_SEARCHES | SS_ON(SS_COMMAND_FIT), "flows", "replay"},
      {SS_ON_SEARCHES | SS_ON(SS_COMMAND_FIT), "fold", "replay"},
      {SS_ON_SEARCHES | SS_ON(SS_COMMAND_FIT), "max-seconds", "replay"},
      {SS_ON_SEARCHES | SS_ON(SS_COMMAND_FIT), "max-memory", "replay"},
      {SS_ON(SS_COMMAND_RUN), "trace-ranks", "trace"},
      {SS_ON(SS_COMMAND_RUN), "trace-micro-batches", "trace"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if ((rows[i].commands & SS_ON(command)) != 0 && ss_option_table_given(table, command, rows[i].name) &&
        !ss_option_table_given(table, command, rows[i].needs))
      argp_error(state, "--%s does nothing without --%s", rows[i].name, rows[i].needs);
}

/* What predicts nothing and prints one table. */
static void check_coverage(struct argp_state *state, const ss_options *options, const ss_option_table *table)
{
  if (!options->measurement.coverage) return;
  if (options->argument_count > 0) argp_error(state, "--coverage is about all that is shipped; allowed: no files");
  for (int i = 0; i < table->count; ++i)
    if (table->is_given[i] && strcmp(table->option[i]->name, "coverage") != 0)
      argp_error(state, "--%s does nothing with --coverage, which predicts nothing", table->option[i]->name);
}

static void check_summary(struct argp_state *state, const ss_options *options)
{
  const ss_output_options *output = &options->output;
  if (options->measurement.summary &&
      (ss_option_is_standard_output(output->json) || ss_option_is_standard_output(output->csv) ||
       ss_option_is_standard_output(output->residuals)))
    argp_error(state, "--summary is of the table, which another option replaces on standard output");
}

static void check_replay(struct argp_state *state, const ss_options *options)
{
  if ((options->search.replay > 0 || options->sweep.replay > 0) && options->choice.objective == SS_OBJECTIVE_MEMORY)
    argp_error(state, "--replay does not apply to --objective memory, which it does not change");
}

void ss_options_check(struct argp_state *state, const ss_options *options, const ss_option_table *table)
{
  const ss_output_options *output = &options->output;
  if (options->command == SS_COMMAND_SWEEP) check_sweep(state, options);
  ss_output_options_check(state, output);
  if (options->choice.budget > 0.0 && options->choice.gpus_count > 0)
    argp_error(state, "--budget and --gpus: allowed: one of the two");
  check_needs(state, options->command, table);
  check_coverage(state, options, table);
  check_summary(state, options);
  if (options->command == SS_COMMAND_SEARCH) check_search(state, options);
  check_replay(state, options);
}
