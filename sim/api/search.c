/* Searches of the library: candidates with their predictions, settings and jobs. */
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "model/search/varied.h"
#include "sim/api/api.h"
#include "sim/report/report.h"

struct ss_api_candidate {
  stepsim_job job;
  ss_api_iteration *iteration; /* owned */
  char **setting;              /* [settings of the search] values; each owned, like the array */
};

/* A search whose candidates are made. */
typedef struct listing {
  stepsim_search *search;
  const stepsim_job *job;
  const ss_options *options;
  bool chosen[SS_ATTRIBUTE_TOTAL]; /* some candidate has a value of its own */
} listing;

ss_status ss_api_search_create(const stepsim_job *job, const ss_options *options, stepsim_search **search,
                               ss_error *error)
{
  stepsim_search *made = calloc(1, sizeof *made);
  *search = NULL;
  if (made == NULL) return ss_api_refuse_memory("a search", error);
  ss_api_job_session(job, &made->session);
  const ss_status status = ss_search_all_prepare(&made->session, options, error);
  if (status == SS_OK)
    *search = made;
  else
    stepsim_search_destroy(made);
  return status;
}

ss_status ss_api_search_run(stepsim_search *search, ss_result_cache *cache, const ss_options *options, ss_error *error)
{
  return ss_search_all_run(&search->all, cache, &search->session, options, error);
}

ss_status ss_api_search_make_json(stepsim_search *search, const ss_options *options, ss_error *error)
{
  const ss_search_report report = ss_search_all_report(&search->all, &search->session, options);
  return ss_report_search_json_text(&report, &search->json, error);
}

/* The job with a strategy: as it was given, but for what the strategy chose and does not follow from the rest. */
static void choose(listing *l, const ss_strategy *strategy, stepsim_job *job)
{
  const ss_session *session = &l->search->session;
  const ss_workload *before = &session->workload, best = ss_search_all_workload(session, strategy);
  *job = *l->job;
  job->stop = NULL;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute_index index = (ss_attribute_index)i;
    if (ss_workload_agree(before, &best, index) || ss_workload_is_implied(&best, i)) continue;
    ss_workload_copy_value(&job->workload, &best, index);
    job->workload.line[i] = SS_LINE_CHOSEN;
    l->chosen[i] = true;
  }
}

/* What the search has replayed for a strategy, without what only a replay by itself says. */
static ss_status take_replay(ss_api_iteration *iteration, const ss_strategy *strategy, ss_error *error)
{
  ss_prediction *prediction = &iteration->run.prediction;
  prediction->simulated = true;
  prediction->simulation = strategy->simulation;
  prediction->shortcuts = strategy->shortcuts;
  ss_session_measure(&iteration->run.session, &strategy->simulation, prediction);
  return ss_api_replay_make_json(&iteration->replay, error);
}

static ss_status add(listing *l, const ss_strategy *strategy, ss_error *error)
{
  stepsim_search *search = l->search;
  ss_api_candidate **grown = realloc(search->candidate, ((size_t)search->count + 1) * sizeof(ss_api_candidate *));
  if (grown == NULL) return ss_api_refuse_memory("a search", error);
  search->candidate = grown;
  ss_api_candidate *made = calloc(1, sizeof *made);
  if (made == NULL) return ss_api_refuse_memory("a search", error);
  search->candidate[search->count++] = made;
  choose(l, strategy, &made->job);
  ss_status status = ss_api_iteration_create(&made->job, l->options, &made->iteration, error);
  if (status == SS_OK) status = ss_api_estimate_make_json(&made->iteration->estimate, error);
  return status == SS_OK && strategy->simulated ? take_replay(made->iteration, strategy, error) : status;
}

/* The values of what a search is about, and of all that was chosen for some candidate. */
static ss_status list_settings(const bool chosen[SS_ATTRIBUTE_TOTAL], stepsim_search *search, ss_error *error)
{
  static const ss_attribute_index sizes[] = {SS_AT_parallelism_tp, SS_AT_parallelism_pp, SS_AT_parallelism_dp,
                                             SS_AT_training_micro_batch};
  bool listed[SS_ATTRIBUTE_TOTAL];
  memcpy(listed, chosen, sizeof listed);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) listed[sizes[i]] = true;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
    if (listed[i]) search->setting[search->settings++] = (ss_attribute_index)i;
  for (int64_t i = 0; i < search->count; ++i) {
    ss_api_candidate *of = search->candidate[i];
    of->setting = calloc((size_t)search->settings, sizeof *of->setting);
    for (int64_t j = 0; of->setting != NULL && j < search->settings; ++j) {
      char text[SS_ATTRIBUTE_TEXT_SIZE];
      ss_api_knob_text(&of->job, (int64_t)search->setting[j], text);
      of->setting[j] = strdup(text);
      if (of->setting[j] == NULL) return ss_api_refuse_memory("settings", error);
    }
    if (of->setting == NULL) return ss_api_refuse_memory("settings", error);
  }
  return SS_OK;
}

