/* Link paths: every distinct path of a flow as a list of links, and what the links can carry. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_PATHS_H
#define STEPSIM_SIM_ENGINE_NETWORK_PATHS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/fabric/fabric.h"
#include "sim/engine/core/network.h"
#include "sim/engine/network/lists.h"

/* Zeroed memory has no links and no paths. */
typedef struct ss_link_paths {
  int64_t links;
  double *bytes_per_s; /* [links], owned */
  ss_lists hops;       /* of each path: ss_hop */
} ss_link_paths;

/* The links of a fabric, without paths. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_link_paths_init(ss_link_paths *paths, const ss_fabric *fabric);
void ss_link_paths_free(ss_link_paths *paths);

/* Adds two lanes for each of these links, which are as fast as the link itself: the numbers of those of the first are
 * the next two after the links so far, and so on. SS_ERROR_MEMORY. */
ss_status ss_link_paths_add_lanes(ss_link_paths *paths, const int32_t *link, int64_t count);

/* The same paths, by the same indices, over links that are numbered in the order in which paths cross them, without
 * those that none crosses, and `without` [links] those that are marked (NULL: none is): what is kept of links lies
 * close together then, and that of a path mostly in one place. No paths are added to them. SS_ERROR_MEMORY. Free in any
 * case.
 */
ss_status ss_link_paths_narrow(const ss_link_paths *paths, const bool *without, ss_link_paths *narrow);

/* The index of a path, which is added when it is new; -1 when memory is out. */
int32_t ss_link_paths_find(ss_link_paths *paths, const ss_hop *hop, int64_t count);

/* The links of a path. */
static inline const ss_hop *ss_link_paths_hops(const ss_link_paths *paths, int32_t path, int64_t *count)
{
  return (const ss_hop *)ss_lists_items(&paths->hops, path, count);
}

/* The rate of a flow that has a path to itself, in bytes/s: the least that a link of it can carry. */
static inline double ss_link_paths_alone_bytes_per_s(const ss_link_paths *paths, int32_t path)
{
  int64_t count;
  const ss_hop *hop = ss_link_paths_hops(paths, path, &count);
  double least = INFINITY;
  for (int64_t i = 0; i < count; ++i) least = fmin(least, paths->bytes_per_s[hop[i].link] / (double)hop[i].alike);
  return least;
}

#endif
