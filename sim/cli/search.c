/* search: the best strategies and placements. */
#include <stdio.h>

#include "model/input/workload.h"
#include "model/plan/workload_check.h"
#include "model/search/search.h"
#include "sim/cli/commands.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/outputs.h"
#include "sim/cli/saved_workload.h"
#include "sim/cli/search_replay.h"
#include "sim/cli/search_size.h"
#include "sim/cli/terminal.h"
#include "sim/report/report.h"

static ss_status check_gpus(const ss_choice_options *options, const ss_session *session, ss_error *error)
{
  const int64_t most = ss_session_gpus(session);
  for (int64_t i = 0; i < options->gpus_count; ++i)
    if (options->gpus[i] > most)
      return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                          "\"%lld\": is more than the %sGPUs of %s; allowed: up to %lld", (long long)options->gpus[i],
                          most < session->machine.gpus ? "free " : "", session->machine.name, (long long)most);
  return SS_OK;
}

static ss_status open_session(ss_session *session, ss_outputs *outputs, const ss_options *options, ss_error *error)
{
  ss_status status = ss_session_read(session, &options->common, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK) status = ss_session_check_unplaced(session, "a search", error);
  if (status == SS_OK) status = ss_places_load(&session->places, &session->workload, &session->machine, error);
  if (status == SS_OK) status = check_gpus(&options->choice, session, error);
  if (status == SS_OK && ss_choice_asks_prices(&options->choice)) status = ss_session_check_priced(session, error);
  return status == SS_OK ? ss_outputs_open(outputs, &options->output, &options->common, session, error) : status;
}

static ss_status report(const ss_session *session, const ss_options *options, const ss_findings *findings,
                        int64_t count, ss_error *error)
{
  const ss_search_report all = {.workload = &session->workload,
                                .machine = &session->machine,
                                .cost = options->common.cost,
                                .objective = options->choice.objective,
                                .pareto = options->search.pareto,
                                .priced = ss_choice_asks_prices(&options->choice),
                                .columns = ss_terminal_columns(&options->common),
                                .knobs = ss_knob_unique(ss_choice_knobs(&options->choice, &session->workload,
                                                                        &session->machine, options->common.cost)),
                                .findings = findings,
                                .count = count};
  const char *json = options->output.json;
  const ss_status status = json != NULL ? ss_report_search_json(json, &all, error) : SS_OK;
  if (!ss_option_is_standard_output(json)) ss_report_search_text(stdout, &all);
  return status;
}

/* Searches on one number of GPUs and replays the best. */
static ss_status find(ss_contest *c, int64_t gpus, ss_findings *findings, ss_error *error)
{
  ss_status status = SS_OK;
  const double budget = c->options->choice.budget;
  if (budget > 0.0) status = ss_session_afford(c->session, budget, &gpus, error);
  if (status == SS_OK) status = ss_search_size(c->cache, c->session, c->options, gpus, c->search, error);
  if (status == SS_OK) status = ss_search_replay(c, findings, error);
  findings->interval = ss_session_interval(c->session, gpus);
  return status;
}

/* Keeps the best of a search, if it has found any, as a workload. */
static ss_status save(const ss_session *session, const ss_options *options, const ss_search *search, ss_error *error)
{
  if (search->count == 0) return SS_OK;
  ss_workload best = session->workload;
  ss_candidate_apply(&search->top[0].candidate, &best);
  return ss_workload_save(&best, options->output.save, options, error);
}

int ss_command_search(const ss_options *options)
{
  ss_session session;
  ss_result_cache cache = {.path = NULL};
  ss_outputs outputs = {.count = 0};
  ss_search search[SS_MAX_SIZES] = {{0}};
  ss_findings findings[SS_MAX_SIZES] = {{0}};
  ss_error error = {0};
  const ss_choice_options *choice = &options->choice;
  const int64_t count = choice->gpus_count > 0 ? choice->gpus_count : 1;
  bool any_fits = false;
  ss_status status = open_session(&session, &outputs, options, &error);
  if (status == SS_OK) status = ss_result_cache_open(&cache, options->output.db, &error);
  for (int64_t i = 0; status == SS_OK && i < count; ++i) {
    ss_contest c = {.cache = &cache, .session = &session, .options = options, .search = &search[i]};
    status = find(&c, choice->gpus_count > 0 ? choice->gpus[i] : ss_session_gpus(&session), &findings[i], &error);
    any_fits = any_fits || search[i].count > 0;
  }
  if (status == SS_OK) ss_result_cache_tell(&cache, options->common.quiet, "results");
  if (status == SS_OK) status = save(&session, options, &search[0], &error);
  if (status == SS_OK) status = report(&session, options, findings, count, &error);
  for (int64_t i = 0; i < count; ++i) ss_search_free(&search[i]);
  ss_result_cache_close(&cache);
  ss_outputs_close(&outputs);
  ss_session_close(&session);
  if (status != SS_OK) return ss_fail(&error);
  return any_fits ? SS_EXIT_DONE : SS_EXIT_TOO_LARGE;
}
