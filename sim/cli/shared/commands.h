/* The functions of the commands. */
#ifndef STEPSIM_SIM_CLI_SHARED_COMMANDS_H
#define STEPSIM_SIM_CLI_SHARED_COMMANDS_H

#include "sim/options/options.h"

/* Each does what its row says, prints the result or the error, and returns the exit status. */
#define SS_COMMAND_FUNCTION(id, name, arguments, least, most, first, rest, help, example, function)                    \
  int function(const ss_options *options);
SS_COMMAND_LIST(SS_COMMAND_FUNCTION)
#undef SS_COMMAND_FUNCTION

#endif
