/* The network simulator behind a replay: flows between hosts of a platform file that share its links (SimGrid). */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_H
#define STEPSIM_SIM_ENGINE_NETWORK_H

#include <stdbool.h>

#include "sim/engine/world.h"

/* Loads the platform of the world's job and runs `ss_world_run` inside the simulation. One per process; the caller has
 * made sure that the platform file is one that SimGrid accepts. */
ss_status ss_network_run(ss_world *world, ss_error *error);

/* Starts a flow that belongs to `transfer`. */
void ss_network_launch(ss_network_sim *network, const ss_edge *edge, double bytes, ss_transfer *transfer);

/* Lets time pass until `until_s` (may be infinite) or until transfers have arrived, and returns the time it is then. */
double ss_network_wait(ss_network_sim *network, double now_s, double until_s);

/* The next transfer that has arrived; NULL when there is no other. */
ss_transfer *ss_network_arrived(ss_network_sim *network);

#endif
