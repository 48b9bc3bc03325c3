/* Sweeps of the library. */
#include <stdlib.h>

#include "sim/api/api.h"
#include "sim/report/report.h"

static ss_status make_json(stepsim_sweep *sweep, ss_error *error)
{
  const ss_sweep_report report = ss_study_report(&sweep->study);
  return ss_report_sweep_json_text(&report, &sweep->json, error);
}

static ss_status make(const stepsim_job *job, const ss_options *options, stepsim_sweep **sweep, ss_error *error)
{
  ss_result_cache cache = {.path = NULL}; /* keeps nothing */
  stepsim_sweep *made = calloc(1, sizeof *made);
  if (made == NULL) return ss_api_refuse_memory("a sweep", error);
  ss_api_job_session(job, &made->study.base);
  ss_status status = ss_study_prepare(&made->study, options, error);
  if (status == SS_OK) status = ss_study_run(&made->study, &cache, error);
  if (status == SS_OK) status = make_json(made, error);
  made->study.options = NULL; /* the caller's */
  if (status == SS_OK)
    *sweep = made;
  else
    stepsim_sweep_destroy(made);
  return status;
}

stepsim_status stepsim_sweep_create(const stepsim_job *job, const char *const *options, stepsim_sweep **sweep,
                                    stepsim_error *error)
{
  ss_error why = {0};
  ss_api_question *question;
  if (sweep != NULL) *sweep = NULL;
  if (job == NULL || sweep == NULL) return ss_api_misuse(error, "stepsim_sweep_create: job or sweep is NULL");
  ss_status status = ss_api_question_create(job, SS_COMMAND_SWEEP, options, &question, &why);
  if (status == SS_OK) status = make(job, &question->options, sweep, &why);
  ss_api_question_destroy(question);
  return ss_api_return(status, &why, error);
}

void stepsim_sweep_destroy(stepsim_sweep *sweep)
{
  if (sweep == NULL) return;
  ss_study_close(&sweep->study);
  free(sweep->json);
  free(sweep);
}

int64_t stepsim_sweep_count(const stepsim_sweep *sweep)
{
  return sweep != NULL ? sweep->study.sweep.count : 0;
}

const char *stepsim_sweep_json(const stepsim_sweep *sweep)
{
  return sweep != NULL ? sweep->json : NULL;
}
