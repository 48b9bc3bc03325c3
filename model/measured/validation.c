#include "model/measured/validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ss_validation_error(const ss_validation *validation, int64_t point, ss_predictor predictor)
{
  if (validation->measured->point[point].limit != SS_LIMIT_NONE) return NAN;
  return ss_relative_error(validation->predicted[point].time_s[predictor],
                           validation->measured->point[point].measured_s);
}

bool ss_validation_keeps(const ss_validation *validation, int64_t point, ss_predictor predictor)
{
  const ss_measured_point *measured = &validation->measured->point[point];
  const double time_s = validation->predicted[point].time_s[predictor];
  return measured->limit == SS_LIMIT_AT_LEAST ? time_s >= measured->measured_s : time_s <= measured->measured_s;
}

double ss_validation_memory_error(const ss_validation *validation, int64_t point)
{
  return ss_relative_error(validation->predicted[point].memory_bytes, validation->measured->point[point].memory_bytes);
}

bool ss_validation_exceeds(const ss_validation *validation, int64_t group, ss_predictor predictor)
{
  /* without a bound (NaN) or a mean (NaN), nothing exceeds */
  return validation->group[group].time[predictor].mean_absolute > validation->measured->group[group].bound;
}

bool ss_validation_regrets(const ss_validation *validation, int64_t group, ss_predictor predictor)
{
  return validation->regrets.group[group].mean[predictor] > validation->measured->group[group].regret_bound;
}

ss_status ss_validation_init(ss_validation *validation, const ss_measured *measured, ss_error *error)
{
  const size_t points = (size_t)measured->points + 1, groups = (size_t)measured->groups + 1;
  *validation = (ss_validation){.measured = measured,
                                .predicted = calloc(points, sizeof *validation->predicted),
                                .group = calloc(groups, sizeof *validation->group),
                                .kind = calloc(points, sizeof *validation->kind),
                                .sweep = calloc(points, sizeof *validation->sweep)};
  if (validation->predicted != NULL && validation->group != NULL && validation->kind != NULL &&
      validation->sweep != NULL)
    return SS_OK;
  ss_validation_free(validation);
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for predictions");
}

void ss_validation_free(ss_validation *validation)
{
  free(validation->predicted);
  free(validation->group);
  free(validation->kind);
  free(validation->sweep);
  ss_regrets_free(&validation->regrets);
  *validation = (ss_validation){.measured = NULL};
}

/* Lists with one value for each point that counts. */
typedef struct columns {
  int64_t *point, count;
  double *error, *predicted, *measured; /* all [points] */
} columns;

static bool columns_init(columns *c, int64_t points)
{
  const size_t count = (size_t)points + 1;
  *c = (columns){.point = malloc(count * sizeof *c->point),
                 .error = malloc(count * sizeof *c->error),
                 .predicted = malloc(count * sizeof *c->predicted),
                 .measured = malloc(count * sizeof *c->measured)};
  return c->point != NULL && c->error != NULL && c->predicted != NULL && c->measured != NULL;
}

static void columns_free(columns *c)
{
  free(c->point);
  free(c->error);
  free(c->predicted);
  free(c->measured);
}

static void count_limit(const ss_validation *validation, int64_t point, ss_validated *v)
{
  ++v->limits;
  for (int i = 0; i < SS_PREDICTORS; ++i) v->kept[i] += ss_validation_keeps(validation, point, (ss_predictor)i);
}

/* Whether a point is one of `v`, by its name: that of a sweep, or of a kind of jobs. */
static bool is_named(const ss_validation *validation, const ss_validated *v, int64_t point)
{
  char name[SS_NAME_SIZE];
  if (v->name[0] == '\0') return true;
  if (v->group >= 0) return strcmp(validation->measured->point[point].sweep, v->name) == 0;
  if (!ss_measured_is_iteration(validation->measured, point)) return false;
  ss_likeness_name(&validation->predicted[point].likeness, name);
  return strcmp(name, v->name) == 0;
}

bool ss_validated_has(const ss_validation *validation, const ss_validated *v, ss_measured_kind kind, int64_t point)
{
  const ss_measured *measured = validation->measured;
  const int64_t group = measured->point[point].group;
  const bool inside = v->group >= 0 ? group == v->group : measured->group[group].kind == kind;
  return inside && is_named(validation, v, point);
}

/* The points that `v` is about. */
static void select_points(const ss_validation *validation, ss_measured_kind kind, ss_validated *v, columns *c)
{
  const ss_measured *measured = validation->measured;
  c->count = v->unused = v->limits = 0;
  memset(v->kept, 0, sizeof v->kept);
  for (int64_t i = 0; i < measured->points; ++i) {
    const ss_measured_point *point = &measured->point[i];
    if (!ss_validated_has(validation, v, kind, i)) continue;
    if (!point->used)
      v->unused++;
    else if (point->limit == SS_LIMIT_NONE)
      c->point[c->count++] = i;
    else
      count_limit(validation, i, v);
  }
}

