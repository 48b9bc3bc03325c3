/* A fabric that does not exist yet: what is asked of it, and what it is to be. */
#ifndef STEPSIM_MODEL_FABRIC_TOPOLOGY_DESIGN_H
#define STEPSIM_MODEL_FABRIC_TOPOLOGY_DESIGN_H

#include <stdint.h>

#include "model/input/topology.h"

/* The options of `platform` that are about the shape of a fabric, sizes before whole shapes: X(enumerator with a
 * PREFIX, "option", "argument", what it is). A kind of fabric says which of them it takes. */
/* clang-format off */
#define SS_DESIGN_SIZE_LIST(X, PREFIX) \
  X(PREFIX##RADIX, "radix", "N", "Ports of a switch; default 64") \
  X(PREFIX##LEAF, "leaf", "N",                                                                                         \
    "NICs per leaf switch, or per switch of a dragonfly or HyperX; default: half, or a quarter, of its ports")         \
  X(PREFIX##TAPER, "taper", "N", "NICs of a leaf switch per link up; default 1") \
  X(PREFIX##LEVELS, "levels", "N", "Levels of switches; default: as few as suffice")
#define SS_DESIGN_SHAPE_LIST(X, PREFIX) \
  X(PREFIX##TORUS, "torus-dims", "LIST", "Sizes of a torus, such as 8,8,16; default: three of about equal size") \
  X(PREFIX##DRAGONFLY, "dragonfly", "SHAPE", "GROUPS,LINKS;CHASSIS,LINKS;ROUTERS,LINKS;NICS, such as 8,16;1,1;8,4;16")
#define SS_DESIGN_OPTION_LIST(X, PREFIX) SS_DESIGN_SIZE_LIST(X, PREFIX) SS_DESIGN_SHAPE_LIST(X, PREFIX)
/* clang-format on */

typedef enum ss_design_option {
#define SS_DESIGN_OPTION_ID(id, option, argument, help)  id,
#define SS_DESIGN_OPTION_ONE(id, option, argument, help) +1
  SS_DESIGN_OPTION_LIST(SS_DESIGN_OPTION_ID, SS_DESIGN_) SS_DESIGN_OPTIONS,
  SS_DESIGN_SIZES = SS_DESIGN_SIZE_LIST(SS_DESIGN_OPTION_ONE, SS_DESIGN_) /* the first of the shapes */
#undef SS_DESIGN_OPTION_ID
#undef SS_DESIGN_OPTION_ONE
} ss_design_option;

/* A set of options: SS_TAKES(RADIX) | SS_TAKES(LEAF). */
#define SS_TAKES(option) (1u << SS_DESIGN_##option)

/* What is asked for. */
typedef struct ss_topology_request {
  ss_fabric_kind kind;
  int64_t gpus, domain_size, nics_per_domain;
  int64_t size[SS_DESIGN_OPTIONS]; /* 0 where it is to be chosen; 1 for a shape that is given */
  ss_shape shape;                  /* parameters of the shape that is given */
} ss_topology_request;

typedef struct ss_topology_design {
  ss_fabric_kind kind;
  int64_t domains, domain_size, nics_per_domain;
  int64_t nics, hosts;  /* that are needed; that the topology has, some of which may be spare */
  int64_t rail_domains; /* domains whose n-th NICs share a leaf; 0 without rails */
  int64_t radix, taper; /* 0 where they say nothing */
  ss_shape shape;
  const char *link_speed; /* links that are slower than others, as link-speed has them; NULL: none; borrowed */
  const char *routes;     /* path of a file of routes that are not by destination; NULL: none; borrowed */
} ss_topology_design;

#endif
