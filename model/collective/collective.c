#include "model/collective/collective.h"

#include <math.h>

#include "model/base/number.h"
#include "model/collective/algorithm.h"

/* A number of NICs that is whole comes out as that. */
#define ROUNDING 1e-9

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

double ss_collective_ring_share(ss_collective kind, int64_t ranks)
{
  const double n = (double)ranks;
  return collectives[kind].passes * (collectives[kind].keeps ? (n - 1.0) / n : 1.0);
}

double ss_collective_passes(ss_collective kind)
{
  return collectives[kind].passes;
}

int64_t ss_collective_own_nics(ss_span span, double nics_per_gpu)
{
  return (int64_t)ss_max(floor(nics_per_gpu * (double)span.per_domain + ROUNDING), 1.0);
}

int64_t ss_collective_rings(ss_span span, double nics_per_gpu)
{
  return span.per_domain == 1 ? 1 : ss_collective_own_nics(span, nics_per_gpu);
}

int ss_collective_levels(int64_t count)
{
  return count < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)count - 1);
}

bool ss_method_exists(ss_method method)
{
  return method.algorithm == SS_ALGORITHM_AUTO ||
         (ss_algorithm_row_of(method.algorithm)->kinds & SS_KIND_BIT(method.kind)) != 0;
}

bool ss_method_takes(ss_method method, int64_t ranks)
{
  return method.algorithm != SS_ALGORITHM_HALVING || (ranks & (ranks - 1)) == 0;
}

bool ss_method_runs_on(ss_method method, const ss_machine *machine)
{
  if (method.algorithm != SS_ALGORITHM_IN_NETWORK || machine->nvlink_reduces != 0) return true;
  return method.kind == SS_ALL_REDUCE && machine->fabric_reduces != 0;
}

ss_algorithm ss_collective_given(const ss_workload *workload, ss_collective kind)
{
  switch (kind) {
  case SS_ALL_GATHER: return workload->schedule.all_gather;
  case SS_REDUCE_SCATTER: return workload->schedule.reduce_scatter;
  case SS_ALL_REDUCE: return workload->schedule.all_reduce;
  case SS_ALL_TO_ALL: return workload->schedule.all_to_all;
  case SS_BROADCAST:
  case SS_REDUCE:
  case SS_COLLECTIVE_COUNT: break;
  }
  return SS_ALGORITHM_AUTO;
}

/* Of the algorithms that are considered for a collective, the first is taken for granted. */
static void consider(ss_network *network, ss_collective kind)
{
  for (int i = 0; i < ss_algorithm_rows(); ++i) {
    const ss_algorithm algorithm = (ss_algorithm)i;
    if ((ss_algorithm_row_of(i)->considered & SS_KIND_BIT(kind)) == 0) continue;
    if (network->usual[kind] == SS_ALGORITHM_AUTO)
      network->usual[kind] = algorithm;
    else if (algorithm != SS_ALGORITHM_IN_NETWORK || network->nvlink_reduces || network->fabric_reduces)
      network->others[kind] |= SS_ALGORITHM_BIT(algorithm);
  }
}

ss_network ss_network_of(const ss_machine *machine, const ss_workload *workload, ss_cost cost)
{
  const bool as_published = ss_cost_traits_of(cost).as_published;
  ss_network network = {.nvlink_bytes_per_s = machine->nvlink_bytes_per_s * machine->nvlink_efficiency,
                        .nvlink_latency_s = machine->nvlink_latency_s,
                        .fabric_bytes_per_s = machine->fabric_bytes_per_s * machine->fabric_efficiency,
                        .fabric_latency_s = machine->fabric_latency_s,
                        .nics_per_gpu = ss_machine_nics_per_gpu(machine),
                        .nvlink_reduces = machine->nvlink_reduces != 0,
                        .fabric_reduces = machine->fabric_reduces != 0};
  if (!as_published) network.protocols = ss_protocols_of(machine);
  for (int i = 0; i < SS_COLLECTIVE_COUNT; ++i) {
    const ss_collective kind = (ss_collective)i;
    const ss_algorithm given = ss_collective_given(workload, kind);
    if (given != SS_ALGORITHM_AUTO && !as_published)
      network.usual[kind] = given;
    else
      consider(&network, kind);
    if (as_published) network.others[kind] = 0;
  }
  return network;
}

void ss_network_drop_latency(ss_network *network)
{
  network->nvlink_latency_s = network->fabric_latency_s = 0.0;
  network->protocols = (ss_protocols){0};
}

