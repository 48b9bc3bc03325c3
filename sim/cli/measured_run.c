#include "sim/cli/measured_run.h"

#include "model/run/whole_run.h"

static double total_s(const ss_whole_run_time *time)
{
  return time->total_s;
}

static double between_interruptions_s(const ss_whole_run_time *time)
{
  return time->total_s / time->interruptions;
}

static double for_work_s(const ss_whole_run_time *time)
{
  return time->total_s / time->work_s;
}

ss_status ss_measured_run_s(const ss_session *session, ss_run_figure figure, const ss_breakdown *iteration,
                            double *time_s, ss_error *error)
{
  static double (*const times[])(const ss_whole_run_time *time) = {
      [SS_RUN_DAYS] = total_s,
      [SS_RUN_GPU_HOURS] = total_s,
      [SS_RUN_INTERRUPTIONS] = between_interruptions_s,
      [SS_RUN_GOODPUT] = for_work_s,
  };
  const ss_workload *workload = &session->workload;
  if (workload->training.tokens == 0.0)
    return ss_workload_refuse(workload, SS_AT_training_tokens, error, "is the length of a run; allowed: more than 0");
  if (workload->run.phases[0] != '\0')
    return ss_workload_refuse(workload, SS_AT_run_phases, error,
                              "makes several runs of one, which a point of runs cannot be; allowed: none, and a point "
                              "for each phase");
  if (session->machine.slow_nic_rate > 0.0)
    return ss_machine_refuse(&session->machine, SS_PROPERTY_slow_nic_rate, error,
                             "slows jobs down by what plan finds out, which a point of runs does not; allowed: 0");
  const ss_whole_run_question question = {
      .job = &session->job,
      .workload = workload,
      .machine = &session->machine,
      .iteration = iteration,
      .iterations = workload->training.tokens / (double)(workload->training.global_batch * workload->model.sequence),
      .replica_speed = 1.0 - 1.0 / (double)workload->parallelism.dp,
      .nic_speed = 1.0};
  const ss_whole_run_parts parts = ss_whole_run_of(&question);
  const ss_whole_run_time time = ss_whole_run_mean(&parts.run);
  *time_s = times[figure](&time);
  return SS_OK;
}
