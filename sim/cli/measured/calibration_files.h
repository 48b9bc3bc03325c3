/* The files that a calibration may be from. */
#ifndef STEPSIM_SIM_CLI_MEASURED_CALIBRATION_FILES_H
#define STEPSIM_SIM_CLI_MEASURED_CALIBRATION_FILES_H

#include "sim/cli/measured/calibration_inputs.h"

/* Adds what a file says: measurements as `validate` reads them, a table of iterations, a log of training, or one of
 * nccl-tests, told by its content. Errors as from their readers. */
ss_status ss_calibration_read(ss_calibration_inputs *inputs, const char *path, ss_error *error);

#endif
