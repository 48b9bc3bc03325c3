#include "model/block/feed_forward/expert.h"

#include "model/block/feed_forward/feed_forward.h"
#include "model/block/feed_forward/indexing.h"
#include "model/block/feed_forward/router.h"
#include "model/block/products.h"
#include "model/block/recomputation.h"
#include "model/block/residual.h"
#include "model/collective/routing.h"
#include "model/input/workload.h"

/* Of 16 bits, in a value of fp32. */
#define WEIGHT_ELEMENTS 2.0

ss_collective ss_expert_exchange(const ss_workload *workload)
{
  return workload->schedule.dispatch == SS_DISPATCH_ONCE ? SS_DISPATCH : SS_ALL_TO_ALL;
}

static bool sends_once(const ss_workload *workload)
{
  return workload->schedule.dispatch == SS_DISPATCH_ONCE && workload->parallelism.ep > 1;
}

/* Tokens of the fullest expert-parallel rank over the mean. With a capacity all experts take the same number, padded or
 * not; otherwise ranks differ, where there is more than one. */
static double busiest_share(const ss_builder *b)
{
  const ss_workload *w = b->workload;
  if (w->training.capacity_factor > 0.0) return w->training.capacity_factor;
  return w->parallelism.ep > 1 ? w->training.imbalance : 1.0;
}

/* The products between the hidden size and the latent one of routed experts. Each tensor-parallel rank has all of their
 * weights, for its own tokens; experts choose by the tokens as they are, and the router's input is theirs, too
 * (fc1_latent_proj and fc2_latent_proj of megatron/core/transformer/moe/moe_layer.py). */
static void add_latent_down(ss_builder *b)
{
  if (b->workload->model.expert_latent == 0) return;
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_LATENT_DOWN,
                                     .in = b->hidden,
                                     .out = (double)b->workload->model.expert_latent,
                                     .shares_input = b->recipe->weight_gradient == SS_FORMAT_16BIT,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER,
                                     .reads_norm = true});
}

static void add_latent_up(ss_builder *b)
{
  if (b->workload->model.expert_latent == 0) return;
  ss_builder_add_own(b, (ss_product){.activity = SS_OP_LATENT_UP,
                                     .in = (double)b->workload->model.expert_latent,
                                     .out = b->hidden,
                                     .input_from = SS_SOURCE_OTHER,
                                     .gradient_from = SS_SOURCE_OTHER});
}

/* To move it, the first product keeps its input as it came, unless its format has two copies anyway
 * (set_save_original_input in megatron/core/transformer/moe/experts.py). */
static bool keeps_original(const ss_builder *b)
{
  const ss_format format = b->recipe->weight_gradient;
  return ss_builder_offloads(b, SS_OFFLOAD_EXPERT_FC1) && format != SS_FORMAT_16BIT && format != SS_FORMAT_MXFP8 &&
         format != SS_FORMAT_NVFP4;
}

static bool weighs_activations(const ss_builder *b)
{
  return b->workload->training.router_weights == SS_ROUTER_WEIGHTS_ACTIVATIONS;
}

/* Not in layers that stay in 16 bits. */
static bool fuses_products(const ss_builder *b)
{
  return b->workload->training.expert_kernels == SS_EXPERT_KERNELS_FUSED && b->precision == SS_PRECISION_MXFP8;
}

/* The kernel of a fused chain weighs what it writes, and finds the gradients of weights, with nothing more to read. */
static void add_expert_activation(ss_builder *b, double elements)
{
  if (fuses_products(b)) {
    ss_builder_add(b, (ss_operation){.stored_bytes = SS_ELEMENT_BYTES * (b->gated ? 2.0 : 1.0) * elements});
    return;
  }
  ss_builder_add_activation(b, SS_OP_EXPERT_ACTIVATION, elements);
  if (weighs_activations(b) && !b->fused) ss_builder_add(b, ss_operation_weigh(SS_OP_EXPERT_ACTIVATION, elements));
}

/* What the kernels of fused products move beside operands and results (grouped_mlp.py in
 * transformer_engine/pytorch/ops/fused). Forward the first one writes the activation as the second one reads it.
 * Backward the second one reads what the activation keeps and writes the gradient of that as the first one reads it,
 * but not the gradient of the activation; what is not kept of this for the gradient of weights, it writes again. */
static void fuse_products(const ss_builder *b, ss_product *up, ss_product *down)
{
  const double activations = down->tokens * down->in / b->split.ranks, inputs = up->tokens * up->out / b->split.ranks;
  const double copies_bytes = ss_recipe_input_copies_bytes(b->recipe, b->shares_copy);
  const bool again = down->input_kept == SS_INPUT_DISCARDED;
  const double forward_bytes = again ? ss_recipe_input_copies_bytes(b->recipe, true) : copies_bytes;
  up->gradient_from = SS_SOURCE_FUSED;
  down->input_from = SS_SOURCE_FUSED;
  up->forward_bytes = forward_bytes * activations;
  down->backward_bytes = (SS_ELEMENT_BYTES + ss_recipe_gradient_copies_bytes(b->recipe, b->shares_copy)) * inputs +
                         (copies_bytes - forward_bytes - SS_ELEMENT_BYTES) * activations;
}

