/* The parts of a world as nodes of a graph, whose classes are found by colour refinement (sim/engine/setup/fold.h). */
#ifndef STEPSIM_SIM_ENGINE_SETUP_FOLD_GRAPH_H
#define STEPSIM_SIM_ENGINE_SETUP_FOLD_GRAPH_H

#include "sim/engine/headroom/presumption.h"
#include "sim/engine/setup/lanes.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/symmetry.h"

/* Where that few replicas of a stage are told apart, or fewer, it is not worth while to look for less. */
#define SS_FOLD_ENOUGH 4

/* Where flows are of more kinds, it is worth while to presume that fewer suffice. */
#define SS_FOLD_MANY_KINDS 256

/* What it is enough to know of classes: that stage replicas and flows are of more of them than that. Zeroed: all of
 * them are asked for; no flows: those of replicas are enough. */
typedef struct ss_fold_enough {
  int64_t replicas, kinds;
} ss_fold_enough;

/* What nodes of a graph stand for; the nodes of a kind follow one another. */
typedef struct ss_fold_graph {
  ss_world *world;
  ss_links *links;
  ss_headroom *headroom;       /* NULL: no link is spared */
  ss_presumption *presumption; /* NULL: every link tells flows apart */
  ss_graph graph;
  ss_route_owner *owner; /* [owners] that send, none on private links; owned */
  int64_t owners, flows, used_links;
  int64_t aside;   /* first node of what crosses a link of lower ranks: [RANKS - 1][used_links] */
  int64_t meeting; /* first node of the messages that meet on a link: [used_links] */
  int64_t dp_group, expert, tie, flow, link; /* first node of each kind; replicas come first */
  int64_t *first_flow;                       /* [owners + 1] nodes of the flows of each owner, owned */
  bool splits, near;                         /* ports into lanes; flows may be taken for others */
  bool by_groups; /* messages tell no replicas apart: those of an expert group wait for each other in each pass */
  ss_fold_enough enough;
  bool has_enough; /* classes are not all told apart, as there are more than enough */
  ss_lanes lanes;
  bool *only_tight;      /* [links of the fabric] takes part as it might be crowded; NULL where `mark` is; owned */
  int32_t *node_of_link; /* [links of the fabric, then lanes] or -1; owned */
  uint64_t *mark;        /* [flows] by which alone they are told apart; NULL where links do that; owned */
  int32_t *twin;         /* [nodes], owned */
  int32_t *kind;         /* [flows] their classes, counted; NULL: nobody asks; owned */
  int64_t kinds;
} ss_fold_graph;

/* Builds the graph of a world, with links and ports as `f` says (`world` to `presumption`, `splits` to `enough`; the
 * rest zeroed), and finds the classes of its nodes: `twin`. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_fold_graph_find(ss_fold_graph *f);
void ss_fold_graph_free(ss_fold_graph *f);

/* Links of the upper levels are short, or might be, where flows are taken for others. */
static inline bool ss_fold_is_crowded_near(const ss_fold_graph *f)
{
  return f->near && f->headroom != NULL && f->headroom->known_tight->count > 0;
}

/* Whether no link takes part that is no end of the path of a flow. */
bool ss_fold_meets_at_ports(const ss_fold_graph *f);

/* Where GPUs or links differ, most flows do the same in spite of that. */
static inline bool ss_fold_has_slow_parts(const ss_world *world)
{
  const ss_machine *machine = world->job->machine;
  return world->perturbation != NULL || machine->link_speed[0] != '\0' || machine->slow_links != NULL;
}

/* The links of the path of a flow, as it was before the fold. */
static inline const ss_hop *ss_fold_hops(const ss_fold_graph *f, const ss_flow *flow, int64_t *count)
{
  *count = 0;
  return f->links->fabric != NULL ? ss_link_paths_hops(&f->links->paths, flow->path, count) : NULL;
}

/* The class of a flow, by its node, where classes of flows have numbers. */
static inline int32_t ss_fold_kind(const ss_fold_graph *f, int64_t node)
{
  SS_ASSERT(f->kind != NULL);
  return f->kind[node - f->flow];
}

#endif
