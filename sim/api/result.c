/* Results of the library: rows that are read by column. */
#include <math.h>
#include <stdlib.h>

#include "sim/api/api.h"
#include "sim/report/figures.h"

ss_api_row *ss_api_result_add(stepsim_result *result, const stepsim_job *job)
{
  ss_api_row **grown = realloc(result->row, ((size_t)result->rows + 1) * sizeof(ss_api_row *));
  if (grown == NULL) return NULL;
  result->row = grown;
  ss_api_row *row = calloc(1, sizeof *row);
  if (row == NULL) return NULL;
  row->job = *job;
  row->run.session.workload = job->workload;
  row->run.session.machine = job->machine;
  result->row[result->rows++] = row;
  return row;
}

/* The row of this number; NULL where there is none. */
static const ss_api_row *row_of(const stepsim_result *result, int64_t row)
{
  return result != NULL && row >= 0 && row < result->rows ? result->row[row] : NULL;
}

int64_t stepsim_result_rows(const stepsim_result *result)
{
  return result != NULL ? result->rows : 0;
}

double stepsim_result_value(const stepsim_result *result, int64_t row, int64_t column)
{
  size_t count;
  const ss_figure *figures = ss_figures(&count);
  const ss_api_row *of = row_of(result, row);
  return of != NULL && column >= 0 && column < (int64_t)count ? figures[column].value(&of->run.prediction) : NAN;
}

const char *stepsim_result_json(const stepsim_result *result)
{
  return result != NULL ? result->json : NULL;
}

stepsim_status stepsim_result_job(const stepsim_result *result, int64_t row, stepsim_job **job, stepsim_error *error)
{
  const ss_api_row *of = row_of(result, row);
  if (job != NULL) *job = NULL;
  if (result == NULL || job == NULL) return ss_api_misuse(error, "stepsim_result_job: result or job is NULL");
  if (of == NULL)
    return ss_api_misuse(error, "stepsim_result_job: no row %lld; there are %lld", (long long)row,
                         (long long)result->rows);
  return stepsim_job_copy(&of->job, job, error);
}

void stepsim_result_destroy(stepsim_result *result)
{
  if (result == NULL) return;
  for (int64_t i = 0; i < result->rows; ++i) {
    ss_run_close(&result->row[i]->run);
    free(result->row[i]);
  }
  free(result->row);
  free(result->json);
  free(result);
}
