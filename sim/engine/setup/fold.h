/* Symmetry reduction, folding for short: stage replicas and groups that provably do the same at the same times are
 * simulated once.
 *
 * The parts of a job are its stage replicas, data-parallel and expert-parallel groups, the flows of their routes, and
 * the links that these cross. Each gets a colour: first by what it is (stage, kind of route, capacity), then, over and
 * over, by the colours around it, until no colour splits any more (colour refinement, Weisfeiler and Leman 1968). What
 * is left is an equitable partition: every link of a class is crossed by the same number of flows of each class, every
 * flow crosses the same number of links of each class, and every replica sends to, receives from and meets replicas of
 * the same classes. Stage replicas of a class have the same work. If they have done the same until some time, the same
 * classes of flows are in progress, and max-min sharing gives all flows of a class the same rate: the links that
 * saturate first are a class, at the same share for all. So they go on doing the same. A link of the fold keeps its
 * capacity, and a flow that stands for n that cross it takes n times its rate.
 *
 * Where a GPU or a link is slow, that partition has hardly two parts in a class: what is late shares a link with what
 * is not, and so on. So links look like others of their kind there, flows like others of theirs but for marks, and
 * flows see only those of lower ranks beside them. What is left is presumed to do the same, and watched
 * (sim/engine/headroom/presumption.h). Large jobs presume it elsewhere, too, and take flows for others that would be a
 * little ahead of them.
 *
 * That holds for exact numbers. Groups that share links again and again, such as tensor-parallel ones behind one NIC,
 * are balanced like a pencil on its point: once one of them is late by a rounding error, it falls back further with
 * every collective. The fold keeps them in step and a whole replay may not; then the two differ by far more than
 * rounding. So do two whole replays if a GPU of one is slower by 1e-15. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_FOLD_H
#define STEPSIM_SIM_ENGINE_SETUP_FOLD_H

#include "sim/engine/core/world.h"
#include "sim/engine/headroom/presumption.h"
#include "sim/engine/network/links.h"

/* A job of so many stage replicas is large: where more than this share of them is left to simulate, links are not
 * spared. Less where replicas exchange tokens between experts: the watch has the more to do, the more flows there are.
 * With half of them, 530B on a tree that is tapered 4:1 would stay in step as a fold keeps it, 0.08 % off the whole
 * replay. */
#define SS_FOLD_REPLICAS_LARGE     512
#define SS_FOLD_SHARE_MOST         0.45
#define SS_FOLD_SHARE_MOST_EXPERTS (1.0 / 3.0)

/* Or more than that share, where links of the upper levels are short and flows are taken for others: an attempt takes
 * two to three times as long for each of its replicas as one with all links, and from there on the next ones tell more
 * and more apart. Exchanges between experts take long with all links, too: there it is the first share. */
#define SS_FOLD_SHARE_MOST_NEAR 0.25

/* With so many stage replicas, an exact replay may take up to a hundred times as long as one that takes flows for
 * others which they are hardly ahead of; with fewer, a second or two (docs/replay.md). */
#define SS_FOLD_REPLICAS_NEAR 2000

static inline bool ss_fold_is_large(const ss_world *world)
{
  return world->replica_count >= SS_FOLD_REPLICAS_LARGE;
}

/* Whether flows may be taken for others. */
bool ss_fold_is_near(const ss_job *job, ss_fold fold);

/* Folds a world whose routes and paths are known, as far as its options allow; spares links where that lets it fold,
 * and says which flows it presumes to do the same (NULL: neither). SS_ERROR_MEMORY. */
ss_status ss_fold_world(ss_world *world, ss_links *links, ss_headroom *headroom, ss_presumption *presumption);

#endif
