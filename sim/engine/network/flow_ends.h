/* When flows end that share links: a heap of instants. Most flows end together with others, such as those of the ranks
 * of a message, so that a rate that changes mostly moves a flow from one instant to another, and nothing in the heap.
 */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_FLOW_ENDS_H
#define STEPSIM_SIM_ENGINE_NETWORK_FLOW_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pool.h"

/* The end of a flow, part of it. */
typedef struct ss_flow_end {
  int64_t order;                       /* of those that end at the same time, the one with the least comes first */
  struct ss_flow_end_instant *instant; /* NULL: it is not known when */
  struct ss_flow_end *previous, *next; /* at that instant */
} ss_flow_end;

typedef struct ss_flow_end_instant {
  ss_flow_end *first, *last;
  double time_s; /* not a number: it is idle in its pool */
  int64_t slot;  /* in the heap */
  bool mixed;    /* `first` to `last` are not in order */
} ss_flow_end_instant;

typedef struct ss_flow_end_key {
  double time_s;
  ss_flow_end_instant *instant;
} ss_flow_end_key;

/* Zeroed: no flows. */
typedef struct ss_flow_ends {
  int64_t count, capacity;
  ss_flow_end_key *heap;           /* [count] the instant that comes first on top; owned */
  ss_flow_end_instant *recent[64]; /* by their times */
  ss_pool instants;
  int64_t sorted;
  ss_flow_end **sort; /* [sorted] room to sort; owned */
} ss_flow_ends;

void ss_flow_ends_free(ss_flow_ends *ends);

/* A flow ends at a time, whatever was said of it before; and nothing is known of it any more. */
void ss_flow_ends_set(ss_flow_ends *ends, ss_flow_end *end, double time_s);
void ss_flow_ends_forget(ss_flow_ends *ends, ss_flow_end *end);

/* When the next flow ends; infinite where there is none. */
double ss_flow_ends_next_s(const ss_flow_ends *ends);

/* The next flow that ends, of which there is one. */
ss_flow_end *ss_flow_ends_next(ss_flow_ends *ends);

#endif
