#include "model/plan/layers/layer_plan.h"

#include <stdlib.h>
#include <string.h>

#include "model/input/layer_ids.h"
#include "model/input/tower.h"

_Static_assert(SS_BLOCK_KIND_7_KEPT - SS_BLOCK_KIND_0 + 1 == 2 * SS_LAYER_KINDS_IN_ALL, "a kind has no blocks");
_Static_assert(SS_LAYER_KINDS_MAX <= SS_LAYER_KINDS_IN_ALL, "a kind of a model has no blocks");

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

const char *ss_layer_ids_problem(const ss_workload *workload)
{
  return ss_layer_ids_fill(workload->training.recompute_layer_ids, workload->model.layers, NULL);
}

static bool has_16bit_layers(const ss_workload *workload)
{
  return workload->training.bf16_first_layers > 0 || workload->training.bf16_last_layers > 0;
}

/* Each kind may be in 16 bits, too. */
bool ss_layer_kinds_overflow(const ss_workload *workload)
{
  return has_16bit_layers(workload) && !ss_layer_kinds_in_16bit(workload);
}

/* As is_first_last_bf16_layer of Megatron-LM (megatron/core/fp8_utils.py) has it. */
static bool is_in_16bit(const ss_workload *workload, int64_t layer)
{
  return layer < workload->training.bf16_first_layers ||
         layer >= workload->model.layers - workload->training.bf16_last_layers;
}

/* The first layer that has experts, if there are no kinds. */
static int64_t dense_layers(const ss_workload *workload)
{
  return ss_workload_has_experts(workload) ? workload->model.dense_layers : INT64_MAX;
}

/* The kind in 16 bits of a kind, made where there is none yet. */
static int8_t kind_in_16bit(ss_layer_plan *plan, int8_t of)
{
  int64_t kind = plan->kinds.count;
  while (kind < plan->count && plan->of[kind] != of) ++kind;
  SS_ASSERT(kind < SS_LAYER_KINDS_IN_ALL);
  if (kind == plan->count) plan->of[plan->count++] = of;
  return (int8_t)kind;
}

/* What the layer of modules is of. */
static int8_t kind_of_modules(const ss_layer_plan *plan, const ss_workload *workload)
{
  const char letter = workload->model.mtp_kind[0];
  if (letter == '\0') return plan->kind_of[workload->model.layers - 1];
  return (int8_t)ss_layer_kind_called(&plan->kinds, letter);
}

static void number_kinds(ss_layer_plan *plan, const ss_workload *workload)
{
  const int64_t layers = workload->model.layers;
  const bool several = workload->model.pattern[0] != '\0';
  if (several)
    SS_ASSERT(ss_layer_pattern_fill(&plan->kinds, workload->model.pattern, layers, plan->kind_of) == NULL);
  else
    memset(plan->kind_of, -1, (size_t)layers * sizeof *plan->kind_of);
  plan->of_modules = kind_of_modules(plan, workload);
  for (int64_t i = 0; i < layers; ++i)
    if (is_in_16bit(workload, i))
      plan->kind_of[i] = kind_in_16bit(plan, (int8_t)(several ? plan->kind_of[i] : i >= dense_layers(workload)));
}

/* Which layers recompute, where they are listed. */
static ss_status read_ids(ss_layer_plan *plan, const ss_workload *workload)
{
  const char *ids = workload->training.recompute_layer_ids;
  if (ids[0] == '\0') return SS_OK;
  plan->recomputes = malloc((size_t)workload->model.layers * sizeof *plan->recomputes);
  if (plan->recomputes == NULL) return SS_ERROR_MEMORY;
  SS_ASSERT(ss_layer_ids_fill(ids, workload->model.layers, plan->recomputes) == NULL);
  return SS_OK;
}

/* Modules that predict a token further stay in 16 bits. */
static bool keeps_modules(const ss_workload *workload)
{
  return workload->model.mtp_modules > 0 && (workload->training.precise_modules & SS_WORD_BIT(SS_PRECISE_MTP)) != 0;
}

