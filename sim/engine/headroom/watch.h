/* Watches the links that a replay spares: an observer that knows which kinds of flows are in progress, and looks
 * whether what they may send still fits wherever it may have become more. What is simultaneous is seen as a whole. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_WATCH_H
#define STEPSIM_SIM_ENGINE_HEADROOM_WATCH_H

#include "sim/engine/core/world.h"
#include "sim/engine/headroom/crossed_links.h"
#include "sim/engine/headroom/headroom.h"

/* A link that takes part: the flows that cross it, and what they have together at least. */
typedef struct ss_watched_link {
  int64_t flows;
  double least_bytes_per_s;
  bool changed, shifted; /* flows on it have begun or ended; what some of them have may be another */
} ss_watched_link;

/* Links, each once. */
typedef struct ss_link_list {
  int64_t count;
  int32_t *link; /* [count], owned */
} ss_link_list;

/* Zeroed: nothing is watched. */
typedef struct ss_watch {
  const ss_headroom *headroom; /* borrowed, as the paths */
  const ss_link_paths *paths;
  ss_observer observer;
  ss_world *world;         /* borrowed */
  double tie_s, instant_s; /* what is less apart is simultaneous; the time that is looked at */
  ss_crossed_links crossed;
  double *least_bytes_per_s;     /* [kinds] that flows in progress have at least; owned */
  double *bytes_per_s;           /* [kinds] and at most; 0 where none is in progress; owned */
  int64_t looks, *seen;          /* [kinds] the last look at each; owned */
  ss_watched_link *link;         /* [links], owned */
  ss_link_list changed, shifted; /* of these */
  int64_t *first;                /* [kinds + 1] of `touched`; owned */
  int32_t *touched;              /* the tight links that flows of each kind cross; owned */
  int64_t pending;
  int32_t *pending_link; /* [pending] tight links to look at when time goes on; owned */
  bool *is_pending;      /* [spared], owned */
  bool *crowded;         /* [spared], owned */
} ss_watch;

/* A watch of a world, to which it listens from now on where a link is tight. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_watch_open(ss_watch *watch, const ss_headroom *headroom, const ss_link_paths *paths, ss_world *world);
void ss_watch_free(ss_watch *watch);

/* When the replay is over: adds the links that were crowded and, where it only looked, those that might become so.
 * SS_ERROR_MEMORY. */
ss_status ss_watch_conclude(ss_watch *watch, ss_link_set *crowded, ss_link_set *tight);

#endif
