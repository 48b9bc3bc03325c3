#include "model/result/trials.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/statistics.h"

static double quantile(const double *sorted, int64_t count, double q)
{
  const double at = q * (double)(count - 1);
  const int64_t below = (int64_t)floor(at);
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Deviations from the shortest, so that equal times have none. */
static void fill_moments(ss_trials *trials, double least_s)
{
  const double count = (double)trials->count;
  double sum_s = 0.0, squares = 0.0;
  for (int64_t i = 0; i < trials->count; ++i) sum_s += trials->iteration_s[i] - least_s;
  const double mean_s = sum_s / count;
  for (int64_t i = 0; i < trials->count; ++i) squares += pow(trials->iteration_s[i] - least_s - mean_s, 2.0);
  trials->mean_s = least_s + mean_s;
  trials->std_s = trials->count > 1 ? sqrt(squares / (count - 1.0)) : 0.0;
}

static void fill_bars(ss_trials *trials)
{
  const double range_s = trials->max_s - trials->min_s;
  for (int64_t i = 0; i < trials->count; ++i) {
    const double share = range_s > 0.0 ? (trials->iteration_s[i] - trials->min_s) / range_s : 0.0;
    const int64_t bar = (int64_t)(share * SS_TRIALS_BARS);
    trials->bar[bar < SS_TRIALS_BARS ? bar : SS_TRIALS_BARS - 1]++;
  }
}

static ss_status fill_times(ss_trials *trials, const ss_trial *trial)
{
  const size_t size = (size_t)trials->count * sizeof *trials->iteration_s;
  double *sorted = malloc(size);
  trials->iteration_s = malloc(size);
  if (sorted == NULL || trials->iteration_s == NULL) {
    free(sorted);
    return SS_ERROR_MEMORY;
  }
  for (int64_t i = 0; i < trials->count; ++i) trials->iteration_s[i] = trial[i].iteration_s;
  memcpy(sorted, trials->iteration_s, size);
  ss_sort_values(sorted, trials->count);
  trials->min_s = sorted[0];
  trials->max_s = sorted[trials->count - 1];
  trials->p5_s = quantile(sorted, trials->count, 0.05);
  trials->p50_s = quantile(sorted, trials->count, 0.5);
  trials->p95_s = quantile(sorted, trials->count, 0.95);
  free(sorted);
  fill_moments(trials, trials->min_s);
  fill_bars(trials);
  return SS_OK;
}

static bool is_place(const ss_critical_path_leg *leg)
{
  return leg->from_stage == leg->to_stage && leg->replica != SS_PATH_ALL_REPLICAS;
}

static void add_leg(ss_pacer *places, int64_t *count, const ss_critical_path_leg *leg, bool longest)
{
  int64_t i = 0;
  while (i < *count && places[i].gpu != leg->gpu) ++i;
  if (i == *count) places[(*count)++] = (ss_pacer){.gpu = leg->gpu, .stage = leg->from_stage, .replica = leg->replica};
  places[i].time_s += leg->time_s;
  places[i].trials += longest;
}

static void add_path(ss_pacer *places, int64_t *count, const ss_critical_path *path)
{
  const ss_critical_path_leg *longest = NULL;
  for (int64_t i = 0; i < path->legs; ++i)
    if (is_place(&path->leg[i]) && (longest == NULL || path->leg[i].time_s > longest->time_s)) longest = &path->leg[i];
  for (int64_t i = 0; i < path->legs; ++i)
    if (is_place(&path->leg[i])) add_leg(places, count, &path->leg[i], &path->leg[i] == longest);
}

/* The longest first; of equals the first GPU. */
static int compare_places(const void *a, const void *b)
{
  const ss_pacer *x = a, *y = b;
  if (x->time_s != y->time_s) return x->time_s > y->time_s ? -1 : 1;
  return (x->gpu > y->gpu) - (x->gpu < y->gpu);
}

static ss_status fill_pacers(ss_trials *trials, const ss_trial *trial)
{
  int64_t count = 0;
  ss_pacer *places = calloc((size_t)trials->count * SS_PATH_LEGS, sizeof *places);
  if (places == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < trials->count; ++i) add_path(places, &count, &trial[i].path);
  if (count > 0) qsort(places, (size_t)count, sizeof *places, compare_places);
  trials->pacers = count < SS_PACERS ? count : SS_PACERS;
  memcpy(trials->pacer, places, (size_t)trials->pacers * sizeof *places);
  free(places);
  return SS_OK;
}

ss_status ss_trials_init(ss_trials *trials, const ss_trial *trial, int64_t count)
{
  *trials = (ss_trials){.count = count};
  SS_ASSERT(count > 0);
  const ss_status status = fill_times(trials, trial);
  return status == SS_OK ? fill_pacers(trials, trial) : status;
}

void ss_trials_free(ss_trials *trials)
{
  free(trials->iteration_s);
  trials->iteration_s = NULL;
}
