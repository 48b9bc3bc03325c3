/* Placement: which rank sits on which GPU. */
#ifndef STEPSIM_MODEL_PLAN_PLACEMENT_PLACEMENT_H
#define STEPSIM_MODEL_PLAN_PLACEMENT_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/collective/lattice.h"
#include "model/input/machine.h"
#include "model/input/words.h"
#include "model/plan/placement/expert_ranks.h"
#include "model/plan/placement/holder_digits.h"
#include "model/plan/placement/segment.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Coordinates of a rank; rank = tp + TP (cp + CP (dp + DP pp)). `cp` is the sequence axis: the context-parallel rank,
 * or the second tensor-parallel one (tp2) of 2d and summa. */
typedef struct ss_coordinates {
  int64_t tp, cp, dp, pp;
} ss_coordinates;

typedef struct ss_placement {
  ss_axis order[SS_AXIS_COUNT]; /* axes, first those whose ranks are neighbours */
  int64_t tp, cp, dp, pp;       /* sizes */
  int64_t cp_inner;             /* neighbours along the sequence that exchange heads */
  int64_t copies;               /* of what is sharded, each on neighbouring holders */
  int64_t model_copies;         /* of the model, each on stages of its own */
  ss_expert_ranks experts;      /* the ranks of a stage in expert layers */
  bool cp_splits_weights;       /* ranks along cp hold different weights (summa), else the same */
  int64_t domain_size;
  int64_t nic_gpus;      /* GPUs that share a NIC; 1: none do, or nobody asks */
  int64_t segment;       /* GPUs that are used of each domain */
  bool even;             /* all domains hold the same part of the ranks, so that all groups of a kind lie alike */
  ss_coordinates inside; /* where even: sizes of that part */
  ss_lattice lattice;    /* of the domains on a torus */
  ss_coordinates apart;  /* where even: how far the domains of ranks lie apart that are next to each other on others */
  int32_t *gpu;          /* [tp * cp * dp * pp] GPU of each rank; NULL after ss_placement_init_even; owned */
} ss_placement;

/* Whether a part `inside` of ranks that make up `sizes` is what a launcher makes that lays them out by number, one
 * domain after the other: all of an axis before two of the next one in `order`, such as "tp,cp,dp,pp". */
bool ss_placement_fills(const char *order, const ss_coordinates *sizes, const ss_coordinates *inside);

/* Whether placement.domain is such a part, or says none; that it is a split at all is checked elsewhere. */
bool ss_placement_is_launched(const ss_workload *workload);

/* Places every rank: by `order`, by `domain`, or from `ranks` ([ranks], read from the rank file; NULL when the workload
 * names none). SS_ERROR_INPUT when the workload needs more GPUs than there is room for or the domain split does not
 * fit; SS_ERROR_MEMORY. Release with ss_placement_free. */
ss_status ss_placement_init(ss_placement *placement, const ss_workload *workload, ss_room room, const int32_t *ranks,
                            ss_error *error);
void ss_placement_free(ss_placement *placement);

/* The same without a rank file, and without a GPU for each rank where the placement is even: for the closed form, which
 * needs none there. Nothing that asks for GPUs may be called then. With `inside`, that is the split of a segment, known
 * to fit, and not what the workload says. */
ss_status ss_placement_init_even(ss_placement *placement, const ss_workload *workload, ss_room room,
                                 const ss_coordinates *inside, ss_error *error);

/* All of such a placement but how segments are split, and what follows from that. */
void ss_placement_describe(ss_placement *placement, const ss_workload *workload, const ss_machine *machine);

/* Splits the segments of such a placement, in another way if they are split. Errors as from there. */
ss_status ss_placement_split(ss_placement *placement, const ss_workload *workload, ss_room room,
                             const ss_coordinates *inside, ss_error *error);

/* The number of a rank, and its GPU. */
int64_t ss_placement_rank(const ss_placement *placement, ss_coordinates at);
int64_t ss_placement_gpu(const ss_placement *placement, ss_coordinates at);

/* The ranks that hold the same dense weights, or the same experts: of a stage, and of those with other copies of the
 * model, by a last digit whose stride is beyond all ranks. */
ss_holder_digits ss_placement_holders(const ss_placement *placement, bool expert);

#endif
