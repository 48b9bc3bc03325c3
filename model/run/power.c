#include "model/run/power.h"

#include <math.h>

#include "model/fabric/parts.h"

/* What a GPU does in a part of an iteration. Collectives and messages count where they are exposed: those beside
 * kernels draw what the kernels do, and a wait for HBM is part of a kernel. */
static const ss_draw in_part[SS_PART_COUNT] = {
    [SS_PART_compute_s] = SS_DRAWS_COMPUTING,   [SS_PART_memory_s] = SS_DRAWS_COMPUTING,
    [SS_PART_tp_comm_s] = SS_DRAWS_MOVING,      [SS_PART_cp_comm_s] = SS_DRAWS_MOVING,
    [SS_PART_ep_comm_s] = SS_DRAWS_MOVING,      [SS_PART_dp_comm_s] = SS_DRAWS_MOVING,
    [SS_PART_pp_comm_s] = SS_DRAWS_MOVING,      [SS_PART_bubble_s] = SS_DRAWS_WAITING,
    [SS_PART_optimizer_s] = SS_DRAWS_COMPUTING, [SS_PART_offload_s] = SS_DRAWS_MOVING,
    [SS_PART_host_s] = SS_DRAWS_WAITING,        [SS_PART_other_s] = SS_DRAWS_COMPUTING,
};

const char *ss_draw_key(ss_draw draw)
{
#define DRAW_KEY(id, key) [id] = key,
  static const char *const keys[SS_DRAWS] = {SS_DRAW_LIST(DRAW_KEY)};
#undef DRAW_KEY
  return keys[draw];
}

ss_power ss_power_of(const ss_machine *machine)
{
  const ss_fabric_parts fabric = ss_fabric_parts_of(machine);
  const double gpu_w = ss_machine_gpu_power_w(machine), idle_w = machine->gpu_idle_w;
  const double above_w = fmax(0.0, gpu_w - idle_w);
  const double of_nics = (double)fabric.nic_cables;
  const double cables = (double)fabric.cables - of_nics + of_nics * machine->nic_cable_power;
  const double fabric_w = (double)fabric.switches * machine->switch_power_w + cables * machine->cable_power_w;
  return (ss_power){.gpu_w = {[SS_DRAWS_COMPUTING] = gpu_w,
                              [SS_DRAWS_MOVING] = idle_w + machine->gpu_transfer_power * above_w,
                              [SS_DRAWS_WAITING] = idle_w + machine->gpu_wait_power * above_w},
                    .idle_w = idle_w,
                    .around_w = machine->node_power_w / (double)ss_machine_node_gpus(machine) +
                                machine->nic_power_w * ss_machine_nics_per_gpu(machine) +
                                fabric_w / (double)machine->gpus,
                    .pue = machine->pue};
}

double ss_power_at_meter_w(const ss_power *power, ss_draw draw)
{
  return power->pue * (power->gpu_w[draw] + power->around_w);
}

double ss_power_idle_w(const ss_power *power)
{
  return power->pue * (power->idle_w + power->around_w);
}

double ss_power_gpu_j(const ss_power *power, const ss_breakdown *iteration)
{
  double sum = 0.0;
  for (int part = 0; part < SS_PART_COUNT; ++part)
    sum += power->gpu_w[in_part[part]] * ss_breakdown_part(iteration, (ss_part)part);
  return sum;
}

double ss_power_iteration_j(const ss_power *power, const ss_breakdown *iteration)
{
  return power->pue * (ss_power_gpu_j(power, iteration) + power->around_w * iteration->iteration_s);
}
