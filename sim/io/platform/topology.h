/* The topology of a cluster in a platform file. */
#ifndef STEPSIM_SIM_IO_PLATFORM_TOPOLOGY_H
#define STEPSIM_SIM_IO_PLATFORM_TOPOLOGY_H

#include "model/input/topology.h"
#include "sim/io/value.h"

/* The words, NULL-terminated. */
extern const char *const ss_topology_words[SS_TOPOLOGY_COUNT + 1];

/* Reads `parameters`, whose text is NULL when they are not given, into the topology of `shape`. They are to describe
 * `hosts` hosts. SS_ERROR_INPUT. */
ss_status ss_topology_read(const ss_value *parameters, int64_t hosts, ss_shape *shape, ss_error *error);

#endif
