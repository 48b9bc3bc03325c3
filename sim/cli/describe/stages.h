/* What describe prints of a whole pipeline: its virtual stages, and the ranks of expert layers. */
#ifndef STEPSIM_SIM_CLI_DESCRIBE_STAGES_H
#define STEPSIM_SIM_CLI_DESCRIBE_STAGES_H

#include "model/plan/job.h"

/* Prints what each virtual stage holds, with its times if `seconds`; nothing where the model is in one part. */
void ss_describe_stages(const ss_job *job, bool seconds);

/* Prints how expert layers number the ranks of a stage; nothing without experts. */
void ss_describe_experts(const ss_job *job);

#endif
