/* Link paths: every distinct path of a flow as a list of links, and what the links can carry. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_PATHS_H
#define STEPSIM_SIM_ENGINE_NETWORK_PATHS_H

#include <stdint.h>

#include "model/fabric/fabric.h"
#include "sim/engine/core/network.h"

typedef struct ss_link_path {
  int64_t first; /* of ss_link_paths.hop */
  int64_t count;
} ss_link_path;

/* Zeroed memory has no links and no paths. */
typedef struct ss_link_paths {
  int64_t links, count, capacity, hops, hop_capacity, slots;
  double *bytes_per_s; /* [links], owned */
  ss_link_path *path;  /* [count], owned */
  ss_hop *hop;         /* [hops], owned */
  int32_t *slot;       /* [slots] index of a path + 1, by the hash of its hops; owned */
} ss_link_paths;

/* The links of a fabric, without paths. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_link_paths_init(ss_link_paths *paths, const ss_fabric *fabric);
void ss_link_paths_free(ss_link_paths *paths);

/* The index of a path, which is added when it is new; -1 when memory is out. */
int32_t ss_link_paths_find(ss_link_paths *paths, const ss_hop *hop, int64_t count);

#endif
