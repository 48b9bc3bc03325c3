#include "model/measured/regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/statistics.h"
#include "model/input/workload.h"

/* Predictions this close are equal. */
#define EQUAL 1e-9

/* A strategy of the rivals at hand. */
typedef struct strategy {
  int64_t point;         /* the first of its points */
  int64_t times;         /* how often it was measured */
  double measured_sum_s; /* over these */
} strategy;

/* The rivals that are being listed. */
typedef struct listing {
  const ss_measured *measured;
  const ss_predicted *predicted;
  strategy *strategy; /* [measured->points] owned */
  int64_t strategies;
  bool *listed;  /* [measured->points] points that are among rivals already; owned */
  double *a, *b; /* [measured->points] owned */
} listing;

static bool is_equal(const ss_workload *a, const ss_workload *b, int index)
{
  static const size_t sizes[] = {[SS_ATTRIBUTE_COUNT] = sizeof(int64_t),
                                 [SS_ATTRIBUTE_REAL] = sizeof(double),
                                 [SS_ATTRIBUTE_CHOICE] = sizeof(int),
                                 [SS_ATTRIBUTE_SET] = sizeof(ss_word_set)};
  const ss_attribute *row = &ss_workload_attributes()[index];
  const char *x = (const char *)a + row->offset, *y = (const char *)b + row->offset;
  return row->type == SS_ATTRIBUTE_TEXT ? strcmp(x, y) == 0 : memcmp(x, y, sizes[row->type]) == 0;
}

/* Whether rivals have this in common. Each pads or cuts the vocabulary to what its ranks can share out. */
static bool is_of_task(int index)
{
  if (index == SS_AT_model_name || index == SS_AT_model_vocabulary) return false;
  if (index == SS_AT_training_global_batch || index == SS_AT_training_precision) return true;
  return strcmp(ss_workload_attributes()[index].element, "model") == 0;
}

/* Whether they set the same beyond their group: properties of a machine, or of its software, which no strategy has. */
static bool have_same_settings(const ss_measured_point *a, const ss_measured_point *b)
{
  const int64_t count = a->own != NULL ? a->own->count : 0;
  bool same = count == (b->own != NULL ? b->own->count : 0);
  for (int64_t i = 0; same && i < count; ++i) same = strcmp(a->own->setting[i].text, b->own->setting[i].text) == 0;
  return same;
}

/* Whether two points are for the same task; or, with all attributes, whether they are the same. */
static bool is_alike(const ss_measured_point *a, const ss_measured_point *b, bool all)
{
  if (ss_workload_gpus(a->workload) != ss_workload_gpus(b->workload) || strcmp(a->platform, b->platform) != 0 ||
      !have_same_settings(a, b))
    return false;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
    if (i != SS_AT_model_name && (all || is_of_task(i)) && !is_equal(a->workload, b->workload, i)) return false;
  return true;
}

static void add_point(listing *l, int64_t point)
{
  const ss_measured_point *added = &l->measured->point[point];
  int64_t i = 0;
  while (i < l->strategies && !is_alike(&l->measured->point[l->strategy[i].point], added, true)) ++i;
  if (i == l->strategies) l->strategy[l->strategies++] = (strategy){.point = point};
  l->strategy[i].times++;
  l->strategy[i].measured_sum_s += added->measured_s;
  l->listed[point] = true;
}

static bool can_be_listed(const listing *l, int64_t point)
{
  return ss_measured_is_iteration(l->measured, point) && !l->listed[point];
}

/* Lists the strategies for the task of a point, which begins the list. */
static void list_strategies(listing *l, int64_t first)
{
  const ss_measured_point *point = l->measured->point;
  const ss_measured_group *group = &l->measured->group[point[first].group];
  l->strategies = 0;
  for (int64_t i = first; i < group->first + group->count; ++i)
    if (can_be_listed(l, i) && is_alike(&point[first], &point[i], false)) add_point(l, i);
}

static double measured_s(const strategy *s)
{
  return s->measured_sum_s / (double)s->times;
}

static double predicted_s(const listing *l, int64_t i, int predictor)
{
  return l->predicted[l->strategy[i].point].time_s[predictor];
}

