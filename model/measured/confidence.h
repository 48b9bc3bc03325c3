/* How sure a prediction is: an interval from the residuals of the measured iterations that are most like the job. */
#ifndef STEPSIM_MODEL_MEASURED_CONFIDENCE_H
#define STEPSIM_MODEL_MEASURED_CONFIDENCE_H

#include "model/input/calibration.h"
#include "model/measured/residuals.h"
#include "model/result/interval.h"

/* The interval of a job from residuals [count]. The rows that it is from agree with the job in as much as two
 * publishers or more have measured, step by step: the same GPU, number format, family and scale; any scale; the same
 * generation of GPUs and family, in any format; the same family; all. Where the job names its software, each of these
 * steps is first tried with rows of the same kind of software. Rows that were predicted with
 * an eager host are left out for a job without one, which may be one that launches would slow. A job with long
 * sequences (SS_LENGTH_LIST) is like rows of these only. Rows of long ones stay with the others for the rest, whose
 * intervals hold less than they promise without them (docs/accuracy.md).
 *
 * A platform that is not fitted to measurements has rows of its own GPU or none. They are of fitted constants: their
 * quantiles keep their distances, and lie around what predictions of that GPU without a fit were off by in the mean
 * (ss_unfitted) instead of around their median, and reach as far as groups of iterations were off then. A GPU of
 * which that is not known has no interval.
 *
 * Publishers count alike, however much they measured, as the next one differs from them by as much as they from each
 * other: quantiles of the pooled distributions (Dunn, Wasserman and Ramdas, Distribution-free prediction sets for
 * two-layer hierarchical models, JASA 2022). The distances of the 10 % and 90 % quantiles from the median are then made
 * larger by the one factor with which such intervals, each without the rows of the publisher it is for, contain 80 % of
 * all measured iterations: a conformal score scaled by the local spread (Lei et al., Distribution-free predictive
 * inference for regression, JASA 2018, section 5.2). */
ss_interval ss_interval_of(const ss_residuals *known, int64_t count, const ss_likeness *job, ss_kernels kernels);

/* How many of its measured iterations are inside of the intervals that come of all others' rows. */
typedef struct ss_coverage {
  char publisher[SS_PUBLISHER_SIZE];
  int64_t rows;
  double share, width; /* the mean ratio of both ends */
} ss_coverage;

enum { SS_PUBLISHERS_MAX = 64 };

/* How well residuals [count] cover each other. Fills `coverage` [SS_PUBLISHERS_MAX] with a row for each publisher. With
 * `named`, the jobs say their software. Returns how many there are. */
int64_t ss_interval_coverage(const ss_residuals *known, int64_t count, bool named, ss_coverage *coverage);

#endif
