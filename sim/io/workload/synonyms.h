/* What attributes and properties are called elsewhere. */
#ifndef STEPSIM_SIM_IO_WORKLOAD_SYNONYMS_H
#define STEPSIM_SIM_IO_WORKLOAD_SYNONYMS_H

/* Names as frameworks and papers have them, with '-' for '_': X("name", "ELEMENT.ATTRIBUTE or platform.PROPERTY"). */
#define SS_SYNONYM_LIST(X)                                                                                             \
  X("num-layers", "model.layers")                                                                                      \
  X("hidden-size", "model.hidden")                                                                                     \
  X("ffn-hidden-size", "model.ffn")                                                                                    \
  X("num-attention-heads", "model.heads")                                                                              \
  X("num-heads", "model.heads")                                                                                        \
  X("num-query-groups", "model.kv-heads")                                                                              \
  X("num-key-value-heads", "model.kv-heads")                                                                           \
  X("head-dim", "model.head-size")                                                                                     \
  X("kv-channels", "model.head-size")                                                                                  \
  X("seq-length", "model.sequence")                                                                                    \
  X("seq-len", "model.sequence")                                                                                       \
  X("sequence-length", "model.sequence")                                                                               \
  X("vocab-size", "model.vocabulary")                                                                                  \
  X("num-experts", "model.experts")                                                                                    \
  X("moe-router-topk", "model.top-k")                                                                                  \
  X("global-batch-size", "training.global-batch")                                                                      \
  X("batch-size", "training.global-batch")                                                                             \
  X("micro-batch-size", "training.micro-batch")                                                                        \
  X("tensor-parallel", "parallelism.tp")                                                                               \
  X("tensor-parallel-size", "parallelism.tp")                                                                          \
  X("tensor-model-parallel-size", "parallelism.tp")                                                                    \
  X("pipeline-parallel", "parallelism.pp")                                                                             \
  X("pipeline-parallel-size", "parallelism.pp")                                                                        \
  X("pipeline-model-parallel-size", "parallelism.pp")                                                                  \
  X("data-parallel", "parallelism.dp")                                                                                 \
  X("data-parallel-size", "parallelism.dp")                                                                            \
  X("context-parallel", "parallelism.cp")                                                                              \
  X("context-parallel-size", "parallelism.cp")                                                                         \
  X("expert-parallel", "parallelism.ep")                                                                               \
  X("expert-parallel-size", "parallelism.ep")                                                                          \
  X("expert-model-parallel-size", "parallelism.ep")                                                                    \
  X("gpu-memory", "platform.hbm-capacity")                                                                             \
  X("hbm-size", "platform.hbm-capacity")                                                                               \
  X("memory-bandwidth", "platform.hbm-bandwidth")                                                                      \
  X("peak-flops", "platform.matrix-flops")                                                                             \
  X("gpus-per-node", "platform.domain-size")

/* The name here of what is called `name` elsewhere, with its element; NULL where it is none of the list. */
const char *ss_synonym(const char *name);

#endif
