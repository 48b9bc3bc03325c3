/* Max-min fair shares of links: all flows of a group get the same until a link is full, those on it have what they have
 * then, and the others go on with what is left (Bertsekas and Gallager, Data Networks, 6.5.2). */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_MAX_MIN_H
#define STEPSIM_SIM_ENGINE_NETWORK_MAX_MIN_H

#include <stdbool.h>

#include "sim/engine/network/paths.h"

/* Shares that differ by no more than rounding, up to this factor, are equal. */
#define SS_SHARE_ROUNDED (1.0 + 1e-12)

/* A link of the group: what is left of it, for how many flows. */
typedef struct ss_filled_link {
  int64_t group; /* the last one that it was in */
  double left_bytes_per_s;
  int64_t flows;
} ss_filled_link;

/* Zeroed: no links. */
typedef struct ss_max_min {
  const ss_link_paths *paths; /* borrowed */
  int64_t groups;
  ss_filled_link *link; /* [links], owned */
  int64_t count, full;
  int32_t *group_link; /* [count] links of the group, those that are full first; owned */
} ss_max_min;

/* Links that are shared out to nobody. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_max_min_init(ss_max_min *fair, const ss_link_paths *paths, int64_t links);
void ss_max_min_free(ss_max_min *fair);

/* A new group, without links; a link joins it, and a flow with all of its links. */
void ss_max_min_begin(ss_max_min *fair);
void ss_max_min_add_link(ss_max_min *fair, int32_t link);
void ss_max_min_add_flow(ss_max_min *fair, const ss_hop *hop, int64_t hops);

/* Others have so much of a link of the group. */
static inline void ss_max_min_take(ss_max_min *fair, int32_t link, double bytes_per_s)
{
  ss_filled_link *taken = &fair->link[link];
  taken->left_bytes_per_s = taken->left_bytes_per_s > bytes_per_s ? taken->left_bytes_per_s - bytes_per_s : 0.0;
}

/* Whether nothing is left of a link of the group, but for rounding. */
static inline bool ss_max_min_is_used_up(const ss_max_min *fair, int32_t link)
{
  const double all = fair->paths->bytes_per_s[link];
  return all - fair->link[link].left_bytes_per_s >= all / SS_SHARE_ROUNDED;
}

/* The least share that a link has for each flow that is left on it, in bytes/s; links that have no more are full:
 * `full` of the group. */
double ss_max_min_fill(ss_max_min *fair);

/* A flow on a full link has its share: the others share what it leaves. */
void ss_max_min_settle(ss_max_min *fair, const ss_hop *hop, int64_t hops, double share);

#endif
