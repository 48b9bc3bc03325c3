/* Checks of a workload, with messages that name the attribute to blame, its value and what is allowed. */
#ifndef STEPSIM_MODEL_PLAN_CHECK_WORKLOAD_CHECK_H
#define STEPSIM_MODEL_PLAN_CHECK_WORKLOAD_CHECK_H

#include "model/base/error.h"
#include "model/input/machine.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* Checks everything that needs no platform, after ss_workload_derive: required attributes are present, all are in
 * range, and no row of model/plan/check/refusals.def refuses them. SS_ERROR_INPUT with file, line, attribute, value and
 * what is allowed; without an `error` no text is made. */
ss_status ss_workload_check(const ss_workload *workload, ss_error *error);

/* The part of it that looks at every attribute by itself: none is missing or out of range. */
ss_status ss_workload_check_values(const ss_workload *workload, ss_error *error);

/* Checks what no strategy changes: the rows about the model by itself, and those about what is wrong with a text.
 * SS_ERROR_INPUT as from ss_workload_check. */
ss_status ss_workload_check_model(const ss_workload *workload, ss_error *error);

/* Checks what a workload needs of the machine, after ss_workload_check. SS_ERROR_INPUT as from there. */
ss_status ss_workload_check_machine(const ss_workload *workload, const ss_machine *machine, ss_error *error);

#endif
