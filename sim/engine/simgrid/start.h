/* How a simulation begins. */
#ifndef STEPSIM_SIM_ENGINE_SIMGRID_START_H
#define STEPSIM_SIM_ENGINE_SIMGRID_START_H

#include <stdbool.h>
#include <stdio.h>

#include "model/base/error.h"

/* Sets the simulator up, once in a process: what happens less than `tie_s` apart happens at the same time. Says so on
 * standard error where that is asked for. */
void ss_simgrid_start(double tie_s, bool verbose);

/* A file in memory for a platform, which the simulator wants as a file: no folder need be writable. NULL:
 * SS_ERROR_ENGINE. */
FILE *ss_simgrid_open(ss_error *error);

/* Gives the simulator what has been written to the file, all of it. */
void ss_simgrid_load(FILE *file);

#endif
