/* Flows that have all their links to themselves: they take bytes over bandwidth, and nobody shares out their links
 * until another flow comes to one of them. So do bursts (sim/engine/network/bursts.h), as one thing. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_OCCUPANCY_H
#define STEPSIM_SIM_ENGINE_NETWORK_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pool.h"
#include "sim/engine/core/observer.h"
#include "sim/engine/network/bursts.h"
#include "sim/engine/network/paths.h"

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
  struct ss_uncontended_flow *next; /* in its batch */
} ss_uncontended_flow;

/* Flows of one set that started at the same time and end at the same time: one alarm. Or a burst, of which parts may
 * end earlier. */
struct ss_flow_batch {
  ss_flow_set *set;
  double start_s, end_s;
  ss_uncontended_flow *first;
  const ss_burst *burst; /* NULL: it is none */
  double volume_bytes;   /* of the burst */
  int64_t over;          /* flows of it that ended with their part */
};

/* Who is on a link. */
typedef struct ss_link_use {
  ss_uncontended_flow *alone; /* the flow that has it to itself and shares none of its links, or NULL */
  int32_t flows;              /* on it, but for those of bursts */
  int32_t zone;               /* of bursts that it is in; below 0: none */
} ss_link_use;

/* Link occupancy: who is on which link. */
typedef struct ss_occupancy {
  const ss_link_paths *paths;    /* borrowed */
  const ss_link_paths *told;     /* the same paths as observers are told of them; borrowed */
  const ss_observers *observers; /* borrowed */
  double now_s;
  double *alone_bytes_per_s; /* [paths] rates of flows that have their links to themselves; owned */
  ss_link_use *use;          /* [links]; owned */
  ss_flow_batch *latest;     /* that flows can still be added to */
  ss_bursts bursts;          /* owned */
  ss_pool flows, batches;
} ss_occupancy;

/* Links that nobody is on, of the paths as they are told to observers or narrowed. SS_ERROR_MEMORY. Free in any case.
 */
ss_status ss_occupancy_init(ss_occupancy *occupancy, const ss_link_paths *paths, const ss_link_paths *told,
                            const ss_observers *observers);
void ss_occupancy_free(ss_occupancy *occupancy);

/* Looks for bursts among some phases. SS_ERROR_MEMORY. */
ss_status ss_occupancy_find_bursts(ss_occupancy *occupancy, const ss_phase_flows *phase, int64_t phases);

/* Gives a flow to those who share: what is left of it, from now on. */
typedef void ss_share(void *context, ss_flow_set *set, const ss_flow *flow, double bytes);

/* Starts a flow at occupancy->now_s. A flow that is alone on its links ends at the time of the alarm, which is returned
 * if the flow is the first of its batch. Otherwise it shares its links, and so do the uncontended flows on
 * them: `share` is called for each. */
ss_flow_alarm ss_occupancy_enter(ss_occupancy *occupancy, ss_flow_set *set, const ss_flow *flow, double bytes,
                                 ss_share *share, void *context);

/* Starts the flows of a phase at once, of a collective of so many bytes. An alarm without a batch: nothing is done, as
 * they are no burst, or somebody is on their links. */
ss_flow_alarm ss_occupancy_enter_together(ss_occupancy *occupancy, ss_flow_set *set, const ss_flow *flow,
                                          double volume_bytes);

/* A flow leaves those who share, where it has carried `bytes` from `start_s` to `end_s`. */
void ss_occupancy_leave(ss_occupancy *occupancy, const ss_flow *flow, double start_s, double end_s, double bytes);

/* The alarm of a batch: its flows are over, but for those that have met others, and those of parts that have. The set
 * that is complete with them; else NULL. */
ss_flow_set *ss_occupancy_end(ss_occupancy *occupancy, ss_flow_batch *batch);

#endif
