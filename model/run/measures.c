#include "model/run/measures.h"

typedef bool taking(ss_workload *workload, ss_machine *machine);

static bool set(double *value, double to)
{
  const bool differs = *value != to;
  *value = to;
  return differs;
}

static bool scale_failures(ss_workload *workload, ss_machine *machine, double factor)
{
  double *const rates[] = {&machine->gpu_failures, &machine->nic_failures, &machine->node_failures,
                           &machine->switch_failures, &workload->run.software_failures};
  bool differs = false;
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
    if (set(rates[i], *rates[i] * factor)) differs = true;
  return differs;
}

static bool nothing_breaks(ss_workload *workload, ss_machine *machine)
{
  return scale_failures(workload, machine, 0.0);
}

static bool half_as_often(ss_workload *workload, ss_machine *machine)
{
  return scale_failures(workload, machine, 0.5);
}

static bool recover_faster(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  const bool sooner = set(&workload->run.detection_s, 0.5 * workload->run.detection_s);
  const bool faster = set(&workload->run.restart_s, 0.5 * workload->run.restart_s);
  const bool swaps = workload->run.recovery == SS_RECOVERY_SWAP;
  return (swaps && set(&workload->run.swap_s, 0.5 * workload->run.swap_s)) || sooner || faster;
}

static bool recover_by(ss_workload *workload, ss_recovery recovery)
{
  const bool differs = workload->run.recovery != recovery;
  workload->run.recovery = recovery;
  return differs;
}

static bool swap(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return recover_by(workload, SS_RECOVERY_SWAP);
}

static bool restart(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return recover_by(workload, SS_RECOVERY_RESTART);
}

static bool take_no_spares(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return set(&workload->run.spares, 0.0);
}

/* A job of one replica cannot go on without it. */
static bool shrink(ss_workload *workload, ss_machine *machine)
{
  if (workload->parallelism.dp == 1) return false;
  const bool fewer = take_no_spares(workload, machine);
  return recover_by(workload, SS_RECOVERY_SHRINK) || fewer;
}

static bool write_as(ss_workload *workload, ss_checkpoint_mode mode)
{
  const bool differs = workload->run.checkpoint != mode;
  workload->run.checkpoint = mode;
  return differs;
}

static bool write_first(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return write_as(workload, SS_CHECKPOINT_SYNCHRONOUS);
}

static bool write_beside(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return write_as(workload, SS_CHECKPOINT_ASYNCHRONOUS);
}

static bool write_to(ss_workload *workload, ss_checkpoint_to to)
{
  const bool differs = workload->run.checkpoint_to != to;
  workload->run.checkpoint_to = to;
  return differs;
}

static bool write_to_disks(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return write_to(workload, SS_CHECKPOINT_TO_DISKS);
}

static bool write_to_storage(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return write_to(workload, SS_CHECKPOINT_TO_STORAGE);
}

static bool keep_best(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return set(&workload->run.interval_s, 0.0);
}

static bool keep_hourly(ss_workload *workload, ss_machine *machine)
{
  (void)machine;
  return set(&workload->run.interval_s, 3600.0);
}

static bool none_slow(ss_workload *workload, ss_machine *machine)
{
  (void)workload;
  return set(&machine->slow_rate, 0.0);
}

static bool find_slow(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_detection_s, 600.0) && machine->slow_rate > 0.0;
}

static bool leave_slow(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_detection_s, 0.0) && machine->slow_rate > 0.0;
}

static bool no_slow_nics(ss_workload *workload, ss_machine *machine)
{
  (void)workload;
  return set(&machine->slow_nic_rate, 0.0);
}

static bool find_slow_nics(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_nic_detection_s, 600.0) && machine->slow_nic_rate > 0.0;
}

static bool leave_slow_nics(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_nic_detection_s, 0.0) && machine->slow_nic_rate > 0.0;
}

static bool no_slow_cables(ss_workload *workload, ss_machine *machine)
{
  (void)workload;
  return set(&machine->slow_cable_rate, 0.0);
}

static bool find_slow_cables(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_cable_detection_s, 600.0) && machine->slow_cable_rate > 0.0;
}

static bool leave_slow_cables(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_cable_detection_s, 0.0) && machine->slow_cable_rate > 0.0;
}

static bool no_slow_switches(ss_workload *workload, ss_machine *machine)
{
  (void)workload;
  return set(&machine->slow_switch_rate, 0.0);
}

static bool find_slow_switches(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_switch_detection_s, 600.0) && machine->slow_switch_rate > 0.0;
}

static bool leave_slow_switches(ss_workload *workload, ss_machine *machine)
{
  return set(&workload->run.slow_switch_detection_s, 0.0) && machine->slow_switch_rate > 0.0;
}

static const struct {
  const char *key, *label;
  taking *take;
} measures[SS_MEASURES] = {
#define MEASURE_ROW(id, key, label, function) {key, label, function},
    SS_MEASURE_LIST(MEASURE_ROW)
#undef MEASURE_ROW
};

const char *ss_measure_key(ss_measure measure)
{
  return measures[measure].key;
}

const char *ss_measure_label(ss_measure measure)
{
  return measures[measure].label;
}

bool ss_measure_take(ss_measure measure, ss_workload *workload, ss_machine *machine)
{
  return measures[measure].take(workload, machine);
}
