#include "model/block/products.h"

#include "model/block/adapter.h"
#include "model/block/casts.h"
#include "model/block/recipe.h"
#include "model/block/recomputation.h"
#include "model/block/tensor_overlap.h"
#include "model/input/workload.h"

/* Asynchronous tensor parallelism of PyTorch puts a gather and a product together where the product reads what is
 * gathered; with scales of rows, kernels that quantise are in between (pytorch issue 149990). */
static bool gathers_beside(const ss_builder *b)
{
  return ss_builder_overlaps_tensor(b) && !(b->split.overlap == SS_TP_OVERLAP_SYMMETRIC && ss_builder_scales_rows(b));
}

/* The gradient of a product's input is reduced, whole, beside the gradient of its weights, which needs it no more. */
static bool reduces_beside_weights(const ss_builder *b)
{
  return b->split.overlap == SS_TP_OVERLAP_BACKWARD || ss_builder_uses_buffers(b);
}

/* Adds a product. With scales of rows, each quantises weights for itself (ss_recipe_weight_copies_bytes), along rows
 * forward, and ahead of the gradient of the input along columns: the last operations run first backward. */
static void add_with_weights(ss_builder *b, const ss_product *p, const ss_operation *product)
{
  const bool casts = ss_builder_scales_rows(b) && b->casts;
  if (casts) ss_builder_add(b, ss_operation_cast_weight_rows(p));
  ss_builder_add(b, *product);
  if (b->transposes && !p->detached) ss_builder_add(b, ss_operation_transpose_weight(p));
  if (!casts || p->detached) return;
  ss_builder_add(b, ss_operation_cast_weight_columns(p));
  ss_builder_add(b, ss_operation_amax_weight_columns(p));
}

/* The casts of a product's input run again before its gradients, and make nothing of what is kept. */
static void quantise_again(ss_builder *b, int64_t first, int64_t end)
{
  ss_builder_add_region(b, (ss_region){.first = first, .end = end, .before = b->count});
}

/* How a product keeps its input: what a recomputed norm has written is not kept, and what has scales of rows is kept
 * ahead of them. */
static ss_input_kept input_kept(const ss_builder *b, const ss_product *p)
{
  if (p->fixed) return SS_INPUT_AS_READ;
  if (p->reads_norm && ss_builder_recomputes_norms(b)) return SS_INPUT_DISCARDED;
  return ss_builder_scales_rows(b) ? SS_INPUT_ORIGINAL : p->input_kept;
}

static void keep_input(const ss_builder *b, const ss_product *p, ss_operation *product)
{
  const ss_format format = b->recipe->weight_gradient;
  const ss_input_kept kept = input_kept(b, p);
  if (kept != SS_INPUT_AS_READ) product->stored_bytes *= SS_ELEMENT_BYTES / ss_format_row_of(format)->activation_bytes;
  if (kept == SS_INPUT_DISCARDED) product->remade_bytes = product->stored_bytes;
  product->keeps_norm = p->reads_norm && format == SS_FORMAT_16BIT;
}

/* Adds a product behind the operations [casts, end) that quantise its input, which run again where that is not kept as
 * the product reads it. */
static void add_product(ss_builder *b, const ss_product *p, ss_operation product, int64_t casts, int64_t end)
{
  keep_input(b, p, &product);
  add_with_weights(b, p, &product);
  const bool again = input_kept(b, p) != SS_INPUT_AS_READ && !b->adapts;
  if (again && end > casts && !ss_builder_scales_rows(b)) quantise_again(b, casts, end);
}

/* Whether scales of blocks are gathered by themselves, before the values, and products wait for them: the user buffers
 * of Transformer Engine hold values only (fill_userbuffers_buffer_for_all_gather of pytorch/module/base.py). */
static bool gathers_scales(const ss_builder *b)
{
  return ss_builder_gathers_quantised(b) && b->recipe->scaling == SS_SCALING_BLOCKS && ss_builder_uses_buffers(b);
}

static double scale_bytes(ss_format format)
{
  const ss_format_row *row = ss_format_row_of(format);
  return row->activation_bytes - row->value_bytes;
}

static ss_call gather_of_scales(const ss_builder *b, ss_format format, double values)
{
  return ss_builder_tensor_call(b, true, scale_bytes(format) * values);
}

