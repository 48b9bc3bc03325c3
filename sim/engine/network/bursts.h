/* Bursts: the flows of a phase of an exchange between experts, which begin together. Where nobody else is on their
 * links all flows of a part of it, such as those through NICs, go at a rate that is known beforehand until they end at
 * the same time. So as long as that is so, a burst is one thing, be it of a thousand flows. Whoever comes to one of the
 * links of a part finds its flows there, as they are by then. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_BURSTS_H
#define STEPSIM_SIM_ENGINE_NETWORK_BURSTS_H

#include "sim/engine/network/paths.h"

/* The flows of a phase, as a route has them. */
typedef struct ss_phase_flows {
  const ss_flow *flow; /* [count], borrowed */
  int64_t count;
} ss_phase_flows;

/* Flows of a burst that end together and share links with no others of it. */
typedef struct ss_burst_part {
  const ss_flow *flow;  /* those of the burst */
  double s_per_byte;    /* what they take for each byte of the volume */
  int64_t first, count; /* of `member` */
  int32_t zone;         /* that their links are in */
} ss_burst_part;

typedef struct ss_burst {
  ss_phase_flows flows;
  int64_t first, parts; /* of `part` */
} ss_burst;

/* Links that parts of bursts have in common, directly or not. */
typedef struct ss_burst_zone {
  int64_t flows;               /* on them, but for those of parts that have the zone to themselves */
  struct ss_flow_batch *batch; /* the burst of which a part has; NULL: none */
  const ss_burst_part *part;   /* that one */
} ss_burst_zone;

/* Zeroed: none. */
typedef struct ss_bursts {
  ss_burst *burst;     /* [count] in the order of where their flows are; owned */
  ss_burst_part *part; /* [parts], owned */
  int32_t *member;     /* [members] which of the flows of the burst; owned */
  ss_burst_zone *zone; /* [zones], owned */
  int64_t count, parts, members, zones;
} ss_bursts;

/* Phases have at most so many parts each. */
enum { SS_BURST_PARTS_MOST = 4 };

/* Finds which of some phases are bursts, and the zones of links, zone_of [links], below 0: none. SS_ERROR_MEMORY. Free
 * in any case. */
ss_status ss_bursts_init(ss_bursts *bursts, const ss_link_paths *paths, const ss_phase_flows *phase, int64_t phases,
                         int32_t *zone_of);
void ss_bursts_free(ss_bursts *bursts);

/* The burst of a phase whose flows begin there; NULL: it is none. */
const ss_burst *ss_bursts_find(const ss_bursts *bursts, const ss_flow *flow);

#endif
