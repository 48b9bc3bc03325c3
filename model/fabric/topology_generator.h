/* The fabric of a machine that does not exist yet: from a few numbers to a topology of SimGrid, its switches and links.
 */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGY_GENERATOR_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGY_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"
#include "model/input/topology.h"

/* The sizes that may be given, in the order of ss_topology_size: X(enumerator, "option"). */
#define SS_DESIGN_SIZE_LIST(X)                                                                                         \
  X(RADIX, "--radix")                                                                                                  \
  X(LEAF, "--leaf")                                                                                                    \
  X(TAPER, "--taper")                                                                                                  \
  X(LEVELS, "--levels")                                                                                                \
  X(TORUS, "--torus-dims")                                                                                             \
  X(DRAGONFLY, "--dragonfly")

typedef enum ss_topology_size {
#define SS_DESIGN_SIZE_ID(id, option) SS_DESIGN_##id,
  SS_DESIGN_SIZE_LIST(SS_DESIGN_SIZE_ID)
#undef SS_DESIGN_SIZE_ID
      SS_DESIGN_SIZES
} ss_topology_size;

#define SS_TAKES(size)   (1u << SS_DESIGN_##size)
#define SS_TAKES_TREE    (SS_TAKES(RADIX) | SS_TAKES(LEAF) | SS_TAKES(TAPER) | SS_TAKES(LEVELS))
#define SS_TAKES_ROUTERS (SS_TAKES(RADIX) | SS_TAKES(LEAF) | SS_TAKES(TAPER) | SS_TAKES(DRAGONFLY))

/* X(enumerator, "name", topology, sizes that it takes, what it is) */
#define SS_FABRIC_KIND_LIST(X)                                                                                         \
  X(SS_FABRIC_KIND_FLAT, "flat", SS_TOPOLOGY_FLAT, 0, "no switch is ever short of bandwidth")                          \
  X(SS_FABRIC_KIND_FAT_TREE, "fat-tree", SS_TOPOLOGY_FAT_TREE, SS_TAKES_TREE,                                          \
    "neighbouring domains share a leaf switch")                                                                        \
  X(SS_FABRIC_KIND_RAIL, "rail", SS_TOPOLOGY_FAT_TREE, SS_TAKES_TREE,                                                  \
    "a fat tree on which the n-th NICs of domains share a leaf")                                                       \
  X(SS_FABRIC_KIND_DRAGONFLY, "dragonfly", SS_TOPOLOGY_DRAGONFLY, SS_TAKES_ROUTERS,                                    \
    "groups of routers, all linked to all")                                                                            \
  X(SS_FABRIC_KIND_TORUS, "torus", SS_TOPOLOGY_TORUS, SS_TAKES(TORUS), "every NIC is linked to its neighbours")

typedef enum ss_fabric_kind {
#define SS_FABRIC_KIND_ID(id, name, topology, takes, help) id,
  SS_FABRIC_KIND_LIST(SS_FABRIC_KIND_ID)
#undef SS_FABRIC_KIND_ID
      SS_FABRIC_KIND_COUNT
} ss_fabric_kind;

enum { SS_MOST_LEVELS = 6, SS_MOST_DIMENSIONS = 6, SS_RADIX = 64 };

/* GPUs and NICs of a domain, as the properties of a machine have it. */
#define SS_DESIGN_DOMAIN 1000000

/* What is asked for. A size of 0 is to be chosen; of the last two sizes it says whether the shape is given. */
typedef struct ss_topology_request {
  ss_fabric_kind kind;
  int64_t gpus, domain_size, nics_per_domain;
  int64_t size[SS_DESIGN_SIZES];
  ss_torus torus;
  ss_dragonfly dragonfly;
} ss_topology_request;

typedef struct ss_topology_design {
  ss_fabric_kind kind;
  int64_t domains, domain_size, nics_per_domain;
  int64_t nics, hosts;  /* that are needed; that the topology has, some of which may be spare */
  int64_t rail_domains; /* domains whose n-th NICs share a leaf; 0 without rails */
  int64_t radix, taper; /* 0 where they say nothing */
  ss_shape shape;
} ss_topology_design;

/* The fabric called so. */
bool ss_fabric_kind_find(const char *name, ss_fabric_kind *kind);

/* Works the fabric out. A leaf switch of radix R has R/2 NICs and R/2/taper links up; a tree has as few levels as its
 * radix allows, each switch above the leaves has as many links up as down. A dragonfly has R/4 NICs per router, about
 * as many groups as routers in each, and links for evenly spread traffic (divided by the taper). A torus has three
 * dimensions, the longest at most twice the shortest. SS_ERROR_INPUT where what is given does not go together, in the
 * words of the options. */
ss_status ss_topology_generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error);

#define SS_DESIGN_TEXT_SIZE 1024

/* The topo_parameters of SimGrid; empty for a flat fabric. */
void ss_topology_parameters(const ss_topology_design *design, char text[SS_DESIGN_TEXT_SIZE]);

/* Switches of level `level` of a tree, from 0 for the leaves, and cables between them and what is below them. */
int64_t ss_tree_switches(const ss_fat_tree *tree, int64_t level);
int64_t ss_tree_links(const ss_fat_tree *tree, int64_t level);

/* The share of the rate of its NIC that every NIC has, if all send to the other half of the machine: the bisection
 * divided by half of the NICs. Above 1 on a small torus, where a NIC has several links. */
double ss_topology_bisection(const ss_topology_design *design);

/* What it is, in a few sentences. */
void ss_topology_describe(const ss_topology_design *design, char text[SS_DESIGN_TEXT_SIZE]);

#endif