/* Bytes of a value that is gathered in a format, without its share of a scale where that comes by itself. */
static double gathered_bytes(const ss_builder *b, ss_format format)
{
  return ss_format_row_of(format)->activation_bytes - (gathers_scales(b) ? scale_bytes(format) : 0.0);
}

/* Bytes of a value that a row-parallel product writes for the others: products of Transformer Engine write 8 bits into
 * user buffers that are said to hold these, but for a ring (fp8_buf of initialize_ub, pytorch/module/base.py). */
static double reduced_bytes(const ss_builder *b, ss_activity product)
{
  const bool operands = b->workload->training.reduce_type == SS_AS_OPERANDS && !b->traits.as_published;
  const bool quantises = operands && ss_builder_uses_buffers(b) && !ss_builder_buffers_reduce_in_ring(b, product);
  return quantises ? ss_format_row_of(b->recipe->forward)->activation_bytes : SS_ELEMENT_BYTES;
}

static double input_gather_bytes(const ss_builder *b, const ss_product *p)
{
  const ss_format format = ss_builder_gathers_quantised(b) ? b->recipe->forward : SS_FORMAT_16BIT;
  return p->tokens * (gathered_bytes(b, format) * p->in + SS_ELEMENT_BYTES * p->carried);
}

static bool gathers_again(const ss_product *p)
{
  return p->again == SS_AGAIN_AS_GATHERED ? !p->gathered : p->again == SS_AGAIN_HERE;
}

static double regather_bytes(const ss_builder *b, const ss_product *p)
{
  const ss_format format = ss_builder_gathers_quantised(b) ? b->recipe->weight_gradient : SS_FORMAT_16BIT;
  return gathered_bytes(b, format) * p->tokens * p->in;
}

/* Where scales come by themselves, those of the copy for the gradient of the input: the others come beside it. */
static double gradient_gather_bytes(const ss_builder *b, const ss_product *p)
{
  const double scales = gathers_scales(b) ? scale_bytes(b->recipe->input_gradient) : 0.0;
  const double bytes =
      ss_builder_gathers_quantised(b) ? ss_recipe_gathered_gradient_bytes(b->recipe) - scales : SS_ELEMENT_BYTES;
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
  add_with_weights(b, &p, &product);
}

/* Whether the gradients of what a product reads are summed up before they are reduced, so that nothing of it runs
 * beside the reduction. */
static bool sums_first(const ss_product *p)
{
  return p->readers > 1;
}

/* PyTorch gathers and reduces along the first axis: where tokens are the second one, torch.cat puts what was gathered
 * in order, and what is to be reduced before that (all_gather_tensor and reduce_scatter_tensor of
 * torch/distributed/_functional_collectives.py); one sequence lies in order as it is. */
static bool copies_sequences(const ss_builder *b)
{
  const ss_workload *w = b->workload;
  const bool copies = w->training.layout_copies == SS_YES && w->training.projections == SS_PROJECTIONS_SEPARATE;
  return copies && w->training.micro_batch > 1 && ss_builder_gathers(b);
}

static void add_sequence_copy(ss_builder *b, double forward_bytes, double backward_bytes)
{
  if (!copies_sequences(b) || forward_bytes + backward_bytes == 0.0) return;
  ss_builder_add(b, ss_operation_copy(SS_OP_COPY, forward_bytes / SS_ELEMENT_BYTES, backward_bytes / SS_ELEMENT_BYTES));
}

/* Products in pieces take them in order; a sum of gradients has none. */
static void add_column_copy(ss_builder *b, const ss_product *p, double gather_bytes, double reduce_bytes)
{
  const bool reduces_beside = ss_builder_overlaps_tensor(b) && !sums_first(p);
  add_sequence_copy(b, gathers_beside(b) ? 0.0 : gather_bytes, reduces_beside ? 0.0 : reduce_bytes);
}

/* Forward the gather, or backward the reduction beside which nothing runs, of a column-parallel product. */
static void add_column_exchange(ss_builder *b, const ss_product *p, double gather_bytes, double reduce_bytes)
{
  const ss_call none = {.volume_bytes = 0.0};
  const bool beside = !sums_first(p) && (ss_builder_overlaps_tensor(b) || reduces_beside_weights(b));
  const ss_call gather = gathers_beside(b) ? none : ss_builder_tensor_call(b, true, gather_bytes);
  if (!gathers_beside(b) || sums_first(p))
    ss_builder_add_exchange(b, gather, beside ? none : ss_builder_tensor_call(b, false, reduce_bytes));
  if (sums_first(p)) ss_builder_add(b, ss_operation_input_sum(p->tokens * p->in, p->readers, b->fused));
}

