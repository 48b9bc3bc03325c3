#include "sim/solver/minimum.h"

#include <math.h>
#include <nlopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* First steps of the coordinates. */
#define FIRST_STEP 0.2

/* How far a search has come. */
typedef struct descent {
  const ss_minimum_search *search;
  nlopt_opt solver;
  double *best; /* [search->count] */
  ss_minimum *minimum;
  ss_status status;
  ss_error *error;
} descent;

/* Keeps the best place itself: what the solver returns after a limit or an error depends on its version. */
static double evaluate(unsigned count, const double *at, double *gradient, void *data)
{
  descent *d = data;
  double value = INFINITY;
  (void)gradient;
  d->status = d->search->evaluate(d->search->context, at, &value, d->error);
  d->minimum->evaluations++;
  if (d->status != SS_OK) (void)nlopt_force_stop(d->solver);
  if (d->status == SS_OK && value < d->minimum->value) {
    d->minimum->value = value;
    memcpy(d->best, at, count * sizeof *at);
  }
  return value;
}

static bool set_up(descent *d)
{
  const ss_minimum_search *search = d->search;
  d->solver = nlopt_create(NLOPT_LN_SBPLX, (unsigned)search->count);
  return d->solver != NULL && nlopt_set_min_objective(d->solver, evaluate, d) == NLOPT_SUCCESS &&
         nlopt_set_lower_bounds1(d->solver, 0.0) == NLOPT_SUCCESS &&
         nlopt_set_upper_bounds1(d->solver, 1.0) == NLOPT_SUCCESS &&
         nlopt_set_initial_step1(d->solver, FIRST_STEP) == NLOPT_SUCCESS &&
         nlopt_set_xtol_abs1(d->solver, search->tolerance) == NLOPT_SUCCESS;
}

/* Whether two places are farther apart than the tolerance. */
static bool differ(const ss_minimum_search *search, const double *a, const double *b)
{
  for (int64_t i = 0; i < search->count; ++i)
    if (fabs(a[i] - b[i]) > search->tolerance) return true;
  return false;
}

/* Runs one search after the other, each from the best place of the one before, which is in `at`. */
static ss_status descend(descent *d, double *at, double *scratch)
{
  const ss_minimum_search *search = d->search;
  const size_t size = (size_t)search->count * sizeof *at;
  bool moved = true;
  while (moved && d->status == SS_OK && d->minimum->evaluations < search->limit) {
    double value;
    const int left = (int)(search->limit - d->minimum->evaluations);
    memcpy(scratch, at, size);
    if (nlopt_set_maxeval(d->solver, left) != NLOPT_SUCCESS) return SS_ERROR_MEMORY;
    if (nlopt_optimize(d->solver, scratch, &value) == NLOPT_OUT_OF_MEMORY) return SS_ERROR_MEMORY;
    moved = differ(search, at, d->best);
    memcpy(at, d->best, size);
  }
  return SS_OK;
}

ss_status ss_minimum_find(const ss_minimum_search *search, double *at, ss_minimum *minimum, ss_error *error)
{
  descent d = {.search = search, .minimum = minimum, .error = error};
  *minimum = (ss_minimum){.value = INFINITY};
  const size_t count = (size_t)search->count;
  d.best = malloc(2 * count * sizeof *d.best); /* the buffer of the solver */
  const bool ready = d.best != NULL && set_up(&d);
  if (ready) memcpy(d.best, at, count * sizeof *at);
  const ss_status status = ready ? descend(&d, at, d.best + count) : SS_ERROR_MEMORY;
  nlopt_destroy(d.solver);
  free(d.best);
  if (status != SS_OK) return ss_error_set(error, status, NULL, 0, "out of memory for a search");
  return d.status;
}
