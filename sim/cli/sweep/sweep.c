/* sweep: a strategy, or the best one, at every value of one or two axes. */
#include <stdio.h>

#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/cli/shared/terminal.h"
#include "sim/crew/crew.h"
#include "sim/figure/sweep/sweep.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/sweep/study.h"

/* What the command does. */
typedef struct sweeping {
  ss_study study;
  ss_outputs outputs;
  ss_result_cache cache;
} sweeping;

static ss_status open_study(sweeping *s, const ss_options *options, ss_error *error)
{
  const ss_subject drawn = ss_sweep_subject(NULL);
  ss_session *base = &s->study.base;
  ss_status status = ss_inputs_session(&options->common, base, error);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, error);
  if (status == SS_OK) status = ss_outputs_open(&s->outputs, &options->output, &options->common, base, error);
  if (status == SS_OK) status = ss_study_prepare(&s->study, options, error);
  return status == SS_OK ? ss_result_cache_open(&s->cache, options->output.db, error) : status;
}

static ss_status report(const sweeping *s, const ss_options *options, ss_error *error)
{
  ss_sweep_report all = ss_study_report(&s->study);
  const ss_output_options *output = &options->output;
  all.columns = ss_terminal_columns(&options->common);
  ss_status status = output->json != NULL ? ss_report_sweep_json(output->json, &all, error) : SS_OK;
  if (status == SS_OK && output->csv != NULL) status = ss_report_sweep_csv(output->csv, &all, error);
  const ss_subject subject = ss_sweep_subject(&all);
  if (status == SS_OK) status = ss_drawings_write(output, &subject, error);
  if (!ss_option_is_standard_output(output->json) && !ss_option_is_standard_output(output->csv))
    ss_report_sweep_text(stdout, &all);
  return status;
}

/* The exit status: done where any point fits, too large where none does, bad input where all are refused. */
static int exit_status(const ss_sweep *sweep)
{
  int status = SS_EXIT_USAGE;
  for (int64_t i = 0; i < sweep->count; ++i) {
    const ss_strategy *best = ss_sweep_best(&sweep->point[i]);
    if (best != NULL && best->memory.fits) return SS_EXIT_DONE;
    if (best != NULL || sweep->point[i].too_large) status = SS_EXIT_TOO_LARGE;
  }
  return status;
}

int ss_command_sweep(const ss_options *options)
{
  sweeping s = {.outputs = {.count = 0}};
  ss_error error = {0};
  ss_status status = open_study(&s, options, &error);
  if (status == SS_OK) status = ss_study_run(&s.study, &s.cache, &error);
  if (status == SS_OK) ss_result_cache_tell(&s.cache, options->common.quiet, "points");
  if (status == SS_OK && ss_crew_is_first()) status = report(&s, options, &error);
  const int done = status == SS_OK ? exit_status(&s.study.sweep) : SS_EXIT_FAILED;
  ss_outputs_close(&s.outputs);
  ss_result_cache_close(&s.cache);
  ss_study_close(&s.study);
  return status == SS_OK ? done : ss_fail(&error);
}