static void join_column(const ss_builder *b, const ss_product *p, ss_operation *product, double gather_bytes,
                        double reduce_bytes)
{
  if (gathers_beside(b)) ss_builder_join_tensor(b, &product->forward, true, gather_bytes);
  if (sums_first(p)) return;
  if (reduces_beside_weights(b))
    ss_builder_join(b, &product->weight, ss_builder_tensor_call(b, false, reduce_bytes), ss_overlap_beside());
  else if (ss_builder_overlaps_tensor(b))
    ss_builder_join_tensor(b, &product->backward, false, reduce_bytes);
}

/* Asynchronous tensor parallelism of PyTorch copies what this rank has to where others read it, ahead of the first
 * piece of a gather, and sums up the pieces that a reduction has got from all ranks, behind the last
 * (_pipelined_multi_all_gather_and_consume and _fused_matmul_reduce_scatter of
 * torch/distributed/_symmetric_memory/__init__.py). */
static bool uses_symmetric_memory(const ss_builder *b)
{
  return b->split.overlap == SS_TP_OVERLAP_SYMMETRIC && ss_builder_gathers(b);
}

static ss_operation shard_copy(const ss_builder *b, double forward_bytes, double backward_bytes)
{
  const double of_element = SS_ELEMENT_BYTES * b->split.ranks;
  if (!gathers_beside(b)) return (ss_operation){.stored_bytes = 0.0};
  return ss_operation_copy(SS_OP_COPY, forward_bytes / of_element, backward_bytes / of_element);
}

/* Forward the copy of a column-parallel product, or backward the sum of it. */
static void add_column_symmetric(ss_builder *b, const ss_product *p, double gather_bytes, double reduce_bytes)
{
  if (!uses_symmetric_memory(b)) return;
  const double reduced = sums_first(p) ? 0.0 : reduce_bytes / SS_ELEMENT_BYTES;
  ss_builder_add(b, ss_operation_piece_sums(0.0, reduced, b->split.ranks));
  ss_builder_add(b, shard_copy(b, gather_bytes, 0.0));
}

/* Forward the sum of a row-parallel product, or backward the copy of it. */
static void add_row_sum(ss_builder *b, ss_activity product, double reduce_bytes, double gather_bytes)
{
  const bool symmetric = uses_symmetric_memory(b);
  if (symmetric || ss_builder_buffers_reduce_in_ring(b, product))
    ss_builder_add(b, ss_operation_piece_sums(reduce_bytes / SS_ELEMENT_BYTES, 0.0, b->split.ranks));
  if (symmetric) ss_builder_add(b, shard_copy(b, 0.0, gather_bytes));
}

/* Forward the reduction, or backward the gather, of a row-parallel product that nothing runs beside. */
static void add_row_exchange(ss_builder *b, double reduce_bytes, double gather_bytes)
{
  if (gathers_beside(b)) return;
  const double alone_bytes = ss_builder_overlaps_tensor(b) ? 0.0 : reduce_bytes;
  add_sequence_copy(b, alone_bytes, gather_bytes);
  ss_builder_add_exchange(b, ss_builder_tensor_call(b, false, alone_bytes),
                          ss_builder_tensor_call(b, true, gather_bytes));
}

/* Scales of what a column-parallel product reads, ahead of it. */
static void add_input_scales(ss_builder *b, const ss_product *p)
{
  if (!gathers_scales(b) || p->gathered) return;
  ss_builder_add_exchange(b, gather_of_scales(b, b->recipe->forward, p->tokens * p->in),
                          (ss_call){.volume_bytes = 0.0});
}

/* Those of what is gathered again for the gradient of its weights: behind it forward, and so ahead of it backward. */
static void add_regathered_scales(ss_builder *b, const ss_product *p)
{
  if (!gathers_scales(b) || !gathers_again(p) || !b->split.regathers || b->adapts) return;
  ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0},
                          gather_of_scales(b, b->recipe->weight_gradient, p->tokens * p->in));
}

