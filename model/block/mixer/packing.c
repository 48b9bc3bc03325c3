#include "model/block/mixer/packing.h"

#include <math.h>
#include <stdbool.h>

#include "model/base/number.h"
#include "model/input/documents.h"
#include "model/input/workload.h"

/* What rounding may leave of a variance, relative to the square of the mean. */
#define ROUNDING 1e-12

#define TERMS 5

/* A number that depends on the length of a piece: a polynomial up to the window, and another one beyond. In chunks it
 * is the sum of the first one over all of them and what is left, or the square of that. */
typedef struct of_piece {
  double window;
  double below[TERMS], beyond[TERMS];
  double chunk; /* 0: none */
  bool squared;
} of_piece;

static double polynomial(const double term[TERMS], double x)
{
  double sum = 0.0;
  for (int power = TERMS - 1; power >= 0; --power) sum = sum * x + term[power];
  return sum;
}

static void square(double term[TERMS])
{
  double product[TERMS] = {0.0};
  for (int i = 0; i < TERMS; ++i)
    for (int j = 0; i + j < TERMS; ++j) product[i + j] += term[i] * term[j];
  for (int i = 0; i < TERMS; ++i) term[i] = product[i];
}

/* What it is of pieces with so many whole chunks, by what is left. */
static void behind_chunks(const of_piece *f, double chunks, double term[TERMS])
{
  for (int i = 0; i < TERMS; ++i) term[i] = f->below[i];
  term[0] += chunks * polynomial(f->below, f->chunk);
  if (f->squared) square(term);
}

static double of_tokens(const of_piece *f, double tokens)
{
  double term[TERMS];
  if (f->chunk <= 0.0) return polynomial(tokens <= f->window ? f->below : f->beyond, tokens);
  const double chunks = floor(tokens / f->chunk);
  behind_chunks(f, chunks, term);
  return polynomial(term, tokens - chunks * f->chunk);
}

/* The sum of 1, 2, ..., n to a power (Faulhaber). */
static double power_sum(int power, double n)
{
  const double pairs = 0.5 * n * (n + 1.0);
  const double sums[TERMS] = {n, pairs, pairs * (2.0 * n + 1.0) / 3.0, pairs * pairs,
                              pairs * (2.0 * n + 1.0) * (3.0 * n * n + 3.0 * n - 1.0) / 15.0};
  return sums[power];
}

/* The integral of x to a power up to `tokens`, or the sum over the multiples of `step`, times that. */
static double power_integral(int power, double tokens, double step)
{
  return step > 0.0 ? pow(step, power + 1.0) * power_sum(power, tokens / step)
                    : pow(tokens, power + 1.0) / (power + 1.0);
}

/* Chunk by chunk. Where multiples of the step do not fall on the ends of chunks, one by one. */
static double integral_in_chunks(const of_piece *f, double tokens, double step)
{
  double sum = 0.0, term[TERMS];
  if (step > 0.0 && fmod(f->chunk, step) != 0.0) {
    const int64_t steps = (int64_t)(tokens / step);
    for (int64_t i = 1; i <= steps; ++i) sum += step * of_tokens(f, (double)i * step);
    return sum;
  }
  for (int64_t chunks = 0; (double)chunks * f->chunk < tokens; ++chunks) {
    behind_chunks(f, (double)chunks, term);
    const double left = ss_min(tokens - (double)chunks * f->chunk, f->chunk);
    for (int power = 0; power < TERMS; ++power) sum += term[power] * power_integral(power, left, step);
  }
  return sum;
}

static double integral(const of_piece *f, double tokens, double step)
{
  if (f->chunk > 0.0) return integral_in_chunks(f, tokens, step);
  const double window = step > 0.0 ? step * floor(f->window / step) : f->window;
  const double low = ss_min(tokens, window);
  double sum = 0.0;
  for (int power = 0; power < TERMS; ++power) {
    const double below = power_integral(power, low, step);
    sum += f->below[power] * below + f->beyond[power] * (power_integral(power, tokens, step) - below);
  }
  return sum;
}

/* A number of pieces, cut out of sequences. */
typedef struct cut {
  const of_piece *f;
  double sequence, step;
} cut;