static double experts_of_rank(const ss_workload *w)
{
  return (double)w->model.experts / (double)w->parallelism.ep;
}

static bool runs_in_sequence(const ss_builder *b)
{
  return b->workload->training.expert_kernels == SS_EXPERT_KERNELS_SEQUENTIAL;
}

/* multi_tensor_quantize_impl of Transformer Engine has one kernel for all operands where scales are known ahead, else
 * one for each (transformer_engine/pytorch/csrc/extensions/cast.cpp). */
static bool quantises_apart(const ss_builder *b)
{
  const ss_expert_kernels kernels = b->workload->training.expert_kernels;
  return runs_in_sequence(b) || (kernels == SS_EXPERT_KERNELS_EACH && b->recipe->scaling != SS_SCALING_DELAYED);
}

/* `rows` tokens of all ranks that share an expert, as many for each expert: one kernel per product of all. Where the
 * host launches one for all, its tiles fill the GPU as those of one product do. */
static void add_expert_products(ss_builder *b, double rows)
{
  const ss_workload *w = b->workload;
  const double ffn = (double)w->model.expert_ffn, experts = experts_of_rank(w);
  const ss_product product = {.tokens = rows,
                              .matrices = experts,
                              .weights = SS_WEIGHTS_EXPERT,
                              .together = !ss_workload_launches_experts(w),
                              .apart = quantises_apart(b),
                              .input_from = SS_SOURCE_OTHER,
                              .gradient_from = SS_SOURCE_OTHER};
  ss_product up = product, down = product;
  up.activity = SS_OP_EXPERT_FC1;
  up.in = (double)ss_workload_expert_hidden(w);
  up.out = b->gated ? 2.0 * ffn : ffn;
  down.activity = SS_OP_EXPERT_FC2;
  down.in = ffn;
  down.out = up.in;
  const bool discards = ss_builder_recomputes(b, SS_RECOMPUTE_MOE_ACT), again = discards && !fuses_products(b);
  up.input_kept = keeps_original(b) ? SS_INPUT_ORIGINAL : SS_INPUT_AS_READ;
  down.input_kept = discards ? SS_INPUT_DISCARDED : SS_INPUT_AS_READ;
  down.kept_16bit = again;
  if (fuses_products(b)) fuse_products(b, &up, &down);
  const int64_t first = b->count;
  ss_builder_add_column(b, up);
  ss_builder_offload(b, SS_OFFLOAD_EXPERT_FC1, first);
  const int64_t activation = b->count;
  add_expert_activation(b, rows * ffn / b->split.ranks);
  const int64_t end = b->count;
  ss_builder_offload(b, SS_OFFLOAD_MOE_ACT, activation);
  if (again) ss_builder_remake(b, activation + 1, end); /* the first one keeps the module's input */
  ss_builder_add_row(b, down);
  if (again) ss_builder_run_again(b, activation, end);
}

/* Bytes of a value on its way to an expert: in fp8 with its part of a scale (arXiv 2412.19437 section 3.3.3, where
 * gradients go in fp8, too, and what comes back stays in bf16; the cast of the product is that of the message). */
static double dispatched_bytes(const ss_builder *b)
{
  const bool fp8 = b->workload->training.dispatch_type == SS_DISPATCH_FP8;
  return ss_format_row_of(fp8 ? SS_FORMAT_FP8_BLOCK : SS_FORMAT_16BIT)->activation_bytes;
}

/* Without a capacity the GPU alone knows how many tokens go where. The host needs that to exchange them and, where it
 * launches products of experts one by one, for these: it waits before the first task from `first` on. Backward it
 * knows. (The synchronisation of token_dispatcher.py in megatron/core/transformer/moe; DeepEP's dispatch waits
 * likewise.) */
static void sync_with_host(ss_builder *b, int64_t first)
{
  const ss_workload *w = b->workload;
  if (w->training.capacity_factor > 0.0) return;
  if (w->parallelism.ep == 1 && !ss_workload_launches_experts(w)) return;
  while (first < b->count && !b->operation[first].forward.computes && b->operation[first].forward.calls == 0) ++first;
  SS_ASSERT(first < b->count);
  b->operation[first].forward.synced = true;
}

/* Tokens of this rank on their way to experts: elements of all copies, one for each choice, and of the rows that they
 * are sent as. */
typedef struct routed {
  bool once;
  double width, copies, rows;
} routed;

