/* What describe prints of an iteration beside the passes: the optimizer step, the host, and the second memory tier. */
#ifndef STEPSIM_SIM_CLI_DESCRIBE_STEP_H
#define STEPSIM_SIM_CLI_DESCRIBE_STEP_H

#include "model/plan/job.h"

/* Prints what a GPU of the first stage has to do for the optimizer step, with its times if `seconds`; how many launches
 * an eager host has for a pass; and what goes to the second memory tier and back. Nothing under costs that count layers
 * only. */
void ss_describe_step(const ss_job *job, bool seconds);

#endif
