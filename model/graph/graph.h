/* An iteration of a rank as a graph: kernels, collectives and messages, and what each waits for. */
#ifndef STEPSIM_MODEL_GRAPH_GRAPH_H
#define STEPSIM_MODEL_GRAPH_GRAPH_H

#include "model/block/task.h"
#include "model/graph/rank_groups.h"

typedef enum ss_graph_kind { SS_GRAPH_KERNEL, SS_GRAPH_COLLECTIVE, SS_GRAPH_SEND, SS_GRAPH_RECEIVE } ss_graph_kind;

enum { SS_GRAPH_NEEDS = 8, SS_NO_NODE = -1 };

/* A node. It needs the output of some before it (`data`), and comes behind others in the order of the rank
 * (`control`). */
typedef struct ss_graph_node {
  int64_t id; /* from 0 on; nodes come in the order of their numbers */
  ss_graph_kind kind;
  ss_activity activity;
  ss_role role;
  ss_pass pass;                      /* where there is a micro-batch */
  int64_t micro_batch, chunk, layer; /* or SS_NO_INDEX */
  double duration_s;                 /* alone, on links of its own */
  double flop, bytes; /* of a kernel; what goes into a collective on this rank, or the size of a message */
  ss_collective collective;
  const ss_rank_group *group; /* of a collective; borrowed */
  int group_kind;             /* its index among the groups of the rank */
  int64_t peer, tag;          /* of a message: the rank on the other side; it is the same on both */
  int64_t data[SS_GRAPH_NEEDS], control[SS_GRAPH_NEEDS];
  int data_count, control_count;
} ss_graph_node;

/* Who hears of nodes, one by one. What it returns ends the walk if it is no SS_OK. */
typedef struct ss_graph_sink {
  void *self;
  ss_status (*take)(void *self, const ss_graph_node *node, ss_error *error);
} ss_graph_sink;

/* Walks through the iteration of a rank, whose groups are given, in the order of its schedule; the job is not
 * estimate_only. Kernels follow one another. A collective beside a kernel comes behind what that comes behind, and what
 * follows waits for both; passes that run in pairs follow one another; what the second memory tier takes is left out.
 * SS_ERROR_MEMORY. */
ss_status ss_graph_walk(const ss_job *job, const ss_rank_groups *groups, const ss_graph_sink *sink, ss_error *error);

#endif
