#include "model/block/builder.h"

#include "model/block/amax.h"
#include "model/input/workload.h"

/* The overlap of tensor-parallel collectives in a kind of blocks. Outside layers, Transformer Engine leaves products to
 * the framework, which reduces beside the gradient of the weights. Where one kernel makes both gradients of a product,
 * or the product is made of panels, nothing is reduced beside it. */
static ss_tp_overlap overlap_of(const ss_builder *b, ss_block_kind kind)
{
  const ss_tp_overlap said = b->workload->schedule.overlap_tp;
  const bool framework = said == SS_TP_OVERLAP_USER_BUFFERS && !ss_block_traits_of(kind)->layer;
  const ss_tp_overlap overlap = framework ? SS_TP_OVERLAP_BACKWARD : said;
  return overlap == SS_TP_OVERLAP_BACKWARD && (b->traits.as_published || b->summa) ? SS_TP_OVERLAP_NONE : overlap;
}

bool ss_builder_keeps_gathered(const ss_builder *b)
{
  return b->split.gathers && b->split.ranks > 1.0 && !b->split.regathers;
}

static ss_split split_over(const ss_builder *b, ss_group group, double ranks, bool gathers)
{
  const bool regathers =
      b->workload->parallelism.tp_redo == SS_YES && gathers && ranks > 1.0 && !b->traits.as_published;
  return (ss_split){.group = group, .ranks = ranks, .gathers = gathers, .regathers = regathers};
}

ss_split ss_builder_tensor_split(const ss_builder *b)
{
  return split_over(b, b->tensor, b->tp, b->sequence_parallel);
}

/* The ranks of an expert are those of a tensor-parallel group, or have tokens of their own. */
ss_split ss_builder_expert_split(const ss_builder *b)
{
  const int64_t etp = ss_workload_etp(b->workload);
  if (etp == b->workload->parallelism.tp) return ss_builder_tensor_split(b);
  return split_over(b, SS_GROUP_EXPERT_TENSOR, (double)etp, true);
}

/* An efficiency that is that of 16 bits stands for the casts, too, where these are few. */
static bool has_casts(const ss_builder *b, const ss_machine *machine)
{
  if (!ss_recipe_quantises(b->precision) || b->traits.as_published) return false;
  return machine->fp8_efficiency.count > 0 || !b->recipe->fuses_casts;
}

void ss_builder_start(ss_builder *b, const ss_workload *workload, ss_cost cost, const ss_machine *machine,
                      const ss_block *block)
{
  const ss_block_kind kind = block->kind;
  const ss_tensor layout = workload->parallelism.tensor;
  b->workload = workload;
  b->traits = ss_cost_traits_of(cost);
  b->vector_to_matrix = machine->matrix_flop_per_s / machine->vector_flop_per_s;
  b->tp = (double)workload->parallelism.tp;
  b->context = (double)(layout == SS_TENSOR_1D ? workload->parallelism.cp : workload->parallelism.tp2);
  b->summa = layout == SS_TENSOR_SUMMA;
  b->sequence_parallel = workload->parallelism.sequence_parallel == SS_YES && !b->summa;
  b->exchangers = (double)workload->parallelism.cp_inner;
  b->tensor = (SS_BLOCK_BIT(kind) & SS_BLOCKS_OF_TOWER) != 0 ? SS_GROUP_VISION : SS_GROUP_TENSOR;
  b->sequence = layout == SS_TENSOR_1D ? SS_GROUP_CONTEXT : SS_GROUP_TENSOR_2;
  b->tokens = (double)workload->training.micro_batch * (double)workload->model.sequence / b->context;
  b->own_tokens = b->tokens / (b->sequence_parallel ? b->tp : 1.0);
  b->hidden = (double)workload->model.hidden;
  b->own_hidden = b->hidden / (b->summa ? b->tp : 1.0);
  b->dropout = workload->training.dropout == SS_YES;
  b->llama = workload->model.mlp != SS_MLP_GELU;
  b->gated = workload->model.mlp == SS_MLP_SWIGLU;
  b->fused = workload->training.fused == SS_YES && !b->traits.as_published;
  b->precision = ss_block_traits_of(kind)->layer ? workload->training.precision : SS_PRECISION_BF16;
  b->recipe = ss_recipe_of(b->precision);
  b->casts = has_casts(b, machine);
  b->gathers_operands =
      workload->training.gather_type == SS_AS_OPERANDS && ss_block_traits_of(kind)->layer && !b->traits.as_published;
  b->forward_measured = machine->attention_forward.count > 0 && !b->traits.as_published;
  b->backward_measured = machine->attention_backward.count > 0 && !b->traits.as_published;
  b->split = ss_builder_tensor_split(b);
  b->gradient_bytes = ss_gradient_bytes(workload, cost);
  b->shares_table = block->shares_table;
  b->cost = cost;
  b->overlap_tp = overlap_of(b, kind);
  b->layer = ss_block_traits_of(kind)->layer;
  b->recomputes = ss_block_traits_of(kind)->recomputes;
  b->graphed = false;
  b->count = b->regions = 0;
}

