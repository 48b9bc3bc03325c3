/* How far a command is, on standard error: for people at a terminal who have not asked for quiet. */
#ifndef STEPSIM_SIM_CLI_PROGRESS_H
#define STEPSIM_SIM_CLI_PROGRESS_H

#include "sim/cli/common_options.h"

/* What is called with the share that is done; NULL where nobody looks. */
typedef void (*ss_progress)(double share);
ss_progress ss_progress_of(const ss_common_options *options);

/* Clears the line of ss_progress_of from the terminal, if it wrote one. */
void ss_progress_clear(const ss_common_options *options);

#endif
