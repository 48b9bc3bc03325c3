/* Knobs of a search: attributes of a workload that it varies beside the sizes of the groups. */
#ifndef STEPSIM_MODEL_SEARCH_KNOB_H
#define STEPSIM_MODEL_SEARCH_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/search/knob_set.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* In model/input/machine.h. */
typedef struct ss_machine ss_machine;

/* No value of a knob: all of them are 0 or above. */
#define SS_KNOB_NONE (-1)

/* A value of each knob of a set; the others mean nothing. */
typedef struct ss_knob_values {
  int32_t of[SS_KNOB_TOTAL];
} ss_knob_values;

/* The set of rows named by the `length` characters at `name`; 0 if there are none, or `length` is 0. */
ss_knob_set ss_knob_find(const char *name, size_t length);

/* The name of a knob that is varied, or that is not, by the set: the first row that has it. NULL for other rows. */
const char *ss_knob_listed(ss_knob_set set, int index, bool varied);

/* The set of rows that a search of this workload on so many GPUs of this machine varies by itself: those that knobs.def
 * says, but for attributes that the command line has set. 0 GPUs: how many is not known. */
ss_knob_set ss_knobs_by_themselves(const ss_workload *own, const ss_machine *machine, int64_t gpus);

/* The set without the names of attributes that the command line has set. */
ss_knob_set ss_knobs_left(ss_knob_set set, const ss_workload *own);

/* The set with only the first of all rows that have the same attribute. */
ss_knob_set ss_knob_unique(ss_knob_set set);

/* Advances `values` to the next combination for the knobs of `set` that does not repeat an earlier one, or to the first
 * combination if `first`. `workload` has the sizes and receives the values; `own` is the workload as it was given.
 * False after the last combination. */
bool ss_knob_next(ss_knob_set set, const ss_workload *own, ss_workload *workload, ss_knob_values *values, bool first);

/* Sets the values of the knobs of `set` in a workload. */
void ss_knob_apply(ss_knob_set set, const ss_knob_values *values, ss_workload *workload);

#endif
