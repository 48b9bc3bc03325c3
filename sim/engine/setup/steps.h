/* Cuts passes through blocks into steps: runs that go on without a stop, and tasks that wait for flows or for others.
 */
#ifndef STEPSIM_SIM_ENGINE_SETUP_STEPS_H
#define STEPSIM_SIM_ENGINE_SETUP_STEPS_H

#include "sim/engine/core/world.h"

/* Fills in the steps of the world, of its replicas and of whole passes of all stages, once it is known which
 * collectives are computed (shortcut.h). SS_ERROR_MEMORY. Free in any case. */
ss_status ss_steps_init(ss_world *world);
void ss_steps_free(ss_world *world);

#endif
