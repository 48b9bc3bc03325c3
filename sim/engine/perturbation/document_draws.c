#include "sim/engine/perturbation/document_draws.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/number.h"
#include "model/base/random.h"
#include "model/block/mixer/packing.h"
#include "model/input/documents.h"
#include "model/input/workload.h"

/* The name of documents under a seed; that of GPUs is 0. */
#define NAME_OF_DOCUMENTS 1

struct ss_document_draws {
  int64_t batches;              /* micro-batches of a replica */
  int64_t works;                /* different workloads that layers with attention are built from */
  const ss_workload **workload; /* [works] borrowed from the job; owned */
  double *mean_pairs;           /* [works] of a sequence; owned */
  int8_t work[SS_BLOCK_COUNT];  /* which of them a block is built from; below 0 where it has no documents */
  double *factor;               /* [replica][micro-batch][work] owned */
  ss_sequences *listed;         /* of which sequences are drawn; NULL where their documents are; owned */
};

/* A length, and that of the document which any token is in: as often as it has tokens. */
typedef struct draw {
  double (*length)(const ss_workload *w, uint64_t key);
  double (*around)(const ss_workload *w, uint64_t key);
} draw;

static double fixed(const ss_workload *w, uint64_t key)
{
  (void)key;
  return w->training.document_mean;
}

static double uniform(const ss_workload *w, uint64_t key)
{
  return 2.0 * w->training.document_mean * ss_random_uniform(key);
}

static double uniform_around(const ss_workload *w, uint64_t key)
{
  return 2.0 * w->training.document_mean * sqrt(ss_random_uniform(key));
}

static double exponential(const ss_workload *w, uint64_t key)
{
  return -w->training.document_mean * log(ss_random_uniform(key));
}

/* What is before the token and what is behind it are alike. */
static double exponential_around(const ss_workload *w, uint64_t key)
{
  return exponential(w, key) + exponential(w, ss_random_key(key, 0));
}

static double log_normal(const ss_workload *w, uint64_t key)
{
  return ss_documents_log_normal(w, ss_random_normal(key));
}

/* Weighed by the length, the logarithm is normal with a mean that is its variance higher. */
static double log_normal_around(const ss_workload *w, uint64_t key)
{
  return ss_documents_log_normal(w, ss_random_normal(key) + w->training.document_sigma);
}

static double listed(const ss_workload *w, uint64_t key)
{
  return ss_document_list_find(w->document_list, w->document_list->documents, ss_random_uniform(key));
}

static double listed_around(const ss_workload *w, uint64_t key)
{
  return ss_document_list_find(w->document_list, w->document_list->tokens, ss_random_uniform(key));
}

static const draw draws_of[] = {
    [SS_DOCUMENTS_FIXED] = {fixed, fixed},
    [SS_DOCUMENTS_UNIFORM] = {uniform, uniform_around},
    [SS_DOCUMENTS_EXPONENTIAL] = {exponential, exponential_around},
    [SS_DOCUMENTS_LOG_NORMAL] = {log_normal, log_normal_around},
    [SS_DOCUMENTS_LISTED] = {listed, listed_around},
};

/* What is left of the document that a sequence begins in, where all cuts are alike. */
static double draw_rest(const ss_workload *w, uint64_t key)
{
  const double length = draws_of[w->training.documents].around(w, ss_random_key(key, 0));
  const double place = ss_random_uniform(ss_random_key(key, 1)), step = ss_documents_step(w);
  return step > 0.0 ? step * (1.0 + floor(place * (length / step))) : place * length;
}

/* Adds what attention computes in one of the sequences that are listed to `pairs` [works]. */
static void draw_listed(const ss_document_draws *draws, uint64_t key, double *pairs)
{
  const int64_t at = (int64_t)(ss_random_uniform(key) * (double)draws->listed->count);
  const ss_sequence sequence = ss_sequences_at(draws->listed, at);
  for (int64_t i = 0; i < draws->works; ++i) pairs[i] += ss_sequence_pairs(draws->workload[i], &sequence);
}

