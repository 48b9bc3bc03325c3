/* The words that attributes of a workload take, as lists and as enumerations. */
#ifndef STEPSIM_MODEL_INPUT_WORDS_H
#define STEPSIM_MODEL_INPUT_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Room for a text of a workload, such as the name of its model. */
#define SS_TEXT_SIZE 256

/* clang-format off */
/* Words that an attribute can take: X(enumerator, "word"). */
#define SS_SWITCH_LIST(X) X(SS_NO, "no") X(SS_YES, "yes")
#define SS_MLP_LIST(X) X(SS_MLP_GELU, "gelu") X(SS_MLP_SWIGLU, "swiglu") X(SS_MLP_RELU2, "relu2")
#define SS_MIXER_LIST(X)                 \
  X(SS_MIXER_ATTENTION, "attention")     \
  X(SS_MIXER_MAMBA, "mamba")             \
  X(SS_MIXER_MAMBA_1, "mamba-1")         \
  X(SS_MIXER_HYBRID, "hybrid")           \
  X(SS_MIXER_LINEAR, "linear")           \
  X(SS_MIXER_KDA, "kda")                 \
  X(SS_MIXER_LIGHTNING, "lightning")     \
  X(SS_MIXER_CONVOLUTION, "convolution") \
  X(SS_MIXER_COMPRESSED, "compressed")   \
  X(SS_MIXER_NONE, "none")
#define SS_FEED_FORWARD_LIST(X)   \
  X(SS_FEED_FORWARD_AUTO, "auto") \
  X(SS_FEED_FORWARD_MLP, "mlp")   \
  X(SS_FEED_FORWARD_NONE, "none")
#define SS_PRECISION_LIST(X)                 \
  X(SS_PRECISION_BF16, "bf16")               \
  X(SS_PRECISION_FP16, "fp16")               \
  X(SS_PRECISION_FP8, "fp8")                 \
  X(SS_PRECISION_FP8_WGRAD16, "fp8-wgrad16") \
  X(SS_PRECISION_FP8_CURRENT, "fp8-current") \
  X(SS_PRECISION_FP8_ROWS, "fp8-rows")       \
  X(SS_PRECISION_FP8_BLOCK, "fp8-block")     \
  X(SS_PRECISION_MXFP8, "mxfp8")             \
  X(SS_PRECISION_NVFP4, "nvfp4")
#define SS_ATTENTION_LIST(X) X(SS_ATTENTION_FLASH, "flash") X(SS_ATTENTION_UNFUSED, "unfused")
#define SS_RECOMPUTE_LIST(X)                     \
  X(SS_RECOMPUTE_NONE, "none")                   \
  X(SS_RECOMPUTE_SELECTIVE, "selective")         \
  X(SS_RECOMPUTE_FULL, "full")                   \
  X(SS_RECOMPUTE_PER_OP, "per-op")               \
  X(SS_RECOMPUTE_KEEP_PRODUCTS, "keep-products")
#define SS_RECOMPUTE_METHOD_LIST(X) X(SS_RECOMPUTE_BLOCK, "block") X(SS_RECOMPUTE_UNIFORM, "uniform")
#define SS_PROJECTIONS_LIST(X) X(SS_PROJECTIONS_FUSED, "fused") X(SS_PROJECTIONS_SEPARATE, "separate")
#define SS_NORMS_LIST(X) X(SS_NORMS_FRAMEWORK, "framework") X(SS_NORMS_FUSED, "fused") X(SS_NORMS_CUDNN, "cudnn")
#define SS_ACCUMULATION_LIST(X)                           \
  X(SS_ACCUMULATION_FUSED, "fused")                       \
  X(SS_ACCUMULATION_SEPARATE, "separate")                 \
  X(SS_ACCUMULATION_SEPARATE_EXPERTS, "separate-experts")
