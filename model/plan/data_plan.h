/* What data parallelism gathers and reduces in an iteration, and when. */
#ifndef STEPSIM_MODEL_PLAN_DATA_PLAN_H
#define STEPSIM_MODEL_PLAN_DATA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/collective.h"
#include "model/schedule/pass.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* What data parallelism does under a sharding. */
typedef struct ss_data_plan {
  bool active;            /* some weights are held by more than one rank */
  bool gathers_at_start;  /* weights once per iteration, before the first forward (ZeRO-1, ZeRO-2) */
  bool gathers_each_pass; /* weights before every pass of every micro-batch that uses them (ZeRO-3, FSDP) */
  bool reduces_each_pass; /* gradients after every backward pass (ZeRO-2, ZeRO-3), else only after the last */
  double bucket_bytes;    /* gradients that go together, at least; 0 each block by itself */
  ss_pass reducing_pass;  /* the pass that completes the gradients of the weights */
  ss_collective reduction;
} ss_data_plan;

/* The plan of a workload whose dense weights are held by so many ranks each (ss_job_holders); experts are held by no
 * more. */
ss_data_plan ss_data_plan_of(const ss_workload *workload, int64_t holders);

#endif
