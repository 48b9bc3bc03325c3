#include "model/collective/levels.h"

/* Steps that leave the domain, and the others. */
typedef struct halving_steps {
  int far, near;
} halving_steps;

static halving_steps steps_of(ss_span span)
{
  const int far = ss_log2_ceiling(span.domains);
  return (halving_steps){far, ss_log2_ceiling(span.size) - far};
}

static int phases_of(ss_collective kind, ss_span span)
{
  const halving_steps steps = steps_of(span);
  return ss_levels_phases(kind, steps.near > 0, steps.far > 0);
}

/* Whether one of several phases has the steps that leave the domain: all but the second; of a gather the second. */
static bool is_far(ss_collective kind, int phase)
{
  return (phase == 1) == (kind == SS_ALL_GATHER);
}

/* Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005: in step i = 1,
 * 2, ... every rank exchanges V / 2^i with the one n / 2^i further; gathers take the steps the other way round, an
 * all-reduce goes there and back, and does the steps in the middle twice in a row. */
static ss_phase_load load(const ss_network *network, ss_collective kind, ss_span span, int phase)
{
  const halving_steps steps = steps_of(span);
  const int phases = phases_of(kind, span);
  const bool across = phases == 1 ? steps.far > 0 : is_far(kind, phase);
  const double passes = kind == SS_ALL_REDUCE && (phase == 1 || phases == 1) ? 2.0 : 1.0;
  const double near = (double)span.per_domain, left = 1.0 / (double)((int64_t)1 << steps.far);
  if (!across)
    return (ss_phase_load){.nvlink_steps = passes * (double)steps.near,
                           .nvlink_share = passes * (left - 1.0 / (double)span.size),
                           .stepping = SS_ROUNDS,
                           .peers = 1.0};
  return (ss_phase_load){.fabric_steps = passes * (double)steps.far,
                         .fabric_share = ss_span_crowded(span, passes * near * (1.0 - left)),
                         .nics = (double)ss_span_nics(span, network->nics_per_gpu),
                         .sharers = ss_span_senders_share(span, network->nics_per_gpu, span.per_domain),
                         .stepping = SS_ROUNDS,
                         .passed_share = passes * (1.0 - left),
                         .gpus = 1.0};
}

/* One step: every rank sends so much to the one that is so far. */
static void add_step(ss_flow_list *flows, int64_t distance, double share)
{
  for (int64_t rank = 0; rank < flows->span.size; ++rank)
    ss_flow_list_pair(flows, flows->gpu[rank], flows->gpu[rank ^ distance], share);
}

/* Steps [first, end) of log2 n, where step i goes n / 2^(i+1) far with 1 / 2^(i+1) of the volume, so often. */
static void add_steps(ss_flow_list *flows, int first, int end, double passes)
{
  for (int step = first; step < end; ++step) {
    const int64_t parts = (int64_t)2 << step;
    add_step(flows, flows->span.size / parts, passes / (double)parts);
  }
}

static void add_flows(ss_flow_list *flows)
{
  const halving_steps steps = steps_of(flows->span);
  const int phases = phases_of(flows->kind, flows->span), end = steps.far + steps.near;
  const double middle = flows->kind == SS_ALL_REDUCE ? 2.0 : 1.0;
  if (phases == 1) {
    add_steps(flows, 0, end, middle);
    return;
  }
  for (; flows->phase < phases; ++flows->phase)
    if (is_far(flows->kind, flows->phase))
      add_steps(flows, 0, steps.far, 1.0);
    else
      add_steps(flows, steps.far, end, middle);
}

const ss_algorithm_row ss_halving_algorithm = {
    .kinds = SS_SHARDED_KINDS, .power_of_two = true, .phases = phases_of, .load = load, .flows = add_flows};
