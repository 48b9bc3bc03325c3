#include "model/input/exchange.h"

#include "model/input/layer_kinds.h"
#include "model/input/origin.h"

bool ss_chunks_are_local(const ss_workload *workload)
{
  const int64_t ranks = workload->parallelism.cp * workload->parallelism.tp2;
  const int64_t pieces = workload->parallelism.cp_balance == SS_YES ? 2 * ranks : ranks;
  const bool has_documents = workload->training.documents != SS_DOCUMENTS_NONE;
  const int64_t sequence = workload->model.sequence, chunk = workload->model.chunk;
  return ranks > 1 && chunk > 0 && !has_documents && sequence % chunk == 0 && sequence / chunk % pieces == 0;
}

/* What layers of one kind do not take. */
typedef struct excluded {
  bool ring, heads;
} excluded;

static void exclude(const ss_workload *w, excluded *no)
{
  if (!ss_workload_attends(w)) return;
  const bool local = w->model.chunk > 0 && ss_chunks_are_local(w);
  no->ring = no->ring || w->model.window > 0 || (w->model.chunk > 0 && !local) || ss_workload_is_sparse(w);
  const int64_t heads = w->model.kv_heads != SS_DERIVED ? w->model.kv_heads : w->model.heads;
  no->heads = no->heads || ss_workload_is_sparse(w) || heads % (w->parallelism.tp * w->parallelism.cp) != 0;
}

/* By all kinds of layers; nothing where these cannot be read, which is refused elsewhere. */
static excluded excluded_of(const ss_workload *workload)
{
  const bool is_plain = workload->parallelism.cp_inner == 1 && workload->parallelism.cp_sums == SS_CP_SUMS_KERNEL;
  excluded no = {.ring = false, .heads = !is_plain};
  ss_layer_kinds kinds = {.count = 0};
  if (workload->parallelism.cp <= 1 || workload->parallelism.tp < 1) return no;
  if (!ss_layer_kinds_read(workload->model.kinds, &kinds, NULL, 0)) return no;
  exclude(workload, &no);
  for (int64_t i = 0; i < kinds.count; ++i) {
    const ss_workload of_kind = ss_layer_kind_workload(workload, &kinds.kind[i]);
    exclude(&of_kind, &no);
  }
  return no;
}

bool ss_exchange_takes_ring(const ss_workload *workload)
{
  return !excluded_of(workload).ring;
}

void ss_exchange_choose(ss_workload *workload)
{
  const ss_attribute_index exchange = SS_AT_parallelism_cp_exchange;
  if (workload->line[exchange] != SS_LINE_DEFAULT || workload->parallelism.cp_exchange != SS_CP_RING) return;
  const excluded no = excluded_of(workload);
  if (!no.ring) return;
  workload->parallelism.cp_exchange = no.heads ? SS_CP_GATHER : SS_CP_ALL_TO_ALL;
  workload->line[exchange] = SS_LINE_DERIVED;
}
