#include "sim/session/run.h"

#include <stdio.h>

#include "model/estimate/estimate.h"
#include "model/input/workload.h"
#include "sim/crew/crew.h"
#include "sim/session/progress.h"

/* What a replay said, for the reports. */
static void take(const ss_replay_result *result, ss_prediction *prediction)
{
  prediction->simulated = true;
  prediction->simulation = result->breakdown;
  prediction->critical_stage = result->critical_stage;
  prediction->critical_replica = result->critical_replica;
  prediction->exposed = result->exposed;
  prediction->behind_s = result->behind_s;
  prediction->links = result->links;
  prediction->path = result->path;
  prediction->flows = result->flows;
  prediction->stage_replicas = result->stage_replicas;
  prediction->simulated_stage_replicas = result->simulated_stage_replicas;
  prediction->shortcuts = result->shortcuts;
  prediction->co_scheduled_iterations = result->co_scheduled_iterations;
  prediction->co_scheduled_iteration_s = result->co_scheduled_iteration_s;
}

/* One replay, and why it differs from the closed form. */
static ss_status replay(ss_run *run, const ss_options *options, const ss_run_writers *writers, ss_replay_result *result,
                        ss_error *error)
{
  const ss_job *job = &run->session.job;
  ss_prediction *prediction = &run->prediction;
  char title[2 * SS_TEXT_SIZE];
  (void)snprintf(title, sizeof title, "%s on %s", prediction->workload, prediction->platform);
  ss_replay_options replay_options = ss_replay_options_of(&options->replay);
  replay_options.co_scheduled = run->co_scheduled_job;
  replay_options.verbose = options->run.verbose;
  replay_options.timelines = writers->timelines;
  replay_options.timeline_count = writers->timeline_count;
  replay_options.links = writers->links;
  replay_options.history = writers->history;
  replay_options.title = title;
  replay_options.progress = ss_progress_of(&options->common);
  ss_status status = ss_replay(job, &replay_options, result, error);
  ss_progress_clear(&options->common);
  if (status != SS_OK) return status;
  take(result, prediction);
  status = ss_replay_stability(job, &replay_options, result, &prediction->stability, error);
  if (status != SS_OK) return status;
  ss_session_measure(&run->session, &result->breakdown, prediction);
  return ss_explain(job, &replay_options, result->breakdown.iteration_s, &prediction->explanation, error);
}

static ss_status open_co_scheduled_job(ss_run *run, const ss_options *options, ss_error *error)
{
  if (options->run.beside == NULL) return SS_OK;
  const ss_status status = ss_co_scheduled_job_open(&run->co_scheduled, options->run.beside, &run->session, error);
  run->co_scheduled_job = &run->co_scheduled.job;
  (void)snprintf(run->prediction.beside, sizeof run->prediction.beside, "%s", run->co_scheduled.workload.model.name);
  return status;
}

ss_status ss_run_open(ss_run *run, const ss_options *options, ss_error *error)
{
  ss_status status = ss_session_complete(&run->session, &options->common, error);
  if (status == SS_OK) run->session.job.options.trial = options->run.trials > 1;
  if (status == SS_OK) status = ss_variants_check(&run->session, options, error);
  if (status != SS_OK) return status;
  run->prediction = ss_session_estimate(&run->session);
  if (run->session.forwarding == NULL) return SS_OK;
  status = ss_route_summary_make(&run->session.machine, &run->routes, error);
  run->prediction.routes = &run->routes;
  return status;
}

ss_status ss_run_simulate(ss_run *run, const ss_options *options, const ss_run_writers *writers, ss_error *error)
{
  ss_replay_result first = {.flows = 0};
  ss_status status = open_co_scheduled_job(run, options, error);
  if (status == SS_OK && ss_crew_is_first()) status = replay(run, options, writers, &first, error);
  if (status != SS_OK) return status;
  const ss_variant_plan plan = {.session = &run->session,
                                .options = options,
                                .co_scheduled = run->co_scheduled_job,
                                .first = &first,
                                .upgrades = writers->upgrades};
  return ss_variants_run(&run->variants, &plan, &run->prediction, error);
}

void ss_run_close(ss_run *run)
{
  ss_variants_free(&run->variants);
  ss_co_scheduled_job_close(&run->co_scheduled);
  ss_session_close(&run->session);
}