static void choose(const listing *l, int predictor, double best_s, ss_rivals *rivals)
{
  double least_s = INFINITY, sum_s = 0.0;
  int64_t equals = 0;
  for (int64_t i = 0; i < l->strategies; ++i) least_s = fmin(least_s, predicted_s(l, i, predictor));
  for (int64_t i = 0; i < l->strategies; ++i) {
    l->a[i] = predicted_s(l, i, predictor);
    l->b[i] = measured_s(&l->strategy[i]);
    if (l->a[i] > least_s * (1.0 + EQUAL)) continue;
    if (equals++ == 0) rivals->chosen[predictor] = l->strategy[i].point;
    sum_s += l->b[i];
  }
  rivals->regret[predictor] = sum_s / (double)equals / best_s - 1.0;
  rivals->correlation[predictor] = ss_rank_correlation(l->a, l->b, l->strategies);
}

static ss_rivals compare(const listing *l)
{
  int64_t best = 0;
  for (int64_t i = 1; i < l->strategies; ++i)
    if (measured_s(&l->strategy[i]) < measured_s(&l->strategy[best])) best = i;
  ss_rivals rivals = {.group = l->measured->point[l->strategy[0].point].group,
                      .strategies = l->strategies,
                      .best = l->strategy[best].point};
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor)
    choose(l, predictor, measured_s(&l->strategy[best]), &rivals);
  return rivals;
}

/* Sums up the rivals of a group; of all where it is -1. */
static ss_regret sum(const ss_regrets *regrets, int64_t group)
{
  ss_regret s = {.rivals = 0};
  for (int64_t i = 0; i < regrets->count; ++i) {
    if (group >= 0 && regrets->rivals[i].group != group) continue;
    s.rivals++;
    s.strategies += regrets->rivals[i].strategies;
  }
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    double regret = 0.0, correlation = 0.0, correlations = 0.0, worst = -1.0;
    s.worst_rivals[predictor] = -1;
    for (int64_t i = 0; i < regrets->count; ++i) {
      const ss_rivals *rivals = &regrets->rivals[i];
      if (group >= 0 && rivals->group != group) continue;
      regret += rivals->regret[predictor];
      if (rivals->regret[predictor] > worst) s.worst_rivals[predictor] = i;
      worst = fmax(worst, rivals->regret[predictor]);
      if (isnan(rivals->correlation[predictor])) continue;
      correlation += rivals->correlation[predictor];
      correlations += 1.0;
    }
    s.mean[predictor] = s.rivals > 0 ? regret / (double)s.rivals : NAN;
    s.worst[predictor] = s.rivals > 0 ? worst : NAN;
    s.correlation[predictor] = correlations > 0.0 ? correlation / correlations : NAN;
  }
  return s;
}

static bool listing_init(listing *l, const ss_measured *measured, const ss_predicted *predicted)
{
  const size_t points = (size_t)measured->points + 1;
  *l = (listing){.measured = measured,
                 .predicted = predicted,
                 .strategy = malloc(points * sizeof *l->strategy),
                 .listed = calloc(points, sizeof *l->listed),
                 .a = malloc(points * sizeof *l->a),
                 .b = malloc(points * sizeof *l->b)};
  return l->strategy != NULL && l->listed != NULL && l->a != NULL && l->b != NULL;
}

static void listing_free(listing *l)
{
  free(l->strategy);
  free(l->listed);
  free(l->a);
  free(l->b);
}

ss_status ss_regrets_init(ss_regrets *regrets, const ss_measured *measured, const ss_predicted *predicted)
{
  listing l;
  *regrets = (ss_regrets){.rivals = malloc(((size_t)measured->points + 1) * sizeof *regrets->rivals),
                          .group = malloc(((size_t)measured->groups + 1) * sizeof *regrets->group)};
  const bool room = listing_init(&l, measured, predicted) && regrets->rivals != NULL && regrets->group != NULL;
  for (int64_t i = 0; room && i < measured->points; ++i) {
    if (!can_be_listed(&l, i)) continue;
    list_strategies(&l, i);
    if (l.strategies >= 2) regrets->rivals[regrets->count++] = compare(&l);
  }
  for (int64_t i = 0; room && i < measured->groups; ++i) regrets->group[i] = sum(regrets, i);
  if (room) regrets->whole = sum(regrets, -1);
  listing_free(&l);
  return room ? SS_OK : SS_ERROR_MEMORY;
}

void ss_regrets_free(ss_regrets *regrets)
{
  free(regrets->rivals);
  free(regrets->group);
  *regrets = (ss_regrets){.count = 0};
}
