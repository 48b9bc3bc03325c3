/* The matrix that nvidia-smi topo -m prints. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_NODE_MATRIX_H
#define STEPSIM_SIM_IMPORT_CLUSTER_NODE_MATRIX_H

#include "model/input/node.h"
#include "sim/import/files/printed.h"

/* Whether a text has such a matrix. */
bool ss_node_matrix_is(const char *text);

/* Reads it: GPUs, the NVLinks of each, and NICs, those behind the PCIe switches of GPUs where there are any. GPUs that
 * differ in their links, or some that NVLink does not join, are refused. SS_ERROR_INPUT with the line. */
ss_status ss_node_matrix_read(const ss_source *source, ss_node *node, ss_error *error);

#endif
