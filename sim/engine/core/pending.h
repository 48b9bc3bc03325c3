/* Transfers that have been asked for and have not arrived. */
#ifndef STEPSIM_SIM_ENGINE_CORE_PENDING_H
#define STEPSIM_SIM_ENGINE_CORE_PENDING_H

#include "sim/engine/core/world.h"

/* When the first of them was asked for; the time that it is where there is none. Data-parallel collectives and those
 * between replicas are asked for by the last that takes part. */
double ss_world_asked_since_s(const ss_world *world);

#endif
