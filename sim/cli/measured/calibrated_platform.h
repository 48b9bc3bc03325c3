/* The platform file that a calibration writes. */
#ifndef STEPSIM_SIM_CLI_MEASURED_CALIBRATED_PLATFORM_H
#define STEPSIM_SIM_CLI_MEASURED_CALIBRATED_PLATFORM_H

#include "model/measured/fit.h"
#include "sim/options/options.h"

/* What the platform says that its kernels are fitted to, the files of the command; empty where no constant of kernels
 * is fitted to an iteration. */
void ss_calibrated_name_source(const ss_options *options, const ss_fit *fit, char text[SS_FITTED_TO_SIZE]);

/* Writes the platform of the command with the fitted constants, to the file of --output, if any: its comments stay, and
 * another one before them says what each constant is from. `machine` is the platform. Errors as from
 * ss_platform_rewrite; SS_ERROR_OUTPUT. */
ss_status ss_calibrated_platform_write(const ss_options *options, const ss_machine *machine, const ss_fit *fit,
                                       const char *fitted_to, ss_error *error);

#endif