#define SS_GRADIENTS_LIST(X) X(SS_GRADIENTS_AUTO, "auto") X(SS_GRADIENTS_FP32, "fp32") X(SS_GRADIENTS_16BIT, "16bit")
#define SS_TENSOR_LIST(X) X(SS_TENSOR_1D, "1d") X(SS_TENSOR_2D, "2d") X(SS_TENSOR_SUMMA, "summa")
#define SS_CP_EXCHANGE_LIST(X) X(SS_CP_GATHER, "gather") X(SS_CP_RING, "ring") X(SS_CP_ALL_TO_ALL, "all-to-all")
#define SS_CP_SUMS_LIST(X) X(SS_CP_SUMS_KERNEL, "kernel") X(SS_CP_SUMS_FP32, "fp32")
#define SS_OPTIMIZER_STEP_LIST(X) \
  X(SS_STEP_FUSED, "fused")       \
  X(SS_STEP_SEPARATE, "separate") \
  X(SS_STEP_FOREACH, "foreach")   \
  X(SS_STEP_TENSORS, "tensors")
#define SS_OFFLOAD_STEP_LIST(X)                    \
  X(SS_OFFLOAD_STEP_GPU, "gpu")                    \
  X(SS_OFFLOAD_STEP_HOST, "host")                  \
  X(SS_OFFLOAD_STEP_OVERLAPPED, "host-overlapped")
#define SS_HOST_LIST(X)                   \
  X(SS_HOST_GRAPHS, "graphs")             \
  X(SS_HOST_EAGER, "eager")               \
  X(SS_HOST_EAGER_TIMED, "eager-timed")   \
  X(SS_HOST_EAGER_LAYERS, "eager-layers")
#define SS_ACTIVATION_INPUT_LIST(X) X(SS_ACTIVATION_INPUT_16BIT, "16bit") X(SS_ACTIVATION_INPUT_FP8, "fp8")
#define SS_LORA_EXCHANGE_LIST(X) X(SS_LORA_GATHER, "gather") X(SS_LORA_ALL_TO_ALL, "all-to-all")
#define SS_LORA_EXPERTS_LIST(X)       \
  X(SS_LORA_EXPERTS_SHARED, "shared") \
  X(SS_LORA_EXPERTS_EACH, "each")     \
  X(SS_LORA_EXPERTS_NONE, "none")
#define SS_LORA_KERNELS_LIST(X) X(SS_LORA_SEPARATE, "separate") X(SS_LORA_FUSED, "fused")
#define SS_EXPERT_KERNELS_LIST(X)               \
  X(SS_EXPERT_KERNELS_EACH, "each")             \
  X(SS_EXPERT_KERNELS_GROUPED, "grouped")       \
  X(SS_EXPERT_KERNELS_FUSED, "fused")           \
  X(SS_EXPERT_KERNELS_SEQUENTIAL, "sequential")
#define SS_CROSS_ENTROPY_LIST(X)                 \
  X(SS_CROSS_ENTROPY_SEPARATE, "separate")       \
  X(SS_CROSS_ENTROPY_LOG_SOFTMAX, "log-softmax") \
  X(SS_CROSS_ENTROPY_FUSED, "fused")             \
  X(SS_CROSS_ENTROPY_ONLINE, "online")
#define SS_ROUTER_WEIGHTS_LIST(X)                 \
  X(SS_ROUTER_WEIGHTS_OUTPUTS, "outputs")         \
  X(SS_ROUTER_WEIGHTS_ACTIVATIONS, "activations")
#define SS_ROUTER_LIST(X) X(SS_ROUTER_FUSED, "fused") X(SS_ROUTER_SEPARATE, "separate")
#define SS_ROUTER_TYPE_LIST(X) X(SS_ROUTER_16BIT, "16bit") X(SS_ROUTER_FP32, "fp32")
#define SS_MODEL_BIASES_LIST(X) X(SS_MODEL_BIASES_AUTO, "auto") X(SS_MODEL_BIASES_NO, "no")
#define SS_MODEL_ROTARY_LIST(X)   \
  X(SS_MODEL_ROTARY_AUTO, "auto") \
  X(SS_MODEL_ROTARY_NO, "no")     \
  X(SS_MODEL_ROTARY_YES, "yes")