/* Makes what the public functions have of each candidate. */
static ss_status list_candidates(stepsim_search *search, const stepsim_job *job, const ss_options *options,
                                 ss_error *error)
{
  listing l = {.search = search, .job = job, .options = options};
  ss_status status = SS_OK;
  for (int64_t i = 0; i < search->all.count; ++i)
    for (int64_t j = 0; status == SS_OK && j < search->all.search[i].count; ++j)
      status = add(&l, &search->all.search[i].top[j], error);
  return status == SS_OK ? list_settings(l.chosen, search, error) : status;
}

static ss_status make(const stepsim_job *job, const ss_options *options, stepsim_search **search, ss_error *error)
{
  ss_result_cache cache = {.path = NULL}; /* keeps nothing */
  stepsim_search *made = NULL;
  ss_status status = ss_api_search_create(job, options, &made, error);
  if (made == NULL) return status;
  status = ss_api_search_run(made, &cache, options, error);
  if (status == SS_OK) status = ss_api_job_check_stop(job, "search", error);
  if (status == SS_OK) status = ss_api_search_make_json(made, options, error);
  if (status == SS_OK) status = list_candidates(made, job, options, error);
  if (status == SS_OK)
    *search = made;
  else
    stepsim_search_destroy(made);
  return status;
}

stepsim_status stepsim_search_create(const stepsim_job *job, const char *const *options, stepsim_search **search,
                                     stepsim_error *error)
{
  ss_error why = {0};
  ss_api_question *question;
  if (search != NULL) *search = NULL;
  if (job == NULL || search == NULL) return ss_api_misuse(error, "stepsim_search_create: job or search is NULL");
  ss_status status = ss_api_question_create(job, SS_COMMAND_SEARCH, options, &question, &why);
  if (status == SS_OK) status = make(job, &question->options, search, &why);
  ss_api_question_destroy(question);
  return ss_api_return(status, &why, error);
}

void stepsim_search_destroy(stepsim_search *search)
{
  if (search == NULL) return;
  for (int64_t i = 0; i < search->count; ++i) {
    ss_api_candidate *of = search->candidate[i];
    for (int64_t j = 0; of->setting != NULL && j < search->settings; ++j) free(of->setting[j]);
    free(of->setting);
    ss_api_iteration_destroy(of->iteration);
    free(of);
  }
  free(search->candidate);
  free(search->json);
  ss_search_all_free(&search->all);
  ss_session_close(&search->session);
  free(search);
}

/* The candidate of a rank; NULL where there is none. */
static const ss_api_candidate *candidate_of(const stepsim_search *search, int64_t rank)
{
  return search != NULL && rank >= 0 && rank < search->count ? search->candidate[rank] : NULL;
}

static bool is_setting(const stepsim_search *search, int64_t setting)
{
  return search != NULL && setting >= 0 && setting < search->settings;
}

int64_t stepsim_search_count(const stepsim_search *search)
{
  return search != NULL ? search->count : 0;
}

const stepsim_estimate *stepsim_search_estimate(const stepsim_search *search, int64_t rank)
{
  const ss_api_candidate *of = candidate_of(search, rank);
  return of != NULL ? &of->iteration->estimate : NULL;
}

const stepsim_replay *stepsim_search_replay(const stepsim_search *search, int64_t rank)
{
  const ss_api_candidate *of = candidate_of(search, rank);
  return of != NULL && of->iteration->run.prediction.simulated ? &of->iteration->replay : NULL;
}

int64_t stepsim_search_setting_count(const stepsim_search *search)
{
  return search != NULL ? search->settings : 0;
}

const char *stepsim_search_setting_name(const stepsim_search *search, int64_t setting)
{
  return is_setting(search, setting) ? stepsim_job_knob_name((int64_t)search->setting[setting]) : NULL;
}

const char *stepsim_search_setting(const stepsim_search *search, int64_t rank, int64_t setting)
{
  const ss_api_candidate *of = candidate_of(search, rank);
  return of != NULL && is_setting(search, setting) ? of->setting[setting] : NULL;
}

const char *stepsim_search_json(const stepsim_search *search)
{
  return search != NULL ? search->json : NULL;
}

stepsim_status stepsim_search_job(const stepsim_search *search, int64_t rank, stepsim_job **job, stepsim_error *error)
{
  const ss_api_candidate *of = candidate_of(search, rank);
  if (job != NULL) *job = NULL;
  if (search == NULL || job == NULL) return ss_api_misuse(error, "stepsim_search_job: search or job is NULL");
  if (of == NULL)
    return ss_api_misuse(error, "stepsim_search_job: no candidate %lld; there are %lld", (long long)rank,
                         (long long)search->count);
  return stepsim_job_copy(&of->job, job, error);
}
