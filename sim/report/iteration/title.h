/* What is said of a prediction above and below its table. */
#ifndef STEPSIM_SIM_REPORT_ITERATION_TITLE_H
#define STEPSIM_SIM_REPORT_ITERATION_TITLE_H

#include <stdio.h>

#include "model/result/prediction.h"
#include "sim/report/table.h"

/* Prints what is predicted, on what, how long it takes and how sure that is. */
void ss_title_print(FILE *stream, const ss_prediction *prediction);

/* Prints what is to be known of a replay: which rank its times are of, and what keeps it from being exact. */
void ss_replay_notes_print(FILE *stream, const ss_prediction *prediction, ss_table_unit unit);

#endif
