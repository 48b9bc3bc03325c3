#include "model/estimate/hops.h"

#include "model/block/block.h"
#include "model/plan/stage_hops.h"
#include "model/plan/transfer_time.h"

/* Of each second of the messages of a stage on NICs, what it loses to collectives of layers there, and what these lose
 * to it. */
typedef struct meeting {
  double lost, shared;
} meeting;

/* Passes of the job, with what they do on NICs. */
typedef struct nic_use {
  double run_s, nic_s, yields_s;
} nic_use;

static void add_kind(const ss_job *job, ss_block_kind kind, double count, nic_use *use)
{
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    use->run_s += count * ss_duration_sum(job->pass[kind][pass]);
    use->nic_s += count * job->links[kind][pass].nic_s;
    use->yields_s += count * ss_link_time_longer_s(&job->links[kind][pass], (double)job->senders);
  }
}

/* Messages beside compute have passes of their sender beside them; those of the stage in the middle stand for all. */
static meeting meeting_of(const ss_job *job)
{
  const meeting none = {0.0, 0.0};
  if (!job->overlaps_messages || ss_job_has_own_links(job) || job->stages == 1) return none;
  const ss_block_counts *counts = &job->counts[job->stages / 2];
  nic_use use = {0.0, 0.0, 0.0};
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    add_kind(job, kind, (double)counts->of[kind], &use);
  }
  if (use.nic_s <= 0.0) return none;
  const double beside_s = use.run_s + use.yields_s - use.nic_s;
  return (meeting){use.nic_s / beside_s, use.yields_s / beside_s};
}

static ss_stage_hop hop_of(const ss_job *job, bool across, ss_cargo cargo, double cost)
{
  const double time_s = ss_job_hop_s(job, across, cargo);
  ss_stage_hop hop = {.time_s = time_s, .slowed_s = job->overlaps_messages ? cost * time_s : 0.0};
  if (across && !ss_job_has_own_links(job)) hop.nic_s = ss_job_hop_nic_s(job, cargo);
  return hop;
}

/* Lets a message meet collectives of layers, those of its sender; at its receiver it is late only if it is waited for,
 * and then nothing runs there. */
static void meet(const meeting *m, ss_stage_hop *hop)
{
  hop->time_s += m->lost * hop->nic_s;
  hop->shared_s = m->shared * hop->nic_s;
}

/* The share of its sender's compute that a message takes is that of the links it goes over. */
ss_stage_hops ss_stage_hops_of(const ss_job *job)
{
  const double across_cost = ss_machine_compute_cost(job->machine, (ss_transport){.fabric = true}),
               inside_cost = ss_machine_compute_cost(job->machine, (ss_transport){.nvlink = true}),
               mean_cost = job->slow_hops * across_cost + (1.0 - job->slow_hops) * inside_cost;
  ss_stage_hops hops = {.mean = ss_cost_traits_of(job->options.cost).mean_messages && job->stages > 1};
  const meeting m = meeting_of(job);
  for (int i = 0; i < (ss_job_has_cargoes(job) ? SS_CARGOS : SS_CARGO_STATES + 1); ++i) {
    const ss_cargo cargo = (ss_cargo)i;
    hops.inside[i] = hop_of(job, false, cargo, hops.mean ? mean_cost : inside_cost);
    hops.across[i] = hops.mean ? hops.inside[i] : hop_of(job, true, cargo, across_cost);
    meet(&m, &hops.across[i]);
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