#define SS_BIASES_LIST(X) X(SS_BIASES_FUSED, "fused") X(SS_BIASES_SEPARATE, "separate")
#define SS_ROTARY_LIST(X) X(SS_ROTARY_FUSED, "fused") X(SS_ROTARY_COMPLEX, "complex")
#define SS_STREAM_KERNELS_LIST(X) X(SS_STREAMS_FUSED, "fused") X(SS_STREAMS_COMPILED, "compiled")
#define SS_PERMUTATION_LIST(X) X(SS_PERMUTATION_FUSED, "fused") X(SS_PERMUTATION_SEPARATE, "separate")
#define SS_STACK_LIST(X)                                           \
  X(SS_STACK_NONE, "none")                                         \
  X(SS_STACK_MEGATRON_2021, "megatron-2021")                       \
  X(SS_STACK_MEGATRON_2023, "megatron-2023")                       \
  X(SS_STACK_MEGATRON_CORE_2025, "megatron-core-2025")             \
  X(SS_STACK_MOE_ZOO_2026, "moe-zoo-2026")                         \
  X(SS_STACK_NEMO_2024, "nemo-2024")                               \
  X(SS_STACK_NEMO_2025, "nemo-2025")                               \
  X(SS_STACK_MEGATRON_BRIDGE_2026, "megatron-bridge-2026")         \
  X(SS_STACK_MEGATRON_BRIDGE_25_09, "megatron-bridge-25.09")       \
  X(SS_STACK_MEGATRON_BRIDGE_25_11, "megatron-bridge-25.11")       \
  X(SS_STACK_MEGATRON_BRIDGE_26_02, "megatron-bridge-26.02")       \
  X(SS_STACK_MEGATRON_BRIDGE_26_02_01, "megatron-bridge-26.02.01") \
  X(SS_STACK_MEGATRON_BRIDGE_26_04, "megatron-bridge-26.04")       \
  X(SS_STACK_MEGATRON_BRIDGE_26_04_01, "megatron-bridge-26.04.01") \
  X(SS_STACK_MEGATRON_BRIDGE_26_06, "megatron-bridge-26.06")       \
  X(SS_STACK_MEGATRON_BRIDGE_26_06_01, "megatron-bridge-26.06.01") \
  X(SS_STACK_MEGATRON_BRIDGE_26_08, "megatron-bridge-26.08")       \
  X(SS_STACK_PRIMUS_2026, "primus-2026")                           \
  X(SS_STACK_DEEPSPEED_ZERO3_2025, "deepspeed-zero3-2025")         \
  X(SS_STACK_LLM_FOUNDRY_2023, "llm-foundry-2023")                 \
  X(SS_STACK_TORCHTITAN_2025, "torchtitan-2025")                   \
  X(SS_STACK_TORCHTITAN_2024, "torchtitan-2024")                   \
  X(SS_STACK_TORCHTITAN_2025_06, "torchtitan-2025-06")             \
  X(SS_STACK_DEEPSEEK_V3, "deepseek-v3")
#define SS_RUNNER_LIST(X)               \
  X(SS_RUNNER_ANY, "any")               \
  X(SS_RUNNER_MEGATRON, "megatron")     \
  X(SS_RUNNER_NEMO, "nemo")             \
  X(SS_RUNNER_TORCHTITAN, "torchtitan")
#define SS_DOCUMENTS_LIST(X)                 \
  X(SS_DOCUMENTS_NONE, "none")               \
  X(SS_DOCUMENTS_FIXED, "fixed")             \
  X(SS_DOCUMENTS_UNIFORM, "uniform")         \
  X(SS_DOCUMENTS_EXPONENTIAL, "exponential") \
  X(SS_DOCUMENTS_LOG_NORMAL, "lognormal")    \
  X(SS_DOCUMENTS_LISTED, "listed")
#define SS_EXPERT_GROUPS_LIST(X)     \
  X(SS_EXPERTS_INSIDE, "inside")     \
  X(SS_EXPERTS_ACROSS, "across")     \
  X(SS_EXPERTS_REPLICAS, "replicas")
