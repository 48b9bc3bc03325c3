/* Branches of which only a run takes one. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_BRANCHES_H
#define STEPSIM_SIM_IMPORT_PYTHON_BRANCHES_H

#include "sim/import/python/python.h"

/* What a branch has left behind in a table. */
typedef struct ss_py_left {
  ss_py_table *table;
  const ss_py_value *key;
  ss_py_value *value;
  ss_py_place place;
} ss_py_left;

typedef struct ss_py_branch {
  ss_py_journal journal;
  ss_py_left *left; /* [count] */
  int64_t count;
} ss_py_branch;

/* Begins a branch that may not be taken. */
void ss_py_branch_begin(ss_py *py, ss_py_branch *branch);

/* Ends it: all is as it was before, and `branch` has what it has left behind. */
void ss_py_branch_end(ss_py *py, ss_py_branch *branch);

/* Takes what both have left behind where that is the same. What only one of them gives is taken, and said; what they
 * give different values is not known. `condition` is what decides. */
void ss_py_branches_merge(ss_py *py, const ss_py_branch *one, const ss_py_branch *other, const ss_py_node *condition);

#endif
