/* The main loop of a replay, and how it ends. */
#ifndef STEPSIM_SIM_ENGINE_CORE_RUN_H
#define STEPSIM_SIM_ENGINE_CORE_RUN_H

#include "sim/engine/core/world.h"

/* Runs to the end and fills world->result, but for what observers know. SS_ERROR_DEADLOCK with who waits for what;
 * SS_ERROR_BUDGET. */
ss_status ss_world_run(ss_world *world, ss_error *error);

#endif
