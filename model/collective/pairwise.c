#include "model/base/number.h"
#include "model/collective/algorithm.h"

static int phases_of(ss_collective kind, ss_span span)
{
  return kind == SS_SEND_RECEIVE ? 1 : (int)(span.size - 1);
}

/* What everybody sends to the next one is the first step, with all of the volume in it. One rank of each domain leaves
 * it, through one NIC, as a message between stages does. */
static ss_phase_load message_load(ss_span span)
{
  const bool inside = ss_span_locals(span) > 1, across = ss_span_has_across(span);
  return (ss_phase_load){.nvlink_steps = across ? 0.0 : 1.0,
                         .fabric_steps = across ? 1.0 : 0.0,
                         .nvlink_share = inside ? 1.0 : 0.0,
                         .fabric_share = across ? 1.0 : 0.0,
                         .nics = 1.0,
                         .sharers = (double)span.nic.rings,
                         .stepping = SS_ROUNDS,
                         .passed_share = across ? 1.0 : 0.0,
                         .peers = inside ? 1.0 : 0.0};
}

/* Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005: in step i = 1,
 * 2, ..., n - 1 rank r sends V / n to rank (r + i) mod n. Ranks of a domain follow one another, so that of its g ranks
 * min(i, n - i, g) leave it in step i: in the first steps the last ranks, in the last steps the first ones. A step is
 * over when its slowest message is: it costs what a message does, across domains if the group crosses them. */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  if (kind == SS_SEND_RECEIVE) return message_load(span);
  const int64_t step = phase + 1, nearest = step < span.size - step ? step : span.size - step;
  const double share = 1.0 / (double)span.size;
  if (!ss_span_has_across(span))
    return (ss_phase_load){.nvlink_steps = 1.0, .nvlink_share = share, .stepping = SS_ROUNDS, .peers = 1.0};
  const bool inside = nearest < ss_span_locals(span);
  const int64_t senders = nearest < span.per_domain ? nearest : span.per_domain;
  return (ss_phase_load){.fabric_steps = 1.0,
                         .nvlink_share = inside ? share : 0.0,
                         .fabric_share = share * (double)senders,
                         .nics = ss_span_senders_nics(span, network->nics_per_gpu, senders),
                         .sharers = ss_span_senders_share(span, network->nics_per_gpu, senders),
                         .stepping = SS_ROUNDS,
                         .passed_share = share,
                         .peers = inside ? 1.0 : 0.0};
}

static void add_step(ss_flow_list *flows, int64_t step)
{
  const int64_t ranks = flows->span.size;
  for (int64_t rank = 0; rank < ranks; ++rank)
    ss_flow_list_pair(flows, flows->gpu[rank], flows->gpu[(rank + step) % ranks], 1.0 / (double)ranks);
}

static void add_messages(ss_flow_list *flows)
{
  for (int64_t rank = 0; rank < flows->span.size; ++rank)
    ss_flow_list_add(flows,
                     ss_flow_message(flows->machine, flows->gpu[rank], flows->gpu[(rank + 1) % flows->span.size]));
}

static void add_flows(ss_flow_list *flows)
{
  if (flows->kind == SS_SEND_RECEIVE) {
    add_messages(flows);
    return;
  }
  for (int64_t step = 1; step < flows->span.size; ++step) {
    flows->phase = (int32_t)(step - 1);
    add_step(flows, step);
  }
}

const ss_algorithm_row ss_pairwise_algorithm = {.kinds = SS_KIND_BIT(SS_ALL_TO_ALL) | SS_KIND_BIT(SS_SEND_RECEIVE),
                                                .considered = SS_KIND_BIT(SS_SEND_RECEIVE),
                                                .phases = phases_of,
                                                .load = load,
                                                .flows = add_flows};
