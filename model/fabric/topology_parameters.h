/* The parameters of a topology as SimGrid's topo_parameters write them, and what they must be for SimGrid to build and
 * route it: it stops the program, or crashes in the first route, where they are not. */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGY_PARAMETERS_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGY_PARAMETERS_H

#include "model/base/error.h"
#include "model/input/topology.h"

#define SS_TOPOLOGY_TEXT_SIZE 1024

/* How they are written, for a message; NULL where the topology has none and as many hosts as are needed. */
const char *ss_topology_form(ss_topology topology);

/* Reads them into the topology of `shape`, which has some. They are to describe `hosts` hosts. SS_ERROR_INPUT, with the
 * problem alone as the message: neither the text nor where it stands. */
ss_status ss_topology_parse(const char *text, int64_t hosts, ss_shape *shape, ss_error *error);

/* Writes them; empty where the topology has none. */
void ss_topology_print(const ss_shape *shape, char text[SS_TOPOLOGY_TEXT_SIZE]);

#endif
