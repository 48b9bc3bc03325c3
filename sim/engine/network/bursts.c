#include "sim/engine/network/bursts.h"

#include <math.h>
#include <stdlib.h>

/* Times and rates that differ by no more than rounding, up to this factor, are equal. */
#define ROUNDED (1.0 + 1e-12)

enum { NOBODY = -1 };

/* A link, as the phase at hand uses it. */
typedef struct used_link {
  int64_t flows;  /* of the phase */
  double slowest; /* the least rate of these */
  int32_t leads;  /* to another link of the same zone, or to itself */
  int8_t part;    /* of the phase, that crosses it */
} used_link;

/* Goes through phases one after the other. */
typedef struct search {
  const ss_link_paths *paths;
  used_link *link;                        /* [links], owned */
  int8_t *part_of;                        /* [flows of a phase], owned */
  int parts;                              /* of the phase at hand */
  double s_per_byte[SS_BURST_PARTS_MOST]; /* of its volume, that each takes */
} search;

static const ss_hop *hops_of(const search *s, const ss_flow *flow, int64_t *count)
{
  return ss_link_paths_hops(s->paths, flow->path, count);
}

/* What each flow of the phase has of a link where all have the same. */
static double share_of(const search *s, int32_t link)
{
  return s->paths->bytes_per_s[link] / (double)s->link[link].flows;
}

static double rate_of(const search *s, const ss_flow *flow)
{
  int64_t hops;
  const ss_hop *hop = hops_of(s, flow, &hops);
  double least = INFINITY;
  for (int64_t h = 0; h < hops; ++h) least = fmin(least, share_of(s, hop[h].link));
  return least;
}

static void put_on_links(const search *s, const ss_phase_flows *phase)
{
  int64_t hops;
  for (int64_t i = 0; i < phase->count; ++i) {
    const ss_hop *hop = hops_of(s, &phase->flow[i], &hops);
    for (int64_t h = 0; h < hops; ++h) {
      used_link *link = &s->link[hop[h].link];
      link->flows += hop[h].alike;
      link->slowest = INFINITY;
      link->part = NOBODY;
    }
  }
  for (int64_t i = 0; i < phase->count; ++i) {
    const double rate = rate_of(s, &phase->flow[i]);
    const ss_hop *hop = hops_of(s, &phase->flow[i], &hops);
    for (int64_t h = 0; h < hops; ++h) s->link[hop[h].link].slowest = fmin(s->link[hop[h].link].slowest, rate);
  }
}

static void take_off_links(const search *s, const ss_phase_flows *phase)
{
  for (int64_t i = 0; i < phase->count; ++i) {
    int64_t hops;
    const ss_hop *hop = hops_of(s, &phase->flow[i], &hops);
    for (int64_t h = 0; h < hops; ++h) s->link[hop[h].link].flows = 0;
  }
}

/* The part of flows that take so long; SS_BURST_PARTS_MOST where there are too many. */
static int find_part(search *s, double s_per_byte)
{
  int part = 0;
  for (; part < s->parts; ++part)
    if (fmax(s_per_byte, s->s_per_byte[part]) <= fmin(s_per_byte, s->s_per_byte[part]) * ROUNDED) return part;
  if (part < SS_BURST_PARTS_MOST) s->s_per_byte[s->parts++] = s_per_byte;
  return part;
}

/* Puts a flow into its part. On its path is a link that bounds all flows on it, so that its rate is the fair one, and
 * no other part crosses its links, so that it stays that until the part ends. */
static bool add_to_part(search *s, const ss_phase_flows *phase, int64_t index)
{
  const ss_flow *flow = &phase->flow[index];
  const double rate = rate_of(s, flow);
  bool bounded = false, own = true;
  if (!isfinite(rate) || !(flow->share > 0.0)) return false;
  const int part = find_part(s, flow->share / rate);
  if (part == SS_BURST_PARTS_MOST) return false;
  s->part_of[index] = (int8_t)part;
  int64_t hops;
  const ss_hop *hop = hops_of(s, flow, &hops);
  for (int64_t h = 0; h < hops; ++h) {
    used_link *link = &s->link[hop[h].link];
    bounded = bounded || link->slowest * ROUNDED >= share_of(s, hop[h].link);
    own = own && (link->part == NOBODY || link->part == part);
    link->part = (int8_t)part;
  }
  return bounded && own;
}

static int32_t zone_of(const search *s, int32_t link)
{
  while (s->link[link].leads != link) link = s->link[link].leads = s->link[s->link[link].leads].leads;
  return link;
}

/* All links of a part are in one zone. */
static void join_links(const search *s, const ss_bursts *bursts, const ss_burst *burst, const ss_burst_part *part)
{
  int32_t zone = NOBODY;
  for (int64_t i = part->first; i < part->first + part->count; ++i) {
    int64_t hops;
    const ss_hop *hop = hops_of(s, &burst->flows.flow[bursts->member[i]], &hops);
    for (int64_t h = 0; h < hops; ++h) {
      const int32_t own = zone_of(s, hop[h].link);
      if (zone != NOBODY) s->link[own].leads = zone;
      zone = zone_of(s, own);
    }
  }
}

/* Adds the phase at hand; there is room. */
static void add_burst(const search *s, ss_bursts *bursts, const ss_phase_flows *phase)
{
  ss_burst *burst = &bursts->burst[bursts->count++];
  *burst = (ss_burst){*phase, bursts->parts, s->parts};
  for (int p = 0; p < s->parts; ++p) {
    ss_burst_part *part = &bursts->part[bursts->parts++];
    *part = (ss_burst_part){.flow = phase->flow, .s_per_byte = s->s_per_byte[p], .first = bursts->members};
    for (int64_t i = 0; i < phase->count; ++i)
      if (s->part_of[i] == p) bursts->member[bursts->members++] = (int32_t)i;
    part->count = bursts->members - part->first;
    join_links(s, bursts, burst, part);
  }
}

