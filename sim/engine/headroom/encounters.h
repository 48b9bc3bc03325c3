/* Encounters: what flows leave to transfers of other sorts on the link that bounds them, such as those of a ring to
 * collectives of layers that share their ports, or messages to either.
 *
 * One flow stands for its kind, so that all of a kind have their encounters in step. Nothing keeps replicas in step but
 * that they are alike: where one is late by ever so little, it finds its links taken, falls further behind, and so do
 * others. Then encounters come at other times. Flows of a ring meet what is on the ports at their two ends at one time
 * and at another, instead of at once, and all wait for the slowest of them; messages miss what they met. What a
 * transfer leaves to others of its own sort is no matter at ports: these go on together as it does. On links of the
 * upper levels, messages and collectives of layers meet those of other replicas, which need not be there when they are.
 */
#ifndef STEPSIM_SIM_ENGINE_HEADROOM_ENCOUNTERS_H
#define STEPSIM_SIM_ENGINE_HEADROOM_ENCOUNTERS_H

#include "sim/engine/headroom/presumption.h"
#include "sim/engine/network/fair_rates.h"

/* What a flow leaves to transfers of other sorts, and to any others on links of the upper levels: so much of its time,
 * or such a share of it. */
typedef struct ss_left {
  double sorts, upper;
} ss_left;

/* What the flow of a kind that is in progress leaves to others: shares of its time now, since then, and in s until
 * then.
 */
typedef struct ss_encounter {
  ss_left share, left_s;
  double since_s;
} ss_encounter;

/* Zeroed: nothing is looked at. */
typedef struct ss_encounters {
  const ss_presumption *presumption; /* borrowed, as the flows */
  const ss_fair_flow *flow;          /* [kinds] */
  ss_encounter *kind;                /* [kinds], owned */
} ss_encounters;

/* Of flows of kinds, `flow` [kinds]. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_encounters_init(ss_encounters *encounters, const ss_presumption *presumption, const ss_fair_flow *flow);
void ss_encounters_free(ss_encounters *encounters);

/* The flow of a kind begins. */
void ss_encounters_begin(ss_encounters *encounters, int32_t kind, double now_s);

/* Flows on a link have other rates from now on, or others beside them: for those that it bounds, it matters. */
void ss_encounters_look(ss_encounters *encounters, const ss_fair_link *link, int32_t number, double now_s);

/* The flow of a kind ends: by how many s sooner it would have ended, at most, without others. */
ss_left ss_encounters_end(ss_encounters *encounters, int32_t kind, double now_s);

#endif