bool ss_builder_is_selective(const ss_builder *b)
{
  return b->recomputes && b->workload->training.recompute == SS_RECOMPUTE_SELECTIVE;
}

bool ss_builder_recomputes(const ss_builder *b, ss_recompute_module module)
{
  return ss_builder_is_selective(b) && (b->workload->training.recompute_modules & SS_WORD_BIT(module)) != 0;
}

void ss_builder_add_region(ss_builder *b, ss_region region)
{
  SS_ASSERT(b->regions < SS_REGIONS_MAX);
  b->region[b->regions++] = region;
}

void ss_builder_enter(ss_builder *b, ss_graph_module module)
{
  b->graphed = (b->workload->training.graphs & SS_WORD_BIT(module)) != 0;
}

void ss_builder_add(ss_builder *b, ss_operation operation)
{
  SS_ASSERT(b->count < SS_OPERATIONS_MAX);
  const ss_graphed graphed = b->graphed ? SS_GRAPHED_FIRST : SS_GRAPHED_NOT;
  operation.forward.graphed = operation.backward.graphed = operation.weight.graphed = graphed;
  b->operation[b->count++] = operation;
}

static double ranks_of(const ss_builder *b, ss_group group)
{
  switch (group) {
  case SS_GROUP_TENSOR: return b->tp;
  case SS_GROUP_TENSOR_2: return b->context;
  case SS_GROUP_CONTEXT: return b->context / b->exchangers;
  case SS_GROUP_CONTEXT_INNER: return b->exchangers;
  case SS_GROUP_EXPERT: return (double)b->workload->parallelism.ep;
  case SS_GROUP_EXPERT_TENSOR: return (double)ss_workload_etp(b->workload);
  case SS_GROUP_REPLICA:
  case SS_GROUP_STAGE: return (double)ss_amax_ranks(b->workload);
  case SS_GROUP_VISION: return b->split.ranks;
  case SS_GROUP_VISION_COPIES: return (double)b->workload->parallelism.tp / b->split.ranks;
  case SS_GROUPS: break;
  }
  return 1.0;
}

void ss_builder_join(const ss_builder *b, ss_task *task, ss_call call, ss_overlap overlap)
{
  if (call.volume_bytes > 0.0 && ranks_of(b, call.group) > 1.0) ss_task_join(task, call, overlap);
}

void ss_builder_add_exchange(ss_builder *b, ss_call forward, ss_call backward)
{
  const ss_overlap alone = {0};
  ss_operation exchange = {0};
  ss_builder_join(b, &exchange.forward, forward, alone);
  ss_builder_join(b, &exchange.backward, backward, alone);
  ss_builder_add(b, exchange);
}

/* Whether RMSNorm and rotary embedding are chains of kernels. */
static bool composes(const ss_builder *b)
{
  return b->llama && !b->fused && !b->traits.as_published;
}

ss_operation ss_builder_norm(const ss_builder *b, ss_activity activity, double rows, double width, double parameters)
{
  return composes(b) ? ss_operation_composed_norm(activity, rows, width, parameters)
                     : ss_operation_norm(activity, rows, width, parameters);
}

