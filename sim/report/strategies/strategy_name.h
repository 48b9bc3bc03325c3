/* Strategies in a line. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_STRATEGY_NAME_H
#define STEPSIM_SIM_REPORT_STRATEGIES_STRATEGY_NAME_H

#include "model/search/knob.h"
#include "model/search/strategy.h"

/* Room for one. */
#define SS_STRATEGY_NAME_SIZE 256

/* The sizes of a strategy that are not 1 and its values of some knobs, such as "tp 4, pp 8, dp 16, micro-batch 1,
 * recompute full"; returns `text`. */
char *ss_strategy_name(const ss_strategy *strategy, ss_knob_set knobs, char text[SS_STRATEGY_NAME_SIZE]);

/* Those of the knobs in which strategies differ. `strategy` [count], at least one */
ss_knob_set ss_strategy_differ_in(const ss_strategy *strategy, int64_t count, ss_knob_set knobs);

#endif
