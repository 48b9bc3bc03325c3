#include "model/collective/collective.h"

#include "model/base/number.h"
#include "model/collective/given.h"
#include "model/collective/registry.h"
#include "model/collective/ring.h"

bool ss_method_exists(ss_method method)
{
  return method.algorithm == SS_ALGORITHM_AUTO ||
         (ss_algorithm_row_of(method.algorithm)->kinds & SS_KIND_BIT(method.kind)) != 0;
}

bool ss_method_takes(ss_method method, int64_t ranks)
{
  const bool any = method.algorithm == SS_ALGORITHM_AUTO || !ss_algorithm_row_of(method.algorithm)->power_of_two;
  return any || (ranks & (ranks - 1)) == 0;
}

static bool runs_on(const ss_algorithm_row *row, const ss_machine *machine, ss_collective kind)
{
  return row->runs_on == NULL || row->runs_on(machine, kind);
}

bool ss_method_runs_on(ss_method method, const ss_machine *machine)
{
  return method.algorithm == SS_ALGORITHM_AUTO || runs_on(ss_algorithm_row_of(method.algorithm), machine, method.kind);
}

/* Of the algorithms that are considered for a collective, the first is taken for granted. */
static void consider(ss_network *network, const ss_machine *machine, ss_collective kind)
{
  for (int i = SS_ALGORITHM_AUTO + 1; i < SS_ALGORITHM_COUNT; ++i) {
    const ss_algorithm algorithm = (ss_algorithm)i;
    const ss_algorithm_row *row = ss_algorithm_row_of(algorithm);
    if ((row->considered & SS_KIND_BIT(kind)) == 0 || !runs_on(row, machine, kind)) continue;
    if (row->considered_on != NULL && !row->considered_on(machine)) continue;
    if (network->usual[kind] == SS_ALGORITHM_AUTO)
      network->usual[kind] = algorithm;
    else
      network->others[kind] |= SS_ALGORITHM_BIT(algorithm);
  }
}

static ss_routing routing_of(const ss_machine *machine, const ss_workload *workload, bool as_published)
{
  const bool routes = workload->model.experts > 0;
  const bool has_own = machine->dispatch_efficiency > 0.0 && !as_published;
  return (ss_routing){.experts = workload->model.experts,
                      .choices = routes ? workload->model.top_k : 0,
                      .idle = workload->model.zero_experts,
                      .domains = workload->model.routed_domains,
                      .groups = workload->model.router_groups,
                      .open_groups = workload->model.router_group_top_k,
                      .nvlink_cost = has_own ? machine->nvlink_efficiency / machine->dispatch_efficiency : 1.0};
}

ss_network ss_network_of(const ss_machine *machine, const ss_workload *workload, ss_cost cost)
{
  const bool as_published = ss_cost_traits_of(cost).as_published;
  ss_network network = {.nvlink_bytes_per_s = machine->nvlink_bytes_per_s * machine->nvlink_efficiency,
                        .nvlink_latency_s = machine->nvlink_latency_s,
                        .fabric_bytes_per_s = machine->fabric_bytes_per_s * machine->fabric_efficiency,
                        .fabric_latency_s = machine->fabric_latency_s,
                        .nics_per_gpu = ss_machine_nics_per_gpu(machine),
                        .lattice = ss_lattice_of(machine),
                        .routing = routing_of(machine, workload, as_published),
                        .nvlink_reduces = machine->nvlink_reduces != 0,
                        .fabric_reduces = machine->fabric_reduces != 0};
  if (!as_published) {
    network.protocols = ss_protocols_of(machine);
    network.tuning = ss_tuning_of(machine);
  }
  for (int i = 0; i < SS_COLLECTIVE_COUNT; ++i) {
    const ss_collective kind = (ss_collective)i;
    const ss_algorithm given = ss_collective_given(workload, kind);
    if (given != SS_ALGORITHM_AUTO && !as_published)
      network.usual[kind] = given;
    else
      consider(&network, machine, kind);
    if (as_published) network.others[kind] = 0;
  }
  return network;
}

const ss_network *ss_network_with(const ss_network *network, ss_top_k top_k, ss_network *own)
{
  const ss_routing *routing = &network->routing;
  if (top_k.experts == 0) return network;
  if (top_k.experts == routing->experts && top_k.choices == routing->choices) return network;
  *own = *network;
  own->routing.experts = top_k.experts;
  own->routing.choices = top_k.choices;
  return own;
}