void ss_builder_add_norm(ss_builder *b, ss_activity activity, double width)
{
  const double columns = ss_norm_columns(b->workload, b->cost, width), parameters = (b->llama ? 1.0 : 2.0) * columns;
  ss_builder_add(b, ss_builder_norm(b, activity, b->own_tokens, columns, parameters));
  if (!b->summa) return;
  /* two sums over each row: mean and variance forward, two products with the gradient backward */
  const ss_call statistics = {SS_GROUP_TENSOR, SS_ALL_REDUCE, 2.0 * SS_ELEMENT_BYTES * b->tokens};
  ss_call gradients = statistics;
  if (b->traits.slipped_norm) gradients.volume_bytes += 2.0 * SS_ELEMENT_BYTES * width / b->tp;
  ss_builder_add_exchange(b, statistics, gradients);
}

void ss_builder_add_rotary(ss_builder *b, double elements)
{
  ss_builder_add(b, composes(b) ? ss_operation_composed_rotary(elements) : ss_operation_rotary(elements));
}

void ss_builder_add_post_norm(ss_builder *b, ss_activity activity)
{
  if (b->workload->model.post_norms == SS_YES) ss_builder_add_norm(b, activity, b->hidden);
}

/* Where the ranks do not share the tokens (nor, with summa, their width) out, all have them gathered anyway and all
 * need the reduced sums. */
static ss_call tensor_call(const ss_builder *b, bool gathers, double volume_bytes)
{
  const ss_group group = b->split.group;
  if (b->split.gathers || b->summa) return (ss_call){group, gathers ? SS_ALL_GATHER : SS_REDUCE_SCATTER, volume_bytes};
  return (ss_call){group, SS_ALL_REDUCE, gathers ? 0.0 : volume_bytes};
}

#define PIPE_PIECES 4

/* A product in pieces, as many as there are of its collective. */
static ss_overlap in_pieces(bool gathers)
{
  return (ss_overlap){.kernel_first = !gathers, .kernel_pieces = PIPE_PIECES, .call_pieces = PIPE_PIECES};
}

/* A ring starts with the piece that is there, and ends with the one that stays. */
static ss_overlap in_steps(const ss_builder *b, bool gathers)
{
  const int64_t ranks = (int64_t)b->split.ranks;
  return (ss_overlap){.kernel_first = !gathers,
                      .kernel_pieces = ranks,
                      .call_pieces = ranks - 1,
                      .lag = gathers ? 1 : 0,
                      .one_ring = true};
}

/* How a product runs beside the gather of its input or the reduction of its output; no pieces where it does not.
 * Transformer Engine gathers as a ring, and pipelines the reductions of forward. */
static ss_overlap tensor_overlap(const ss_builder *b, bool gathers)
{
  switch (b->overlap_tp) {
  case SS_TP_OVERLAP_NONE:
  case SS_TP_OVERLAP_BACKWARD: break;
  case SS_TP_OVERLAP_PIPE: return in_pieces(gathers);
  case SS_TP_OVERLAP_RING: return in_steps(b, gathers);
  case SS_TP_OVERLAP_USER_BUFFERS: return gathers ? in_steps(b, gathers) : in_pieces(gathers);
  }
  return (ss_overlap){0};
}

/* Collectives and the product they belong to are one task. */
static bool overlaps_tensor(const ss_builder *b)
{
  return b->overlap_tp != SS_TP_OVERLAP_NONE && b->overlap_tp != SS_TP_OVERLAP_BACKWARD;
}

/* The gradient of a product's input is reduced, whole, beside the gradient of its weights, which needs it no more. */
static bool reduces_beside_weights(const ss_builder *b)
{
  return b->overlap_tp == SS_TP_OVERLAP_BACKWARD || b->overlap_tp == SS_TP_OVERLAP_USER_BUFFERS;
}

static void join_tensor(const ss_builder *b, ss_task *task, bool gathers, double volume_bytes)
{
  ss_builder_join(b, task, tensor_call(b, gathers, volume_bytes), tensor_overlap(b, gathers));
  if (task->overlap.kernel_pieces > 0) task->kernel.shape.rows /= (double)task->overlap.kernel_pieces;
}

/* Whether a kernel of its own quantises what such a source writes. */
static bool is_cast(const ss_builder *b, ss_source source)
{
  if (source == SS_SOURCE_FUSED) return false;
  return b->casts && (source == SS_SOURCE_OTHER || !b->recipe->fuses_casts);
}

/* A norm knows the largest value that it writes. */
static bool seeks_largest(const ss_builder *b, ss_source source)
{
  return b->recipe->scaling == SS_SCALING_TENSOR && source != SS_SOURCE_NORM;
}

