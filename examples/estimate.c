/* A job, its closed form and its replay: cc estimate.c $(pkg-config --cflags --libs stepsim) */
#include <stdio.h>
#include <stepsim.h>

static double number(const stepsim_result *result, const char *column)
{
  return stepsim_result_value(result, 0, stepsim_column_find(column));
}

int main(void)
{
  const char *const options[] = {"max-seconds=60", NULL};
  stepsim_job *job = NULL;
  stepsim_result *result = NULL;
  stepsim_error error;
  stepsim_status status = stepsim_job_create("gpt3-175b", "perlmutter", &job, &error);
  if (status == STEPSIM_OK) status = stepsim_job_set(job, "training.recompute", "full", &error);
  if (status == STEPSIM_OK) status = stepsim_replay(job, options, &result, &error);
  if (status == STEPSIM_OK) {
    printf("closed form %.4g s, replay %.4g s, between %.4g and %.4g s where jobs like it were measured\n",
           number(result, "estimate.iteration_s"), number(result, "simulation.iteration_s"),
           number(result, "interval.low_s"), number(result, "interval.high_s"));
    printf("MFU %.1f %%, %.1f GiB of a GPU\n", 100.0 * number(result, "metrics.mfu"),
           number(result, "memory.total_bytes") / (1 << 30));
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  stepsim_result_destroy(result);
  stepsim_job_destroy(job);
  return status == STEPSIM_OK ? 0 : 1;
}
