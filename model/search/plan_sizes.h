/* Runs on several numbers of GPUs, of which one is best. */
#ifndef STEPSIM_MODEL_SEARCH_PLAN_SIZES_H
#define STEPSIM_MODEL_SEARCH_PLAN_SIZES_H

#include "model/run/plan.h"
#include "model/search/shortlist.h"

/* A run on so many GPUs, each phase with its best strategy there. */
typedef struct ss_plan_size {
  int64_t gpus;
  char refusal[SS_ERROR_TEXT_SIZE]; /* why there is none; empty where there is one */
  char strategy[SS_TEXT_SIZE];      /* of the longest phase */
  ss_whole_run_time mean;           /* in closed form */
  ss_bill bill;
} ss_plan_size;

typedef struct ss_plan_sizes {
  ss_plan_size *size; /* [count] owned by the command */
  int64_t count;
  ss_objective objective;
  double budget_dollars; /* of the run; 0: any */
} ss_plan_sizes;

/* Whether a run is within the budget. */
bool ss_plan_sizes_affords(const ss_plan_sizes *sizes, const ss_plan_size *size);

/* The run with the least seconds, GPU-seconds, dollars or joules, as the objective says, of those within the budget, of
 * equals the first; -1 where there is none. The objective is not memory. */
int64_t ss_plan_sizes_best(const ss_plan_sizes *sizes);

#endif
