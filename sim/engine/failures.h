/* Runs on hosts that fail, simulated by SimGrid. */
#ifndef STEPSIM_SIM_ENGINE_FAILURES_H
#define STEPSIM_SIM_ENGINE_FAILURES_H

#include "sim/engine/simgrid/failing_hosts.h"

/* ss_failing_hosts_run, in a process of its own. Errors are also those of ss_apart_run. */
ss_status ss_play_failures(ss_failing_host *host, int64_t count, ss_error *error);

#endif