static void look_at(search *s, ss_bursts *bursts, const ss_phase_flows *phase)
{
  bool together = true;
  s->parts = 0;
  put_on_links(s, phase);
  for (int64_t i = 0; together && i < phase->count; ++i) together = add_to_part(s, phase, i);
  take_off_links(s, phase);
  if (together) add_burst(s, bursts, phase);
}

/* Numbers the zone of a part, and says so at its links. */
static void number_zone(const search *s, ss_bursts *bursts, const ss_burst *burst, ss_burst_part *part, int32_t *zone)
{
  for (int64_t i = part->first; i < part->first + part->count; ++i) {
    int64_t hops;
    const ss_hop *hop = hops_of(s, &burst->flows.flow[bursts->member[i]], &hops);
    for (int64_t h = 0; h < hops; ++h) {
      int32_t *first = &zone[zone_of(s, hop[h].link)];
      if (*first == NOBODY) *first = (int32_t)bursts->zones++;
      part->zone = zone[hop[h].link] = *first;
    }
  }
}

static void number_zones(const search *s, ss_bursts *bursts, int32_t *zone)
{
  for (int64_t b = 0; b < bursts->count; ++b) {
    const ss_burst *burst = &bursts->burst[b];
    for (int64_t p = burst->first; p < burst->first + burst->parts; ++p)
      number_zone(s, bursts, burst, &bursts->part[p], zone);
  }
}

/* Parts of one burst that others join share a zone, where neither has it to itself. */
static bool has_own_zones(const ss_bursts *bursts, const ss_burst *burst)
{
  bool own = true;
  for (int64_t p = 1; p < burst->parts; ++p)
    for (int64_t q = 0; q < p; ++q)
      own = own && bursts->part[burst->first + p].zone != bursts->part[burst->first + q].zone;
  return own;
}

static void drop_others(ss_bursts *bursts)
{
  int64_t kept = 0;
  for (int64_t b = 0; b < bursts->count; ++b)
    if (has_own_zones(bursts, &bursts->burst[b])) bursts->burst[kept++] = bursts->burst[b];
  bursts->count = kept;
}

static int compare(const void *left, const void *right)
{
  const ss_phase_flows *a = &((const ss_burst *)left)->flows, *b = &((const ss_burst *)right)->flows;
  return (a->flow > b->flow) - (a->flow < b->flow);
}

static void find_all(search *s, ss_bursts *bursts, const ss_phase_flows *phase, int64_t phases, int32_t *zone)
{
  for (int64_t link = 0; link < s->paths->links; ++link) {
    s->link[link] = (used_link){.leads = (int32_t)link};
    zone[link] = NOBODY;
  }
  for (int64_t i = 0; i < phases; ++i) look_at(s, bursts, &phase[i]);
  number_zones(s, bursts, zone);
  drop_others(bursts);
  qsort(bursts->burst, (size_t)bursts->count, sizeof *bursts->burst, compare);
}

/* Room for as much as there can be. */
static ss_status allocate(ss_bursts *bursts, const ss_phase_flows *phase, int64_t phases, search *s)
{
  int64_t flows = 0, most = 0;
  for (int64_t i = 0; i < phases; ++i) {
    flows += phase[i].count;
    most = phase[i].count > most ? phase[i].count : most;
  }
  s->link = malloc((size_t)(s->paths->links + 1) * sizeof *s->link);
  s->part_of = malloc((size_t)most + 1);
  bursts->burst = calloc((size_t)(phases + 1), sizeof *bursts->burst);
  bursts->part = malloc((size_t)(SS_BURST_PARTS_MOST * phases + 1) * sizeof *bursts->part);
  bursts->member = malloc((size_t)(flows + 1) * sizeof *bursts->member);
  bursts->zone = calloc((size_t)(SS_BURST_PARTS_MOST * phases + 1), sizeof *bursts->zone);
  const bool allocated = s->link != NULL && s->part_of != NULL && bursts->burst != NULL && bursts->part != NULL &&
                         bursts->member != NULL && bursts->zone != NULL;
  return allocated ? SS_OK : SS_ERROR_MEMORY;
}

ss_status ss_bursts_init(ss_bursts *bursts, const ss_link_paths *paths, const ss_phase_flows *phase, int64_t phases,
                         int32_t *zone)
{
  search s = {.paths = paths};
  *bursts = (ss_bursts){0};
  const ss_status status = allocate(bursts, phase, phases, &s);
  if (status == SS_OK) find_all(&s, bursts, phase, phases, zone);
  free(s.link);
  free(s.part_of);
  return status;
}

void ss_bursts_free(ss_bursts *bursts)
{
  free(bursts->burst);
  free(bursts->part);
  free(bursts->member);
  free(bursts->zone);
  *bursts = (ss_bursts){0};
}

static int compare_start(const void *key, const void *item)
{
  const ss_flow *a = key, *b = ((const ss_burst *)item)->flows.flow;
  return (a > b) - (a < b);
}

const ss_burst *ss_bursts_find(const ss_bursts *bursts, const ss_flow *flow)
{
  if (bursts->count == 0) return NULL;
  return bsearch(flow, bursts->burst, (size_t)bursts->count, sizeof *bursts->burst, compare_start);
}