static double of_document(const void *self, double length)
{
  const cut *c = self;
  const double tokens = ss_min(length, c->sequence);
  const double ends = 2.0 * integral(c->f, tokens, c->step) - c->step * of_tokens(c->f, tokens);
  return (fabs(c->sequence - length) * of_tokens(c->f, tokens) + ends) / c->sequence;
}

/* Where it is not smooth: at the window or the ends of chunks, if these are not many, and at the sequence. */
static ss_bends bends_of(const of_piece *f, double sequence)
{
  ss_bends bends = {.count = 0};
  if (f->chunk <= 0.0) bends.length[bends.count++] = ss_min(f->window, sequence);
  const double chunks = f->chunk > 0.0 ? ceil(sequence / f->chunk) - 1.0 : 0.0;
  if (chunks < SS_DOCUMENT_BENDS_MAX)
    for (int64_t i = 1; (double)i <= chunks; ++i) bends.length[bends.count++] = (double)i * f->chunk;
  bends.length[bends.count++] = sequence;
  return bends;
}

/* The mean of the sum over a sequence. */
static double of_sequence(const ss_workload *w, const of_piece *f)
{
  const double sequence = (double)w->model.sequence;
  const cut c = {f, sequence, ss_documents_step(w)};
  const ss_bends bends = bends_of(f, sequence);
  return sequence / ss_documents_mean(w) * ss_documents_expect(w, (ss_of_length){of_document, &c}, &bends);
}

/* Pairs of a query and a key: all of a piece; those in the window, or in chunks; those of them that are computed, of
 * causal attention the keys behind it. */
static of_piece all_pairs(void)
{
  return (of_piece){.window = INFINITY, .below = {[2] = 1.0}};
}

static of_piece seen_pairs(const ss_workload *w)
{
  const double window = (double)ss_workload_most_keys(w);
  return (of_piece){.window = window, .below = {[2] = 1.0}, .beyond = {[1] = window}, .chunk = (double)w->model.chunk};
}

static of_piece causal_pairs(const ss_workload *w)
{
  const double window = (double)ss_workload_most_keys(w);
  return (of_piece){.window = window,
                    .below = {[2] = 0.5},
                    .beyond = {[0] = -0.5 * window * window, [1] = window},
                    .chunk = (double)w->model.chunk};
}

static of_piece computed_pairs(const ss_workload *w)
{
  if (w->model.causal == SS_YES) return causal_pairs(w);
  return w->model.chunk > 0 ? seen_pairs(w) : all_pairs();
}

/* The sum over the documents of a sequence. */
static double of_documents(const of_piece *f, const ss_sequence *s)
{
  double sum = 0.0;
  for (int64_t i = 0; i < s->pieces; ++i) sum += of_tokens(f, s->piece[i]);
  return sum;
}

static double of_all(const of_piece *f, const ss_sequence *s)
{
  return of_documents(f, s) + of_tokens(f, s->padding);
}

/* What the ranks have that share the tokens of a sequence out, in equal pieces: one each, or a pair of which one is as
 * far from the beginning as the other one from the end. */
typedef struct shares {
  const of_piece *f;
  bool causal;
  int64_t ranks, pieces;
  double tokens; /* of a piece */
  double pairs[SS_SEQUENCE_RANKS_MAX];
} shares;

/* What the first queries of a document compute. */
static double of_queries(const shares *s, double queries, double tokens)
{
  return s->causal ? of_tokens(s->f, queries) : queries / tokens * of_tokens(s->f, tokens);
}

/* Adds a document, which begins at a place of the sequence. */
static void share_out(shares *s, double start, double tokens)
{
  for (int64_t i = (int64_t)(start / s->tokens); i < s->pieces && (double)i * s->tokens < start + tokens; ++i) {
    const double first = ss_max((double)i * s->tokens - start, 0.0);
    const double end = ss_min((double)(i + 1) * s->tokens - start, tokens);
    s->pairs[i < s->ranks ? i : 2 * s->ranks - 1 - i] += of_queries(s, end, tokens) - of_queries(s, first, tokens);
  }
}

