/* Jobs of the library: made, set, read and saved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/stack.h"
#include "sim/api/api.h"
#include "sim/report/report.h"
#include "sim/session/version.h"

ss_status ss_api_job_create(const char *path, stepsim_job **job, ss_error *error)
{
  stepsim_job *made = calloc(1, sizeof *made);
  *job = NULL;
  if (made == NULL) return ss_api_refuse_memory("a job", error);
  const ss_status status = ss_workload_load(path, &made->workload, error);
  if (status == SS_OK)
    *job = made;
  else
    stepsim_job_destroy(made);
  return status;
}

stepsim_status stepsim_job_create(const char *workload, const stepsim_machine *machine, stepsim_job **job,
                                  stepsim_error *error)
{
  char path[SS_PATH_SIZE];
  ss_error why = {0};
  if (job != NULL) *job = NULL;
  if (workload == NULL || machine == NULL || job == NULL)
    return ss_api_misuse(error, "stepsim_job_create: workload, machine or job is NULL");
  ss_status status = ss_api_find_file(SS_SHIPPED_WORKLOADS, workload, path, &why);
  if (status == SS_OK) status = ss_api_job_create(path, job, &why);
  if (*job != NULL) (*job)->machine = *machine;
  return ss_api_return(status, &why, error);
}

stepsim_status stepsim_job_copy(const stepsim_job *job, stepsim_job **copy, stepsim_error *error)
{
  ss_error why = {0};
  if (copy != NULL) *copy = NULL;
  if (job == NULL || copy == NULL) return ss_api_misuse(error, "stepsim_job_copy: job or copy is NULL");
  *copy = malloc(sizeof **copy);
  if (*copy == NULL) return ss_api_return(ss_api_refuse_memory("a job", &why), &why, error);
  **copy = *job;
  (*copy)->stop = NULL;
  return STEPSIM_OK;
}

void stepsim_job_stop_by(stepsim_job *job, const volatile int *stop)
{
  if (job != NULL) job->stop = stop;
}

void stepsim_job_destroy(stepsim_job *job)
{
  free(job);
}

stepsim_status stepsim_job_move(stepsim_job *job, const stepsim_machine *machine, stepsim_error *error)
{
  if (job == NULL || machine == NULL) return ss_api_misuse(error, "stepsim_job_move: job or machine is NULL");
  if (machine != &job->machine) job->machine = *machine;
  return STEPSIM_OK;
}

const stepsim_machine *stepsim_job_machine(const stepsim_job *job)
{
  return job != NULL ? &job->machine : NULL;
}

ss_status ss_api_job_check_stop(const stepsim_job *job, const char *what, ss_error *error)
{
  if (job->stop == NULL || *job->stop == 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_STOPPED, NULL, 0, "the %s was stopped", what);
}

void ss_api_job_session(const stepsim_job *job, ss_session *session)
{
  ss_session_init(session, &job->workload, &job->machine.of);
}

/* Sets a copy, which is taken over where that works. */
ss_status ss_api_job_set(stepsim_job *job, stepsim_machine *machine, const char *setting, ss_error *error)
{
  ss_workload *changed = malloc(sizeof *changed);
  if (changed == NULL) return ss_api_refuse_memory("a knob", error);
  *changed = job->workload;
  const ss_status status = ss_override(setting, changed, machine != NULL ? &machine->of : NULL, error);
  if (status == SS_OK) job->workload = *changed;
  free(changed);
  return status;
}

stepsim_status stepsim_job_set(stepsim_job *job, const char *knob, const char *value, stepsim_error *error)
{
  ss_error why = {0};
  if (job == NULL || knob == NULL || value == NULL)
    return ss_api_misuse(error, "stepsim_job_set: job, knob or value is NULL");
  const size_t size = strlen(knob) + strlen(value) + 2;
  char *text = malloc(size);
  if (text == NULL) return ss_api_return(ss_api_refuse_memory("a knob", &why), &why, error);
  (void)snprintf(text, size, "%s=%s", knob, value);
  const ss_status status = ss_api_job_set(job, NULL, text, &why);
  free(text);
  return ss_api_return(status, &why, error);
}

