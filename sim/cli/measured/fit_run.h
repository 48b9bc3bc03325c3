/* A fit at work: what is read for it, and the searches that it makes. */
#ifndef STEPSIM_SIM_CLI_MEASURED_FIT_RUN_H
#define STEPSIM_SIM_CLI_MEASURED_FIT_RUN_H

#include "model/measured/fit.h"
#include "sim/options/options.h"

enum { SS_FIT_EVALUATIONS = 60 };

typedef struct ss_fit_run {
  const ss_options *options;
  ss_fit_plan plan;
  ss_measured measured;
  ss_fit_points points;
  ss_machine *machine; /* [points.count] owned */
  double *predicted_s; /* [points.count] of the last prediction; owned */
  double *left_out_s;  /* [points.count] each with its source left out of the fit; owned */
  int64_t *chosen;     /* [points.count] the points that are predicted at a time; owned */
  int64_t chosen_count;
  int64_t without;       /* the source that this search leaves out; or SS_FIT_ALL */
  int64_t searches_done; /* of all that there are */
  int64_t evaluations;   /* of this search */
  int64_t limit;         /* evaluations at most, for each constant, in one search; 0: SS_FIT_EVALUATIONS */
  ss_fit fit;
} ss_fit_run;

/* Makes room for a fit whose measurements and points are there, and loads a machine for each of them. The plan may
 * still change. Errors as from ss_measurements_machine; SS_ERROR_MEMORY. Release with ss_fit_run_close, which releases
 * measurements and points, too, in any case. */
ss_status ss_fit_run_open(ss_fit_run *run, ss_error *error);
void ss_fit_run_close(ss_fit_run *run);

/* Predicts all points with values of the constants of the plan. `time_s` [points.count] */
ss_status ss_fit_run_times(ss_fit_run *run, const ss_fit_values *values, double *time_s, ss_error *error);

/* Fits: the errors at the start, which is in run->fit.values, the constants, what each does, and those without each
 * source where run->fit.crossed. All but this is to be there. Errors as from ss_measurements_predict. */
ss_status ss_fit_run_all(ss_fit_run *run, ss_error *error);

#endif
