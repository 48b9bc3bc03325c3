#include "sim/session/search_all.h"

#include "model/input/workload.h"
#include "model/plan/check/workload_check.h"
#include "sim/session/search_replay.h"
#include "sim/session/search_size.h"

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

ss_status ss_search_all_prepare(ss_session *session, const ss_options *options, ss_error *error)
{
  ss_status status = ss_session_check(session, &options->common, error);
  if (status == SS_OK) status = ss_workload_check_model(&session->workload, error);
  if (status == SS_OK) status = ss_workload_check_machine(&session->workload, &session->machine, error);
  if (status == SS_OK) status = ss_session_check_unplaced(session, "a search", error);
  if (status == SS_OK) status = ss_choice_check(&options->choice, &session->workload, NULL, error);
  if (status == SS_OK) status = ss_session_load_files(session, error);
  if (status == SS_OK) status = check_gpus(&options->choice, session, error);
  if (status == SS_OK && options->choice.budget > 0.0) status = ss_session_check_priced(session, error);
  if (status == SS_OK) status = ss_session_check_objective(session, options->choice.objective, error);
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

ss_status ss_search_all_run(ss_search_all *all, ss_result_cache *cache, const ss_session *session,
                            const ss_options *options, ss_error *error)
{
  const ss_choice_options *choice = &options->choice;
  ss_status status = SS_OK;
  all->count = choice->gpus_count > 0 ? choice->gpus_count : 1;
  for (int64_t i = 0; status == SS_OK && i < all->count; ++i) {
    ss_contest c = {.cache = cache, .session = session, .options = options, .search = &all->search[i]};
    const int64_t gpus = choice->gpus_count > 0 ? choice->gpus[i] : ss_session_gpus(session);
    status = find(&c, gpus, &all->findings[i], error);
    all->any_fits = all->any_fits || all->search[i].count > 0;
  }
  return status;
}

void ss_search_all_free(ss_search_all *all)
{
  for (int64_t i = 0; i < all->count; ++i) ss_search_free(&all->search[i]);
}

ss_workload ss_search_all_workload(const ss_session *session, const ss_strategy *strategy)
{
  ss_workload workload = session->workload;
  ss_candidate_apply(&strategy->candidate, &workload);
  return workload;
}

ss_search_report ss_search_all_report(const ss_search_all *all, const ss_session *session, const ss_options *options)
{
  const ss_choice_options *choice = &options->choice;
  return (ss_search_report){
      .workload = &session->workload,
      .machine = &session->machine,
      .override = options->common.override,
      .overrides = options->common.override_count,
      .cost = options->common.cost,
      .objective = choice->objective,
      .pareto = options->search.pareto,
      .priced = ss_choice_asks_prices(choice),
      .tariff = ss_tariff_of(&session->machine),
      .knobs = ss_knob_unique(ss_choice_knobs(choice, &session->workload, &session->machine, options->common.cost)),
      .findings = all->findings,
      .count = all->count};
}
