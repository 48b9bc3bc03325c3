/* Files that the arguments of a command name. */
#ifndef STEPSIM_SIM_CLI_INPUTS_H
#define STEPSIM_SIM_CLI_INPUTS_H

#include "model/base/error.h"
#include "sim/options/options.h"

/* Puts the path of each file that an argument names in the place of its name, as ss_shipped_find finds it, and tells
 * the common options where workload and platform are. The options must stay where they are. Errors as from
 * ss_shipped_find. */
ss_status ss_inputs_find(ss_options *options, ss_error *error);

#endif
