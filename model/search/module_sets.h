/* Sets of modules of Megatron-LM that a search tries: of those that the layers of a model have. */
#ifndef STEPSIM_MODEL_SEARCH_MODULE_SETS_H
#define STEPSIM_MODEL_SEARCH_MODULE_SETS_H

#include <stdint.h>

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* No set: before the first and after the last one. */
#define SS_MODULE_SETS_END (-1)

/* The set of modules to recompute, or to offload the inputs of, after `value`: the empty one, each module by itself,
 * those that published jobs and guides have together, and the one of the workload as it was given. None twice. */
int64_t ss_recompute_sets_next(int64_t value, const ss_workload *own);
int64_t ss_offload_sets_next(int64_t value, const ss_workload *own);

#endif
