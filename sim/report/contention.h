/* What a replay saw of its network and of its critical path, in the report of a prediction. */
#ifndef STEPSIM_SIM_REPORT_CONTENTION_H
#define STEPSIM_SIM_REPORT_CONTENTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/result/prediction.h"
#include "sim/report/table.h"

/* Prints a section on exposed communication, on the busiest links and on the critical path, where there is anything to
 * be said. */
void ss_contention_print(FILE *stream, const ss_prediction *prediction, ss_table_unit unit);

/* All of it as an object, with what was simulated. */
json_t *ss_contention_json(const ss_prediction *prediction, bool *complete);

#endif
