/* The registry of topologies and kinds of fabric. */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGIES_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGIES_H

#include "model/fabric/topology_methods.h"

const ss_topology_methods *ss_topology_methods_of(ss_topology topology);
const ss_fabric_methods *ss_fabric_methods_of(ss_fabric_kind kind);

#endif
