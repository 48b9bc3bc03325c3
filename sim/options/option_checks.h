/* What options may not say together. */
#ifndef STEPSIM_SIM_OPTIONS_OPTION_CHECKS_H
#define STEPSIM_SIM_OPTIONS_OPTION_CHECKS_H

#include "sim/options/option_table.h"

/* Refuses options that contradict each other, need another one, or would do nothing. SS_ERROR_INPUT. */
ss_status ss_options_check(const ss_options *options, const ss_option_table *table, ss_error *error);

#endif
