/* Plays the operations of a stage (model/plan/stage_ops.h) against the clock of a walk. */
#ifndef STEPSIM_MODEL_ESTIMATE_WALK_RUN_H
#define STEPSIM_MODEL_ESTIMATE_WALK_RUN_H

#include "model/estimate/known_pass.h"
#include "model/estimate/walk.h"

/* Runs a walk from its beginning: compute starts at 0, the other streams `lead_s` before it, with what is fetched
 * first. It ends with the last pass and what is reduced behind it, or as soon as enough has been skipped
 * (ss_walk.to_settle). Leaves what shows in walk->exposed. */
void ss_walk_run(ss_walk *walk, double lead_s);

/* The same step by step, where something else decides when a pass starts: what comes before the first pass; a pass of
 * the turns that the walk is in; what comes behind the last one. */
void ss_walk_start(ss_walk *walk, double lead_s);
static inline void ss_walk_pass(ss_walk *walk, const ss_work *work);
void ss_walk_finish(ss_walk *walk);

/* The reductions behind its blocks start in a pass of a way. */
static inline bool ss_walk_reduces(const ss_walk *w, const ss_work *work, const ss_way *way)
{
  return way->reduces || (way->reduces_last && work->micro_batch + w->turn == w->copy_batches - 1);
}

/* A pass of a way that is not light. */
void ss_walk_whole_pass(ss_walk *walk, const ss_work *work, const ss_way *way, bool reducing);

/* Inlined where passes are many, so that the clock stays in a register from what a pass waits for to what it sends. */
static inline void ss_walk_pass(ss_walk *w, const ss_work *work)
{
  const ss_way *way = ss_walk_way(w, work);
  const bool reducing = ss_walk_reduces(w, work, way);
  if (!w->light)
    ss_walk_whole_pass(w, work, way, reducing);
  else if (!ss_known_pass_repeats(w, way, reducing))
    ss_known_pass_run(w, way, reducing);
}

/* The host launches a message to another stage, before which the stage does not go on. */
void ss_walk_launch_message(ss_walk *walk);

/* A backward and a forward pass that run together (model/plan/pair_time.h); what is hidden, in seconds. */
double ss_walk_pair(ss_walk *walk, const ss_work *backward, const ss_work *forward);

#endif
