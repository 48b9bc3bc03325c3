/* The fabric of a machine that does not exist yet: from a few numbers to a topology of SimGrid, its switches and links.
 */
#ifndef STEPSIM_MODEL_BLUEPRINT_H
#define STEPSIM_MODEL_BLUEPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/error.h"
#include "model/topology.h"

/* The sizes that may be given, in the order of ss_blueprint_size: X(enumerator, "option"). */
#define SS_BLUEPRINT_SIZE_LIST(X)                                                                                      \
  X(RADIX, "--radix")                                                                                                  \
  X(LEAF, "--leaf")                                                                                                    \
  X(TAPER, "--taper")                                                                                                  \
  X(LEVELS, "--levels")                                                                                                \
  X(TORUS, "--torus-dims")                                                                                             \
  X(DRAGONFLY, "--dragonfly")

typedef enum ss_blueprint_size {
#define SS_BLUEPRINT_SIZE_ID(id, option) SS_BLUEPRINT_##id,
  SS_BLUEPRINT_SIZE_LIST(SS_BLUEPRINT_SIZE_ID)
#undef SS_BLUEPRINT_SIZE_ID
      SS_BLUEPRINT_SIZES
} ss_blueprint_size;

#define SS_TAKES(size)   (1u << SS_BLUEPRINT_##size)
#define SS_TAKES_TREE    (SS_TAKES(RADIX) | SS_TAKES(LEAF) | SS_TAKES(TAPER) | SS_TAKES(LEVELS))
#define SS_TAKES_ROUTERS (SS_TAKES(RADIX) | SS_TAKES(LEAF) | SS_TAKES(TAPER) | SS_TAKES(DRAGONFLY))

/* X(enumerator, "name", topology, sizes that it takes, what it is) */
#define SS_WIRING_LIST(X)                                                                                              \
  X(SS_WIRING_FLAT, "flat", SS_TOPOLOGY_FLAT, 0, "no switch is ever short of bandwidth")                               \
  X(SS_WIRING_FAT_TREE, "fat-tree", SS_TOPOLOGY_FAT_TREE, SS_TAKES_TREE, "neighbouring domains share a leaf switch")   \
  X(SS_WIRING_RAIL, "rail", SS_TOPOLOGY_FAT_TREE, SS_TAKES_TREE,                                                       \
    "a fat tree on which the n-th NICs of domains share a leaf")                                                       \
  X(SS_WIRING_DRAGONFLY, "dragonfly", SS_TOPOLOGY_DRAGONFLY, SS_TAKES_ROUTERS, "groups of routers, all linked to all") \
  X(SS_WIRING_TORUS, "torus", SS_TOPOLOGY_TORUS, SS_TAKES(TORUS), "every NIC is linked to its neighbours")

typedef enum ss_wiring {
#define SS_WIRING_ID(id, name, topology, takes, help) id,
  SS_WIRING_LIST(SS_WIRING_ID)
#undef SS_WIRING_ID
      SS_WIRING_COUNT
} ss_wiring;

enum { SS_MOST_LEVELS = 6, SS_MOST_DIMENSIONS = 6, SS_RADIX = 64 };

/* GPUs and NICs of a domain, as the properties of a machine have it. */
#define SS_BLUEPRINT_DOMAIN 1000000

/* What is asked for. A size of 0 is to be chosen; of the last two sizes it says whether the shape is given. */
typedef struct ss_blueprint_request {
  ss_wiring wiring;
  int64_t gpus, domain_size, nics_per_domain;
  int64_t size[SS_BLUEPRINT_SIZES];
  ss_torus torus;
  ss_dragonfly dragonfly;
} ss_blueprint_request;

typedef struct ss_blueprint {
  ss_wiring wiring;
  int64_t domains, domain_size, nics_per_domain;
  int64_t nics, hosts;  /* that are needed; that the topology has, some of which may be spare */
  int64_t rail_domains; /* domains whose n-th NICs share a leaf; 0 without rails */
  int64_t radix, taper; /* 0 where they say nothing */
  ss_shape shape;
} ss_blueprint;

/* The fabric called so. */
bool ss_wiring_find(const char *name, ss_wiring *wiring);

/* Works the fabric out. A leaf switch of radix R has R/2 NICs and R/2/taper links up; a tree has as few levels as its
 * radix allows, each switch above the leaves has as many links up as down. A dragonfly has R/4 NICs per router, about
 * as many groups as routers in each, and links for evenly spread traffic (divided by the taper). A torus has three
 * dimensions, the longest at most twice the shortest. SS_ERROR_INPUT where what is given does not go together, in the
 * words of the options. */
ss_status ss_blueprint_draw(const ss_blueprint_request *request, ss_blueprint *blueprint, ss_error *error);

#define SS_BLUEPRINT_TEXT_SIZE 1024

/* The topo_parameters of SimGrid; empty for a flat fabric. */
void ss_blueprint_parameters(const ss_blueprint *blueprint, char text[SS_BLUEPRINT_TEXT_SIZE]);

/* Switches of level `level` of a tree, from 0 for the leaves, and cables between them and what is below them. */
int64_t ss_tree_switches(const ss_fat_tree *tree, int64_t level);
int64_t ss_tree_links(const ss_fat_tree *tree, int64_t level);

/* The share of the rate of its NIC that every NIC has, if all send to the other half of the machine: the bisection
 * divided by half of the NICs. Above 1 on a small torus, where a NIC has several links. */
double ss_blueprint_bisection(const ss_blueprint *blueprint);

/* What it is, in a few sentences. */
void ss_blueprint_describe(const ss_blueprint *blueprint, char text[SS_BLUEPRINT_TEXT_SIZE]);

#endif
