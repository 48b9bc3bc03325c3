/* The one table of a workload: its elements, and per element its attributes with type, default, range and help.
 * The structure, the XML reader, `--set`, the schema test and the documentation are all expanded from it.
 *
 * Rows:  TEXT(element, field, "name", fallback, help)
 *        COUNT(element, field, "name", fallback, minimum, maximum, help)    integers
 *        REAL(element, field, "name", fallback, minimum, maximum, help)     dimensionless numbers
 *        CHOICE(element, field, "name", list, fallback, help)               one of a list of words
 * A count with fallback SS_REQUIRED must be given; with fallback SS_DERIVED it follows from the others (the help says
 * how). */
#ifndef STEPSIM_MODEL_WORKLOAD_ATTRIBUTES_H
#define STEPSIM_MODEL_WORKLOAD_ATTRIBUTES_H

/* clang-format off */
#define SS_REQUIRED (-1)
#define SS_DERIVED 0

/* Words that an attribute can take: X(enumerator, "word"). */
#define SS_SWITCH_LIST(X) X(SS_NO, "no") X(SS_YES, "yes")
#define SS_MLP_LIST(X) X(SS_MLP_GELU, "gelu") X(SS_MLP_SWIGLU, "swiglu")
#define SS_PRECISION_LIST(X) X(SS_PRECISION_BF16, "bf16") X(SS_PRECISION_FP16, "fp16")
#define SS_ATTENTION_LIST(X) X(SS_ATTENTION_FLASH, "flash") X(SS_ATTENTION_UNFUSED, "unfused")
#define SS_RECOMPUTE_LIST(X) X(SS_RECOMPUTE_NONE, "none") X(SS_RECOMPUTE_SELECTIVE, "selective") X(SS_RECOMPUTE_FULL, "full")
#define SS_TENSOR_LIST(X) X(SS_TENSOR_1D, "1d")
#define SS_SHARDING_LIST(X)                              \
  X(SS_SHARDING_NONE, "none")                            \
  X(SS_SHARDING_OPTIMIZER, "optimizer")                  \
  X(SS_SHARDING_GRADIENTS, "gradients")                  \
  X(SS_SHARDING_PARAMETERS, "parameters")
#define SS_PIPELINE_LIST(X) X(SS_PIPELINE_GPIPE, "gpipe") X(SS_PIPELINE_1F1B, "1f1b")
#define SS_TP_OVERLAP_LIST(X) X(SS_TP_OVERLAP_NONE, "none")

/* Coordinates of a rank, as placements name them. */
#define SS_AXIS_LIST(X) X(SS_AXIS_TP, "tp") X(SS_AXIS_CP, "cp") X(SS_AXIS_DP, "dp") X(SS_AXIS_PP, "pp")

#define SS_CHOICE_LISTS(X)                                                                                       \
  X(switch, SS_SWITCH_LIST) X(mlp, SS_MLP_LIST) X(precision, SS_PRECISION_LIST) X(attention, SS_ATTENTION_LIST)  \
  X(recompute, SS_RECOMPUTE_LIST) X(tensor, SS_TENSOR_LIST) X(sharding, SS_SHARDING_LIST)                        \
  X(pipeline, SS_PIPELINE_LIST) X(tp_overlap, SS_TP_OVERLAP_LIST)

#define SS_ELEMENT_LIST(X)                                                                    \
  X(model, "the transformer") X(training, "batch, precision and what is kept for backward")   \
  X(parallelism, "how the work is split over GPUs") X(schedule, "in which order, and what runs side by side") \
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
  CHOICE(model, mlp, "mlp", mlp, SS_MLP_GELU, "gelu: GPT layer; swiglu: Llama layer with three matrices, RMSNorm, rotary embedding, no biases")    \
  CHOICE(model, causal, "causal", switch, SS_YES, "attention looks back only; flash attention then skips half of it")

