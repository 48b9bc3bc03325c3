/* The network simulator (SimGrid) behind ss_flow_network: what sim/engine/network/fluid.h is held against
 * (SS_FLOWS_SIMULATED). This folder is a module (sim/module/module.h): to load SimGrid takes longer than most commands
 * do. */
#ifndef STEPSIM_SIM_ENGINE_SIMGRID_SIMGRID_H
#define STEPSIM_SIM_ENGINE_SIMGRID_SIMGRID_H

#include "sim/engine/network/networked.h"
#include "sim/engine/simgrid/failing_hosts.h"
#include "sim/module/module.h"

typedef struct ss_simgrid_methods {
  /* Gives the links and paths to the simulator and runs the replay inside the simulation; `verbose`: says how it is set
   * on standard error. One per process. What the replay returns; SS_ERROR_ENGINE, SS_ERROR_MEMORY, SS_ERROR_OUTPUT. */
  ss_status (*run)(const ss_networked *networked, bool verbose, ss_error *error);
  /* ss_failing_hosts_run, in place of it */
  ss_status (*fail)(ss_failing_host *host, int64_t count, ss_error *error);
} ss_simgrid_methods;

/* What the module "simgrid" exports. */
extern SS_MODULE_ROW const ss_simgrid_methods ss_simgrid_module;

#endif
