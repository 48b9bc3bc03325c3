/* The groups of a placement: which ranks they are, and how they lie over domains. */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_GROUPS_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/span.h"
#include "model/plan/placement.h"

/* How groups along some axes lie over domains, where the placement is even. */
typedef struct ss_axes {
  bool tp, cp, dp;
} ss_axes;

ss_span ss_placement_even_span(const ss_placement *placement, ss_axes axes);

/* The same of an expert-parallel group, and of the ranks that hold the same experts of a stage. */
ss_span ss_placement_even_expert_span(const ss_placement *placement);
ss_span ss_placement_even_expert_data_span(const ss_placement *placement);

/* Groups along the axes of one rank: the GPUs of the tensor-parallel ranks ([tp]) and of the ranks along the sequence
 * ([cp]) that `at` is one of; its own coordinate along that axis does not matter. */
void ss_placement_tensor_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu);
void ss_placement_context_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu);

/* The replicas of an expert-parallel group, [ep], and the group ([0, dp / ep)) and place in it ([0, ep)) of a replica.
 */
int64_t ss_placement_expert_replica(const ss_placement *placement, int64_t group, int64_t place);
int64_t ss_placement_expert_group(const ss_placement *placement, int64_t replica);
int64_t ss_placement_expert_place(const ss_placement *placement, int64_t replica);

/* Shards of a stage's weights: ranks that hold different ones, tp, or tp * cp for summa. */
int64_t ss_placement_shards(const ss_placement *placement);

/* The ranks that hold the same dense weights of a stage, GPUs into `gpu` [dp * cp or dp]: shard in [0, shards). Returns
 * how many. */
int64_t ss_placement_data_group(const ss_placement *placement, int64_t stage, int64_t shard, int32_t *gpu);

/* The ranks that hold the same experts of a stage: `place` in [0, ep) as above. [dp * cp / ep or dp / ep] */
int64_t ss_placement_expert_data_group(const ss_placement *placement, int64_t stage, int64_t shard, int64_t place,
                                       int32_t *gpu);

#endif
