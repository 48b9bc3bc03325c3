#include "model/block/recomputation.h"

#include "model/base/number.h"
#include "model/input/workload.h"

bool ss_builder_recomputes_logits(const ss_builder *b)
{
  return ss_builder_is_selective(b) && b->workload->training.recompute_modules == 0;
}

bool ss_builder_recomputes_whole(const ss_builder *b)
{
  const bool grouped = b->workload->training.recompute_method == SS_RECOMPUTE_UNIFORM && b->layer;
  return b->workload->training.recompute == SS_RECOMPUTE_FULL && (b->recomputes || grouped);
}

/* Where what runs again may end, since all that gradients need is there: ahead of the last operation that keeps
 * something, which is what it reads. */
static int64_t early_end(const ss_builder *b)
{
  int64_t last = b->count - 1;
  while (last > 0 && b->operation[last].stored_bytes <= 0.0) --last;
  return last;
}

/* Of products and scans, on the mean rank: of those of experts, the block has what the fullest one computes. */
static double flop_of(const ss_builder *b, const ss_operation *operation)
{
  const ss_workload *w = b->workload;
  const ss_kernel *kernel = &operation->forward.kernel;
  const bool unlike = w->training.capacity_factor == 0.0 && w->parallelism.ep > 1;
  const double share = unlike && operation->weights == SS_WEIGHTS_EXPERT ? w->training.imbalance : 1.0;
  return kernel->engine == SS_ENGINE_VECTOR ? 0.0 : kernel->flop / share;
}

static double recompute_whole(ss_builder *b)
{
  const bool stops = b->workload->training.recompute_early_stop == SS_YES;
  const int64_t end = stops ? early_end(b) : b->count;
  double flop = 0.0;
  for (int64_t i = 0; i < b->count; ++i) b->operation[i].remade_bytes = b->operation[i].stored_bytes;
  for (int64_t i = 0; i < end; ++i) flop += flop_of(b, &b->operation[i]);
  ss_builder_run_again_first(b, 0, end);
  return flop;
}

static bool keeps_products(const ss_builder *b)
{
  return b->workload->training.recompute == SS_RECOMPUTE_KEEP_PRODUCTS;
}

bool ss_builder_recomputes_by_operation(const ss_builder *b)
{
  return (b->workload->training.recompute == SS_RECOMPUTE_PER_OP || keeps_products(b)) && b->recomputes;
}

static bool is_product(const ss_operation *operation)
{
  return operation->forward.computes && operation->result_bytes > 0.0 && operation->parameters > 0.0;
}

/* A product with weights that all tokens go through (aten.mm); those of experts are grouped, and that of the router is
 * left out by default (per_op_sac_force_recompute_mm_shapes_by_fqns). */
static bool is_counted(const ss_operation *operation)
{
  return is_product(operation) && operation->weights == SS_WEIGHTS_DENSE && operation->forward.activity != SS_OP_ROUTER;
}

static bool is_kept_call(const ss_builder *b, const ss_call *call)
{
  return call->kind == SS_REDUCE_SCATTER || (call->kind == SS_ALL_TO_ALL && !keeps_products(b));
}

/* Of the results that collectives of an operation leave, those that are kept. */
static double kept_calls_bytes(const ss_builder *b, const ss_task *forward)
{
  double bytes = 0.0;
  for (int64_t i = 0; i < forward->calls; ++i) {
    const ss_call *call = &forward->call[i];
    const double share = call->kind == SS_REDUCE_SCATTER ? b->split.ranks : 1.0;
    if (is_kept_call(b, call)) bytes += call->volume_bytes / share;
  }
  return bytes;
}

/* A reduction by itself, of what the product before has written. */
static bool reduces(const ss_task *forward)
{
  return !forward->computes && forward->calls > 0 && forward->call[0].kind == SS_REDUCE_SCATTER;
}

/* The sum of what a reduction beside a product has brought, which is its result. */
static bool ends_reduction(const ss_builder *b, int64_t at)
{
  if (b->operation[at].forward.activity != SS_OP_PIECE_SUM) return false;
  const ss_task *before = NULL;
  for (int64_t i = at - 1; i >= 0 && before == NULL; --i)
    if (b->operation[i].forward.computes) before = &b->operation[i].forward;
  return before != NULL && before->calls > 0 && before->call[0].kind == SS_REDUCE_SCATTER;
}