ss_status ss_layer_plan_init(ss_layer_plan *plan, const ss_workload *workload)
{
  *plan = (ss_layer_plan){.of_modules = -1};
  const ss_status status = read_ids(plan, workload);
  if (status != SS_OK) return status;
  if (keeps_modules(workload)) {
    plan->module = malloc(sizeof *plan->module);
    if (plan->module == NULL) return SS_ERROR_MEMORY;
  }
  if (ss_has_tower(workload)) {
    plan->tower = malloc(2 * sizeof *plan->tower);
    if (plan->tower == NULL) return SS_ERROR_MEMORY;
  }
  if (workload->model.pattern[0] != '\0' || has_16bit_layers(workload)) {
    plan->kind_of = malloc((size_t)workload->model.layers * sizeof *plan->kind_of);
    if (plan->kind_of == NULL) return SS_ERROR_MEMORY;
    SS_ASSERT(ss_layer_kinds_read(workload->model.kinds, &plan->kinds, NULL, 0));
    for (plan->count = 0; plan->count < plan->kinds.count; ++plan->count) plan->of[plan->count] = (int8_t)plan->count;
    number_kinds(plan, workload);
    SS_ASSERT(plan->count > 0);
    plan->workload = malloc((size_t)plan->count * sizeof *plan->workload);
    if (plan->workload == NULL) return SS_ERROR_MEMORY;
  }
  ss_layer_plan_update(plan, workload);
  return SS_OK;
}

void ss_layer_plan_free(ss_layer_plan *plan)
{
  free(plan->workload);
  free(plan->kind_of);
  free(plan->module);
  free(plan->tower);
  free(plan->recomputes);
  *plan = (ss_layer_plan){.kinds = {.count = 0}};
}

char ss_layer_plan_letter(const ss_layer_plan *plan, int64_t kind)
{
  return (char)(plan->kinds.count > 0 ? plan->kinds.kind[plan->of[kind]].name : '\0');
}

bool ss_layer_plan_is_16bit(const ss_layer_plan *plan, int64_t kind)
{
  return kind >= plan->kinds.count;
}

/* What is quantised of other layers has 16 bits, too. */
static void set_16bit(ss_workload *workload)
{
  workload->training.precision = SS_PRECISION_BF16;
  workload->training.gather_type = workload->training.weights_type = SS_AS_16BIT;
  workload->training.attention_type = workload->training.reduce_type = SS_AS_16BIT;
  workload->training.dispatch_type = SS_DISPATCH_16BIT;
}

/* Without kinds, layers that have no experts are those of a model that has none. */
static ss_workload kind_workload(const ss_layer_plan *plan, const ss_workload *workload, int64_t kind)
{
  const int8_t of = plan->of[kind];
  if (plan->kinds.count > 0) return ss_layer_kind_workload(workload, &plan->kinds.kind[of]);
  ss_workload own = *workload;
  if (ss_workload_has_experts(workload) && of == 0) own.model.feed_forward = SS_FEED_FORWARD_MLP;
  return own;
}

void ss_layer_plan_update(ss_layer_plan *plan, const ss_workload *workload)
{
  for (int64_t i = 0; i < plan->count; ++i) {
    plan->workload[i] = kind_workload(plan, workload, i);
    if (ss_layer_plan_is_16bit(plan, i)) set_16bit(&plan->workload[i]);
  }
  if (plan->module != NULL) {
    *plan->module = plan->of_modules < 0 ? *workload : plan->workload[plan->of_modules];
    set_16bit(plan->module);
  }
  if (plan->tower == NULL) return;
  plan->tower[0] = plan->tower[1] = ss_tower_workload(workload);
  plan->tower[1].model.chunk = workload->model.vision_window;
}

void ss_layer_plan_lay(const ss_layer_plan *plan, const ss_workload *workload, int64_t layer, int64_t count,
                       ss_counted_layers counted, int8_t *kind)
{
  static const int8_t plain[2][2] = {{SS_BLOCK_LAYER_KEPT, SS_BLOCK_LAYER}, {SS_BLOCK_EXPERT_KEPT, SS_BLOCK_EXPERT}};
  const int64_t dense = dense_layers(workload);
  for (int64_t i = 0, place = 0; i < count; ++i, place = place + 1 < counted.of ? place + 1 : 0) {
    const int8_t of = (int8_t)(plan->kind_of != NULL ? plan->kind_of[layer + i] : -1);
    const bool counts = plan->recomputes != NULL ? plan->recomputes[layer + i] : place < counted.first;
    kind[i] = (int8_t)(of >= 0 ? (int)ss_block_of_kind(of, counts) : plain[layer + i >= dense][counts]);
  }
}

const ss_workload *ss_layer_plan_workload(const ss_layer_plan *plan, const ss_workload *workload, ss_block_kind kind)
{
  if ((SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_WINDOWS) != 0) return &plan->tower[1];
  if ((SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_VISION) != 0) return plan->tower;
  if (ss_block_traits_of(kind)->module && plan->module != NULL) return plan->module;
  const int64_t index = ss_block_traits_of(kind)->module ? plan->of_modules : ss_block_kind_index(kind);
  return index < 0 ? workload : &plan->workload[index];
}
