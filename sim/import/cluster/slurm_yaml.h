/* topology.yaml of Slurm (from 25.05 on): what a topology.conf says, in YAML, and several topologies in a file. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_SLURM_YAML_H
#define STEPSIM_SIM_IMPORT_CLUSTER_SLURM_YAML_H

#include "sim/import/cluster/slurm.h"

/* Whether a text begins as such a file. */
bool ss_slurm_yaml_is(const char *text);

/* Reads the tree or the blocks of the topology that is the cluster's default, or of the only one, by the manual page
 * topology.yaml(5). What is refused is that of ss_slurm_read, and topologies of other types. SS_ERROR_INPUT with the
 * line, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_slurm_yaml_read(const ss_source *source, ss_slurm *slurm, ss_error *error);

#endif
