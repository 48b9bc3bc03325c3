/* Reading the command line. */
#ifndef STEPSIM_SIM_CLI_COMMAND_LINE_H
#define STEPSIM_SIM_CLI_COMMAND_LINE_H

#include "sim/options/options.h"

/* Reads the command line; prints help and refusals itself and then ends the program. */
void ss_command_line_parse(int argc, char **argv, ss_options *options);

/* Whether the command line names a command that shares its work with the other processes of a job. */
bool ss_command_line_is_shared(int argc, char **argv);

#endif
