/* What a run came to when it was played many times (sim/campaign). */
#ifndef STEPSIM_MODEL_RUN_CAMPAIGN_H
#define STEPSIM_MODEL_RUN_CAMPAIGN_H

#include "model/run/whole_run.h"

/* Quantiles that are reported: X(field, share, "label"). */
#define SS_QUANTILE_LIST(X)                                                                                            \
  X(p5, 0.05, "5 %")                                                                                                   \
  X(p50, 0.5, "median")                                                                                                \
  X(p95, 0.95, "95 %")

typedef struct ss_quantiles {
#define SS_QUANTILE_FIELD(field, share, label) double field;
  SS_QUANTILE_LIST(SS_QUANTILE_FIELD)
#undef SS_QUANTILE_FIELD
} ss_quantiles;

typedef struct ss_campaign {
  int64_t trials, seed;
  ss_whole_run_time mean;  /* of all trials */
  ss_whole_run_time error; /* the standard errors of these; 0 with a single trial */
  double std_s;            /* of the total of a trial */
  ss_quantiles total_s;
  bool uneven;      /* steps of the machine differ, and what follows is filled */
  double step_mean; /* a share of the iteration without noise and stalls */
  double step_std;  /* this and the quantiles are shares of the mean step */
  ss_quantiles step;
} ss_campaign;

/* The first so many trials, on hosts of SimGrid that fail (sim/engine/failures.h). */
typedef struct ss_simgrid_campaign {
  int64_t trials;         /* 0: nobody asked */
  double mean_s, error_s; /* of their totals, and its standard error; 0 with a single trial */
  ss_quantiles total_s;
  double own_mean_s; /* of the same trials without SimGrid */
  double apart_s;    /* that one of them differs by, at most */
} ss_simgrid_campaign;

#endif