/* Whether ranks quantise what each has of the tokens and gather that, in place of 16 bits. */
static bool gathers_quantised(const ss_builder *b)
{
  return b->gathers_operands && b->split.gathers && b->split.ranks > 1.0;
}

/* A product with the tokens of one rank; all of these ranks have to agree on the largest value. */
static ss_product own_share(const ss_builder *b, const ss_product *p)
{
  ss_product share = *p;
  share.tokens /= b->split.ranks;
  return share;
}

static bool agrees(const ss_builder *b, bool own)
{
  return own && b->recipe->scaling == SS_SCALING_TENSOR;
}

static ss_call agreement(const ss_builder *b)
{
  return (ss_call){b->split.group, SS_ALL_REDUCE, SS_FP32_BYTES};
}

/* `own`: of the tokens of this rank, before they are gathered. */
static void add_input_casts(ss_builder *b, const ss_product *p, bool own)
{
  if (!is_cast(b, p->input_from)) return;
  const ss_product cast = own ? own_share(b, p) : *p;
  if (seeks_largest(b, p->input_from)) ss_builder_add(b, ss_operation_amax_input(&cast));
  if (agrees(b, own)) ss_builder_add_exchange(b, agreement(b), (ss_call){.volume_bytes = 0.0});
  ss_builder_add(b, ss_operation_cast_input(&cast));
}

/* In the order of forward, so that backward seeks first and casts last. */
static void add_gradient_casts(ss_builder *b, const ss_product *p, bool own)
{
  if (!is_cast(b, p->gradient_from)) return;
  const ss_product cast = own ? own_share(b, p) : *p;
  ss_builder_add(b, ss_operation_cast_gradient(&cast));
  if (agrees(b, own)) ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0}, agreement(b));
  if (seeks_largest(b, p->gradient_from)) ss_builder_add(b, ss_operation_amax_gradient(&cast));
}

/* The casts of a product's input run again before its gradients, and make nothing of what is kept. */
static void quantise_again(ss_builder *b, int64_t first, int64_t end)
{
  ss_builder_add_region(b, (ss_region){.first = first, .end = end, .before = b->count});
}

/* How a product keeps its input: what a recomputed norm has written is not kept. */
static ss_input_kept input_kept(const ss_builder *b, const ss_product *p)
{
  return p->reads_norm && ss_builder_recomputes(b, SS_RECOMPUTE_LAYERNORM) ? SS_INPUT_DISCARDED : p->input_kept;
}

static void keep_input(const ss_builder *b, const ss_product *p, ss_operation *product)
{
  const ss_format format = b->recipe->weight_gradient;
  const ss_input_kept kept = input_kept(b, p);
  if (kept != SS_INPUT_AS_READ) product->stored_bytes *= SS_ELEMENT_BYTES / ss_format_row_of(format)->activation_bytes;
  if (kept == SS_INPUT_DISCARDED) product->remade_bytes = product->stored_bytes;
  product->keeps_norm = p->reads_norm && format == SS_FORMAT_16BIT;
}

/* The matrix of a product whose ranks share out one axis. */
static ss_cut cut_along(const ss_builder *b, ss_cut_axis axis)
{
  const bool cut = b->split.ranks > 1.0;
  return (ss_cut){cut ? axis : SS_CUT_NONE, b->split.group, b->split.ranks};
}

/* Adds a product behind the operations [casts, end) that quantise its input, which run again where that is not kept as
 * the product reads it. */
static void add_product(ss_builder *b, const ss_product *p, ss_operation product, int64_t casts, int64_t end)
{
  keep_input(b, p, &product);
  ss_builder_add(b, product);
  if (input_kept(b, p) != SS_INPUT_AS_READ && end > casts) quantise_again(b, casts, end);
}

static double input_gather_bytes(const ss_builder *b, const ss_product *p)
{
  const ss_format format = gathers_quantised(b) ? b->recipe->forward : SS_FORMAT_16BIT;
  return p->tokens * (ss_format_row_of(format)->activation_bytes * p->in + SS_ELEMENT_BYTES * p->carried);
}

static double regather_bytes(const ss_builder *b, const ss_product *p)
{
  const ss_format format = gathers_quantised(b) ? b->recipe->weight_gradient : SS_FORMAT_16BIT;
  return ss_format_row_of(format)->activation_bytes * p->tokens * p->in;
}

