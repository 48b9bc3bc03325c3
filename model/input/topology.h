/* The shape of a fabric: the topologies of a SimGrid cluster, those of stepsim alone, and their parameters. */
#ifndef STEPSIM_MODEL_INPUT_TOPOLOGY_H
#define STEPSIM_MODEL_INPUT_TOPOLOGY_H

#include <stdint.h>

/* X(enumerator, "word in a platform file", name): NAME stands for the parameters ss_NAME, which are the member NAME of
 * ss_shape, and for the methods ss_NAME_topology in model/fabric/NAME.c. */
#define SS_TOPOLOGY_LIST(X)                                                                                            \
  X(SS_TOPOLOGY_FLAT, "FLAT", flat)                                                                                    \
  X(SS_TOPOLOGY_FAT_TREE, "FAT_TREE", fat_tree)                                                                        \
  X(SS_TOPOLOGY_DRAGONFLY, "DRAGONFLY", dragonfly)                                                                     \
  X(SS_TOPOLOGY_TORUS, "TORUS", torus)                                                                                 \
  X(SS_TOPOLOGY_HYPERX, "HYPERX", hyperx)

typedef enum ss_topology {
#define SS_TOPOLOGY_ID(id, word, name) id,
  SS_TOPOLOGY_LIST(SS_TOPOLOGY_ID)
#undef SS_TOPOLOGY_ID
      SS_TOPOLOGY_COUNT
} ss_topology;

/* The fabrics that `platform --fabric` makes, each on one of the topologies: X(enumerator, "word", name, what it is).
 * NAME stands for the methods ss_NAME_fabric, in the file of the topology or one of its own. */
#define SS_FABRIC_KIND_LIST(X)                                                                                         \
  X(SS_FABRIC_KIND_FLAT, "flat", flat, "switches never limit bandwidth")                                               \
  X(SS_FABRIC_KIND_FAT_TREE, "fat-tree", fat_tree, "neighbouring domains share a leaf switch")                         \
  X(SS_FABRIC_KIND_RAIL, "rail", rail, "a fat tree in which the n-th NICs of several domains share a leaf switch")     \
  X(SS_FABRIC_KIND_DRAGONFLY, "dragonfly", dragonfly, "groups of routers, each group linked to all others")            \
  X(SS_FABRIC_KIND_TORUS, "torus", torus, "every NIC is linked to its neighbours")                                     \
  X(SS_FABRIC_KIND_HYPERX, "hyperx", hyperx, "a grid of switches, each linked to all of its row and of its column")

typedef enum ss_fabric_kind {
#define SS_FABRIC_KIND_ID(id, word, name, help) id,
  SS_FABRIC_KIND_LIST(SS_FABRIC_KIND_ID)
#undef SS_FABRIC_KIND_ID
      SS_FABRIC_KIND_COUNT
} ss_fabric_kind;

/* What a cable is: X(enumerator, "word of SimGrid"). Two links, one for each direction, or one link that both share.
 * SimGrid 3.32 lays out FATPIPE like SHARED. */
#define SS_SHARING_LIST(X)                                                                                             \
  X(SS_SHARING_SPLITDUPLEX, "SPLITDUPLEX")                                                                             \
  X(SS_SHARING_SHARED, "SHARED")                                                                                       \
  X(SS_SHARING_FATPIPE, "FATPIPE")

typedef enum ss_sharing {
#define SS_SHARING_ID(id, word) id,
  SS_SHARING_LIST(SS_SHARING_ID)
#undef SS_SHARING_ID
      SS_SHARING_COUNT
} ss_sharing;

/* Hosts of a cluster and links of its topology: far above any machine, and still within a computer's memory. */
#define SS_CLUSTER_HOSTS 1048576
#define SS_CLUSTER_LINKS 4194304

/* Numbers in a list of parameters, at most: levels of a fat tree, dimensions of a torus. */
#define SS_SHAPE_NUMBERS 32

typedef struct ss_flat {
  double backbone_bytes_per_s; /* of the one link that all routes cross; 0 without */
} ss_flat;

/* The first level is the one next to the hosts. */
typedef struct ss_fat_tree {
  int64_t levels;
  int64_t down[SS_SHAPE_NUMBERS];  /* children of a switch of this level */
  int64_t up[SS_SHAPE_NUMBERS];    /* switches of this level above each node of the one below */
  int64_t links[SS_SHAPE_NUMBERS]; /* parallel cables between the two */
} ss_fat_tree;

/* Routers of a chassis are all linked, so are routers at the same place of the chassis of a group, and groups are.
 * Between two routers there is one cable with the bandwidth of so many links. */
typedef struct ss_dragonfly {
  int64_t groups, group_links;
  int64_t chassis, chassis_links; /* of a group */
  int64_t routers, router_links;  /* of a chassis */
  int64_t nodes;                  /* hosts of a router */
} ss_dragonfly;

typedef struct ss_torus {
  int64_t dimensions;
  int64_t size[SS_SHAPE_NUMBERS];
} ss_torus;

/* A grid of switches, each linked to all others of its row and of its column. Between two there is one cable with the
 * bandwidth of so many links. */
typedef struct ss_hyperx {
  int64_t rows, columns;
  int64_t links;
  int64_t nodes; /* hosts of a switch */
} ss_hyperx;

/* All zero: flat, full duplex, without a backbone, which is what a machine has that no file describes. */
typedef struct ss_shape {
  ss_topology topology;
  ss_sharing sharing;
  union {
#define SS_TOPOLOGY_MEMBER(id, word, name) ss_##name name;
    SS_TOPOLOGY_LIST(SS_TOPOLOGY_MEMBER)
#undef SS_TOPOLOGY_MEMBER
  } as; /* by topology */
} ss_shape;

#endif
