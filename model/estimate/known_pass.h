/* Passes beside which nothing but data-parallel collectives moves, and which no host launches. */
#ifndef STEPSIM_MODEL_ESTIMATE_KNOWN_PASS_H
#define STEPSIM_MODEL_ESTIMATE_KNOWN_PASS_H

#include <math.h>

#include "model/base/number.h"
#include "model/estimate/walk.h"

/* Of a difference of two times, as a share of the clock. What differs by more, such as where streams come closer to one
 * another with each pass, is not the same: the differences of all passes would add up. */
#define SS_KNOWN_PASS_ROUNDING 1e-15

static inline double ss_known_pass_tolerance_s(const ss_walk *w)
{
  return SS_KNOWN_PASS_ROUNDING * w->compute_s;
}

/* How long after the start of the pass a time is. */
static inline double ss_known_pass_from_start(const ss_walk *w, double time_s)
{
  return ss_max(time_s - w->compute_s, 0.0);
}

/* Whether the data stream is where it was. */
static inline bool ss_known_pass_is_as_busy(const ss_walk *w, const ss_known_pass *known)
{
  return fabs(ss_known_pass_from_start(w, w->data_s) - known->busy_s) <= ss_known_pass_tolerance_s(w);
}

/* Whether a pass that starts now takes what it takes in the midst of an iteration: it waits for nothing that is
 * gathered at the start. */
static inline bool ss_known_pass_is_usual(const ss_walk *w)
{
  return w->knows && w->compute_s >= w->whole_s;
}

/* Whether a pass with so many fetches of its own, of all that have been started, makes what is gathered for later ones
 * end later: that is not noted. Where the data stream is free, all of that is there. */
static inline bool ss_known_pass_delays_others(const ss_walk *w, int64_t ahead, int64_t own)
{
  return w->shares_links && ahead > own && w->data_s > w->compute_s;
}

/* Fetches that have been started and not been waited for. */
static inline int64_t ss_known_pass_ahead(const ss_walk *w)
{
  return w->gather != NULL ? w->gather->steps - w->fetches : 0;
}

/* The same as it was the last time. */
static inline void ss_known_pass_repeat(ss_walk *w, const ss_known_pass *known)
{
  w->compute_s += known->took_s;
  if (known->runs) w->data_s = w->compute_s + known->left_s;
  w->data_margin_s = ss_min(w->data_margin_s, known->margin_s);
  w->exposed.data_s += known->waited_s;
  w->exposed.slowed_s += known->slowed_s;
}

static inline void ss_known_pass_expose_weight(ss_walk *w, const ss_way *way, const ss_known_pass *known)
{
  if (way->pass == SS_PASS_WEIGHT) w->exposed.weight_s += known->waited_s + known->slowed_s;
}

/* Whether a pass of a way that gathers nothing takes what the last one took, which is known: most passes do, and come
 * no further than here. */
static inline bool ss_known_pass_repeats(ss_walk *w, const ss_way *way, bool reducing)
{
  const ss_known_pass *known = &way->known[reducing];
  if (way->gathers || !known->valid || !ss_known_pass_is_usual(w) || !ss_known_pass_is_as_busy(w, known)) return false;
  if (ss_known_pass_delays_others(w, ss_known_pass_ahead(w), 0)) return false;
  ss_known_pass_repeat(w, known);
  ss_known_pass_expose_weight(w, way, known);
  return true;
}

/* Runs a pass of a way, with or without the reductions behind its blocks, that does not repeat like that. Where the
 * data stream, and what has been gathered, is as it was, seen from the compute stream, when a pass of the same way was
 * last worked out, it takes what that took; what is there already does not matter. */
void ss_known_pass_run(ss_walk *walk, const ss_way *way, bool reducing);

#endif
