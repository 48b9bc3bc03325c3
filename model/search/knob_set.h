/* The rows of knobs.def by number, and sets of them. */
#ifndef STEPSIM_MODEL_SEARCH_KNOB_SET_H
#define STEPSIM_MODEL_SEARCH_KNOB_SET_H

#include <stdint.h>

/* Index of each row: SS_KNOB_recompute, ... */
typedef enum ss_knob_index {
#define SS_KNOB(id, name, attribute, next, idle, alone) SS_KNOB_##id,
#include "model/search/knobs.def"
  SS_KNOB_TOTAL
} ss_knob_index;

/* A set of knobs. Results are kept with such sets as doubles, which have whole numbers up to 2^53. */
typedef uint64_t ss_knob_set;

#define SS_KNOB_BIT(index) ((ss_knob_set)1 << (index))

/* The rows without a name: what a strategy that is searched for has to have instead of what the workload says. One
 * stage has no pipeline to be interleaved, and only an interleaved one has chunks. */
#define SS_KNOBS_FOLLOWING                                                                                             \
  (SS_KNOB_BIT(SS_KNOB_kept_schedule) | SS_KNOB_BIT(SS_KNOB_kept_interleave) | SS_KNOB_BIT(SS_KNOB_kept_modules))

/* The rows that multiply a space, by modules or by layers: varied where they are named, not with all others. */
#define SS_KNOBS_BY_NAME                                                                                               \
  (SS_KNOB_BIT(SS_KNOB_recompute_modules) | SS_KNOB_BIT(SS_KNOB_recompute_layers) |                                    \
   SS_KNOB_BIT(SS_KNOB_offload_modules) | SS_KNOB_BIT(SS_KNOB_offload_layers))

#endif
