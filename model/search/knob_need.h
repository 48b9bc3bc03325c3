/* What knobs need to do something: rows of knob_needs.def. */
#ifndef STEPSIM_MODEL_SEARCH_KNOB_NEED_H
#define STEPSIM_MODEL_SEARCH_KNOB_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/workload.h"
#include "model/search/knob_set.h"

typedef struct ss_knob_need {
  ss_knob_index knob;
  ss_attribute_index attribute; /* that stands in the way */
  /* Whether the knob does nothing in all candidates of a workload of which these knobs are varied. */
  bool (*lacks)(ss_knob_set varied, const ss_workload *own);
  const char *problem, *allowed;
} ss_knob_need;

/* The table as an array of `count` rows. */
const ss_knob_need *ss_knob_needs(int64_t *count);

#endif
