/* Settings of Megatron-LM and of what is built on it: arguments (megatron/training/arguments.py of NVIDIA/Megatron-LM),
 * fields of TransformerConfig, ModelParallelConfig, DistributedDataParallelConfig and OptimizerConfig (megatron/core),
 * which Megatron-Bridge (src/megatron/bridge/training/config.py of NVIDIA-NeMo/Megatron-Bridge) and NeMo 2 have in
 * YAML, and the YAML of NeMo 1 (examples/nlp/language_modeling/conf/megatron_gpt_config.yaml of NVIDIA/NeMo). Names of
 * arguments stand for those of fields, which have _ in place of -. */
#include <stddef.h>

#include "sim/import/dialects/bridge_formats.h"
#include "sim/import/dialects/megatron_adapters.h"
#include "sim/import/dialects/megatron_positions.h"
#include "sim/import/dialects/setting_row.h"

static bool has_experts(const ss_workload *w)
{
  return w->model.experts > 0;
}

static bool is_not_latent(const ss_workload *w)
{
  return w->model.kv_rank == 0;
}

static bool groups_queries(const ss_workload *w)
{
  return w->model.kv_rank == 0 && w->model.kv_heads < w->model.heads;
}

static bool is_plain(const ss_workload *w)
{
  return w->model.mlp == SS_MLP_GELU;
}

static bool is_llama(const ss_workload *w)
{
  return w->model.mlp != SS_MLP_GELU;
}

static bool is_unbiased(const ss_workload *w)
{
  return is_llama(w) || w->model.biases == SS_MODEL_BIASES_NO;
}

static bool has_no_positions(const ss_workload *w)
{
  return w->model.positions == 0;
}

static bool recomputes_all(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_FULL;
}

static bool recomputes_some(const ss_workload *w)
{
  return w->training.recompute == SS_RECOMPUTE_SELECTIVE;
}

static bool is_any(const ss_workload *w)
{
  (void)w;
  return true;
}

static bool is_split_tensor(const ss_workload *w)
{
  return w->parallelism.cp > 1;
}

static bool is_split_once(const ss_workload *w)
{
  return w->parallelism.cp > 1 && w->parallelism.cp_inner == 1;
}

static bool is_split_twice(const ss_workload *w)
{
  return w->parallelism.cp_inner > 1;
}

/* Chunks are as many as a layout has for a stage, and are not said again (validate_args). */
static bool has_plain_chunks(const ss_workload *w)
{
  return w->parallelism.interleave > 1 && w->parallelism.layout[0] == '\0';
}

static bool is_fsdp(const ss_workload *w)
{
  return w->parallelism.sharding >= SS_SHARDING_GRADIENTS;
}

static bool has_graphs(const ss_workload *w)
{
  return w->training.host == SS_HOST_EAGER && w->training.graphs != 0;
}

/* Sends of chunks beside compute are not put together (megatron/core/pipeline_parallel/schedules.py). */
static bool hides_sends(const ss_workload *w)
{
  return w->parallelism.interleave > 1 && w->schedule.overlap_pp == SS_YES;
}

static bool offloads_modules(const ss_workload *w)
{
  return w->training.offload_activations == SS_YES && w->training.offload_modules != 0;
}

#define NOBODY 0u
#define ARGS   SS_BY(megatron)
#define YAML   SS_BY(nemo)
#define BOTH   (ARGS | YAML)

#define COUNT(whose, table, name, at, if_)                                                                             \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at, .when = if_},
#define ALWAYS(whose, table, name, at)                                                                                 \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_COUNT, .attribute = SS_AT_##at, .number = 1},
#define ECHO(whose, table, name, at, if_)                                                                              \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_IDLE,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = 1,                                                                                                        \
   .when = if_},
#define FLAG(whose, table, name, at, yes, no)                                                                          \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_FLAG,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = yes,                                                                                                      \
   .otherwise = no},
/* In YAML, which goes over a recipe that may say another thing. */
#define SAID(table, name, at, yes, no)                                                                                 \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = YAML,                                                                                                         \
   .use = SS_SETTING_FLAG,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = yes,                                                                                                      \
   .otherwise = no,                                                                                                    \
   .when = is_any},
#define WORD(whose, table, name, word, at, value, if_)                                                                 \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_WORD,                                                                                             \
   .attribute = SS_AT_##at,                                                                                            \
   .number = value,                                                                                                    \
   .text = word,                                                                                                       \
   .when = if_},
#define SET(whose, table, name, at, if_)                                                                               \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_SET, .attribute = SS_AT_##at, .when = if_},
#define GRAPHED(whose, table, name, if_)                                                                               \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_SET,                                                                                              \
   .attribute = SS_AT_training_graphs,                                                                                 \
   .text = "moe_preprocess", /* goes with moe_router, which has to be there */                                         \
   .when = if_},
#define TEXT(whose, table, name, at)                                                                                   \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_TEXT, .attribute = SS_AT_##at},
#define NUMBER(whose, table, name, what, kind, least, most)                                                            \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_##kind,                                                                                           \
   .which = SS_VALUE_##what,                                                                                           \
   .number = least,                                                                                                    \
   .otherwise = most},
#define WHOLE(whose, table, name, what, least)      NUMBER(whose, table, name, what, WHOLE, least, SS_SETTING_MOST)
#define LARGE(whose, table, name, what, least)      NUMBER(whose, table, name, what, WHOLE, least, SS_SETTING_LARGEST)
#define REAL(whose, table, name, what, least, most) NUMBER(whose, table, name, what, REAL, least, most)
#define RANKS(whose, table, name, what)             NUMBER(whose, table, name, what, RANKS, 1, SS_SETTING_MOST)
#define PICK(whose, table, name, word, what, value)                                                                    \
  {.key = name,                                                                                                        \
   .section = table,                                                                                                   \
   .by = whose,                                                                                                        \
   .use = SS_SETTING_PICK,                                                                                             \
   .which = SS_VALUE_##what,                                                                                           \
   .text = word,                                                                                                       \
   .number = value},
#define KEEP(whose, table, name, what)                                                                                 \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_KEEP, .which = SS_KEPT_##what},
#define ALSO(whose, table, name, word, if_)                                                                            \
  {.key = name, .section = table, .by = whose, .use = SS_SETTING_IDLE, .text = word, .when = if_},
