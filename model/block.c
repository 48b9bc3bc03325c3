#include "model/block.h"

#include <math.h>

#include "model/operation.h"

#define OPERATIONS_MAX 24

/* Local sizes of one GPU, and the operations collected so far. */
typedef struct builder {
  const ss_workload *workload;
  ss_cost_traits traits;
  double tokens;         /* of a micro-batch, b l */
  double sharded_tokens; /* where sequence parallelism splits them */
  double hidden, ffn, tp;
  bool sequence_parallel, dropout, llama;
  ss_attention_shape attention;
  int64_t count;
  ss_operation operation[OPERATIONS_MAX];
} builder;

ss_activity ss_block_activity(ss_block_kind kind)
{
  static const ss_activity activities[] = {
#define SS_BLOCK_ACTIVITY(id, activity) activity,
      SS_BLOCK_LIST(SS_BLOCK_ACTIVITY)
#undef SS_BLOCK_ACTIVITY
  };
  return activities[kind];
}

static void add(builder *b, ss_operation operation)
{
  SS_ASSERT(b->count < OPERATIONS_MAX);
  b->operation[b->count++] = operation;
}

static void add_exchanged(builder *b, ss_operation operation, ss_exchange exchange, double bytes)
{
  operation.exchange = exchange;
  operation.exchange_bytes = bytes;
  add(b, operation);
}

static builder builder_start(const ss_workload *workload, ss_cost cost, double vector_to_matrix)
{
  const ss_cost_traits traits = ss_cost_traits_of(cost);
  const double tp = (double)workload->parallelism.tp;
  const double batch = (double)workload->training.micro_batch, sequence = (double)workload->model.sequence;
  const bool causal = traits.fused && workload->model.causal == SS_YES;
  return (builder){
      .workload = workload,
      .traits = traits,
      .tokens = batch * sequence,
      .sharded_tokens = batch * sequence / (workload->parallelism.sequence_parallel == SS_YES ? tp : 1.0),
      .hidden = (double)workload->model.hidden,
      .ffn = (double)workload->model.ffn / tp,
      .tp = tp,
      .sequence_parallel = workload->parallelism.sequence_parallel == SS_YES,
      .dropout = workload->training.dropout == SS_YES,
      .llama = workload->model.mlp == SS_MLP_SWIGLU,
      .attention = {.batch = batch,
                    .heads = (double)workload->model.heads / tp,
                    .kv_heads = fmax((double)workload->model.kv_heads / tp, 1.0),
                    .head_size = (double)workload->model.head_size,
                    .queries = sequence,
                    .keys = sequence,
                    .vector_to_matrix = vector_to_matrix,
                    .share = causal ? 0.5 : 1.0,
                    .row_copies = 2.0,
                    .keeps_output = !traits.fused},
  };
}

static double hidden_bytes(const builder *b)
{
  return SS_ELEMENT_BYTES * b->tokens * b->hidden;
}

static void add_norm(builder *b, ss_activity activity)
{
  const double parameters = (b->llama ? 1.0 : 2.0) * b->hidden;
  add_exchanged(b, ss_operation_norm(activity, b->sharded_tokens, b->hidden, parameters), SS_EXCHANGE_GATHER,
                hidden_bytes(b));
}

/* A product that reads gathered tokens; a fused model keeps only its own share of them. */
static void add_column_linear(builder *b, ss_activity activity, double out)
{
  add(b, ss_operation_linear(activity, b->tokens, b->hidden, out, b->traits.fused ? b->sharded_tokens : b->tokens));
}

/* A product whose partial sums are reduced over the tensor-parallel group. */
static void add_row_linear(builder *b, ss_activity activity, double in)
{
  add_exchanged(b, ss_operation_linear(activity, b->tokens, in, b->hidden, b->tokens), SS_EXCHANGE_SCATTER,
                hidden_bytes(b));
}

