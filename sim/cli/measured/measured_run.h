/* What is published of a run, predicted. */
#ifndef STEPSIM_SIM_CLI_MEASURED_MEASURED_RUN_H
#define STEPSIM_SIM_CLI_MEASURED_MEASURED_RUN_H

#include "model/measured/measured.h"
#include "sim/session/session.h"

/* The time that a figure of a run is, in seconds, by the closed form of the run of a job with such iterations;
 * infinite where nothing interrupts it and that is asked. SS_ERROR_INPUT where the job has no tokens. */
ss_status ss_measured_run_s(const ss_session *session, ss_run_figure figure, const ss_breakdown *iteration,
                            double *time_s, ss_error *error);

#endif