static inline ss_comm_time time_of(const ss_network *network, const ss_load *l, double volume_bytes)
{
  double nvlink_s = 0.0, fabric_s = 0.0;
  if (l->nvlink_share > 0.0) nvlink_s = l->nvlink_share * volume_bytes / network->nvlink_bytes_per_s;
  if (l->fabric_share > 0.0) fabric_s = l->fabric_share * volume_bytes / network->fabric_bytes_per_s / l->nics;
  const double links_s = network->fabric_latency_s * l->fabric_steps + network->nvlink_latency_s * l->nvlink_steps;
  if (!network->protocols.stated) return (ss_comm_time){.latency_s = links_s, .transfer_s = ss_max(nvlink_s, fabric_s)};
  const ss_demand demand = {.stepping = l->stepping,
                            .nvlink_steps = l->nvlink_steps,
                            .fabric_steps = l->fabric_steps,
                            .nvlink_s = nvlink_s,
                            .fabric_s = fabric_s,
                            .links_s = links_s,
                            .passed_bytes = l->passed_share * volume_bytes,
                            .peers = l->peers,
                            .gpus = l->gpus};
  return ss_protocol_time(&network->protocols, &demand);
}

int ss_collective_phases(ss_method method, ss_span span)
{
  return ss_algorithm_row_of(method.algorithm)->phases == NULL
             ? 1
             : ss_algorithm_row_of(method.algorithm)->phases(method.kind, span);
}

ss_comm_time ss_collective_phase(const ss_network *network, ss_method method, ss_span span, double volume_bytes,
                                 int phase)
{
  if (span.size <= 1 || volume_bytes <= 0.0 || phase >= ss_collective_phases(method, span))
    return (ss_comm_time){0.0, 0.0};
  const ss_load all = ss_algorithm_row_of(method.algorithm)->load(network, method.kind, span, phase);
  return time_of(network, &all, volume_bytes);
}

/* A search asks for rings millions of times: they are not looked up. */
static inline ss_comm_time method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  if (span.size <= 1 || volume_bytes <= 0.0) return (ss_comm_time){0.0, 0.0};
  if (method.algorithm == SS_ALGORITHM_RING) {
    const ss_load all = ss_ring_load(network, method.kind, span);
    return time_of(network, &all, volume_bytes);
  }
  ss_comm_time sum = {0.0, 0.0};
  const int phases = ss_collective_phases(method, span);
  for (int phase = 0; phase < phases; ++phase) {
    const ss_load all = ss_algorithm_row_of(method.algorithm)->load(network, method.kind, span, phase);
    const ss_comm_time time = time_of(network, &all, volume_bytes);
    sum.latency_s += time.latency_s;
    sum.transfer_s += time.transfer_s;
  }
  return sum;
}

ss_comm_time ss_method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  return method_time(network, method, span, volume_bytes);
}

/* An algorithm, and what it takes. */
typedef struct choice {
  ss_algorithm algorithm;
  ss_comm_time time;
} choice;

/* The time of a choice that is compared. */
static double compared_s(const ss_network *network, ss_span span, double volume_bytes, const choice *c)
{
  if (ss_algorithm_row_of(c->algorithm)->compared == NULL) return ss_comm_time_sum(c->time);
  const ss_load all = ss_algorithm_row_of(c->algorithm)->compared(network, span);
  return ss_comm_time_sum(time_of(network, &all, volume_bytes));
}

/* Of several. */
static choice fastest(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  const ss_method usual = {kind, network->usual[kind]};
  choice best = {usual.algorithm, method_time(network, usual, span, volume_bytes)};
  double least_s = compared_s(network, span, volume_bytes, &best);
  for (ss_algorithm_set left = network->others[kind]; left != 0; left &= left - 1) {
    const ss_method method = {kind, (ss_algorithm)ss_collective_levels(left & -left)};
    if (!ss_algorithm_row_of(method.algorithm)->suits(network, kind, span)) continue;
    const choice other = {method.algorithm, method_time(network, method, span, volume_bytes)};
    const double other_s = compared_s(network, span, volume_bytes, &other);
    if (other_s >= least_s) continue;
    best = other;
    least_s = other_s;
  }
  return best;
}

ss_algorithm ss_collective_choose(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  return network->others[kind] == 0 ? network->usual[kind] : fastest(network, kind, span, volume_bytes).algorithm;
}

ss_comm_time ss_collective_time(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  if (network->others[kind] != 0) return fastest(network, kind, span, volume_bytes).time;
  return method_time(network, (ss_method){kind, network->usual[kind]}, span, volume_bytes);
}

double ss_collective_port_bytes(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  double sum_bytes = 0.0;
  const int phases = ss_collective_phases(method, span);
  for (int phase = 0; span.size > 1 && phase < phases; ++phase)
    sum_bytes +=
        ss_algorithm_row_of(method.algorithm)->load(network, method.kind, span, phase).nvlink_share * volume_bytes;
  return sum_bytes;
}

/* A ring of one step. */
ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes)
{
  if (bytes <= 0.0) return (ss_comm_time){0.0, 0.0};
  const ss_load all = across_domains
                          ? (ss_load){.fabric_steps = 1.0, .fabric_share = 1.0, .nics = 1.0, .passed_share = 1.0}
                          : (ss_load){.nvlink_steps = 1.0, .nvlink_share = 1.0, .peers = 1.0};
  return time_of(network, &all, bytes);
}

double ss_comm_time_sum(ss_comm_time time)
{
  return time.latency_s + time.transfer_s;
}
