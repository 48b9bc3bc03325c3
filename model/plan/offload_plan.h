/* What the passes of a block move between HBM and the second memory tier. */
#ifndef STEPSIM_MODEL_PLAN_OFFLOAD_PLAN_H
#define STEPSIM_MODEL_PLAN_OFFLOAD_PLAN_H

#include <stdbool.h>

#include "model/block/block.h"
#include "model/input/machine.h"
#include "model/schedule/pass.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Bytes of one GPU, by kind of block and pass. */
typedef struct ss_offload_plan {
  bool active;
  bool activations;                              /* are in that tier between forward and backward */
  bool gradients;                                /* go there, and all of them before the step */
  double bytes_per_s;                            /* each way */
  double read_bytes[SS_BLOCK_COUNT][SS_PASSES];  /* before the block can start */
  double write_bytes[SS_BLOCK_COUNT][SS_PASSES]; /* after it has run */
} ss_offload_plan;

/* The plan for those of `block` [SS_BLOCK_COUNT] that are of some kinds, a set of SS_BLOCK_BIT; each parameter has
 * `weight_bytes`. */
void ss_offload_plan_fill(ss_offload_plan *plan, const ss_workload *workload, const ss_machine *machine,
                          const ss_block *block, ss_block_set kinds, double weight_bytes);

#endif