#define SS_EP_OVERLAP_LIST(X)         \
  X(SS_EP_OVERLAP_NONE, "none")       \
  X(SS_EP_OVERLAP_PAIRED, "paired")   \
  X(SS_EP_OVERLAP_DELAYED, "delayed")
#define SS_SHARDING_LIST(X)               \
  X(SS_SHARDING_NONE, "none")             \
  X(SS_SHARDING_OPTIMIZER, "optimizer")   \
  X(SS_SHARDING_GRADIENTS, "gradients")   \
  X(SS_SHARDING_PARAMETERS, "parameters")
#define SS_FSDP_LIST(X)                     \
  X(SS_FSDP_IN_PLACE, "in-place")           \
  X(SS_FSDP_FLAT, "flat")                   \
  X(SS_FSDP_PER_PARAMETER, "per-parameter")
#define SS_SHARDS_LIST(X) X(SS_SHARDS_FP32, "fp32") X(SS_SHARDS_16BIT, "16bit")
#define SS_PIPELINE_LIST(X)                     \
  X(SS_PIPELINE_GPIPE, "gpipe")                 \
  X(SS_PIPELINE_1F1B, "1f1b")                   \
  X(SS_PIPELINE_EAGER_1F1B, "eager-1f1b")       \
  X(SS_PIPELINE_INTERLEAVED, "interleaved")     \
  X(SS_PIPELINE_ZERO_BUBBLE_1, "zero-bubble-1") \
  X(SS_PIPELINE_ZERO_BUBBLE_2, "zero-bubble-2") \
  X(SS_PIPELINE_V_MIN, "v-min")                 \
  X(SS_PIPELINE_V_HALF, "v-half")               \
  X(SS_PIPELINE_V_ZB, "v-zb")                   \
  X(SS_PIPELINE_DUALPIPE_V, "dualpipe-v")       \
  X(SS_PIPELINE_DUALPIPE, "dualpipe")
#define SS_ALGORITHM_LIST(X)                   \
  X(SS_ALGORITHM_AUTO, "auto")                 \
  X(SS_ALGORITHM_RING, "ring")                 \
  X(SS_ALGORITHM_TREE, "tree")                 \
  X(SS_ALGORITHM_DOUBLE_TREE, "double-tree")   \
  X(SS_ALGORITHM_HALVING, "halving")           \
  X(SS_ALGORITHM_HIERARCHICAL, "hierarchical") \
  X(SS_ALGORITHM_IN_NETWORK, "in-network")     \
  X(SS_ALGORITHM_DIRECT, "direct")             \
  X(SS_ALGORITHM_PAIRWISE, "pairwise")         \
  X(SS_ALGORITHM_BUCKET, "bucket")
#define SS_PACKING_LIST(X)                                   \
  X(SS_PACKING_CUT, "cut")                                   \
  X(SS_PACKING_NEXT_FIT, "next-fit")                         \
  X(SS_PACKING_FIRST_FIT, "first-fit")                       \
  X(SS_PACKING_FIRST_FIT_DECREASING, "first-fit-decreasing")
#define SS_LONG_DOCUMENTS_LIST(X) X(SS_LONG_TRUNCATED, "truncate") X(SS_LONG_DROPPED, "drop")
#define SS_CP_SPLIT_LIST(X) X(SS_CP_SPLIT_DOCUMENT, "document") X(SS_CP_SPLIT_SEQUENCE, "sequence")
#define SS_VISION_SHARE_LIST(X)   \
  X(SS_IMAGES_WHOLE, "no")        \
  X(SS_IMAGES_TENSOR, "yes")      \
  X(SS_IMAGES_CONTEXT, "context") \
  X(SS_IMAGES_ALL, "all")
