#include "model/measured/confidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By how much quantiles are moved away from the median: `stepsim validate --coverage` shows what comes of it. */
#define WIDER 1.7
/* Identical configurations differ by at least this, as a logarithm (validation/README.md: by 2 to 6.5 %). */
#define LEAST_SPREAD 0.01
/* Fewer than this many publishers do not show how much they differ. */
#define LEAST_PUBLISHERS 2

enum {
  LIKE_GPU = 1,
  LIKE_GENERATION = 2,
  LIKE_BITS = 4,
  LIKE_FAMILY = 8,
  LIKE_SCALE = 16,
  LIKE_FRAMEWORK = 32,
};

static const unsigned steps[] = {LIKE_GPU | LIKE_BITS | LIKE_FAMILY | LIKE_SCALE, LIKE_GPU | LIKE_BITS | LIKE_FAMILY,
                                 LIKE_GENERATION | LIKE_FAMILY, LIKE_FAMILY, 0};
enum { STEPS = sizeof steps / sizeof steps[0] };

/* Where neighbours are looked for. */
typedef struct pool {
  const ss_residuals *known; /* [count] */
  int64_t count;
  const char *without; /* the publisher whose rows are left out; NULL: none */
} pool;

/* Rows that agree with a job. */
typedef struct neighbours {
  const ss_residuals *row[512];
  int64_t count, rows, publishers;
} neighbours;

/* A residual and what it counts. */
typedef struct sample {
  double value, weight;
} sample;

static bool has_generation(const ss_likeness *a, const ss_likeness *b)
{
  const char *generation = ss_gpu_generation(a->gpu);
  if (strcmp(a->gpu, b->gpu) == 0) return true;
  return generation[0] != '\0' && strcmp(generation, ss_gpu_generation(b->gpu)) == 0;
}

/* Whether a row is like a job. One that was predicted with a host never is where the job has none: there, what its host
 * takes would be on top, unless sequences are long, whose kernels outlast their launches. A job with long ones is like
 * nothing else. */
static bool agrees(const ss_likeness *job, const ss_likeness *row, unsigned common)
{
  return (job->length == SS_LENGTH_SHORT || row->length == SS_LENGTH_LONG) &&
         (job->launcher == SS_LAUNCHER_HOST || row->launcher == SS_LAUNCHER_GRAPHS || job->length == SS_LENGTH_LONG) &&
         ((common & LIKE_GPU) == 0 || strcmp(job->gpu, row->gpu) == 0) &&
         ((common & LIKE_GENERATION) == 0 || has_generation(job, row)) &&
         ((common & LIKE_BITS) == 0 || job->bits == row->bits) &&
         ((common & LIKE_FAMILY) == 0 || job->family == row->family) &&
         ((common & LIKE_SCALE) == 0 || job->scale == row->scale) &&
         ((common & LIKE_FRAMEWORK) == 0 || job->framework == row->framework);
}

static void gather(const pool *p, const ss_likeness *job, unsigned common, neighbours *n)
{
  n->count = n->rows = n->publishers = 0;
  for (int64_t i = 0; i < p->count; ++i) {
    const ss_residuals *row = &p->known[i];
    if (!agrees(job, &row->likeness, common)) continue;
    if (p->without != NULL && strcmp(row->publisher, p->without) == 0) continue;
    bool seen = false;
    for (int64_t j = 0; j < n->count; ++j) seen = seen || strcmp(n->row[j]->publisher, row->publisher) == 0;
    n->publishers += !seen;
    n->rows += row->rows;
    SS_ASSERT(n->count < (int64_t)(sizeof n->row / sizeof n->row[0]));
    n->row[n->count++] = row;
  }
}

static int compare(const void *a, const void *b)
{
  const double x = ((const sample *)a)->value, y = ((const sample *)b)->value;
  return (x > y) - (x < y);
}

/* What a kept residual of a row counts, where every publisher counts 1. */
static double weight_of(const neighbours *n, const ss_residuals *row)
{
  int64_t rows = 0;
  for (int64_t i = 0; i < n->count; ++i)
    if (strcmp(n->row[i]->publisher, row->publisher) == 0) rows += n->row[i]->rows;
  return (double)row->rows / (double)row->kept / (double)rows;
}

/* The smallest residual that at least a `share` do not exceed. */
static double quantile(const sample *list, int64_t count, double share)
{
  double all = 0.0, below = 0.0;
  int64_t i = 0;
  for (int64_t j = 0; j < count; ++j) all += list[j].weight;
  while (i < count - 1 && (below += list[i].weight) < share * all * (1.0 - 1e-9)) ++i;
  return list[i].value;
}

/* Logarithms of the ends around the median, which is returned. What was off without a fit, if anything, is in the
 * median's place, and its groups are inside. */
static double find_ends(const neighbours *n, const ss_unfitted *unfitted, double ends[2])
{
  static const double tail = 0.5 * (1.0 - SS_INTERVAL_SHARE);
  sample list[(sizeof n->row / sizeof n->row[0]) * SS_RESIDUALS_KEPT];
  int64_t count = 0;
  for (int64_t i = 0; i < n->count; ++i)
    for (int j = 0; j < n->row[i]->kept; ++j)
      list[count++] = (sample){1e-3 * n->row[i]->permille[j], weight_of(n, n->row[i])};
  SS_ASSERT(count > 0);
  qsort(list, (size_t)count, sizeof *list, compare);
  const double median = quantile(list, count, 0.5);
  const double centre = unfitted != NULL ? -log1p(unfitted->error) : median;
  ends[0] = centre - WIDER * fmax(median - quantile(list, count, tail), LEAST_SPREAD);
  ends[1] = centre + WIDER * fmax(quantile(list, count, 1.0 - tail) - median, LEAST_SPREAD);
  if (unfitted == NULL) return median;
  ends[0] = fmin(ends[0], -log1p(unfitted->least));
  ends[1] = fmax(ends[1], -log1p(unfitted->most));
  return median;
}

