#include "model/plan/layers/layer_modules.h"

#include "model/input/layer_kinds.h"
#include "model/input/workload.h"

/* What a module needs of a layer, or of one of two kinds of layers of a model with experts. */
static bool has_latent_attention(const ss_workload *w)
{
  return ss_workload_attends(w) && w->model.kv_rank > 0;
}

/* Products up from a low rank. */
static bool has_way_up(const ss_workload *w)
{
  return has_latent_attention(w) || ss_workload_is_compressed(w);
}

/* What Megatron-LM cannot compute again, or offload, of compressed attention (DSv4HybridAttention). */
static bool has_plain_core(const ss_workload *w)
{
  return ss_workload_attends(w) && !ss_workload_is_compressed(w);
}

/* What Megatron-LM has as a layer of Mamba. */
static bool is_mamba(const ss_workload *w)
{
  return w->model.mixer == SS_MIXER_MAMBA || w->model.mixer == SS_MIXER_MAMBA_1;
}

/* Linear attention stands in its place, with a norm before it, too. */
static bool has_self_attention(const ss_workload *w)
{
  return ss_workload_attends(w) || (ss_workload_has_states(w) && !is_mamba(w));
}

static bool has_shared_experts(const ss_workload *w)
{
  return ss_workload_has_experts(w) && w->model.shared_experts > 0;
}

/* Parallel to attention the feed-forward part has no norm of its own. */
static bool has_mlp_norm(const ss_workload *w)
{
  return w->model.feed_forward != SS_FEED_FORWARD_NONE && w->model.parallel == SS_NO;
}

static bool has_norm(const ss_workload *w)
{
  return has_self_attention(w) || has_mlp_norm(w);
}

static bool has_adapted_mlp(const ss_workload *w)
{
  const bool routed = ss_workload_has_experts(w) && w->training.lora_experts != SS_LORA_EXPERTS_NONE;
  return ss_workload_has_mlp(w) || has_shared_experts(w) || routed;
}

/* Latent attention, and compressed attention, have products of low rank in its place. */
static bool has_whole_qkv(const ss_workload *w)
{
  return has_plain_core(w) && w->model.kv_rank == 0;
}

static bool has_query_latents(const ss_workload *w)
{
  return has_latent_attention(w) && w->model.q_rank > 0;
}

static bool has_latents_of_keys_only(const ss_workload *w)
{
  return has_latent_attention(w) && w->model.q_rank == 0;
}

typedef bool has_module(const ss_workload *);

static has_module *const recompute_modules[] = {
    [SS_RECOMPUTE_CORE_ATTN] = has_plain_core,
    [SS_RECOMPUTE_MOE_ACT] = ss_workload_has_experts,
    [SS_RECOMPUTE_LAYERNORM] = has_norm,
    [SS_RECOMPUTE_MLA_UP_PROJ] = has_way_up,
    [SS_RECOMPUTE_MLP] = ss_workload_has_mlp,
    [SS_RECOMPUTE_MOE] = ss_workload_has_experts,
    [SS_RECOMPUTE_SHARED_EXPERTS] = has_shared_experts,
    [SS_RECOMPUTE_MHC] = ss_workload_has_streams,
};

static has_module *const offload_modules[] = {
    [SS_OFFLOAD_ATTN_NORM] = has_self_attention,    [SS_OFFLOAD_QKV_LINEAR] = has_plain_core,
    [SS_OFFLOAD_CORE_ATTN] = ss_workload_attends,   [SS_OFFLOAD_ATTN_PROJ] = ss_workload_attends,
    [SS_OFFLOAD_MLP_NORM] = has_mlp_norm,           [SS_OFFLOAD_EXPERT_FC1] = ss_workload_has_experts,
    [SS_OFFLOAD_MOE_ACT] = ss_workload_has_experts,
};

static has_module *const graph_modules[] = {
    [SS_GRAPH_ATTN] = has_self_attention,     [SS_GRAPH_MAMBA] = is_mamba,
    [SS_GRAPH_MLP] = ss_workload_has_mlp,     [SS_GRAPH_MOE_ROUTER] = ss_workload_has_experts,
    [SS_GRAPH_MOE] = ss_workload_has_experts,
};

static has_module *const lora_modules[] = {
    [SS_LORA_QKV] = has_whole_qkv,
    [SS_LORA_PROJ] = ss_workload_attends,
    [SS_LORA_FC1] = has_adapted_mlp,
    [SS_LORA_FC2] = has_adapted_mlp,
    [SS_LORA_Q_PROJ] = has_latents_of_keys_only,
    [SS_LORA_Q_DOWN] = has_query_latents,
    [SS_LORA_Q_UP] = has_query_latents,
    [SS_LORA_KV_DOWN] = has_latent_attention,
    [SS_LORA_KV_UP] = has_latent_attention,
    [SS_LORA_IN] = ss_workload_has_states,
    [SS_LORA_OUT] = ss_workload_has_states,
};

static bool has_latent_experts(const ss_workload *w)
{
  return ss_workload_has_experts(w) && w->model.expert_latent > 0;
}

static bool has_modules(const ss_workload *w)
{
  return w->model.mtp_modules > 0;
}

static has_module *const precise_modules[] = {
    [SS_PRECISE_QKV] = has_whole_qkv,
    [SS_PRECISE_PROJ] = ss_workload_attends,
    [SS_PRECISE_LATENT_PROJ] = has_latent_experts,
    [SS_PRECISE_OUT_PROJ] = ss_workload_has_states,
    [SS_PRECISE_MTP] = has_modules,
};

static ss_word_set modules_of_layer(const ss_workload *w, has_module *const *has, int count)
{
  unsigned set = 0;
  for (int i = 0; i < count; ++i) set |= has[i](w) ? SS_WORD_BIT(i) : 0u;
  return (ss_word_set)set;
}

static ss_word_set modules_of(const ss_workload *w, has_module *const *has, int count)
{
  ss_layer_kinds kinds = {.count = 0};
  unsigned set = 0;
  if (w->model.pattern[0] == '\0') return modules_of_layer(w, has, count);
  if (!ss_layer_kinds_read(w->model.kinds, &kinds, NULL, 0)) return 0;
  for (int64_t i = 0; i < kinds.count; ++i) {
    const ss_workload of_kind = ss_layer_kind_workload(w, &kinds.kind[i]);
    set |= modules_of_layer(&of_kind, has, count);
  }
  return (ss_word_set)set;
}

ss_word_set ss_layer_recompute_modules(const ss_workload *workload)
{
  return modules_of(workload, recompute_modules, sizeof recompute_modules / sizeof recompute_modules[0]);
}

ss_word_set ss_layer_offload_modules(const ss_workload *workload)
{
  return modules_of(workload, offload_modules, sizeof offload_modules / sizeof offload_modules[0]);
}

ss_word_set ss_layer_precise_modules(const ss_workload *workload)
{
  return modules_of(workload, precise_modules, sizeof precise_modules / sizeof precise_modules[0]);
}

ss_word_set ss_layer_graph_modules(const ss_workload *workload)
{
  return modules_of(workload, graph_modules, sizeof graph_modules / sizeof graph_modules[0]);
}

ss_word_set ss_layer_lora_modules(const ss_workload *workload)
{
  return modules_of(workload, lora_modules, sizeof lora_modules / sizeof lora_modules[0]);
}

bool ss_layers_run_again(const ss_workload *workload)
{
  const ss_recompute recompute = workload->training.recompute;
  return recompute != SS_RECOMPUTE_NONE && recompute != SS_RECOMPUTE_SELECTIVE;
}
