/* The network simulator behind a replay: flows between hosts of a platform file that share its links (SimGrid). */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_SIMGRID_H
#define STEPSIM_SIM_ENGINE_NETWORK_SIMGRID_H

#include <stdbool.h>

#include "sim/engine/network/uncontended.h"

/* Gives the paths of a world to the simulator and runs `ss_world_run` inside the simulation. One per process. */
ss_status ss_network_run(ss_world *world, ss_error *error);

/* Starts a flow that belongs to `transfer`; the flow stays where it is until the flow is over. */
void ss_network_launch(ss_network_sim *network, ss_transfer *transfer, const ss_flow *flow, double bytes);

/* Lets time pass until `until_s` (may be infinite) or until transfers have arrived, and returns the time it is then. */
double ss_network_wait(ss_network_sim *network, double now_s, double until_s);

/* Nothing will happen on the network by itself. */
bool ss_network_is_idle(const ss_network_sim *network);

/* The time of flows that were alone has come. The transfer whose last flows they were; else NULL. */
ss_transfer *ss_network_end(ss_network_sim *network, ss_flow_batch *batch);

/* The next transfer whose flows have arrived; NULL when there is no other. */
ss_transfer *ss_network_arrived(ss_network_sim *network);

#endif
