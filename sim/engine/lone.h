/* Flows that have all their links to themselves: they take bytes over bandwidth, and need no network simulator until
 * another flow comes to one of their links. */
#ifndef STEPSIM_SIM_ENGINE_LONE_H
#define STEPSIM_SIM_ENGINE_LONE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/world.h"

/* What became of a flow that was alone. */
typedef enum ss_lone_state { SS_LONE_GOES, SS_LONE_OVER, SS_LONE_SHARES } ss_lone_state;

typedef struct ss_lone {
  const ss_edge *edge;
  double bytes;
  ss_lone_state state;
  struct ss_bundle *bundle;
  struct ss_lone *next; /* in its bundle, or of those that are free */
} ss_lone;

/* Flows of one transfer that started at the same time and end at the same time: one event. */
typedef struct ss_bundle {
  ss_transfer *transfer;
  double start_s, end_s;
  ss_lone *first;
  struct ss_bundle *next_free;
} ss_bundle;

/* Who is on the links. */
typedef struct ss_lanes {
  ss_world *world;
  int32_t *flows;    /* [links] on each; owned */
  ss_lone **alone;   /* [links] the flow that has the link to itself and is not on the simulator, or NULL; owned */
  ss_bundle *latest; /* that flows can still be added to */
  ss_lone *free_lones;
  ss_bundle *free_bundles;
  struct ss_slab *slabs; /* memory of both; owned */
} ss_lanes;

ss_status ss_lanes_init(ss_lanes *lanes, ss_world *world);
void ss_lanes_free(ss_lanes *lanes);

/* Starts a flow. One that is alone will be over by itself; otherwise it is for the simulator, and so are the
 * flows that it meets: `share` is called with what is left of each. */
typedef void ss_share(void *context, ss_transfer *transfer, const ss_edge *edge, double bytes);
void ss_lanes_enter(ss_lanes *lanes, ss_transfer *transfer, const ss_edge *edge, double bytes, ss_share *share,
                    void *context);

/* A flow on the simulator is over. */
void ss_lanes_leave(ss_lanes *lanes, const ss_edge *edge);

/* The time of a bundle has come: its flows are over, but for those that have met others. The transfer whose last flows
 * they were; else NULL. */
ss_transfer *ss_lanes_end(ss_lanes *lanes, ss_bundle *bundle);

#endif
