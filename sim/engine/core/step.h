/* What a pass through a block is made of: work between two points where a stage replica can wait. */
#ifndef STEPSIM_SIM_ENGINE_CORE_STEP_H
#define STEPSIM_SIM_ENGINE_CORE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan/job.h"
#include "model/result/contention.h"

/* Tasks [first, first + count) in one go (a run), or one live task, whose collectives take the time they take. */
typedef struct ss_step {
  bool live;
  bool exchanges; /* with other experts, where passes run in pairs */
  bool late;      /* needs nothing of the exchange before it */
  int64_t first, count;
  ss_duration parts;
  ss_duration kernel;   /* of a live task: a piece of its kernel */
  ss_exposed exposed;   /* of its collectives */
  ss_launches launches; /* where the host launches kernels */
  double nvlink_bytes;  /* that they take through the port of each rank */
} ss_step;

typedef struct ss_step_list {
  int64_t count;
  ss_step *step; /* [count], borrowed from the world */
} ss_step_list;

#endif
