/* topology.conf and topology.yaml of Slurm: which nodes are below which switches, or in which blocks. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_SLURM_H
#define STEPSIM_SIM_IMPORT_CLUSTER_SLURM_H

#include "sim/import/cluster/names.h"

/* A switch or a block with nodes. */
typedef struct ss_slurm_group {
  char name[SS_HOST_SIZE];
  ss_names nodes;    /* empty for a switch of switches */
  ss_names switches; /* below it */
  int64_t parent;    /* index; -1: none */
  int line;
} ss_slurm_group;

typedef struct ss_slurm {
  ss_slurm_group *group; /* [count] owned */
  int64_t count;
  bool is_blocks;
  int64_t levels;   /* of switches; 1 of blocks */
  int64_t names;    /* of all lists together */
  int64_t left_out; /* topologies of a topology.yaml that has several */
  bool has_speeds;  /* of links, which Slurm has no unit and no use for */
  bool has_sizes;   /* of blocks, that jobs may ask for */
} ss_slurm;

/* Adds a switch or a block, which is the last one then; its line is that of `printed`. SS_ERROR_INPUT for a name that
 * is there already, SS_ERROR_MEMORY. */
ss_status ss_slurm_add(ss_slurm *slurm, const ss_printed *printed, bool block, const char *name, ss_error *error);

/* Adds a list of nodes, or of switches below, to the switch or block that was added last. SS_ERROR_INPUT with the line,
 * also for more names than a file may have; SS_ERROR_MEMORY. */
ss_status ss_slurm_add_names(ss_slurm *slurm, const ss_printed *printed, bool nodes, const char *list, ss_error *error);

/* Links switches to those above them, and counts their levels. SS_ERROR_INPUT as ss_slurm_read. */
ss_status ss_slurm_link(ss_slurm *slurm, const ss_source *source, ss_error *error);

/* Whether a text has a line of such a file. */
bool ss_slurm_is(const char *text);

/* Reads the file: parameters that are unknown, switches that are named and not there, nodes in two places, and trees
 * whose leaves are not all as deep are refused. SS_ERROR_INPUT with the line, SS_ERROR_MEMORY. Release in any case. */
ss_status ss_slurm_read(const ss_source *source, ss_slurm *slurm, ss_error *error);
void ss_slurm_free(ss_slurm *slurm);

#endif
