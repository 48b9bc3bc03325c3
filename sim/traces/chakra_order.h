/* When the nodes of a graph start that says what they wait for and how long they take, and not when they started: what
 * the converter of Chakra makes of traces of PyTorch (src/converter/pytorch_converter.py of mlcommons/chakra@21585d8
 * sets duration_micros and no start_time_micros). */
#ifndef STEPSIM_SIM_TRACES_CHAKRA_ORDER_H
#define STEPSIM_SIM_TRACES_CHAKRA_ORDER_H

#include <stdint.h>

#include "model/base/error.h"

/* For a node that waits for nothing but what it depends on. */
#define SS_NO_LANE UINT64_MAX

typedef struct ss_chakra_step {
  uint64_t id;
  uint64_t lane; /* a thread of the host or a stream of the GPU, whose nodes follow one another; or SS_NO_LANE */
  uint64_t duration_us;
  int64_t first; /* of what it waits for, in `before`, up to the first of the next one */
} ss_chakra_step;

/* Zeroed is empty. */
typedef struct ss_chakra_order {
  ss_chakra_step *step; /* [count] owned */
  int64_t count, room;
  uint64_t *before; /* [befores] ids; owned */
  int64_t befores, before_room;
  double *start_us; /* [count] where ss_chakra_order_solve has found them; owned */
} ss_chakra_order;

/* Adds a node; what it waits for is added behind it, by id. SS_ERROR_MEMORY. */
ss_status ss_chakra_order_add(ss_chakra_order *order, uint64_t id, uint64_t lane, uint64_t duration_us,
                              ss_error *error);
ss_status ss_chakra_order_wait(ss_chakra_order *order, uint64_t id, ss_error *error);

/* Starts every node as early as what it waits for and the nodes before it on its lane allow, of several on a lane that
 * could start the one with the lowest id first. Ids that no node has are no reason to wait: converters leave nodes out.
 * SS_ERROR_INPUT for ids that occur twice and for nodes that wait for one another in a circle, SS_ERROR_MEMORY. */
ss_status ss_chakra_order_solve(ss_chakra_order *order, ss_error *error);

void ss_chakra_order_free(ss_chakra_order *order);

#endif
