#include "model/block/layer/passes.h"

#include "model/base/number.h"
#include "model/block/holders.h"
#include "model/block/recomputation.h"
#include "model/input/workload.h"
#include "model/schedule/schedule.h"

static bool is_nothing(const ss_task *task)
{
  return !task->computes && task->calls == 0;
}

static void push(ss_task_list *list, const ss_task *task, ss_role role)
{
  if (is_nothing(task)) return;
  SS_ASSERT(list->count < SS_TASKS_MAX);
  const bool follows = list->count > 0 && list->task[list->count - 1].graphed != SS_GRAPHED_NOT;
  ss_task *pushed = &list->task[list->count++];
  *pushed = *task;
  pushed->role = role;
  if (task->graphed != SS_GRAPHED_NOT && follows) pushed->graphed = SS_GRAPHED_THEN;
}

/* Adds a gather to a task: whole, and beside its kernel where it has one. */
static void join_gather(ss_task *task, ss_call gather)
{
  ss_task_join(task, gather, task->computes ? ss_overlap_beside() : (ss_overlap){0});
}

static bool is_free(const ss_task *task)
{
  return task->computes && task->calls == 0;
}

/* Gathers the input of a product again before the gradient of its weights: beside the gradient of that input; where a
 * reduction runs beside this one, beside the kernel before; where that is not free either, by itself. */
static void gather_again(ss_task_list *list, ss_task *product, ss_call call)
{
  ss_task *before = list->count > 0 ? &list->task[list->count - 1] : NULL;
  if (is_free(product)) {
    join_gather(product, call);
  } else if (before != NULL && is_free(before)) {
    join_gather(before, call);
  } else {
    ss_task gather = {0};
    join_gather(&gather, call);
    push(list, &gather, SS_ROLE_AGAIN);
  }
}

static void absorb(ss_task *task, const ss_task *other)
{
  if (is_nothing(task)) {
    *task = *other;
    return;
  }
  task->kernel.flop += other->kernel.flop;
  task->kernel.hbm_bytes += other->kernel.hbm_bytes;
  for (int64_t i = 0; i < other->calls; ++i) ss_task_join(task, other->call[i], other->overlap);
}

static bool splits_backward(const ss_builder *b)
{
  return ss_schedule_of(b->workload->schedule.pipeline)->splits_backward;
}

/* Gradients of weights, unlike those of keys and values, can wait. */
static bool has_weight_gradients(const ss_operation *operation)
{
  return operation->weight.computes && operation->parameters > 0.0;
}

/* Bytes of what stands for the sum of the gradients so far: it is read and written, or, where only shards are added up,
 * written for the reduction. */
static double summed_bytes(const ss_builder *b, const ss_operation *operation)
{
  const bool leave = ss_gradients_leave(b->workload, operation->weights);
  return (leave ? 1.0 : 2.0) * b->gradient_bytes * operation->parameters;
}

/* Whether the product itself adds to the sum when it writes its result. One of panels does not: the sums of panels are
 * reduced first. */
static bool sums_in_product(const ss_builder *b, const ss_operation *operation)
{
  const ss_accumulation accumulation = b->workload->training.gradient_accumulation;
  if (operation->joint || accumulation == SS_ACCUMULATION_SEPARATE) return false;
  return accumulation == SS_ACCUMULATION_FUSED || operation->weights != SS_WEIGHTS_EXPERT;
}

/* Where the gradient of the weights has to wait, what would be reduced beside it is reduced by itself. What panels move
 * is part of their product and waits with it. */
static void push_reduction(ss_task_list *list, const ss_operation *operation)
{
  ss_task reduction = {0};
  if (operation->joint) return;
  for (int64_t i = 0; i < operation->weight.calls; ++i)
    ss_task_join(&reduction, operation->weight.call[i], (ss_overlap){0});
  push(list, &reduction, SS_ROLE_PLAIN);
}

/* The gradient of the weights, a product. */
static ss_task weight_gradient(const ss_builder *b, const ss_operation *operation)
{
  ss_task task = operation->weight;
  if (has_weight_gradients(operation) && !b->traits.as_published && sums_in_product(b, operation))
    task.kernel.hbm_bytes += summed_bytes(b, operation) - SS_ELEMENT_BYTES * operation->parameters;
  return task;
}

/* Where no product has added a gradient of weights to the sum, a kernel does, which reads the gradient once it has been
 * written. Gradients that leave in the type that they have are not touched again. */
