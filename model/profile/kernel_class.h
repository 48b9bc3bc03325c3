/* What a GPU spends its time on, in the classes that a trace and a prediction have in common. */
#ifndef STEPSIM_MODEL_PROFILE_KERNEL_CLASS_H
#define STEPSIM_MODEL_PROFILE_KERNEL_CLASS_H

#include <stdbool.h>

#include "model/kernel/activity.h"
#include "model/result/timeline.h"

/* X(enumerator, "word", runs beside compute, "what is in it"). What runs beside compute is hidden while kernels of the
 * other classes run. */
/* clang-format off */
#define SS_CLASS_LIST(X) \
  X(SS_CLASS_PRODUCT, "products", false) /* products of matrices */ \
  X(SS_CLASS_ATTENTION, "attention", false) /* attention, and scans of state spaces */ \
  X(SS_CLASS_NORM, "norms", false) /* norms, with what is fused with them */ \
  X(SS_CLASS_ELEMENT, "element-wise", false) /* activations, sums, casts, lookups, losses */ \
  X(SS_CLASS_ROUTING, "routing", false) /* choice of experts, and permutation of tokens */ \
  X(SS_CLASS_OPTIMIZER, "optimizer", false) /* the optimizer step */ \
  X(SS_CLASS_OTHER, "other kernels", false) /* kernels that no rule knows */ \
  X(SS_CLASS_COPY, "copies", true) /* copies between memories, and clearing */ \
  X(SS_CLASS_TENSOR, "tensor parallel", true) /* collectives of the tensor-parallel group */ \
  X(SS_CLASS_CONTEXT, "context parallel", true) /* collectives of the context-parallel group */ \
  X(SS_CLASS_EXPERT, "expert parallel", true) /* exchanges of the expert-parallel group */ \
  X(SS_CLASS_DATA, "data parallel", true) /* gathers of weights and reductions of gradients */ \
  X(SS_CLASS_PIPELINE, "pipeline", true) /* messages between stages, and waiting for them */ \
  X(SS_CLASS_COLLECTIVE, "other groups", true) /* collectives of which nothing tells the group */
/* clang-format on */

typedef enum ss_kernel_class {
#define SS_CLASS_ID(id, word, beside) id,
  SS_CLASS_LIST(SS_CLASS_ID)
#undef SS_CLASS_ID
      SS_CLASS_COUNT /* also: none of them */
} ss_kernel_class;

/* The word of a class; static text. */
const char *ss_class_word(ss_kernel_class kind);

/* Whether it runs beside compute. */
bool ss_class_is_beside(ss_kernel_class kind);

/* The class of a word; SS_CLASS_COUNT where it is none. */
ss_kernel_class ss_class_of_word(const char *word);

/* The class of an activity on a track of a timeline; SS_CLASS_COUNT where it is no work, such as a pass or a wait. To
 * wait for a stage is in the class of its message, as a receiving kernel runs until the message is there. */
ss_kernel_class ss_class_of_activity(ss_activity activity, ss_stream stream);

/* Whether an activity is a kernel, and no wait. */
bool ss_activity_is_kernel(ss_activity activity);

/* The activity and the track that timelines call so; SS_ACTIVITY_COUNT and SS_STREAM_COUNT where there is none. */
ss_activity ss_activity_of_name(const char *name);
ss_stream ss_stream_of_name(const char *name);

#endif