static double gradient_gather_bytes(const ss_builder *b, const ss_product *p)
{
  const double bytes = gathers_quantised(b) ? ss_recipe_gathered_gradient_bytes(b->recipe) : SS_ELEMENT_BYTES;
  return bytes * p->tokens * p->out;
}

/* arXiv 2410.00273 table III: X, W and Y are split on both axes; panel by panel, two operands or one operand and a
 * partial result travel along the two axes, beside the product of the panel before. */
static void add_panels(ss_builder *b, ss_product p)
{
  const int64_t panels = b->workload->parallelism.panels;
  const ss_overlap overlap = {.kernel_pieces = panels, .call_pieces = panels + (b->traits.spare_panel ? 1 : 0)};
  const double operand_bytes = ss_format_row_of(b->recipe->forward)->activation_bytes;
  p.precision = b->precision;
  p.out /= b->tp;
  const double x = p.tokens * p.in, w = p.in * p.out, y = p.tokens * p.out;
  ss_operation product = ss_operation_product(&p);
  product.forward.kernel.flop += y; /* the sum of the panels starts from zero */
  product.forward.kernel.hbm_bytes += SS_ELEMENT_BYTES * (double)(panels - 1) * y;
  product.backward.kernel.hbm_bytes += operand_bytes * (double)(panels - 1) * y;
  product.weight.kernel.hbm_bytes += operand_bytes * (double)(panels - 1) * y;
  product.forward.kernel.shape.inner /= (double)panels;
  product.backward.kernel.shape.inner /= (double)panels;
  product.weight.kernel.shape.inner /= (double)panels;
  product.stored_bytes /= b->tp;
  product.parameters /= b->context;
  product.joint = true;
  keep_input(b, &p, &product);
  ss_builder_join(b, &product.forward, (ss_call){SS_GROUP_TENSOR, SS_BROADCAST, operand_bytes * x}, overlap);
  ss_builder_join(b, &product.forward, (ss_call){SS_GROUP_TENSOR_2, SS_BROADCAST, operand_bytes * w}, overlap);
  ss_builder_join(b, &product.backward, (ss_call){SS_GROUP_TENSOR_2, SS_BROADCAST, operand_bytes * w}, overlap);
  ss_builder_join(b, &product.backward, (ss_call){SS_GROUP_TENSOR, SS_REDUCE, SS_ELEMENT_BYTES * x}, overlap);
  ss_builder_join(b, &product.weight, (ss_call){SS_GROUP_TENSOR, SS_BROADCAST, operand_bytes * x}, overlap);
  ss_builder_join(b, &product.weight, (ss_call){SS_GROUP_TENSOR_2, SS_REDUCE, SS_ELEMENT_BYTES * w}, overlap);
  ss_builder_add(b, product);
}

/* Forward the gather, or backward the reduction beside which nothing runs, of a column-parallel product. */
static void add_column_exchange(ss_builder *b, double gather_bytes, double reduce_bytes)
{
  const ss_call none = {.volume_bytes = 0.0}, reduction = tensor_call(b, false, reduce_bytes);
  if (!overlaps_tensor(b))
    ss_builder_add_exchange(b, tensor_call(b, true, gather_bytes), reduces_beside_weights(b) ? none : reduction);
}

static void join_column(const ss_builder *b, ss_operation *product, double gather_bytes, double reduce_bytes)
{
  if (overlaps_tensor(b)) join_tensor(b, &product->forward, true, gather_bytes);
  if (reduces_beside_weights(b))
    ss_builder_join(b, &product->weight, tensor_call(b, false, reduce_bytes), ss_overlap_beside());
  else if (overlaps_tensor(b))
    join_tensor(b, &product->backward, false, reduce_bytes);
}

