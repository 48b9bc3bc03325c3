/* What all GPUs of a job draw over an iteration. */
#ifndef STEPSIM_MODEL_RUN_POWER_CURVE_H
#define STEPSIM_MODEL_RUN_POWER_CURVE_H

#include "model/base/error.h"
#include "model/result/history.h"
#include "model/run/power.h"

/* A replay: what the stages of one replica did, which stands for all, and where its time went. */
typedef struct ss_power_curve_question {
  const ss_history *history;
  int64_t stages;
  const ss_breakdown *iteration;
  double gpus, spare_gpus; /* that work, and idle ones of spare nodes */
  const ss_power *power;
} ss_power_curve_question;

/* From time_s[i] on, up to the next one or the end, watts[i] at the meter. */
typedef struct ss_power_curve {
  double *time_s, *watts; /* [count] owned */
  int64_t count;
  double end_s;
  double most_w, least_w, mean_w;
  double swing_w; /* the largest step up or down */
} ss_power_curve;

/* A stage computes in the optimizer step; in a pass it draws the mean of its kernels and of the collectives beside
 * which nothing is computed, as the breakdown has them; in a wait for data or for the second memory tier it moves data,
 * in one for another stage or its host, and between passes, it waits. SS_ERROR_MEMORY. */
ss_status ss_power_curve_of(const ss_power_curve_question *question, ss_power_curve *curve, ss_error *error);

/* Releases the lists; zeroed is fine. */
void ss_power_curve_free(ss_power_curve *curve);

#endif
