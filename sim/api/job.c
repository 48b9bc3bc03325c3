/* Jobs of the library: made, set, read and saved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/stack.h"
#include "sim/api/api.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/session/version.h"

/* The path of a file from any folder, since some are read again by a prediction. */
static ss_status find(ss_shipped kind, const char *name, char path[SS_PATH_SIZE], ss_error *error)
{
  const ss_status status = ss_shipped_find(kind, name, path, error);
  char *absolute = status == SS_OK ? realpath(path, NULL) : NULL;
  if (absolute != NULL && strlen(absolute) < SS_PATH_SIZE) (void)snprintf(path, SS_PATH_SIZE, "%s", absolute);
  free(absolute);
  return status;
}

static ss_status load(stepsim_job *job, const char *workload, const char *platform, ss_error *error)
{
  char path[SS_PATH_SIZE];
  ss_status status = find(SS_SHIPPED_WORKLOADS, workload, path, error);
  if (status == SS_OK) status = ss_workload_load(path, &job->workload, error);
  if (status == SS_OK) status = find(SS_SHIPPED_PLATFORMS, platform, path, error);
  return status == SS_OK ? ss_machine_load(path, &job->machine, error) : status;
}

stepsim_status stepsim_job_create(const char *workload, const char *platform, stepsim_job **job, stepsim_error *error)
{
  ss_error why = {0};
  if (job != NULL) *job = NULL;
  if (workload == NULL || platform == NULL || job == NULL)
    return ss_api_misuse(error, "stepsim_job_create: workload, platform or job is NULL");
  stepsim_job *made = calloc(1, sizeof *made);
  ss_status status = made != NULL ? load(made, workload, platform, &why)
                                  : ss_error_set(&why, SS_ERROR_MEMORY, NULL, 0, "out of memory for a job");
  if (status == SS_OK)
    *job = made;
  else
    free(made);
  return ss_api_return(status, &why, error);
}

stepsim_status stepsim_job_copy(const stepsim_job *job, stepsim_job **copy, stepsim_error *error)
{
  const ss_error why = {.code = SS_ERROR_MEMORY, .message = "out of memory for a job"};
  if (copy != NULL) *copy = NULL;
  if (job == NULL || copy == NULL) return ss_api_misuse(error, "stepsim_job_copy: job or copy is NULL");
  *copy = malloc(sizeof **copy);
  if (*copy == NULL) return ss_api_return(SS_ERROR_MEMORY, &why, error);
  **copy = *job;
  return STEPSIM_OK;
}

void stepsim_job_destroy(stepsim_job *job)
{
  free(job);
}

/* Sets a knob of a copy, which is taken over where that works. */
static ss_status assign(stepsim_job *job, stepsim_job *changed, const char *text, ss_error *error)
{
  *changed = *job;
  const ss_status status = ss_override(text, &changed->workload, &changed->machine, error);
  if (status == SS_OK) *job = *changed;
  return status;
}

stepsim_status stepsim_job_set(stepsim_job *job, const char *name, const char *value, stepsim_error *error)
{
  ss_error why = {0};
  if (job == NULL || name == NULL || value == NULL)
    return ss_api_misuse(error, "stepsim_job_set: job, name or value is NULL");
  const size_t size = strlen(name) + strlen(value) + 2;
  stepsim_job *changed = malloc(sizeof *changed);
  char *text = malloc(size);
  ss_status status = SS_ERROR_MEMORY;
  if (changed != NULL && text != NULL) {
    (void)snprintf(text, size, "%s=%s", name, value);
    status = assign(job, changed, text, &why);
  } else {
    (void)ss_error_set(&why, status, NULL, 0, "out of memory for a knob");
  }
  free(text);
  free(changed);
  return ss_api_return(status, &why, error);
}

static void write_value(const stepsim_job *job, int64_t knob, char text[SS_PROPERTY_TEXT_SIZE])
{
  ss_workload workload = job->workload;
  if (knob >= SS_ATTRIBUTE_TOTAL) {
    ss_property_text(&job->machine, &ss_machine_properties()[knob - SS_ATTRIBUTE_TOTAL], text, SS_PROPERTY_TEXT_SIZE);
    return;
  }
  ss_stack_apply(&workload);
  ss_workload_derive(&workload);
  ss_attribute_text(&workload, (int)knob, text);
}

stepsim_status stepsim_job_get(const stepsim_job *job, const char *name, char *value, size_t size, stepsim_error *error)
{
  ss_error why = {0};
  ss_workload workload;
  ss_machine machine;
  char text[SS_PROPERTY_TEXT_SIZE];
  if (job == NULL || name == NULL || value == NULL)
    return ss_api_misuse(error, "stepsim_job_get: job, name or value is NULL");
  const int64_t knob = ss_api_knob_find(name);
  if (knob < 0) { /* --set says what is wrong with a name */
    workload = job->workload;
    machine = job->machine;
    (void)snprintf(text, sizeof text, "%s=", name);
    return ss_api_return(ss_override(text, &workload, &machine, &why), &why, error);
  }
  write_value(job, knob, text);
  if (strlen(text) >= size)
    return ss_api_misuse(error, "stepsim_job_get: %s has %zu bytes; allowed: a size of at least that and 1", name,
                         strlen(text));
  (void)snprintf(value, size, "%s", text);
  return STEPSIM_OK;
}

static ss_status save(const stepsim_job *job, const char *path, ss_error *error)
{
  const ss_common_options options = {.platform = job->machine.file, .cost = SS_COST_CALIBRATED};
  ss_session session = {.workload = job->workload, .machine = job->machine};
  char comment[SS_TEXT_SIZE], *text = NULL;
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

/* The names of files, a line each, on the heap; NULL without memory. */
static char *join(const ss_shipped_files *files)
{
  char *names = malloc((size_t)files->count * SS_SHIPPED_NAME_SIZE + 1);
  size_t used = 0;
  if (names == NULL) return NULL;
  names[0] = '\0';
  for (int64_t i = 0; i < files->count; ++i)
    used += (size_t)snprintf(names + used, SS_SHIPPED_NAME_SIZE + 1, "%s\n", files->file[i].name);
  return names;
}

stepsim_status stepsim_list(const char *kind, char **names, stepsim_error *error)
{
  ss_error why = {0};
  ss_shipped_files files = {.count = 0};
  if (names != NULL) *names = NULL;
  if (kind == NULL || names == NULL) return ss_api_misuse(error, "stepsim_list: kind or names is NULL");
  const ss_shipped found = ss_shipped_kind_of(kind);
  ss_status status = found != SS_SHIPPED_NONE
                         ? ss_shipped_files_init(&files, found, &why)
                         : ss_error_set(&why, SS_ERROR_INPUT, NULL, 0,
                                        "\"%.64s\": is no kind of files; allowed: workloads, platforms", kind);
  if (status == SS_OK) {
    *names = join(&files);
    if (*names == NULL) status = ss_error_set(&why, SS_ERROR_MEMORY, NULL, 0, "out of memory for a list of files");
  }
  ss_shipped_files_free(&files);
  return ss_api_return(status, &why, error);
}

void stepsim_text_free(char *text)
{
  free(text);
}
