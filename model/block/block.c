#include "model/block/block.h"

#include "model/block/builder.h"

const ss_block_traits *ss_block_traits_of(ss_block_kind kind)
{
  static const ss_block_traits traits[] = {
#define SS_BLOCK_TRAITS(id, activity, layer, experts, recomputes) {activity, layer, experts, recomputes},
      SS_BLOCK_LIST(SS_BLOCK_TRAITS)
#undef SS_BLOCK_TRAITS
  };
  return &traits[kind];
}

const char *ss_role_text(ss_role role)
{
  static const char *const texts[] = {
#define SS_ROLE_TEXT(id, text) text,
      SS_ROLE_LIST(SS_ROLE_TEXT)
#undef SS_ROLE_TEXT
  };
  return texts[role];
}

static void add_layer(ss_builder *b)
{
  ss_builder_add_attention(b);
  ss_builder_add_dense(b);
}

static void add_expert_layer(ss_builder *b)
{
  ss_builder_add_attention(b);
  ss_builder_add_experts(b);
}

/* Each tensor-parallel rank looks up the tokens of its part of the vocabulary. With summa the table is split on the
 * other axis, too, and gathered along it. */
static void add_embedding(ss_builder *b)
{
  const double parameters = (double)b->workload->model.vocabulary / b->tp * b->hidden;
  const double own_parameters = parameters / (b->summa ? b->context : 1.0);
  if (b->summa)
    ss_builder_add_exchange(b, (ss_call){SS_GROUP_TENSOR_2, SS_ALL_GATHER, SS_ELEMENT_BYTES * parameters},
                            (ss_call){SS_GROUP_TENSOR_2, SS_REDUCE_SCATTER, SS_ELEMENT_BYTES * parameters});
  ss_builder_add(b, ss_operation_lookup(b->tokens, b->hidden, own_parameters));
  ss_builder_add_reduction(b, SS_ELEMENT_BYTES * b->tokens * b->hidden);
  if (b->dropout) ss_builder_add(b, ss_operation_dropout(SS_OP_DROPOUT_1, b->own_tokens * b->own_hidden));
}

static void add_head(ss_builder *b)
{
  const double vocabulary = (double)b->workload->model.vocabulary;
  ss_builder_add_norm(b, SS_OP_FINAL_NORM, b->hidden);
  ss_builder_add_column(
      b, (ss_product){.activity = SS_OP_OUTPUT, .tokens = b->tokens, .in = b->hidden, .out = vocabulary});
  ss_builder_add(b, ss_operation_cross_entropy(b->tokens * vocabulary / b->tp));
  /* vocabulary-parallel cross entropy: maximum, sum and predicted logit of every token, in fp32 */
  ss_builder_add_exchange(b, (ss_call){SS_GROUP_TENSOR, SS_ALL_REDUCE, 3.0 * 4.0 * b->tokens},
                          (ss_call){.volume_bytes = 0.0});
}

/* Of a message that each tensor-parallel rank sent a share of; the receivers gather it. */
static ss_call message_gather(const ss_builder *b)
{
  const bool shares = b->workload->schedule.pipeline_rs_ag == SS_YES && !b->sequence_parallel && !b->summa;
  return (ss_call){SS_GROUP_TENSOR, SS_ALL_GATHER, shares ? SS_ELEMENT_BYTES * b->tokens * b->hidden : 0.0};
}

static void add_entry(ss_builder *b)
{
  ss_builder_add_exchange(b, message_gather(b), (ss_call){.volume_bytes = 0.0});
}

static void add_exit(ss_builder *b)
{
  ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0}, message_gather(b));
}

static void push(ss_task_list *list, const ss_task *task, ss_role role)
{
  if (!task->computes && task->calls == 0) return;
  SS_ASSERT(list->count < SS_TASKS_MAX);
  list->task[list->count] = *task;
  list->task[list->count++].role = role;
}

/* Beside one kernel, whole. */
static void join_gather(ss_task *task, double volume_bytes)
{
  ss_task_join(task, (ss_call){SS_GROUP_TENSOR, SS_ALL_GATHER, volume_bytes},
               task->computes ? ss_overlap_beside() : (ss_overlap){0});
}

static bool is_free(const ss_task *task)
{
  return task->computes && task->calls == 0;
}

/* The input of a product, gathered again before the gradient of its weights: beside the gradient of that input; where
 * a reduction runs beside this one, beside the kernel before; and where that is not free either, by itself. */
