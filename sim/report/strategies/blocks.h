/* Rows of the table of columns that stand for several columns. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_BLOCKS_H
#define STEPSIM_SIM_REPORT_STRATEGIES_BLOCKS_H

#include "sim/report/strategies/column.h"

/* What the strategy is: tensor layout, sizes, knobs and placement. JSON: an object with the key of the row, or without
 * one the members of the line itself. */
extern const ss_column_block ss_strategy_block;

/* The times of the closed form and of the replay, by parts. Text: the parts of the closed form that the listing shows.
 */
extern const ss_column_block ss_estimate_block;
extern const ss_column_block ss_simulation_block;

/* What is in the memory of the fullest GPU. */
extern const ss_column_block ss_memory_block;

#endif
