#include "model/measured/residuals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/statistics.h"

static const ss_residuals known[] = {
#define SS_RESIDUALS(publisher, gpu, bits, family, framework, scale, launcher, length, rows, ...)                      \
  {publisher,                                                                                                          \
   {gpu, bits, SS_FAMILY_##family, SS_FRAMEWORK_##framework, SS_SCALE_##scale, SS_LAUNCHER_##launcher,                 \
    SS_LENGTH_##length},                                                                                               \
   sizeof((int[]){__VA_ARGS__}) / sizeof(int),                                                                         \
   rows,                                                                                                               \
   {__VA_ARGS__}},
#include "model/measured/residuals.def"
};

const ss_residuals *ss_residuals_known(int64_t *count)
{
  *count = sizeof known / sizeof known[0];
  return known;
}

/* Whoever published a source: "NVIDIA" of "NVIDIA/dgxc-benchmarking@...", "arXiv 2104.04473" of "arXiv 2104.04473,
 * table 1". One who measures several times makes the same mistakes. */
static void publisher_of(const char *source, char publisher[SS_PUBLISHER_SIZE])
{
  size_t length = strcspn(source, "/@,;(");
  while (length > 0 && source[length - 1] == ' ') --length;
  if (length >= SS_PUBLISHER_SIZE) length = SS_PUBLISHER_SIZE - 1;
  memset(publisher, 0, SS_PUBLISHER_SIZE);
  memcpy(publisher, source, length);
}

static bool is_alike(const ss_residuals *a, const ss_residuals *b)
{
  const ss_likeness *x = &a->likeness, *y = &b->likeness;
  return strcmp(a->publisher, b->publisher) == 0 && strcmp(x->gpu, y->gpu) == 0 && x->bits == y->bits &&
         x->family == y->family && x->framework == y->framework && x->scale == y->scale && x->launcher == y->launcher &&
         x->length == y->length;
}

/* Whether others will be predicted with the constants of this point. */
static bool tells(const ss_measured *measured, const ss_predicted *predicted, int64_t point)
{
  return ss_measured_is_iteration(measured, point) && !predicted[point].sustains_own;
}

static ss_residuals row_of(const ss_measured *measured, const ss_predicted *predicted, int64_t point)
{
  ss_residuals row = {.likeness = predicted[point].likeness};
  publisher_of(measured->group[measured->point[point].group].source, row.publisher);
  return row;
}

/* Fills in the residuals of a row; `value` has room for all points. */
static void fill(const ss_measured *measured, const ss_predicted *predicted, ss_residuals *row, double *value)
{
  int64_t count = 0;
  for (int64_t i = 0; i < measured->points; ++i) {
    if (!tells(measured, predicted, i)) continue;
    const ss_residuals other = row_of(measured, predicted, i);
    if (is_alike(row, &other))
      value[count++] = log(measured->point[i].measured_s / predicted[i].time_s[SS_PREDICTOR_SIMULATION]);
  }
  ss_sort_values(value, count);
  row->rows = count;
  row->kept = count < SS_RESIDUALS_KEPT ? (int)count : SS_RESIDUALS_KEPT;
  for (int i = 0; i < row->kept; ++i)
    row->permille[i] = (int)lround(1000.0 * value[(2 * (int64_t)i + 1) * count / (2 * (int64_t)row->kept)]);
}

static int64_t find(const ss_residuals *list, int64_t count, const ss_residuals *row)
{
  int64_t i = 0;
  while (i < count && !is_alike(&list[i], row)) ++i;
  return i;
}

ss_residuals *ss_residuals_of(const ss_measured *measured, const ss_predicted *predicted, int64_t *count)
{
  ss_residuals *list = malloc(((size_t)measured->points + 1) * sizeof *list);
  double *value = malloc(((size_t)measured->points + 1) * sizeof *value);
  *count = 0;
  for (int64_t i = 0; list != NULL && value != NULL && i < measured->points; ++i) {
    if (!tells(measured, predicted, i)) continue;
    ss_residuals row = row_of(measured, predicted, i);
    if (find(list, *count, &row) < *count) continue;
    fill(measured, predicted, &row, value);
    list[(*count)++] = row;
  }
  if (value == NULL) {
    free(list);
    list = NULL;
  }
  free(value);
  return list;
}

double ss_residuals_distance(const ss_residuals *a, int64_t count_a, const ss_residuals *b, int64_t count_b)
{
  double distance = 0.0;
  if (count_a != count_b) return INFINITY;
  for (int64_t i = 0; i < count_a; ++i) {
    const int64_t same = find(b, count_b, &a[i]);
    if (same == count_b || b[same].rows != a[i].rows) return INFINITY;
    for (int j = 0; j < a[i].kept; ++j)
      distance = fmax(distance, 1e-3 * fabs((double)(a[i].permille[j] - b[same].permille[j])));
  }
  return distance;
}
