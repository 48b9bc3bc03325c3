/* Placement: which rank sits on which GPU, and how the groups of ranks then lie over domains. */
#ifndef STEPSIM_MODEL_PLACEMENT_H
#define STEPSIM_MODEL_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/collective.h"
#include "model/machine.h"
#include "model/workload.h"

/* Coordinates of a rank; rank = tp + TP (dp + DP pp). */
typedef struct ss_coordinates {
  int64_t tp, dp, pp;
} ss_coordinates;

typedef struct ss_placement {
  int64_t tp, dp, pp; /* sizes */
  int64_t domain_size;
  int32_t *gpu; /* [tp * dp * pp] GPU of each rank; owned */
} ss_placement;

/* Places every rank: by `order`, by `domain`, or from `ranks` ([ranks], read from the rank file; NULL when the workload
 * names none). SS_ERROR_INPUT when the workload needs more GPUs than there are or the domain split does not fit;
 * SS_ERROR_MEMORY. Release with ss_placement_free. */
ss_status ss_placement_init(ss_placement *placement, const ss_workload *workload, const ss_machine *machine,
                            const int32_t *ranks, ss_error *error);
void ss_placement_free(ss_placement *placement);

int64_t ss_placement_rank(const ss_placement *placement, ss_coordinates at);
int64_t ss_placement_gpu(const ss_placement *placement, ss_coordinates at);

/* How one group lies over domains: `count` GPUs of `gpu`; the array is sorted in place. */
ss_span ss_span_of(int32_t *gpu, int64_t count, int64_t domain_size);

/* The GPUs of one group: the tensor-parallel ranks of a stage of a replica ([tp]), the replicas of a tensor rank of a
 * stage ([dp]). */
void ss_placement_tensor_group(const ss_placement *placement, int64_t stage, int64_t replica, int32_t *gpu);
void ss_placement_data_group(const ss_placement *placement, int64_t stage, int64_t tensor, int32_t *gpu);

/* Some rank's message from `stage` to the next one crosses domains. */
bool ss_placement_hop_crosses(const ss_placement *placement, int64_t stage);

/* Share of the messages between neighbouring stages that cross domains, in [0, 1]; 0 without a pipeline. */
double ss_placement_slow_hops(const ss_placement *placement);

#endif
