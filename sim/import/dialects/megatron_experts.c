/* Where no source stands beside a function, megatron/core/transformer/transformer_config.py of NVIDIA/Megatron-LM has
 * it.
 */
#include "sim/import/dialects/megatron_experts.h"

#include <inttypes.h>
#include <string.h>

#include "model/block/recipe.h"
#include "model/input/origin.h"
#include "sim/import/files/settings.h"

/* A switch of kernels around experts. Where the file that has the experts does not say it, it is off, as in
 * TransformerConfig; in any other file, silence says nothing. */
static void read_switch(ss_sheet *s, ss_sheet_value which, ss_attribute_index index, int64_t on, int64_t off)
{
  const bool said = s->value[which] != SS_NOT_GIVEN;
  if (!said && !s->is_set[SS_AT_model_experts]) return;
  if (said)
    ss_sheet_set(s, index, s->value[which] > 0.0 ? on : off, which);
  else
    ss_import_set(s->import, index, off, s->workload->line[SS_AT_model_experts]);
}

/* Layers of a pattern have grouped products in any case (megatron/core/models/mamba/mamba_layer_specs.py), and
 * Hybrid-EP copies tokens itself (_HybridEPManager of megatron/core/transformer/moe/token_dispatcher.py). */
static void read_expert_kernels(ss_sheet *s)
{
  const bool fused = s->workload->training.precision == SS_PRECISION_MXFP8 && s->value[SS_VALUE_FUSED] > 0.0;
  const bool has_pattern = s->text[SS_KEPT_PATTERN][0] != '\0';
  const bool copies_itself = s->value[SS_VALUE_HYBRID] > 0.0 && s->workload->schedule.dispatch == SS_DISPATCH_ONCE;
  if (fused)
    ss_sheet_set(s, SS_AT_training_expert_kernels, SS_EXPERT_KERNELS_FUSED, SS_VALUE_FUSED);
  else
    read_switch(s, SS_VALUE_GROUPED, SS_AT_training_expert_kernels, SS_EXPERT_KERNELS_EACH,
                has_pattern ? SS_EXPERT_KERNELS_EACH : SS_EXPERT_KERNELS_SEQUENTIAL);
  read_switch(s, SS_VALUE_ROUTER, SS_AT_training_router, SS_ROUTER_FUSED, SS_ROUTER_SEPARATE);
  read_switch(s, SS_VALUE_ROUTER_FP32, SS_AT_training_router_type, SS_ROUTER_FP32, SS_ROUTER_16BIT); /* or fp64 */
  read_switch(s, SS_VALUE_PERMUTED, SS_AT_training_permutation, SS_PERMUTATION_FUSED,
              copies_itself ? SS_PERMUTATION_FUSED : SS_PERMUTATION_SEPARATE);
}

/* Whether kernels of Primus compute experts, which take rows as they come. */
static bool has_turbo_experts(const ss_sheet *s)
{
  static const char name[] = "use_turbo_grouped_mlp";
  for (int64_t i = 0; i < s->settings->count; ++i) {
    const char *at = strstr(s->settings->setting[i].key, name);
    if (at != NULL && at[sizeof name - 1] == '\0' && json_is_true(s->settings->setting[i].value)) return true;
  }
  return false;
}

/* Kernels of their own pad the rows of experts where neither the router nor Hybrid-EP does
 * (skip_routed_expert_padding of megatron/core/transformer/moe/moe_utils.py). */
static void read_padding(ss_sheet *s)
{
  const bool is_hybrid = s->value[SS_VALUE_HYBRID] > 0.0 && s->workload->schedule.dispatch == SS_DISPATCH_ONCE;
  const bool is_on_the_way = is_hybrid || s->value[SS_VALUE_ROUTER_PADS] > 0.0 || has_turbo_experts(s);
  if (is_on_the_way)
    s->import->pads = SS_PADS_ON_THE_WAY;
  else if (s->import->pads == SS_PADS_UNKNOWN)
    s->import->pads = SS_PADS_KERNELS;
}

