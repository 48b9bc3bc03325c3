/* What a replay saw of its network and of its critical path, in the report of a prediction. */
#ifndef STEPSIM_SIM_REPORT_ITERATION_CONTENTION_H
#define STEPSIM_SIM_REPORT_ITERATION_CONTENTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/result/prediction.h"
#include "sim/report/table.h"

/* Prints the sections on exposed communication, the busiest links and the critical path, those that are not empty. */
void ss_contention_print(FILE *stream, const ss_prediction *prediction, ss_table_unit unit);

/* All of it as an object, with what was simulated. */
json_t *ss_contention_json(const ss_prediction *prediction, bool *complete);

#endif
