/* The processes of a job: they join, share what the first one has, and leave together. */
#ifndef STEPSIM_SIM_CREW_JOB_H
#define STEPSIM_SIM_CREW_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/error.h"

/* Joins the processes that mpirun or srun has started, where the environment says that it has; the others print nothing
 * from then on. All of them run the same program with the same arguments up to its end, where they leave together. Call
 * it once, early, before threads and processes start; without it a process is alone. SS_ERROR_MODULE where MPI cannot
 * be loaded. */
ss_status ss_crew_join(ss_error *error);

/* Whether this process is the only one of the job. */
bool ss_crew_is_alone(void);

/* Whether this process is the first of the job: only that one has outcomes and writes files. */
bool ss_crew_is_first(void);

/* Gives the others what the first one has in `bytes`. SS_ERROR_PROCESS where the first one has stopped. */
ss_status ss_crew_share(void *bytes, size_t size, ss_error *error);

#endif