/* The same in a sequence that is cut from documents that are drawn. */
static void draw_sequence(const ss_document_draws *draws, const ss_workload *w, uint64_t key, double *pairs)
{
  double left = (double)w->model.sequence, document = draw_rest(w, key);
  for (uint64_t name = 2; left > 0.0; ++name) {
    const double piece = ss_min(document, left);
    for (int64_t i = 0; i < draws->works; ++i) pairs[i] += ss_attention_pairs(draws->workload[i], piece);
    left -= piece;
    document = draws_of[w->training.documents].length(w, ss_random_key(key, name));
  }
}

static void draw_batches(ss_document_draws *draws, const ss_job *job, uint64_t seed)
{
  const ss_workload *w = job->workload;
  const int64_t size = w->training.micro_batch, batches = job->replicas * draws->batches;
  const uint64_t key = ss_random_key(seed, NAME_OF_DOCUMENTS);
  for (int64_t batch = 0; batch < batches; ++batch) {
    double *factor = &draws->factor[batch * draws->works];
    for (int64_t i = 0; i < size; ++i) {
      const uint64_t name = ss_random_key(key, (uint64_t)(batch * size + i));
      if (draws->listed != NULL)
        draw_listed(draws, name, factor);
      else
        draw_sequence(draws, w, name, factor);
    }
    for (int64_t i = 0; i < draws->works; ++i) factor[i] /= (double)size * draws->mean_pairs[i];
  }
}

/* Blocks of the same workload share their factors. */
static void list_works(ss_document_draws *draws, const ss_job *job)
{
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const ss_workload *w = ss_layer_plan_workload(&job->layers, job->workload, kind);
    int8_t work = 0;
    draws->work[kind] = -1;
    if (w->training.documents == SS_DOCUMENTS_NONE) continue;
    while (work < draws->works && draws->workload[work] != w) ++work;
    draws->work[kind] = work;
    if (work < draws->works) continue;
    draws->workload[draws->works] = w;
    draws->mean_pairs[draws->works++] = ss_attention_mean_pairs(w);
  }
}

static ss_status list_sequences(ss_document_draws *draws, const ss_workload *w)
{
  if (!ss_sequences_are_listed(w)) return SS_OK;
  draws->listed = malloc(sizeof *draws->listed);
  if (draws->listed == NULL) return SS_ERROR_MEMORY;
  ss_sequences_list(draws->listed, w);
  return SS_OK;
}

static ss_status fill(ss_document_draws *draws, const ss_job *job, uint64_t seed)
{
  draws->batches = job->micro_batches;
  draws->workload = calloc(SS_BLOCK_COUNT, sizeof *draws->workload);
  draws->mean_pairs = calloc(SS_BLOCK_COUNT, sizeof *draws->mean_pairs);
  if (draws->workload == NULL || draws->mean_pairs == NULL) return SS_ERROR_MEMORY;
  list_works(draws, job);
  SS_ASSERT(draws->works > 0); /* micro-batches differ */
  draws->factor = calloc((size_t)(job->replicas * draws->batches * draws->works), sizeof *draws->factor);
  if (draws->factor == NULL || list_sequences(draws, job->workload) != SS_OK) return SS_ERROR_MEMORY;
  draw_batches(draws, job, seed);
  return SS_OK;
}

ss_status ss_document_draws_create(ss_document_draws **draws, const ss_job *job, uint64_t seed)
{
  *draws = NULL;
  if (!ss_job_has_unlike_batches(job)) return SS_OK;
  *draws = calloc(1, sizeof **draws);
  return *draws != NULL ? fill(*draws, job, seed) : SS_ERROR_MEMORY;
}

void ss_document_draws_destroy(ss_document_draws *draws)
{
  if (draws == NULL) return;
  free(draws->workload);
  free(draws->mean_pairs);
  free(draws->factor);
  free(draws->listed);
  free(draws);
}

double ss_document_draws_factor(const ss_document_draws *draws, int64_t replica, int64_t micro_batch,
                                ss_block_kind kind)
{
  if (draws->work[kind] < 0) return 1.0;
  return draws->factor[(replica * draws->batches + micro_batch) * draws->works + draws->work[kind]];
}
