/* The one table of a workload: its elements, and per element its attributes with type, default, range and help.
 * The structure, the XML reader, `--set`, the schema test and the documentation are all expanded from it.
 *
 * Rows:  TEXT(element, field, "name", fallback, help)
 *        COUNT(element, field, "name", fallback, minimum, maximum, help)    integers
 *        REAL(element, field, "name", fallback, minimum, maximum, help)     dimensionless numbers
 *        CHOICE(element, field, "name", list, fallback, help)               one of a list of words
 * A count with fallback SS_REQUIRED must be given; with fallback SS_DERIVED it follows from the others (the help says
 * how). */
#ifndef STEPSIM_MODEL_INPUT_WORKLOAD_ATTRIBUTES_H
#define STEPSIM_MODEL_INPUT_WORKLOAD_ATTRIBUTES_H

/* clang-format off */
#define SS_REQUIRED (-1)
#define SS_DERIVED 0

/* Words that an attribute can take: X(enumerator, "word"). */
#define SS_SWITCH_LIST(X) X(SS_NO, "no") X(SS_YES, "yes")
#define SS_MLP_LIST(X) X(SS_MLP_GELU, "gelu") X(SS_MLP_SWIGLU, "swiglu")
#define SS_PRECISION_LIST(X) X(SS_PRECISION_BF16, "bf16") X(SS_PRECISION_FP16, "fp16") X(SS_PRECISION_FP8, "fp8")
#define SS_ATTENTION_LIST(X) X(SS_ATTENTION_FLASH, "flash") X(SS_ATTENTION_UNFUSED, "unfused")
#define SS_RECOMPUTE_LIST(X) X(SS_RECOMPUTE_NONE, "none") X(SS_RECOMPUTE_SELECTIVE, "selective") X(SS_RECOMPUTE_FULL, "full")
#define SS_ACCUMULATION_LIST(X) X(SS_ACCUMULATION_FUSED, "fused") X(SS_ACCUMULATION_SEPARATE, "separate")
#define SS_GRADIENTS_LIST(X) X(SS_GRADIENTS_AUTO, "auto") X(SS_GRADIENTS_FP32, "fp32") X(SS_GRADIENTS_16BIT, "16bit")
#define SS_TENSOR_LIST(X) X(SS_TENSOR_1D, "1d") X(SS_TENSOR_2D, "2d") X(SS_TENSOR_SUMMA, "summa")
#define SS_CP_EXCHANGE_LIST(X) X(SS_CP_GATHER, "gather") X(SS_CP_RING, "ring") X(SS_CP_ALL_TO_ALL, "all-to-all")
#define SS_OPTIMIZER_STEP_LIST(X) X(SS_STEP_FUSED, "fused") X(SS_STEP_SEPARATE, "separate")
#define SS_EXPERT_GROUPS_LIST(X) X(SS_EXPERTS_INSIDE, "inside") X(SS_EXPERTS_ACROSS, "across")
#define SS_SHARDING_LIST(X)                              \
  X(SS_SHARDING_NONE, "none")                            \
  X(SS_SHARDING_OPTIMIZER, "optimizer")                  \
  X(SS_SHARDING_GRADIENTS, "gradients")                  \
  X(SS_SHARDING_PARAMETERS, "parameters")
#define SS_PIPELINE_LIST(X)                              \
  X(SS_PIPELINE_GPIPE, "gpipe")                          \
  X(SS_PIPELINE_1F1B, "1f1b")                            \
  X(SS_PIPELINE_EAGER_1F1B, "eager-1f1b")                \
  X(SS_PIPELINE_INTERLEAVED, "interleaved")              \
  X(SS_PIPELINE_ZERO_BUBBLE_1, "zero-bubble-1")          \
  X(SS_PIPELINE_ZERO_BUBBLE_2, "zero-bubble-2")
#define SS_ALGORITHM_LIST(X)                             \
  X(SS_ALGORITHM_AUTO, "auto")                           \
  X(SS_ALGORITHM_RING, "ring")                           \
  X(SS_ALGORITHM_TREE, "tree")                           \
  X(SS_ALGORITHM_DOUBLE_TREE, "double-tree")             \
  X(SS_ALGORITHM_HALVING, "halving")                     \
  X(SS_ALGORITHM_HIERARCHICAL, "hierarchical")           \
  X(SS_ALGORITHM_IN_NETWORK, "in-network")               \
  X(SS_ALGORITHM_DIRECT, "direct")                       \
  X(SS_ALGORITHM_PAIRWISE, "pairwise")