#define SS_ATTRIBUTES_training(TEXT, COUNT, REAL, CHOICE)                                                            \
  COUNT(training, global_batch, "global-batch", 1, 1, 100000000, "sequences per iteration over all replicas")        \
  COUNT(training, micro_batch, "micro-batch", 1, 1, 1000000, "sequences per micro-batch b")                          \
  CHOICE(training, precision, "precision", precision, SS_PRECISION_BF16, "of weights and activations; bf16 reduces gradients in fp32") \
  CHOICE(training, attention, "attention", attention, SS_ATTENTION_FLASH, "one fused kernel, or logits in memory")    \
  CHOICE(training, recompute, "recompute", recompute, SS_RECOMPUTE_NONE, "nothing, the attention core, or whole layers again in backward") \
  CHOICE(training, dropout, "dropout", switch, SS_YES, "dropout after attention, projection and feed-forward")        \
  REAL(training, tokens, "tokens", 0, 0, 1e18, "tokens of the whole training run, for the days it takes; 0 is unknown")

#define SS_ATTRIBUTES_parallelism(TEXT, COUNT, REAL, CHOICE)                                                         \
  CHOICE(parallelism, tensor, "tensor", tensor, SS_TENSOR_1D, "layout of tensor parallelism")                        \
  COUNT(parallelism, tp, "tp", 1, 1, 1000000, "tensor-parallel size (heads)")                                        \
  COUNT(parallelism, tp2, "tp2", 1, 1, 1, "second tensor-parallel size")                                             \
  COUNT(parallelism, cp, "cp", 1, 1, 1, "context-parallel size (sequence)")                                          \
  COUNT(parallelism, pp, "pp", 1, 1, 1000000, "pipeline stages")                                                     \
  COUNT(parallelism, dp, "dp", 1, 1, 1000000, "data-parallel replicas")                                              \
  COUNT(parallelism, ep, "ep", 1, 1, 1, "expert-parallel size")                                                      \
  COUNT(parallelism, interleave, "interleave", 1, 1, 1, "model chunks per stage")                                    \
  CHOICE(parallelism, sequence_parallel, "sequence-parallel", switch, SS_YES, "shard norms and dropout: reduce-scatter + all-gather instead of all-reduce") \
  CHOICE(parallelism, sharding, "sharding", sharding, SS_SHARDING_OPTIMIZER, "what is sharded over replicas: ZeRO 0, 1, 2, 3 (FSDP)")

#define SS_ATTRIBUTES_schedule(TEXT, COUNT, REAL, CHOICE)                                                            \
  CHOICE(schedule, pipeline, "pipeline", pipeline, SS_PIPELINE_1F1B, "order of forward and backward on a stage")      \
  CHOICE(schedule, overlap_dp, "overlap-dp", switch, SS_YES, "data-parallel collectives run beside compute")          \
  CHOICE(schedule, overlap_pp, "overlap-pp", switch, SS_NO, "pipeline sends run beside compute")                     \
  CHOICE(schedule, overlap_tp, "overlap-tp", tp_overlap, SS_TP_OVERLAP_NONE, "tensor-parallel collectives beside compute") \
  COUNT(schedule, prefetch, "prefetch", 1, 0, 1000, "FSDP: gathers ahead of the layer that computes")

#define SS_ATTRIBUTES_placement(TEXT, COUNT, REAL, CHOICE)                                                           \
  TEXT(placement, order, "order", "tp,cp,dp,pp", "which coordinate moves first over the GPUs, second, ...")          \
  TEXT(placement, domain, "domain", "", "how many of each coordinate share a domain, e.g. tp=4,dp=2,pp=1")           \
  TEXT(placement, ranks, "ranks", "", "file with one GPU index per rank; rank = tp + TP (cp + CP (dp + DP pp))")

/* All rows, element by element. */
#define SS_WORKLOAD_ATTRIBUTES(TEXT, COUNT, REAL, CHOICE)     \
  SS_ATTRIBUTES_model(TEXT, COUNT, REAL, CHOICE)              \
  SS_ATTRIBUTES_training(TEXT, COUNT, REAL, CHOICE)           \
  SS_ATTRIBUTES_parallelism(TEXT, COUNT, REAL, CHOICE)        \
  SS_ATTRIBUTES_schedule(TEXT, COUNT, REAL, CHOICE)           \
  SS_ATTRIBUTES_placement(TEXT, COUNT, REAL, CHOICE)

/* clang-format on */

#endif
