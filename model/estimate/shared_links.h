/* Data-parallel collectives and collectives of layers that meet on links: each has its share of them. */
#ifndef STEPSIM_MODEL_ESTIMATE_SHARED_LINKS_H
#define STEPSIM_MODEL_ESTIMATE_SHARED_LINKS_H

#include <stdint.h>

#include "model/estimate/walk.h"

/* What starts while data-parallel collectives are under way: how long these would be busy by themselves if it ran
 * beside them all along, and what they lose to it. */
typedef struct ss_beside {
  double start_s, beside_s, delay_s;
} ss_beside;

/* A pass of a block. */
static inline ss_beside ss_beside_pass(const ss_kind_time *time, ss_pass pass, double start_s)
{
  const ss_beside beside = {start_s, time->beside_s[pass], time->delay_s[pass]};
  return beside;
}

/* Lets what others will wait for be there later by what it loses: weights that are gathered at the start,
 * and fetches from `first` on, before `end`, counted from those that have been waited for. */
void ss_delay_gathers(ss_walk *walk, const ss_beside *beside, int64_t first, int64_t end);

/* The same where anything is: seldom, so that most passes cost a look. */
static inline void ss_share_links(ss_walk *w, const ss_beside *beside, int64_t first, int64_t end)
{
  if (first < end || beside->start_s < w->whole_s) ss_delay_gathers(w, beside, first, end);
}

/* The same of all fetches that have been started. */
static inline void ss_share_links_now(ss_walk *w, ss_beside beside)
{
  ss_share_links(w, &beside, 0, w->gather != NULL ? w->gather->steps - w->fetches : 0);
}

/* Lets a message whose bytes take so long on NICs leave while collectives are under way for `busy_s` more by
 * themselves: returns what it loses to these, and these to it. */
double ss_meet_message(ss_walk *walk, double busy_s, double nic_s);

/* The same at any time: of D seconds in which the data stream is busy by itself, of which it moves bytes on NICs for a
 * share d, each has half of a NIC while both are on it, so that both are over d D later. */
static inline double ss_share_with_message(ss_walk *w, double nic_s)
{
  if (nic_s <= 0.0 || w->data_nic <= 0.0) return 0.0;
  const double busy_s = ss_max(w->data_s - w->compute_s, 0.0);
  w->data_margin_s = ss_min(w->data_margin_s, busy_s - nic_s);
  return busy_s > 0.0 ? ss_meet_message(w, busy_s, nic_s) : 0.0;
}

#endif
