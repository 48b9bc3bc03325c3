/* What a fabric is made of: what it costs, draws and breaks with. */
#ifndef STEPSIM_MODEL_FABRIC_PARTS_H
#define STEPSIM_MODEL_FABRIC_PARTS_H

#include "model/fabric/part_counts.h"
#include "model/input/machine.h"

/* Counts NICs, switches and cables of the fabric of a machine. Switches of a tree that use fewer than
 * platform.switch-ports share one, and the cable between two routers counts as often as it has links. A flat fabric has
 * no switches that are known, and those of a torus are in its hosts. */
ss_fabric_parts ss_fabric_parts_of(const ss_machine *machine);

#endif
