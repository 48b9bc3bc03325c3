/* A cluster as the files of its owner describe it: a node, where nodes are on the fabric, and which of them a job has.
 */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_OWN_CLUSTER_H
#define STEPSIM_SIM_IMPORT_CLUSTER_OWN_CLUSTER_H

#include "sim/import/cluster/own_draft.h"

/* The kind of a text, by its content. */
ss_own_file ss_own_file_of(const char *text);

/* Takes a node that a file describes; one that is other than that of a file before is a mixed cluster and refused.
 * SS_ERROR_INPUT. */
ss_status ss_own_take_node(ss_own_draft *draft, const ss_node *node, const char *path, ss_own_file kind,
                           ss_error *error);

/* Takes what a file says that is not of NCCL, whose kind is known. Its text is cut. SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_own_take(ss_own_draft *draft, const ss_source *source, ss_own_file kind, ss_error *error);

/* Puts the nodes of a job in the place of all where no file says more of the cluster. SS_ERROR_MEMORY. */
ss_status ss_own_finish(ss_own_draft *draft, ss_error *error);

#endif