/* Products of training.precise-modules. */
static const struct {
  ss_activity activity;
  ss_precise_module module;
  ss_precision precision;
} precise_products[] = {{SS_OP_QKV, SS_PRECISE_QKV, SS_PRECISION_BF16},
                        {SS_OP_PROJECTION, SS_PRECISE_PROJ, SS_PRECISION_BF16},
                        {SS_OP_LATENT_DOWN, SS_PRECISE_LATENT_PROJ, SS_PRECISION_BF16},
                        {SS_OP_LATENT_UP, SS_PRECISE_LATENT_PROJ, SS_PRECISION_BF16},
                        {SS_OP_MIXER_OUT, SS_PRECISE_OUT_PROJ, SS_PRECISION_MXFP8}};

/* The format of a product: that of the block, or one with more bits. */
static ss_precision precision_of(const ss_builder *b, ss_activity activity)
{
  const ss_word_set modules = ss_recipe_quantises(b->precision) ? b->workload->training.precise_modules : 0;
  for (size_t i = 0; i < sizeof precise_products / sizeof precise_products[0] && modules != 0; ++i)
    if (precise_products[i].activity == activity && (modules & SS_WORD_BIT(precise_products[i].module)) != 0)
      return precise_products[i].precision;
  return b->precision;
}

/* Adds a product in its own format. */
static void add_precisely(ss_builder *b, ss_product product, void (*add)(ss_builder *, ss_product))
{
  const ss_precision of_block = b->precision;
  ss_builder_compute_in(b, precision_of(b, product.activity));
  add(b, product);
  ss_builder_compute_in(b, of_block);
}

static void add_column(ss_builder *b, ss_product p)
{
  if (b->summa) {
    add_panels(b, p);
    return;
  }
  const double gather_bytes = p.gathered ? 0.0 : input_gather_bytes(b, &p);
  const double reduce_bytes = p.gathered ? 0.0 : SS_ELEMENT_BYTES * p.tokens * (p.in + p.carried);
  const bool keeps_gathered = ss_builder_keeps_gathered(b);
  const bool quantised = ss_builder_gathers_quantised(b);
  const bool adapts = ss_builder_adapts(b, p.activity);
  if (adapts) ss_adapter_share_input(b, &p);
  p.out /= b->split.ranks;
  p.precision = b->precision;
  p.shares_input = p.reads_again || (p.shares_input && !keeps_gathered);
  p.reads_norm = p.reads_norm && !keeps_gathered;
  if (keeps_gathered) p.input_kept = SS_INPUT_AS_READ;
  ss_operation product = ss_operation_product(&p);
  product.matrix.cut = ss_builder_cut(b, SS_CUT_COLUMNS);
  if (b->split.regathers) {
    product.stored_bytes /= b->split.ranks;
    product.regathered = (ss_call){b->split.group, SS_ALL_GATHER, gathers_again(&p) ? regather_bytes(b, &p) : 0.0};
  }
  join_column(b, &p, &product, gather_bytes, reduce_bytes);
  const int64_t first = b->count;
  if (quantised) ss_builder_add_input_casts(b, &p, true);
  const int64_t own_casts = b->count;
  add_input_scales(b, &p);
  add_column_exchange(b, &p, gather_bytes, reduce_bytes);
  add_column_copy(b, &p, gather_bytes, reduce_bytes);
  add_column_symmetric(b, &p, gather_bytes, reduce_bytes);
  const int64_t casts = quantised ? first : b->count;
  if (!quantised) ss_builder_add_input_casts(b, &p, false);
  add_product(b, &p, product, casts, quantised ? own_casts : b->count);
  if (gathers_again(&p)) ss_builder_add_transposition(b, p.tokens * p.in);
  add_regathered_scales(b, &p);
  ss_builder_add_gradient_casts(b, &p, false);
  if (adapts) ss_builder_add_column_adapter(b, &p);
}

void ss_builder_add_column(ss_builder *b, ss_product p)
{
  add_precisely(b, p, add_column);
}

