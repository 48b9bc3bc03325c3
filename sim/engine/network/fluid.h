/* The network as a fluid: flows that have their links to themselves (occupancy.h) take bytes over bandwidth, and those
 * that share links have max-min fair rates (shared_flows.h), so that nothing happens but beginnings and ends of flows.
 * Links have no latency: start-up times belong to the collectives and messages (model/collective/collective.h). */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_FLUID_H
#define STEPSIM_SIM_ENGINE_NETWORK_FLUID_H

#include "sim/engine/network/networked.h"

/* Runs a replay on such a network. What the replay returns; SS_ERROR_MEMORY. */
ss_status ss_fluid_run(const ss_networked *networked, ss_error *error);

#endif
