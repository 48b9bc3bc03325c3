/* How the layers of a model are split over the parts of a pipeline: the virtual stages. */
#ifndef STEPSIM_MODEL_PLAN_LAYERS_SPLIT_H
#define STEPSIM_MODEL_PLAN_LAYERS_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/schedule/schedule.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* What a message between parts of the model carries: X(enumerator, what). */
#define SS_CARGO_LIST(X)                                                                                               \
  X(SS_CARGO_STATES, "hidden states of the model")                                                                     \
  X(SS_CARGO_MODULES, "these, and those of its multi-token-prediction modules")                                        \
  X(SS_CARGO_PATCHES, "states of the vision tower")                                                                    \
  X(SS_CARGO_IMAGES, "tokens that have become of images, up to the embedding")

typedef enum ss_cargo {
#define SS_CARGO_ID(id, what) id,
  SS_CARGO_LIST(SS_CARGO_ID)
#undef SS_CARGO_ID
      SS_CARGOS
} ss_cargo;

/* What a part of the model has. The output layer is in the last part, which may have nothing else. Patches become
 * states of a tower ahead of its first layer, and tokens behind its last one. */
typedef struct ss_virtual_stage {
  int64_t layers, modules;
  int64_t vision, vision_first; /* layers of the tower, and the number of the first of them */
  bool patches, projector, embedding;
  ss_cargo cargo; /* that it sends on */
} ss_virtual_stage;

/* Whether the layers can be split over the stages and chunks of a shape as the workload says. A layout says it part by
 * part. Else stages have an even share of the layers, but for the first and the last if their number is given, and each
 * chunk of a stage an even share of that. Where the embedding counts as a layer, the first part has one less, where the
 * output layer does, the last one (get_num_layers_to_build of Megatron-LM,
 * megatron/core/transformer/transformer_block.py).
 */
bool ss_split_is_even(const ss_workload *workload, const ss_pipeline_shape *shape);

/* The part of the model with its multi-token-prediction modules: the last one, unless a layout says otherwise; -1 where
 * there are none (get_mtp_num_layers_to_build of Megatron-LM, megatron/core/transformer/multi_token_prediction.py). */
int64_t ss_split_module_part(const ss_workload *workload, const ss_pipeline_shape *shape);

/* The part with the embedding: the first one, or the one behind a tower that has parts of its own (add_encoder of
 * Megatron-LM, megatron/core/models/multimodal/llava_model.py: its first stages have the encoder and its projection).
 */
int64_t ss_split_embedding_part(const ss_workload *workload);

/* Fills in `part` [ss_shape_parts] of one copy of the model, for a workload that is not refused. */
void ss_split_fill(const ss_workload *workload, const ss_pipeline_shape *shape, ss_virtual_stage *part);

/* The most parts that a workload, or others with the same layout or none, can have. */
int64_t ss_split_parts_max(const ss_workload *workload);

#endif