/* GroupedMLP, which --moe-use-legacy-grouped-gemm asks for, has the gradients of a product's experts as one tensor,
 * which another kernel adds up (megatron/core/transformer/moe/experts.py up to core_v0.14). */
static void read_legacy(ss_sheet *s)
{
  const bool is_legacy = s->value[SS_VALUE_LEGACY] > 0.0 && s->value[SS_VALUE_GROUPED] > 0.0;
  if (is_legacy && s->workload->training.gradient_accumulation == SS_ACCUMULATION_FUSED)
    ss_sheet_set(s, SS_AT_training_gradient_accumulation, SS_ACCUMULATION_SEPARATE_EXPERTS, SS_VALUE_LEGACY);
}

/* moe_dispatch_fwd_dtype and moe_combine_bwd_dtype: both directions have one type here. */
static ss_status read_dispatch_type(ss_sheet *s, ss_error *error)
{
  const bool there = s->value[SS_VALUE_DISPATCHED_8] > 0.0, back = s->value[SS_VALUE_COMBINED_8] > 0.0;
  if (there != back)
    return ss_sheet_refuse_number(s, there ? SS_VALUE_DISPATCHED_8 : SS_VALUE_COMBINED_8,
                                  "is in 8 bits, and the other direction in 16 bits; allowed: moe-dispatch-fwd-dtype "
                                  "and moe-combine-bwd-dtype alike",
                                  error);
  if (there) ss_sheet_set(s, SS_AT_training_dispatch_type, SS_DISPATCH_FP8, SS_VALUE_DISPATCHED_8);
  return SS_OK;
}

/* A model that the file has without experts is not split over them either, and has no groups of them. */
static ss_status forget_experts(ss_sheet *s, ss_error *error)
{
  static const struct {
    ss_attribute_index attribute;
    const char *setting;
  } rows[] = {{SS_AT_parallelism_etp, "expert-tensor-parallel-size"},
              {SS_AT_model_router_groups, "moe-router-num-groups"},
              {SS_AT_model_router_group_top_k, "moe-router-group-topk"}};
  ss_status status = SS_OK;
  if (!s->is_set[SS_AT_model_layers]) return SS_OK;
  for (size_t i = 0; status == SS_OK && i < sizeof rows / sizeof rows[0]; ++i) {
    const ss_attribute *attribute = &ss_workload_attributes()[rows[i].attribute];
    int64_t number;
    memcpy(&number, (const char *)s->workload + attribute->offset, sizeof number);
    if (number == (int64_t)attribute->fallback) continue;
    ss_workload_reset(s->workload, rows[i].attribute);
    status = ss_import_note(s->import, SS_NOTE_IDLE, rows[i].setting, error);
  }
  return status;
}

/* DeepEP, which the flexible dispatcher has where no other is named, does not pad (__post_init__ of TransformerConfig).
 */
static bool pads_by_deep_ep(const ss_sheet *s)
{
  const bool is_flexible = s->is_set[SS_AT_schedule_dispatch] && s->workload->schedule.dispatch == SS_DISPATCH_ONCE;
  return is_flexible && s->value[SS_VALUE_PADDED] > 0.0 && s->value[SS_VALUE_HYBRID] <= 0.0;
}

