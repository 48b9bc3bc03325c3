/* Jobs of the library from files of other programs. */
#include <stdlib.h>

#include "sim/api/api.h"

static ss_status read_all(const ss_api_foreign *foreign, ss_import *import, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < foreign->files; ++i)
    status = ss_import_read(import, foreign->file[i], error);
  for (int64_t i = 0; status == SS_OK && i < foreign->settings; ++i)
    status = ss_override(foreign->setting[i], import->workload, NULL, error);
  return status == SS_OK ? ss_import_complete(import, error) : status;
}

ss_status ss_api_job_import(const ss_api_foreign *foreign, stepsim_job **job, ss_import *import, ss_error *error)
{
  stepsim_job *made = calloc(1, sizeof *made);
  *job = NULL;
  *import = (ss_import){.workload = NULL};
  if (made == NULL) return ss_api_refuse_memory("a job", error);
  ss_import_init(import, &made->workload);
  import->recipe = foreign->recipe;
  import->gpus = foreign->gpus;
  const ss_status status = read_all(foreign, import, error);
  if (status == SS_OK) {
    *job = made;
    return SS_OK;
  }
  import->workload = NULL;
  stepsim_job_destroy(made);
  return status;
}

static int64_t count(const char *const *texts)
{
  int64_t n = 0;
  while (texts != NULL && texts[n] != NULL) ++n;
  return n;
}

static void give_back(stepsim_job **job)
{
  stepsim_job_destroy(*job);
  *job = NULL;
}

stepsim_status stepsim_job_import(const char *const *files, const char *const *knobs, const stepsim_machine *machine,
                                  stepsim_job **job, char **notes, stepsim_error *error)
{
  const ss_api_foreign foreign = {files, count(files), knobs, count(knobs), 0, NULL};
  ss_error why = {0};
  ss_import import;
  if (job != NULL) *job = NULL;
  if (notes != NULL) *notes = NULL;
  if (machine == NULL || job == NULL) return ss_api_misuse(error, "stepsim_job_import: machine or job is NULL");
  if (foreign.files == 0) return ss_api_misuse(error, "stepsim_job_import: there are no files");
  ss_status status = ss_api_job_import(&foreign, job, &import, &why);
  if (*job != NULL) (*job)->machine = *machine;
  if (status == SS_OK && notes != NULL) status = ss_import_text(&import, "chosen here", notes, &why);
  if (status != SS_OK) give_back(job);
  ss_import_free(&import);
  return ss_api_return(status, &why, error);
}