#define SS_TP_OVERLAP_LIST(X)                            \
  X(SS_TP_OVERLAP_NONE, "none")                          \
  X(SS_TP_OVERLAP_BACKWARD, "backward")                  \
  X(SS_TP_OVERLAP_PIPE, "pipe")                          \
  X(SS_TP_OVERLAP_RING, "ring")                          \
  X(SS_TP_OVERLAP_USER_BUFFERS, "user-buffers")

/* Coordinates of a rank, as placements name them. */
#define SS_AXIS_LIST(X) X(SS_AXIS_TP, "tp") X(SS_AXIS_CP, "cp") X(SS_AXIS_DP, "dp") X(SS_AXIS_PP, "pp")

#define SS_CHOICE_LISTS(X)                                                                                       \
  X(switch, SS_SWITCH_LIST) X(mlp, SS_MLP_LIST) X(precision, SS_PRECISION_LIST) X(attention, SS_ATTENTION_LIST)  \
  X(recompute, SS_RECOMPUTE_LIST) X(tensor, SS_TENSOR_LIST) X(sharding, SS_SHARDING_LIST)                        \
  X(pipeline, SS_PIPELINE_LIST) X(tp_overlap, SS_TP_OVERLAP_LIST) X(cp_exchange, SS_CP_EXCHANGE_LIST)            \
  X(expert_groups, SS_EXPERT_GROUPS_LIST) X(algorithm, SS_ALGORITHM_LIST) X(accumulation, SS_ACCUMULATION_LIST)  \
  X(gradients, SS_GRADIENTS_LIST) X(optimizer_step, SS_OPTIMIZER_STEP_LIST)

#define SS_ELEMENT_LIST(X)                                                                    \
  X(model, "the transformer") X(training, "batch, precision and what is kept for backward")   \
  X(parallelism, "how the work is split over GPUs") X(schedule, "the order of work, and what overlaps") \
  X(placement, "which rank sits on which GPU")

#define SS_ATTRIBUTES_model(TEXT, COUNT, REAL, CHOICE)                                                               \
  TEXT(model, name, "name", "unnamed", "name of the model, for reports")                                             \
  COUNT(model, layers, "layers", SS_REQUIRED, 1, 100000, "transformer layers")                                       \
  COUNT(model, hidden, "hidden", SS_REQUIRED, 1, 10000000, "hidden size e")                                          \
  COUNT(model, ffn, "ffn", SS_DERIVED, 1, 100000000, "feed-forward size f; default 4 * hidden")                      \
  COUNT(model, heads, "heads", SS_REQUIRED, 1, 1000000, "attention heads h")                                         \
  COUNT(model, kv_heads, "kv-heads", SS_DERIVED, 1, 1000000, "key/value heads; default heads")                       \
  COUNT(model, head_size, "head-size", SS_DERIVED, 1, 1000000, "size of one head; default hidden / heads")           \
  COUNT(model, sequence, "sequence", SS_REQUIRED, 1, 1000000000, "tokens per sequence l")                            \
  COUNT(model, vocabulary, "vocabulary", 0, 0, 100000000, "vocabulary size; 0 is a model without embedding and output layer") \
  CHOICE(model, tied_embeddings, "tied-embeddings", switch, SS_NO, "embedding and output layer share one table; with several stages, the first and the last each have a copy and sum its gradient (calibrated costs)") \
  CHOICE(model, mlp, "mlp", mlp, SS_MLP_GELU, "gelu: GPT layer; swiglu: Llama layer with three matrices, RMSNorm, rotary embedding, no biases")    \
  CHOICE(model, causal, "causal", switch, SS_YES, "attention looks back only; flash attention then skips half of it") \
  COUNT(model, q_rank, "q-rank", 0, 0, 1000000, "latent attention (MLA): rank of the queries; 0 projects them directly") \
  COUNT(model, kv_rank, "kv-rank", 0, 0, 1000000, "latent attention (MLA): rank of keys and values; 0 is ordinary attention") \
  COUNT(model, rope_size, "rope-size", 0, 0, 1000000, "latent attention (MLA): rotary part of a head, beside head-size")  \
  COUNT(model, experts, "experts", 0, 0, 100000, "experts of a layer; 0 is a dense model")                            \
  COUNT(model, top_k, "top-k", 2, 1, 100000, "experts that a token goes to")                                         \
  COUNT(model, expert_ffn, "expert-ffn", SS_DERIVED, 1, 100000000, "feed-forward size of one expert; default ffn")   \
  COUNT(model, shared_experts, "shared-experts", 0, 0, 100000, "experts that every token goes to, beside the top-k") \
  COUNT(model, dense_layers, "dense-layers", 0, 0, 100000, "first layers that have no experts")