/* What the rank with most computes, times their number. */
static double of_fullest(const ss_workload *w, const of_piece *f, const ss_sequence *sequence)
{
  const int64_t ranks = ss_sequence_ranks(w), pieces = w->parallelism.cp_balance == SS_YES ? 2 * ranks : ranks;
  shares s = {f, w->model.causal == SS_YES, ranks, pieces, (double)w->model.sequence / (double)pieces, {0.0}};
  double start = 0.0, most = 0.0;
  for (int64_t i = 0; i < sequence->pieces; ++i) {
    share_out(&s, start, sequence->piece[i]);
    start += ss_sequence_room(sequence->multiple, sequence->piece[i]);
  }
  if (sequence->padding > 0.0) share_out(&s, start, sequence->padding);
  for (int64_t rank = 0; rank < ranks; ++rank) most = ss_max(most, s.pairs[rank]);
  return most * (double)ranks;
}

double ss_sequence_pairs(const ss_workload *workload, const ss_sequence *sequence)
{
  const of_piece pairs = computed_pairs(workload);
  return ss_sequence_ranks(workload) > 1 ? of_fullest(workload, &pairs, sequence) : of_all(&pairs, sequence);
}

/* What the first part of each piece computes. */
static of_piece first_of(const of_piece *f, double part)
{
  of_piece first = *f;
  double scale = 1.0;
  first.window /= part;
  first.chunk /= part;
  for (int power = 0; power < TERMS; ++power) {
    first.below[power] *= scale;
    first.beyond[power] *= scale;
    scale *= part;
  }
  return first;
}

/* A sum over documents. */
typedef struct summing {
  double (*of)(const void *self, const of_piece *f);
  const void *self; /* borrowed */
} summing;

static double of_part(const summing *s, const of_piece *f, int64_t piece, int64_t pieces)
{
  const of_piece first = first_of(f, (double)piece / (double)pieces);
  return piece > 0 ? s->of(s->self, &first) : 0.0;
}

/* What the rank with most computes over the mean, where ranks have two pieces each of every document, one as far from
 * its beginning as the other one from its end. Those in the middle have whole windows, where there is one; of chunks
 * any may have most. */
static double imbalance_in_documents(const ss_workload *w, const of_piece *f, const summing *s)
{
  const int64_t ranks = ss_token_ranks(w), pieces = 2 * ranks;
  if (w->model.causal == SS_NO || ranks == 1 || ss_workload_most_keys(w) >= w->model.sequence) return 1.0;
  double most = 0.0;
  for (int64_t rank = w->model.chunk > 0 ? 0 : ranks - 1; rank < ranks; ++rank) {
    const double front = of_part(s, f, rank + 1, pieces) - of_part(s, f, rank, pieces);
    const double back = of_part(s, f, pieces - rank, pieces) - of_part(s, f, pieces - rank - 1, pieces);
    most = ss_max(most, front + back);
  }
  return most * (double)ranks / s->of(s->self, f);
}

static double sum_of_list(const void *self, const of_piece *f)
{
  const ss_sequences *listed = self;
  double all = 0.0;
  for (int64_t i = 0; i < listed->count; ++i) {
    const ss_sequence s = ss_sequences_at(listed, i);
    all += of_all(f, &s);
  }
  return all;
}

static double sum_of_stream(const void *self, const of_piece *f)
{
  return of_sequence(self, f);
}

static double tokens_of(const ss_sequence *s)
{
  double tokens = 0.0;
  for (int64_t i = 0; i < s->pieces; ++i) tokens += s->piece[i];
  return tokens;
}

static ss_attention_reach listed_reach(const ss_workload *w)
{
  const of_piece all = all_pairs(), seen = seen_pairs(w), causal = causal_pairs(w), computed = computed_pairs(w);
  double spans = 0.0, seen_in_all = 0.0, asked = 0.0, causal_in_all = 0.0, useful = 0.0, mean = 0.0, fullest = 0.0;
  ss_sequences listed;
  ss_sequences_list(&listed, w);
  for (int64_t i = 0; i < listed.count; ++i) {
    const ss_sequence s = ss_sequences_at(&listed, i);
    spans += of_all(&all, &s);
    seen_in_all += of_all(&seen, &s);
    asked += of_documents(&seen, &s);
    causal_in_all += of_all(&causal, &s);
    useful += tokens_of(&s);
    mean += of_all(&computed, &s);
    fullest += ss_sequence_pairs(w, &s);
  }
  const double tokens = (double)listed.count * (double)w->model.sequence;
  const bool parts = w->parallelism.cp_split == SS_CP_SPLIT_DOCUMENT;
  return (ss_attention_reach){
      .span = spans / tokens,
      .seen = seen_in_all / tokens,
      .share = causal_in_all / seen_in_all,
      .asked = asked / tokens,
      .useful = useful / tokens,
      .imbalance = parts ? imbalance_in_documents(w, &computed, &(summing){sum_of_list, &listed}) : fullest / mean};
}