/* One product after the other; what the first gathers and quantises is there for all. */
static void add_separate(ss_builder *b, ss_product p, const double *out, int64_t count)
{
  p.readers = count + (p.readers > 1 ? p.readers - 1 : 0);
  for (int64_t i = 0; i < count; ++i) {
    p.out = out[i];
    ss_builder_add_column(b, p);
    p.readers = 1;
    p.gathered = p.reads_again = true;
    p.input_from = SS_SOURCE_FUSED;
  }
}

void ss_builder_add_columns(ss_builder *b, ss_product p, const double *out, int64_t count)
{
  if (ss_builder_separates(b)) {
    add_separate(b, p, out, count);
    return;
  }
  p.out = 0.0;
  for (int64_t i = 0; i < count; ++i) p.out += out[i];
  ss_builder_add_column(b, p);
}

static void add_row(ss_builder *b, ss_product p)
{
  if (b->summa) {
    add_panels(b, p);
    return;
  }
  const double reduce_bytes = p.partial ? 0.0 : reduced_bytes(b, p.activity) * p.tokens * p.out;
  const double gather_bytes = p.partial ? 0.0 : gradient_gather_bytes(b, &p);
  const bool quantised = ss_builder_gathers_quantised(b);
  const bool adapts = ss_builder_adapts(b, p.activity);
  p.in /= b->split.ranks;
  p.precision = b->precision;
  if (adapts) ss_adapter_share_input(b, &p);
  ss_operation product = ss_operation_product(&p);
  product.matrix.cut = ss_builder_cut(b, SS_CUT_ROWS);
  if (ss_builder_overlaps_tensor(b)) ss_builder_join_tensor(b, &product.forward, false, reduce_bytes);
  if (gathers_beside(b)) ss_builder_join_tensor(b, &product.backward, true, gather_bytes);
  if (p.readers > 1) ss_builder_add(b, ss_operation_input_sum(p.tokens * p.in, p.readers, b->fused));
  const int64_t casts = b->count;
  ss_builder_add_input_casts(b, &p, false);
  add_product(b, &p, product, casts, b->count);
  if (p.sums) ss_builder_add(b, ss_operation_output_sum(p.tokens * p.out));
  if (!p.partial) ss_builder_add_transposition(b, p.tokens * p.out);
  if (!quantised) ss_builder_add_gradient_casts(b, &p, false);
  add_row_exchange(b, reduce_bytes, gather_bytes);
  add_row_sum(b, p.activity, reduce_bytes, gather_bytes);
  if (gathers_scales(b) && !p.partial)
    ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0},
                            gather_of_scales(b, b->recipe->input_gradient, p.tokens * p.out));
  if (quantised) ss_builder_add_gradient_casts(b, &p, true);
  if (adapts) ss_builder_add_row_adapter(b, &p);
}

void ss_builder_add_row(ss_builder *b, ss_product p)
{
  add_precisely(b, p, add_row);
}

static void add_own(ss_builder *b, ss_product p)
{
  const bool adapts = ss_builder_adapts(b, p.activity);
  p.tokens = p.detached ? b->tokens : b->own_tokens;
  p.precision = b->precision;
  if (adapts) ss_adapter_share_input(b, &p);
  if (p.readers > 1) ss_builder_add(b, ss_operation_input_sum(p.tokens * p.in, p.readers, b->fused));
  const int64_t casts = b->count;
  ss_builder_add_input_casts(b, &p, false);
  add_product(b, &p, ss_operation_product(&p), casts, b->count);
  if (!p.fixed) ss_builder_add_gradient_casts(b, &p, false);
  if (adapts) ss_builder_add_own_adapter(b, &p);
}

void ss_builder_add_own(ss_builder *b, ss_product p)
{
  add_precisely(b, p, add_own);
}

void ss_builder_add_by_head(ss_builder *b, double heads, ss_product p, ss_matrix matrix)
{
  p.tokens *= heads;
  p.matrices = heads;
  p.precision = SS_PRECISION_BF16;
  ss_operation product = ss_operation_product(&p);
  product.forward.matrices = product.backward.matrices = product.weight.matrices = 0.0;
  product.matrix = matrix;
  ss_builder_add(b, product);
}

void ss_builder_add_reduction(ss_builder *b, double volume_bytes)
{
  ss_builder_add_exchange(b, ss_builder_tensor_call(b, false, volume_bytes),
                          ss_builder_tensor_call(b, true, volume_bytes));
}
