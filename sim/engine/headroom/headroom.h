/* Headroom: links that a replay leaves out of its network, since what crosses them at a time is never more than they
 * carry. Routes over the upper levels of a fabric tell apart replicas that nothing else does, and with them no replica
 * could stand for others (sim/engine/setup/fold.h).
 *
 * That changes nothing. Max-min fair rates on the network without some links are the fair rates with them as long as
 * they fit: what is fair among more possibilities is fair among fewer that it belongs to. So if what crosses each
 * spared link fits at all times until some time, everything has gone as it would have with the link.
 *
 * Whether it fits is watched (watch.h) by a bound that needs no rates: flows that start at one port, or end at one, are
 * a bundle, and a bundle carries at most what its port does, and at most what its flows would if each were alone. A
 * link where that does not do is crowded: it has to take part, and the replay starts again. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_HEADROOM_H
#define STEPSIM_SIM_ENGINE_HEADROOM_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "sim/engine/network/links.h"
#include "sim/engine/observe/usage.h"

/* Zeroed: none. */
typedef struct ss_link_set {
  bool all;
  int64_t count;
  int32_t *link; /* [count], owned */
} ss_link_set;

/* Adds the links [links] that are marked. SS_ERROR_MEMORY. */
ss_status ss_link_set_add(ss_link_set *set, const bool *marked, int64_t links);

/* A flow over a spared link: its kind, and the links where its path starts and ends. Flows of a kind do the same at the
 * same times. */
typedef struct ss_crossing {
  int32_t link, kind, from, to;
} ss_crossing;

/* Flows of a kind in a bundle. */
typedef struct ss_load {
  int32_t kind, flows;
} ss_load;

/* Spared links of one kind that carry the same at all times. */
typedef struct ss_spared {
  int32_t link;     /* the first of them */
  int32_t from, to; /* ss_headroom.loads: what crosses each, by where it starts, and by where it ends */
  double bytes_per_s;
  bool tight; /* might get crowded */
} ss_spared;

/* Zeroed: no link is spared. */
typedef struct ss_headroom {
  const ss_link_set *known_crowded, *known_tight; /* as far as is known; borrowed */
  int64_t *known_plainly; /* stage replicas to simulate where no link is spared, 0: not known yet; borrowed */
  int64_t kinds, links;
  double *alone_bytes_per_s; /* [kinds] rate of a flow that has its path to itself; owned */
  ss_lists bundles;          /* ss_load; the first is no load but the bits of the port's bytes/s */
  ss_lists loads;            /* int32_t: the bundles that cross a link, in order */
  ss_lists keys;             /* tell spared links apart; of each, one item */
  ss_spared *spared;         /* [keys.count], owned */
  int32_t *spared_of_link;   /* [links] or -1, owned; NULL: none is spared */
} ss_headroom;

/* Begins to spare links that flows of so many kinds cross. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_headroom_init(ss_headroom *headroom, const ss_links *links, int64_t kinds);
void ss_headroom_free(ss_headroom *headroom);

/* Spares all links that are crossed, and lets the first of those that carry the same stand for them (links->alike).
 * Sorts the crossings. SS_ERROR_MEMORY. */
ss_status ss_headroom_spare(ss_headroom *headroom, ss_links *links, ss_crossing *crossing, int64_t count);

/* Finds the tight links, once it is known how fast flows of each kind are alone. */
void ss_headroom_find_tight(ss_headroom *headroom);

/* Whether more may cross a spared link than it carries, if flows go at these rates or less: bytes_per_s [kinds]. */
bool ss_headroom_is_short(const ss_headroom *headroom, const ss_spared *spared, const double *bytes_per_s);

/* Adds what flows carried over spared links to the links: of each kind, usage follows that of the links. */
void ss_headroom_add_usage(const ss_headroom *headroom, ss_usage *usage);

/* The flows of a bundle, and what its port carries. */
const ss_load *ss_headroom_bundle(const ss_headroom *headroom, int32_t bundle, int64_t *count, double *bytes_per_s);

#endif
