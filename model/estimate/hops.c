#include "model/estimate/hops.h"

#include "model/input/workload.h"
#include "model/plan/stage_hops.h"
#include "model/plan/transfer_time.h"

static ss_stage_hop hop_of(const ss_job *job, bool across, int64_t states, double cost)
{
  const double time_s = ss_job_hop_s(job, across, states);
  return (ss_stage_hop){.time_s = time_s, .slowed_s = job->overlaps_messages ? cost * time_s : 0.0};
}

/* The share of its sender's compute that a message takes is that of the links it goes over. */
ss_stage_hops ss_stage_hops_of(const ss_job *job)
{
  const double across_cost = ss_machine_compute_cost(job->machine, (ss_transport){.fabric = true}),
               inside_cost = ss_machine_compute_cost(job->machine, (ss_transport){.nvlink = true}),
               mean_cost = job->slow_hops * across_cost + (1.0 - job->slow_hops) * inside_cost;
  ss_stage_hops hops = {.mean = ss_cost_traits_of(job->options.cost).mean_messages && job->stages > 1};
  for (int width = 0; width < SS_HOP_WIDTHS; ++width) {
    const int64_t states = 1 + (width == SS_HOP_WIDE ? job->workload->model.mtp_modules : 0);
    hops.inside[width] = hop_of(job, false, states, hops.mean ? mean_cost : inside_cost);
    hops.across[width] = hops.mean ? hops.inside[width] : hop_of(job, true, states, across_cost);
  }
  return hops;
}

ss_hop_width ss_hop_width_of(const ss_job *job, ss_chunk chunk, ss_pass pass)
{
  return ss_job_message_states(job, chunk, pass) > 1 ? SS_HOP_WIDE : SS_HOP_NARROW;
}

const ss_stage_hop *ss_stage_hop_between(const ss_stage_hops *hops, const ss_job *job, ss_hop_width width, int64_t from,
                                         int64_t to)
{
  if (hops->mean) return &hops->inside[width];
  if (from == to) return NULL;
  return ss_placement_crosses(&job->placement, from, to) ? &hops->across[width] : &hops->inside[width];
}
