#include "sim/engine/core/kernels.h"

#include <math.h>

/* What communication leaves of a GPU to kernels. */
static double kernel_rate(const ss_world *world, const ss_stage_replica *replica)
{
  const ss_transport transport = {.nvlink = replica->nvlink_transfers > 0,
                                  .fabric = replica->fabric_transfers > 0,
                                  .experts = replica->expert_transfers > 0,
                                  .data = replica->data_transfers > 0};
  return 1.0 - ss_machine_compute_cost(world->job->machine, transport);
}

static void set_timer(ss_world *world, ss_stage_replica *replica)
{
  ss_kernel_run *run = &replica->kernel;
  run->rate = kernel_rate(world, replica);
  run->since_s = world->common->now_s;
  run->due_s = world->common->now_s + run->left_s / run->rate;
  ss_world_schedule(world, run->due_s, SS_EVENT_KERNEL, replica);
}

void ss_kernels_start(ss_world *world, ss_stage_replica *replica, double alone_s)
{
  replica->kernel =
      (ss_kernel_run){.active = true, .left_s = alone_s, .start_s = world->common->now_s, .alone_s = alone_s};
  set_timer(world, replica);
}

void ss_kernels_start_until(ss_world *world, ss_stage_replica *replica, double end_s)
{
  const double now_s = world->common->now_s;
  replica->kernel = (ss_kernel_run){.active = true,
                                    .left_s = end_s - now_s,
                                    .rate = 1.0,
                                    .since_s = now_s,
                                    .due_s = end_s,
                                    .start_s = now_s,
                                    .alone_s = end_s - now_s};
  ss_world_schedule(world, end_s, SS_EVENT_KERNEL, replica);
}

bool ss_kernels_end(const ss_world *world, ss_stage_replica *replica)
{
  ss_kernel_run *run = &replica->kernel;
  if (!run->active || world->common->now_s < run->due_s) return false;
  run->active = false;
  return true;
}

void ss_kernels_share(ss_world *world, ss_stage_replica *replica, ss_transport transport, int change)
{
  ss_kernel_run *run = &replica->kernel;
  if (ss_machine_compute_cost(world->job->machine, transport) <= 0.0) return;
  if (transport.nvlink) replica->nvlink_transfers += change;
  if (transport.fabric) replica->fabric_transfers += change;
  if (transport.experts) replica->expert_transfers += change;
  if (transport.data && transport.nvlink) replica->data_transfers += change;
  if (!run->active || kernel_rate(world, replica) == run->rate) return;
  run->left_s = fmax(run->left_s - (world->common->now_s - run->since_s) * run->rate, 0.0);
  set_timer(world, replica);
}
