#include "model/block/builder.h"

#include "model/block/amax.h"
#include "model/input/workload.h"

/* The overlap of tensor-parallel collectives. Outside layers, Transformer Engine leaves products to the framework,
 * which reduces beside the gradient of the weights; torchtitan compiles layers only, and with them puts products and
 * collectives together (apply_compile of models/llama3/parallelize_llama.py). Where one kernel makes both gradients of
 * a product, or the product is made of panels, nothing is reduced beside it. */
static ss_tp_overlap overlap_of(const ss_builder *b)
{
  const ss_tp_overlap said = b->workload->schedule.overlap_tp;
  if (said == SS_TP_OVERLAP_SYMMETRIC && !b->layer) return SS_TP_OVERLAP_NONE;
  const bool framework = said == SS_TP_OVERLAP_USER_BUFFERS && !b->layer;
  const ss_tp_overlap overlap = framework ? SS_TP_OVERLAP_BACKWARD : said;
  return overlap == SS_TP_OVERLAP_BACKWARD && (b->traits.as_published || b->summa) ? SS_TP_OVERLAP_NONE : overlap;
}

bool ss_builder_keeps_gathered(const ss_builder *b)
{
  return ss_builder_gathers(b) && !b->split.regathers;
}

ss_split ss_builder_tensor_split(const ss_builder *b)
{
  const bool published = b->traits.as_published, gathers = b->sequence_parallel;
  return (ss_split){.group = b->tensor,
                    .ranks = b->tp,
                    .gathers = gathers,
                    .regathers = b->workload->parallelism.tp_redo == SS_YES && gathers && b->tp > 1.0 && !published,
                    .gathers_operands = b->workload->training.gather_type == SS_AS_OPERANDS &&
                                        ss_recipe_gathers(b->precision) && !published,
                    .overlap = overlap_of(b)};
}

/* The ranks of an expert are those of a tensor-parallel group, or have tokens of their own. What dispatches tokens
 * gathers them, too, and reduces what comes out, as they are and with nothing beside: products read all and keep it
 * (MoEAlltoAllTokenDispatcher of megatron/core/transformer/moe/token_dispatcher.py; experts tell Transformer Engine of
 * no parallel ranks, explicit_expert_comm of megatron/core/extensions/transformer_engine.py). */
ss_split ss_builder_expert_split(const ss_builder *b)
{
  const int64_t etp = ss_workload_etp(b->workload);
  const bool tensor = etp == b->workload->parallelism.tp;
  return (ss_split){.group = tensor ? b->tensor : SS_GROUP_EXPERT_TENSOR,
                    .ranks = (double)etp,
                    .gathers = b->sequence_parallel || !tensor,
                    .overlap = SS_TP_OVERLAP_NONE};
}

ss_cut ss_builder_cut(const ss_builder *b, ss_cut_axis axis)
{
  const bool cut = b->split.ranks > 1.0;
  return (ss_cut){cut ? axis : SS_CUT_NONE, b->split.group, b->split.ranks};
}

/* An efficiency that is that of 16 bits stands for the casts, too, where these are few. */
static bool has_casts(const ss_builder *b, const ss_machine *machine)
{
  if (!ss_recipe_quantises(b->precision) || b->traits.as_published) return false;
  return machine->fp8_efficiency.count > 0 || !b->recipe->fuses_casts;
}

/* The format that fused attention computes in. */
static ss_format attention_format(const ss_builder *b)
{
  const bool operands = b->workload->training.attention_type == SS_AS_OPERANDS && !b->traits.as_published;
  return operands ? b->recipe->attention : SS_FORMAT_16BIT;
}

/* The units of fused attention, as far as the machine knows of them. */
static void set_attention_engines(ss_builder *b, const ss_machine *machine)
{
  static const struct {
    ss_engine forward, backward;
  } engines[][2] = {
      [SS_FORMAT_16BIT] = {{SS_ENGINE_ATTENTION_FORWARD, SS_ENGINE_ATTENTION_BACKWARD},
                           {SS_ENGINE_LATENT_FORWARD, SS_ENGINE_LATENT_BACKWARD}},
      [SS_FORMAT_FP8] = {{SS_ENGINE_FP8_ATTENTION_FORWARD, SS_ENGINE_FP8_ATTENTION_BACKWARD},
                         {SS_ENGINE_FP8_LATENT_FORWARD, SS_ENGINE_FP8_LATENT_BACKWARD}},
      [SS_FORMAT_MXFP8] = {{SS_ENGINE_MXFP8_ATTENTION_FORWARD, SS_ENGINE_MXFP8_ATTENTION_BACKWARD},
                           {SS_ENGINE_MXFP8_LATENT_FORWARD, SS_ENGINE_MXFP8_LATENT_BACKWARD}},
  };
  const bool latent = b->workload->model.kv_rank > 0;
  b->attention_forward = b->attention_backward = SS_ENGINE_MATRIX;
  if (b->traits.as_published) return;
  b->attention_forward = ss_engine_known(machine, engines[b->attention_format][latent].forward);
  b->attention_backward = ss_engine_known(machine, engines[b->attention_format][latent].backward);
}

