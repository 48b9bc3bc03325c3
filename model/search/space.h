/* The strategies and placements that a search goes through: arXiv 2410.00273 section IV, for one number of GPUs. */
#ifndef STEPSIM_MODEL_SEARCH_SPACE_H
#define STEPSIM_MODEL_SEARCH_SPACE_H

#include <stdint.h>

#include "model/input/machine.h"
#include "model/input/words.h"
#include "model/plan/placement/placement.h"
#include "model/search/balance.h"
#include "model/search/knob.h"

/* A strategy and a placement. What it does not name stays as the workload says. */
typedef struct ss_candidate {
  ss_tensor tensor;
  int64_t tp, tp2, panels; /* panels: of summa, else 0 */
  int64_t cp, pp, dp, micro_batch;
  ss_balanced model; /* what a layout names of it */
  ss_knob_set knobs; /* that have a value of their own */
  ss_knob_values value;
  ss_coordinates inside; /* how many of each coordinate share a domain; cp: of the sequence axis, cp or tp2 */
} ss_candidate;

/* A set of tensor layouts. */
#define SS_TENSOR_BIT(tensor) (1u << (tensor))

/* The sizes that a search tries, by attribute: X(element, attribute). */
#define SS_SIZE_LIST(X)                                                                                                \
  X(parallelism, tp)                                                                                                   \
  X(parallelism, tp2)                                                                                                  \
  X(parallelism, panels)                                                                                               \
  X(parallelism, pp)                                                                                                   \
  X(parallelism, dp)                                                                                                   \
  X(training, micro_batch)

typedef enum ss_size {
#define SS_SIZE_ID(element, attribute) SS_SIZE_##attribute,
  SS_SIZE_LIST(SS_SIZE_ID)
#undef SS_SIZE_ID
      SS_SIZE_TOTAL
} ss_size;

/* A set of sizes. */
#define SS_SIZE_BIT(size) (1u << (size))
#define SS_SIZES_ALL      (SS_SIZE_BIT(SS_SIZE_TOTAL) - 1)

/* The set of sizes that the command line has set. */
unsigned ss_sizes_overridden(const ss_workload *workload);

/* What is tried, on how many GPUs. */
typedef struct ss_space_rule {
  int64_t gpus;
  unsigned tensors; /* tensor layouts: a set of SS_TENSOR_BIT */
  ss_knob_set knobs;
  unsigned pins;                 /* sizes that stay as the workload says: a set of SS_SIZE_BIT */
  const ss_free_gpus *free_gpus; /* GPUs that may be used; NULL: all; borrowed */
} ss_space_rule;

/* Candidates in the order of enumeration: `sizes` holds them down to the micro-batch, and each of these goes on with
 * all values of the knobs and, in the innermost loop, all its placements. */
typedef struct ss_space {
  const ss_workload *workload;
  int64_t gpus;
  ss_room room;
  int64_t segment_min, segment_max; /* GPUs that may be used of a domain; one number unless they are a knob */
  int64_t placements_max;           /* of one sizes, at most */
  ss_knob_set knobs;                /* no two of the same attribute; with segment where that is needed */
  unsigned pins;
  ss_candidate *sizes; /* [count]; values and placement are 0; owned */
  int64_t count;
} ss_space;

/* Enumerates tensor layouts, cp, tp, tp2, panels, stages and micro-batches. With n GPUs,
 * sequence l, hidden e, heads h, layers L, m = tp tp2 cp:
 * - cp is that of the workload; where it is one of the knobs, it divides n and l, l / cp >= 128 (1d), or is 1;
 * - tp divides n / cp, h and e, 3 e / tp >= 128 (1d) or e / tp >= 128;
 * - tp2 divides n / (cp tp), l / tp2 >= 128, for summa e, too (2d with tp2 = 1 is 1d, and left out beside it);
 * - panels max(tp, tp2) 2^i < e that divide e and leave 512 columns each, or only the first where that leaves fewer;
 * - pp divides L, n / m and min(n / m, L), or only n / m where the workload says which layers stages have, or layouts
 * are tried (SS_KNOB_layout); dp is the rest and divides the global batch;
 * - the micro-batch divides the batch of a replica, and its tokens are a multiple of tp tp2 (of tp2 for summa).
 * A size that is pinned has the value of the workload where that divides the GPUs and, dp, the global batch; the other
 * bounds are not asked of it.
 * Workload, machine and free GPUs are borrowed. SS_ERROR_MEMORY. Release with ss_space_free. */
ss_status ss_space_init(ss_space *space, const ss_workload *workload, const ss_machine *machine,
                        const ss_space_rule *rule);

/* Releases the sizes; zeroed is fine. */
void ss_space_free(ss_space *space);

/* Goes on to the next values of the knobs of a sizes, or to the first ones where `first`; `scratch` is a workload that
 * has been a copy of the one searched. False after the last ones. */
bool ss_space_next_values(const ss_space *space, ss_candidate *sizes, ss_workload *scratch, bool first);

/* The placements of a sizes into `inside` [placements_max]: every coordinate's share of a domain divides its size, and
 * together they fill the domain, or a segment of it; a job that fits in one is all in it. Only free GPUs count.
 * Segments are as the workload says, whole domains if it does not, or, where they are one of the knobs or whole domains
 * cannot make up the GPUs, all that divide the GPUs, have room for them and are more than half of a domain; where there
 * is none, the largest that does. With TorchTitan, a segment has all of tp before it has two of cp, then dp, then pp.
 * Returns how many. */
int64_t ss_space_placements(const ss_space *space, const ss_candidate *sizes, ss_coordinates *inside);

/* Puts a candidate into one of its placements. */
void ss_candidate_put(ss_candidate *candidate, const ss_coordinates *inside);

/* Sets the strategy of a candidate in a workload, but not its placement. */
void ss_candidate_choose(const ss_candidate *candidate, ss_workload *workload);

/* Sets the strategy and the placement of a candidate in a workload. */
void ss_candidate_apply(const ss_candidate *candidate, ss_workload *workload);

#endif
