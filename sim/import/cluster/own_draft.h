/* What files have said of a cluster so far. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_OWN_DRAFT_H
#define STEPSIM_SIM_IMPORT_CLUSTER_OWN_DRAFT_H

#include "model/fabric/link.h"
#include "model/input/machine.h"
#include "model/input/node.h"
#include "model/input/topology.h"
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

/* Levels of switches that a tree of cables may have. */
enum { SS_OWN_LEVELS = 8 };

/* The fat tree that cables are. Lists are by the level of what is below, 1 for leaves. A switch reaches the u-th one
 * above it through its ports u, u + up, u + 2 up, ... */
typedef struct ss_own_tree {
  int64_t levels;                /* of switches; 0: not said, or cables are none */
  int64_t down[SS_OWN_LEVELS];   /* leaves, or subtrees of a level, in one of the next */
  int64_t up[SS_OWN_LEVELS];     /* switches above each one */
  int64_t cables[SS_OWN_LEVELS]; /* to each of these */
  int64_t wide[SS_OWN_LEVELS];   /* of these cables are one in fact */
} ss_own_tree;

/* What is for a NIC takes the cable of a port of a switch: up from it, or where the NIC is below, down to it. */
typedef struct ss_own_route {
  int64_t level, node, port, nic;
} ss_own_route;

/* What files have said so far. Zeroed is nothing. */
typedef struct ss_own_draft {
  char file[SS_OWN_FILES][SS_PATH_SIZE]; /* the first of each kind; empty: none */
  ss_node node;
  ss_names hosts;   /* nodes, in the order of the machine */
  int64_t *place;   /* [hosts.count] where each is: nodes of a leaf follow one another; owned */
  int64_t places;   /* of the machine, some of which may be empty */
  ss_names job;     /* nodes of a job */
  int64_t of_leaf;  /* places of a leaf, or of a group of leaves with rails; 0: not said */
  int64_t rails;    /* leaves of such a group; 0 or 1: nodes have all NICs on one leaf */
  int64_t nics;     /* of a node on the fabric; 0: not said */
  int64_t levels;   /* of switches; 0: not said */
  ss_own_tree tree; /* of cables */
  int64_t block;    /* nodes of a block of Slurm, which may be a domain; 0: not said */
  double nic_bytes_per_s;
  ss_ib_fabric fabric; /* what cables were said; owned */
  ss_own_route *route; /* [routes] of forwarding tables that are not by destination; owned */
  int64_t routes, route_room;
  char link_speed[SS_LINK_SPEED_SIZE]; /* of cables above leaves that are missing or slow */
  char **note;                         /* [notes] a sentence each; owned */
  int64_t notes;
} ss_own_draft;

/* Adds a note, cut to fit. SS_ERROR_MEMORY. */
ss_status ss_own_note(ss_own_draft *draft, ss_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The fat tree of a draft that has one, of at least so many leaves. Where several cables lead to one switch of the
 * highest level, they are as many switches with one each, since a bundle is shared by who sends
 * (model/fabric/fat_tree.c), unless forwarding tables say how. */
ss_fat_tree ss_own_tree_shape(const ss_own_draft *draft, int64_t leaves);

/* What names of links call a switch of a fat tree. */
void ss_own_switch_name(int64_t level, int64_t node, char name[SS_LINK_NAME_SIZE]);

void ss_own_free(ss_own_draft *draft);

#endif
