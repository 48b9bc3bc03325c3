/* A SimGrid platform of just the links and ways that a job uses, whole or folded. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_FILE_H
#define STEPSIM_SIM_ENGINE_NETWORK_FILE_H

#include <stdio.h>

#include "sim/engine/ways.h"

/* Hosts of the platform: way w leads from host w / (hosts - 1) to one of the others. */
int64_t ss_network_hosts(const ss_ways *ways);

/* The hosts at the two ends of a way. */
typedef struct ss_ends {
  int64_t from, to;
} ss_ends;

ss_ends ss_network_ends(const ss_ways *ways, int32_t way);

/* Writes the platform; bandwidths in `units_per_byte` of a byte a second. SS_ERROR_OUTPUT, SS_ERROR_MEMORY. */
ss_status ss_network_write(const ss_ways *ways, double units_per_byte, FILE *file);

#endif
