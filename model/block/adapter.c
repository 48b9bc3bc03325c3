#include "model/block/adapter.h"

#include "model/input/workload.h"

/* Which products a module stands for. */
static const struct {
  ss_activity activity;
  ss_lora_module module;
} module_rows[] = {
    {SS_OP_QKV, SS_LORA_QKV},         {SS_OP_PROJECTION, SS_LORA_PROJ}, {SS_OP_FC1, SS_LORA_FC1},
    {SS_OP_FC2, SS_LORA_FC2},         {SS_OP_EXPERT_FC1, SS_LORA_FC1},  {SS_OP_EXPERT_FC2, SS_LORA_FC2},
    {SS_OP_Q_DOWN, SS_LORA_Q_DOWN},   {SS_OP_Q_UP, SS_LORA_Q_UP},       {SS_OP_Q_UP, SS_LORA_Q_PROJ},
    {SS_OP_KV_DOWN, SS_LORA_KV_DOWN}, {SS_OP_KV_UP, SS_LORA_KV_UP},     {SS_OP_MIXER_IN, SS_LORA_IN},
    {SS_OP_MIXER_OUT, SS_LORA_OUT},
};

/* Queries come from a latent, or from the hidden state, which are modules of different names. */
static ss_word_set modules_of_layer(const ss_workload *w)
{
  const unsigned other = w->model.q_rank > 0 ? SS_WORD_BIT(SS_LORA_Q_PROJ) : SS_WORD_BIT(SS_LORA_Q_UP);
  return (ss_word_set)(ss_workload_lora_modules(w) & ~other);
}

bool ss_builder_adapts(const ss_builder *b, ss_activity activity)
{
  const ss_word_set modules = modules_of_layer(b->workload);
  const bool routed = activity == SS_OP_EXPERT_FC1 || activity == SS_OP_EXPERT_FC2;
  if (!b->adapts || !b->layer || (routed && !ss_workload_adapts_experts(b->workload))) return false;
  for (size_t i = 0; i < sizeof module_rows / sizeof module_rows[0]; ++i)
    if (module_rows[i].activity == activity && (modules & SS_WORD_BIT(module_rows[i].module)) != 0) return true;
  return false;
}

/* Experts have no fused ones (LoRA.transform of megatron/bridge/peft/lora.py). */
static bool is_fused(const ss_builder *b, const ss_product *base)
{
  return b->workload->training.lora_kernels == SS_LORA_FUSED && base->weights != SS_WEIGHTS_EXPERT;
}

static bool drops_out(const ss_builder *b)
{
  return b->workload->training.lora_dropout == SS_YES;
}

static double rank_of(const ss_builder *b)
{
  return (double)b->workload->training.lora_rank;
}

void ss_adapter_share_input(const ss_builder *b, ss_product *base)
{
  if (is_fused(b, base))
    base->backward_bytes += SS_ELEMENT_BYTES * base->tokens * base->in;
  else
    base->readers = (base->readers > 1 ? base->readers : 1) + 1;
}

/* One adapter for all routed experts of a rank. */
static bool is_shared(const ss_builder *b, const ss_product *base)
{
  return base->weights == SS_WEIGHTS_EXPERT && b->workload->training.lora_experts == SS_LORA_EXPERTS_SHARED;
}

/* All experts have the same, whose gradients are added up as they are there
 * (_register_shared_expert_grad_sync_hooks of megatron/bridge/peft/utils.py); backward, ahead of it as it is listed. */
static void add_shared_gradient(ss_builder *b, double elements)
{
  ss_builder_add_exchange(b, (ss_call){.volume_bytes = 0.0},
                          (ss_call){SS_GROUP_EXPERT, SS_ALL_REDUCE, SS_ELEMENT_BYTES * elements});
}

/* `p` of so many matrices as the product beside it. */
static void add_product(ss_builder *b, const ss_product *base, ss_product p, ss_cut_axis axis)
{
  const bool shared = is_shared(b, base);
  p.weights = base->weights;
  p.matrices = shared ? 1.0 : base->matrices;
  p.together = true;
  ss_operation product = ss_operation_product(&p);
  if (axis != SS_CUT_NONE) product.matrix.cut = ss_builder_cut(b, axis);
  if (shared) add_shared_gradient(b, p.in * p.out);
  ss_builder_add_trained(b, product);
}

