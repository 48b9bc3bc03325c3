/* Strategies in a line. */
#ifndef STEPSIM_SIM_FIGURE_STRATEGY_NAME_H
#define STEPSIM_SIM_FIGURE_STRATEGY_NAME_H

#include "model/search/strategy.h"

/* Room for one. */
#define SS_STRATEGY_NAME_SIZE 256

/* The sizes of a strategy that are not 1, such as "tp 4, pp 8, dp 16, micro-batch 1"; returns `text`. */
char *ss_strategy_name(const ss_strategy *strategy, char text[SS_STRATEGY_NAME_SIZE]);

#endif
