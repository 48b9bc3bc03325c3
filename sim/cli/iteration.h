/* The iteration that run and estimate are about. */
#ifndef STEPSIM_SIM_CLI_ITERATION_H
#define STEPSIM_SIM_CLI_ITERATION_H

#include "sim/api/api.h"

/* Reads the inputs that options name, and makes the iteration with its closed form. Errors as from ss_inputs_job and
 * ss_api_iteration_create, and SS_ERROR_INPUT for what is set and would do nothing; NULL then. */
ss_status ss_iteration_open(const ss_options *options, ss_api_iteration **iteration, ss_error *error);

#endif