/* Frozen weights that are kept as products take them may be transposed. */
static void set_adapters(ss_builder *b, const ss_machine *machine, ss_block_kind kind)
{
  const bool keeps = b->workload->training.weights_type == SS_AS_OPERANDS && ss_block_traits_of(kind)->layer;
  b->adapts = ss_workload_adapts(b->workload);
  b->transposes = b->adapts && keeps && ss_recipe_transposes_frozen(b->recipe, machine);
}

void ss_builder_compute_in(ss_builder *b, ss_precision precision)
{
  b->precision = precision;
  b->recipe = ss_recipe_of(precision);
  b->casts = has_casts(b, b->machine);
  b->shares_copy = ss_recipe_shares_copy(b->recipe, b->machine);
}

static void set_traits(ss_builder *b, ss_block_kind kind)
{
  const ss_block_traits *traits = ss_block_traits_of(kind);
  b->layer = traits->layer;
  b->recomputes = traits->recomputes;
}

void ss_builder_start(ss_builder *b, const ss_workload *workload, ss_cost cost, const ss_machine *machine,
                      const ss_block *block)
{
  const ss_block_kind kind = block->kind;
  const ss_tensor layout = workload->parallelism.tensor;
  b->workload = workload;
  b->machine = machine;
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
  b->streams = (double)workload->model.residual_streams;
  b->dropout = workload->training.dropout == SS_YES;
  b->llama = workload->model.mlp != SS_MLP_GELU;
  b->rotary = ss_workload_is_rotary(workload);
  b->biased = !b->llama && workload->model.biases == SS_MODEL_BIASES_AUTO;
  b->gated = workload->model.mlp == SS_MLP_SWIGLU;
  b->fused = workload->training.fused == SS_YES && !b->traits.as_published;
  b->cudnn_norms = workload->training.norms == SS_NORMS_CUDNN && !b->traits.as_published;
  ss_builder_compute_in(b, ss_block_precision(workload, kind));
  b->attention_format = attention_format(b);
  set_attention_engines(b, machine);
  b->gradient_bytes = ss_gradient_bytes(workload, cost);
  b->shares_table = block->shares_table;
  set_adapters(b, machine, kind);
  b->cost = cost;
  set_traits(b, kind);
  b->split = ss_builder_tensor_split(b);
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
  if (b->adapts) ss_operation_freeze(&operation);
  ss_builder_add_trained(b, operation);
}

void ss_builder_add_trained(ss_builder *b, ss_operation operation)
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

/* Whether RMSNorm, unless it is said to be one kernel, and rotary embedding are chains of kernels. */
static bool composes(const ss_builder *b)
{
  return !b->fused && !b->traits.as_published;
}

ss_operation ss_builder_norm(const ss_builder *b, ss_activity activity, double rows, double width, double parameters)
{
  const bool fused = b->workload->training.norms == SS_NORMS_FUSED;
  if (b->llama && composes(b) && !fused) return ss_operation_composed_norm(activity, rows, width, parameters);
  ss_operation norm = ss_operation_norm(activity, rows, width, parameters);
  if (b->cudnn_norms) norm.forward.kernel.access = norm.backward.kernel.access = SS_ACCESS_CUDNN_NORM;
  return norm;
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

bool ss_builder_sums_biases(const ss_builder *b)
{
  return b->workload->training.biases == SS_BIASES_SEPARATE && b->fused && b->biased;
}

bool ss_builder_separates(const ss_builder *b)
{
  return b->workload->training.projections == SS_PROJECTIONS_SEPARATE && !b->traits.as_published;
}

void ss_builder_add_rotary(ss_builder *b, double elements)
{
  const bool complex = b->workload->training.rotary == SS_ROTARY_COMPLEX && !b->traits.as_published;
  ss_builder_add(b, composes(b) || complex ? ss_operation_composed_rotary(elements) : ss_operation_rotary(elements));
}

void ss_builder_add_post_norm(ss_builder *b, ss_activity activity)
{
  if (b->workload->model.post_norms == SS_YES) ss_builder_add_norm(b, activity, b->hidden);
}