static double mean_pairs(const ss_workload *w, const ss_sequences *listed)
{
  double sum = 0.0;
  for (int64_t i = 0; i < listed->count; ++i) {
    const ss_sequence s = ss_sequences_at(listed, i);
    sum += ss_sequence_pairs(w, &s);
  }
  return sum / (double)listed->count;
}

static double listed_mean_pairs(const ss_workload *w)
{
  ss_sequences listed;
  ss_sequences_list(&listed, w);
  return mean_pairs(w, &listed);
}

static ss_factors listed_spread(const ss_workload *w)
{
  ss_sequences listed;
  ss_sequences_list(&listed, w);
  const double mean = mean_pairs(w, &listed);
  double squares = 0.0, most = 0.0;
  for (int64_t i = 0; i < listed.count; ++i) {
    const ss_sequence s = ss_sequences_at(&listed, i);
    const double factor = ss_sequence_pairs(w, &s) / mean;
    squares += (factor - 1.0) * (factor - 1.0);
    most = ss_max(most, factor);
  }
  const double variance = squares / (double)listed.count;
  return (ss_factors){variance > ROUNDING ? sqrt(variance) : 0.0, most};
}

ss_attention_reach ss_attention_reach_of(const ss_workload *workload)
{
  if (ss_sequences_are_listed(workload)) return listed_reach(workload);
  const double tokens = (double)workload->model.sequence;
  const of_piece all = all_pairs(), seen = seen_pairs(workload), causal = causal_pairs(workload);
  const double pairs = of_sequence(workload, &seen);
  const of_piece computed = computed_pairs(workload);
  return (ss_attention_reach){.span = of_sequence(workload, &all) / tokens,
                              .seen = pairs / tokens,
                              .share = of_sequence(workload, &causal) / pairs,
                              .asked = pairs / tokens,
                              .useful = 1.0,
                              .imbalance =
                                  imbalance_in_documents(workload, &computed, &(summing){sum_of_stream, workload})};
}

double ss_useful_share(const ss_workload *workload)
{
  const bool pads = workload->training.documents != SS_DOCUMENTS_NONE && workload->training.packing != SS_PACKING_CUT;
  return pads ? ss_attention_reach_of(workload).useful : 1.0;
}

double ss_attention_pairs(const ss_workload *workload, double tokens)
{
  const of_piece pairs = computed_pairs(workload);
  return of_tokens(&pairs, tokens);
}

double ss_attention_mean_pairs(const ss_workload *workload)
{
  const of_piece pairs = computed_pairs(workload);
  return ss_sequences_are_listed(workload) ? listed_mean_pairs(workload) : of_sequence(workload, &pairs);
}

ss_factors ss_attention_spread(const ss_workload *workload)
{
  if (workload->training.documents == SS_DOCUMENTS_NONE) return (ss_factors){0.0, 1.0};
  if (ss_sequences_are_listed(workload)) return listed_spread(workload);
  const double tokens = (double)workload->model.sequence;
  of_piece beyond_share = computed_pairs(workload);
  const double mean = of_sequence(workload, &beyond_share), most = of_tokens(&beyond_share, tokens);
  beyond_share.below[1] -= mean / tokens;
  beyond_share.beyond[1] -= mean / tokens;
  beyond_share.squared = beyond_share.chunk > 0.0;
  if (!beyond_share.squared) {
    square(beyond_share.below);
    square(beyond_share.beyond);
  }
  const double variance = of_sequence(workload, &beyond_share);
  return (ss_factors){variance > ROUNDING * mean * mean ? sqrt(variance) / mean : 0.0, most / mean};
}