/* The first step with enough publishers; what its rows have in common. False where there is none. Constants that are
 * not fitted have errors of their own: rows of other GPUs say nothing of these. */
static bool choose(const pool *p, const ss_likeness *job, bool fitted, neighbours *n, unsigned *common)
{
  const int first = job->framework != SS_FRAMEWORK_ANY ? 0 : STEPS;
  for (int i = first; i < 2 * STEPS; ++i) {
    *common = steps[i % STEPS] | (i < STEPS ? LIKE_FRAMEWORK : 0u);
    if (!fitted && (*common & LIKE_GPU) == 0) continue;
    gather(p, job, *common, n);
    if (n->publishers >= LEAST_PUBLISHERS) return true;
  }
  return false;
}

/* What precedes the words for a length, of which short ones have none. */
static const char *comma(ss_length length)
{
  return length != SS_LENGTH_SHORT ? ", " : "";
}

static void describe(const ss_likeness *job, unsigned common, char text[SS_TEXT_SIZE])
{
  const char *generation = ss_gpu_generation(job->gpu);
  const char *gpu = (common & LIKE_GPU) != 0 || generation[0] == '\0' ? job->gpu : generation;
  char bits[16] = "";
  const bool on = (common & (LIKE_GPU | LIKE_GENERATION)) != 0;
  if ((common & LIKE_BITS) != 0) (void)snprintf(bits, sizeof bits, ", %d-bit", job->bits);
  (void)snprintf(text, SS_TEXT_SIZE, "%s%s%s%s%s%s%s%s%s%s%s", on ? "on " : "on any GPU", on ? gpu : "", bits,
                 (common & LIKE_FAMILY) != 0 ? ", " : "",
                 (common & LIKE_FAMILY) != 0 ? ss_family_text(job->family) : "", (common & LIKE_SCALE) != 0 ? ", " : "",
                 (common & LIKE_SCALE) != 0 ? ss_scale_text(job->scale) : "",
                 (common & LIKE_FRAMEWORK) != 0 ? ", " : "",
                 (common & LIKE_FRAMEWORK) != 0 ? ss_framework_text(job->framework) : "", comma(job->length),
                 ss_length_text(job->length));
}

/* Why there is no interval; empty where there may be one. */
static void say_unknown(bool known, bool found, ss_length length, char text[SS_TEXT_SIZE])
{
  text[0] = '\0';
  if (!known)
    (void)snprintf(text, SS_TEXT_SIZE, "the platform is not fitted, and what that means on its GPU was not measured");
  else if (!found)
    (void)snprintf(text, SS_TEXT_SIZE, "fewer than %d publishers measured anything like it%s%s", LEAST_PUBLISHERS,
                   comma(length), ss_length_text(length));
}

ss_interval ss_interval_of(const ss_residuals *known, int64_t count, const ss_likeness *job, ss_kernels kernels)
{
  const pool all = {.known = known, .count = count};
  const bool fitted = kernels == SS_KERNELS_FITTED;
  const ss_unfitted *unfitted = ss_unfitted_find(kernels, job->gpu);
  neighbours n;
  unsigned common;
  double ends[2];
  ss_interval interval = {.low = NAN, .high = NAN};
  say_unknown(fitted || unfitted != NULL, choose(&all, job, fitted, &n, &common), job->length, interval.like);
  if (interval.like[0] != '\0') return interval;
  const double median = find_ends(&n, unfitted, ends);
  interval.low = exp(ends[0]);
  interval.high = exp(ends[1]);
  interval.middle = unfitted == NULL ? exp(median) : 0.0;
  interval.rows = n.rows;
  interval.sources = n.publishers;
  describe(job, common, interval.like);
  if (unfitted == NULL) return interval;
  const size_t used = strlen(interval.like);
  (void)snprintf(interval.like + used, sizeof interval.like - used,
                 ", around %.2f times the prediction, as they were without a fit", 1.0 / (1.0 + unfitted->error));
  return interval;
}

/* Adds what intervals from the pool make of a row. */
static void cover(const pool *p, const ss_residuals *row, bool named, ss_coverage *coverage)
{
  neighbours n;
  unsigned common;
  double ends[2], inside = 0.0;
  ss_likeness job = row->likeness;
  if (!named) job.framework = SS_FRAMEWORK_ANY;
  if (!choose(p, &job, true, &n, &common)) return;
  (void)find_ends(&n, NULL, ends);
  for (int i = 0; i < row->kept; ++i) {
    const double residual = 1e-3 * row->permille[i];
    inside += residual >= ends[0] && residual <= ends[1];
  }
  coverage->rows += row->rows;
  const double part = (double)row->rows / (double)coverage->rows;
  coverage->share += (inside / row->kept - coverage->share) * part;
  coverage->width += (exp(ends[1] - ends[0]) - coverage->width) * part;
}

int64_t ss_interval_coverage(const ss_residuals *known, int64_t count, bool named, ss_coverage *coverage)
{
  int64_t publishers = 0;
  for (int64_t i = 0; i < count; ++i) {
    const pool others = {known, count, known[i].publisher};
    int64_t j = 0;
    while (j < publishers && strcmp(coverage[j].publisher, known[i].publisher) != 0) ++j;
    SS_ASSERT(j < SS_PUBLISHERS_MAX);
    if (j == publishers) {
      coverage[publishers] = (ss_coverage){.rows = 0};
      memcpy(coverage[publishers++].publisher, known[i].publisher, SS_PUBLISHER_SIZE);
    }
    cover(&others, &known[i], named, &coverage[j]);
  }
  return publishers;
}
