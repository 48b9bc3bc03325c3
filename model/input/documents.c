#include "model/input/documents.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/base/number.h"
#include "model/input/workload.h"

#define SQRT_2PI 2.506628274631000502

static int compare(const void *a, const void *b)
{
  const int64_t x = ((const ss_documents_of_length *)a)->length, y = ((const ss_documents_of_length *)b)->length;
  return (x > y) - (x < y);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Lengths that increase, each with the documents and the tokens up to it. */
static void add_up(ss_document_list *list, const ss_documents_of_length *given, int64_t count)
{
  double documents = 0.0, tokens = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    const double length = (double)given[i].length;
    if (list->count == 0 || list->length[list->count - 1] != length) list->length[list->count++] = length;
    documents += (double)given[i].documents;
    tokens += (double)given[i].documents * length;
    list->documents[list->count - 1] = documents;
    list->tokens[list->count - 1] = tokens;
    list->step = common_divisor(given[i].length, list->step);
  }
  list->mean = tokens / documents;
  for (int64_t i = 0; i < list->count; ++i) {
    list->documents[i] /= documents;
    list->tokens[i] /= tokens;
  }
}

ss_document_list *ss_document_list_create(ss_documents_of_length *given, int64_t count)
{
  SS_ASSERT(count > 0);
  ss_document_list *list = calloc(1, sizeof *list);
  if (list == NULL) return NULL;
  list->length = malloc((size_t)count * sizeof *list->length);
  list->documents = malloc((size_t)count * sizeof *list->documents);
  list->tokens = malloc((size_t)count * sizeof *list->tokens);
  if (list->length == NULL || list->documents == NULL || list->tokens == NULL) {
    ss_document_list_destroy(list);
    return NULL;
  }
  qsort(given, (size_t)count, sizeof *given, compare);
  add_up(list, given, count);
  return list;
}

void ss_document_list_destroy(ss_document_list *list)
{
  if (list == NULL) return;
  free(list->length);
  free(list->documents);
  free(list->tokens);
  free(list);
}

/* A distribution of lengths. That of real ones is over a coordinate of its own: its length and density at a place, the
 * place of a length, and where what matters of it ends. */
typedef struct law {
  double (*mean)(const ss_workload *w);
  double (*step)(const ss_workload *w);
  double (*expect)(const ss_workload *w, ss_of_length number, const ss_bends *bends);
  double (*length)(const ss_workload *w, double place);
  double (*place)(const ss_workload *w, double length);
  double (*density)(double place);
  double first, last, last_per_sigma;
} law;

static double of_mean(const ss_workload *w, double place)
{
  return w->training.document_mean * place;
}

static double in_means(const ss_workload *w, double length)
{
  return length / w->training.document_mean;
}

static double half(double place)
{
  (void)place;
  return 0.5;
}

static double exponential(double place)
{
  return exp(-place);
}

/* With the mean as it is given, the logarithm has a mean below its logarithm. */
static double log_mean(const ss_workload *w)
{
  const double sigma = w->training.document_sigma;
  return log(w->training.document_mean) - 0.5 * sigma * sigma;
}

double ss_documents_log_normal(const ss_workload *workload, double normal)
{
  return exp(log_mean(workload) + workload->training.document_sigma * normal);
}

static double in_normals(const ss_workload *w, double length)
{
  return (log(length) - log_mean(w)) / w->training.document_sigma;
}

static double normal(double place)
{
  return exp(-0.5 * place * place) / SQRT_2PI;
}

static const law *law_of(const ss_workload *w);

/* The integral of number * density between two places. */
static double integral(const ss_workload *w, const law *l, ss_of_length number, double from, double to)
{
  static const double point[] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
  static const double weight[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                  0.2369268850561891};
  const int64_t panels = (int64_t)ceil((to - from) / 0.5);
  if (panels == 0) return 0.0;
  const double half_width = 0.5 * (to - from) / (double)panels;
  double sum = 0.0;
  for (int64_t panel = 0; panel < panels; ++panel)
    for (int i = 0; i < 5; ++i) {
      const double place = from + half_width * (2.0 * (double)panel + 1.0 + point[i]);
      sum += half_width * weight[i] * l->density(place) * number.value(number.self, l->length(w, place));
    }
  return sum;
}

static double expect_real(const ss_workload *w, ss_of_length number, const ss_bends *bends)
{
  const law *l = law_of(w);
  const double last = l->last + l->last_per_sigma * w->training.document_sigma;
  double from = l->first, sum = 0.0;
  for (int64_t i = 0; i < bends->count; ++i) {
    const double to = ss_min(ss_max(l->place(w, bends->length[i]), from), last);
    sum += integral(w, l, number, from, to);
    from = to;
  }
  return sum + integral(w, l, number, from, last);
}

static double given_mean(const ss_workload *w)
{
  return w->training.document_mean;
}

static double no_step(const ss_workload *w)
{
  (void)w;
  return 0.0;
}

static double fixed_step(const ss_workload *w)
{
  const double mean = w->training.document_mean;
  return mean == floor(mean) ? (double)common_divisor(w->model.sequence, (int64_t)mean) : 0.0;
}

static double expect_fixed(const ss_workload *w, ss_of_length number, const ss_bends *bends)
{
  (void)bends;
  return number.value(number.self, w->training.document_mean);
}

static double listed_mean(const ss_workload *w)
{
  return w->document_list->mean;
}

static double listed_step(const ss_workload *w)
{
  return (double)common_divisor(w->model.sequence, w->document_list->step);
}

static double expect_listed(const ss_workload *w, ss_of_length number, const ss_bends *bends)
{
  const ss_document_list *list = w->document_list;
  double sum = 0.0, before = 0.0;
  (void)bends;
  for (int64_t i = 0; i < list->count; ++i) {
    sum += (list->documents[i] - before) * number.value(number.self, list->length[i]);
    before = list->documents[i];
  }
  return sum;
}

/* What is beyond `last` is less than 1e-17 of the tokens. */
static const law laws[] = {
    [SS_DOCUMENTS_FIXED] = {.mean = given_mean, .step = fixed_step, .expect = expect_fixed},
    [SS_DOCUMENTS_UNIFORM] = {given_mean, no_step, expect_real, of_mean, in_means, half, 0.0, 2.0, 0.0},
    [SS_DOCUMENTS_EXPONENTIAL] = {given_mean, no_step, expect_real, of_mean, in_means, exponential, 0.0, 45.0, 0.0},
    [SS_DOCUMENTS_LOG_NORMAL] = {given_mean, no_step, expect_real, ss_documents_log_normal, in_normals, normal, -9.0,
                                 9.0, 1.0},
    [SS_DOCUMENTS_LISTED] = {.mean = listed_mean, .step = listed_step, .expect = expect_listed},
};

static const law *law_of(const ss_workload *w)
{
  SS_ASSERT(w->training.documents != SS_DOCUMENTS_NONE);
  return &laws[w->training.documents];
}

double ss_documents_mean(const ss_workload *workload)
{
  return law_of(workload)->mean(workload);
}

double ss_documents_step(const ss_workload *workload)
{
  return law_of(workload)->step(workload);
}

double ss_documents_expect(const ss_workload *workload, ss_of_length number, const ss_bends *bends)
{
  return law_of(workload)->expect(workload, number, bends);
}
