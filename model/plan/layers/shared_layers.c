#include "model/plan/layers/shared_layers.h"

#include "model/input/layer_kinds.h"
#include "model/input/letters.h"
#include "model/input/workload.h"

/* Whether one layer attends to what another one has: the same tokens, by as many heads of the same size. */
static bool attends_alike(const ss_workload *a, const ss_workload *b)
{
  return a->model.window == b->model.window && a->model.chunk == b->model.chunk &&
         a->model.kv_heads == b->model.kv_heads && a->model.head_size == b->model.head_size;
}

bool ss_shared_keys_are_missing(const ss_workload *w)
{
  ss_layer_kinds kinds;
  bool makes[SS_LAYER_KINDS_MAX] = {false};
  if (w->model.pattern[0] == '\0' || !ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0)) return false;
  ss_letters letters = ss_letters_of(w->model.pattern);
  for (char name; ss_letters_next(&letters, &name);) {
    const int64_t kind = ss_layer_kind_called(&kinds, name);
    if (kind == kinds.count) return false; /* refused for that */
    const ss_workload of = ss_layer_kind_workload(w, &kinds.kind[kind]);
    bool found = of.model.shared_keys == SS_NO || !ss_workload_attends(&of);
    if (found) makes[kind] = ss_workload_attends(&of);
    for (int64_t i = 0; !found && i < kinds.count; ++i) {
      const ss_workload other = ss_layer_kind_workload(w, &kinds.kind[i]);
      found = makes[i] && attends_alike(&of, &other);
    }
    if (!found) return true;
  }
  return false;
}

bool ss_shared_choice_is_missing(const ss_workload *w)
{
  ss_layer_kinds kinds;
  ss_letters letters = ss_letters_of(w->model.pattern);
  if (!ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0)) return false;
  for (char name; ss_letters_next(&letters, &name);)
    for (int64_t i = 0; i < kinds.count; ++i) {
      if (kinds.kind[i].name != name) continue;
      const ss_workload of_kind = ss_layer_kind_workload(w, &kinds.kind[i]);
      if (ss_workload_is_sparse(&of_kind)) return of_kind.model.index_heads == 0;
    }
  return false;
}
