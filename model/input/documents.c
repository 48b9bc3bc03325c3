#include "model/input/documents.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/base/number.h"
#include "model/input/workload.h"

#define SQRT_2PI 2.506628274631000502
#define SQRT_2   1.414213562373095049

static int compare(const void *a, const void *b)
{
  const int64_t x = ((const ss_documents_of_length *)a)->length, y = ((const ss_documents_of_length *)b)->length;
  return (x > y) - (x < y);
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
    list->step = ss_common_divisor(given[i].length, list->step);
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

double ss_document_list_find(const ss_document_list *list, const double *up_to, double share)
{
  int64_t first = 0, last = list->count - 1;
  while (first < last) {
    const int64_t middle = (first + last) / 2;
    if (up_to[middle] < share)
      first = middle + 1;
    else
      last = middle;
  }
  return list->length[first];
}

/* A distribution of lengths. That of real ones is over a coordinate of its own: its length and density at a place, the
 * place of a length, the place that is behind `before` and below which there is a share, and where what matters of it
 * ends. */
typedef struct law {
  double (*mean)(const ss_workload *w);
  double (*step)(const ss_workload *w);
  double (*expect)(const ss_workload *w, ss_of_length number, const ss_bends *bends);
  void (*sample)(const ss_workload *w, double *length, int64_t count);
  double (*length)(const ss_workload *w, double place);
  double (*place)(const ss_workload *w, double length);
  double (*density)(double place);
  double (*below)(double share, double before);
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

static double uniform_below(double share, double before)
{
  (void)before;
  return 2.0 * share;
}

static double exponential_below(double share, double before)
{
  (void)before;
  return -log1p(-share);
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

/* Newton's method. From the left of the mean it first overshoots, and then comes down. */
static double normal_below(double share, double before)
{
  double place = ss_max(before, -6.0), step = 1.0;
  while (fabs(step) > 1e-9) {
    step = (share - 0.5 * erfc(-place / SQRT_2)) / normal(place);
    step = ss_max(ss_min(step, 1.0), -1.0);
    place += step;
  }
  return place;
}

static const law *law_of(const ss_workload *w);

static double whole_tokens(double length)
{
  return ss_max(round(length), 1.0);
}

static void sample_real(const ss_workload *w, double *length, int64_t count)
{
  const law *l = law_of(w);
  double place = l->first;
  for (int64_t i = 0; i < count; ++i) {
    place = l->below(((double)i + 0.5) / (double)count, place);
    length[i] = whole_tokens(l->length(w, place));
  }
}

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
  return mean == floor(mean) ? (double)ss_common_divisor(w->model.sequence, (int64_t)mean) : 0.0;
}

static double expect_fixed(const ss_workload *w, ss_of_length number, const ss_bends *bends)
{
  (void)bends;
  return number.value(number.self, w->training.document_mean);
}

static void sample_fixed(const ss_workload *w, double *length, int64_t count)
{
  for (int64_t i = 0; i < count; ++i) length[i] = whole_tokens(w->training.document_mean);
}

static double listed_mean(const ss_workload *w)
{
  return w->document_list->mean;
}

static double listed_step(const ss_workload *w)
{
  return (double)ss_common_divisor(w->model.sequence, w->document_list->step);
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

static void sample_listed(const ss_workload *w, double *length, int64_t count)
{
  const ss_document_list *list = w->document_list;
  for (int64_t i = 0; i < count; ++i)
    length[i] = ss_document_list_find(list, list->documents, ((double)i + 0.5) / (double)count);
}

/* What is beyond `last` is less than 1e-17 of the tokens. */
static const law laws[] = {
    [SS_DOCUMENTS_FIXED] = {.mean = given_mean, .step = fixed_step, .expect = expect_fixed, .sample = sample_fixed},
    [SS_DOCUMENTS_UNIFORM] = {given_mean, no_step, expect_real, sample_real, of_mean, in_means, half, uniform_below,
                              0.0, 2.0, 0.0},
    [SS_DOCUMENTS_EXPONENTIAL] = {given_mean, no_step, expect_real, sample_real, of_mean, in_means, exponential,
                                  exponential_below, 0.0, 45.0, 0.0},
    [SS_DOCUMENTS_LOG_NORMAL] = {given_mean, no_step, expect_real, sample_real, ss_documents_log_normal, in_normals,
                                 normal, normal_below, -9.0, 9.0, 1.0},
    [SS_DOCUMENTS_LISTED] = {.mean = listed_mean,
                             .step = listed_step,
                             .expect = expect_listed,
                             .sample = sample_listed},
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

void ss_documents_sample(const ss_workload *workload, double *length, int64_t count)
{
  law_of(workload)->sample(workload, length, count);
}

int64_t ss_documents_multiple(const ss_workload *workload)
{
  if (workload->training.document_padding != SS_DERIVED) return workload->training.document_padding;
  const int64_t ranks = workload->parallelism.cp * workload->parallelism.tp2, tp = workload->parallelism.tp;
  const bool splits = ranks > 1 && workload->parallelism.cp_split == SS_CP_SPLIT_DOCUMENT;
  const bool shards = tp > 1 && workload->parallelism.sequence_parallel == SS_YES;
  const int64_t pieces = splits ? 2 * ranks : 1, shares = shards ? ranks * tp : 1;
  return pieces / ss_common_divisor(pieces, shares) * shares;
}
