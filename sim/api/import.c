/* Jobs of the library from files of other programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  const ss_status status = read_all(foreign, import, error);
  if (status == SS_OK) {
    *job = made;
    return SS_OK;
  }
  import->workload = NULL;
  stepsim_job_destroy(made);
  return status;
}

/* Adds a line to a text that is on the heap, or not there yet. */
static ss_status add_line(char **text, const char *line, ss_error *error)
{
  const size_t before = *text != NULL ? strlen(*text) : 0, size = before + strlen(line) + 2;
  char *grown = realloc(*text, size);
  if (grown == NULL) return ss_api_refuse_memory("notes", error);
  *text = grown;
  (void)snprintf(grown + before, size - before, "%s\n", line);
  return SS_OK;
}

static ss_status add_notes(char **text, const ss_import *import, ss_note_kind kind, ss_error *error)
{
  char *line = NULL;
  ss_status status = ss_import_notes(import, kind, &line, error);
  if (line != NULL) status = add_line(text, line, error);
  free(line);
  return status;
}

/* All that is to be said of an import: what was chosen, and the notes. The text is on the heap; empty where there is
 * nothing to say, and NULL where that fails. */
static ss_status describe(const ss_import *import, char **text, ss_error *error)
{
  char chosen[SS_MESSAGE_SIZE], line[SS_MESSAGE_SIZE + 32];
  ss_import_chosen(import, chosen, sizeof chosen);
  (void)snprintf(line, sizeof line, "chosen here: %s", chosen);
  *text = calloc(1, 1);
  ss_status status = *text != NULL ? SS_OK : ss_api_refuse_memory("notes", error);
  if (status == SS_OK && chosen[0] != '\0') status = add_line(text, line, error);
  for (int kind = 0; status == SS_OK && kind < SS_NOTE_KINDS; ++kind)
    status = add_notes(text, import, (ss_note_kind)kind, error);
  if (status == SS_OK) return SS_OK;
  free(*text);
  *text = NULL;
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
  const ss_api_foreign foreign = {files, count(files), knobs, count(knobs)};
  ss_error why = {0};
  ss_import import;
  if (job != NULL) *job = NULL;
  if (notes != NULL) *notes = NULL;
  if (machine == NULL || job == NULL) return ss_api_misuse(error, "stepsim_job_import: machine or job is NULL");
  if (foreign.files == 0) return ss_api_misuse(error, "stepsim_job_import: there are no files");
  ss_status status = ss_api_job_import(&foreign, job, &import, &why);
  if (*job != NULL) (*job)->machine = *machine;
  if (status == SS_OK && notes != NULL) status = describe(&import, notes, &why);
  if (status != SS_OK) give_back(job);
  ss_import_free(&import);
  return ss_api_return(status, &why, error);
}
