/* How the program ends. */
#ifndef STEPSIM_SIM_CLI_SHARED_EXIT_STATUS_H
#define STEPSIM_SIM_CLI_SHARED_EXIT_STATUS_H

#include "model/base/error.h"

/* Exit status of the program. */
enum { SS_EXIT_DONE = 0, SS_EXIT_FAILED = 1, SS_EXIT_USAGE = 2, SS_EXIT_TOO_LARGE = 3 };

/* Prints "stepsim: FILE:LINE: MESSAGE" on standard error and returns the exit status that belongs to the error. */
int ss_fail(const ss_error *error);

#endif