void ss_network_drop_latency(ss_network *network)
{
  network->nvlink_latency_s = network->fabric_latency_s = 0.0;
  network->protocols = (ss_protocols){0};
  network->tuning = (ss_tuning){0};
}

/* Whether NCCL's tuning has to do with a method: with rings of what is sharded, and double trees. */
static inline bool is_tuned(const ss_network *network, ss_method method)
{
  if (!network->tuning.used) return false;
  return method.algorithm == SS_ALGORITHM_DOUBLE_TREE ||
         (method.algorithm == SS_ALGORITHM_RING && (SS_SHARDED_KINDS & SS_KIND_BIT(method.kind)) != 0);
}

/* What NCCL expects of a tuned method. */
static ss_expected expected(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  if (method.algorithm == SS_ALGORITHM_RING) return ss_tuning_ring(&network->tuning, method.kind, span, volume_bytes);
  return ss_tuning_trees(&network->tuning, span, volume_bytes);
}

static inline ss_protocol protocol_of(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  return is_tuned(network, method) ? expected(network, method, span, volume_bytes).protocol : SS_FASTEST;
}

static inline ss_comm_time time_alone(const ss_network *network, const ss_phase_load *l, double volume_bytes,
                                      ss_protocol protocol)
{
  double nvlink_s = 0.0, fabric_s = 0.0;
  if (l->nvlink_share > 0.0) nvlink_s = l->nvlink_share * volume_bytes / network->nvlink_bytes_per_s;
  if (l->fabric_share > 0.0) fabric_s = l->fabric_share * volume_bytes / network->fabric_bytes_per_s / l->nics;
  const double links_s = network->fabric_latency_s * l->fabric_steps + network->nvlink_latency_s * l->nvlink_steps;
  if (!network->protocols.stated)
    return (ss_comm_time){
        .latency_s = links_s, .transfer_s = ss_max(nvlink_s, fabric_s), .nic_s = fabric_s, .nvlink_s = nvlink_s};
  const ss_demand demand = {.stepping = l->stepping,
                            .protocol = protocol,
                            .nvlink_steps = l->nvlink_steps,
                            .fabric_steps = l->fabric_steps,
                            .nvlink_s = nvlink_s,
                            .fabric_s = fabric_s,
                            .links_s = links_s,
                            .passed_bytes = l->passed_share * volume_bytes,
                            .copies = l->copies,
                            .peers = l->peers,
                            .gpus = l->gpus};
  ss_comm_time time = ss_protocol_time(&network->protocols, &demand);
  time.nic_s = fabric_s;
  time.nvlink_s = nvlink_s;
  return time;
}

/* What others send through the same NICs makes the transfer longer, and nothing else: the replay adds it in the same
 * way.
 */
static inline ss_comm_time time_of(const ss_network *network, const ss_phase_load *l, double volume_bytes,
                                   ss_protocol protocol)
{
  ss_comm_time time = time_alone(network, l, volume_bytes, protocol);
  if (l->sharers > 1.0) {
    time.nic_s *= l->sharers;
    time.transfer_s = ss_max(time.transfer_s, time.nic_s);
  }
  time.yields_s = time.nic_s / (ss_max(l->flows, 1.0) * ss_max(l->sharers, 1.0));
  return time;
}

int ss_collective_phases(ss_method method, ss_span span)
{
  const ss_algorithm_row *row = ss_algorithm_row_of(method.algorithm);
  return row->phases == NULL ? 1 : row->phases(method.kind, span);
}

static ss_comm_time phase_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes,
                               int phase)
{
  const ss_phase_load load = ss_algorithm_row_of(method.algorithm)->load(network, method.kind, span, phase);
  return time_of(network, &load, volume_bytes, protocol_of(network, method, span, volume_bytes));
}

ss_comm_time ss_collective_phase(const ss_network *network, ss_method method, ss_span span, double volume_bytes,
                                 int phase)
{
  if (span.size <= 1 || volume_bytes <= 0.0 || phase >= ss_collective_phases(method, span)) return (ss_comm_time){0};
  return phase_time(network, method, span, volume_bytes, phase);
}