static void push_sum(const ss_builder *b, ss_task_list *list, const ss_operation *operation)
{
  if (b->traits.as_published || !(has_weight_gradients(operation) || operation->scattered)) return;
  if (!operation->scattered && sums_in_product(b, operation)) return;
  const bool stays = ss_gradients_leave(b->workload, operation->weights) && b->gradient_bytes == SS_ELEMENT_BYTES;
  const double written_bytes = operation->scattered ? SS_ELEMENT_BYTES * operation->parameters : 0.0;
  const double sum_bytes = stays ? 0.0 : SS_ELEMENT_BYTES * operation->parameters + summed_bytes(b, operation);
  if (written_bytes + sum_bytes <= 0.0) return;
  const bool one_tensor = b->workload->training.gradient_accumulation == SS_ACCUMULATION_SEPARATE_EXPERTS;
  const ss_task sum = {.activity = SS_OP_GRADIENT_SUM,
                       .computes = true,
                       .kernel = {.engine = SS_ENGINE_VECTOR, .hbm_bytes = written_bytes + sum_bytes},
                       .matrices = one_tensor ? 0.0 : operation->weight.matrices,
                       .graphed = operation->weight.graphed};
  push(list, &sum, SS_ROLE_PLAIN);
}

/* Puts the tasks of `list` from `first` on that are gradients of weights, or sums of them, behind the exchange that
 * comes last; not those with a reduction beside them, which that needs. */
static void delay_weights(ss_task_list *list, int64_t first)
{
  ss_task_list late = {.count = 0};
  int64_t kept = first;
  for (int64_t i = first; i < list->count; ++i) {
    ss_task *task = &list->task[i];
    task->late = task->calls == 0 && (task->role == SS_ROLE_WEIGHTS || task->activity == SS_OP_GRADIENT_SUM);
    if (task->late)
      late.task[late.count++] = *task;
    else
      list->task[kept++] = *task;
  }
  for (int64_t i = 0; i < late.count; ++i) list->task[kept++] = late.task[i];
}

static void push_backward(const ss_builder *b, ss_task_list *list, const ss_operation *operation)
{
  const bool defers = splits_backward(b) && has_weight_gradients(operation);
  const bool computes = operation->weight.computes || operation->weight.calls == 0; /* not of frozen weights */
  const bool merges = !defers && computes && (b->traits.as_published || operation->joint);
  ss_task task = operation->backward, weight = weight_gradient(b, operation);
  if (merges) absorb(&task, &weight);
  if (!defers && operation->regathered.volume_bytes > 0.0) gather_again(list, &task, operation->regathered);
  push(list, &task, has_weight_gradients(operation) && !merges ? SS_ROLE_INPUT : SS_ROLE_PLAIN);
  if (!defers && !merges) push(list, &weight, SS_ROLE_WEIGHTS);
  if (!defers) push_sum(b, list, operation);
  if (defers) push_reduction(list, operation);
}

/* A gather beside the gradient of the weights hides as well as one beside that of the input: in a pass of such kernels
 * each is there for the next. */
static void push_weight(const ss_builder *b, ss_task_list *list, const ss_operation *operation)
{
  ss_task task = weight_gradient(b, operation);
  if (!operation->joint) {
    task.calls = 0;
    task.overlap = (ss_overlap){0};
  }
  if (operation->regathered.volume_bytes > 0.0) join_gather(&task, operation->regathered);
  push(list, &task, SS_ROLE_WEIGHTS);
  push_sum(b, list, operation);
}

/* What an operation gathers forward, without its kernel. */
static ss_task gathers_of(const ss_task *forward)
{
  ss_task gathers = {0};
  for (int64_t i = 0; i < forward->calls; ++i)
    if (forward->call[i].kind == SS_ALL_GATHER) ss_task_join(&gathers, forward->call[i], (ss_overlap){0});
  return gathers;
}

/* What runs forward again before the gradients of operation `at`; of regions that start there the outer one, which was
 * added later, comes first. */
static void push_again(const ss_builder *b, ss_task_list *backward, int64_t at)
{
  for (int64_t r = b->regions; r-- > 0;) {
    const ss_region *region = &b->region[r];
    if (ss_region_start(b, region) != at) continue;
    for (int64_t i = region->first; i < region->end; ++i) {
      const ss_task *forward = &b->operation[i].forward, gathers = gathers_of(forward);
      push(backward, region->gathers ? &gathers : forward, SS_ROLE_AGAIN);
    }
  }
}

static bool delays_weights(const ss_builder *b)
{
  return b->workload->schedule.overlap_ep == SS_EP_OVERLAP_DELAYED;
}

/* Parameters of the block of which that is so. */
static double parameters_that(const ss_builder *b, bool (*is_so)(const ss_workload *, ss_weights))
{
  double parameters = 0.0;
  for (int64_t i = 0; i < b->count; ++i) {
    const ss_operation *operation = &b->operation[i];
    if (!operation->elsewhere && is_so(b->workload, operation->weights)) parameters += operation->parameters;
  }
  return parameters;
}

static void push_copies(ss_task_list *list, ss_activity activity, double bytes)
{
  const ss_task copies = ss_kernel_task(activity, SS_ENGINE_VECTOR, 0.0, bytes);
  if (bytes > 0.0) push(list, &copies, SS_ROLE_PLAIN);
}