ss_status ss_megatron_read_experts(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  const int64_t shared = ss_sheet_given(s, SS_VALUE_SHARED_FFN, 0), own = ss_sheet_given(s, SS_VALUE_EXPERT_FFN, 0);
  const int64_t top_k = ss_sheet_given(s, SS_VALUE_TOP_K, 0);
  if (w->model.experts == 0) return forget_experts(s, error);
  if (w->line[SS_AT_training_router_weights] == SS_LINE_DEFAULT) /* megatron/core/transformer/moe/experts.py */
    ss_import_set(s->import, SS_AT_training_router_weights, SS_ROUTER_WEIGHTS_ACTIVATIONS,
                  w->line[SS_AT_model_experts]);
  if (own > 0) ss_sheet_set(s, SS_AT_model_expert_ffn, own, SS_VALUE_EXPERT_FFN);
  if (top_k > 0) ss_sheet_set(s, SS_AT_model_top_k, top_k, SS_VALUE_TOP_K);
  const int64_t size = w->model.expert_ffn != SS_DERIVED ? w->model.expert_ffn : w->model.ffn;
  if (shared > 0 && size > 0 && shared % size != 0)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_SHARED_FFN],
                        "moe_shared_expert_intermediate_size=%" PRId64 ": is no multiple of that of an expert, %" PRId64
                        "; allowed: one, as several shared experts",
                        shared, size);
  if (shared > 0 && size > 0) ss_sheet_set(s, SS_AT_model_shared_experts, shared / size, SS_VALUE_SHARED_FFN);
  read_expert_kernels(s);
  read_legacy(s);
  read_padding(s);
  if (pads_by_deep_ep(s))
    return ss_sheet_refuse_number(s, SS_VALUE_PADDED,
                                  "pads experts behind DeepEP, which it does not; allowed: moe-flex-dispatcher-backend "
                                  "hybridep, or another moe-token-dispatcher-type",
                                  error);
  if (s->value[SS_VALUE_CAPACITY] > 0.0) {
    w->training.capacity_factor = s->value[SS_VALUE_CAPACITY];
    w->line[SS_AT_training_capacity_factor] = s->value_line[SS_VALUE_CAPACITY];
  }
  if (s->value[SS_VALUE_PAIRED] > 0.0)
    ss_sheet_set(s, SS_AT_schedule_overlap_ep,
                 s->value[SS_VALUE_DELAYED] > 0.0 ? SS_EP_OVERLAP_DELAYED : SS_EP_OVERLAP_PAIRED, SS_VALUE_PAIRED);
  return read_dispatch_type(s, error);
}

/* GPUs of a domain that DeepEP is for (NUM_MAX_NVL_PEERS of csrc/kernels/configs.cuh of deepseek-ai/DeepEP). */
enum { DEEP_EP_GPUS = 8 };

void ss_megatron_write_experts(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->model.experts == 0) return;
  const bool pads = w->training.capacity_factor > 0.0;
  if (w->schedule.dispatch == SS_DISPATCH_ONCE) s->value[SS_VALUE_HYBRID] = pads || s->nodes.domain_gpus > DEEP_EP_GPUS;
  ss_sheet_give(s, SS_VALUE_TOP_K, (double)w->model.top_k);
  ss_sheet_give(s, SS_VALUE_EXPERT_FFN, (double)w->model.expert_ffn);
  ss_sheet_give(s, SS_VALUE_SHARED_FFN, (double)(w->model.shared_experts * w->model.expert_ffn));
  ss_sheet_give(s, SS_VALUE_GROUPED, w->training.expert_kernels != SS_EXPERT_KERNELS_SEQUENTIAL);
  ss_sheet_give(s, SS_VALUE_FUSED, w->training.expert_kernels == SS_EXPERT_KERNELS_FUSED);
  ss_sheet_give(s, SS_VALUE_ROUTER_FP32, w->training.router_type == SS_ROUTER_FP32);
  ss_sheet_give(s, SS_VALUE_ROUTER, w->training.router == SS_ROUTER_FUSED);
  ss_sheet_give(s, SS_VALUE_PERMUTED, w->training.permutation == SS_PERMUTATION_FUSED);
  ss_sheet_give(s, SS_VALUE_CAPACITY, w->training.capacity_factor);
  ss_sheet_give(s, SS_VALUE_PADDED, pads);
  ss_sheet_give(s, SS_VALUE_ROUTER_PADS,
                ss_recipe_quantises(w->training.precision) && w->training.expert_padding == SS_NO &&
                    w->training.expert_kernels != SS_EXPERT_KERNELS_SEQUENTIAL && s->value[SS_VALUE_HYBRID] <= 0.0);
  ss_sheet_give(s, SS_VALUE_PAIRED, w->schedule.overlap_ep != SS_EP_OVERLAP_NONE);
  ss_sheet_give(s, SS_VALUE_DELAYED, w->schedule.overlap_ep == SS_EP_OVERLAP_DELAYED);
}
