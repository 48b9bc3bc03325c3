/* Flows that have all their links to themselves: they take bytes over bandwidth, and need no network simulator until
 * another flow comes to one of their links. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_UNCONTENDED_H
#define STEPSIM_SIM_ENGINE_NETWORK_UNCONTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/core/world.h"

/* What became of a flow that was alone. */
typedef enum ss_uncontended_state {
  SS_UNCONTENDED_GOES,
  SS_UNCONTENDED_OVER,
  SS_UNCONTENDED_SHARES
} ss_uncontended_state;

typedef struct ss_uncontended_flow {
  const ss_flow *flow;
  double bytes;
  ss_uncontended_state state;
  struct ss_flow_batch *batch;
  struct ss_uncontended_flow *next; /* in its batch, or of those that are free */
} ss_uncontended_flow;

/* Flows of one transfer that started at the same time and end at the same time: one event. */
typedef struct ss_flow_batch {
  ss_transfer *transfer;
  double start_s, end_s;
  ss_uncontended_flow *first;
  struct ss_flow_batch *next_free;
} ss_flow_batch;

/* Who is on the links. */
typedef struct ss_occupancy {
  ss_world *world;
  int32_t *flows; /* [links] on each; owned */
  ss_uncontended_flow *
      *alone;            /* [links] the flow that has the link to itself and is not on the simulator, or NULL; owned */
  ss_flow_batch *latest; /* that flows can still be added to */
  ss_uncontended_flow *free_uncontended;
  ss_flow_batch *free_batches;
  struct ss_slab *slabs; /* memory of both; owned */
} ss_occupancy;

ss_status ss_occupancy_init(ss_occupancy *occupancy, ss_world *world);
void ss_occupancy_free(ss_occupancy *occupancy);

/* Starts a flow. One that is alone will be over by itself; otherwise it is for the simulator, and so are the
 * flows that it meets: `share` is called with what is left of each. */
typedef void ss_share(void *context, ss_transfer *transfer, const ss_flow *flow, double bytes);
void ss_occupancy_enter(ss_occupancy *occupancy, ss_transfer *transfer, const ss_flow *flow, double bytes,
                        ss_share *share, void *context);

/* A flow on the simulator is over. */
void ss_occupancy_leave(ss_occupancy *occupancy, const ss_flow *flow);

/* The time of a batch has come: its flows are over, but for those that have met others. The transfer whose last flows
 * they were; else NULL. */
ss_transfer *ss_occupancy_end(ss_occupancy *occupancy, ss_flow_batch *batch);

#endif
