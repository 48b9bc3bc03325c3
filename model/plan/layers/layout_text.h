/* Layouts of a pipeline as text, in the words of Megatron-LM
 * (megatron/core/transformer/pipeline_parallel_layer_layout.py): which part of the model has which layers. Layers of a
 * vision tower have a letter of their own, which Megatron-LM has a type for, but no letter (LayerType.encoder). */
#ifndef STEPSIM_MODEL_PLAN_LAYERS_LAYOUT_TEXT_H
#define STEPSIM_MODEL_PLAN_LAYERS_LAYOUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/input/letters.h"

/* What a layout is made of: X(enumerator, letter, what it is). */
#define SS_LAYOUT_LIST(X)                                                                                              \
  X(SS_LAYOUT_VISION, 'V', "layer of a vision tower")                                                                  \
  X(SS_LAYOUT_EMBEDDING, 'E', "embedding")                                                                             \
  X(SS_LAYOUT_LAYER, 't', "transformer layer")                                                                         \
  X(SS_LAYOUT_MODULE, 'm', "multi-token-prediction module")                                                            \
  X(SS_LAYOUT_OUTPUT, 'L', "output layer and loss")                                                                    \
  X(SS_LAYOUT_END, '|', "end of a virtual stage")

typedef enum ss_layout_element {
#define SS_LAYOUT_ID(id, letter, meaning) id,
  SS_LAYOUT_LIST(SS_LAYOUT_ID)
#undef SS_LAYOUT_ID
      SS_LAYOUT_ELEMENTS
} ss_layout_element;

/* How far a text has been read. */
typedef struct ss_layout_reader {
  ss_letters letters;
  const char *problem; /* why it cannot be read on; NULL as long as it can */
} ss_layout_reader;

/* The beginning of a text. Borrows it. */
ss_layout_reader ss_layout_read(const char *text);

/* The next element, with all that is repeated written out. False at the end, or where there is a problem. */
bool ss_layout_next(ss_layout_reader *reader, ss_layout_element *element);

/* A text as a whole. A layout begins with the layers of a tower, if there are any, and the embedding, and ends with the
 * output layer. */
typedef struct ss_layout_sum {
  const char *problem; /* why it is no layout; NULL for one */
  int64_t count[SS_LAYOUT_ELEMENTS], parts;
  bool starts, ends;    /* as it has to */
  bool modules_last;    /* no layer comes behind a module */
  int64_t module_parts; /* that have modules */
} ss_layout_sum;

ss_layout_sum ss_layout_sum_of(const char *text);

/* Writes the layout of `parts` virtual stages, at least two, with an even share of the layers, the modules and the
 * output layer, the last two in the last part; parts that have one more come first. The embedding, which takes little,
 * counts as a layer only where there is too little for all parts without it. With that, stages of DeepSeek-V3 are those
 * of Megatron-Bridge. False, and an empty text, where even so there is too little, or no room. */
bool ss_layout_even(int64_t layers, int64_t modules, int64_t parts, char *text, size_t size);

#endif