#define SS_DISPATCH_LIST(X) X(SS_DISPATCH_COPIES, "copies") X(SS_DISPATCH_ONCE, "once")
#define SS_DISPATCH_TYPE_LIST(X) X(SS_DISPATCH_16BIT, "16bit") X(SS_DISPATCH_FP8, "fp8")
#define SS_AMAX_REDUCTION_LIST(X) X(SS_AMAX_ALL, "all") X(SS_AMAX_TENSOR, "tensor") X(SS_AMAX_NONE, "none")
#define SS_HELD_AS_LIST(X) X(SS_AS_16BIT, "16bit") X(SS_AS_OPERANDS, "operands")
#define SS_OPTIMIZER_LIST(X) X(SS_OPTIMIZER_ADAM, "adam") X(SS_OPTIMIZER_MUON, "muon")
#define SS_MUON_TP_MODE_LIST(X)         \
  X(SS_MUON_BLOCKWISE, "blockwise")     \
  X(SS_MUON_DUPLICATED, "duplicated")   \
  X(SS_MUON_DISTRIBUTED, "distributed")
#define SS_MASTER_LIST(X) X(SS_MASTER_FP32, "fp32") X(SS_MASTER_16BIT, "16bit") X(SS_MASTER_NONE, "none")
#define SS_MOMENTS_LIST(X) X(SS_MOMENTS_FP32, "fp32") X(SS_MOMENTS_16BIT, "16bit") X(SS_MOMENTS_FP8, "fp8")
#define SS_CHECKPOINT_LIST(X) X(SS_CHECKPOINT_SYNCHRONOUS, "synchronous") X(SS_CHECKPOINT_ASYNCHRONOUS, "asynchronous")
#define SS_CHECKPOINT_TO_LIST(X) X(SS_CHECKPOINT_TO_STORAGE, "storage") X(SS_CHECKPOINT_TO_DISKS, "disks")
#define SS_RECOVERY_LIST(X)         \
  X(SS_RECOVERY_RESTART, "restart") \
  X(SS_RECOVERY_SWAP, "swap")       \
  X(SS_RECOVERY_SHRINK, "shrink")
#define SS_TP_OVERLAP_LIST(X)                    \
  X(SS_TP_OVERLAP_NONE, "none")                  \
  X(SS_TP_OVERLAP_BACKWARD, "backward")          \
  X(SS_TP_OVERLAP_PIPE, "pipe")                  \
  X(SS_TP_OVERLAP_RING, "ring")                  \
  X(SS_TP_OVERLAP_USER_BUFFERS, "user-buffers")  \
  X(SS_TP_OVERLAP_SYMMETRIC, "symmetric-memory")
#define SS_TP_REDUCTION_LIST(X)           \
  X(SS_TP_REDUCTION_PIPE, "pipe")         \
  X(SS_TP_REDUCTION_RING, "ring")         \
  X(SS_TP_REDUCTION_MLP_RING, "mlp-ring") \
  X(SS_TP_REDUCTION_MLP_PIPE, "mlp-pipe")

