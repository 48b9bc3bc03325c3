#include "model/plan/transfer_time.h"

#include "model/plan/stage_hops.h"

ss_comm_time ss_job_data_time(const ss_job *job, ss_collective kind, ss_span span, double volume_bytes)
{
  return ss_collective_time(&job->network, kind, span, job->options.what_if.free_messages ? 0.0 : volume_bytes);
}

/* Beside a flow that fills a port of NVLink: with at most half of it, a collective takes what it does by itself, and
 * the flow has what is left; with more, both have half. */
static void share_nvlink(ss_comm_time time, ss_op_time *sum)
{
  if (time.nvlink_s <= 0.0) return;
  const double use = ss_min(time.nvlink_s / time.transfer_s, 1.0);
  sum->nvlink_takes_s = time.transfer_s * (use > 0.5 ? 1.0 : use / (1.0 - use));
  sum->nvlink_yields_s = time.transfer_s * ss_max(2.0 - 1.0 / use, 0.0);
}

ss_op_time ss_job_op_time(const ss_job *job, int64_t stage, const ss_stage_op *op)
{
  const ss_span span = ss_job_data_span(job, op->group, stage);
  const ss_comm_time time = ss_job_data_time(job, op->kind, span, op->volume_bytes);
  ss_op_time sum = {.known = true,
                    .volume_bytes = op->volume_bytes,
                    .time_s = ss_comm_time_sum(time),
                    .nic_s = time.nic_s,
                    .flow_s = time.yields_s};
  share_nvlink(time, &sum);
  return sum;
}

ss_span ss_job_tied_span(const ss_job *job)
{
  const ss_tables *tables = &job->tables;
  int64_t domains = 0;
  for (int64_t i = 0; i < tables->count; ++i) {
    bool apart = true; /* in another domain than those before it */
    for (int64_t j = 0; j < i && apart; ++j)
      apart = ss_placement_crosses(&job->placement, tables->stage[i], tables->stage[j]);
    domains += apart;
  }
  ss_span span = {.size = tables->count, .domains = domains, .per_domain = domains == 1 ? tables->count : 1};
  if (job->senders > 1 && domains > 1) span.nic.rings = span.nic.gpus = (int32_t)job->senders;
  return span;
}

ss_comm_time ss_job_tied_time(const ss_job *job, ss_span span)
{
  return ss_job_data_time(job, SS_ALL_REDUCE, span, job->tied_bytes);
}

static ss_comm_time message_time(const ss_job *job, bool across_domains, ss_cargo cargo, int64_t senders)
{
  const double bytes = job->options.what_if.free_messages ? 0.0 : job->message_bytes[cargo];
  return ss_message_time(&job->network, across_domains, bytes, senders);
}

ss_comm_time ss_job_message_time(const ss_job *job, bool across_domains, ss_cargo cargo)
{
  return message_time(job, across_domains, cargo, 1);
}

/* All ranks of a stage send at the same moment. */
static double message_s(const ss_job *job, bool across_domains, ss_cargo cargo)
{
  return ss_comm_time_sum(message_time(job, across_domains, cargo, job->senders));
}

double ss_job_hop_nic_s(const ss_job *job, ss_cargo cargo)
{
  return message_time(job, true, cargo, job->senders).nic_s;
}

double ss_job_hop_s(const ss_job *job, bool across_domains, ss_cargo cargo)
{
  const ss_cost_traits traits = ss_cost_traits_of(job->options.cost);
  if (!traits.mean_messages) return message_s(job, across_domains, cargo);
  const double fast_s = (1.0 - job->slow_hops) * message_s(job, false, cargo);
  const bool free = traits.free_slow_hops && job->slow_hops < 1.0;
  return (free ? 0.0 : job->slow_hops * message_s(job, true, cargo)) + fast_s;
}
