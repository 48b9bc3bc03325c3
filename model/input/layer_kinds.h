/* Kinds of layers, and which layer is of which: model.kinds and model.pattern. */
#ifndef STEPSIM_MODEL_INPUT_LAYER_KINDS_H
#define STEPSIM_MODEL_INPUT_LAYER_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/input/workload.h"

/* The most kinds that a model can have. */
#define SS_LAYER_KINDS_MAX 6

/* The most with those whose first or last layers stay in 16 bits, which are kinds of their own. */
#define SS_LAYER_KINDS_IN_ALL 8

/* Attributes of the model that a kind can have of its own: X(field). */
/* clang-format off */
#define SS_LAYER_FIELD_LIST(X)                                                     \
  X(mixer) X(feed_forward) X(window) X(chunk) X(heads) X(kv_heads) X(head_size)    \
  X(index_heads) X(index_top_k) X(compress)                                                  \
  X(ffn) X(mlp) X(parallel) X(qk_norm) X(keys_as_values) X(shared_keys) X(attention_output_gate) X(post_norms)      \
  X(experts) X(top_k) X(expert_ffn) X(shared_experts)
/* clang-format on */

typedef enum ss_layer_field {
#define SS_LAYER_FIELD_ID(field) SS_LAYER_FIELD_##field,
  SS_LAYER_FIELD_LIST(SS_LAYER_FIELD_ID)
#undef SS_LAYER_FIELD_ID
      SS_LAYER_FIELDS
} ss_layer_field;

/* A kind, with what it has of its own: a count, or the number of a word. */
typedef struct ss_layer_kind {
  char name;
  bool has[SS_LAYER_FIELDS];
  int64_t value[SS_LAYER_FIELDS];
} ss_layer_kind;

typedef struct ss_layer_kinds {
  int64_t count;
  ss_layer_kind kind[SS_LAYER_KINDS_MAX];
} ss_layer_kinds;

/* Reads `text` such as "w window=4096; M mixer=mamba feed-forward=none; f": letters, each with what it has of its own.
 * False where it is not one, with what is wrong and what is allowed in `problem` [size], which may be NULL. */
bool ss_layer_kinds_read(const char *text, ss_layer_kinds *kinds, char *problem, size_t size);

/* Fills `kind_of` [layers], where it is not NULL, with the kinds of all layers by a pattern (model/input/letters.h),
 * which is repeated up to the last layer, where it has to end. NULL if that is possible, else why it is not. */
const char *ss_layer_pattern_fill(const ss_layer_kinds *kinds, const char *pattern, int64_t layers, int8_t *kind_of);

/* The number of the kind that a letter stands for; `kinds->count` where it is the letter of none. */
int64_t ss_layer_kind_called(const ss_layer_kinds *kinds, char name);

/* The workload whose layers are all of one kind: `workload` with what that has of its own, and without kinds. Messages
 * about it name the line of model.kinds. */
ss_workload ss_layer_kind_workload(const ss_workload *workload, const ss_layer_kind *kind);

/* Some of its layers mix tokens by something else than attention: a state space, linear attention, a convolution. */
bool ss_workload_is_hybrid(const ss_workload *workload);

/* Some of its layers have a state space of Mamba, alone or beside attention. */
bool ss_workload_has_mamba(const ss_workload *workload);

/* Attention of some of its layers is within a window. */
bool ss_workload_has_windows(const ss_workload *workload);

/* Each of its kinds of layers may also be in 16 bits (training.bf16-first-layers, training.bf16-last-layers). */
bool ss_layer_kinds_in_16bit(const ss_workload *workload);

/* What ranks can share out the experts of every layer over: divisors of this, which divides the model's number of
 * experts and those of its kinds; of a workload that is not refused. */
int64_t ss_layer_experts_divisor(const ss_workload *workload);

#endif
