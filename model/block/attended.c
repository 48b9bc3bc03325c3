#include "model/block/attended.h"

#include <math.h>

#include "model/block/packing.h"
#include "model/input/workload.h"

double ss_attention_window(const ss_workload *workload)
{
  const int64_t most = workload->model.chunk > 0 ? workload->model.chunk : ss_workload_window(workload);
  const double window = (double)most, tokens = (double)workload->model.sequence;
  return window > 0.0 && window < tokens ? window : tokens;
}

/* What the first `tokens` queries see of chunks: as many keys as there are in a chunk, each. */
static double keys_of_chunks(double tokens, double chunk)
{
  const double whole = floor(tokens / chunk), rest = tokens - whole * chunk;
  return whole * chunk * chunk + rest * rest;
}

double ss_attention_asked(const ss_workload *workload)
{
  const double window = ss_attention_window(workload), tokens = (double)workload->model.sequence;
  return workload->model.chunk > 0 ? keys_of_chunks(tokens, window) / tokens : window;
}

static bool has_documents(const ss_workload *workload)
{
  return workload->training.documents != SS_DOCUMENTS_NONE;
}

bool ss_attention_is_local(const ss_workload *workload)
{
  const int64_t ranks = workload->parallelism.cp * workload->parallelism.tp2;
  const int64_t pieces = workload->parallelism.cp_balance == SS_YES ? 2 * ranks : ranks;
  return ranks > 1 && workload->model.chunk > 0 && !has_documents(workload) &&
         workload->model.sequence % (pieces * workload->model.chunk) == 0;
}

/* The mean number of keys that a query sees which has from `first` to `last` tokens before it, of at most `window`. */
static double mean_keys(double first, double last, double window)
{
  if (window <= first) return window;
  return ((window * window - first * first) / 2.0 + window * (last - window)) / (last - first);
}

/* The share of all logits in chunks, of which causal attention computes half. Where neighbouring tokens sit on one
 * rank, that which has most counts. */
static double share_in_chunks(const ss_workload *w, double ranks)
{
  const double tokens = (double)w->model.sequence, chunk = ss_attention_window(w), own = tokens / ranks;
  if (w->model.causal == SS_NO) return keys_of_chunks(tokens, chunk) / tokens / tokens;
  if (w->parallelism.cp_balance == SS_YES) return keys_of_chunks(tokens, chunk) / 2.0 / tokens / tokens;
  double most = 0.0;
  for (int64_t rank = 0; rank < (int64_t)ranks; ++rank) {
    const double first = own * (double)rank;
    most = fmax(most, keys_of_chunks(first + own, chunk) - keys_of_chunks(first, chunk));
  }
  return most / 2.0 / own / tokens;
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

/* Of causal attention half of the logits is computed, or what a window leaves of them; where neighbouring tokens sit on
 * one rank of the context-parallel group, the last of c ranks has most: its queries have the tokens of all others
 * before them. */
double ss_attention_share(const ss_workload *w, double ranks)
{
  const double tokens = (double)w->model.sequence, window = ss_attention_window(w);
  if (w->model.chunk > 0 && !has_documents(w)) return share_in_chunks(w, ranks);
  if (has_documents(w)) return share_in_documents(w);
  if (w->model.causal == SS_NO && w->model.chunk == 0) return 1.0;
  const double first = w->parallelism.cp_balance == SS_YES ? 0.0 : tokens - tokens / ranks;
  return mean_keys(first, tokens, window) / tokens;
}

double ss_attention_span(const ss_workload *workload, double keys)
{
  return has_documents(workload) ? ss_attention_reach_of(workload).span : keys;
}
