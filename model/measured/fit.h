/* Fitting: which constants of machines are free, between which bounds, and how far off the predictions are that they
 * lead to. Reading the points and predicting them is left to others. */
#ifndef STEPSIM_MODEL_MEASURED_FIT_H
#define STEPSIM_MODEL_MEASURED_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/statistics.h"
#include "model/input/machine.h"
#include "model/measured/measured.h"

enum { SS_FIT_CONSTANTS = 16, SS_FIT_FILES = 64 };

/* A property of platforms, which is a quantity, that is free from `from` to `to`, both in SI, from < to. */
typedef struct ss_fit_constant {
  const ss_property *property;
  double from, to;
  double start;  /* where the search begins; NaN: at what the platforms say */
  bool replaces; /* what measurements set */
  int line;
} ss_fit_constant;

/* What a fit file says. Zeroed is empty. */
typedef struct ss_fit_plan {
  char file[SS_PATH_SIZE];
  ss_fit_constant constant[SS_FIT_CONSTANTS];
  int64_t constants;
  char measured[SS_FIT_FILES][SS_PATH_SIZE]; /* files */
  char groups[SS_FIT_FILES][SS_TEXT_SIZE];   /* of each of them: ids of the groups that count, or nothing for all */
  char sweeps[SS_FIT_FILES][SS_TEXT_SIZE];   /* the same of sweeps, whatever group they are in */
  char platform[SS_FIT_FILES][SS_PATH_SIZE]; /* of logs, which name none; empty: measurements, which do */
  int measured_line[SS_FIT_FILES];
  int64_t measured_count;
} ss_fit_plan;

/* Values of the constants of a plan, in its order. */
typedef struct ss_fit_values {
  double of[SS_FIT_CONSTANTS];
} ss_fit_values;

/* The coordinate, from 0 to 1, of a value of a constant. The scale is logarithmic if `to` is more than ten times `from`
 * and `from` is above 0, so that a step is a share of the value; otherwise it is linear. */
double ss_fit_coordinate(const ss_fit_constant *constant, double value);

/* The value of a constant at a coordinate; within its bounds for any coordinate. */
double ss_fit_value(const ss_fit_constant *constant, double coordinate);

/* Sets the constants in a machine as an override would. */
void ss_fit_apply(const ss_fit_plan *plan, const ss_fit_values *values, ss_machine *machine);

/* Marks points of groups and sweeps that do not count as not used. SS_ERROR_INPUT if a file has no group or sweep of a
 * given name. */
ss_status ss_fit_choose_points(const ss_fit_plan *plan, ss_measured *measured, ss_error *error);

/* The points of a fit: those of the measurements that are used. */
typedef struct ss_fit_points {
  const ss_measured *measured; /* borrowed */
  int64_t count;
  int64_t *point;  /* [count] index into measured->point; owned */
  int64_t *source; /* [count] owned */
  double *weight;  /* [count] of each in what is minimised, 1 to begin with; owned */
  int64_t sources;
  bool by_group; /* a source is a group, as all points are out of one file; else it is a file */
} ss_fit_points;

/* Lists the points that are used, with their sources. SS_ERROR_MEMORY. Release with ss_fit_points_free in any case. */
ss_status ss_fit_points_init(ss_fit_points *points, const ss_measured *measured, ss_error *error);

/* Makes every group a source, whatever its file. */
void ss_fit_points_split(ss_fit_points *points);

/* Gives iterations and collectives the same weight each, where there are both, and of collectives each group; `own` of
 * points (of all measurements, not only those that are used) is what an iteration weighs beside the others. A point of
 * weight 0 counts for nothing. `own` [measured->points] */
void ss_fit_points_balance(ss_fit_points *points, const double *own);

/* Releases the lists; zeroed is fine. */
void ss_fit_points_free(ss_fit_points *points);

/* The name of a source: the id of its group, or the name of its file without folders. Borrowed from the measurements.
 */
const char *ss_fit_source_name(const ss_fit_points *points, int64_t source);

enum { SS_FIT_ALL = -1 };

/* What a fit minimises: the weighted mean of |ln(predicted / measured)| over the points, without those of source
 * `without` (SS_FIT_ALL: of all). It weighs twice too long and twice too short the same. Relative errors do not: they
 * never exceed 100 % below and so favour predictions that are too short. Squares would give points far off more than
 * their share. `predicted_s` [points->count]; NaN without points. */
double ss_fit_objective(const ss_fit_points *points, const double *predicted_s, int64_t without);

/* Which points to sum up: those of a group, those of a source, or SS_FIT_ALL for either. */
typedef struct ss_fit_part {
  int64_t group, source;
} ss_fit_part;

/* Sums up the relative errors of the points of a part. SS_ERROR_MEMORY. */
ss_status ss_fit_summarise(const ss_fit_points *points, const double *predicted_s, ss_fit_part part,
                           ss_error_summary *summary, ss_error *error);

/* The effect of changing one constant alone, as far as its bounds allow: differences of errors, as fractions. */
typedef struct ss_fit_change {
  double value;
  double mean_absolute, bias; /* NaN where the bound leaves no room */
} ss_fit_change;

enum { SS_FIT_LOWER, SS_FIT_HIGHER, SS_FIT_WAYS };

/* The constants fitted to all sources but one, and the errors on that one. */
typedef struct ss_fit_left_out {
  ss_fit_values values;
  ss_error_summary within;  /* with the constants that are fitted to it, too */
  ss_error_summary without; /* with these */
} ss_fit_left_out;

enum { SS_FIT_START, SS_FIT_FITTED, SS_FIT_STAGES };

/* The result of a fit, before it (SS_FIT_START) and after. */
typedef struct ss_fit {
  const ss_fit_plan *plan;
  const ss_fit_points *points;
  bool replayed; /* the replay is fitted, not the closed form */
  int64_t evaluations;
  bool limited; /* there were as many as there may be, so that the search may not have been at its end */
  ss_fit_values values[SS_FIT_STAGES];
  double objective[SS_FIT_STAGES];
  ss_error_summary whole[SS_FIT_STAGES];
  ss_error_summary *group[SS_FIT_STAGES]; /* [groups] owned */
  ss_fit_change change[SS_FIT_CONSTANTS][SS_FIT_WAYS];
  bool crossed;                /* sources have been left out, one after the other */
  ss_fit_left_out *left_out;   /* [sources] owned; where crossed */
  ss_error_summary left_whole; /* of all points, each with its source left out */
} ss_fit;

/* Makes room for the result of a fit, all zero. Plan and points are borrowed. SS_ERROR_MEMORY. Release with ss_fit_free
 * in any case. */
ss_status ss_fit_init(ss_fit *fit, const ss_fit_plan *plan, const ss_fit_points *points, ss_error *error);

/* Releases the result; zeroed is fine. */
void ss_fit_free(ss_fit *fit);

/* Whether a fitted constant is on its lower (SS_FIT_LOWER) or upper bound, up to the tolerance of the search: the fit
 * might be better beyond it. */
#define SS_FIT_TOLERANCE 1e-3 /* of the coordinates */
bool ss_fit_is_on_bound(const ss_fit *fit, int64_t constant, int way);

/* Whether changing the constant changed no prediction. False for a constant of 0, which cannot change by a tenth. */
bool ss_fit_is_idle(const ss_fit *fit, int64_t constant);

#endif
