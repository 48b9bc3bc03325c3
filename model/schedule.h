/* Pipeline schedules: the order in which a stage works through the micro-batches. */
#ifndef STEPSIM_MODEL_SCHEDULE_H
#define STEPSIM_MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/workload.h"

/* One pass of one micro-batch through a stage. */
typedef struct ss_work {
  bool backward;
  int64_t micro_batch;
} ss_work;

/* The `index`-th of the 2 * micro_batches passes of a stage (0 <= index < 2 * micro_batches, 0 <= stage < stages).
 * gpipe: all forward passes, then all backward passes. 1f1b: arXiv 2104.04473 section 2.2.1, stages - stage - 1 forward
 * passes, then one forward and one backward in turn, then the backward passes that are left. */
ss_work ss_schedule_work(ss_pipeline pipeline, int64_t stage, int64_t stages, int64_t micro_batches, int64_t index);

/* Micro-batches whose activations a stage holds at once, at most: gpipe M, 1f1b min(P - stage, M). */
int64_t ss_schedule_in_flight(ss_pipeline pipeline, int64_t stage, int64_t stages, int64_t micro_batches);

#endif
