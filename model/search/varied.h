/* The attributes of a workload that a search or a sweep varies. */
#ifndef STEPSIM_MODEL_SEARCH_VARIED_H
#define STEPSIM_MODEL_SEARCH_VARIED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/workload.h"
#include "model/search/knob_set.h"

/* In model/input/machine.h. */
typedef struct ss_machine ss_machine;

/* In model/search/space.h and model/search/sweep.h. */
typedef struct ss_space ss_space;
typedef struct ss_sweep ss_sweep;

/* One row of knobs.def. */
typedef struct ss_knob {
  const char *name;
  int64_t (*next)(int64_t value, const ss_workload *workload, const ss_workload *own, ss_attribute_index attribute,
                  ss_knob_set set);
  bool (*idle)(const ss_workload *workload);
  bool (*alone)(const ss_workload *own, const ss_machine *machine, int64_t gpus);
  ss_attribute_index attribute;
  bool of_blocks; /* its values are in the key of the block cache */
} ss_knob;

/* The table as an array of SS_KNOB_TOTAL rows, in the order of ss_knob_index. */
const ss_knob *ss_knobs(void);

/* The set of SS_SIZE_BIT that holds the size of an attribute; 0 if the attribute is not a size. */
unsigned ss_size_of(ss_attribute_index attribute);

/* The attributes that differ between candidates and may decide about blocks, for ss_block_cache_create, into `varied`
 * [SS_ATTRIBUTE_TOTAL]: sizes, but for pp and dp, knobs, but for the rows SS_KNOB_NOT_OF_BLOCKS, and what the stack
 * of the workload sets for some candidates only. Returns how many.
 */
int64_t ss_space_block_attributes(const ss_space *space, ss_attribute_index *varied);

/* Whether any axis varies this attribute of the workload. */
bool ss_sweep_varies_attribute(const ss_sweep *sweep, ss_attribute_index attribute);

#endif
