/* Runs on hosts of the simulator that fail by profiles: a host for each run, which is off in its outages, and an actor
 * that starts again with it and goes on from the last checkpoint. */
#ifndef STEPSIM_SIM_ENGINE_SIMGRID_FAILING_HOSTS_H
#define STEPSIM_SIM_ENGINE_SIMGRID_FAILING_HOSTS_H

#include "model/base/error.h"
#include "model/run/outages.h"
#include "model/run/renewal.h"

typedef struct ss_failing_host {
  double work_s;      /* above 0 */
  ss_rhythm rhythm;   /* in which it is kept */
  ss_outages outages; /* none begins before the one ahead of it is over */
  double end_s;       /* filled: when all work is kept */
} ss_failing_host;

/* Simulates all of them side by side, once in the life of a process. SS_ERROR_ENGINE, SS_ERROR_MEMORY,
 * SS_ERROR_OUTPUT. */
ss_status ss_failing_hosts_run(ss_failing_host *host, int64_t count, ss_error *error);

#endif
