/* Replicas that meet for exchanges, where only the time of an iteration is asked for, on private links: the rest of a
 * pass, of a whole group at once. */
#ifndef STEPSIM_SIM_ENGINE_CORE_SIDE_BY_SIDE_H
#define STEPSIM_SIM_ENGINE_CORE_SIDE_BY_SIDE_H

#include "sim/engine/core/calls.h"

/* All replicas of a group have come to a collective. If all that is left of their pass are such collectives and runs
 * that each of them draws, they go through it, and wait for its end; false where they have to go step by step. */
bool ss_group_goes_through(ss_transfer *transfer);

#endif
