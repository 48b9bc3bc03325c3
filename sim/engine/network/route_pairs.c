/* Flows between pairs of GPUs: recursive halving, and what an all-to-all sends across domains. */
#include "sim/engine/network/route_flows.h"

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

/* As the closed form has it: steps that leave the domain are a phase of their own, before the others, but after them
 * when gathering; an all-reduce does the others twice in a row, between them. */
void ss_flow_list_halving(ss_flow_list *flows)
{
  const int steps = ss_collective_levels(flows->span.size), far = ss_collective_levels(flows->span.domains);
  const int phases = ss_collective_phases(flows->method, flows->span);
  const bool reduces_all = flows->method.kind == SS_ALL_REDUCE;
  if (phases == 1) {
    add_steps(flows, 0, steps, reduces_all ? 2.0 : 1.0);
    return;
  }
  for (; flows->phase < phases; ++flows->phase)
    if ((flows->phase == 1) == (flows->method.kind == SS_ALL_GATHER))
      add_steps(flows, 0, far, 1.0);
    else
      add_steps(flows, far, steps, reduces_all ? 2.0 : 1.0);
}

/* Domains that one GPU's messages of an all-to-all are bundled to, at most. */
#define BUNDLES_MAX 4

/* Bundles of each of `locals` GPUs of a domain: enough for every one of the `others` to be met by one of them. */
static int64_t batches(int64_t locals, int64_t others)
{
  const int64_t enough = (others + locals - 1) / locals;
  return enough < BUNDLES_MAX ? enough : BUNDLES_MAX;
}

/* How far the domain is that the `slot`-th of `slots` batches of a domain goes to: all distances in turn, or, where
 * there are more of them, evenly spread. */
static int64_t batch_distance(int64_t slot, int64_t slots, int64_t others)
{
  return 1 + (slots < others ? slot * others / slots : slot % others);
}

/* What the GPU at one place of a domain sends to other domains: an even share over its batches, to the same place. */
static void add_batches(ss_flow_list *flows, int64_t domain, int64_t place)
{
  const int64_t domains = flows->span.domains, others = domains - 1, locals = ss_flow_list_locals(flows, domain);
  const int64_t width = batches(locals, others);
  const double outside = (double)(flows->span.size - locals) / (double)flows->span.size;
  for (int64_t batch = 0; batch < width; ++batch) {
    const int64_t there = (domain + batch_distance(place * width + batch, locals * width, others)) % domains;
    ss_flow_list_pair(flows, ss_flow_list_gpu(flows, domain, place),
                      ss_flow_list_gpu(flows, there, place % ss_flow_list_locals(flows, there)),
                      outside / (double)width);
  }
}

/* What is sent to other domains is bundled: a GPU's NICs send to at most 4 domains each, which ones differs from GPU to
 * GPU, so that together they load the fabric like messages between all pairs. */
void ss_flow_list_all_pairs_across(ss_flow_list *flows)
{
  for (int64_t domain = 0; domain < flows->span.domains; ++domain)
    for (int64_t place = 0; place < ss_flow_list_locals(flows, domain); ++place) add_batches(flows, domain, place);
}
