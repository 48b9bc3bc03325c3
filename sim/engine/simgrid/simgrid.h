/* The network simulator (SimGrid) behind ss_flow_network, with the uncontended flows in front of it. This folder is a
 * module (sim/module/module.h): to load SimGrid takes longer than most commands do. */
#ifndef STEPSIM_SIM_ENGINE_SIMGRID_SIMGRID_H
#define STEPSIM_SIM_ENGINE_SIMGRID_SIMGRID_H

#include "sim/engine/core/observer.h"
#include "sim/engine/core/options.h"
#include "sim/engine/network/bursts.h"
#include "sim/engine/network/links.h"
#include "sim/engine/simgrid/failing_hosts.h"
#include "sim/module/module.h"

/* A replay that runs inside the simulation: it is given the network, and returns when it is over. */
typedef struct ss_simulated {
  void *self;
  ss_status (*run)(void *self, const ss_flow_network *network, ss_error *error);
  const ss_links *links;            /* that its flows cross */
  const ss_observers *observers;    /* told what they carry */
  const ss_replay_options *options; /* flows, verbose */
  const ss_phase_flows *phase; /* [phases] whose flows begin together: may be bursts (sim/engine/network/bursts.h) */
  int64_t phases;
  double largest_flow_bytes; /* of any of its flows, or more */
  double tie_s;              /* what ends less than this apart ends at the same time */
} ss_simulated;

typedef struct ss_simgrid_methods {
  /* Gives the links and paths to the simulator and runs the replay inside the simulation. One per process. What the
   * replay returns; SS_ERROR_ENGINE, SS_ERROR_MEMORY, SS_ERROR_OUTPUT. */
  ss_status (*run)(const ss_simulated *simulated, ss_error *error);
  /* ss_failing_hosts_run, in place of it */
  ss_status (*fail)(ss_failing_host *host, int64_t count, ss_error *error);
} ss_simgrid_methods;

/* What the module "simgrid" exports. */
extern SS_MODULE_ROW const ss_simgrid_methods ss_simgrid_module;

#endif
