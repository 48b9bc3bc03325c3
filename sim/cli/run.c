/* run and estimate: one iteration. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/drawings.h"
#include "sim/cli/emitted.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/saved_workload.h"
#include "sim/crew/crew.h"
#include "sim/figure/run.h"
#include "sim/report/report.h"
#include "sim/session/outputs.h"
#include "sim/session/run.h"
#include "sim/session/used.h"

static ss_status draw(const ss_run *run, const ss_history *history, const ss_output_options *options, ss_error *error)
{
  ss_run_report drawn = {.prediction = &run->prediction,
                         .job = &run->session.job,
                         .history = history,
                         .replayed_s = run->variants.upgraded ? run->variants.upgraded_s : NULL};
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && i < SS_UPGRADES; ++i)
    status = ss_upgrade_estimate(drawn.job, (ss_upgrade)i, &drawn.upgraded_s[i], error);
  const ss_subject subject = ss_run_subject(&drawn);
  return status == SS_OK ? ss_drawings_write(options, &subject, error) : status;
}

static ss_status report(const ss_run *run, const ss_history *history, const ss_options *options, ss_error *error)
{
  const ss_prediction *prediction = &run->prediction;
  ss_status status = options->output.json != NULL ? ss_report_json(options->output.json, prediction, error) : SS_OK;
  if (status == SS_OK && ss_drawings_wanted(&options->output)) status = draw(run, history, &options->output, error);
  const bool instead = options->common.emits || ss_option_is_standard_output(options->output.json) ||
                       ss_option_is_standard_output(options->output.links);
  if (!instead) ss_report_text(stdout, prediction);
  return status;
}

static bool draws_upgrades(const ss_output_options *options)
{
  const char *figure = options->plot.figure;
  return options->report != NULL || (figure != NULL && strcmp(figure, SS_RUN_FIGURE_UPGRADES) == 0);
}

static ss_status simulate(ss_run *run, ss_outputs *outputs, ss_history *history, const ss_options *options,
                          ss_error *error)
{
  const ss_run_writers writers = {.timelines = outputs->timeline,
                                  .timeline_count = outputs->count,
                                  .links = options->output.links != NULL ? &outputs->links : NULL,
                                  .history = ss_drawings_wanted(&options->output) ? history : NULL,
                                  .upgrades = draws_upgrades(&options->output)};
  if (!options->common.quiet) ss_outputs_say(outputs, &options->output, &run->session);
  return ss_run_simulate(run, options, &writers, error);
}

static int predict(const ss_options *options, bool simulates)
{
  ss_run run = {.co_scheduled_job = NULL};
  ss_outputs outputs = {.count = 0};
  ss_history history = {.replica = 0};
  ss_error error = {0};
  ss_status status = ss_session_begin(&run.session, &options->common, &error);
  if (status == SS_OK && !simulates) status = ss_used_without_replay(&run.session.machine, "run", &error);
  if (status == SS_OK && options->run.trials <= 1) status = ss_used_without_trials(&run.session.machine, &error);
  if (status == SS_OK) status = ss_run_open(&run, options, &error);
  const ss_subject drawn = ss_run_subject(NULL);
  if (status == SS_OK) status = ss_drawings_check(&options->output, &drawn, &error);
  if (status == SS_OK) status = ss_outputs_open(&outputs, &options->output, &options->common, &run.session, &error);
  if (status == SS_OK && options->output.chakra != NULL && ss_crew_is_first())
    status = ss_report_chakra(options->output.chakra, &run.session.job, &options->output.chakra_ranks, &error);
  if (status == SS_OK && simulates) status = simulate(&run, &outputs, &history, options, &error);
  if (status == SS_OK) status = ss_workload_save(&run.session.workload, options->output.save, options, &error);
  ss_outputs_close(&outputs);
  if (status == SS_OK) status = report(&run, &history, options, &error);
  if (status == SS_OK) status = ss_emitted_write(&run.session, &run.session.workload, options, &error);
  const bool fits = status == SS_OK && ss_prediction_fits(&run.prediction);
  ss_history_free(&history);
  ss_run_close(&run);
  if (status != SS_OK) return ss_fail(&error);
  return fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}

int ss_command_run(const ss_options *options)
{
  return predict(options, true);
}

int ss_command_estimate(const ss_options *options)
{
  return predict(options, false);
}
