/* What `plan` reports of a run. */
#ifndef STEPSIM_MODEL_RUN_PLAN_H
#define STEPSIM_MODEL_RUN_PLAN_H

#include "model/input/calibration.h"
#include "model/input/replayed.h"
#include "model/result/interval.h"
#include "model/run/bill.h"
#include "model/run/campaign.h"
#include "model/run/measures.h"
#include "model/run/power_curve.h"

typedef struct ss_plan_phase {
  char settings[SS_TEXT_SIZE]; /* of run.phases; empty where there are none */
  char strategy[SS_TEXT_SIZE]; /* that a search found; empty where nobody searched */
  int64_t gpus;
  double tokens, iterations, spare_gpus;
  ss_breakdown iteration;
  ss_whole_run_parts parts;
  ss_whole_run_time mean; /* in closed form */
  ss_bill bill;
} ss_plan_phase;

/* A run with a measure. */
typedef struct ss_worth {
  ss_measure measure;
  ss_whole_run_time mean;
  ss_bill bill;
} ss_worth;

typedef struct ss_plan {
  const char *workload, *platform;
  const ss_machine *machine; /* borrowed */
  ss_calibration calibration;
  ss_replayed_set only_replayed; /* properties of the machine that iterations do not have */
  ss_interval interval;          /* how sure iterations are */
  ss_plan_phase *phase;          /* [phases] owned by the command */
  int64_t phases;
  ss_whole_run_time mean; /* of all phases, in closed form */
  ss_bill bill;
  ss_campaign campaign;
  ss_simgrid_campaign simgrid;
  ss_worth worth[SS_MEASURES]; /* [worths] of the measures that change something */
  int64_t worths;
  ss_power_curve step; /* of the longest phase, by replay; zeroed where nobody replayed; owned by the command */
} ss_plan;

/* The phase that takes longest. */
const ss_plan_phase *ss_plan_longest(const ss_plan *plan);

#endif
