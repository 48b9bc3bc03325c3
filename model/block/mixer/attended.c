#include "model/block/mixer/attended.h"

#include <math.h>

#include "model/base/number.h"
#include "model/block/mixer/packing.h"
#include "model/input/workload.h"

/* What the first `tokens` queries see of chunks: as many keys as there are in a chunk, each. */
static double keys_of_chunks(double tokens, double chunk)
{
  const double whole = floor(tokens / chunk), rest = tokens - whole * chunk;
  return whole * chunk * chunk + rest * rest;
}

double ss_attention_asked(const ss_workload *workload)
{
  const double most = (double)ss_workload_most_keys(workload), tokens = (double)workload->model.sequence;
  return workload->model.chunk > 0 ? keys_of_chunks(tokens, most) / tokens : most;
}

static bool has_documents(const ss_workload *workload)
{
  return workload->training.documents != SS_DOCUMENTS_NONE;
}

/* Pairs of a query and a key that the first `tokens` queries compute: of those that look back only half of a chunk, or
 * what a window leaves; of others all of their chunk, of which the last one may be shorter. */
static double pairs_before(const ss_workload *w, double tokens)
{
  const double most = (double)ss_workload_most_keys(w);
  if (w->model.causal == SS_NO) {
    const double whole = floor(tokens / most) * most;
    return whole * most + (tokens - whole) * ss_min(most, (double)w->model.sequence - whole);
  }
  if (w->model.chunk > 0) return keys_of_chunks(tokens, most) / 2.0;
  const double first = ss_min(tokens, most);
  return first * first / 2.0 + most * (tokens - first);
}

/* What a piece of the sequence computes, of so many. */
static double pairs_of(const ss_workload *w, double pieces, double piece)
{
  const double tokens = (double)w->model.sequence / pieces;
  return pairs_before(w, (piece + 1.0) * tokens) - pairs_before(w, piece * tokens);
}

/* The share of all logits on the rank which has most. Neighbouring tokens sit on one rank, or, where
 * ranks are balanced, two pieces of them, of which one is as far from the beginning as the other one from the end: all
 * have as many then but for a window, of which the ranks at both ends have less, and chunks. */
static double share_of_fullest(const ss_workload *w, double ranks)
{
  const bool balances = w->parallelism.cp_balance == SS_YES;
  const double tokens = (double)w->model.sequence, pieces = balances ? 2.0 * ranks : ranks;
  double most = 0.0;
  for (int64_t rank = 0; rank < (int64_t)ranks; ++rank) {
    const double first = (double)rank, last = pieces - 1.0 - first;
    most = fmax(most, pairs_of(w, pieces, first) + (balances ? pairs_of(w, pieces, last) : 0.0));
  }
  return most * ranks / tokens / tokens;
}

/* The share of the logits inside documents, on the context-parallel rank that has most. A window that looks both ways
 * is not seen. */
static double share_in_documents(const ss_workload *w)
{
  const ss_attention_reach reach = ss_attention_reach_of(w);
  const double share = w->model.causal == SS_YES ? reach.share * reach.seen / reach.span
                       : w->model.chunk > 0      ? reach.seen / reach.span
                                                 : 1.0;
  return share * reach.imbalance;
}

double ss_attention_share(const ss_workload *w, double ranks)
{
  if (has_documents(w)) return share_in_documents(w);
  return w->model.causal == SS_YES || w->model.chunk > 0 ? share_of_fullest(w, ranks) : 1.0;
}

double ss_attention_span(const ss_workload *workload, double keys)
{
  return has_documents(workload) ? ss_attention_reach_of(workload).span : keys;
}
