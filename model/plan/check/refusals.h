/* Combinations of attributes that make no sense, each refused by name. */
#ifndef STEPSIM_MODEL_PLAN_CHECK_REFUSALS_H
#define STEPSIM_MODEL_PLAN_CHECK_REFUSALS_H

#include <stdbool.h>

#include "model/base/error.h"
#include "model/input/machine.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Index of each row: SS_REFUSAL_tp_heads, ... */
typedef enum ss_refusal_index {
#define SS_RULE(id, blamed, when, problem, values, otherwise) SS_REFUSAL_##id,
#include "model/plan/check/refusals.def"
  SS_REFUSAL_TOTAL
} ss_refusal_index;

/* The first row about the machine, or without one of the others, that refuses a workload whose values have passed
 * ss_workload_check_values; SS_REFUSAL_TOTAL when none does. `blamed`, which may be NULL, is set to the workload that
 * it refuses: this one, or as if all its layers were of one of its kinds. */
ss_refusal_index ss_workload_refused_by(const ss_workload *workload, const ss_machine *machine, ss_workload *blamed);

/* The same among rows about the model by itself, or about what is wrong with a text: no strategy helps against these.
 */
ss_refusal_index ss_model_refused_by(const ss_workload *workload, ss_workload *blamed);

/* Whether no row up to `last` refuses a workload; that row is asked first, as it is the one that most values fail. Rows
 * about the machine are asked where there is one. */
bool ss_refusals_pass(const ss_workload *workload, const ss_machine *machine, ss_refusal_index last);

#endif
