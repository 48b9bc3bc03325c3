/* Watches flows that are presumed to be alike: an observer that shares out the links among the flows in progress and
 * looks whether every type of them has a bottleneck. What is simultaneous is seen as a whole. */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_PRESUMPTION_WATCH_H
#define STEPSIM_SIM_ENGINE_HEADROOM_PRESUMPTION_WATCH_H

#include "sim/engine/core/world.h"
#include "sim/engine/headroom/drifts.h"
#include "sim/engine/headroom/encounters.h"

/* What flows in progress have of a link together, and the most that one of them has. */
typedef struct ss_shared_link {
  bool shifted, is_old; /* that may be another since the last look; and since it was added up */
  double bytes_per_s, most_bytes_per_s;
} ss_shared_link;

/* Whether all types of a kind have a bottleneck where the flow of the kind has its path to itself, and had one at every
 * look: then there is nothing to look at while it is alone. */
typedef enum ss_calm { SS_CALM_UNKNOWN, SS_CALM, SS_CALM_NOT } ss_calm;

/* What flows that would be faster would take from others on a link: so much in all beyond what it has, and leave so
 * much to each. */
typedef struct ss_taken {
  double beyond_bytes_per_s, left_bytes_per_s;
} ss_taken;

/* Zeroed: nothing is watched. */
typedef struct ss_presumption_watch {
  const ss_presumption *presumption; /* borrowed, as the paths */
  const ss_link_paths *paths;
  ss_observer observer;
  ss_world *world;         /* that is in vain where types have no bottleneck for too long; borrowed */
  double tie_s, instant_s; /* what is less apart is simultaneous; the time that is looked at */
  ss_fair_rates rates;
  ss_fair_flow *flow;   /* [kinds] the flow of each; owned */
  ss_shared_link *link; /* [links], owned */
  int64_t shifts;
  int32_t *shifted;    /* [shifts] links; owned */
  int64_t looks;       /* instants that were looked at */
  int64_t *seen;       /* [kinds] the last look at each; owned */
  ss_calm *calm;       /* [kinds], owned */
  uint64_t *advantage; /* [types] how much faster than their kind they would be, as of the last look; 0: not; owned */
  ss_taken *taken;     /* [links] as of the last look, 0: nothing; owned */
  double *next_bytes_per_s; /* [types] of those without a bottleneck; owned */
  int64_t unbounded;        /* types without one */
  int32_t *mark;            /* [types] that their flows get, 0: none; owned */
  double *since_s;          /* [types] when their advantage was found, and for how long they would be ahead; owned */
  double *ahead_s;
  double *foremost_s, sum_s; /* [kinds] the most that a type of it is ahead, owned; and that of all kinds together */
  ss_encounters encounters;  /* zeroed where no flows are taken for others, as: */
  ss_drifts drifts;          /* that go by what waits for what */
} ss_presumption_watch;

/* A watch of a world, to which it listens from now on where flows are presumed to be alike. SS_ERROR_MEMORY. Free in
 * any case. */
ss_status ss_presumption_watch_open(ss_presumption_watch *watch, const ss_presumption *presumption,
                                    const ss_link_paths *paths, ss_world *world);
void ss_presumption_watch_free(ss_presumption_watch *watch);

/* When the replay is over: says how many flows were taken for others or, where it has to start again, adds the marks
 * that tell apart which were not alike. SS_ERROR_MEMORY. */
ss_status ss_presumption_watch_conclude(ss_presumption_watch *watch, ss_flow_marks *marks, ss_presumed *presumed);

#endif