/* After a row-parallel product: bias, dropout, residual. */
static void add_residual(builder *b, ss_activity bias, ss_activity dropout)
{
  if (b->traits.fused) {
    add(b, ss_operation_bias_dropout_add(b->sharded_tokens * b->hidden, b->llama ? 0.0 : b->hidden, b->dropout));
    return;
  }
  if (!b->llama) add(b, ss_operation_bias(bias, b->tokens * b->hidden, b->hidden));
  if (b->dropout) add(b, ss_operation_dropout(dropout, b->sharded_tokens * b->hidden));
}

static void add_attention(builder *b)
{
  const ss_attention_shape *shape = &b->attention;
  const double head_tokens = shape->batch * shape->queries * shape->head_size;
  add_norm(b, SS_OP_NORM_1);
  add_column_linear(b, SS_OP_QKV, (shape->heads + 2.0 * shape->kv_heads) * shape->head_size);
  if (b->llama) add(b, ss_operation_rotary((shape->heads + shape->kv_heads) * head_tokens));
  if (b->workload->training.attention == SS_ATTENTION_FLASH) {
    add(b, ss_operation_flash(shape));
  } else {
    add(b, ss_operation_logits(shape));
    add(b, ss_operation_softmax(shape));
    if (b->dropout) add(b, ss_operation_attention_dropout(shape));
    add(b, ss_operation_attend(shape));
  }
  add_row_linear(b, SS_OP_PROJECTION, shape->heads * shape->head_size);
  add_residual(b, SS_OP_PROJECTION_BIAS, SS_OP_DROPOUT_2);
}

static void add_activation(builder *b)
{
  const double elements = b->tokens * b->ffn;
  if (b->llama) {
    add(b, ss_operation_swiglu(elements));
  } else if (b->traits.fused) {
    add(b, ss_operation_bias_gelu(elements, b->ffn));
  } else {
    add(b, ss_operation_bias(SS_OP_FC1_BIAS, elements, b->ffn));
    add(b, ss_operation_gelu(SS_OP_ACTIVATION, elements));
    /* the published list drops out here too */
    if (b->dropout) add(b, ss_operation_dropout(SS_OP_DROPOUT_1, elements));
  }
}

static void add_mlp(builder *b)
{
  add_norm(b, SS_OP_NORM_2);
  add_column_linear(b, SS_OP_FC1, b->llama ? 2.0 * b->ffn : b->ffn);
  add_activation(b);
  add_row_linear(b, SS_OP_FC2, b->ffn);
  add_residual(b, SS_OP_FC2_BIAS, SS_OP_DROPOUT_3);
}

static void add_layer(builder *b)
{
  add_attention(b);
  add_mlp(b);
}

static void add_embedding(builder *b)
{
  const double parameters = (double)b->workload->model.vocabulary / b->tp * b->hidden;
  add_exchanged(b, ss_operation_lookup(b->tokens, b->hidden, parameters), SS_EXCHANGE_SCATTER, hidden_bytes(b));
  if (b->dropout) add(b, ss_operation_dropout(SS_OP_DROPOUT_1, b->sharded_tokens * b->hidden));
}

static void add_head(builder *b)
{
  const double vocabulary = (double)b->workload->model.vocabulary / b->tp;
  add_norm(b, SS_OP_FINAL_NORM);
  add_column_linear(b, SS_OP_OUTPUT, vocabulary);
  /* vocabulary-parallel cross entropy: maximum, sum and predicted logit of every token, in fp32 */
  add_exchanged(b, ss_operation_cross_entropy(b->tokens * vocabulary), SS_EXCHANGE_REDUCE, 3.0 * 4.0 * b->tokens);
}

static void push_kernels(ss_task_list *list, const ss_operation *operation, ss_kernel kernel, int64_t kernels)
{
  for (int64_t i = 0; i < kernels; ++i) {
    SS_ASSERT(list->count < SS_TASKS_MAX);
    list->task[list->count++] = (ss_task){.activity = operation->activity,
                                          .matrix = operation->matrix,
                                          .flop = kernel.flop / (double)kernels,
                                          .hbm_bytes = kernel.hbm_bytes / (double)kernels};
  }
}