static void gather_again(ss_task_list *list, ss_task *product, double volume_bytes)
{
  ss_task *before = list->count > 0 ? &list->task[list->count - 1] : NULL;
  if (is_free(product)) {
    join_gather(product, volume_bytes);
  } else if (before != NULL && is_free(before)) {
    join_gather(before, volume_bytes);
  } else {
    ss_task gather = {0};
    join_gather(&gather, volume_bytes);
    push(list, &gather, SS_ROLE_AGAIN);
  }
}

static void absorb(ss_task *task, const ss_task *other)
{
  task->kernel.flop += other->kernel.flop;
  task->kernel.hbm_bytes += other->kernel.hbm_bytes;
  for (int64_t i = 0; i < other->calls; ++i) ss_task_join(task, other->call[i], other->overlap);
}

static bool splits_backward(const ss_builder *b)
{
  return ss_schedule_traits_of(b->workload->schedule.pipeline).splits_backward;
}

/* Gradients of weights, unlike those of keys and values, can wait. */
static bool has_weight_gradients(const ss_operation *operation)
{
  return operation->weight.computes && operation->parameters > 0.0;
}

double ss_gradient_bytes(const ss_workload *workload, ss_cost cost)
{
  const bool by_precision = ss_cost_traits_of(cost).fp32_gradients && workload->training.precision != SS_PRECISION_FP16;
  switch (workload->training.gradients) {
  case SS_GRADIENTS_AUTO: return by_precision ? SS_FP32_BYTES : SS_ELEMENT_BYTES;
  case SS_GRADIENTS_FP32: return SS_FP32_BYTES;
  case SS_GRADIENTS_16BIT: return SS_ELEMENT_BYTES;
  }
  return 0.0;
}

bool ss_gradients_leave(const ss_workload *workload, ss_weights weights)
{
  const bool summa = workload->parallelism.tensor == SS_TENSOR_SUMMA;
  const int64_t sequence = summa ? 1 : workload->parallelism.cp * workload->parallelism.tp2;
  const int64_t holders = workload->parallelism.dp * sequence;
  return workload->parallelism.sharding >= SS_SHARDING_GRADIENTS &&
         holders > (weights == SS_WEIGHTS_EXPERT ? workload->parallelism.ep : 1);
}

/* The embedding has the table that both use: its gradient is complete when backward has come there. */
static bool has_table_elsewhere(const ss_builder *b, const ss_operation *operation)
{
  return operation->forward.activity == SS_OP_OUTPUT && ss_workload_has_one_table(b->workload);
}

/* Bytes of what stands for the sum of the gradients so far: it is read and written, or, where only shards are added up,
 * written for the reduction. */
static double summed_bytes(const ss_builder *b, const ss_operation *operation)
{
  const bool leave = ss_gradients_leave(b->workload, operation->weights);
  return (leave ? 1.0 : 2.0) * b->gradient_bytes * operation->parameters;
}

/* The product adds to the sum when it writes its result. Not one of panels: their sums are reduced first. */
static bool sums_in_product(const ss_builder *b, const ss_operation *operation)
{
  return !operation->joint && b->workload->training.gradient_accumulation == SS_ACCUMULATION_FUSED;
}

/* What would be reduced beside the gradient of the weights, by itself: where that has to wait. What panels move is part
 * of their product and waits with it. */
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

/* The kernel that adds a gradient of weights to the sum, where none has done so yet: it reads it, once it has been
 * written. Gradients that leave in the type that they have are not touched again. */
static void push_sum(const ss_builder *b, ss_task_list *list, const ss_operation *operation)
{
  if (b->traits.as_published || !(has_weight_gradients(operation) || operation->scattered)) return;
  if (!operation->scattered && sums_in_product(b, operation)) return;
  const bool stays = ss_gradients_leave(b->workload, operation->weights) && b->gradient_bytes == SS_ELEMENT_BYTES;
  const double written_bytes = operation->scattered ? SS_ELEMENT_BYTES * operation->parameters : 0.0;
  const double sum_bytes = stays ? 0.0 : SS_ELEMENT_BYTES * operation->parameters + summed_bytes(b, operation);
  if (written_bytes + sum_bytes <= 0.0) return;
  const ss_task sum = {.activity = SS_OP_GRADIENT_SUM,
                       .computes = true,
                       .kernel = {.engine = SS_ENGINE_VECTOR, .hbm_bytes = written_bytes + sum_bytes}};
  push(list, &sum, SS_ROLE_PLAIN);
}

