/* run and estimate: one iteration. */
#include <stdio.h>
#include <string.h>

#include "sim/api/api.h"
#include "sim/cli/iteration.h"
#include "sim/cli/pair.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/drawings.h"
#include "sim/cli/shared/emitted.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/saved_workload.h"
#include "sim/crew/crew.h"
#include "sim/figure/run/run.h"
#include "sim/report/report.h"

/* What the command does. */
typedef struct predicting {
  const ss_options *options;
  bool simulates;
  ss_api_iteration *iteration;
  ss_outputs outputs;
} predicting;

static ss_status draw(const predicting *p, ss_error *error)
{
  const ss_output_options *options = &p->options->output;
  const ss_run *run = &p->iteration->run;
  ss_run_report drawn = {.prediction = &run->prediction,
                         .job = &run->session.job,
                         .history = &p->iteration->replay.history,
                         .replayed_s = run->variants.upgraded ? run->variants.upgraded_s : NULL};
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && i < SS_UPGRADES; ++i)
    status = ss_upgrade_estimate(drawn.job, (ss_upgrade)i, &drawn.upgraded_s[i], error);
  const ss_subject subject = ss_run_subject(&drawn);
  return status == SS_OK ? ss_drawings_write(options, &subject, error) : status;
}

static ss_status write_json(predicting *p, ss_error *error)
{
  stepsim_estimate *estimate = &p->iteration->estimate;
  stepsim_replay *replay = &p->iteration->replay;
  const ss_status status =
      p->simulates ? ss_api_replay_make_json(replay, error) : ss_api_estimate_make_json(estimate, error);
  const char *text = p->simulates ? stepsim_replay_json(replay) : stepsim_estimate_json(estimate);
  return status == SS_OK ? ss_report_lines(p->options->output.json, text, error) : status;
}

static ss_status report(predicting *p, ss_error *error)
{
  const ss_output_options *output = &p->options->output;
  const ss_session *session = &p->iteration->run.session;
  ss_status status = ss_workload_save(&session->workload, output->save, p->options, error);
  if (status != SS_OK) return status;
  if (output->json != NULL) status = write_json(p, error);
  if (status == SS_OK && ss_drawings_wanted(output)) status = draw(p, error);
  const bool instead = p->options->common.emits || ss_option_is_standard_output(output->json) ||
                       ss_option_is_standard_output(output->links);
  if (!instead) ss_report_text(stdout, &p->iteration->run.prediction);
  return status == SS_OK ? ss_emitted_write(session, &session->workload, p->options, error) : status;
}

static bool draws_upgrades(const ss_output_options *options)
{
  const char *figure = options->plot.figure;
  return options->report != NULL || (figure != NULL && strcmp(figure, SS_RUN_FIGURE_UPGRADES) == 0);
}

static ss_status open_outputs(predicting *p, ss_error *error)
{
  const ss_output_options *output = &p->options->output;
  const ss_session *session = &p->iteration->run.session;
  const ss_subject drawn = ss_run_subject(NULL);
  ss_status status = ss_emitted_check(session, p->options, error);
  if (status == SS_OK) status = ss_drawings_check(output, &drawn, error);
  if (status == SS_OK) status = ss_outputs_open(&p->outputs, output, &p->options->common, session, error);
  if (status == SS_OK && output->chakra != NULL && ss_crew_is_first())
    status = ss_report_chakra(output->chakra, &session->job, &output->chakra_ranks, error);
  return status;
}

static ss_status simulate(predicting *p, ss_error *error)
{
  const ss_output_options *output = &p->options->output;
  const ss_api_replay_extras extras = {.history = ss_drawings_wanted(output), .upgrades = draws_upgrades(output)};
  return ss_api_replay_make(&p->iteration->replay, &p->outputs, extras, p->options, error);
}

static int predict(const ss_options *options, bool simulates)
{
  if (options->run.against_count > 0) return ss_pair_predict(options);
  predicting p = {.options = options, .simulates = simulates};
  ss_error error = {0};
  ss_status status = ss_iteration_open(options, &p.iteration, &error);
  if (status == SS_OK) status = open_outputs(&p, &error);
  if (status == SS_OK && simulates) status = simulate(&p, &error);
  if (status == SS_OK) status = report(&p, &error);
  const bool fits = status == SS_OK && ss_prediction_fits(&p.iteration->run.prediction);
  ss_outputs_close(&p.outputs);
  ss_api_iteration_destroy(p.iteration);
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