/* Attention, and largest values, which scales come of (aten.max in the list of what torchtitan saves). */
static bool is_always_kept(const ss_operation *operation)
{
  const ss_activity activity = operation->forward.activity;
  return activity == SS_OP_ATTENTION || activity == SS_OP_SPARSE_ATTENTION || activity == SS_OP_AMAX;
}

/* Whether the result itself of an operation is kept, behind so many products that count. Of a product that is reduced
 * the sum is. */
static bool keeps_result(const ss_builder *b, int64_t at, int64_t products)
{
  const ss_operation *operation = &b->operation[at];
  if (!keeps_products(b)) return (is_counted(operation) && products % 2 == 0) || is_always_kept(operation);
  const bool reduced_next = at + 1 < b->count && reduces(&b->operation[at + 1].forward);
  return is_product(operation) && !reduced_next && kept_calls_bytes(b, &operation->forward) <= 0.0;
}

/* A gather by itself for a product that does not run again and gathers anew for the gradient of its weights. */
static bool serves_kept(const ss_builder *b, int64_t at)
{
  const ss_task *forward = &b->operation[at].forward;
  const bool gather = !forward->computes && forward->calls > 0 && forward->call[0].kind == SS_ALL_GATHER;
  const bool product_next = at + 1 < b->count && is_product(&b->operation[at + 1]);
  return gather && product_next && keeps_products(b) && !ss_builder_keeps_gathered(b);
}

/* Marks what does not run again, and returns the bytes of the results that are kept for that. A compiler also leaves
 * out a product of which only a kept sum is read; where products are kept, results that nothing reads do not count. */
static double mark_kept(const ss_builder *b, bool kept[SS_OPERATIONS_MAX])
{
  const int64_t end = early_end(b), read = keeps_products(b) ? end : b->count;
  double bytes = 0.0;
  int64_t products = 0, last = 0;
  for (int64_t i = 0; i < b->count; ++i) {
    const ss_operation *operation = &b->operation[i];
    const bool result = keeps_result(b, i, products);
    const double calls_bytes = kept_calls_bytes(b, &operation->forward);
    kept[i] = result || calls_bytes > 0.0 || ends_reduction(b, i) || serves_kept(b, i) || i >= end;
    if (i < read) bytes += calls_bytes + (result ? operation->result_bytes : 0.0);
    if (b->fused && reduces(&operation->forward)) kept[last] = true;
    if (is_counted(operation)) products += 1, last = i;
  }
  return bytes;
}

/* The operations up to `end` that are not kept. */
static int64_t start_of_run(const bool *kept, int64_t end)
{
  int64_t first = end - 1;
  while (first > 0 && !kept[first - 1]) --first;
  return first;
}

static bool gathers(const ss_operation *operation)
{
  const ss_task *forward = &operation->forward;
  return forward->computes && forward->calls > 0 && forward->call[0].kind == SS_ALL_GATHER;
}

/* The first run of operations is added last, so that it comes first. */
static void add_runs(ss_builder *b, const bool *kept, double made_bytes)
{
  for (int64_t end = b->count; end > 0;) {
    const int64_t first = kept[end - 1] ? end - 1 : start_of_run(kept, end);
    const bool apart = kept[first] && gathers(&b->operation[first]) && ss_builder_keeps_gathered(b);
    const ss_region region = {.first = first, .end = end, .before = SS_OPERATIONS_MAX, .gathers = apart};
    if (!kept[first] || apart) ss_builder_add_region(b, region);
    end = first;
  }
  if (b->regions > 0) b->region[b->regions - 1].remade_bytes = made_bytes;
}

static double recompute_by_operation(ss_builder *b)
{
  bool kept[SS_OPERATIONS_MAX];
  double stored_bytes = 0.0, flop = 0.0;
  const double kept_bytes = mark_kept(b, kept);
  for (int64_t i = 0; i < b->count; ++i) {
    ss_operation *operation = &b->operation[i];
    if (!kept[i]) flop += flop_of(b, operation);
    operation->remade_bytes = operation->stored_bytes;
    stored_bytes += operation->stored_bytes;
  }
  add_runs(b, kept, ss_max(stored_bytes - kept_bytes, 0.0));
  ss_builder_add(b, (ss_operation){.stored_bytes = kept_bytes});
  return flop;
}

double ss_builder_recompute_operations(ss_builder *b)
{
  if (ss_builder_recomputes_whole(b)) return recompute_whole(b);
  return ss_builder_recomputes_by_operation(b) ? recompute_by_operation(b) : 0.0;
}