static bool copies_as(const ss_builder *b, ss_fsdp fsdp)
{
  return b->workload->parallelism.fsdp == fsdp && !b->traits.as_published;
}

/* Each weight out of what the ranks have gathered (split_with_sizes_copy in foreach_all_gather_copy_out of
 * torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py): read and written. */
static void push_copy_out(const ss_builder *b, ss_task_list *list)
{
  const bool as_operands = b->layer && b->workload->training.weights_type == SS_AS_OPERANDS;
  const double of_weight = as_operands ? b->recipe->gathered_bytes : SS_ELEMENT_BYTES;
  if (copies_as(b, SS_FSDP_PER_PARAMETER))
    push_copies(list, SS_OP_COPY_OUT, 2.0 * of_weight * parameters_that(b, ss_weights_gathered));
}

/* Gradients of views of one parameter, side by side (read and written), then divided in the type of the reduction (read
 * and written: _div_if_needed in _reduce_grad of torch/distributed/fsdp/_runtime_utils.py). */
static void push_flatten(const ss_builder *b, ss_task_list *list)
{
  const double of_gradient = 2.0 * SS_ELEMENT_BYTES + 2.0 * b->gradient_bytes;
  if (copies_as(b, SS_FSDP_FLAT))
    push_copies(list, SS_OP_FLATTEN, of_gradient * parameters_that(b, ss_gradients_leave));
}

void ss_passes_assemble(const ss_builder *b, ss_block *block)
{
  ss_task_list *forward = &block->list[SS_PASS_FORWARD], *backward = &block->list[SS_PASS_BACKWARD];
  push_copy_out(b, forward);
  for (int64_t i = 0; i < b->count; ++i) push(forward, &b->operation[i].forward, SS_ROLE_PLAIN);
  if (block->frozen) return;
  int64_t exchanged = 0;
  push_copy_out(b, backward);
  for (int64_t i = b->count; i-- > 0;) {
    push_again(b, backward, i);
    push_backward(b, backward, &b->operation[i]);
    if (!delays_weights(b) || !ss_task_exchanges(&b->operation[i].backward)) continue;
    delay_weights(backward, exchanged);
    exchanged = backward->count;
  }
  if (splits_backward(b))
    for (int64_t i = b->count; i-- > 0;)
      if (has_weight_gradients(&b->operation[i])) push_weight(b, &block->list[SS_PASS_WEIGHT], &b->operation[i]);
  push_flatten(b, splits_backward(b) ? &block->list[SS_PASS_WEIGHT] : backward);
}

/* What an optimizer that looks at matrices steps. */
/* Of products of adapters, which alone are trained beside frozen weights. */
static double adapter_flop(const ss_builder *b, const ss_operation *operation)
{
  const ss_product_shape *shape = &operation->forward.kernel.shape;
  if (!b->adapts || operation->frozen || operation->parameters <= 0.0) return 0.0;
  return 2.0 * shape->rows * shape->columns * shape->inner * operation->matrix.count;
}

static void add_matrix(ss_block *block, const ss_operation *operation)
{
  const bool trains = has_weight_gradients(operation) && operation->matrix.count > 0.0;
  if (!trains || !ss_block_traits_of(block->kind)->layer) return;
  SS_ASSERT(block->matrices < SS_MATRICES_MAX);
  block->matrix[block->matrices++] = operation->matrix;
}

void ss_passes_account_memory(const ss_builder *b, ss_block *block)
{
  const ss_block_traits *traits = ss_block_traits_of(block->kind);
  const double inputs = b->streams + (traits->module ? 1.0 : 0.0);
  const bool again = ss_builder_recomputes_whole(b) || ss_builder_recomputes_by_operation(b);
  if (again && !block->frozen && traits->recomputes)
    block->stored_bytes = inputs * SS_ELEMENT_BYTES * b->own_tokens * b->own_hidden;
  block->offload_bytes = block->stored_bytes;
  for (int64_t i = 0; i < b->count; ++i) {
    const ss_operation *operation = &b->operation[i];
    if (!operation->elsewhere) block->parameters[operation->weights] += operation->parameters;
    if (block->frozen) continue;
    if (!operation->elsewhere && !operation->frozen) block->trained[operation->weights] += operation->parameters;
    const double kept_bytes = operation->stored_bytes - operation->remade_bytes;
    block->stored_bytes += kept_bytes;
    if (operation->offloaded || b->workload->training.offload_modules == 0) block->offload_bytes += kept_bytes;
    if (has_weight_gradients(operation)) block->deferred_bytes += operation->stored_bytes + operation->gradient_bytes;
    block->scratch_bytes = ss_max(block->scratch_bytes, operation->scratch_bytes);
    if (operation->forward.activity == SS_OP_CROSS_ENTROPY) block->logits_bytes += operation->stored_bytes;
    block->adapter_flop += adapter_flop(b, operation);
    add_matrix(block, operation);
  }
  if (!block->frozen) block->working_bytes = ss_builder_working_bytes(b);
}
