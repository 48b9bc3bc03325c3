/* Stores a value that a user wrote, in a file or an override, in its attribute or property. */
#ifndef STEPSIM_SIM_IO_ASSIGN_H
#define STEPSIM_SIM_IO_ASSIGN_H

#include "model/input/machine.h"
#include "sim/io/value.h"

/* In model/input/workload.h. */
typedef struct ss_attribute ss_attribute;
typedef struct ss_workload ss_workload;

/* Parses `value` as `row` says and stores it in the workload, with `line`, which is SS_LINE_OVERRIDE for overrides.
 * SS_ERROR_INPUT if the value is not allowed. */
ss_status ss_workload_assign(ss_workload *workload, const ss_attribute *row, const ss_value *value, int line,
                             ss_error *error);

/* Parses `value` as `row` says and stores it in the machine, with `line`, which is SS_LINE_OVERRIDE for overrides.
 * SS_ERROR_INPUT if the value is not allowed. */
ss_status ss_machine_assign(ss_machine *machine, const ss_property *row, const ss_value *value, int line,
                            ss_error *error);

/* Refuses a property that is not in the table, with the list of those that are. Always SS_ERROR_INPUT. */
ss_status ss_property_refuse(const ss_value *value, ss_error *error);

#endif
