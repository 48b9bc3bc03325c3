/* The fat tree: counts of its switches and cables. */
#ifndef STEPSIM_MODEL_FABRIC_FAT_TREE_H
#define STEPSIM_MODEL_FABRIC_FAT_TREE_H

#include "model/input/topology.h"

/* Switches of level `level` of a tree, from 0 for the leaves, and cables between them and what is below them. */
int64_t ss_fat_tree_switches(const ss_fat_tree *tree, int64_t level);
int64_t ss_fat_tree_cables(const ss_fat_tree *tree, int64_t level);

#endif
