/* Iterations and collectives of files of other programs, as measurements. */
#ifndef STEPSIM_SIM_CLI_MEASURED_CALIBRATION_ROWS_H
#define STEPSIM_SIM_CLI_MEASURED_CALIBRATION_ROWS_H

#include "sim/cli/measured/calibration_inputs.h"
#include "sim/import/measured/nccl_log.h"
#include "sim/import/measured/steps.h"

/* Each adds what a source says, and notes on what it leaves out. Errors as from the readers in sim/import/measured, and
 * of workloads and their attributes, with the line of the row; SS_ERROR_INPUT where a row has no workload. */
ss_status ss_calibration_read_nccl(ss_calibration_inputs *inputs, const ss_source *source, ss_error *error);
ss_status ss_calibration_read_log(ss_calibration_inputs *inputs, const ss_source *source, ss_error *error);
ss_status ss_calibration_read_table(ss_calibration_inputs *inputs, const ss_source *source, ss_error *error);

#endif
