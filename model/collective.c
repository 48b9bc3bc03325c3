#include "model/collective.h"

#include <math.h>

#include "model/number.h"

static const struct {
  double passes;
  ss_activity activity;
  bool keeps;
} collectives[] = {
#define SS_COLLECTIVE_ROW(id, activity, passes, keeps) {passes, activity, keeps},
    SS_COLLECTIVE_LIST(SS_COLLECTIVE_ROW)
#undef SS_COLLECTIVE_ROW
};

ss_activity ss_collective_activity(ss_collective kind)
{
  return collectives[kind].activity;
}

ss_network ss_network_of(const ss_machine *machine)
{
  return (ss_network){.nvlink_bytes_per_s = machine->nvlink_bytes_per_s * machine->nvlink_efficiency,
                      .nvlink_latency_s = machine->nvlink_latency_s,
                      .fabric_bytes_per_s = machine->fabric_bytes_per_s * machine->fabric_efficiency,
                      .fabric_latency_s = machine->fabric_latency_s,
                      .nics_per_gpu = ss_machine_nics_per_gpu(machine)};
}

int64_t ss_collective_rings(ss_span span, double nics_per_gpu)
{
  const double nics = floor(nics_per_gpu * (double)span.per_domain + 1e-9);
  return span.per_domain == 1 || nics < 1.0 ? 1 : (int64_t)nics;
}

double ss_collective_rank_bytes(ss_collective kind, ss_span span, double volume_bytes)
{
  const double n = (double)span.size;
  const double sent = collectives[kind].keeps ? (n - 1.0) / n : 1.0;
  return collectives[kind].passes * sent * volume_bytes;
}

bool ss_collective_is_direct(ss_collective kind)
{
  return kind == SS_ALL_TO_ALL;
}

static double ring_transfer_s(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  const double bytes = ss_collective_rank_bytes(kind, span, volume_bytes);
  const double over_nvlink_s = bytes / network->nvlink_bytes_per_s;
  const double over_fabric_s = bytes / network->fabric_bytes_per_s;
  if (span.domains == 1) return over_nvlink_s;
  if (span.domains == span.size) return over_fabric_s;
  return ss_max(over_fabric_s / (double)ss_collective_rings(span, network->nics_per_gpu), over_nvlink_s);
}

/* Every rank has 1/n of its volume for each; the ranks of a domain share all NICs they own for what leaves it. */
static double direct_transfer_s(const ss_network *network, ss_span span, double volume_bytes)
{
  const double n = (double)span.size, near = (double)span.per_domain;
  const double nics = ss_max(floor(network->nics_per_gpu * near + 1e-9), 1.0);
  const double over_nvlink_s = (near - 1.0) / n * volume_bytes / network->nvlink_bytes_per_s;
  const double over_fabric_s = near * (n - near) / n * volume_bytes / (nics * network->fabric_bytes_per_s);
  return ss_max(over_fabric_s, over_nvlink_s);
}

ss_comm_time ss_collective_time(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  if (span.size <= 1 || volume_bytes <= 0.0) return (ss_comm_time){0.0, 0.0};
  const double slow_steps = (double)(span.domains - 1);
  const double fast_steps = (double)(span.size - span.domains);
  return (ss_comm_time){
      .latency_s = network->fabric_latency_s * slow_steps + network->nvlink_latency_s * fast_steps,
      .transfer_s = ss_collective_is_direct(kind) ? direct_transfer_s(network, span, volume_bytes)
                                                  : ring_transfer_s(network, kind, span, volume_bytes),
  };
}

ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes)
{
  if (bytes <= 0.0) return (ss_comm_time){0.0, 0.0};
  if (across_domains) return (ss_comm_time){network->fabric_latency_s, bytes / network->fabric_bytes_per_s};
  return (ss_comm_time){network->nvlink_latency_s, bytes / network->nvlink_bytes_per_s};
}

double ss_comm_time_sum(ss_comm_time time)
{
  return time.latency_s + time.transfer_s;
}
