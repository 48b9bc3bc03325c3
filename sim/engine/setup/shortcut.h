/* The exact shortcut: which collectives of layers have their links to themselves, so that their computed time holds. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_SHORTCUT_H
#define STEPSIM_SIM_ENGINE_SETUP_SHORTCUT_H

#include "model/fabric/fabric.h"
#include "sim/engine/core/world.h"

/* Fills in world->computed, once the routes are made. `fabric`: the links of the machine; NULL: private links. */
void ss_shortcut_find(ss_world *world, const ss_fabric *fabric);

#endif