/* Sent once, a row goes to each rank that has experts of the token (ss_routing_ranks, as if they lay in one domain);
 * else the row is copied before. */
static routed routed_of(const ss_builder *b, double choices)
{
  const ss_workload *w = b->workload;
  const ss_routing routing = {.experts = w->model.experts,
                              .choices = w->model.top_k,
                              .idle = w->model.zero_experts,
                              .groups = w->model.router_groups,
                              .open_groups = w->model.router_group_top_k};
  const ss_span span = {.size = w->parallelism.ep, .domains = 1};
  const double width = (double)ss_workload_expert_hidden(w), elements = b->own_tokens * width;
  const bool once = sends_once(w);
  return (routed){.once = once,
                  .width = width,
                  .copies = choices * elements,
                  .rows = once ? choices * ss_routing_ranks(&routing, span) * elements : elements};
}

static bool permutes_separately(const ss_builder *b)
{
  return b->workload->training.permutation == SS_PERMUTATION_SEPARATE;
}

/* What chooses rows: all experts where they leave, those of this rank where they arrive. */
static double choosers(const ss_workload *w, const routed *tokens)
{
  return tokens->once ? experts_of_rank(w) : (double)w->model.experts;
}

static void add_permute(ss_builder *b, const routed *tokens)
{
  if (permutes_separately(b)) {
    const double scores = tokens->rows / tokens->width * choosers(b->workload, tokens);
    ss_builder_add(b, ss_indexing_find(scores, tokens->copies / tokens->width));
    ss_builder_add(b, ss_indexing_gather(tokens->rows, tokens->copies));
    return;
  }
  ss_builder_add(b, ss_operation_permute(tokens->rows, tokens->copies, tokens->width, b->fused));
}

static void add_unpermute(ss_builder *b, const routed *tokens)
{
  if (permutes_separately(b)) {
    ss_builder_add(b, ss_indexing_scatter(tokens->rows, tokens->copies, !weighs_activations(b)));
    return;
  }
  ss_builder_add(b, ss_operation_unpermute(tokens->rows, tokens->copies, !weighs_activations(b)));
}

/* What arrives in copies is in the order of ranks, each of which may have several experts (sort_chunks_by_idxs of
 * token_dispatcher.py in megatron/core/transformer/moe). */
static void add_sort(ss_builder *b, const routed *tokens, double elements)
{
  const ss_workload *w = b->workload;
  if (!tokens->once && w->parallelism.ep > 1 && w->model.experts > w->parallelism.ep)
    ss_builder_add(b, ss_operation_copy(SS_OP_PERMUTE, elements, elements));
}

/* Rows of each expert become a multiple of 16 or 32 for products that take less than 16 bits, and what comes out is
 * without padding again (Fp8Padding and Fp8Unpadding of Transformer Engine around the products of
 * megatron/core/transformer/moe/experts.py): copies, backward of gradients. Padding is a small part of the rows. */
static bool pads_rows(const ss_builder *b)
{
  return b->workload->training.expert_padding == SS_YES && ss_recipe_quantises(b->precision);
}

static void add_padding(ss_builder *b, double elements)
{
  if (pads_rows(b)) ss_builder_add(b, ss_operation_copy(SS_OP_COPY, elements, elements));
}

/* The weights of rows, in fp32, are padded, too. */
static void add_weight_padding(ss_builder *b, double rows)
{
  if (weighs_activations(b)) add_padding(b, WEIGHT_ELEMENTS * rows);
}

/* Rows are split for experts that come one after the other: gradients of these parts are copied together (forward and
 * backward of SequentialMLP in megatron/core/transformer/moe/experts.py). */
static void add_split(ss_builder *b, double elements)
{
  if (runs_in_sequence(b) && experts_of_rank(b->workload) > 1.0)
    ss_builder_add(b, ss_operation_copy(SS_OP_COPY, 0.0, elements));
}

/* What they return is copied together. For products that take less than 16 bits it has been cut to the rows that were
 * there before padding, as which any number of rows counts: backward each expert writes zeros and copies the gradient
 * into them. */
static void add_join(ss_builder *b, double elements)
{
  const double experts = experts_of_rank(b->workload);
  if (!runs_in_sequence(b)) return;
  if (ss_recipe_quantises(b->precision)) {
    ss_operation cut = ss_operation_copy(SS_OP_COPY, 0.0, 1.5 * elements);
    cut.backward.kernel.kernels = 2.0 * experts;
    cut.backward.launches = (int64_t)experts;
    ss_builder_add(b, cut);
  }
  if (experts > 1.0) ss_builder_add(b, ss_operation_copy(SS_OP_COPY, elements, 0.0));
}

