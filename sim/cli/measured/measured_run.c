#include "sim/cli/measured/measured_run.h"

#include "model/run/bill.h"
#include "model/run/whole_run.h"

/* A run that is predicted. */
typedef struct outcome {
  ss_whole_run_time time;
  ss_bill bill;
  double gpus; /* that work */
} outcome;

static double total_s(const outcome *run)
{
  return run->time.total_s;
}

static double between_interruptions_s(const outcome *run)
{
  return run->time.total_s / run->time.interruptions;
}

static double for_work_s(const outcome *run)
{
  return run->time.total_s / run->time.work_s;
}

/* At 1 kW. */
static double gpu_energy_s(const outcome *run)
{
  return 1e-3 * run->bill.gpu_j / run->gpus;
}

static double energy_s(const outcome *run)
{
  return 1e-3 * run->bill.energy_j / run->gpus;
}

/* At 1 g/s. */
static double carbon_s(const outcome *run)
{
  return 1e3 * run->bill.carbon_kg / run->gpus;
}

static ss_status check(const ss_workload *workload, const ss_machine *machine, ss_run_figure figure, ss_error *error)
{
  const struct {
    ss_property_index property;
    double per_year;
  } slow[] = {{SS_PROPERTY_slow_nic_rate, machine->slow_nic_rate},
              {SS_PROPERTY_slow_cable_rate, machine->slow_cable_rate},
              {SS_PROPERTY_slow_switch_rate, machine->slow_switch_rate}};
  const bool draws = figure == SS_RUN_GPU_ENERGY || figure == SS_RUN_ENERGY || figure == SS_RUN_CARBON;
  if (workload->training.tokens == 0.0)
    return ss_workload_refuse(workload, SS_AT_training_tokens, error, "is the length of a run; allowed: more than 0");
  if (workload->run.phases[0] != '\0')
    return ss_workload_refuse(workload, SS_AT_run_phases, error,
                              "makes several runs of one, which a point of runs cannot be; allowed: none, and a point "
                              "for each phase");
  for (size_t i = 0; i < sizeof slow / sizeof slow[0]; ++i)
    if (slow[i].per_year > 0.0)
      return ss_machine_refuse(machine, slow[i].property, error,
                               "slows jobs down by what plan finds out, which a point of runs does not; allowed: 0");
  if (draws && machine->gpu_power_w == 0.0)
    return ss_machine_refuse(machine, SS_PROPERTY_gpu_power_w, error, "is what a run draws; allowed: more than 0");
  if (figure == SS_RUN_CARBON && machine->carbon_kg_per_kwh == 0.0)
    return ss_machine_refuse(machine, SS_PROPERTY_carbon_kg_per_kwh, error,
                             "is what a run emits; allowed: more than 0");
  return SS_OK;
}

static outcome predict(const ss_session *session, const ss_breakdown *iteration)
{
  const ss_workload *workload = &session->workload;
  const ss_whole_run_question question = {
      .job = &session->job,
      .workload = workload,
      .machine = &session->machine,
      .iteration = iteration,
      .iterations = workload->training.tokens / (double)(workload->training.global_batch * workload->model.sequence),
      .replica_speed = 1.0 - 1.0 / (double)workload->parallelism.dp,
      .nic_speed = 1.0};
  const ss_whole_run_parts parts = ss_whole_run_of(&question);
  outcome run = {.time = ss_whole_run_mean(&parts.run), .gpus = (double)ss_workload_gpus(workload)};
  const double spare_gpus = (double)(parts.run.spares * ss_machine_node_gpus(&session->machine));
  const ss_bill_question bill = {.machine = &session->machine,
                                 .gpus = run.gpus,
                                 .spare_gpus = spare_gpus,
                                 .iteration = iteration,
                                 .time = &run.time};
  run.bill = ss_bill_of(&bill);
  return run;
}

ss_status ss_measured_run_s(const ss_session *session, ss_run_figure figure, const ss_breakdown *iteration,
                            double *time_s, ss_error *error)
{
  static double (*const times[SS_RUN_FIGURES])(const outcome *run) = {
      [SS_RUN_DAYS] = total_s,
      [SS_RUN_GPU_HOURS] = total_s,
      [SS_RUN_INTERRUPTIONS] = between_interruptions_s,
      [SS_RUN_GOODPUT] = for_work_s,
      [SS_RUN_GPU_ENERGY] = gpu_energy_s,
      [SS_RUN_ENERGY] = energy_s,
      [SS_RUN_CARBON] = carbon_s,
  };
  const ss_status status = check(&session->workload, &session->machine, figure, error);
  if (status != SS_OK) return status;
  const outcome run = predict(session, iteration);
  *time_s = times[figure](&run);
  return SS_OK;
}
