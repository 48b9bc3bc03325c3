/* Presumption: flows of a folded replay that are presumed to do the same though they cross links that differ, such as
 * the flows of a data-parallel ring, of which two share their ports with the messages of a slow replica.
 *
 * Such flows are of one kind and of several types: those of a type cross links of the same classes. One flow stands for
 * the kind, and crosses the links of all types. Each link is crossed by as many flows of each kind as all others of its
 * class. So what is fair and fits on the folded network fits on the whole one; and it is fair there, too, if every flow
 * has a bottleneck on its own path: a link that is full, on which no flow is faster. Then it is what the whole network
 * does, as fair rates are unique (Bertsekas and Gallager, Data Networks, 6.5.2).
 *
 * Whether every type has a bottleneck is watched (presumption_watch.h). Where one has none, links get marks that tell
 * its flows apart, and the replay starts again. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_PRESUMPTION_H
#define STEPSIM_SIM_ENGINE_HEADROOM_PRESUMPTION_H

#include "sim/engine/headroom/headroom.h"

/* A link has a mark, beside those that it may have already. */
typedef struct ss_link_mark {
  int32_t link, mark;
} ss_link_mark;

/* Zeroed: no marks. */
typedef struct ss_link_marks {
  bool all; /* every link tells flows apart: nothing is presumed */
  int64_t count;
  ss_link_mark *mark; /* [count], in the order in which they were given; owned */
} ss_link_marks;

/* Zeroed: nothing is presumed. */
typedef struct ss_presumption {
  const ss_link_marks *known; /* borrowed */
  int64_t kinds, links;
  int32_t *first_of_link; /* [links] the link that stands for it; owned */
  int64_t *flows;         /* [kinds] of each kind; owned */
  ss_lists types;      /* int32_t: a kind, and the links that a type of it crosses, in order; without those types that
                          cross all that their kind does */
  int64_t *type_flows; /* [types.count], owned */
  int64_t *first_type; /* [kinds + 1] of `type`; owned */
  int32_t *type;       /* the types of each kind; owned */
} ss_presumption;

/* Begins to presume, of flows of so many kinds over so many links. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_presumption_init(ss_presumption *presumption, int64_t kinds, int64_t links);
void ss_presumption_free(ss_presumption *presumption);

/* Adds a flow of a kind that crosses some of the links of the kind. `item`: the kind, then the links, in order,
 * [count]. SS_ERROR_MEMORY. */
ss_status ss_presumption_add(ss_presumption *presumption, const int32_t *item, int64_t count);

/* Lists the types of each kind, when all flows have been added. SS_ERROR_MEMORY. */
ss_status ss_presumption_sort(ss_presumption *presumption);

/* The links that a type crosses. */
const int32_t *ss_presumption_type(const ss_presumption *presumption, int32_t type, int64_t *count);

/* Types of a kind. */
static inline int64_t ss_presumption_types(const ss_presumption *presumption, int64_t kind)
{
  return presumption->first_type[kind + 1] - presumption->first_type[kind];
}

#endif