#define MIXED(kind, name, if_, ...)                                                                                    \
  {.key = name, .section = "mixed-precision", .by = YAML, .use = SS_SETTING_##kind, .when = if_, __VA_ARGS__},
#define PARTS(name, at)      {.key = name, .use = SS_SETTING_PARTS, .attribute = SS_AT_##at},
#define IDLE(name)           {.key = name, .use = SS_SETTING_IDLE},
#define LEFT_OUT(name, what) {.key = name, .use = SS_SETTING_LEFT_OUT, .text = what},
#define MATTERS(name, what)  {.key = name, .use = SS_SETTING_MATTERS, .text = what},
#define RECIPE(name)         {.key = name, .use = SS_SETTING_RECIPE},
#define REFUSED(name, why)   {.key = name, .use = SS_SETTING_REFUSED, .text = why},
#define NO                   SS_SWITCHES_NOTHING
enum { SS_SWITCHES_NOTHING = -1 };

/* clang-format off */
const ss_setting_row ss_megatron_rows[] = {
    /* the model */
    ALWAYS(BOTH, "model", "num-layers", model_layers) ALWAYS(BOTH, "model", "hidden-size", model_hidden)
    COUNT(BOTH, "model", "ffn-hidden-size", model_ffn, NULL) ALWAYS(BOTH, "model", "num-attention-heads", model_heads)
    COUNT(BOTH, "model", "num-query-groups", model_kv_heads, groups_queries)
    ALSO(ARGS, "", "group-query-attention", "", groups_queries)
    COUNT(BOTH, "model", "kv-channels", model_head_size, is_not_latent)
    ALWAYS(BOTH, "model", "seq-length", model_sequence) LARGE(BOTH, "model", "max-position-embeddings", ROOM, -1) ECHO(ARGS, "", "max-position-embeddings", model_sequence, has_no_positions) COUNT(NOBODY, "", "encoder-seq-length", model_sequence, NULL)
    COUNT(NOBODY, "", "sequence-length", model_sequence, NULL)
    COUNT(BOTH, "model", "vocab-size", model_vocabulary, NULL) COUNT(NOBODY, "", "padded-vocab-size", model_vocabulary, NULL)
    WHOLE(BOTH, "model", "make-vocab-size-divisible-by", VOCABULARY_MULTIPLE, 1)
    FLAG(ARGS, "", "swiglu", model_mlp, SS_MLP_SWIGLU, NO) FLAG(ARGS, "", "squared-relu", model_mlp, SS_MLP_RELU2, NO)
    FLAG(YAML, "model", "gated-linear-unit", model_mlp, SS_MLP_SWIGLU, NO)
    WORD(YAML, "model", "activation-func", "megatron.core.activations.squared_relu", model_mlp, SS_MLP_RELU2, NULL)
    WORD(NOBODY, "", "activation-func", "*", model_mlp, 0, NULL)
    WORD(NOBODY, "", "activation-func.-target-", "megatron.core.activations.squared_relu", model_mlp, SS_MLP_RELU2, NULL)
    WORD(NOBODY, "", "activation-func.-target-", "*", model_mlp, 0, NULL)
    WORD(NOBODY, "", "activation", "swiglu", model_mlp, SS_MLP_SWIGLU, NULL) WORD(NOBODY, "", "activation", "fast-swiglu", model_mlp, SS_MLP_SWIGLU, NULL)
    WORD(NOBODY, "", "activation", "geglu", model_mlp, SS_MLP_SWIGLU, NULL) WORD(NOBODY, "", "activation", "fast-geglu", model_mlp, SS_MLP_SWIGLU, NULL)
    WORD(NOBODY, "", "activation", "squared-relu", model_mlp, SS_MLP_RELU2, NULL) WORD(NOBODY, "", "activation", "gelu", model_mlp, SS_MLP_GELU, NULL)
    FLAG(NOBODY, "", "quick-geglu", model_mlp, SS_MLP_SWIGLU, NO)
    FLAG(ARGS, "", "untie-embeddings-and-output-weights", model_tied_embeddings, SS_NO, SS_YES)
    FLAG(YAML, "model", "share-embeddings-and-output-weights", model_tied_embeddings, SS_YES, SS_NO)
    FLAG(BOTH, "model", "qk-layernorm", model_qk_norm, SS_YES, SS_NO) FLAG(NOBODY, "", "qk-l2-norm", model_qk_norm, SS_YES, NO)
    FLAG(BOTH, "model", "attention-output-gate", model_attention_output_gate, SS_YES, SS_NO)
    COUNT(BOTH, "model", "mtp-num-layers", model_mtp_modules, NULL)
    PICK(BOTH, "model", "multi-latent-attention", NULL, LATENT, 1)
    WHOLE(BOTH, "model", "q-lora-rank", Q_RANK, 0) WHOLE(BOTH, "model", "kv-lora-rank", KV_RANK, 1)
    WHOLE(BOTH, "model", "qk-pos-emb-head-dim", ROPE_SIZE, 0)
    WHOLE(BOTH, "model", "qk-head-dim", LATENT_HEAD, 1) WHOLE(BOTH, "model", "v-head-dim", VALUE_HEAD, 1)
    PICK(BOTH, "model", "experimental-attention-variant", "dsa", SPARSE, 1)
    WHOLE(BOTH, "model", "dsa-indexer-n-heads", INDEX_HEADS, 1) WHOLE(BOTH, "model", "dsa-indexer-head-dim", INDEX_HEAD_SIZE, 1) WHOLE(BOTH, "model", "dsa-indexer-topk", INDEX_TOP_K, 1)
    REAL(BOTH, "model", "dsa-indexer-loss-coeff", INDEX_LOSS, 0, 1000000) PICK(BOTH, "model", "dsa-indexer-use-sparse-loss", NULL, INDEX_LOSS_CHOSEN, 1)
    PICK(BOTH, "model", "dsa-kernel-backend", "cudnn", SPARSE_KERNELS, 1) PICK(NOBODY, "", "dsa-kernel-backend", "tilelang", SPARSE_KERNELS, 1) PICK(NOBODY, "", "dsa-kernel-backend", "none", NOTHING, 1)
    WHOLE(NOBODY, "", "dsa-indexer-topk-freq", INDEX_EVERY, 1) WHOLE(NOBODY, "", "dsa-indexer-skip-topk-offset", INDEX_FIRST, 0) IDLE("dsa-indexer-rope-interleaved") IDLE("dsa-indexer-scoring-relu") IDLE("dsa-indexer-k-norm-epsilon") IDLE("dsa-indexer-k-norm-fp32") LEFT_OUT("dsa-indexer-rotate-activation", "a rotation of index queries and keys")
    KEEP(BOTH, "model", "window-size", WINDOW) KEEP(BOTH, "model", "window-attn-skip-freq", WINDOW_SKIP)
    KEEP(NOBODY, "", "hybrid-layer-pattern", PATTERN) KEEP(NOBODY, "", "hybrid-override-pattern", PATTERN) KEEP(NOBODY, "", "mtp-hybrid-override-pattern", MODULE_PATTERN)
    WHOLE(NOBODY, "", "mamba-num-heads", STATE_HEADS, 1) WHOLE(NOBODY, "", "mamba-head-dim", STATE_HEAD_SIZE, 1)
    WHOLE(NOBODY, "", "mamba-state-dim", STATE_SIZE, 1) WHOLE(NOBODY, "", "mamba-num-groups", STATE_GROUPS, 1) WHOLE(NOBODY, "", "mamba-expand", STATE_EXPANSION, 1) COUNT(NOBODY, "", "mamba-d-conv", model_convolution, NULL)
    PICK(NOBODY, "", "is-hybrid-model", NULL, HYBRID_STACK, 1) REAL(NOBODY, "", "hybrid-attention-ratio", ATTENTION_SHARE, 0, 1) REAL(NOBODY, "", "hybrid-mlp-ratio", MLP_SHARE, 0, 1)
    KEEP(NOBODY, "", "spec", SPEC) KEEP(NOBODY, "", "lfm-layer-types", LAYER_TYPES) WHOLE(NOBODY, "", "conv-L-cache", SHORT_CONVOLUTION, 1) LEFT_OUT("use-fla-*", "kernels of flash-linear-attention") IDLE("use-short-conv")
    PICK(NOBODY, "", "experimental-attention-variant", "gated_delta_net", LINEAR, 1) PICK(NOBODY, "", "experimental-attention-variant", "gdn", LINEAR, 1) PICK(NOBODY, "", "linear-attention-type", "gated_delta_net", LINEAR, 1) KEEP(NOBODY, "", "linear-attention-freq", LINEAR_FREQUENCY)
    WHOLE(NOBODY, "", "linear-num-value-heads", LINEAR_HEADS, 1) WHOLE(NOBODY, "", "linear-value-head-dim", LINEAR_HEAD_SIZE, 1) WHOLE(NOBODY, "", "linear-num-key-heads", LINEAR_KEY_HEADS, 1) WHOLE(NOBODY, "", "linear-key-head-dim", LINEAR_KEY_SIZE, 1)
    WHOLE(NOBODY, "", "linear-conv-kernel-dim", LINEAR_CONVOLUTION, 1)
    /* loss */
    PICK(BOTH, "model", "cross-entropy-loss-fusion", NULL, LOSS_FUSED, 1)
    PICK(BOTH, "model", "cross-entropy-fusion-impl", "te", LOSS_ONLINE, 1) PICK(BOTH, "model", "cross-entropy-fusion-impl", "native", NOTHING, 1)
    /* experts */
    COUNT(ARGS, "", "num-experts", model_experts, has_experts) COUNT(YAML, "model", "num-moe-experts", model_experts, has_experts)
    WHOLE(BOTH, "model", "moe-router-topk", TOP_K, 1) LARGE(BOTH, "model", "moe-ffn-hidden-size", EXPERT_FFN, 1)
    COUNT(BOTH, "model", "moe-router-num-groups", model_router_groups, NULL)
    COUNT(BOTH, "model", "moe-router-group-topk", model_router_group_top_k, NULL)
    LARGE(BOTH, "model", "moe-shared-expert-intermediate-size", SHARED_FFN, 0)
    KEEP(BOTH, "model", "moe-layer-freq", LAYER_FREQUENCY) COUNT(BOTH, "model", "moe-latent-size", model_expert_latent, NULL)
    PICK(BOTH, "model", "moe-grouped-gemm", NULL, GROUPED, 1) PICK(BOTH, "model", "use-transformer-engine-op-fuser", NULL, FUSED, 1)
    PICK(BOTH, "model", "moe-router-dtype", "fp32", ROUTER_FP32, 1) PICK(NOBODY, "", "moe-router-dtype", "fp64", ROUTER_FP32, 1) PICK(NOBODY, "", "moe-router-dtype", "bf16", ROUTER_FP32, 0) PICK(NOBODY, "", "moe-router-dtype.-target-", "torch.float32", ROUTER_FP32, 1) PICK(NOBODY, "", "moe-router-dtype.-target-", "torch.float64", ROUTER_FP32, 1) PICK(NOBODY, "", "moe-router-dtype.-target-", "torch.bfloat16", ROUTER_FP32, 0)
    PICK(NOBODY, "", "moe-use-legacy-grouped-gemm", NULL, LEGACY, 1)
    PICK(BOTH, "model", "moe-router-padding-for-quantization", NULL, ROUTER_PADS, 1) PICK(NOBODY, "", "moe-router-padding-for-fp8", NULL, ROUTER_PADS, 1) PICK(BOTH, "model", "moe-router-fusion", NULL, ROUTER, 1) PICK(BOTH, "model", "moe-permute-fusion", NULL, PERMUTED, 1)
    PICK(BOTH, "model", "moe-flex-dispatcher-backend", "hybridep", HYBRID, 1) PICK(BOTH, "model", "moe-flex-dispatcher-backend", "deepep", HYBRID, 0)
    WORD(BOTH, "model", "moe-token-dispatcher-type", "flex", schedule_dispatch, SS_DISPATCH_ONCE, has_experts)
    WORD(BOTH, "model", "moe-token-dispatcher-type", "alltoall", schedule_dispatch, SS_DISPATCH_COPIES, has_experts)
    WORD(NOBODY, "", "moe-token-dispatcher-type", "allgather", schedule_dispatch, SS_DISPATCH_COPIES, NULL)
    PICK(NOBODY, "", "moe-dispatch-fwd-dtype", "mxfp8", DISPATCHED_8, 1) PICK(NOBODY, "", "moe-dispatch-fwd-dtype", "bf16", DISPATCHED_8, 0) PICK(NOBODY, "", "moe-combine-bwd-dtype", "mxfp8", COMBINED_8, 1) PICK(NOBODY, "", "moe-combine-bwd-dtype", "bf16", COMBINED_8, 0)
    FLAG(NOBODY, "", "moe-enable-deepep", schedule_dispatch, SS_DISPATCH_ONCE, NO)
    REAL(BOTH, "model", "moe-expert-capacity-factor", CAPACITY, -1, 1000000) PICK(BOTH, "model", "moe-pad-expert-input-to-capacity", NULL, PADDED, 1)
    PICK(BOTH, "model", "overlap-moe-expert-parallel-comm", NULL, PAIRED, 1) PICK(BOTH, "model", "delay-wgrad-compute", NULL, DELAYED, 1)
    /* training */
    ALWAYS(BOTH, "train", "micro-batch-size", training_micro_batch) ALWAYS(BOTH, "train", "global-batch-size", training_global_batch)
    PICK(ARGS, "", "bf16", NULL, BASE, 1) PICK(ARGS, "", "fp16", NULL, BASE, 2)
    PICK(ARGS, "", "fp8-format", "hybrid", FP8, 1) PICK(ARGS, "", "fp8-format", "e4m3", FP8, 2)
    PICK(NOBODY, "", "fp8", "hybrid", FP8, 1) PICK(NOBODY, "", "fp8", "e4m3", FP8, 2) PICK(NOBODY, "", "fp8", NULL, FP8, 1)
    PICK(ARGS, "", "fp8-recipe", "delayed", RECIPE, 1) PICK(ARGS, "", "fp8-recipe", "tensorwise", RECIPE, 2)
    PICK(ARGS, "", "fp8-recipe", "blockwise", RECIPE, 3) PICK(ARGS, "", "fp8-recipe", "mxfp8", RECIPE, 4)
    PICK(ARGS, "", "no-fp8-wgrad", NULL, WGRAD16, 1) PICK(BOTH, "model", "tp-only-amax-red", NULL, TENSOR_SCALES, 1)
    PICK(NOBODY, "", "reduce-amax", NULL, SHARED_SCALES, 1)
    PICK(NOBODY, "", "fp8-dot-product-attention", NULL, ATTENTION_8, 1) PICK(NOBODY, "", "fp8-multi-head-attention", NULL, ATTENTION_8, 1)
    FLAG(BOTH, "model", "fp8-output-proj", training_output_type, SS_AS_OPERANDS, SS_AS_16BIT)
    PICK(ARGS, "", "fp4-format", "e2m1", FP4, 1) PICK(NOBODY, "", "fp4", "e2m1", FP4, 1)
    KEEP(YAML, "", "mixed-precision", MIXED) KEEP(YAML, NULL, "mixed-precision.-target-", MIXED_CLASS)
    MIXED(PICK, "bf16", ss_bridge_mixes, .which = SS_VALUE_BASE, .number = 1) MIXED(IDLE, "bf16", ss_bridge_mixes_fp16, .text = "false")
    MIXED(PICK, "fp16", ss_bridge_mixes, .which = SS_VALUE_BASE, .number = 2)
    MIXED(IDLE, "params-dtype", ss_bridge_mixes_bf16, .text = "{_target_: torch.bfloat16, _call_: false}") MIXED(IDLE, "params-dtype", ss_bridge_mixes_fp16, .text = "{_target_: torch.float16, _call_: false}")
    MIXED(IDLE, "pipeline-dtype", ss_bridge_mixes_bf16, .text = "{_target_: torch.bfloat16, _call_: false}") MIXED(IDLE, "pipeline-dtype", ss_bridge_mixes_fp16, .text = "{_target_: torch.float16, _call_: false}")
    MIXED(PICK, "fp8", ss_bridge_mixes, .which = SS_VALUE_FP8, .number = 1, .text = "hybrid") MIXED(PICK, "fp8", ss_bridge_mixes, .which = SS_VALUE_FP8, .number = 2, .text = "e4m3") MIXED(IDLE, "fp8", ss_bridge_mixes_no_fp8, .text = "null")
    MIXED(PICK, "fp8-recipe", ss_bridge_mixes, .which = SS_VALUE_RECIPE, .number = 1, .text = "delayed") MIXED(PICK, "fp8-recipe", ss_bridge_mixes, .which = SS_VALUE_RECIPE, .number = 2, .text = "tensorwise")
    MIXED(PICK, "fp8-recipe", ss_bridge_mixes, .which = SS_VALUE_RECIPE, .number = 3, .text = "blockwise") MIXED(PICK, "fp8-recipe", ss_bridge_mixes, .which = SS_VALUE_RECIPE, .number = 4, .text = "mxfp8")
    MIXED(IDLE, "fp8-amax-history-len", ss_bridge_mixes_delayed, .text = "1024") MIXED(IDLE, "fp8-amax-compute-algo", ss_bridge_mixes_delayed, .text = "max")
    MIXED(PICK, "fp8-wgrad", ss_bridge_mixes, .which = SS_VALUE_WGRAD8, .number = 1)
    MIXED(PICK, "fp4", ss_bridge_mixes_fp4, .which = SS_VALUE_FP4, .number = 1, .text = "e2m1") MIXED(IDLE, "fp4", ss_bridge_mixes_no_fp4, .text = "null")
    MIXED(PICK, "first-last-layers-bf16", ss_bridge_mixes, .which = SS_VALUE_HALVES, .number = 1)
    MIXED(WHOLE, "num-layers-at-start-in-bf16", ss_bridge_mixes, .which = SS_VALUE_FIRST_HALVES, .otherwise = SS_SETTING_MOST)
    MIXED(WHOLE, "num-layers-at-end-in-bf16", ss_bridge_mixes, .which = SS_VALUE_LAST_HALVES, .otherwise = SS_SETTING_MOST)
    MIXED(FLAG, "grad-reduce-in-fp32", ss_bridge_mixes, .attribute = SS_AT_training_gradients, .number = SS_GRADIENTS_FP32, .otherwise = SS_GRADIENTS_16BIT)
    MIXED(PICK, "fp8-param-gather", ss_bridge_mixes, .which = SS_VALUE_GATHERED_8, .number = 1) MIXED(PICK, "fp4-param-gather", ss_bridge_mixes, .which = SS_VALUE_GATHERED_4, .number = 1)
    MIXED(IDLE, "reuse-grad-buf-for-mxfp8-param-ag", ss_bridge_mixes_buffers, .text = "true") ALSO(ARGS, "", "reuse-grad-buf-for-mxfp8-param-ag", "", ss_bridge_reuses_buffers)
    ALSO(YAML, "", "comm-overlap", "null", NULL)
    WORD(NOBODY, "", "precision", "bf16", training_precision, SS_PRECISION_BF16, NULL) WORD(NOBODY, "", "precision", "bf16-mixed", training_precision, SS_PRECISION_BF16, NULL)
    WORD(NOBODY, "", "precision", "16", training_precision, SS_PRECISION_FP16, NULL) WORD(NOBODY, "", "precision", "16-mixed", training_precision, SS_PRECISION_FP16, NULL)
    PICK(ARGS, "", "first-last-layers-bf16", NULL, HALVES, 1)
    WHOLE(ARGS, "", "num-layers-at-start-in-bf16", FIRST_HALVES, 0) WHOLE(ARGS, "", "num-layers-at-end-in-bf16", LAST_HALVES, 0)
    FLAG(ARGS, "", "grad-reduce-in-bf16", training_gradients, SS_GRADIENTS_16BIT, NO)
    FLAG(ARGS, "", "accumulate-allreduce-grads-in-fp32", training_gradients, SS_GRADIENTS_FP32, NO)
    PICK(NOBODY, "", "main-grads-dtype", "bf16", MAIN_16, 1) PICK(NOBODY, "", "main-grads-dtype", "fp32", MAIN_16, 0) PICK(NOBODY, "", "main-grads-dtype", "torch.float32", MAIN_16, 0)
    FLAG(ARGS, "", "no-gradient-accumulation-fusion", training_gradient_accumulation, SS_ACCUMULATION_SEPARATE, SS_ACCUMULATION_FUSED)
    FLAG(YAML, "model", "gradient-accumulation-fusion", training_gradient_accumulation, SS_ACCUMULATION_FUSED, SS_ACCUMULATION_SEPARATE)
    PICK(NOBODY, "", "fp8-param", NULL, GATHERED_8, 1) PICK(NOBODY, "", "fp8-params", NULL, GATHERED_8, 1) PICK(ARGS, "", "fp8-param-gather", NULL, GATHERED_8, 1) PICK(NOBODY, "", "fp4-param", NULL, GATHERED_4, 1) PICK(ARGS, "", "fp4-param-gather", NULL, GATHERED_4, 1)
    WORD(BOTH, "optimizer", "optimizer", "muon", training_optimizer, SS_OPTIMIZER_MUON, NULL)
    WORD(NOBODY, "", "optimizer", "adam", training_optimizer, SS_OPTIMIZER_ADAM, NULL) WORD(NOBODY, "", "optimizer", "ademamix", training_optimizer, SS_OPTIMIZER_ADAM, NULL) WORD(NOBODY, "", "optimizer", "dist_muon", training_optimizer, SS_OPTIMIZER_MUON, NULL) WORD(NOBODY, "", "optimizer", "adamw-bnb-8bit", training_moments, SS_MOMENTS_FP8, NULL)
    PICK(BOTH, "optimizer", "muon-tp-mode", "blockwise", MUON_MODE, 1) PICK(BOTH, "optimizer", "muon-tp-mode", "duplicated", MUON_MODE, 2)
    PICK(BOTH, "optimizer", "muon-tp-mode", "distributed", MUON_MODE, 3)
    PICK(BOTH, "optimizer", "use-precision-aware-optimizer", NULL, LEAN_STATES, 1) PICK(NOBODY, "", "store-param-remainders", NULL, WHOLE_STATES, 1)
    WORD(BOTH, "optimizer", "exp-avg-dtype", "bf16", training_moments, SS_MOMENTS_16BIT, NULL)
    WORD(NOBODY, "", "exp-avg-dtype", "fp16", training_moments, SS_MOMENTS_16BIT, NULL)
    WORD(BOTH, "optimizer", "exp-avg-dtype", "fp8", training_moments, SS_MOMENTS_FP8, NULL)
    WORD(NOBODY, "", "exp-avg-dtype", "fp32", training_moments, SS_MOMENTS_FP32, NULL)
    WORD(NOBODY, "", "exp-avg-dtype.-target-", "torch.bfloat16", training_moments, SS_MOMENTS_16BIT, NULL)
    WORD(NOBODY, "", "exp-avg-dtype.-target-", "torch.float32", training_moments, SS_MOMENTS_FP32, NULL)
    WORD(BOTH, "optimizer", "exp-avg-sq-dtype", "bf16", training_moments, SS_MOMENTS_16BIT, NULL)
    WORD(NOBODY, "", "exp-avg-sq-dtype", "fp16", training_moments, SS_MOMENTS_16BIT, NULL)
    WORD(BOTH, "optimizer", "exp-avg-sq-dtype", "fp8", training_moments, SS_MOMENTS_FP8, NULL)
    WORD(NOBODY, "", "exp-avg-sq-dtype", "fp32", training_moments, SS_MOMENTS_FP32, NULL)
    WORD(NOBODY, "", "exp-avg-sq-dtype.-target-", "torch.bfloat16", training_moments, SS_MOMENTS_16BIT, NULL)
    WORD(NOBODY, "", "exp-avg-sq-dtype.-target-", "torch.float32", training_moments, SS_MOMENTS_FP32, NULL)
    FLAG(NOBODY, "", "recompute-activations", training_recompute, SS_RECOMPUTE_SELECTIVE, NO)
    WORD(BOTH, "model", "recompute-granularity", "selective", training_recompute, SS_RECOMPUTE_SELECTIVE, NULL)
    WORD(BOTH, "model", "recompute-granularity", "full", training_recompute, SS_RECOMPUTE_FULL, NULL)
    SET(BOTH, "model", "recompute-modules", training_recompute_modules, recomputes_some)
    WORD(BOTH, "model", "recompute-method", "block", training_recompute_method, SS_RECOMPUTE_BLOCK, recomputes_all)
    WORD(BOTH, "model", "recompute-method", "uniform", training_recompute_method, SS_RECOMPUTE_UNIFORM, recomputes_all)
    WHOLE(BOTH, "model", "recompute-num-layers", RECOMPUTED, 0) PICK(NOBODY, "", "moe-layer-recompute", NULL, RECOMPUTES_MOE, 1)
    WORD(NOBODY, "", "activations-checkpoint-granularity", "selective", training_recompute, SS_RECOMPUTE_SELECTIVE, NULL)
    WORD(NOBODY, "", "activations-checkpoint-granularity", "full", training_recompute, SS_RECOMPUTE_FULL, NULL)
    WORD(NOBODY, "", "activations-checkpoint-method", "block", training_recompute_method, SS_RECOMPUTE_BLOCK, NULL)
    WORD(NOBODY, "", "activations-checkpoint-method", "uniform", training_recompute_method, SS_RECOMPUTE_UNIFORM, NULL)
    WHOLE(NOBODY, "", "activations-checkpoint-num-layers", RECOMPUTED, 0)
    FLAG(NOBODY, "", "use-flash-attn", training_attention, SS_ATTENTION_FLASH, NO) FLAG(NOBODY, "", "use-flash-attention", training_attention, SS_ATTENTION_FLASH, NO)
    WORD(NOBODY, "", "attention-backend", "auto", training_attention, SS_ATTENTION_FLASH, NULL)
    WORD(NOBODY, "", "attention-backend", "flash", training_attention, SS_ATTENTION_FLASH, NULL)
    WORD(NOBODY, "", "attention-backend", "fused", training_attention, SS_ATTENTION_FLASH, NULL)
    WORD(BOTH, "model", "attention-backend", "unfused", training_attention, SS_ATTENTION_UNFUSED, NULL)
    WORD(NOBODY, "", "attention-backend", "local", training_attention, SS_ATTENTION_UNFUSED, NULL)
    PICK(NOBODY, NULL, "peft.-target-", "megatron.bridge.peft.lora.LoRA", NOTHING, 1) REFUSED("peft.-target-", "has adapters of another kind; allowed: megatron.bridge.peft.lora.LoRA") ALSO(YAML, NULL, "peft.-target-", "megatron.bridge.peft.lora.LoRA", ss_workload_adapts) COUNT(YAML, NULL, "peft.dim", training_lora_rank, ss_workload_adapts) SET(YAML, NULL, "peft.target-modules", training_lora_modules, ss_megatron_lists_adapters) REAL(YAML, NULL, "peft.dropout", ADAPTER_DROPOUT, 0, 1)
    IDLE("peft.exclude-modules") IDLE("peft.alpha") IDLE("peft.dropout-position") IDLE("peft.lora-*") FLAG(YAML, NULL, "peft.share-expert-adapters", training_lora_experts, SS_LORA_EXPERTS_SHARED, SS_LORA_EXPERTS_EACH) LEFT_OUT("peft.experts-shared-outer-loras", "adapters of experts have nothing in common, or all") LEFT_OUT("peft.normalize-moe-lora", "adapters of experts have the rank of all others") FLAG(YAML, NULL, "peft.a2a-experimental", training_lora_exchange, SS_LORA_ALL_TO_ALL, SS_LORA_GATHER) LEFT_OUT("peft.sequence-parallel-input-regather", "inputs of adapters are kept as they were gathered")
    REAL(BOTH, "model", "attention-dropout", DROPOUT, 0, 1) REAL(BOTH, "model", "hidden-dropout", DROPOUT, 0, 1)
    PICK(BOTH, "optimizer", "optimizer-cpu-offload", NULL, HOST_STEPS, 1) REAL(BOTH, "optimizer", "optimizer-offload-fraction", OFFLOADED_SHARE, 0, 1) PICK(BOTH, "optimizer", "overlap-cpu-optimizer-d2h-h2d", NULL, HOST_OVERLAPS, 1)
    PICK(BOTH, "optimizer", "offload-optimizer-states", NULL, STATES_MOVE, 1) PICK(NOBODY, "", "chunked-optimizer-state-offload", NULL, STATES_MOVE, 1) REAL(NOBODY, "", "optimizer-state-offload-fraction", OFFLOADED_SHARE, 0, 1)
    FLAG(ARGS, "", "fine-grained-activation-offloading", training_offload_activations, SS_YES, NO)
    SET(ARGS, "", "offload-modules", training_offload_modules, offloads_modules)
    PICK(YAML, "model", "cpu-offloading", NULL, OFFLOADS, 1) PICK(NOBODY, "", "cpu-offloading-weights", NULL, OFFLOADS_WEIGHTS, 1) WHOLE(YAML, "model", "cpu-offloading-num-layers", OFFLOADED, 0)
    PICK(NOBODY, "", "cuda-graph-impl", "none", GRAPHS, 1) PICK(BOTH, "model", "cuda-graph-impl", "transformer_engine", GRAPHS, 2)
    PICK(NOBODY, "", "cuda-graph-impl", "local", GRAPHS, 2) PICK(NOBODY, "", "cuda-graph-impl", "full_iteration", GRAPHS, 3)
    PICK(NOBODY, "", "cuda-graph-scope", "full", GRAPHS_WHOLE, 1) PICK(NOBODY, "", "cuda-graph-scope", "full_iteration", GRAPHS_WHOLE, 2)
    PICK(NOBODY, "", "enable-cuda-graph", NULL, GRAPHS_LAYERS, 1) PICK(NOBODY, "", "external-cuda-graph", NULL, GRAPHS_LAYERS, 1)
    GRAPHED(BOTH, "model", "cuda-graph-scope", has_graphs)
    PICK(NOBODY, "", "cuda-graph-modules", "full", GRAPHS_WHOLE, 1) GRAPHED(NOBODY, "", "cuda-graph-modules", NULL)
    /* the strategy */
    ALWAYS(BOTH, "model", "tensor-model-parallel-size", parallelism_tp) ALWAYS(BOTH, "model", "pipeline-model-parallel-size", parallelism_pp)
    COUNT(BOTH, "model", "context-parallel-size", parallelism_cp, NULL)
    WORD(BOTH, "model", "cp-comm-type", "p2p", parallelism_cp_exchange, SS_CP_RING, is_split_once)
    WORD(BOTH, "model", "cp-comm-type", "a2a", parallelism_cp_exchange, SS_CP_ALL_TO_ALL, is_split_tensor)
    WORD(BOTH, "model", "cp-comm-type", "all_gather", parallelism_cp_exchange, SS_CP_GATHER, is_split_tensor)
    WORD(NOBODY, "", "cp-comm-type", "allgather", parallelism_cp_exchange, SS_CP_GATHER, NULL)
    WORD(BOTH, "model", "cp-comm-type", "a2a+p2p", parallelism_cp_exchange, SS_CP_RING, is_split_twice)
    KEEP(BOTH, "model", "hierarchical-context-parallel-sizes", HIERARCHY)
    COUNT(BOTH, "model", "expert-model-parallel-size", parallelism_ep, NULL) COUNT(BOTH, "model", "expert-tensor-parallel-size", parallelism_etp, NULL)
    COUNT(ARGS, "", "num-virtual-stages-per-pipeline-rank", parallelism_interleave, has_plain_chunks)
    COUNT(YAML, "model", "virtual-pipeline-model-parallel-size", parallelism_interleave, NULL)
    WHOLE(NOBODY, "", "num-layers-per-virtual-pipeline-stage", LAYERS_OF_CHUNK, 1)
    WHOLE(ARGS, "", "microbatch-group-size-per-virtual-pipeline-stage", GROUP, 1)
    WHOLE(YAML, "model", "microbatch-group-size-per-vp-stage", GROUP, 1)
    COUNT(ARGS, "", "decoder-first-pipeline-num-layers", parallelism_first_stage_layers, NULL)
    COUNT(ARGS, "", "decoder-last-pipeline-num-layers", parallelism_last_stage_layers, NULL)
    COUNT(YAML, "model", "num-layers-in-first-pipeline-stage", parallelism_first_stage_layers, NULL)
    COUNT(YAML, "model", "num-layers-in-last-pipeline-stage", parallelism_last_stage_layers, NULL)
    FLAG(BOTH, "model", "account-for-embedding-in-pipeline-split", parallelism_account_for_embedding, SS_YES, SS_NO)
    FLAG(BOTH, "model", "account-for-loss-in-pipeline-split", parallelism_account_for_loss, SS_YES, SS_NO)
    TEXT(BOTH, "model", "pipeline-model-parallel-layout", parallelism_layout) PARTS("pipeline-model-parallel-layout.*", parallelism_layout)
    FLAG(BOTH, "model", "sequence-parallel", parallelism_sequence_parallel, SS_YES, SS_NO)
    PICK(BOTH, "ddp", "use-distributed-optimizer", NULL, DISTRIBUTED, 1)
    PICK(BOTH, "ddp", "use-megatron-fsdp", NULL, FSDP, 1) PICK(NOBODY, "", "use-custom-fsdp", NULL, FSDP, 1) PICK(NOBODY, "", "use-torch-fsdp2", NULL, FSDP, 2)
    PICK(BOTH, "ddp", "data-parallel-sharding-strategy", "optim_grads_params", STRATEGY, 4) PICK(BOTH, "ddp", "data-parallel-sharding-strategy", "optim_grads", STRATEGY, 3)
    PICK(NOBODY, "", "data-parallel-sharding-strategy", "optim", STRATEGY, 2) PICK(NOBODY, "", "data-parallel-sharding-strategy", "no_shard", STRATEGY, 1)
    WHOLE(BOTH, "ddp", "num-distributed-optimizer-instances", REPLICATE, 1) PICK(NOBODY, "", "outer-dp-sharding-strategy", "optim", OUTER, 1) PICK(NOBODY, "", "outer-dp-sharding-strategy", "no_shard", OUTER, 0)
    PICK(NOBODY, "", "optim.name", "distributed_fused_adam", DISTRIBUTED, 1) PICK(NOBODY, "", "optim.name", "mcore_distributed_optim", DISTRIBUTED, 1)
    PICK(NOBODY, "", "optim.name", "megatron_fused_adam", DISTRIBUTED, 0) PICK(NOBODY, "", "optim.name", "fused_adam", DISTRIBUTED, 0)
    FLAG(ARGS, "", "overlap-grad-reduce", schedule_overlap_dp, SS_YES, SS_NO) SAID("ddp", "overlap-grad-reduce", schedule_overlap_dp, SS_YES, SS_NO) FLAG(NOBODY, "", "optim.overlap-grad-sync", schedule_overlap_dp, SS_YES, SS_NO)
    PICK(BOTH, "ddp", "overlap-param-gather", NULL, GATHERS, 1) PICK(NOBODY, "", "optim.overlap-param-sync", NULL, GATHERS, 1)
    PICK(NOBODY, "", "comm-overlap.batch-p2p-comm", NULL, BATCHED_SENDS, 1) ALSO(YAML, "model", "batch-p2p-comm", "false", hides_sends)
    PICK(ARGS, "", "no-overlap-p2p-communication", NULL, EXPOSED_SENDS, 1) PICK(YAML, "model", "overlap-p2p-comm", NULL, HIDDEN_SENDS, 1)
    FLAG(BOTH, "model", "tp-comm-overlap", schedule_overlap_tp, SS_TP_OVERLAP_USER_BUFFERS, NO) FLAG(NOBODY, "", "ub-tp-comm-overlap", schedule_overlap_tp, SS_TP_OVERLAP_USER_BUFFERS, NO)
    RANKS(ARGS, "", "nnodes", NODES) RANKS(ARGS, "", "nproc-per-node", GPUS_OF_NODE)
    RANKS(NOBODY, "", "nproc_per_node", GPUS_OF_NODE) RANKS(NOBODY, "", "num-nodes", NODES) RANKS(NOBODY, "", "devices", GPUS_OF_NODE)
    PICK(NOBODY, "", "standalone", NULL, NODES, 1) RANKS(NOBODY, "", "deepspeed.num-gpus", GPUS_OF_NODE) RANKS(NOBODY, "", "deepspeed.num-nodes", NODES)
    RANKS(NOBODY, "", "sbatch.nodes", NODES) RANKS(NOBODY, "", "sbatch.N", NODES) RANKS(NOBODY, "", "sbatch.gpus-per-node", GPUS_OF_NODE) RANKS(NOBODY, "", "sbatch.gres", GPUS_OF_NODE)
    RANKS(NOBODY, "", "sbatch.ntasks-per-node", TASKS_OF_NODE) RANKS(NOBODY, "", "srun.ntasks-per-node", TASKS_OF_NODE) RANKS(NOBODY, "", "mpirun.npernode", TASKS_OF_NODE) RANKS(NOBODY, "", "sbatch.ntasks", PROCESSES) RANKS(NOBODY, "", "sbatch.n", PROCESSES)
    RANKS(NOBODY, "", "srun.ntasks", PROCESSES) RANKS(NOBODY, "", "srun.n", PROCESSES) RANKS(NOBODY, "", "mpirun.np", PROCESSES) RANKS(NOBODY, "", "mpirun.n", PROCESSES) RANKS(NOBODY, "", "accelerate.num-processes", PROCESSES)
    WORD(NOBODY, "", "accelerate.mixed-precision", "bf16", training_precision, SS_PRECISION_BF16, NULL) WORD(NOBODY, "", "accelerate.mixed-precision", "fp16", training_precision, SS_PRECISION_FP16, NULL)
    RECIPE("accelerate.config-file") RECIPE("accelerate.deepspeed-config-file") REFUSED("accelerate.use-fsdp", "shards by PyTorch's FSDP; allowed: the file without it, and --set parallelism.sharding=parameters")
    RANKS(NOBODY, "", "srun.nodes", NODES) RANKS(NOBODY, "", "srun.N", NODES) RANKS(NOBODY, "", "srun.gpus-per-node", GPUS_OF_NODE) RANKS(NOBODY, "", "srun.gres", GPUS_OF_NODE)
    PICK(ARGS, "", "use-tp-pp-dp-mapping", NULL, STAGES_INSIDE, 1) PICK(NOBODY, "", "dist.use-tp-pp-dp-mapping", NULL, STAGES_INSIDE, 1)
    /* earlier versions, and DeepSpeed's */
    WORD(NOBODY, "", "DDP-impl", "local", schedule_overlap_dp, SS_NO, NULL) WORD(NOBODY, "", "DDP-impl", "torch", schedule_overlap_dp, SS_YES, NULL)
    FLAG(NOBODY, "", "checkpoint-activations", training_recompute, SS_RECOMPUTE_FULL, NO)
    PICK(NOBODY, "", "pp-partition-method", "type:transformer", NOTHING, 1) PICK(NOBODY, "", "pp-partition-method", "type:transformer|embedding", ENDS_COUNT, 1) COUNT(NOBODY, "", "pad-vocab-size-to", model_vocabulary, NULL)
    LEFT_OUT("embed-layernorm", "a norm behind the embedding") LEFT_OUT("sync-tp-duplicated-parameters", "sums of a few parameters") IDLE("deepspeed-activation-checkpointing") IDLE("abort-on-unmet-fused-kernel-constraints") IDLE("kill-switch-path") IDLE("codecarbon-dir") IDLE("dataset-ratios-path") IDLE("output-meg-ds-ratio-file") IDLE("norm-target-loss") IDLE("reset-progress") IDLE("train-weighted-split-paths-path") IDLE("valid-weighted-split-paths-path") IDLE("universal-checkpoint") IDLE("no-query-key-layer-scaling") IDLE("skip-train-iteration-range") IDLE("wait")
    WORD(NOBODY, "", "glu-activation", "swiglu", model_mlp, SS_MLP_SWIGLU, NULL) WORD(NOBODY, "", "glu-activation", "geglu", model_mlp, SS_MLP_SWIGLU, NULL) WORD(NOBODY, "", "glu-activation", "reglu", model_mlp, SS_MLP_SWIGLU, NULL) WORD(NOBODY, "", "glu-activation", "liglu", model_mlp, SS_MLP_SWIGLU, NULL)
    WORD(NOBODY, "", "zero-stage", "0", parallelism_sharding, SS_SHARDING_NONE, NULL) WORD(NOBODY, "", "zero-stage", "1", parallelism_sharding, SS_SHARDING_OPTIMIZER, NULL)
    WORD(NOBODY, "", "zero-stage", "2", parallelism_sharding, SS_SHARDING_GRADIENTS, NULL) WORD(NOBODY, "", "zero-stage", "3", parallelism_sharding, SS_SHARDING_PARAMETERS, NULL)
    /* what is trained how */
    PICK(NOBODY, "", "MODE", "pretraining", NOTHING, 1) PICK(NOBODY, "", "mode", "pretrain", NOTHING, 1) PICK(NOBODY, "", "mode", "sft", NOTHING, 1)
    PICK(NOBODY, "", "step-func", "gpt_step", NOTHING, 1) PICK(NOBODY, "", "step", "gpt", NOTHING, 1) PICK(NOBODY, "", "step", "gpt_step", NOTHING, 1)
    RECIPE("recipe") RECIPE("config-file") RECIPE("deepspeed-config")
    /* what a command that runs has beside them */
    ALSO(ARGS, "", "ckpt-format", "fsdp_dtensor", is_fsdp) ALSO(YAML, "checkpoint", "ckpt-format", "fsdp_dtensor", is_fsdp)
    ALSO(ARGS, "", "use-mcore-models", "", NULL) PICK(NOBODY, "", "transformer-impl", "local", LOCAL_LAYERS, 1) ALSO(ARGS, "", "transformer-impl", "transformer_engine", NULL)
    ALSO(BOTH, "model", "normalization", "RMSNorm", is_llama) ALSO(BOTH, "model", "normalization", "LayerNorm", is_plain)
    PICK(BOTH, "model", "position-embedding-type", "rope", POSITION, SS_POSITION_ROPE) PICK(BOTH, "model", "position-embedding-type", "learned_absolute", POSITION, SS_POSITION_LEARNED) PICK(BOTH, "model", "position-embedding-type", "none", POSITION, SS_POSITION_NONE)
    PICK(NOBODY, "", "position-embedding-type", "mrope", POSITION, SS_POSITION_ROPE) PICK(NOBODY, "", "position-embedding-type", "yarn", POSITION, SS_POSITION_ROPE)
    PICK(NOBODY, "", "use-rotary-position-embeddings", NULL, ROPE, 1) PICK(NOBODY, "", "no-position-embedding", NULL, UNPLACED, 1) PICK(NOBODY, "", "disable-bias-linear", NULL, UNBIASED, 1) ALSO(ARGS, "", "disable-bias-linear", "", is_unbiased)
    PICK(NOBODY, "", "add-bias-linear", NULL, BIASED, 1) {.key = "add-bias-linear", .section = "model", .by = YAML, .use = SS_SETTING_IDLE, .text = "false", .when = is_unbiased},
    LARGE(NOBODY, "", "packed-sequence-specs.packed-sequence-size", PACKED, -1) LARGE(NOBODY, "", "offline-packing-specs.packed-sequence-size", PACKED, -1)
    /* what takes a little time, or has another way to be said */
    LEFT_OUT("packed-sequence-specs.pad-seq-to-mult", "training.document-padding has it") LEFT_OUT("offline-packing-specs.pad-seq-to-mult", "training.document-padding has it")
    LEFT_OUT("train-ds.packed-sequence", "training.packing has it, with training.documents") LEFT_OUT("data.train-ds.packed-sequence", "training.packing has it, with training.documents")
    LEFT_OUT("rampup-batch-size", "smaller batches ahead of the full one, which is what is predicted") LEFT_OUT("add-qkv-bias", "biases of attention") LEFT_OUT("qkv-bias", "biases of attention") LEFT_OUT("ddp-bucket-size", "schedule.bucket has it, in bytes")
    LEFT_OUT("bucket-size", "schedule.bucket has it, in bytes") LEFT_OUT("moe-shared-expert-overlap", "shared experts beside all-to-alls")
    LEFT_OUT("calculate-per-token-loss", "one more reduction of a number") LEFT_OUT("no-masked-softmax-fusion", "of attention that is not fused")
    LEFT_OUT("no-bias-gelu-fusion", "training.fused has it") LEFT_OUT("no-bias-swiglu-fusion", "training.fused has it")
    LEFT_OUT("no-bias-dropout-fusion", "training.fused has it") LEFT_OUT("no-rope-fusion", "training.fused has it")
    LEFT_OUT("moe-router-force-load-balancing", "training.imbalance has it")
    LEFT_OUT("deterministic-mode", "kernels that add up in one order") LEFT_OUT("disable-mamba-mem-eff-path", "kernels of Mamba one by one") LEFT_OUT("fp16-lm-cross-entropy", "the loss in 16 bits")
    LEFT_OUT("distribute-saved-activations", "kept activations are not split over tensor-parallel ranks") LEFT_OUT("softmax-type", "a learned term of attention's sum")
    LEFT_OUT("mla-down-proj-fusion", "one product in place of two")
    LEFT_OUT("fp32-residual-connection", "residuals in 32 bits") LEFT_OUT("disable-bf16-reduced-precision-matmul", "sums of products in 32 bits") LEFT_OUT("vocab-extra-ids", "a few more words")
    LEFT_OUT("moe-shared-expert-gate", "a product with one column") LEFT_OUT("context-parallel-load-balancer", "parallelism.cp-balance has it")
    LEFT_OUT("moe-permute-fusion-into-hybridep", "permutations in kernels of the exchange") LEFT_OUT("final-logit-softcapping", "a tanh of the logits") LEFT_OUT("router-logit-softcapping", "a tanh of a few numbers")
    /* what changes the time, and has another way to be said, or none */
    MATTERS("sft", "conversations that are packed into a sequence, each of which attends to itself; training.packing and training.documents say so")
    MATTERS("reset-attention-mask", "attention to tokens of the own document only; training.documents says so")
    MATTERS("use-sharp", "reductions in switches of the fabric; platform.fabric-reduces=1 says so") MATTERS("sharp*", "reductions in switches of the fabric; platform.fabric-reduces=1 says so")
    MATTERS("batch-invariant-mode", "kernels that are slower, of which no costs are known")
    /* Primus: primus/configs and primus/backends/megatron/patches of AMD-AGI/Primus; where routers are without syncs, from 2 on, exchanges are of DeepEP */
    FLAG(NOBODY, "", "use-turbo-deepep", schedule_dispatch, SS_DISPATCH_ONCE, NO) WORD(NOBODY, "", "turbo-sync-free-moe-stage", "2", schedule_dispatch, SS_DISPATCH_ONCE, NULL) WORD(NOBODY, "", "turbo-sync-free-moe-stage", "3", schedule_dispatch, SS_DISPATCH_ONCE, NULL) WORD(NOBODY, "", "turbo-sync-free-moe-stage", "*", schedule_dispatch, 0, NULL)
    LEFT_OUT("use-sink-attention", "a learned term of attention's sum")
    LEFT_OUT("enable-primus-turbo", "kernels of Primus") LEFT_OUT("use-turbo-*", "kernels of Primus") LEFT_OUT("enable-turbo-*", "kernels of Primus") LEFT_OUT("no-fp8-weight-transpose-cache", "transposed weights in 8 bits")
    /* what would be another prediction */
    KEEP(NOBODY, "", "recompute-layer-ids", RECOMPUTED_LAYERS)
    REFUSED("sink-sliding-window", "attends to a window; allowed: the file without it, and --set model.kinds and model.pattern") REFUSED("attn-logit-softcapping", "caps scores of attention; allowed: the file without it")
    REFUSED("encoder-num-layers", "has an encoder and a decoder; allowed: a decoder, with --num-layers") REFUSED("decoder-num-layers", "has an encoder and a decoder; allowed: a decoder, with --num-layers")
    REFUSED("experimental-attention-variant", "has another attention; allowed: the file without it, and --set model.kinds")
    REFUSED("enable-hyper-connections", "has several residual streams; allowed: the file without it")
    REFUSED("enable-mhc-connections", "has several residual streams; allowed: the file without it") REFUSED("heterogeneous-layers-config-path", "has layers from another file; allowed: the file without it, and --set model.kinds")
    REFUSED("hybrid-context-parallel", "splits sequences by their lengths; allowed: the file without it") REFUSED("fsdp", "shards by PyTorch's FSDP; allowed: the file without it, and --set parallelism.sharding=parameters")
    REFUSED("tp2d", "splits tensors twice; allowed: the file without it")
    REFUSED("decoder-seq-length", "has an encoder and a decoder; allowed: a decoder, with --seq-length") REFUSED("hc-mult", "has several residual streams; allowed: the file without it")
    REFUSED("generate.*", "generates tokens; allowed: files of training") REFUSED("num-tokens-to-generate", "generates tokens; allowed: files of training") REFUSED("incoming-requests-*", "serves requests; allowed: files of training") REFUSED("out-seq-length", "generates tokens; allowed: files of training") REFUSED("perform-rl-step", "learns from what it generates; allowed: files of training on given tokens") REFUSED("language-model-type", "has a model of pictures; allowed: a language model, with --set model.vision-layers and others")
    LEFT_OUT("mtp-use-repeated-layer", "several modules that predict a token further share one layer: parameters, gradients and states are those of model.mtp-modules layers all the same") LEFT_OUT("stage", "a dataset of conversations") IDLE("fully-parallel-save") IDLE("lb-mini-cost-model") IDLE("disable-delayed-scaling-patches") IDLE("no-yarn-correction-range-round-to-int") IDLE("moe-pad-experts-for-cuda-graph-inference") IDLE("finetune-hf-dataset") IDLE("hf-path") LEFT_OUT("enable-packed-sequences", "documents that are packed: training.packing has them, with training.documents") LEFT_OUT("use-packed-attention", "documents that are packed: training.packing has them, with training.documents") IDLE("pytorch-profiler-*") IDLE("empty-cache-interval") LEFT_OUT("fused-ce-*", "kernels of the loss") LEFT_OUT("fla-mla-attn", "kernels of flash-linear-attention")
    REFUSED("moe-extended-tp", "splits an expert over tensor- and expert-parallel ranks; allowed: the file without it, and --expert-tensor-parallel-size")
    REFUSED("use-kitchen*", "has products of another library; allowed: the file without it, and --set training.precision") PICK(NOBODY, "", "num-seq-splits", "1", NOTHING, 1) REFUSED("num-seq-splits", "passes parts of a sequence through the stages one after the other; allowed: 1") PICK(NOBODY, "", "activation-offload-fraction", "1.0", NOTHING, 1) PICK(NOBODY, "", "activation-offload-fraction", "1", NOTHING, 1) REFUSED("activation-offload-fraction", "leaves some of the modules on the GPU; allowed: 1.0, and --set training.offload-modules")
    REFUSED("num-microbatches-with-partial-activation-checkpoints", "computes some micro-batches again only; allowed: the file without it, and --set training.recompute-layers") REFUSED("num-micro-batches-with-partial-activation-checkpoints", "computes some micro-batches again only; allowed: the file without it, and --set training.recompute-layers") REFUSED("activations-checkpoint-layers-per-pipeline", "computes other layers again on each stage; allowed: the file without it, and --set training.recompute-layer-ids")
    REFUSED("patch-primus-pipeline", "has a schedule of Primus; allowed: the file without it, and --set schedule.pipeline") REFUSED("patch-zero-bubble", "has a schedule of zero bubbles; allowed: the file without it, and --set schedule.pipeline=zero-bubble-1 or another")
    REFUSED("moe-use-upcycling", "begins from another model; allowed: the file without it") REFUSED("drop-layers", "leaves layers out; allowed: the file without it, and its number of layers")
    /* optimizer and schedule of the learning rate */
    IDLE("optimizer.*") IDLE("optim.*") IDLE("scheduler.*") IDLE("optim-config.*") IDLE("lr-scheduler.*") IDLE("lr") IDLE("lr-*") IDLE("min-lr") IDLE("decoupled-*") IDLE("weight-decay*") IDLE("adam-*") IDLE("clip-grad") IDLE("gradient-clip-val")
    IDLE("train-iters") IDLE("train-samples") IDLE("override-opt*") IDLE("step-batch-size-schedule") IDLE("exit-*") IDLE("main-params-dtype*") IDLE("main-grads-dtype.*") IDLE("sgd-momentum") IDLE("muon-*")
    IDLE("init-method*") IDLE("output-layer-init-method*") IDLE("embedding-init-method*") IDLE("seed") IDLE("loss-scale") IDLE("initial-loss-scale") IDLE("use-checkpoint-opt*") IDLE("reset-lr*") IDLE("mup-*") IDLE("use-mup")
    IDLE("use-scaled-init-method") IDLE("native-amp-*") IDLE("hysteresis") IDLE("megatron-amp-O2") IDLE("max-steps") IDLE("max-epochs") IDLE("params-dtype*") IDLE("autocast-dtype*") IDLE("pipeline-dtype*") IDLE("enable-autocast")
    /* data, tokenizer, checkpoints, logs */
    IDLE("data-path") IDLE("data-impl") IDLE("data-cache-path") IDLE("dataloader*") IDLE("mock-data") IDLE("split") IDLE("vocab-file") IDLE("train-data-path") IDLE("valid-data-path") IDLE("test-data-path") IDLE("per-split-data-args-path")
    IDLE("merge-file") KEEP(NOBODY, "", "tokenizer-model", TOKENIZER) KEEP(NOBODY, "", "tokenizer.tokenizer-model", TOKENIZER) IDLE("tokenizer-*") IDLE("tokenizer.*") IDLE("tiktoken-*") IDLE("num-workers") IDLE("no-mmap-bin-files") IDLE("dataset.*") IDLE("data.*") IDLE("generation-config.*") IDLE("nsys-profile.*") IDLE("s3-checkpointing.*")
    IDLE("no-create-attention-mask-in-dataloader") IDLE("create-attention-mask-in-dataloader") IDLE("save") IDLE("save-*") IDLE("load") IDLE("load-*") IDLE("no-load-*") IDLE("checkpoint.*") IDLE("ckpt.*") IDLE("resume.*") IDLE("resume-from-checkpoint")
    IDLE("no-save-*") IDLE("ckpt-*") IDLE("auto-detect*") IDLE("dist-ckpt*") IDLE("eval-*") IDLE("log-*") IDLE("logger.*") IDLE("log.*") IDLE("exp-manager.*") IDLE("tensorboard-*") IDLE("validation.*") IDLE("use-persistent-ckpt-worker")
    IDLE("wandb-*") IDLE("profile*") IDLE("profiling.*") IDLE("eod-mask-loss") IDLE("no-check-for-nan*") IDLE("check-for-*") IDLE("trust-remote-code") IDLE("restore-from-*") IDLE("straggler.*") IDLE("nvrx-straggler.*") IDLE("rerun-state-machine.*") IDLE("ft.*")
    IDLE("export-*") IDLE("modelopt-*") IDLE("use-checkpoint-args") IDLE("finetune") IDLE("auto-continue-train") IDLE("disable-last-saving") IDLE("disable-wandb") IDLE("disable-tensorboard") IDLE("async-save") IDLE("use-dist-ckpt") IDLE("timing-log-*")
    RECIPE("modules.pre-trainer.config") RECIPE("modules.pre-trainer.model") IDLE("work-group") IDLE("user-name") IDLE("exp-name") IDLE("workspace") IDLE("framework") IDLE("config") IDLE("model") IDLE("sink-level") IDLE("file-sink-level") IDLE("stderr-sink-level") IDLE("extends") IDLE("includes") FLAG(NOBODY, "", "ENV-VARS.NVTE-NORM-FWD-USE-CUDNN", training_norms, SS_NORMS_CUDNN, SS_NORMS_FRAMEWORK) IDLE("ENV-VARS.*") IDLE("name")
    IDLE("legacy-tokenizer") IDLE("og-tokenizer") IDLE("limit-*") IDLE("val-check-interval") IDLE("enable-checkpointing") IDLE("use-distributed-sampler") IDLE("accelerator") IDLE("benchmark") IDLE("enable-model-summary") IDLE("defaults") IDLE("logger") IDLE("accumulate-grad-batches")
    IDLE("data-path2") IDLE("fim-*") IDLE("pretrained-checkpoint") IDLE("async-strategy") IDLE("async-ckpt-*") IDLE("verify-integrity") IDLE("no-ckpt-*") IDLE("logging-level") IDLE("record-memory-history") IDLE("memory-snapshot-path") IDLE("reset-position-ids") IDLE("no-use-tokenizer-model-from-checkpoint-args")
    IDLE("TEST-TYPE") IDLE("LAUNCHER") IDLE("METRICS*") IDLE("BEFORE-SCRIPT") IDLE("AFTER-SCRIPT") IDLE("check-weight-hash-across-dp-replicas-interval") IDLE("check-optimizer-step-success") IDLE("transformer-layer-spec.use-transformer-engine") IDLE("straggler-minmax-count") IDLE("log-straggler") IDLE("dataset") IDLE("deepspeed") IDLE("no-pipeline-parallel")
    IDLE("sink-window-even-layers-only") IDLE("turbo-*") IDLE("moe-use-fused-router-with-aux-score") IDLE("conv-bias") IDLE("model-type") IDLE("bases") IDLE("trainable") IDLE("disable-mlflow") IDLE("mlflow-*") IDLE("disable-compile-dependencies") IDLE("use-rocm-mem-info*") IDLE("torch-profiler-*") IDLE("use-pytorch-profiler") IDLE("weight-deosc-*") IDLE("torch-compile.*") IDLE("pp-warmup") IDLE("mmap-bin-files")
    IDLE("zero-bubble-*") IDLE("enable-zb-runtime") IDLE("enable-exactly-numeric-match") IDLE("allow-padding-num-layers") IDLE("offload-time") IDLE("auto-offload-time") IDLE("offload-overlap-sr") IDLE("odc-*") IDLE("retro-*") IDLE("dino-*") IDLE("grpo-*") IDLE("langrl-*") IDLE("rl-prompts-per-eval") IDLE("bert-*") IDLE("indexer-*") IDLE("vision-*") IDLE("swin-backbone-type") IDLE("adlr-autoresume*") IDLE("mock-dataset.*")
    IDLE("min-loss-scale") IDLE("loss-scale-window") IDLE("head-lr-mult") IDLE("use-tokenizer-model-from-checkpoint-args") IDLE("non-persistent-*") IDLE("align-grad-reduce") IDLE("scatter-gather-tensors-in-pipeline") IDLE("data-sharding") IDLE("retriever-*") IDLE("sample-rate") IDLE("mask-*") IDLE("short-seq-prob") IDLE("enable-one-logger") IDLE("one-logger-*") IDLE("app-tag-*") IDLE("error-injection-*") IDLE("rerun-mode") IDLE("num-classes") IDLE("img-h") IDLE("img-w") IDLE("num-channels") IDLE("patch-dim") IDLE("classes-fraction") IDLE("data-per-class-fraction") IDLE("iter-per-epoch") IDLE("straggler-ctrlr-port") IDLE("max-tokens-to-oom") IDLE("num-dataset-builder-threads") IDLE("query-in-block-prob") IDLE("communication-method") IDLE("pp-algorithm") IDLE("enable-zero-bubble")
    WHOLE(NOBODY, "", "data-parallel-replicate-degree", REPLICATE, 1) IDLE("apply-wd-to-qk-layernorm") IDLE("yarn-*") IDLE("moe-mlp-glu-interleave-size") IDLE("no-weight-decay-cond-type") IDLE("use-separate-send-recv-groups") IDLE("add-position-embedding") IDLE("sft-*")
    /* how it runs */
    IDLE("run.*") IDLE("hydra.*") IDLE("max-time") IDLE("srun.*") IDLE("sbatch.*") IDLE("mpirun.*") IDLE("accelerate.*") IDLE("nsys.*") IDLE("ncu.*") IDLE("uv.*") IDLE("numactl.*") IDLE("deepspeed.*") IDLE("convert.*") IDLE("mpi") IDLE("container-*") IDLE("no-container-*") IDLE("no-kill") IDLE("kill-on-bad-exit") IDLE("no-sync") IDLE("ft-*") IDLE("monitor-interval") IDLE("report-interval") IDLE("use-nccl-ub")
    IDLE("master_addr") IDLE("master_port") IDLE("node_rank") IDLE("master-addr") IDLE("master-port") IDLE("node-rank") IDLE("rdzv*") IDLE("dist.*") IDLE("rng.*") IDLE("tee") IDLE("redirects") IDLE("local-ranks-filter") IDLE("max-restarts") IDLE("experiment.*") IDLE("enable-experimental")
    IDLE("distributed-*") IDLE("manual-gc*") IDLE("gc-interval") IDLE("empty-unused-memory-level") IDLE("use-te") IDLE("use-cpu-initialization") IDLE("init-model-with-meta-device") IDLE("perform-initialization") IDLE("nccl-communicator-config-path") IDLE("high-priority-*")
    IDLE("disable-gloo-process-groups") IDLE("enable-gloo-process-groups") IDLE("cuda-graph-*") IDLE("enable-megatron-timers") IDLE("megatron-timer-kwargs.*")
    IDLE("pipeline-model-parallel-comm-backend") IDLE("pipeline-model-parallel-split-rank") IDLE("batch-p2p-*") IDLE("use-ring-exchange-p2p") IDLE("deallocate-pipeline-outputs") IDLE("barrier-with-L1-time") IDLE("tp-comm-*") IDLE("ub-tp-comm-overlap-cfg*") IDLE("align-param-gather") IDLE("average-in-collective") IDLE("pad-buckets-for-high-nccl-busbw")
    IDLE("num-buckets") IDLE("gradient-reduce-div-fusion") IDLE("grad-div-ar-fusion") IDLE("gradient-as-bucket-view") IDLE("grad-allreduce-chunk-size-mb") IDLE("contiguous-grad-bucket") IDLE("keep-fp8-transpose-cache*") IDLE("reuse-grad-buf-for-mxfp8-param-ag") IDLE("nccl-ub") IDLE("fsdp-*") IDLE("megatron-fsdp-*") IDLE("suggested-communication-unit-size")
    IDLE("test-mode") IDLE("config-logger-dir") IDLE("flash-decode") IDLE("batch-invariant-*") IDLE("inference-*") IDLE("symmetric-ar-type") IDLE("quant-recipe*") IDLE("disable-parameter-transpose-cache") IDLE("clone-scatter-output-in-embedding") IDLE("use-te-rng-tracker") IDLE("variable-seq-lengths") IDLE("mcore-gpt") IDLE("skip-train") IDLE("transformer-engine")
    IDLE("moe-deepep-*") IDLE("moe-hybridep-*") IDLE("moe-flex-dispatcher-*") IDLE("moe-token-drop-policy") IDLE("moe-token-dropping") IDLE("moe-per-layer-logging") IDLE("use-torch-optimizer-for-cpu-offload") IDLE("pin-cpu-*") IDLE("min-offloaded-tensor-size") IDLE("cpu-offloading-activations")
    IDLE("wgrad-deferral-limit") IDLE("defer-embedding-wgrad-compute") IDLE("overlap-p2p-comm-warmup-flush") IDLE("overlap-p2p-communication-warmup-flush") IDLE("ddp-num-buckets") IDLE("ddp-pad-buckets-for-high-nccl-busbw") IDLE("ddp-average-in-collective") IDLE("te-rng-tracker") IDLE("no-use-layer-wise-param-layout") IDLE("overlap-param-gather-with-optimizer-step") IDLE("delay-*") IDLE("sync-batch-comm") IDLE("async-tensor-model-parallel-allreduce")
    /* numbers inside of kernels that are there in any case */
    IDLE("numa") IDLE("position-embedding-type") IDLE("max-position-embeddings") IDLE("no-rope-freq") IDLE("rotary-*") IDLE("seq-len-interpolation-factor") IDLE("scale-positional-embedding") IDLE("headscale") IDLE("transformer-block-type") IDLE("openai-gelu") IDLE("normalize-attention-scores") IDLE("attention-type") IDLE("ffn-dropout")
    IDLE("use-rope-scaling") IDLE("rope-*") IDLE("mscale*") IDLE("beta-fast") IDLE("beta-slow") IDLE("original-max-position-embeddings") IDLE("apply-rope-fusion") IDLE("fused-single-qkv-rope") IDLE("fused-residual-rmsnorm") IDLE("persist-layer-norm") IDLE("no-persist-layer-norm") IDLE("use-flashinfer-fused-rope") IDLE("memory-efficient-layer-norm") IDLE("do-layer-norm-weight-decay") IDLE("bias")
    IDLE("norm-epsilon") IDLE("layernorm-epsilon") IDLE("layernorm-zero-centered-gamma") IDLE("apply-layernorm-1p") IDLE("apply-query-key-layer-scaling") IDLE("attention-softmax-in-fp32") IDLE("softmax-scale") IDLE("apply-residual-connection-post-layernorm") IDLE("masked-softmax-fusion") IDLE("bias-activation-fusion") IDLE("bias-swiglu-fusion") IDLE("bias-gelu-fusion") IDLE("bias-dropout-fusion") IDLE("bias-dropout-add-fusion") IDLE("get-attention-mask-from-fusion")
    IDLE("moe-router-*") IDLE("moe-aux-loss-coeff") IDLE("moe-z-loss-coeff") IDLE("moe-input-jitter-eps") IDLE("moe-apply-probs-on-input") IDLE("mtp-loss-scaling-factor") IDLE("glu-linear-offset") IDLE("activation-func-clamp-value") FLAG(BOTH, "model", "activation-func-fp8-input-store", training_activation_input, SS_ACTIVATION_INPUT_FP8, SS_ACTIVATION_INPUT_16BIT) IDLE("activation-func-*") IDLE("use-te-activation-func") IDLE("use-fused-weighted-squared-relu")
    IDLE("fp8-amax-*") IDLE("fp8-margin") IDLE("fp8-interval") IDLE("fp8-e4m3") IDLE("fp8-hybrid") IDLE("fp4-recipe") IDLE("use-emha") IDLE("qk-clip*") IDLE("dsa-*") IDLE("mhc-*") IDLE("gdp-*") IDLE("use-mamba-mem-eff-path") IDLE("should-pad-vocab")
    IDLE("onnx-safe") IDLE("apex-transformer-log-level") IDLE("pre-process") IDLE("post-process") IDLE("parallel-output") IDLE("scatter-embedding-sequence-parallel") IDLE("hf-model-id") IDLE("kitchen-*") IDLE("hetereogenous-dist-checkpoint") IDLE("mlp-chunks-for-*") IDLE("reduce-scatter-with-fp32-accumulation") IDLE("validation-param-sync-overlap") IDLE("mrope-section") IDLE("enable-gpt-oss") IDLE("vocab-size-*")
    {.key = NULL},
};
/* clang-format on */