/* What has been dropped out is kept as it is read, also where the input is there for backward. */
static void add_down(ss_builder *b, const ss_product *base, double rank, ss_cut_axis axis)
{
  if (drops_out(b)) ss_builder_add(b, ss_operation_dropout(SS_OP_ADAPTER_DROPOUT, base->tokens * base->in));
  const ss_product down = {.activity = SS_OP_ADAPTER_DOWN,
                           .tokens = base->tokens,
                           .in = base->in,
                           .out = rank,
                           .precision = SS_PRECISION_BF16,
                           .shares_input = base->kept_16bit && !drops_out(b)};
  add_product(b, base, down, axis);
}

/* Fused, it adds to what the product has written, which it reads. */
static void add_up(ss_builder *b, const ss_product *base, double out, ss_cut_axis axis)
{
  const ss_product up = {.activity = SS_OP_ADAPTER_UP,
                         .tokens = base->tokens,
                         .in = rank_of(b),
                         .out = out,
                         .precision = SS_PRECISION_BF16,
                         .forward_bytes = is_fused(b, base) ? SS_ELEMENT_BYTES * base->tokens * out : 0.0};
  add_product(b, base, up, axis);
}

static void add_sum(ss_builder *b, const ss_product *base, double elements)
{
  if (is_fused(b, base)) return;
  ss_builder_add(b, ss_operation_copy(SS_OP_ADAPTER_SCALE, elements, elements));
  ss_builder_add(b, ss_operation_output_sum(elements));
}

static ss_call call_of(const ss_builder *b, ss_collective kind, double elements)
{
  return (ss_call){b->split.group, kind, SS_ELEMENT_BYTES * elements};
}

void ss_builder_add_column_adapter(ss_builder *b, const ss_product *base)
{
  const double middle = base->tokens * rank_of(b);
  add_down(b, base, rank_of(b) / b->split.ranks, SS_CUT_COLUMNS);
  ss_builder_add_exchange(b, call_of(b, SS_ALL_GATHER, middle), call_of(b, SS_ALL_REDUCE, middle));
  add_up(b, base, base->out, SS_CUT_COLUMNS);
  add_sum(b, base, base->tokens * base->out);
}

void ss_builder_add_own_adapter(ss_builder *b, const ss_product *base)
{
  add_down(b, base, rank_of(b), SS_CUT_NONE);
  add_up(b, base, base->out, SS_CUT_NONE);
  add_sum(b, base, base->tokens * base->out);
}

/* What ranks have of the columns of all tokens goes to where the tokens are; backward the gradients come back. With all
 * of them gathered, each takes its own, and gathers their gradients. */
static void add_row_exchange(ss_builder *b, double whole)
{
  const bool shares = ss_builder_gathers(b);
  const bool exchanges = shares && b->workload->training.lora_exchange == SS_LORA_ALL_TO_ALL;
  const ss_call exchange = call_of(b, SS_ALL_TO_ALL, whole / b->split.ranks);
  const ss_call gather = call_of(b, SS_ALL_GATHER, whole), none = call_of(b, SS_ALL_GATHER, 0.0);
  ss_builder_add_exchange(b, exchanges ? exchange : gather, exchanges ? exchange : shares ? gather : none);
}

void ss_builder_add_row_adapter(ss_builder *b, const ss_product *base)
{
  const double middle = base->tokens * rank_of(b), whole = base->tokens * base->out;
  const double own = whole / (ss_builder_gathers(b) ? b->split.ranks : 1.0);
  add_down(b, base, rank_of(b), SS_CUT_ROWS);
  ss_builder_add_exchange(b, call_of(b, SS_ALL_REDUCE, middle), call_of(b, SS_ALL_REDUCE, middle));
  add_up(b, base, base->out / b->split.ranks, SS_CUT_COLUMNS);
  add_row_exchange(b, whole);
  add_sum(b, base, own);
}
