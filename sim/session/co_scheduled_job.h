/* The job of --beside: another workload, on the GPUs that the first one leaves free. */
#ifndef STEPSIM_SIM_SESSION_CO_SCHEDULED_JOB_H
#define STEPSIM_SIM_SESSION_CO_SCHEDULED_JOB_H

#include "sim/session/session.h"

typedef struct ss_co_scheduled_job {
  ss_workload workload;
  ss_job job;
  ss_places places;
} ss_co_scheduled_job;

/* Finds the workload by its name or path, reads and places it: where its files say, else in the domains that the
 * session's job leaves free, in order. SS_ERROR_INPUT where it does not fit beside it. Close in any case. */
ss_status ss_co_scheduled_job_open(ss_co_scheduled_job *co_scheduled, const char *name, const ss_session *session,
                                   ss_error *error);
void ss_co_scheduled_job_close(ss_co_scheduled_job *co_scheduled);

#endif
