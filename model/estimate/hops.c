#include "model/estimate/hops.h"

#include "model/plan/stage_hops.h"
#include "model/plan/transfer_time.h"

static ss_stage_hop hop_of(const ss_job *job, bool across, double cost)
{
  const double time_s = ss_job_hop_s(job, across);
  return (ss_stage_hop){.time_s = time_s, .slowed_s = job->overlaps_messages ? cost * time_s : 0.0};
}

/* The share of its sender's compute that a message takes is that of the links it goes over. */
ss_stage_hops ss_stage_hops_of(const ss_job *job)
{
  const double across_cost = ss_machine_compute_cost(job->machine, (ss_transport){.fabric = true}),
               inside_cost = ss_machine_compute_cost(job->machine, (ss_transport){.nvlink = true});
  if (ss_cost_traits_of(job->options.cost).mean_messages && job->stages > 1) {
    const ss_stage_hop mean = hop_of(job, false, job->slow_hops * across_cost + (1.0 - job->slow_hops) * inside_cost);
    return (ss_stage_hops){true, mean, mean};
  }
  return (ss_stage_hops){false, hop_of(job, false, inside_cost), hop_of(job, true, across_cost)};
}

const ss_stage_hop *ss_stage_hop_between(const ss_stage_hops *hops, const ss_job *job, int64_t from, int64_t to)
{
  if (hops->mean) return &hops->inside;
  if (from == to) return NULL;
  return ss_placement_crosses(&job->placement, from, to) ? &hops->across : &hops->inside;
}
