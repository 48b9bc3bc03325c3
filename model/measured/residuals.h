/* Residuals: how much longer than predicted measured iterations took, as a table that the program has, and as what
 * predictions of measurements come to today. */
#ifndef STEPSIM_MODEL_MEASURED_RESIDUALS_H
#define STEPSIM_MODEL_MEASURED_RESIDUALS_H

#include "model/measured/likeness.h"
#include "model/measured/measured.h"
#include "model/measured/predicted.h"

enum { SS_RESIDUALS_KEPT = 20, SS_PUBLISHER_SIZE = 32 };

/* Iterations that one publisher measured, which are alike. */
typedef struct ss_residuals {
  char publisher[SS_PUBLISHER_SIZE];
  ss_likeness likeness;
  int kept;                        /* residuals: of all its iterations, or so many quantiles, evenly spread */
  int64_t rows;                    /* iterations */
  int permille[SS_RESIDUALS_KEPT]; /* of the natural logarithm of measured over replayed, ascending */
} ss_residuals;

/* The table of model/measured/residuals.def: `count` rows; static. */
const ss_residuals *ss_residuals_known(int64_t *count);

/* Works the rows out from the predictions [measured->points] of measurements, in the order of the points. `count` rows,
 * owned by the caller; NULL if memory runs out. */
ss_residuals *ss_residuals_of(const ss_measured *measured, const ss_predicted *predicted, int64_t *count);

/* By how much two lists of rows differ: the largest difference of two residuals, as a fraction; infinite where one has
 * a row that the other lacks, or more iterations. */
double ss_residuals_distance(const ss_residuals *a, int64_t count_a, const ss_residuals *b, int64_t count_b);

#endif
