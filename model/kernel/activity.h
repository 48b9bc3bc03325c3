/* Everything a GPU can be seen doing: the states of a timeline and the names of a layer's tasks. */
#ifndef STEPSIM_MODEL_KERNEL_ACTIVITY_H
#define STEPSIM_MODEL_KERNEL_ACTIVITY_H

/* Groups of activities that share a colour: X(enumerator, "name", red, green, blue) with colours in [0, 1]. */
/* clang-format off */
#define SS_CATEGORY_LIST(X) \
  X(SS_CATEGORY_PASS, "pass", 0.85, 0.85, 0.85) \
  X(SS_CATEGORY_BLOCK, "block", 0.72, 0.78, 0.86) \
  X(SS_CATEGORY_MATRIX, "matrix", 0.12, 0.47, 0.71) \
  X(SS_CATEGORY_ATTENTION, "attention", 0.58, 0.40, 0.74) \
  X(SS_CATEGORY_VECTOR, "vector", 0.17, 0.63, 0.17) \
  X(SS_CATEGORY_COLLECTIVE, "collective", 1.00, 0.50, 0.05) \
  X(SS_CATEGORY_MESSAGE, "message", 0.84, 0.15, 0.16) \
  X(SS_CATEGORY_OPTIMIZER, "optimizer", 0.55, 0.34, 0.29) \
  X(SS_CATEGORY_WAIT, "wait", 0.95, 0.95, 0.80) \
  X(SS_CATEGORY_HOST, "host", 0.50, 0.50, 0.50)
/* clang-format on */

typedef enum ss_category {
#define SS_CATEGORY_ID(id, name, red, green, blue) id,
  SS_CATEGORY_LIST(SS_CATEGORY_ID)
#undef SS_CATEGORY_ID
      SS_CATEGORY_COUNT
} ss_category;