#define SS_ATTRIBUTES_training(TEXT, COUNT, REAL, CHOICE)                                                            \
  COUNT(training, global_batch, "global-batch", 1, 1, 100000000, "sequences per iteration over all replicas")        \
  COUNT(training, micro_batch, "micro-batch", 1, 1, 1000000, "sequences per micro-batch b")                          \
  CHOICE(training, precision, "precision", precision, SS_PRECISION_BF16, "type of weights and activations; fp8: of linear layers only") \
  CHOICE(training, gradients, "gradients", gradients, SS_GRADIENTS_AUTO, "type in which gradients are summed and reduced; auto: 16 bits with fp16, else fp32 (sc24: 16 bits)") \
  CHOICE(training, gradient_accumulation, "gradient-accumulation", accumulation, SS_ACCUMULATION_FUSED, "fused: the product of a weight gradient also adds it up over micro-batches; separate: another kernel does (calibrated costs)") \
  CHOICE(training, optimizer_step, "optimizer-step", optimizer_step, SS_STEP_FUSED, "fused: one kernel reads gradients as they are; separate: further kernels copy them to fp32, check and unscale (fp16), clip, and copy weights back") \
  CHOICE(training, attention, "attention", attention, SS_ATTENTION_FLASH, "flash: one fused kernel; unfused: logits in memory")    \
  CHOICE(training, recompute, "recompute", recompute, SS_RECOMPUTE_NONE, "what backward computes again: nothing, the attention core, or whole layers") \
  COUNT(training, recompute_layers, "recompute-layers", SS_DERIVED, 1, 100000, "layers of each stage and chunk that recompute, counted from its first; default all") \
  CHOICE(training, fused, "fused", switch, SS_YES, "chains of element-wise operations touch memory once: bias + GELU, bias + dropout + add, scale + mask + softmax") \
  REAL(training, capacity_factor, "capacity-factor", 0, 0, 1000, "tokens that every expert takes, padded or dropped, relative to the mean; 0: as many as come") \
  REAL(training, imbalance, "imbalance", 1, 1, 100000, "tokens of the fullest expert-parallel rank, relative to the mean") \
  CHOICE(training, offload_weights, "offload-weights", switch, SS_NO, "keep weights in the platform's second memory tier") \
  CHOICE(training, offload_activations, "offload-activations", switch, SS_NO, "keep activations in the second memory tier between forward and backward") \
  CHOICE(training, offload_optimizer, "offload-optimizer", switch, SS_NO, "keep optimizer states in the second memory tier") \
  CHOICE(training, dropout, "dropout", switch, SS_YES, "dropout after attention, projection and feed-forward")        \
  REAL(training, tokens, "tokens", 0, 0, 1e18, "tokens of the whole training run, from which its days follow; 0: unknown")

#define SS_ATTRIBUTES_parallelism(TEXT, COUNT, REAL, CHOICE)                                                         \
  CHOICE(parallelism, tensor, "tensor", tensor, SS_TENSOR_1D, "layout of tensor parallelism")                        \
  COUNT(parallelism, tp, "tp", 1, 1, 1000000, "tensor-parallel size (heads)")                                        \
  COUNT(parallelism, tp2, "tp2", 1, 1, 1000000, "second tensor-parallel size of 2d and summa (sequence)")             \
  COUNT(parallelism, panels, "panels", SS_DERIVED, 1, 1000000, "panels of a summa product; default the larger of tp and tp2") \
  COUNT(parallelism, cp, "cp", 1, 1, 1000000, "context-parallel size (sequence)")                                    \
  CHOICE(parallelism, cp_exchange, "cp-exchange", cp_exchange, SS_CP_RING, "gather: keys and values before attention; ring: passed around beside attention; all-to-all: each rank gets all tokens of some heads, then returns them") \
  CHOICE(parallelism, cp_balance, "cp-balance", switch, SS_YES, "the context-parallel ranks share causal attention evenly") \
  COUNT(parallelism, pp, "pp", 1, 1, 1000000, "pipeline stages")                                                     \
  COUNT(parallelism, first_stage_layers, "first-stage-layers", SS_DERIVED, 1, 100000, "layers of the first stage; default an even share") \
  COUNT(parallelism, last_stage_layers, "last-stage-layers", SS_DERIVED, 1, 100000, "layers of the last stage; default an even share") \
  COUNT(parallelism, interleave, "interleave", 1, 1, 100000, "model chunks per stage, for the interleaved pipeline") \
  COUNT(parallelism, dp, "dp", 1, 1, 1000000, "data-parallel replicas")                                              \
  COUNT(parallelism, ep, "ep", 1, 1, 1000000, "expert-parallel size: replicas that share a set of experts")          \
  CHOICE(parallelism, expert_groups, "expert-groups", expert_groups, SS_EXPERTS_INSIDE, "expert-parallel groups: neighbouring replicas, or replicas dp / ep apart") \
  CHOICE(parallelism, sequence_parallel, "sequence-parallel", switch, SS_YES, "shard norms and dropout: reduce-scatter + all-gather instead of all-reduce") \
  CHOICE(parallelism, tp_redo, "tp-redo", switch, SS_YES, "with sequence parallelism, keep the sharded input of a product and gather it again in backward (calibrated costs)") \
  CHOICE(parallelism, sharding, "sharding", sharding, SS_SHARDING_OPTIMIZER, "what is sharded over replicas: ZeRO 0, 1, 2, 3 (FSDP)")

