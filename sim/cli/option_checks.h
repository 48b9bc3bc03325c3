/* What options may not say together. */
#ifndef STEPSIM_SIM_CLI_OPTION_CHECKS_H
#define STEPSIM_SIM_CLI_OPTION_CHECKS_H

#include "sim/cli/option_table.h"
#include "sim/cli/options.h"

/* Refuses options that contradict each other, need another one, or would do nothing, which ends the program. */
void ss_options_check(struct argp_state *state, const ss_options *options, const ss_option_table *table);

#endif