/* X(enumerator, "name", category). */
/* clang-format off */
#define SS_ACTIVITY_LIST(X) \
  X(SS_FORWARD, "forward", SS_CATEGORY_PASS) \
  X(SS_BACKWARD, "backward", SS_CATEGORY_PASS) \
  X(SS_WEIGHT, "weight gradients", SS_CATEGORY_PASS) \
  X(SS_ENTRY, "gather at entry", SS_CATEGORY_BLOCK) \
  X(SS_PATCHES, "patches", SS_CATEGORY_BLOCK) \
  X(SS_VISION_LAYER, "vision layer", SS_CATEGORY_BLOCK) \
  X(SS_PROJECTOR, "projector", SS_CATEGORY_BLOCK) \
  X(SS_EMBEDDING, "embedding", SS_CATEGORY_BLOCK) \
  X(SS_LAYER, "layer", SS_CATEGORY_BLOCK) \
  X(SS_EXPERT_LAYER, "expert layer", SS_CATEGORY_BLOCK) \
  X(SS_NEXT, "embedding of next tokens", SS_CATEGORY_BLOCK) \
  X(SS_MODULE, "prediction module", SS_CATEGORY_BLOCK) \
  X(SS_HEAD, "output layer", SS_CATEGORY_BLOCK) \
  X(SS_EXIT, "gather at exit", SS_CATEGORY_BLOCK) \
  X(SS_AMAX_VALUES, "largest values", SS_CATEGORY_BLOCK) \
  X(SS_AMAX_GRADIENTS, "largest gradients", SS_CATEGORY_BLOCK) \
  X(SS_OP_PATCHES, "patch product", SS_CATEGORY_MATRIX) \
  X(SS_OP_POSITIONS, "positions", SS_CATEGORY_VECTOR) \
  X(SS_OP_POOLING, "pooling", SS_CATEGORY_VECTOR) \
  X(SS_OP_PROJECTOR, "projector product", SS_CATEGORY_MATRIX) \
  X(SS_OP_LOOKUP, "embedding lookup", SS_CATEGORY_VECTOR) \
  X(SS_OP_EMBEDDING_NORM, "norm of the embedding", SS_CATEGORY_VECTOR) \
  X(SS_OP_NORM_1, "norm 1", SS_CATEGORY_VECTOR) \
  X(SS_OP_QKV, "qkv", SS_CATEGORY_MATRIX) \
  X(SS_OP_QKV_BIAS, "qkv bias", SS_CATEGORY_VECTOR) \
  X(SS_OP_Q_DOWN, "q down", SS_CATEGORY_MATRIX) \
  X(SS_OP_Q_UP, "q up", SS_CATEGORY_MATRIX) \
  X(SS_OP_KV_DOWN, "k/v down", SS_CATEGORY_MATRIX) \
  X(SS_OP_KV_UP, "k/v up", SS_CATEGORY_MATRIX) \
  X(SS_OP_LATENT_NORM, "latent norm", SS_CATEGORY_VECTOR) \
  X(SS_OP_ROTARY, "rotary embedding", SS_CATEGORY_VECTOR) \
  X(SS_OP_ATTENTION, "flash attention", SS_CATEGORY_ATTENTION) \
  X(SS_OP_COMPRESS, "compression product", SS_CATEGORY_MATRIX) \
  X(SS_OP_OUTPUT_GROUPS, "output down", SS_CATEGORY_MATRIX) \
  X(SS_OP_INDEX, "index product", SS_CATEGORY_MATRIX) \
  X(SS_OP_INDEX_NORM, "norm of index keys", SS_CATEGORY_VECTOR) \
  X(SS_OP_INDEX_SCORES, "index scores", SS_CATEGORY_ATTENTION) \
  X(SS_OP_INDEX_TOP_K, "index top-k", SS_CATEGORY_VECTOR) \
  X(SS_OP_SPARSE_ATTENTION, "sparse attention", SS_CATEGORY_ATTENTION) \
  X(SS_OP_INDEX_TARGET, "index target", SS_CATEGORY_ATTENTION) \
  X(SS_OP_INDEX_LOSS, "index loss", SS_CATEGORY_VECTOR) \
  X(SS_OP_INDEX_GRADIENTS, "index gradients", SS_CATEGORY_ATTENTION) \
  X(SS_OP_PIECE_SUM, "sum of pieces", SS_CATEGORY_VECTOR) \
  X(SS_OP_LOGITS, "attention logits", SS_CATEGORY_ATTENTION) \
  X(SS_OP_SCALE_MASK, "scale + mask", SS_CATEGORY_VECTOR) \
  X(SS_OP_SOFTMAX, "softmax", SS_CATEGORY_VECTOR) \
  X(SS_OP_ATTENTION_DROPOUT, "attention dropout", SS_CATEGORY_VECTOR) \
  X(SS_OP_ATTEND, "attend", SS_CATEGORY_ATTENTION) \
  X(SS_OP_QK_NORM, "norm of queries and keys", SS_CATEGORY_VECTOR) \
  X(SS_OP_ATTENTION_GATE, "attention gate", SS_CATEGORY_VECTOR) \
  X(SS_OP_MIXER_IN, "mixer in", SS_CATEGORY_MATRIX) \
  X(SS_OP_CONVOLUTION, "convolution", SS_CATEGORY_VECTOR) \
  X(SS_OP_SCAN, "scan", SS_CATEGORY_ATTENTION) \
  X(SS_OP_MIXER_NORM, "gated norm", SS_CATEGORY_VECTOR) \
  X(SS_OP_MIXER_OUT, "mixer out", SS_CATEGORY_MATRIX) \
  X(SS_OP_STEPS_DOWN, "x_proj", SS_CATEGORY_MATRIX) \
  X(SS_OP_STEPS_NORM, "x_proj norms", SS_CATEGORY_VECTOR) \
  X(SS_OP_STEPS_UP, "dt_proj", SS_CATEGORY_MATRIX) \
  X(SS_OP_OUTPUT_SUM, "output sum", SS_CATEGORY_VECTOR) \
  X(SS_OP_POST_NORM_1, "post-norm 1", SS_CATEGORY_VECTOR) \
  X(SS_OP_POST_NORM_2, "post-norm 2", SS_CATEGORY_VECTOR) \
  X(SS_OP_PROJECTION, "projection", SS_CATEGORY_MATRIX) \
  X(SS_OP_PROJECTION_BIAS, "projection bias", SS_CATEGORY_VECTOR) \
  X(SS_OP_DROPOUT_2, "dropout 2", SS_CATEGORY_VECTOR) \
  X(SS_OP_NORM_2, "norm 2", SS_CATEGORY_VECTOR) \
  X(SS_OP_FC1, "fc1", SS_CATEGORY_MATRIX) \
  X(SS_OP_FC1_BIAS, "fc1 bias", SS_CATEGORY_VECTOR) \
  X(SS_OP_ACTIVATION, "activation", SS_CATEGORY_VECTOR) \
  X(SS_OP_GATE, "gate", SS_CATEGORY_VECTOR) \
  X(SS_OP_DROPOUT_1, "dropout 1", SS_CATEGORY_VECTOR) \
  X(SS_OP_FC2, "fc2", SS_CATEGORY_MATRIX) \
  X(SS_OP_FC2_BIAS, "fc2 bias", SS_CATEGORY_VECTOR) \
  X(SS_OP_DROPOUT_3, "dropout 3", SS_CATEGORY_VECTOR) \
  X(SS_OP_ADAPTER_DROPOUT, "adapter dropout", SS_CATEGORY_VECTOR) \
  X(SS_OP_ADAPTER_DOWN, "adapter down", SS_CATEGORY_MATRIX) \
  X(SS_OP_ADAPTER_UP, "adapter up", SS_CATEGORY_MATRIX) \
  X(SS_OP_ADAPTER_SCALE, "adapter scale", SS_CATEGORY_VECTOR) \
  X(SS_OP_LAYER_TABLE, "layer embeddings", SS_CATEGORY_MATRIX) \
  X(SS_OP_LAYER_NORM, "norm of layer embeddings", SS_CATEGORY_VECTOR) \
  X(SS_OP_LAYER_DOWN, "layer embedding down", SS_CATEGORY_MATRIX) \
  X(SS_OP_LAYER_GATE, "layer embedding gate", SS_CATEGORY_VECTOR) \
  X(SS_OP_LAYER_UP, "layer embedding up", SS_CATEGORY_MATRIX) \
  X(SS_OP_ADD, "residual add", SS_CATEGORY_VECTOR) \
  X(SS_OP_STREAM_WEIGHTS, "weights of streams", SS_CATEGORY_VECTOR) \
  X(SS_OP_STREAM_MIXTURES, "mixtures of streams", SS_CATEGORY_VECTOR) \
  X(SS_OP_STREAM_SUM, "sum of streams", SS_CATEGORY_VECTOR) \
  X(SS_OP_STREAM_OUTPUT, "residual streams", SS_CATEGORY_VECTOR) \
  X(SS_OP_AMAX, "largest value", SS_CATEGORY_VECTOR) \
  X(SS_OP_CAST, "quantise", SS_CATEGORY_VECTOR) \
  X(SS_OP_ROUTER, "router", SS_CATEGORY_MATRIX) \
  X(SS_OP_TOP_K, "top-k", SS_CATEGORY_VECTOR) \
  X(SS_OP_LATENT_DOWN, "latent down", SS_CATEGORY_MATRIX) \
  X(SS_OP_PERMUTE, "permute", SS_CATEGORY_VECTOR) \
  X(SS_OP_EXPERT_FC1, "expert fc1", SS_CATEGORY_MATRIX) \
  X(SS_OP_EXPERT_ACTIVATION, "expert activation", SS_CATEGORY_VECTOR) \
  X(SS_OP_EXPERT_FC2, "expert fc2", SS_CATEGORY_MATRIX) \
  X(SS_OP_UNPERMUTE, "unpermute", SS_CATEGORY_VECTOR) \
  X(SS_OP_LATENT_UP, "latent up", SS_CATEGORY_MATRIX) \
  X(SS_OP_BIAS_ACTIVATION, "bias + activation", SS_CATEGORY_VECTOR) \
  X(SS_OP_BIAS_DROPOUT_ADD, "bias + dropout + add", SS_CATEGORY_VECTOR) \
  X(SS_OP_NEXT_NORM, "norm of next tokens", SS_CATEGORY_VECTOR) \
  X(SS_OP_STATE_NORM, "norm of states", SS_CATEGORY_VECTOR) \
  X(SS_OP_CONCATENATION, "concatenation", SS_CATEGORY_VECTOR) \
  X(SS_OP_COPY, "copy", SS_CATEGORY_VECTOR) \
  X(SS_OP_COPY_OUT, "copy of gathered weights", SS_CATEGORY_VECTOR) \
  X(SS_OP_FLATTEN, "flat gradients", SS_CATEGORY_VECTOR) \
  X(SS_OP_LOSS_METRIC, "loss metric", SS_CATEGORY_VECTOR) \
  X(SS_OP_UNPAD, "unpad", SS_CATEGORY_VECTOR) \
  X(SS_OP_PAD, "pad", SS_CATEGORY_VECTOR) \
  X(SS_OP_INPUT_SUM, "input gradient sum", SS_CATEGORY_VECTOR) \
  X(SS_OP_MERGER, "merger", SS_CATEGORY_MATRIX) \
  X(SS_OP_FINAL_NORM, "final norm", SS_CATEGORY_VECTOR) \
  X(SS_OP_OUTPUT, "output product", SS_CATEGORY_MATRIX) \
  X(SS_OP_SOFT_CAP, "soft-cap", SS_CATEGORY_VECTOR) \
  X(SS_OP_CROSS_ENTROPY, "cross entropy", SS_CATEGORY_VECTOR) \
  X(SS_OP_GRADIENT_SUM, "gradient sum", SS_CATEGORY_VECTOR) \
  X(SS_OP_OPTIMIZER, "optimizer step", SS_CATEGORY_OPTIMIZER) \
  X(SS_COMM_ALL_GATHER, "all-gather", SS_CATEGORY_COLLECTIVE) \
  X(SS_COMM_REDUCE_SCATTER, "reduce-scatter", SS_CATEGORY_COLLECTIVE) \
  X(SS_COMM_ALL_REDUCE, "all-reduce", SS_CATEGORY_COLLECTIVE) \
  X(SS_COMM_BROADCAST, "broadcast", SS_CATEGORY_COLLECTIVE) \
  X(SS_COMM_REDUCE, "reduce", SS_CATEGORY_COLLECTIVE) \
  X(SS_COMM_ALL_TO_ALL, "all-to-all", SS_CATEGORY_COLLECTIVE) \
  X(SS_COMM_READ, "read", SS_CATEGORY_MESSAGE) \
  X(SS_COMM_WRITE, "write", SS_CATEGORY_MESSAGE) \
  X(SS_COMM_SEND, "send", SS_CATEGORY_MESSAGE) \
  X(SS_COMM_RECEIVE, "receive", SS_CATEGORY_MESSAGE) \
  X(SS_WAIT_PIPELINE, "wait for stage", SS_CATEGORY_WAIT) \
  X(SS_WAIT_DATA, "wait for data", SS_CATEGORY_WAIT) \
  X(SS_WAIT_OFFLOAD, "wait for offload", SS_CATEGORY_WAIT) \
  X(SS_WAIT_HOST, "wait for host", SS_CATEGORY_WAIT) \
  X(SS_HOST_LAUNCH, "launch", SS_CATEGORY_HOST)
/* clang-format on */

typedef enum ss_activity {
#define SS_ACTIVITY_ID(id, name, category) id,
  SS_ACTIVITY_LIST(SS_ACTIVITY_ID)
#undef SS_ACTIVITY_ID
      SS_ACTIVITY_COUNT
} ss_activity;

/* Name and group of an activity; the name of a group, and its colour as {red, green, blue}. */
const char *ss_activity_name(ss_activity activity);
ss_category ss_activity_category(ss_activity activity);
const char *ss_category_name(ss_category category);
const double *ss_category_colour(ss_category category);

#endif
