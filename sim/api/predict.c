/* Predictions of the library: estimate, replay and search. */
#include <stdlib.h>

#include "model/estimate/estimate.h"
#include "model/input/origin.h"
#include "sim/api/api.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/session/search_all.h"

/* What a function adds to an empty result. */
typedef ss_status (*answer)(const stepsim_job *job, const ss_options *options, stepsim_result *result, ss_error *error);

static ss_status refuse_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a result");
}

static ss_status answer_question(const stepsim_job *job, ss_api_question *question, answer function,
                                 stepsim_result **result, ss_error *error)
{
  question->options.common.workload = job->workload.file;
  question->options.common.platform = job->machine.file;
  stepsim_result *made = calloc(1, sizeof *made);
  const ss_status status = made != NULL ? function(job, &question->options, made, error) : refuse_memory(error);
  if (status == SS_OK)
    *result = made;
  else
    stepsim_result_destroy(made);
  return status;
}

/* What the three functions have in common: `command` has the options. */
static stepsim_status predict(const stepsim_job *job, ss_command command, const char *const *options, answer function,
                              stepsim_result **result, stepsim_error *error)
{
  ss_error why = {0};
  if (result != NULL) *result = NULL;
  if (job == NULL || result == NULL)
    return ss_api_misuse(error, "%s: job or result is NULL",
                         command == SS_COMMAND_SEARCH ? "stepsim_search"
                         : command == SS_COMMAND_RUN  ? "stepsim_replay"
                                                      : "stepsim_estimate");
  ss_api_question *question = calloc(1, sizeof *question);
  if (question == NULL) return ss_api_return(refuse_memory(&why), &why, error);
  ss_status status = ss_api_question_init(question, command, options, &why);
  if (status == SS_OK) status = answer_question(job, question, function, result, &why);
  ss_api_question_free(question);
  free(question);
  return ss_api_return(status, &why, error);
}

static ss_status estimate(const stepsim_job *job, const ss_options *options, stepsim_result *result, ss_error *error)
{
  ss_api_row *row = ss_api_result_add(result, job);
  if (row == NULL) return refuse_memory(error);
  ss_status status = ss_run_open(&row->run, options, error);
  if (status == SS_OK && options->command == SS_COMMAND_RUN)
    status = ss_run_simulate(&row->run, options, &(ss_run_writers){.links = NULL}, error);
  return status == SS_OK ? ss_report_json_text(&row->run.prediction, &result->json, error) : status;
}

stepsim_status stepsim_estimate(const stepsim_job *job, const char *const *options, stepsim_result **result,
                                stepsim_error *error)
{
  return predict(job, SS_COMMAND_ESTIMATE, options, estimate, result, error);
}

stepsim_status stepsim_replay(const stepsim_job *job, const char *const *options, stepsim_result **result,
                              stepsim_error *error)
{
  return predict(job, SS_COMMAND_RUN, options, estimate, result, error);
}

/* A search, on the heap: it is large. */
typedef struct hunt {
  const stepsim_job *job;
  ss_session session;
  ss_result_cache cache; /* keeps nothing */
  ss_search_all all;
} hunt;

/* The job with a strategy: as it was given, but for what the strategy chose and does not follow from the rest. */
static stepsim_job job_of(const hunt *h, const ss_strategy *strategy)
{
  const ss_workload *before = &h->session.workload, best = ss_search_all_workload(&h->session, strategy);
  stepsim_job job = *h->job;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute_index index = (ss_attribute_index)i;
    if (ss_workload_agree(before, &best, index) || ss_workload_is_implied(&best, i)) continue;
    ss_workload_copy_value(&job.workload, &best, index);
    job.workload.line[i] = SS_LINE_CHOSEN;
  }
  return job;
}

static ss_status add_row(const hunt *h, const ss_options *options, const ss_strategy *strategy, stepsim_result *result,
                         ss_error *error)
{
  const stepsim_job job = job_of(h, strategy);
  ss_api_row *row = ss_api_result_add(result, &job);
  if (row == NULL) return refuse_memory(error);
  const ss_status status = ss_run_open(&row->run, options, error);
  if (status != SS_OK || !strategy->simulated) return status;
  ss_prediction *prediction = &row->run.prediction;
  prediction->simulated = true;
  prediction->simulation = strategy->simulation;
  ss_session_measure(&row->run.session, &strategy->simulation, prediction);
  return SS_OK;
}

static ss_status run_hunt(hunt *h, const ss_options *options, stepsim_result *result, ss_error *error)
{
  ss_status status = ss_search_all_prepare(&h->session, options, error);
  if (status == SS_OK) status = ss_search_all_run(&h->all, &h->cache, &h->session, options, error);
  if (status != SS_OK) return status;
  const ss_search_report report = ss_search_all_report(&h->all, &h->session, options);
  status = ss_report_search_json_text(&report, &result->json, error);
  for (int64_t i = 0; i < h->all.count; ++i)
    for (int64_t j = 0; status == SS_OK && j < h->all.search[i].count; ++j)
      status = add_row(h, options, &h->all.search[i].top[j], result, error);
  return status;
}

static ss_status search(const stepsim_job *job, const ss_options *options, stepsim_result *result, ss_error *error)
{
  hunt *h = calloc(1, sizeof *h);
  if (h == NULL) return refuse_memory(error);
  h->job = job;
  h->session.workload = job->workload;
  h->session.machine = job->machine;
  const ss_status status = run_hunt(h, options, result, error);
  ss_search_all_free(&h->all);
  ss_session_close(&h->session);
  free(h);
  return status;
}

stepsim_status stepsim_search(const stepsim_job *job, const char *const *options, stepsim_result **result,
                              stepsim_error *error)
{
  return predict(job, SS_COMMAND_SEARCH, options, search, result, error);
}
