/* Max-min fair shares of links: all flows of a group get the same until a link is full, those on it have what they have
 * then, and the others go on with what is left (Bertsekas and Gallager, Data Networks, 6.5.2). */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_MAX_MIN_H
#define STEPSIM_SIM_ENGINE_NETWORK_MAX_MIN_H

#include <stdint.h>

#include "model/base/error.h"

/* Shares that differ by no more than rounding, up to this factor, are equal. */
#define SS_SHARE_ROUNDED (1.0 + 1e-12)

/* What is left of a link, for how many flows. */
typedef struct ss_filled_link {
  double left_bytes_per_s;
  int64_t flows;
} ss_filled_link;

/* Zeroed: no links. */
typedef struct ss_max_min {
  ss_filled_link *link; /* of a group, for its owner to set; owned */
  int64_t count, full;
  int32_t *open; /* [count] of `link`: those that have flows left, the full ones first; for its owner to begin; owned */
} ss_max_min;

/* Room for so many links. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_max_min_init(ss_max_min *fair, int64_t links);
void ss_max_min_free(ss_max_min *fair);

/* The least share that a link has for each flow that is left on it, in bytes/s; links that have no more are full: the
 * first `full` that are open. */
double ss_max_min_fill(ss_max_min *fair);

/* Others have so much of a link. */
static inline void ss_filled_link_take(ss_filled_link *link, double bytes_per_s)
{
  link->left_bytes_per_s = link->left_bytes_per_s > bytes_per_s ? link->left_bytes_per_s - bytes_per_s : 0.0;
}

/* A flow that is on a link so many times has its share: the others share what it leaves. */
static inline void ss_filled_link_settle(ss_filled_link *link, int64_t alike, double share)
{
  link->left_bytes_per_s -= (double)alike * share;
  link->flows -= alike;
}

#endif