#define SS_CHOICE_LISTS(X)                      \
  X(switch, SS_SWITCH_LIST)                     \
  X(lora_kernels, SS_LORA_KERNELS_LIST)         \
  X(lora_exchange, SS_LORA_EXCHANGE_LIST)       \
  X(lora_experts, SS_LORA_EXPERTS_LIST)         \
  X(activation_input, SS_ACTIVATION_INPUT_LIST) \
  X(host, SS_HOST_LIST)                         \
  X(expert_kernels, SS_EXPERT_KERNELS_LIST)     \
  X(router, SS_ROUTER_LIST)                     \
  X(router_type, SS_ROUTER_TYPE_LIST)           \
  X(permutation, SS_PERMUTATION_LIST)           \
  X(rotary, SS_ROTARY_LIST)                     \
  X(biases, SS_BIASES_LIST)                     \
  X(model_biases, SS_MODEL_BIASES_LIST)         \
  X(model_rotary, SS_MODEL_ROTARY_LIST)         \
  X(router_weights, SS_ROUTER_WEIGHTS_LIST)     \
  X(projections, SS_PROJECTIONS_LIST)           \
  X(norms, SS_NORMS_LIST)                       \
  X(stream_kernels, SS_STREAM_KERNELS_LIST)     \
  X(cross_entropy, SS_CROSS_ENTROPY_LIST)       \
  X(stack, SS_STACK_LIST)                       \
  X(runner, SS_RUNNER_LIST)                     \
  X(documents, SS_DOCUMENTS_LIST)               \
  X(packing, SS_PACKING_LIST)                   \
  X(long_documents, SS_LONG_DOCUMENTS_LIST)     \
  X(cp_split, SS_CP_SPLIT_LIST)                 \
  X(vision_share, SS_VISION_SHARE_LIST)         \
  X(mlp, SS_MLP_LIST)                           \
  X(mixer, SS_MIXER_LIST)                       \
  X(feed_forward, SS_FEED_FORWARD_LIST)         \
  X(precision, SS_PRECISION_LIST)               \
  X(attention, SS_ATTENTION_LIST)               \
  X(recompute, SS_RECOMPUTE_LIST)               \
  X(recompute_method, SS_RECOMPUTE_METHOD_LIST) \
  X(tensor, SS_TENSOR_LIST)                     \
  X(sharding, SS_SHARDING_LIST)                 \
  X(shards, SS_SHARDS_LIST)                     \
  X(fsdp, SS_FSDP_LIST)                         \
  X(pipeline, SS_PIPELINE_LIST)                 \
  X(tp_overlap, SS_TP_OVERLAP_LIST)             \
  X(tp_reduction, SS_TP_REDUCTION_LIST)         \
  X(cp_exchange, SS_CP_EXCHANGE_LIST)           \
  X(cp_sums, SS_CP_SUMS_LIST)                   \
  X(expert_groups, SS_EXPERT_GROUPS_LIST)       \
  X(ep_overlap, SS_EP_OVERLAP_LIST)             \
  X(algorithm, SS_ALGORITHM_LIST)               \
  X(accumulation, SS_ACCUMULATION_LIST)         \
  X(gradients, SS_GRADIENTS_LIST)               \
  X(optimizer_step, SS_OPTIMIZER_STEP_LIST)     \
  X(offload_step, SS_OFFLOAD_STEP_LIST)         \
  X(dispatch, SS_DISPATCH_LIST)                 \
  X(dispatch_type, SS_DISPATCH_TYPE_LIST)       \
  X(held_as, SS_HELD_AS_LIST)                   \
  X(amax_reduction, SS_AMAX_REDUCTION_LIST)     \
  X(optimizer, SS_OPTIMIZER_LIST)               \
  X(muon_tp_mode, SS_MUON_TP_MODE_LIST)         \
  X(master, SS_MASTER_LIST)                     \
  X(moment_type, SS_MOMENTS_LIST)               \
  X(checkpoint_mode, SS_CHECKPOINT_LIST)        \
  X(checkpoint_to, SS_CHECKPOINT_TO_LIST)       \
  X(recovery, SS_RECOVERY_LIST)

/* Words of which an attribute can take several: modules of Megatron-LM that run forward again in backward
 * (--recompute-modules), whose inputs are in the second memory tier (--offload-modules), and that are in CUDA graphs
 * (--cuda-graph-scope); of Megatron-Bridge, products that have an adapter (target_modules). */
#define SS_RECOMPUTE_MODULE_LIST(X)                \
  X(SS_RECOMPUTE_CORE_ATTN, "core_attn")           \
  X(SS_RECOMPUTE_MOE_ACT, "moe_act")               \
  X(SS_RECOMPUTE_LAYERNORM, "layernorm")           \
  X(SS_RECOMPUTE_MLA_UP_PROJ, "mla_up_proj")       \
  X(SS_RECOMPUTE_MLP, "mlp")                       \
  X(SS_RECOMPUTE_MOE, "moe")                       \
  X(SS_RECOMPUTE_SHARED_EXPERTS, "shared_experts") \
  X(SS_RECOMPUTE_MHC, "mhc")