bool ss_builder_recomputes_norms(const ss_builder *b)
{
  return ss_builder_recomputes(b, SS_RECOMPUTE_LAYERNORM) || ss_builder_recomputes(b, SS_RECOMPUTE_MHC);
}

bool ss_builder_offloads(const ss_builder *b, ss_offload_module module)
{
  return (b->workload->training.offload_modules & SS_WORD_BIT(module)) != 0;
}

void ss_builder_keep_input(ss_builder *b, ss_recompute_module module, double bytes)
{
  if (ss_builder_recomputes(b, module) && bytes > 0.0) ss_builder_add(b, (ss_operation){.stored_bytes = bytes});
}

int64_t ss_builder_open(ss_builder *b, ss_recompute_module module)
{
  const int64_t first = b->count;
  if (ss_builder_keeps_gathered(b) || b->recipe->weight_gradient != SS_FORMAT_16BIT)
    ss_builder_keep_input(b, module, SS_ELEMENT_BYTES * b->own_tokens * b->own_hidden);
  if (ss_builder_recomputes_norms(b)) ss_builder_remake(b, first, b->count);
  return b->count;
}

/* All that the operations of a checkpoint store is made again before their gradients. */
void ss_builder_close(ss_builder *b, ss_recompute_module module, int64_t first)
{
  if (!ss_builder_recomputes(b, module)) return;
  ss_builder_remake(b, first, b->count);
  ss_builder_run_again(b, first, b->count);
}

void ss_builder_remake(ss_builder *b, int64_t first, int64_t end)
{
  for (int64_t i = first; i < end; ++i)
    if (!b->operation[i].keeps_norm) b->operation[i].remade_bytes = b->operation[i].stored_bytes;
}

/* What is made again from `first` on, and not by a region inside. */
static double remade_bytes(const ss_builder *b, int64_t first)
{
  double bytes = 0.0;
  for (int64_t i = first; i < b->count; ++i) bytes += b->operation[i].remade_bytes;
  for (int64_t i = 0; i < b->regions; ++i)
    if (b->region[i].first >= first) bytes -= b->region[i].remade_bytes;
  return bytes;
}

void ss_builder_run_again(ss_builder *b, int64_t first, int64_t end)
{
  ss_builder_add_region(
      b, (ss_region){.first = first, .end = end, .before = b->count, .remade_bytes = remade_bytes(b, first)});
}

void ss_builder_run_again_first(ss_builder *b, int64_t first, int64_t end)
{
  ss_builder_add_region(
      b, (ss_region){.first = first, .end = end, .before = SS_OPERATIONS_MAX, .remade_bytes = remade_bytes(b, first)});
}

void ss_builder_offload(ss_builder *b, ss_offload_module module, int64_t first)
{
  for (int64_t i = first; i < b->count && ss_builder_offloads(b, module); ++i) b->operation[i].offloaded = true;
}

/* With the sum of streams that it reads, where that is made again, too. */
void ss_builder_add_input_norm(ss_builder *b, ss_activity activity, ss_offload_module module)
{
  const bool sums = ss_builder_recomputes(b, SS_RECOMPUTE_MHC);
  const int64_t first = b->count;
  ss_builder_add_norm(b, activity, b->hidden);
  b->norm_first = sums ? b->sum_first : first;
  b->norm_end = b->count;
  if (sums) ss_builder_remake(b, first, b->count);
  ss_builder_offload(b, module, first);
}

void ss_builder_end_input_norm(ss_builder *b)
{
  if (ss_builder_recomputes_norms(b)) ss_builder_run_again(b, b->norm_first, b->norm_end);
}

int64_t ss_region_start(const ss_builder *b, const ss_region *region)
{
  return (region->before < b->count ? region->before : b->count) - 1;
}

/* Backward comes to the operations from the last to the first: what runs again then is there in addition, and what an
 * operation kept is gone when its gradients are there. */
double ss_builder_working_bytes(const ss_builder *b)
{
  double now = 0.0, most = 0.0;
  for (int64_t i = b->count; b->regions > 0 && i-- > 0;) {
    for (int64_t r = 0; r < b->regions; ++r)
      if (ss_region_start(b, &b->region[r]) == i) now += b->region[r].remade_bytes;
    most = ss_max(most, now);
    now -= b->operation[i].stored_bytes;
  }
  return most;
}