#define SS_ATTRIBUTES_schedule(TEXT, COUNT, REAL, CHOICE)                                                            \
  CHOICE(schedule, pipeline, "pipeline", pipeline, SS_PIPELINE_1F1B, "order of forward and backward on a stage; eager-1f1b warms up twice as long as 1f1b; zero-bubble splits backward in two") \
  CHOICE(schedule, overlap_dp, "overlap-dp", switch, SS_YES, "data-parallel collectives run beside compute")          \
  CHOICE(schedule, overlap_pp, "overlap-pp", switch, SS_NO, "pipeline sends run beside compute")                     \
  CHOICE(schedule, overlap_tp, "overlap-tp", tp_overlap, SS_TP_OVERLAP_BACKWARD, "tensor-parallel collectives beside products. backward: reductions of input gradients beside the weight gradient (calibrated costs; not of summa); pipe, ring: all beside their product, in 4 pieces or one per rank; user-buffers: as Transformer Engine mixes these") \
  REAL(schedule, bucket, "bucket", 0, 0, 1e15, "bytes of gradients (and of weights at the start) in one collective; 0: each layer by itself") \
  CHOICE(schedule, pipeline_rs_ag, "pipeline-rs-ag", switch, SS_NO, "without sequence parallel: each tensor rank sends its share of a message, the receivers gather") \
  COUNT(schedule, prefetch, "prefetch", 1, 0, 1000, "number of layers that FSDP gathers, and offload reads, ahead of the one that computes") \
  CHOICE(schedule, all_reduce, "all-reduce", algorithm, SS_ALGORITHM_AUTO, "algorithm; auto: the fastest of ring, double-tree (across domains) and in-network (where the platform supports it)") \
  CHOICE(schedule, all_gather, "all-gather", algorithm, SS_ALGORITHM_AUTO, "algorithm; auto: ring, or in-network inside a domain where the platform supports it and it is faster") \
  CHOICE(schedule, reduce_scatter, "reduce-scatter", algorithm, SS_ALGORITHM_AUTO, "algorithm; auto: ring, or in-network inside a domain where the platform supports it and it is faster") \
  CHOICE(schedule, all_to_all, "all-to-all", algorithm, SS_ALGORITHM_AUTO, "algorithm: direct; hierarchical, where messages first change GPUs inside the domain; or pairwise, where each rank exchanges with one after the other; auto: direct")

#define SS_ATTRIBUTES_placement(TEXT, COUNT, REAL, CHOICE)                                                           \
  TEXT(placement, order, "order", "tp,cp,dp,pp", "coordinates in the order in which they advance over the GPUs, fastest first")          \
  TEXT(placement, domain, "domain", "", "how many of each coordinate share a domain, e.g. tp=4,dp=2,pp=1; tp2 is another name for cp")           \
  TEXT(placement, ranks, "ranks", "", "file with one GPU index per rank; rank = tp + TP (cp + CP (dp + DP pp)), tp2 in place of cp for 2d and summa")

/* All rows, element by element. */
#define SS_WORKLOAD_ATTRIBUTES(TEXT, COUNT, REAL, CHOICE)     \
  SS_ATTRIBUTES_model(TEXT, COUNT, REAL, CHOICE)              \
  SS_ATTRIBUTES_training(TEXT, COUNT, REAL, CHOICE)           \
  SS_ATTRIBUTES_parallelism(TEXT, COUNT, REAL, CHOICE)        \
  SS_ATTRIBUTES_schedule(TEXT, COUNT, REAL, CHOICE)           \
  SS_ATTRIBUTES_placement(TEXT, COUNT, REAL, CHOICE)

/* clang-format on */

#endif