static void push_backward(const ss_builder *b, ss_task_list *list, const ss_operation *operation)
{
  const bool defers = splits_backward(b) && has_weight_gradients(operation);
  const bool merges = !defers && (b->traits.as_published || operation->joint);
  ss_task task = operation->backward, weight = weight_gradient(b, operation);
  if (merges) absorb(&task, &weight);
  if (!defers && operation->regathered_bytes > 0.0) gather_again(list, &task, operation->regathered_bytes);
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
  if (operation->regathered_bytes > 0.0) join_gather(&task, operation->regathered_bytes);
  push(list, &task, SS_ROLE_WEIGHTS);
  push_sum(b, list, operation);
}

/* Operations that backward runs forward again: all of a layer, its attention core, or none. */
static bool is_recomputed(const ss_builder *b, ss_block_kind kind, const ss_operation *operation)
{
  if (!ss_block_traits_of(kind)->recomputes) return false;
  switch (b->workload->training.recompute) {
  case SS_RECOMPUTE_NONE: return false;
  case SS_RECOMPUTE_SELECTIVE: return operation->recomputed;
  case SS_RECOMPUTE_FULL: return true;
  }
  return false;
}

static void assemble(const ss_builder *b, ss_block *block)
{
  ss_task_list *forward = &block->list[SS_PASS_FORWARD], *backward = &block->list[SS_PASS_BACKWARD];
  for (int64_t i = 0; i < b->count; ++i) push(forward, &b->operation[i].forward, SS_ROLE_PLAIN);
  for (int64_t i = 0; i < b->count; ++i)
    if (is_recomputed(b, block->kind, &b->operation[i])) push(backward, &b->operation[i].forward, SS_ROLE_AGAIN);
  for (int64_t i = b->count; i-- > 0;) push_backward(b, backward, &b->operation[i]);
  if (!splits_backward(b)) return;
  for (int64_t i = b->count; i-- > 0;)
    if (has_weight_gradients(&b->operation[i])) push_weight(b, &block->list[SS_PASS_WEIGHT], &b->operation[i]);
}

static void account_memory(const ss_builder *b, ss_block *block)
{
  const bool recomputes = ss_block_traits_of(block->kind)->recomputes;
  const ss_recompute recompute = recomputes ? b->workload->training.recompute : SS_RECOMPUTE_NONE;
  const bool whole = recompute == SS_RECOMPUTE_FULL;
  double all_bytes = 0.0, kept_bytes = 0.0;
  for (int64_t i = 0; i < b->count; ++i) {
    const ss_operation *operation = &b->operation[i];
    if (!has_table_elsewhere(b, operation)) block->parameters[operation->weights] += operation->parameters;
    all_bytes += operation->stored_bytes;
    if (!(recompute == SS_RECOMPUTE_SELECTIVE && operation->derived)) kept_bytes += operation->stored_bytes;
    if (has_weight_gradients(operation)) block->deferred_bytes += operation->stored_bytes + operation->gradient_bytes;
    if (operation->forward.activity == SS_OP_CROSS_ENTROPY) block->logits_bytes += operation->stored_bytes;
  }
  block->stored_bytes = whole ? SS_ELEMENT_BYTES * b->own_tokens * b->own_hidden : kept_bytes;
  block->working_bytes = all_bytes - (whole ? 0.0 : kept_bytes);
}

void ss_block_clear(ss_block *block, ss_block_kind kind, ss_task_list *list)
{
  *block = (ss_block){.kind = kind, .list = list};
  for (int pass = 0; pass < SS_PASSES; ++pass) list[pass].count = 0;
}

void ss_block_build(const ss_workload *workload, ss_cost cost, const ss_machine *machine, ss_block *block)
{
  static void (*const add_operations[SS_BLOCK_COUNT])(ss_builder *) = {
      [SS_BLOCK_ENTRY] = add_entry,         [SS_BLOCK_EMBEDDING] = add_embedding,
      [SS_BLOCK_LAYER] = add_layer,         [SS_BLOCK_LAYER_KEPT] = add_layer,
      [SS_BLOCK_EXPERT] = add_expert_layer, [SS_BLOCK_EXPERT_KEPT] = add_expert_layer,
      [SS_BLOCK_HEAD] = add_head,           [SS_BLOCK_EXIT] = add_exit,
  };
  ss_builder b;
  ss_builder_start(&b, workload, cost, machine, block->kind);
  add_operations[block->kind](&b);
  assemble(&b, block);
  account_memory(&b, block);
}
