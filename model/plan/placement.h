/* Placement: which rank sits on which GPU, and how the groups of ranks then lie over domains. */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective/collective.h"
#include "model/input/machine.h"
#include "model/input/workload.h"

/* Coordinates of a rank; rank = tp + TP (cp + CP (dp + DP pp)). `cp` is the sequence axis: the context-parallel rank,
 * or the second tensor-parallel one (tp2) of 2d and summa. */
typedef struct ss_coordinates {
  int64_t tp, cp, dp, pp;
} ss_coordinates;

typedef struct ss_placement {
  int64_t tp, cp, dp, pp; /* sizes */
  int64_t ep;             /* expert-parallel size: of the replicas */
  bool experts_across;    /* members of an expert-parallel group are dp / ep replicas apart, else neighbours */
  bool cp_splits_weights; /* ranks along cp hold different weights (summa), else the same */
  int64_t domain_size;
  bool even;             /* all domains hold the same part of the ranks, so that all groups of a kind lie alike */
  ss_coordinates inside; /* where even: sizes of that part */
  int32_t *gpu;          /* [tp * cp * dp * pp] GPU of each rank; NULL after ss_placement_init_even; owned */
} ss_placement;

/* Places every rank: by `order`, by `domain`, or from `ranks` ([ranks], read from the rank file; NULL when the workload
 * names none). SS_ERROR_INPUT when the workload needs more GPUs than there are or the domain split does not fit;
 * SS_ERROR_MEMORY. Release with ss_placement_free. */
ss_status ss_placement_init(ss_placement *placement, const ss_workload *workload, const ss_machine *machine,
                            const int32_t *ranks, ss_error *error);
void ss_placement_free(ss_placement *placement);

/* The same without a rank file, and without a GPU for each rank where the placement is even: for the closed form, which
 * needs none there. Nothing that asks for GPUs may be called then. With `inside`, that is the split of a domain, known
 * to fit, and not what the workload says. */
ss_status ss_placement_init_even(ss_placement *placement, const ss_workload *workload, const ss_machine *machine,
                                 const ss_coordinates *inside, ss_error *error);

/* How groups along some axes lie over domains, where the placement is even. */
typedef struct ss_axes {
  bool tp, cp, dp;
} ss_axes;

ss_span ss_placement_even_span(const ss_placement *placement, ss_axes axes);

/* The same of an expert-parallel group, and of the ranks that hold the same experts of a stage. */
ss_span ss_placement_even_expert_span(const ss_placement *placement);
ss_span ss_placement_even_expert_data_span(const ss_placement *placement);

int64_t ss_placement_rank(const ss_placement *placement, ss_coordinates at);
int64_t ss_placement_gpu(const ss_placement *placement, ss_coordinates at);

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

/* Some rank's message from `stage` to the next one (from the last to the first, between chunks) crosses domains. */
bool ss_placement_hop_crosses(const ss_placement *placement, int64_t stage);

/* Share of the messages between neighbouring stages that cross domains, in [0, 1]; 0 without a pipeline. With several
 * `chunks` of the model on a stage, the last stage and the first are neighbours too. */
double ss_placement_slow_hops(const ss_placement *placement, int64_t chunks);

#endif
