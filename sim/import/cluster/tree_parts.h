/* What the switches of a fabric would be in a fat tree: below which switches they are, and which of them share those
 * above. */
#ifndef STEPSIM_SIM_IMPORT_CLUSTER_TREE_PARTS_H
#define STEPSIM_SIM_IMPORT_CLUSTER_TREE_PARTS_H

#include "sim/import/cluster/ib_fabric.h"
#include "sim/import/cluster/own_draft.h"

/* Switches are those that leaves with a number, and what is above them, are linked to; others have level 0 here. A
 * subtree of level m is what cables join of the switches up to this level, the one of the highest level all there is. A
 * plane of level m is what cables join of the switches of levels m and m - 1. Both are called by one of their
 * switches. */
typedef struct ss_tree_parts {
  const ss_ib_fabric *fabric; /* borrowed */
  int64_t levels, switches;
  int64_t *level;   /* [switches] owned */
  int64_t *cable;   /* [cables] links from a switch to one a level higher: by both, the fastest first; owned */
  int64_t *first;   /* [switches + 1] the first cable of each; owned */
  int64_t *subtree; /* [levels + 1][switches] of each level; -1: in none; owned */
  int64_t *plane;   /* [levels + 1][switches] of each level from 2 on; -1: in none; owned */
  int64_t cables;
  int64_t leaves_left_out; /* leaves without NICs, which are linked to what is above the others; of level 0 here */
} ss_tree_parts;

/* Finds the parts of a fabric, with the levels that are above its leaves. False without memory. Free in any case. */
bool ss_tree_parts_make(ss_tree_parts *parts, const ss_ib_fabric *fabric);
void ss_tree_parts_free(ss_tree_parts *parts);

static inline int64_t ss_tree_subtree(const ss_tree_parts *parts, int64_t level, int64_t at)
{
  return parts->subtree[level * parts->switches + at];
}

static inline int64_t ss_tree_plane(const ss_tree_parts *parts, int64_t level, int64_t at)
{
  return parts->plane[level * parts->switches + at];
}

/* Sets what subtrees and planes have most of, at the levels of the tree: `down`, subtrees of a level in one of the
 * next, and `up`, switches of the next level in a plane, each of which a switch of a full tree has above it. False
 * without memory. */
bool ss_tree_parts_count(const ss_tree_parts *parts, ss_own_tree *tree);

#endif
