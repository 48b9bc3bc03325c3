/* Data-parallel collectives and collectives of layers that meet on links: each has its share of them. */
#ifndef STEPSIM_MODEL_ESTIMATE_SHARED_LINKS_H
#define STEPSIM_MODEL_ESTIMATE_SHARED_LINKS_H

#include <stdint.h>

#include "model/estimate/walk.h"

/* A pass of a block that starts while data-parallel collectives are under way. */
typedef struct ss_beside {
  const ss_kind_time *time;
  ss_pass pass;
  double start_s;
} ss_beside;

/* Lets what others will wait for be there later by what it loses beside a pass: weights that are gathered at the start,
 * and fetches from `first` on, before `end`, counted from those that have been waited for. */
void ss_delay_gathers(ss_walk *walk, const ss_beside *beside, int64_t first, int64_t end);

/* The same where anything is: seldom, so that most passes cost a look. */
static inline void ss_share_links(ss_walk *w, const ss_beside *beside, int64_t first, int64_t end)
{
  if (first < end || beside->start_s < w->whole_s) ss_delay_gathers(w, beside, first, end);
}

#endif
