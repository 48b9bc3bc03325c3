/* The rows of model/plan/check/refusals.def. */
#ifndef STEPSIM_MODEL_PLAN_CHECK_REFUSAL_ROW_H
#define STEPSIM_MODEL_PLAN_CHECK_REFUSAL_ROW_H

#include <stdbool.h>

#include "model/input/machine.h"
#include "model/input/workload.h"

/* One row of refusals.def. `when` is not asked about a machine (NULL then) unless `on_machine`. */
typedef struct ss_refusal {
  const char *name;
  ss_attribute_index blamed;
  bool on_machine;
  bool (*when)(const ss_workload *workload, const ss_machine *machine);
  const char *problem, *values, *otherwise;
} ss_refusal;

/* The table as an array of SS_REFUSAL_TOTAL rows, in the order of ss_refusal_index. */
const ss_refusal *ss_refusals(void);

/* Writes the problem of a row as it is of many workloads: attributes by their names, numbers that follow from them as
 * N, and texts as "...". Cut to `size`. */
void ss_refusal_problem(const ss_refusal *row, char *text, size_t size);

#endif
