/* describe: what one layer, the embedding and the output layer consist of, on one GPU and for one micro-batch. */
#include <stdio.h>

#include "sim/cli/session.h"

static void print_task(const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task *task, bool seconds)
{
  printf("  %-22s", ss_activity_name(task->activity));
  if (task->collective)
    printf("%14s%14s%16.6g", "", "", task->volume_bytes);
  else
    printf(seconds ? "%14.6g%14.6g%16s" : "%14.6g%14.6g", task->flop, task->hbm_bytes, "");
  if (seconds) printf("%12.3f", 1e6 * ss_duration_sum(ss_job_task_duration(job, kind, pass, task)));
  printf("\n");
}

static void print_pass(const ss_job *job, ss_block_kind kind, ss_pass pass, bool seconds)
{
  const ss_task_list *list = ss_job_tasks(job, kind, pass);
  const char *direction = pass == SS_PASS_FORWARD ? "forward" : "backward";
  printf("%s, %s", ss_activity_name(ss_block_activity(kind)), direction);
  if (seconds) printf(": %.3f us", 1e6 * ss_duration_sum(job->pass[kind][pass]));
  printf("\n  %-22s%14s%14s%16s", "task", "flop", "HBM bytes", "message bytes");
  printf(seconds ? "%12s\n" : "\n", "us");
  for (int64_t i = 0; i < list->count; ++i) print_task(job, kind, pass, &list->task[i], seconds);
}

static void print_block(const ss_job *job, ss_block_kind kind, bool seconds)
{
  for (int pass = 0; pass < SS_PASSES; ++pass) print_pass(job, kind, (ss_pass)pass, seconds);
  printf("  parameters %.6g, activations kept %.6g bytes\n", job->block[kind].parameters,
         job->block[kind].stored_bytes);
}

int ss_command_describe(const ss_options *options)
{
  ss_session session;
  ss_error error = {0};
  const ss_status status = ss_session_open(&session, options, &error);
  if (status == SS_OK) {
    const bool seconds = options->platform != NULL;
    printf("%s%s%s, %s costs: one GPU, one micro-batch\n", session.workload.model.name, seconds ? " on " : "",
           seconds ? session.machine.name : "", ss_cost_word(options->cost));
    for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
      if (kind == SS_BLOCK_LAYER || session.job.has_ends) print_block(&session.job, (ss_block_kind)kind, seconds);
  }
  ss_session_close(&session);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
