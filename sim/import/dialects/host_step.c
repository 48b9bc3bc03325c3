#include "sim/import/dialects/host_step.h"

static void read_share(ss_sheet *s)
{
  ss_workload *w = s->workload;
  if (s->value[SS_VALUE_OFFLOADED_SHARE] == SS_NOT_GIVEN || w->training.offload_optimizer == SS_NO) return;
  w->training.offload_fraction = s->value[SS_VALUE_OFFLOADED_SHARE];
  w->line[SS_AT_training_offload_fraction] = s->value_line[SS_VALUE_OFFLOADED_SHARE];
}

ss_status ss_read_host_step(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  (void)error;
  if (!s->is_set[SS_AT_training_offload_optimizer] || w->training.offload_optimizer == SS_NO) return SS_OK;
  if (w->parallelism.sharding == SS_SHARDING_PARAMETERS) read_share(s);
  if (w->training.optimizer == SS_OPTIMIZER_ADAM)
    ss_import_set(s->import, SS_AT_training_offload_step, SS_OFFLOAD_STEP_HOST,
                  w->line[SS_AT_training_offload_optimizer]);
  return SS_OK;
}

ss_status ss_megatron_read_host_step(ss_sheet *s, ss_error *error)
{
  const bool host = s->value[SS_VALUE_HOST_STEPS] > 0.0, states = s->value[SS_VALUE_STATES_MOVE] > 0.0;
  const bool overlaps = s->value[SS_VALUE_HOST_OVERLAPS] > 0.0;
  (void)error;
  if (!host && !states) return SS_OK;
  ss_sheet_set(s, SS_AT_training_offload_optimizer, SS_YES, host ? SS_VALUE_HOST_STEPS : SS_VALUE_STATES_MOVE);
  if (host)
    ss_sheet_set(s, SS_AT_training_offload_step, overlaps ? SS_OFFLOAD_STEP_OVERLAPPED : SS_OFFLOAD_STEP_HOST,
                 overlaps ? SS_VALUE_HOST_OVERLAPS : SS_VALUE_HOST_STEPS);
  read_share(s);
  return SS_OK;
}

void ss_megatron_write_host_step(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  const bool host = w->training.offload_step != SS_OFFLOAD_STEP_GPU;
  if (w->training.offload_optimizer == SS_NO) return;
  ss_sheet_give(s, SS_VALUE_HOST_STEPS, host);
  ss_sheet_give(s, SS_VALUE_STATES_MOVE, !host);
  ss_sheet_give(s, SS_VALUE_HOST_OVERLAPS, w->training.offload_step == SS_OFFLOAD_STEP_OVERLAPPED);
  if (host) s->value[SS_VALUE_OFFLOADED_SHARE] = w->training.offload_fraction;
}
