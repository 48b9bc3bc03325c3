/* Watches the links that a replay spares: an observer that knows which kinds of flows are in progress, and looks
 * whether what they may send still fits wherever it may have become more: first as if each were alone on its path, and
 * only where that would not fit, by closer bounds of their rates. What is simultaneous is seen as a whole. */
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

/* A tight link that flows of a kind cross, and what they may ask it for if each is alone on its path. */
typedef struct ss_touch {
  int32_t link; /* of ss_headroom.spared */
  int64_t bytes_per_s;
} ss_touch;

/* A tight link: what flows in progress may ask it for, as long as it isn't crowded, and what it can carry. */
typedef struct ss_watched_spared {
  int64_t asked_bytes_per_s, most_bytes_per_s;
  bool is_pending, crowded; /* as listed; has been short */
} ss_watched_spared;

/* Numbers, each once. */
typedef struct ss_watch_list {
  int64_t count;
  int32_t *number; /* [count], owned */
} ss_watch_list;

/* Zeroed: nothing is watched. Rates are bounded, and links crossed, as of the last time that this was needed. */
typedef struct ss_watch {
  const ss_headroom *headroom; /* borrowed, as the paths */
  const ss_link_paths *paths;
  ss_observer observer;
  ss_world *world;           /* borrowed */
  double tie_s, instant_s;   /* what is less apart is simultaneous; the time that is looked at */
  const ss_flow **flow;      /* [kinds] in progress, or NULL; owned */
  double *alone_bytes_per_s; /* [kinds] rate if it were alone; 0 where none is in progress; owned */
  bool *has_moved;           /* [kinds] has begun or ended since rates were bounded, as listed; owned */
  ss_watch_list moved;
  ss_crossed_links crossed;
  double *least_bytes_per_s;      /* [kinds] that flows in progress have at least; owned */
  double *bytes_per_s;            /* [kinds] and at most; 0 where none is in progress; owned */
  int64_t looks, *seen;           /* [kinds] the last look at each; owned */
  ss_watched_link *link;          /* [links], owned */
  ss_watch_list changed, shifted; /* of these */
  int64_t *first;                 /* [kinds + 1] of `touched`; owned */
  ss_touch *touched;              /* of flows of each kind; owned */
  ss_watched_spared *spared;      /* [spared], owned */
  ss_watch_list pending;          /* of these: to look at when time goes on */
} ss_watch;

/* A watch of a world, to which it listens from now on where a link is tight. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_watch_open(ss_watch *watch, const ss_headroom *headroom, const ss_link_paths *paths, ss_world *world);
void ss_watch_free(ss_watch *watch);

/* When the replay is over: adds the links that were crowded and, unless NULL, those that might become so.
 * SS_ERROR_MEMORY. */
ss_status ss_watch_conclude(ss_watch *watch, ss_link_set *crowded, ss_link_set *tight);

#endif
