#include "model/estimate/hops.h"

#include "model/plan/stage_hops.h"
#include "model/plan/transfer_time.h"

static ss_stage_hop hop_of(const ss_job *job, bool across, ss_cargo cargo, double cost)
{
  const double time_s = ss_job_hop_s(job, across, cargo);
  return (ss_stage_hop){.time_s = time_s, .slowed_s = job->overlaps_messages ? cost * time_s : 0.0};
}

/* The share of its sender's compute that a message takes is that of the links it goes over. */
ss_stage_hops ss_stage_hops_of(const ss_job *job)
{
  const double across_cost = ss_machine_compute_cost(job->machine, (ss_transport){.fabric = true}),
               inside_cost = ss_machine_compute_cost(job->machine, (ss_transport){.nvlink = true}),
               mean_cost = job->slow_hops * across_cost + (1.0 - job->slow_hops) * inside_cost;
  ss_stage_hops hops = {.mean = ss_cost_traits_of(job->options.cost).mean_messages && job->stages > 1};
  for (int i = 0; i < (ss_job_has_cargoes(job) ? SS_CARGOS : SS_CARGO_STATES + 1); ++i) {
    const ss_cargo cargo = (ss_cargo)i;
    hops.inside[i] = hop_of(job, false, cargo, hops.mean ? mean_cost : inside_cost);
    hops.across[i] = hops.mean ? hops.inside[i] : hop_of(job, true, cargo, across_cost);
  }
  return hops;
}

const ss_stage_hop *ss_stage_hop_between(const ss_stage_hops *hops, const ss_job *job, ss_cargo cargo, int64_t from,
                                         int64_t to)
{
  if (hops->mean) return &hops->inside[cargo];
  if (from == to) return NULL;
  return ss_placement_crosses(&job->placement, from, to) ? &hops->across[cargo] : &hops->inside[cargo];
}
