/* The groups of a placement: which ranks they are, and how they lie over domains. */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_GROUPS_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/span.h"
#include "model/plan/data_plan.h"
#include "model/plan/placement/placement.h"

/* How tensor-parallel groups lie over domains, where the placement is even. */
ss_span ss_placement_even_tensor_span(const ss_placement *placement, int64_t size, int64_t stride);

/* The same of all ranks of a stage, or of those of a replica of it. */
ss_span ss_placement_even_stage_span(const ss_placement *placement, bool replica);

/* The same of groups along an axis of expert layers. */
ss_span ss_placement_even_expert_span(const ss_placement *placement, ss_expert_axis axis);

/* The same of neighbours along the sequence that exchange heads, or of the ranks at the same place of all such groups.
 */
ss_span ss_placement_even_context_span(const ss_placement *placement, bool inner);

/* The same of data-parallel groups, where the stages with the copies of the model are in one domain (`together`), or
 * each is in another. */
ss_span ss_placement_even_data_span(const ss_placement *placement, ss_data_group group, bool together);

/* Ranks of a stage behind a NIC, where the placement is even: they send to the next stage at the same moment. */
int64_t ss_placement_even_senders(const ss_placement *placement);

/* Groups along the axes of one rank: the GPUs of the tensor-parallel ranks ([tp]) and of the ranks along the sequence
 * ([cp]) that `at` is one of; its own coordinate along that axis does not matter. */
void ss_placement_tensor_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu);
void ss_placement_context_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu);

/* The GPUs of all ranks of a stage, or of one of its replicas where `replica` is not below 0, into `gpu`. Returns how
 * many. */
int64_t ss_placement_stage_group(const ss_placement *placement, int64_t stage, int64_t replica, int32_t *gpu);

/* Ranks that hold the same weights, GPUs in the order of their numbers, in so many copies of what is sharded. */
typedef struct ss_holders {
  const int32_t *gpu; /* [count]; borrowed */
  int64_t count, copies;
} ss_holders;

/* The GPUs of the holders that share the `index`-th copy, which are neighbours, or of those at the `index`-th place of
 * all copies, into `gpu`. Returns how many. */
int64_t ss_placement_sharers(ss_holders holders, bool of_copies, int64_t index, int32_t *gpu);

/* Shards of a stage's weights: ranks that hold different ones, tp, or tp * cp for summa. */
int64_t ss_placement_shards(const ss_placement *placement);

/* The ranks that hold the same dense weights of a stage, GPUs into `gpu` [dp * cp or dp]: shard in [0, shards). Returns
 * how many. */
int64_t ss_placement_data_group(const ss_placement *placement, int64_t stage, int64_t shard, int32_t *gpu);

/* The ranks of a group along an axis of expert layers of a stage, GPUs into `gpu` [size of the axis]; `group` in [0,
 * ss_expert_group_count). */
void ss_placement_expert_group(const ss_placement *placement, int64_t stage, ss_expert_axis axis, int64_t group,
                               int32_t *gpu);

#endif
