#include "model/plan/layer_plan.h"

#include <stdlib.h>

#include "model/input/tower.h"

_Static_assert(SS_BLOCK_KIND_5_KEPT - SS_BLOCK_KIND_0 + 1 == 2 * SS_LAYER_KINDS_MAX, "a kind has no blocks");

const char *ss_layer_kinds_problem(const ss_workload *workload, char *problem, size_t size)
{
  ss_layer_kinds kinds;
  return ss_layer_kinds_read(workload->model.kinds, &kinds, problem, size) ? NULL : problem;
}

const char *ss_layer_pattern_problem(const ss_workload *workload)
{
  ss_layer_kinds kinds;
  if (!ss_layer_kinds_read(workload->model.kinds, &kinds, NULL, 0)) return NULL; /* refused for these */
  return ss_layer_pattern_fill(&kinds, workload->model.pattern, workload->model.layers, NULL);
}

ss_status ss_layer_plan_init(ss_layer_plan *plan, const ss_workload *workload)
{
  *plan = (ss_layer_plan){.kinds = {.count = 0}};
  if (ss_has_tower(workload)) {
    plan->tower = malloc(sizeof *plan->tower);
    if (plan->tower == NULL) return SS_ERROR_MEMORY;
  }
  ss_layer_plan_update(plan, workload);
  if (workload->model.pattern[0] == '\0') return SS_OK;
  SS_ASSERT(ss_layer_kinds_read(workload->model.kinds, &plan->kinds, NULL, 0));
  plan->workload = malloc((size_t)plan->kinds.count * sizeof *plan->workload);
  plan->kind_of = malloc((size_t)workload->model.layers * sizeof *plan->kind_of);
  if (plan->workload == NULL || plan->kind_of == NULL) return SS_ERROR_MEMORY;
  SS_ASSERT(ss_layer_pattern_fill(&plan->kinds, workload->model.pattern, workload->model.layers, plan->kind_of) ==
            NULL);
  ss_layer_plan_update(plan, workload);
  return SS_OK;
}

void ss_layer_plan_free(ss_layer_plan *plan)
{
  free(plan->workload);
  free(plan->kind_of);
  free(plan->tower);
  *plan = (ss_layer_plan){.kinds = {.count = 0}};
}

void ss_layer_plan_update(ss_layer_plan *plan, const ss_workload *workload)
{
  for (int64_t i = 0; i < plan->kinds.count; ++i)
    plan->workload[i] = ss_layer_kind_workload(workload, &plan->kinds.kind[i]);
  if (plan->tower != NULL) *plan->tower = ss_tower_workload(workload);
}

void ss_layer_plan_lay(const ss_layer_plan *plan, const ss_workload *workload, int64_t layer, int64_t count,
                       ss_counted_layers counted, int8_t *kind)
{
  static const int8_t plain[2][2] = {{SS_BLOCK_LAYER_KEPT, SS_BLOCK_LAYER}, {SS_BLOCK_EXPERT_KEPT, SS_BLOCK_EXPERT}};
  const bool several = plan->kinds.count > 0;
  const int64_t dense = ss_workload_has_experts(workload) ? workload->model.dense_layers : INT64_MAX;
  for (int64_t i = 0, place = 0; i < count; ++i, place = place + 1 < counted.of ? place + 1 : 0)
    if (several)
      kind[i] = (int8_t)ss_block_of_kind(plan->kind_of[layer + i], place < counted.first);
    else
      kind[i] = plain[layer + i >= dense][place < counted.first];
}

const ss_workload *ss_layer_plan_workload(const ss_layer_plan *plan, const ss_workload *workload, ss_block_kind kind)
{
  if ((SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_VISION) != 0) return plan->tower;
  if (plan->kinds.count == 0) return workload;
  const bool module = ss_block_traits_of(kind)->module;
  const int64_t index = module ? plan->kind_of[workload->model.layers - 1] : ss_block_kind_index(kind);
  return index < 0 ? workload : &plan->workload[index];
}
