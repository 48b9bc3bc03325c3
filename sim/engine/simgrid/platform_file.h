/* A SimGrid platform of just the links and paths that a job uses, whole or folded. */
#ifndef STEPSIM_SIM_ENGINE_SIMGRID_PLATFORM_FILE_H
#define STEPSIM_SIM_ENGINE_SIMGRID_PLATFORM_FILE_H

#include <stdio.h>

#include "sim/engine/network/paths.h"

/* How many hosts the platform has: path w leads from host w / (hosts - 1) to one of the others. */
int64_t ss_simgrid_hosts(const ss_link_paths *paths);

/* The hosts at the two ends of a path. */
typedef struct ss_ends {
  int64_t from, to;
} ss_ends;

ss_ends ss_simgrid_ends(const ss_link_paths *paths, int32_t path);

/* Writes the platform; bandwidths in `units_per_byte` of a byte a second. SS_ERROR_OUTPUT, SS_ERROR_MEMORY. */
ss_status ss_simgrid_write(const ss_link_paths *paths, double units_per_byte, FILE *file);

#endif
