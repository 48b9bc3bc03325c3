/* Which links take part in the network of a folded replay: all but those that are spared (sim/engine/headroom), and
 * ports as they are or split into two lanes. A slow GPU makes the messages of its replica late; where they share a port
 * with a data-parallel ring, they would tell apart its neighbours on the ring, and theirs. A lane is as fast as the
 * port, and data-parallel flows have one to themselves: that changes nothing as long as both lanes together carry no
 * more than the port does, which is watched as on a link that takes no part. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_LANES_H
#define STEPSIM_SIM_ENGINE_SETUP_LANES_H

#include "sim/engine/headroom/headroom.h"
#include "sim/engine/network/links.h"
#include "sim/engine/setup/routes.h"

/* Lanes are links, too, numbered from behind those of the fabric. Zeroed: private links. */
typedef struct ss_lanes {
  int64_t links;    /* of the fabric */
  bool *takes_part; /* [links] whole or in lanes; owned */
  int32_t *first;   /* [links] the first of the two lanes of a port, -1 of a link that is not split; owned */
  int32_t *port;    /* [ports] that are split; owned */
  int64_t ports;
} ss_lanes;

/* Chooses the links that take part: ends of paths, what is slower than those, and what is known to be crowded; all
 * where `crowded` is NULL. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_lanes_init(ss_lanes *lanes, const ss_links *links, const ss_link_set *crowded);
void ss_lanes_free(ss_lanes *lanes);

/* Lets some links take part. */
void ss_lanes_keep_set(ss_lanes *lanes, const ss_link_set *set);

/* Lets all links of the path of a flow take part. */
void ss_lanes_keep(ss_lanes *lanes, const ss_links *links, const ss_flow *flow);

/* Splits the ports that data-parallel flows cross as well as others, unless they are crowded, and adds their lanes to
 * the links of paths. SS_ERROR_MEMORY. */
ss_status ss_lanes_split(ss_lanes *lanes, ss_links *links, const ss_link_set *crowded, const ss_route_owner *owner,
                         int64_t owners);

/* The link that flows of an owner cross where their path has this one: their lane, where it is split. */
static inline int32_t ss_lanes_crossed(const ss_lanes *lanes, const ss_route_owner *owner, int32_t link)
{
  return lanes->first[link] < 0 ? link : lanes->first[link] + (owner->kind == SS_TRANSFER_DATA);
}

/* The link of the fabric that a link is, or is a lane of. */
static inline int64_t ss_lanes_link(const ss_lanes *lanes, int64_t link)
{
  return link < lanes->links ? link : lanes->port[(link - lanes->links) / 2];
}

/* Whether a link of the fabric as it is takes no part. */
static inline bool ss_lanes_spares(const ss_lanes *lanes, int32_t link)
{
  return !lanes->takes_part[link] || lanes->first[link] >= 0;
}

/* Where a flow of an owner crosses such a link of its path, without its kind. */
ss_crossing ss_lanes_crossing(const ss_lanes *lanes, const ss_route_owner *owner, int32_t link, const ss_hop *hop,
                              int64_t count);

#endif