static ss_status sum_memory(const ss_validation *validation, ss_validated *v, columns *c)
{
  int64_t known = 0;
  for (int64_t i = 0; i < c->count; ++i) {
    const double error = ss_validation_memory_error(validation, c->point[i]);
    if (!isnan(error)) c->error[known++] = error;
  }
  return ss_error_summarise(c->error, known, &v->memory);
}

static ss_status sum(const ss_validation *validation, ss_measured_kind kind, ss_validated *v, columns *c)
{
  ss_status status = SS_OK;
  select_points(validation, kind, v, c);
  for (int predictor = 0; status == SS_OK && predictor < SS_PREDICTORS; ++predictor) {
    for (int64_t i = 0; i < c->count; ++i) {
      c->error[i] = ss_validation_error(validation, c->point[i], (ss_predictor)predictor);
      c->predicted[i] = validation->predicted[c->point[i]].time_s[predictor];
      c->measured[i] = validation->measured->point[c->point[i]].measured_s;
    }
    status = ss_error_summarise(c->error, c->count, &v->time[predictor]);
    v->worst[predictor] = c->count > 0 ? c->point[v->time[predictor].worst_index] : -1;
    v->correlation[predictor] = ss_rank_correlation(c->predicted, c->measured, c->count);
  }
  return status == SS_OK ? sum_memory(validation, v, c) : status;
}

static bool is_listed(const ss_validation *validation, const ss_measured_point *point)
{
  for (int64_t i = 0; i < validation->sweeps; ++i) {
    const ss_validated *sweep = &validation->sweep[i];
    if (sweep->group == point->group && strcmp(sweep->name, point->sweep) == 0) return true;
  }
  return false;
}

/* Lists each sweep once, and drops those with fewer than two points. */
static ss_status sum_sweeps(ss_validation *validation, columns *c)
{
  const ss_measured *measured = validation->measured;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < measured->points; ++i) {
    const ss_measured_point *point = &measured->point[i];
    if (!point->used || point->sweep[0] == '\0' || is_listed(validation, point)) continue;
    ss_validated *sweep = &validation->sweep[validation->sweeps];
    *sweep = (ss_validated){.group = point->group};
    (void)snprintf(sweep->name, sizeof sweep->name, "%s", point->sweep);
    status = sum(validation, measured->group[point->group].kind, sweep, c);
    if (c->count >= 2) validation->sweeps++;
  }
  return status;
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const ss_validated *)a)->name, ((const ss_validated *)b)->name);
}

static bool has_kind(const ss_validation *validation, const char *name)
{
  for (int64_t i = 0; i < validation->kinds; ++i)
    if (strcmp(validation->kind[i].name, name) == 0) return true;
  return false;
}

static ss_status sum_kinds(ss_validation *validation, columns *c)
{
  ss_status status = SS_OK;
  validation->kinds = 0;
  for (int64_t i = 0; status == SS_OK && i < validation->measured->points; ++i) {
    ss_validated *kind = &validation->kind[validation->kinds];
    if (!ss_measured_is_iteration(validation->measured, i)) continue;
    *kind = (ss_validated){.group = -1};
    ss_likeness_name(&validation->predicted[i].likeness, kind->name);
    if (has_kind(validation, kind->name)) continue;
    status = sum(validation, SS_MEASURED_ITERATIONS, kind, c);
    validation->kinds++;
  }
  qsort(validation->kind, (size_t)validation->kinds, sizeof *validation->kind, compare_names);
  return status;
}

ss_status ss_validation_sum(ss_validation *validation, ss_error *error)
{
  const ss_measured *measured = validation->measured;
  columns c;
  ss_status status = columns_init(&c, measured->points) ? SS_OK : SS_ERROR_MEMORY;
  for (int64_t i = 0; status == SS_OK && i < measured->groups; ++i) {
    validation->group[i].group = i;
    status = sum(validation, measured->group[i].kind, &validation->group[i], &c);
  }
  for (int kind = 0; status == SS_OK && kind < SS_MEASURED_COUNT; ++kind) {
    validation->whole[kind].group = -1;
    status = sum(validation, (ss_measured_kind)kind, &validation->whole[kind], &c);
  }
  if (status == SS_OK) status = sum_kinds(validation, &c);
  validation->sweeps = 0;
  if (status == SS_OK) status = sum_sweeps(validation, &c);
  ss_regrets_free(&validation->regrets); /* of predictions before */
  if (status == SS_OK) status = ss_regrets_init(&validation->regrets, measured, validation->predicted);
  columns_free(&c);
  if (status == SS_OK) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for statistics");
}
