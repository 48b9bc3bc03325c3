/* Colour refinement of a graph (Weisfeiler and Leman 1968): the coarsest partition of its nodes in which all nodes of a
 * class see equally many nodes of each class through arcs of each label. Found by looking only where something has
 * changed, as Hopcroft (1971) minimises automata. */
#ifndef STEPSIM_SIM_ENGINE_SETUP_SYMMETRY_H
#define STEPSIM_SIM_ENGINE_SETUP_SYMMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/error.h"

/* What a node sees at the other end of an arc is told apart by labels below this. */
#define SS_GRAPH_LABELS 16

/* Labels that nodes do not see through: of a pair that is joined with one, `b` sees `a`, not `a` sees `b`. With the
 * second one nobody sees `b`, through whatever label, and all that `b` sees are such pairs: it is told apart when all
 * others are. */
#define SS_GRAPH_BLIND 14
#define SS_GRAPH_LAST  12

/* A graph has at most so many nodes, and millions of arcs: one word each. */
#define SS_GRAPH_NODES_MAX ((INT64_C(1) << 28) - 1)

typedef struct ss_arc {
  uint32_t to : 28, label : 4;
} ss_arc;

typedef struct ss_graph {
  int32_t nodes;
  uint64_t *colour; /* [nodes] that they start with; owned */
  ss_arc *arc;      /* those of each node follow one another; NULL: they are only counted; owned */
  int64_t *first;   /* [nodes + 1] where the arcs of each node start, once all are joined; owned */
} ss_graph;

/* A graph without arcs, all nodes of colour 0. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_graph_init(ss_graph *graph, int64_t nodes);
void ss_graph_free(ss_graph *graph);

/* Lets two nodes see each other: `a` sees `b` through `label`, which is even, and `b` sees `a` through `label` + 1.
 * All that are to be joined are joined twice: to be counted, and then, when there is room for them, to be there. */
void ss_graph_join(ss_graph *graph, int64_t a, int64_t b, int label);

/* Makes room for all arcs that were counted. SS_ERROR_MEMORY. */
ss_status ss_graph_make_room(ss_graph *graph);

/* More classes of some nodes than that: of those from `first` up to `end`. */
typedef struct ss_graph_bound {
  int64_t first, end, classes;
} ss_graph_bound;

/* What it is enough to know of a partition: that all of these bounds are exceeded. Zeroed: all of it is asked for. */
#define SS_GRAPH_BOUNDS_MOST 2
typedef struct ss_graph_bounds {
  int count;
  ss_graph_bound bound[SS_GRAPH_BOUNDS_MOST];
} ss_graph_bounds;

/* Finds the partition: twin[v] is the first node of the class of v. Colours are hashes, so the result is then checked
 * arc by arc; should it not hold, every node is alone. As soon as all bounds are exceeded (`exceeded`; there are some),
 * it stops: nodes of different classes differ, those of a class may, too. SS_ERROR_MEMORY. */
ss_status ss_graph_refine(const ss_graph *graph, const ss_graph_bounds *bounds, int32_t *twin, bool *exceeded);

#endif
