/* Which flows in progress cross each link, as those know who watch spared links: each of another kind. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_CROSSED_LINKS_H
#define STEPSIM_SIM_ENGINE_HEADROOM_CROSSED_LINKS_H

#include <stdint.h>

#include "sim/engine/network/paths.h"

/* A link on the path of a flow in progress, among all flows on that link. */
typedef struct ss_crossed_link {
  int32_t kind, next, previous; /* next, previous: places; -1: there is none */
} ss_crossed_link;

/* Zeroed: no links. */
typedef struct ss_crossed_links {
  const ss_link_paths *paths; /* borrowed */
  const ss_flow **flow;       /* [kinds] in progress, or NULL; owned */
  int32_t *first_place;       /* [kinds] of its path; -1: none yet; owned */
  int32_t *first;             /* [links] place of a flow on it, or -1; owned */
  int64_t places, capacity;
  ss_crossed_link *place; /* [places], owned */
} ss_crossed_links;

/* Links that nobody crosses, for flows of so many kinds. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_crossed_links_init(ss_crossed_links *crossed, const ss_link_paths *paths, int64_t kinds, int64_t links);
void ss_crossed_links_free(ss_crossed_links *crossed);

/* A flow begins, and the flow of a kind ends. */
void ss_crossed_links_enter(ss_crossed_links *crossed, const ss_flow *flow);
void ss_crossed_links_leave(ss_crossed_links *crossed, int32_t kind);

/* The links of the path of the flow of a kind. */
static inline const ss_hop *ss_crossed_links_hops(const ss_crossed_links *crossed, int32_t kind, int64_t *count)
{
  return ss_link_paths_hops(crossed->paths, crossed->flow[kind]->path, count);
}

/* How many flows the one at a place stands for on that link. */
static inline double ss_crossed_links_alike(const ss_crossed_links *crossed, int32_t place)
{
  int64_t count;
  const int32_t kind = crossed->place[place].kind;
  return (double)ss_crossed_links_hops(crossed, kind, &count)[place - crossed->first_place[kind]].alike;
}

#endif
