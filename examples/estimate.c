/* A job, its closed form and its replay: cc estimate.c $(pkg-config --cflags --libs stepsim) */
#include <stdio.h>
#include <stepsim.h>

int main(void)
{
  const char *const options[] = {"max-seconds=60", NULL};
  stepsim_machine *machine = NULL;
  stepsim_job *job = NULL;
  stepsim_replay *replay = NULL;
  stepsim_error error;
  stepsim_status status = stepsim_machine_create("perlmutter", NULL, &machine, &error);
  if (status == STEPSIM_OK) status = stepsim_job_create("gpt3-175b", machine, &job, &error);
  if (status == STEPSIM_OK) status = stepsim_job_set(job, "training.recompute", "full", &error);
  if (status == STEPSIM_OK) status = stepsim_replay_create(job, options, &replay, &error);
  if (status == STEPSIM_OK) {
    const stepsim_estimate *estimate = stepsim_replay_estimate(replay);
    printf("closed form %.4g s, replay %.4g s, between %.4g and %.4g s where jobs like it were measured\n",
           stepsim_estimate_iteration_s(estimate), stepsim_replay_iteration_s(replay), stepsim_replay_low_s(replay),
           stepsim_replay_high_s(replay));
    printf("MFU %.1f %%, %.1f GiB of a GPU\n", 100.0 * stepsim_replay_mfu(replay),
           stepsim_estimate_memory_bytes(estimate, STEPSIM_FULLEST_STAGE, STEPSIM_MEMORY_TOTAL) / (1 << 30));
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  stepsim_replay_destroy(replay);
  stepsim_job_destroy(job);
  stepsim_machine_destroy(machine);
  return status == STEPSIM_OK ? 0 : 1;
}