/* A search asks for the time of rings millions of times: here, and nowhere else, their one phase is not looked up in
 * their table but inlined. */
static inline ss_comm_time method_time(const ss_network *network, ss_method method, ss_span span, double volume_bytes)
{
  if (span.size <= 1 || volume_bytes <= 0.0) return (ss_comm_time){0};
  if (method.algorithm == SS_ALGORITHM_RING) {
    const ss_phase_load load = ss_ring_load(network, method.kind, span);
    return time_of(network, &load, volume_bytes, protocol_of(network, method, span, volume_bytes));
  }
  ss_comm_time sum = {0};
  const int phases = ss_collective_phases(method, span);
  for (int phase = 0; phase < phases; ++phase) {
    const ss_comm_time time = phase_time(network, method, span, volume_bytes, phase);
    sum.latency_s += time.latency_s;
    sum.transfer_s += time.transfer_s;
    sum.nic_s += time.nic_s;
    sum.yields_s += time.yields_s;
    sum.nvlink_s += time.nvlink_s;
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

/* The time by which a choice is compared with others. */
static double compared_s(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes,
                         const choice *c)
{
  const ss_algorithm_row *row = ss_algorithm_row_of(c->algorithm);
  const ss_method method = {kind, c->algorithm};
  if (is_tuned(network, method)) return expected(network, method, span, volume_bytes).time_s;
  if (row->compared == NULL) return ss_comm_time_sum(c->time);
  const ss_phase_load load = row->compared(network, span);
  return ss_comm_time_sum(time_of(network, &load, volume_bytes, SS_FASTEST));
}

static bool suits(const ss_network *network, ss_method method, ss_span span)
{
  const ss_algorithm_row *row = ss_algorithm_row_of(method.algorithm);
  return ss_method_takes(method, span.size) && (row->suits == NULL || row->suits(network, method.kind, span));
}

/* The fastest of several, for a group that has its NICs for itself. */
static choice fastest_alone(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  const ss_method usual = {kind, network->usual[kind]};
  choice best = {usual.algorithm, method_time(network, usual, span, volume_bytes)};
  double least_s = compared_s(network, kind, span, volume_bytes, &best);
  for (ss_algorithm_set left = network->others[kind]; left != 0; left &= left - 1) {
    const ss_method method = {kind, (ss_algorithm)ss_log2_ceiling(left & -left)};
    if (!suits(network, method, span)) continue;
    const choice other = {method.algorithm, method_time(network, method, span, volume_bytes)};
    const double other_s = compared_s(network, kind, span, volume_bytes, &other);
    if (other_s >= least_s) continue;
    best = other;
    least_s = other_s;
  }
  return best;
}

/* What runs in other groups at the same time is not known to what chooses. */
static choice fastest(const ss_network *network, ss_collective kind, ss_span span, double volume_bytes)
{
  choice best = fastest_alone(network, kind, ss_span_alone(span), volume_bytes);
  if (span.nic.gpus > 0) best.time = method_time(network, (ss_method){kind, best.algorithm}, span, volume_bytes);
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
  const ss_algorithm_row *row = ss_algorithm_row_of(method.algorithm);
  const int phases = span.size > 1 ? ss_collective_phases(method, span) : 0;
  double sum_bytes = 0.0;
  for (int phase = 0; phase < phases; ++phase)
    sum_bytes += row->load(network, method.kind, span, phase).nvlink_share * volume_bytes;
  return sum_bytes;
}

/* A ring of one step. */
ss_comm_time ss_message_time(const ss_network *network, bool across_domains, double bytes, int64_t senders)
{
  if (bytes <= 0.0) return (ss_comm_time){0};
  const ss_phase_load all = across_domains ? (ss_phase_load){.fabric_steps = 1.0,
                                                             .fabric_share = 1.0,
                                                             .nics = 1.0,
                                                             .sharers = (double)senders,
                                                             .passed_share = 1.0}
                                           : (ss_phase_load){.nvlink_steps = 1.0, .nvlink_share = 1.0, .peers = 1.0};
  return time_of(network, &all, bytes, SS_FASTEST);
}

double ss_comm_time_sum(ss_comm_time time)
{
  return time.latency_s + time.transfer_s;
}
