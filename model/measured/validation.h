/* Predictions beside published measurements: errors of groups and of kinds of jobs, and whether sweeps are in the right
 * order. */
#ifndef STEPSIM_MODEL_MEASURED_VALIDATION_H
#define STEPSIM_MODEL_MEASURED_VALIDATION_H

#include "model/base/statistics.h"
#include "model/measured/measured.h"
#include "model/measured/predicted.h"
#include "model/measured/regret.h"

/* Points that belong together: a group, the whole, a kind of jobs, a sweep, or collectives of one size. */
typedef struct ss_validated {
  int64_t group;               /* -1 of all groups of a kind */
  char name[SS_NAME_SIZE];     /* of a sweep, a size or a kind of jobs; empty of a group and of the whole */
  int64_t unused;              /* points that are there and not used */
  int64_t limits;              /* points that are limits and no values, of which errors say nothing */
  int64_t kept[SS_PREDICTORS]; /* of these */
  ss_error_summary time[SS_PREDICTORS];
  int64_t worst[SS_PREDICTORS];      /* the point with the worst error; -1 without any */
  double correlation[SS_PREDICTORS]; /* rank correlation of predicted and measured times; NaN where undefined */
  ss_error_summary memory;           /* where it was published */
} ss_validated;

typedef struct ss_validation {
  const ss_measured *measured; /* borrowed */
  ss_predicted *predicted;     /* [measured->points] owned */
  ss_validated *group;         /* [measured->groups] owned */
  ss_validated whole[SS_MEASURED_COUNT];
  ss_validated *kind; /* [kinds] owned; iterations of a kind of jobs (ss_likeness_name), in the order of their names */
  int64_t kinds;
  ss_validated *sweep; /* [sweeps] owned; sweeps of two points and more, group by group in the order of the points */
  int64_t sweeps;
  ss_regrets regrets;
} ss_validation;

/* Makes room for the predictions, all zero. The measurements are borrowed. SS_ERROR_MEMORY. Release with
 * ss_validation_free. */
ss_status ss_validation_init(ss_validation *validation, const ss_measured *measured, ss_error *error);

/* Computes the errors, rank correlations and regrets, once all predictions are filled in. SS_ERROR_MEMORY. */
ss_status ss_validation_sum(ss_validation *validation, ss_error *error);

/* Releases the predictions and errors; zeroed is fine. */
void ss_validation_free(ss_validation *validation);

/* Whether a point is one of `v`, and of a kind of measurements where `v` is of all groups. */
bool ss_validated_has(const ss_validation *validation, const ss_validated *v, ss_measured_kind kind, int64_t point);

/* The relative error of the time of a point, as a fraction; NaN of a limit. */
double ss_validation_error(const ss_validation *validation, int64_t point, ss_predictor predictor);

/* The relative error of the memory of a point, as a fraction; NaN if its memory was not published. */
double ss_validation_memory_error(const ss_validation *validation, int64_t point);

/* Whether a prediction is within the limit that a point is. */
bool ss_validation_keeps(const ss_validation *validation, int64_t point, ss_predictor predictor);

/* Whether the mean absolute error of a group exceeds its bound. */
bool ss_validation_exceeds(const ss_validation *validation, int64_t group, ss_predictor predictor);

/* Whether the mean regret of a group exceeds its bound. */
bool ss_validation_regrets(const ss_validation *validation, int64_t group, ss_predictor predictor);

#endif
