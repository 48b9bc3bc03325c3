/* Several replays, and slow parts of the machine: part of the reports of a prediction. */
#ifndef STEPSIM_SIM_REPORT_ITERATION_TRIALS_H
#define STEPSIM_SIM_REPORT_ITERATION_TRIALS_H

#include "model/result/prediction.h"
#include "sim/report/json.h"
#include "sim/report/table.h"

/* Prints those sections of them that the prediction has. */
void ss_report_trials_text(FILE *stream, const ss_prediction *prediction, ss_table_unit unit);

/* Prints who waits for the slow parts that cost most, a sentence each. */
void ss_report_blame(FILE *stream, const ss_prediction *prediction);

/* Adds "trials" and "slow_parts" to an object where there are any; clears `complete` where memory ends. */
void ss_json_add_trials(json_t *object, const ss_prediction *prediction, bool *complete);

#endif
