#include "model/profile/kernel_class.h"

#include <string.h>

static const struct {
  const char *word;
  bool beside;
} rows[SS_CLASS_COUNT] = {
#define CLASS_ROW(id, word, beside) [id] = {word, beside},
    SS_CLASS_LIST(CLASS_ROW)
#undef CLASS_ROW
};

const char *ss_class_word(ss_kernel_class kind)
{
  return rows[kind].word;
}

bool ss_class_is_beside(ss_kernel_class kind)
{
  return rows[kind].beside;
}

ss_kernel_class ss_class_of_word(const char *word)
{
  int kind = 0;
  while (kind < SS_CLASS_COUNT && strcmp(rows[kind].word, word) != 0) ++kind;
  return (ss_kernel_class)kind;
}

/* Element-wise activities, and products, that have a class of their own; the others have that of their category. */
static ss_kernel_class of_vector(ss_activity activity)
{
  static const struct {
    ss_activity activity;
    ss_kernel_class kind;
  } own[] = {
      {SS_OP_NORM_1, SS_CLASS_NORM},          {SS_OP_NORM_2, SS_CLASS_NORM},
      {SS_OP_LATENT_NORM, SS_CLASS_NORM},     {SS_OP_QK_NORM, SS_CLASS_NORM},
      {SS_OP_MIXER_NORM, SS_CLASS_NORM},      {SS_OP_POST_NORM_1, SS_CLASS_NORM},
      {SS_OP_POST_NORM_2, SS_CLASS_NORM},     {SS_OP_NEXT_NORM, SS_CLASS_NORM},
      {SS_OP_STATE_NORM, SS_CLASS_NORM},      {SS_OP_FINAL_NORM, SS_CLASS_NORM},
      {SS_OP_TOP_K, SS_CLASS_ROUTING},        {SS_OP_PERMUTE, SS_CLASS_ROUTING},
      {SS_OP_UNPERMUTE, SS_CLASS_ROUTING},    {SS_OP_SCALE_MASK, SS_CLASS_ATTENTION},
      {SS_OP_SOFTMAX, SS_CLASS_ATTENTION},    {SS_OP_ATTENTION_DROPOUT, SS_CLASS_ATTENTION},
      {SS_OP_INDEX_NORM, SS_CLASS_NORM},      {SS_OP_INDEX_TOP_K, SS_CLASS_ATTENTION},
      {SS_OP_INDEX_LOSS, SS_CLASS_ATTENTION}, {SS_OP_STEPS_NORM, SS_CLASS_NORM},
  };
  for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
    if (own[i].activity == activity) return own[i].kind;
  return SS_CLASS_ELEMENT;
}

/* The class of collectives on a track; SS_CLASS_COUNT on those without. */
static ss_kernel_class of_stream(ss_stream stream)
{
  static const ss_kernel_class classes[SS_STREAM_COUNT] = {[SS_STREAM_COMPUTE] = SS_CLASS_COUNT,
                                                           [SS_STREAM_TENSOR] = SS_CLASS_TENSOR,
                                                           [SS_STREAM_CONTEXT] = SS_CLASS_CONTEXT,
                                                           [SS_STREAM_EXPERT] = SS_CLASS_EXPERT,
                                                           [SS_STREAM_DATA] = SS_CLASS_DATA,
                                                           [SS_STREAM_SEND_ACTIVATIONS] = SS_CLASS_PIPELINE,
                                                           [SS_STREAM_RECEIVE_ACTIVATIONS] = SS_CLASS_PIPELINE,
                                                           [SS_STREAM_RECEIVE_ACTIVATIONS_OTHER] = SS_CLASS_PIPELINE,
                                                           [SS_STREAM_SEND_GRADIENTS] = SS_CLASS_PIPELINE,
                                                           [SS_STREAM_RECEIVE_GRADIENTS] = SS_CLASS_PIPELINE,
                                                           [SS_STREAM_RECEIVE_GRADIENTS_OTHER] = SS_CLASS_PIPELINE,
                                                           [SS_STREAM_OFFLOAD_READ] = SS_CLASS_COPY,
                                                           [SS_STREAM_OFFLOAD_WRITE] = SS_CLASS_COPY,
                                                           [SS_STREAM_HOST] = SS_CLASS_COUNT};
  return classes[stream];
}

ss_kernel_class ss_class_of_activity(ss_activity activity, ss_stream stream)
{
  static const ss_kernel_class classes[SS_CATEGORY_COUNT] = {
      [SS_CATEGORY_PASS] = SS_CLASS_COUNT,         [SS_CATEGORY_BLOCK] = SS_CLASS_COUNT,
      [SS_CATEGORY_MATRIX] = SS_CLASS_PRODUCT,     [SS_CATEGORY_ATTENTION] = SS_CLASS_ATTENTION,
      [SS_CATEGORY_VECTOR] = SS_CLASS_ELEMENT,     [SS_CATEGORY_COLLECTIVE] = SS_CLASS_COLLECTIVE,
      [SS_CATEGORY_MESSAGE] = SS_CLASS_COLLECTIVE, [SS_CATEGORY_OPTIMIZER] = SS_CLASS_OPTIMIZER,
      [SS_CATEGORY_WAIT] = SS_CLASS_COUNT,         [SS_CATEGORY_HOST] = SS_CLASS_COUNT};
  const ss_kernel_class kind = classes[ss_activity_category(activity)];
  if (activity == SS_WAIT_PIPELINE) return SS_CLASS_PIPELINE;
  if (kind == SS_CLASS_ELEMENT) return of_vector(activity);
  if (kind != SS_CLASS_COLLECTIVE) return kind;
  const ss_kernel_class group = of_stream(stream);
  return group != SS_CLASS_COUNT ? group : kind;
}

bool ss_activity_is_kernel(ss_activity activity)
{
  return ss_activity_category(activity) != SS_CATEGORY_WAIT;
}

ss_activity ss_activity_of_name(const char *name)
{
  int activity = 0;
  while (activity < SS_ACTIVITY_COUNT && strcmp(ss_activity_name((ss_activity)activity), name) != 0) ++activity;
  return (ss_activity)activity;
}

ss_stream ss_stream_of_name(const char *name)
{
  int stream = 0;
  while (stream < SS_STREAM_COUNT && strcmp(ss_stream_name((ss_stream)stream), name) != 0) ++stream;
  return (ss_stream)stream;
}
