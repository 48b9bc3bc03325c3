/* What data parallelism gathers and reduces in an iteration, and when. */
#ifndef STEPSIM_MODEL_PLAN_DATA_PLAN_H
#define STEPSIM_MODEL_PLAN_DATA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/block/block.h"
#include "model/collective/collective.h"
#include "model/schedule/pass.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* The groups of data parallelism: holders of dense weights and of experts that share a copy, in the order of
 * ss_weights, and those at the same place of all copies. Without parallelism.shard-size all holders share one. */
typedef enum ss_data_group {
  SS_DATA_DENSE,
  SS_DATA_EXPERT,
  SS_DATA_DENSE_COPIES,
  SS_DATA_EXPERT_COPIES,
  SS_DATA_GROUPS
} ss_data_group;

/* The group for some weights. */
static inline ss_data_group ss_data_group_of(ss_weights weights, bool copies)
{
  return (ss_data_group)((int)weights + (copies ? (int)SS_DATA_DENSE_COPIES : 0));
}

/* What data parallelism does under a sharding. */
typedef struct ss_data_plan {
  bool active;              /* some weights are held by more than one rank */
  bool gathers_at_start;    /* weights once per iteration, before the first forward (ZeRO-1, ZeRO-2) */
  bool gathers_each_pass;   /* weights before every pass of every micro-batch that uses them (ZeRO-3, FSDP) */
  ss_block_set kept_tables; /* kinds of blocks (SS_BLOCK_BIT) whose table others of their stage use: gathered with their
                               forward pass, it stays until backward comes there */
  bool reduces_each_pass;   /* gradients after every backward pass (ZeRO-2, ZeRO-3), else only after the last */
  double bucket_bytes;      /* gradients that go together, at least; 0 each block by itself, INFINITY all of a chunk */
  ss_pass reducing_pass;    /* the pass that completes the gradients of the weights */
  ss_collective reduction;  /* among the holders of a copy; what copies add up is an all-reduce, behind it */
} ss_data_plan;

/* The plan of a workload whose dense weights are held by so many ranks each (ss_job_holders); experts are held by no
 * more. `lend`: as in ss_tables. */
ss_data_plan ss_data_plan_of(const ss_workload *workload, int64_t holders, ss_block_set lend);

#endif
