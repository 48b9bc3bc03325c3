/* The shape of a fabric: the topologies of a SimGrid cluster and their parameters. */
#ifndef STEPSIM_MODEL_INPUT_TOPOLOGY_H
#define STEPSIM_MODEL_INPUT_TOPOLOGY_H

#include <stdint.h>

/* X(enumerator, "word of SimGrid", what its topo_parameters say) */
#define SS_TOPOLOGY_LIST(X)                                                                                            \
  X(SS_TOPOLOGY_FLAT, "FLAT", "none")                                                                                  \
  X(SS_TOPOLOGY_FAT_TREE, "FAT_TREE",                                                                                  \
    "LEVELS;DOWN,...;UP,...;LINKS,... with one number per level in each list, such as 2;4,4;1,2;1,1 for 16 hosts")     \
  X(SS_TOPOLOGY_DRAGONFLY, "DRAGONFLY",                                                                                \
    "GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NODES, such as 2,1;2,1;2,1;2 for 16 hosts")                              \
  X(SS_TOPOLOGY_TORUS, "TORUS", "the size of each dimension, such as 4,4 for 16 hosts")

typedef enum ss_topology {
#define SS_TOPOLOGY_ID(id, word, form) id,
  SS_TOPOLOGY_LIST(SS_TOPOLOGY_ID)
#undef SS_TOPOLOGY_ID
      SS_TOPOLOGY_COUNT
} ss_topology;

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

/* Levels of a fat tree and dimensions of a torus, at most. */
#define SS_SHAPE_NUMBERS 32

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

/* All zero: flat, full duplex, without a backbone, which is what a machine has that no file describes. */
typedef struct ss_shape {
  ss_topology topology;
  ss_sharing sharing;
  double backbone_bytes_per_s; /* of the one link that all routes of a flat fabric cross; 0 without */
  union {
    ss_fat_tree tree;
    ss_dragonfly dragonfly;
    ss_torus torus;
  } as; /* by topology; nothing where it is flat */
} ss_shape;

#endif