static void push_collective(ss_task_list *list, ss_collective kind, double volume_bytes)
{
  SS_ASSERT(list->count < SS_TASKS_MAX);
  list->task[list->count++] = (ss_task){
      .activity = ss_collective_activity(kind), .collective = true, .kind = kind, .volume_bytes = volume_bytes};
}

static void push_exchange(const builder *b, ss_task_list *list, const ss_operation *operation, bool backward)
{
  if (b->tp <= 1.0 || operation->exchange == SS_EXCHANGE_NONE) return;
  if (operation->exchange == SS_EXCHANGE_REDUCE) {
    if (!backward) push_collective(list, SS_ALL_REDUCE, operation->exchange_bytes);
    return;
  }
  const bool gathers = (operation->exchange == SS_EXCHANGE_GATHER) != backward;
  if (b->sequence_parallel)
    push_collective(list, gathers ? SS_ALL_GATHER : SS_REDUCE_SCATTER, operation->exchange_bytes);
  else if (!gathers)
    push_collective(list, SS_ALL_REDUCE, operation->exchange_bytes);
}

static void push_forward(const builder *b, ss_task_list *list, const ss_operation *operation)
{
  push_kernels(list, operation, operation->forward, 1);
  push_exchange(b, list, operation, false);
}

static void push_backward(const builder *b, ss_task_list *list, const ss_operation *operation)
{
  push_exchange(b, list, operation, true);
  push_kernels(list, operation, operation->backward, b->traits.fused ? operation->backward_kernels : 1);
}

/* Operations that backward runs forward again: all of a layer, its attention core, or none. */
static bool is_recomputed(const builder *b, ss_block_kind kind, const ss_operation *operation)
{
  if (kind != SS_BLOCK_LAYER) return false;
  switch (b->workload->training.recompute) {
  case SS_RECOMPUTE_NONE: return false;
  case SS_RECOMPUTE_SELECTIVE: return operation->recomputed;
  case SS_RECOMPUTE_FULL: return true;
  }
  return false;
}

static void assemble(const builder *b, ss_block *block)
{
  for (int64_t i = 0; i < b->count; ++i) push_forward(b, &block->forward, &b->operation[i]);
  for (int64_t i = 0; i < b->count; ++i)
    if (is_recomputed(b, block->kind, &b->operation[i])) push_forward(b, &block->backward, &b->operation[i]);
  for (int64_t i = b->count; i-- > 0;) push_backward(b, &block->backward, &b->operation[i]);
}

static void account_memory(const builder *b, ss_block *block)
{
  const ss_recompute recompute = b->workload->training.recompute;
  const bool whole = recompute == SS_RECOMPUTE_FULL && block->kind == SS_BLOCK_LAYER;
  double all_bytes = 0.0, kept_bytes = 0.0;
  for (int64_t i = 0; i < b->count; ++i) {
    const ss_operation *operation = &b->operation[i];
    block->parameters += operation->parameters;
    all_bytes += operation->stored_bytes;
    if (!(recompute == SS_RECOMPUTE_SELECTIVE && operation->derived)) kept_bytes += operation->stored_bytes;
  }
  block->stored_bytes = whole ? SS_ELEMENT_BYTES * b->sharded_tokens * b->hidden : kept_bytes;
  block->working_bytes = all_bytes - (whole ? 0.0 : kept_bytes);
}

void ss_block_build(const ss_workload *workload, ss_cost cost, double vector_to_matrix, ss_block_kind kind,
                    ss_block *block)
{
  static void (*const add_operations[SS_BLOCK_COUNT])(builder *) = {
      [SS_BLOCK_EMBEDDING] = add_embedding, [SS_BLOCK_LAYER] = add_layer, [SS_BLOCK_HEAD] = add_head};
  builder b = builder_start(workload, cost, vector_to_matrix);
  add_operations[kind](&b);
  *block = (ss_block){.kind = kind};
  assemble(&b, block);
  account_memory(&b, block);
}
