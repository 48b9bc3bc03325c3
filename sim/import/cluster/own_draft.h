/* What files have said of a cluster so far. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_OWN_DRAFT_H
#define STEPSIM_SIM_IMPORT_CLUSTER_OWN_DRAFT_H

#include "model/input/machine.h"
#include "model/input/node.h"
#include "sim/import/cluster/ib_fabric.h"

/* Kinds of files: X(enumerator, "what one is"). */
#define SS_OWN_FILE_LIST(X)                                                                                            \
  X(SS_OWN_NCCL, "a topology of NCCL (XML)")                                                                           \
  X(SS_OWN_MATRIX, "the output of nvidia-smi topo -m")                                                                 \
  X(SS_OWN_IB, "the output of ibnetdiscover")                                                                          \
  X(SS_OWN_TABLES, "forwarding tables of InfiniBand")                                                                  \
  X(SS_OWN_SLURM, "topology.conf or topology.yaml of Slurm")                                                           \
  X(SS_OWN_HOSTS, "a list of hosts")

typedef enum ss_own_file {
#define SS_OWN_FILE_ID(id, text) id,
  SS_OWN_FILE_LIST(SS_OWN_FILE_ID)
#undef SS_OWN_FILE_ID
      SS_OWN_FILES
} ss_own_file;

const char *ss_own_file_text(ss_own_file kind);

/* What files have said so far. Zeroed is nothing. */
typedef struct ss_own_draft {
  char file[SS_OWN_FILES][SS_PATH_SIZE]; /* the first of each kind; empty: none */
  ss_node node;
  ss_names hosts;       /* nodes, in the order of the machine */
  int64_t *place;       /* [hosts.count] where each is: nodes of a leaf follow one another; owned */
  int64_t places;       /* of the machine, some of which may be empty */
  ss_names job;         /* nodes of a job */
  int64_t of_leaf;      /* places of a leaf, or of a group of leaves with rails; 0: not said */
  int64_t rails;        /* leaves of such a group; 0 or 1: nodes have all NICs on one leaf */
  int64_t nics;         /* of a node on the fabric; 0: not said */
  int64_t levels;       /* of switches; 0: not said */
  int64_t tops, cables; /* above a leaf: switches, and cables to each; 0: not said */
  int64_t block;        /* nodes of a block of Slurm, which may be a domain; 0: not said */
  double nic_bytes_per_s;
  ss_ib_fabric fabric;                 /* what cables were said; owned */
  char link_speed[SS_LINK_SPEED_SIZE]; /* of cables above leaves that are missing or slow */
  char **note;                         /* [notes] a sentence each; owned */
  int64_t notes;
} ss_own_draft;

/* Adds a note, cut to fit. SS_ERROR_MEMORY. */
ss_status ss_own_note(ss_own_draft *draft, ss_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void ss_own_free(ss_own_draft *draft);

#endif