static const char *const knobs[] = {
#define SS_TEXT(element, field, name, ...)   #element "." name,
#define SS_NUMBER(element, field, name, ...) #element "." name,
#define SS_CHOICE(element, field, name, ...) #element "." name,
#define SS_SET(element, field, name, ...)    #element "." name,
#include "model/input/workload_attributes.def"
};

static bool is_knob(int64_t knob)
{
  return knob >= 0 && knob < SS_ATTRIBUTE_TOTAL;
}

int64_t stepsim_job_knob_count(void)
{
  return SS_ATTRIBUTE_TOTAL;
}

const char *stepsim_job_knob_name(int64_t knob)
{
  return is_knob(knob) ? knobs[knob] : NULL;
}

const char *stepsim_job_knob_help(int64_t knob)
{
  return is_knob(knob) ? ss_workload_attributes()[knob].help : NULL;
}

void ss_api_knob_text(const stepsim_job *job, int64_t knob, char text[SS_ATTRIBUTE_TEXT_SIZE])
{
  ss_workload workload = job->workload;
  ss_stack_complete(&workload, job->machine.of.accelerator);
  ss_attribute_text(&workload, (int)knob, text);
}

/* --set says what is wrong with a name. */
static stepsim_status refuse_name(const stepsim_job *job, const char *knob, stepsim_error *error)
{
  char text[SS_TEXT_SIZE];
  ss_error why = {0};
  ss_workload any = job->workload;
  (void)snprintf(text, sizeof text, "%s=", knob);
  ss_status status = ss_override(text, &any, NULL, &why);
  if (status == SS_OK) status = ss_error_set(&why, SS_ERROR_INPUT, NULL, 0, "\"%.64s\": is no knob", knob);
  return ss_api_return(status, &why, error);
}

stepsim_status stepsim_job_get(const stepsim_job *job, const char *knob, char *value, size_t size, stepsim_error *error)
{
  char text[SS_ATTRIBUTE_TEXT_SIZE];
  int row = 0;
  if (job == NULL || knob == NULL || value == NULL)
    return ss_api_misuse(error, "stepsim_job_get: job, knob or value is NULL");
  while (row < SS_ATTRIBUTE_TOTAL && !ss_spells(knob, strlen(knob), knobs[row])) ++row;
  if (row == SS_ATTRIBUTE_TOTAL) return refuse_name(job, knob, error);
  ss_api_knob_text(job, row, text);
  return ss_api_hand_over("stepsim_job_get", text, value, size, error);
}

static ss_status save(const stepsim_job *job, const char *path, ss_error *error)
{
  const ss_common_options options = {.platform = job->machine.of.file, .cost = SS_COST_CALIBRATED};
  ss_session session;
  char comment[SS_TEXT_SIZE], *text = NULL;
  ss_api_job_session(job, &session);
  (void)snprintf(comment, sizeof comment, " Made by libstepsim %s. ", ss_version);
  ss_status status = ss_session_check(&session, &options, error);
  if (status == SS_OK) status = ss_workload_write(&session.workload, comment, &text, error);
  if (status == SS_OK) status = ss_report_bytes(path, text, error);
  free(text);
  return status;
}

stepsim_status stepsim_job_save(const stepsim_job *job, const char *path, stepsim_error *error)
{
  ss_error why = {0};
  if (job == NULL || path == NULL) return ss_api_misuse(error, "stepsim_job_save: job or path is NULL");
  if (strcmp(path, "-") == 0) return ss_api_misuse(error, "stepsim_job_save: \"-\" is not a file");
  return ss_api_return(save(job, path, &why), &why, error);
}
