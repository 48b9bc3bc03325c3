/* The order in which two passes that run together come to their blocks. A pass has the GPU until it comes to an
 * exchange between experts, or to its end; then it is the other one's turn, backward first. That depends on no clock:
 * closed form and replay play this order, and gather weights and read the second memory tier ahead in it. */
#ifndef STEPSIM_MODEL_PLAN_PAIR_ORDER_H
#define STEPSIM_MODEL_PLAN_PAIR_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/schedule/pass.h"

/* In model/plan/job.h. */
typedef struct ss_job ss_job;

/* What a pass comes to. */
typedef enum ss_pair_step {
  SS_PAIR_BLOCK_BEGIN,
  SS_PAIR_EXCHANGE, /* ends its turn */
  SS_PAIR_BLOCK_END,
  SS_PAIR_PASS_END, /* ends its turn */
  SS_PAIR_OVER      /* both passes are through */
} ss_pair_step;

/* Where one of the passes is. */
typedef struct ss_pair_lane {
  ss_chunk chunk;
  ss_pass pass;
  int64_t blocks, begun; /* of its chunk, in its own order; the last one that has begun is where it is */
  int64_t exchanges;     /* of that block, that it has not come to */
  bool inside, over;     /* it is in that block; it is through */
} ss_pair_lane;

#define SS_PAIR_LANES 2

typedef struct ss_pair_order {
  ss_pair_lane lane[SS_PAIR_LANES]; /* backward, forward */
  int at;                           /* whose step it is */
  bool leaves;                      /* its turn is over */
} ss_pair_order;

/* Before the first step. Borrows nothing; the job is to be the same for each step. */
ss_pair_order ss_pair_order_start(const ss_job *job, ss_chunk backward, ss_chunk forward);

/* Goes to the next step, which is one of order->lane[order->at]. */
ss_pair_step ss_pair_order_next(const ss_job *job, ss_pair_order *order);

/* Goes to where the next block begins; false when there is none. */
bool ss_pair_order_next_block(const ss_job *job, ss_pair_order *order);

#endif
