/* Where the points of a sweep are on its axes, for programs: numbers in SI where values are numbers. */
#ifndef STEPSIM_SIM_REPORT_SWEEP_VALUES_H
#define STEPSIM_SIM_REPORT_SWEEP_VALUES_H

#include <jansson.h>

#include "sim/report/output.h"
#include "sim/report/report.h"

/* The axes, each an object with its name, the unit where values are numbers, and its values; of an axis of several
 * names an array of such objects, "joint", instead of unit and values. */
json_t *ss_sweep_axes_json(const ss_sweep_report *report, bool *complete);

/* The values of a point, by name. */
json_t *ss_sweep_values_json(const ss_sweep_report *report, int64_t point, bool *complete);

/* The names and the values of a point, separated by commas. */
void ss_sweep_names_write_csv(ss_output *output, const ss_sweep_report *report);
void ss_sweep_values_write_csv(ss_output *output, const ss_sweep_report *report, int64_t point);

#endif
