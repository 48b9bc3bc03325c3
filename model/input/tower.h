/* The vision tower of a model: an encoder of patches of images, whose states become tokens of the decoder. */
#ifndef STEPSIM_MODEL_INPUT_TOWER_H
#define STEPSIM_MODEL_INPUT_TOWER_H

#include <stdbool.h>

#include "model/input/workload.h"

/* Whether a model has one. */
static inline bool ss_has_tower(const ss_workload *workload)
{
  return workload->model.vision_layers > 0;
}

/* Whether it is there, but not trained. */
static inline bool ss_has_frozen_tower(const ss_workload *workload)
{
  return ss_has_tower(workload) && workload->training.freeze_vision == SS_YES;
}

/* Tensor-parallel ranks that split it: a divisor of all, which then have it several times; tp without a tower. */
int64_t ss_tower_tp(const ss_workload *workload);

/* Whether all of them do. */
bool ss_tower_is_spread(const ss_workload *workload);

/* Whether tensor-parallel ranks that have the same of it share images out; whether context-parallel ones do. */
bool ss_tower_shares_over_tensor(const ss_workload *workload);
bool ss_tower_shares_over_context(const ss_workload *workload);

/* The workload whose model is the tower: its layers look both ways, within an image; patches of all images of a
 * sequence are its tokens, or where ranks share images out, those of a rank and a micro-batch. */
ss_workload ss_tower_workload(const ss_workload *workload);

/* Whether one of its layers, counted from 0, looks at windows only. */
bool ss_tower_layer_has_windows(const ss_workload *workload, int64_t layer);

/* Patches of the images of a sequence, and the tokens of the decoder that become of them. */
double ss_tower_patches(const ss_workload *workload);
double ss_tower_tokens(const ss_workload *workload);

/* Patches of the images of a micro-batch that a rank encodes, the one with most: all, or whole images of a share. */
double ss_tower_own_patches(const ss_workload *workload);

/* How often the tensor and context-parallel ranks of a replica together do what the tower asks for: each of those that
 * do not split it, but for what they share out. */
double ss_tower_copies(const ss_workload *workload);

/* Width of the rows that the projector reads, and the parameters of its products. */
double ss_projector_width(const ss_workload *workload);
double ss_projector_parameters(const ss_workload *workload);

#endif
