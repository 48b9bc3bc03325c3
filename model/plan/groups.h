/* How the groups of a job's ranks lie over domains: the part of building a job that knows its placement. */
#ifndef STEPSIM_MODEL_PLAN_GROUPS_H
#define STEPSIM_MODEL_PLAN_GROUPS_H

#include <stdint.h>

#include "model/plan/job.h"

/* Makes room for the groups of a job of up to so many stages, and finds them. SS_ERROR_MEMORY. Release with
 * ss_groups_free, also after an error. */
ss_status ss_groups_init(ss_job *job, int64_t stages_max);
void ss_groups_free(ss_job *job);

/* Finds them again after the placement has changed. SS_ERROR_MEMORY. */
ss_status ss_groups_find(ss_job *job);

#endif