/* How far tokens spread that are dispatched depends on the experts of their layer. */
static void add_exchange(ss_builder *b, ss_call forward, ss_call backward)
{
  const ss_workload *w = b->workload;
  ss_builder_add_exchange(b, forward, backward);
  ss_operation *exchange = &b->operation[b->count - 1];
  if (w->schedule.dispatch == SS_DISPATCH_ONCE)
    exchange->forward.top_k = exchange->backward.top_k = (ss_top_k){w->model.experts, w->model.top_k};
}

/* Products of experts on rows that have arrived, with what is around them. */
static void add_rows(ss_builder *b, double rows, double width)
{
  add_padding(b, rows * width);
  add_weight_padding(b, rows);
  add_split(b, rows * width);
  b->split = ss_builder_expert_split(b);
  add_expert_products(b, rows);
  b->split = ss_builder_tensor_split(b);
  add_join(b, rows * width);
  add_padding(b, rows * width);
}

/* The same where they stay in 16 bits. */
static void add_16bit_rows(ss_builder *b, double rows, double width)
{
  const ss_precision precision = b->precision;
  ss_builder_compute_in(b, SS_PRECISION_BF16);
  add_rows(b, rows, width);
  ss_builder_compute_in(b, precision);
}

/* Each rank sends the tokens that it has, to the ranks that have the same share of other experts, and what arrives is
 * gathered over the ranks that share an expert. Without sequence parallelism the tensor-parallel ranks have the same
 * tokens: each sends all of them, and where they arrive, those that share an expert have them already. Either way each
 * rank computes its share of every expert on the tokens of all. Rows that are sent once are copied where they arrive,
 * and added up where they leave (Hybrid-EP of DeepEP: permute behind the dispatch, unpermute ahead of the combine). */
static void add_routed(ss_builder *b, double choices)
{
  const routed tokens = routed_of(b, choices);
  const double sent = b->own_tokens * choices * busiest_share(b);
  const ss_split experts = ss_builder_expert_split(b);
  const double rows = sent * (experts.gathers ? experts.ranks : 1.0);
  const ss_collective kind = ss_expert_exchange(b->workload);
  const ss_call there = {SS_GROUP_EXPERT, kind, dispatched_bytes(b) * sent * tokens.width};
  const ss_call back = {SS_GROUP_EXPERT, kind, SS_ELEMENT_BYTES * sent * tokens.width};
  add_latent_down(b);
  if (!tokens.once) add_permute(b, &tokens);
  const int64_t first = b->count;
  add_exchange(b, there, back);
  if (tokens.once) add_permute(b, &tokens);
  add_sort(b, &tokens, rows * tokens.width);
  (b->workload->training.expert_type == SS_AS_16BIT ? add_16bit_rows : add_rows)(b, rows, tokens.width);
  sync_with_host(b, first);
  add_sort(b, &tokens, rows * tokens.width);
  if (tokens.once) add_unpermute(b, &tokens);
  add_exchange(b, back, there);
  if (!tokens.once) add_unpermute(b, &tokens);
  add_latent_up(b);
}

/* Their input is the router's, which keeps it in 16 bits, as for all of the experts. Recomputed, they read that. */
static void add_shared(ss_builder *b, double shared)
{
  const bool again = ss_builder_recomputes(b, SS_RECOMPUTE_SHARED_EXPERTS);
  const int64_t first = b->count;
  ss_builder_add_mlp(b, shared * (double)b->workload->model.expert_ffn, b->recipe->weight_gradient == SS_FORMAT_16BIT,
                     false, !again);
  ss_builder_close(b, SS_RECOMPUTE_SHARED_EXPERTS, first);
  ss_builder_add(b, ss_operation_add(b->own_tokens * b->own_hidden));
}

/* What experts give back that compute nothing is the token, weighed and added up where it is. */
void ss_builder_add_experts(ss_builder *b)
{
  const ss_workload *w = b->workload;
  const double choices = ss_workload_choices(w), shared = (double)w->model.shared_experts;
  ss_builder_enter(b, (w->training.graphs & SS_WORD_BIT(SS_GRAPH_MOE)) != 0 ? SS_GRAPH_MOE : SS_GRAPH_MOE_ROUTER);
  ss_builder_add_input_norm(b, SS_OP_NORM_2, SS_OFFLOAD_MLP_NORM);
  const int64_t first = b->count;
  ss_builder_add_router(b, (double)w->model.top_k);
  ss_builder_enter(b, SS_GRAPH_MOE);
  add_routed(b, choices);
  if (w->model.zero_experts > 0) ss_builder_add(b, ss_operation_add(b->own_tokens * b->own_hidden));
  if (shared > 0.0) add_shared(b, shared);
  ss_builder_close(b, SS_RECOMPUTE_MOE, first);
  ss_builder_end_input_norm(b);
  ss_builder_add_post_norm(b, SS_OP_POST_NORM_2);
  ss_builder_add_residual(b, SS_OP_FC2_BIAS, SS_OP_DROPOUT_3, false);
}