#define SS_OFFLOAD_MODULE_LIST(X)        \
  X(SS_OFFLOAD_ATTN_NORM, "attn_norm")   \
  X(SS_OFFLOAD_QKV_LINEAR, "qkv_linear") \
  X(SS_OFFLOAD_CORE_ATTN, "core_attn")   \
  X(SS_OFFLOAD_ATTN_PROJ, "attn_proj")   \
  X(SS_OFFLOAD_MLP_NORM, "mlp_norm")     \
  X(SS_OFFLOAD_EXPERT_FC1, "expert_fc1") \
  X(SS_OFFLOAD_MOE_ACT, "moe_act")

#define SS_GRAPH_MODULE_LIST(X)        \
  X(SS_GRAPH_ATTN, "attn")             \
  X(SS_GRAPH_MAMBA, "mamba")           \
  X(SS_GRAPH_MLP, "mlp")               \
  X(SS_GRAPH_MOE_ROUTER, "moe_router") \
  X(SS_GRAPH_MOE, "moe")

#define SS_LORA_MODULE_LIST(X)              \
  X(SS_LORA_QKV, "linear_qkv")              \
  X(SS_LORA_PROJ, "linear_proj")            \
  X(SS_LORA_FC1, "linear_fc1")              \
  X(SS_LORA_FC2, "linear_fc2")              \
  X(SS_LORA_Q_PROJ, "linear_q_proj")        \
  X(SS_LORA_Q_DOWN, "linear_q_down_proj")   \
  X(SS_LORA_Q_UP, "linear_q_up_proj")       \
  X(SS_LORA_KV_DOWN, "linear_kv_down_proj") \
  X(SS_LORA_KV_UP, "linear_kv_up_proj")     \
  X(SS_LORA_IN, "in_proj")                  \
  X(SS_LORA_OUT, "out_proj")

/* Products that have more bits than others, as recipes of quantisation name them, and modules that predict a token
 * further. */
#define SS_PRECISE_MODULE_LIST(X)          \
  X(SS_PRECISE_QKV, "linear_qkv")          \
  X(SS_PRECISE_PROJ, "linear_proj")        \
  X(SS_PRECISE_LATENT_PROJ, "latent_proj") \
  X(SS_PRECISE_OUT_PROJ, "out_proj")       \
  X(SS_PRECISE_MTP, "mtp")

#define SS_SET_LISTS(X)                         \
  X(lora_module, SS_LORA_MODULE_LIST)           \
  X(recompute_module, SS_RECOMPUTE_MODULE_LIST) \
  X(offload_module, SS_OFFLOAD_MODULE_LIST)     \
  X(precise_module, SS_PRECISE_MODULE_LIST)     \
  X(graph_module, SS_GRAPH_MODULE_LIST)

/* Coordinates of a rank, as placements name them. */
#define SS_AXIS_LIST(X) X(SS_AXIS_TP, "tp") X(SS_AXIS_CP, "cp") X(SS_AXIS_DP, "dp") X(SS_AXIS_PP, "pp")
/* clang-format on */

/* enum ss_mlp { SS_MLP_GELU, ... }, and so on for every list of words. */
#define SS_ENUMERATOR(id, word) id,
#define SS_ENUM(name, list)     typedef enum ss_##name{list(SS_ENUMERATOR)} ss_##name;
SS_CHOICE_LISTS(SS_ENUM)
SS_SET_LISTS(SS_ENUM)
#undef SS_ENUM
#undef SS_ENUMERATOR

/* Words of a list: the SS_WORD_BIT of each. */
typedef uint16_t ss_word_set;
#define SS_WORD_BIT(word) (1u << (word))

typedef enum ss_axis {
#define SS_AXIS_ID(id, word) id,
  SS_AXIS_LIST(SS_AXIS_ID)
#undef SS_AXIS_ID
      SS_AXIS_COUNT
} ss_axis;

/* The name of a coordinate: "tp", "cp", "dp" or "pp". */
const char *ss_axis_name(ss_axis axis);

/* The coordinate named by the `length` characters at `name`, where "tp2" also means cp; SS_AXIS_COUNT if there is none.
 */
ss_axis ss_axis_find(const char *name, size_t length);

#endif