void ss_builder_add_column(ss_builder *b, ss_product p)
{
  if (b->summa) {
    add_panels(b, p);
    return;
  }
  const double gather_bytes = p.gathered ? 0.0 : input_gather_bytes(b, &p);
  const double reduce_bytes = p.gathered ? 0.0 : SS_ELEMENT_BYTES * p.tokens * (p.in + p.carried);
  const bool keeps_gathered = ss_builder_keeps_gathered(b);
  const bool quantised = gathers_quantised(b);
  p.out /= b->split.ranks;
  p.precision = b->precision;
  p.shares_input = p.shares_input && !keeps_gathered;
  p.reads_norm = p.reads_norm && !keeps_gathered;
  if (keeps_gathered) p.input_kept = SS_INPUT_AS_READ;
  ss_operation product = ss_operation_product(&p);
  product.cut = cut_along(b, SS_CUT_COLUMNS);
  if (b->split.regathers) {
    product.stored_bytes /= b->split.ranks;
    product.regathered = (ss_call){b->split.group, SS_ALL_GATHER, p.gathered ? 0.0 : regather_bytes(b, &p)};
  }
  join_column(b, &product, gather_bytes, reduce_bytes);
  const int64_t first = b->count;
  if (quantised) add_input_casts(b, &p, true);
  const int64_t own_casts = b->count;
  add_column_exchange(b, gather_bytes, reduce_bytes);
  const int64_t casts = quantised ? first : b->count;
  if (!quantised) add_input_casts(b, &p, false);
  add_product(b, &p, product, casts, quantised ? own_casts : b->count);
  add_gradient_casts(b, &p, false);
}

void ss_builder_add_row(ss_builder *b, ss_product p)
{
  if (b->summa) {
    add_panels(b, p);
    return;
  }
  const double reduce_bytes = p.partial ? 0.0 : SS_ELEMENT_BYTES * p.tokens * p.out;
  const double gather_bytes = p.partial ? 0.0 : gradient_gather_bytes(b, &p);
  const bool quantised = gathers_quantised(b);
  p.in /= b->split.ranks;
  p.precision = b->precision;
  ss_operation product = ss_operation_product(&p);
  product.cut = cut_along(b, SS_CUT_ROWS);
  if (overlaps_tensor(b)) {
    join_tensor(b, &product.forward, false, reduce_bytes);
    join_tensor(b, &product.backward, true, gather_bytes);
  }
  const int64_t casts = b->count;
  add_input_casts(b, &p, false);
  add_product(b, &p, product, casts, b->count);
  if (!quantised) add_gradient_casts(b, &p, false);
  if (!overlaps_tensor(b))
    ss_builder_add_exchange(b, tensor_call(b, false, reduce_bytes), tensor_call(b, true, gather_bytes));
  if (quantised) add_gradient_casts(b, &p, true);
}

void ss_builder_add_own(ss_builder *b, ss_product p)
{
  p.tokens = b->own_tokens;
  p.precision = b->precision;
  const int64_t casts = b->count;
  add_input_casts(b, &p, false);
  add_product(b, &p, ss_operation_product(&p), casts, b->count);
  add_gradient_casts(b, &p, false);
}

void ss_builder_add_reduction(ss_builder *b, double volume_bytes)
{
  ss_builder_add_exchange(b, tensor_call(b, false, volume_bytes), tensor_call(b, true, volume_bytes));
}

/* The bias behind a row-parallel product as arXiv 2410.00273 has it: on all tokens and the whole width. With two axes,
 * that of the feed-forward part is shared out by tokens and that of the projection by width; with summa all ranks have
 * a share of the width. */
static void add_published_bias(ss_builder *b, ss_activity activity)
{
  const bool two_axes = b->workload->parallelism.tensor == SS_TENSOR_2D;
  const bool by_width = b->summa || (two_axes && activity == SS_OP_PROJECTION_BIAS);
  const double shares = b->summa || two_axes ? b->tp : 1.0;
  ss_builder_add(b, ss_operation_bias(activity, b->tokens * b->hidden / shares, b->hidden / (by_width ? b->tp : 1.0)));
}

void ss_builder_add_residual(ss_builder *b, ss_activity bias, ss_activity dropout, bool biased)
{
  const double elements = b->own_tokens * b->own_hidden;
  if (b->fused) {
    ss_builder_add(b, ss_operation_bias_dropout_add(elements, biased ? b->own_hidden : 0.0, b->dropout));
    return;
  }
  if (biased && b->traits.as_published) add_published_bias(b, bias);
  if (biased && !b->traits.as_published) ss_builder_add(b, ss_operation_bias(bias, elements, b->own_hidden));
  if (b->dropout) ss_builder_add(b, ss_operation_dropout(dropout, elements));
  if (!b->traits.as_published) ss_builder_add(b, ss_operation_add(elements));
}
