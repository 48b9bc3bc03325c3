/* The best way to give each of some rows a column of its own. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_ASSIGNMENT_H
#define STEPSIM_SIM_IMPORT_CLUSTER_ASSIGNMENT_H

#include <stdint.h>

#include "model/base/error.h"

/* The largest sum of `value` [count][count], none negative, with one member of each row and each column: the assignment
 * problem, by shortest augmenting paths (Kuhn, "The Hungarian method for the assignment problem", 1955, in the form
 * that takes count^3 steps). SS_ERROR_MEMORY. */
ss_status ss_assignment_best(const int64_t *value, int64_t count, int64_t *sum, ss_error *error);

#endif
