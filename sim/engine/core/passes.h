/* A stage replica works through the passes of its schedule, block by block; each phase either goes on or waits. */
#ifndef STEPSIM_SIM_ENGINE_CORE_PASSES_H
#define STEPSIM_SIM_ENGINE_CORE_PASSES_H

#include "sim/engine/core/stage_replica.h"

/* Starts the iteration of a replica: it goes on until it has to wait. */
void ss_replica_start(ss_world *world, ss_stage_replica *replica);

/* Lets a replica go on until it has to wait again, if what it waits for has happened. */
void ss_replica_resume(ss_world *world, ss_stage_replica *replica);

#endif
