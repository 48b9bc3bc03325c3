/* Watches the links that a replay spares: an observer that knows which kinds of flows are in progress, and looks
 * whether what they may send still fits wherever it may have become more. What is simultaneous is seen as a whole. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_WATCH_H
#define STEPSIM_SIM_ENGINE_HEADROOM_WATCH_H

#include "sim/engine/core/world.h"
#include "sim/engine/headroom/headroom.h"

/* Flows that cross a link, and what they have together at least. */
typedef struct ss_port_load {
  int64_t flows;
  double least_bytes_per_s;
} ss_port_load;

/* Zeroed: nothing is watched. */
typedef struct ss_watch {
  const ss_headroom *headroom; /* borrowed, as the paths */
  const ss_link_paths *paths;
  ss_observer observer;
  double tie_s, instant_s; /* what is less apart is simultaneous; the time that is looked at */
  bool changed;            /* a flow has begun or ended at that time */
  int64_t active;
  const ss_flow **active_flow; /* [active] those in progress, each of another kind; owned */
  int32_t *place;              /* [kinds] of their flows among them; owned */
  double *bytes_per_s;         /* [kinds] that they have at most; 0 where none is in progress; owned */
  ss_port_load *port;          /* [links] what crosses them now, as far as they take part; owned */
  int64_t *first;              /* [kinds + 1] of `touched`; owned */
  int32_t *touched;            /* the tight links that flows of each kind cross; owned */
  int64_t pending;
  int32_t *pending_link; /* [pending] tight links to look at when time goes on; owned */
  bool *is_pending;      /* [spared], owned */
  bool *crowded;         /* [spared], owned */
} ss_watch;

/* A watch of a world, to which it listens from now on where a link is tight. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_watch_open(ss_watch *watch, const ss_headroom *headroom, const ss_link_paths *paths, ss_world *world);
void ss_watch_free(ss_watch *watch);

/* When the replay is over: adds the links that were crowded. SS_ERROR_MEMORY. */
ss_status ss_watch_conclude(ss_watch *watch, ss_link_set *crowded);

#endif
