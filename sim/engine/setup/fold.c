#include "sim/engine/setup/fold.h"

#include <stdlib.h>

#include "sim/engine/network/mix.h"
#include "sim/engine/setup/lanes.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/shown.h"
#include "sim/engine/setup/symmetry.h"

/* Labels of arcs come in pairs: there and back. */
enum {
  LABEL_HAS_FLOW = 0,
  LABEL_CROSSES = 2,
  LABEL_MEETS = 4, /* a replica its expert-parallel group */
  LABEL_SENDS = 6, /* one pair for each side */
  LABEL_TIES = LABEL_SENDS + 2 * SS_SIDES,
};

/* Where that few replicas of a stage are told apart, or fewer, it is not worth while to look for less. */
#define ENOUGH 4

/* What nodes of a graph stand for; the nodes of a kind follow one another. */
typedef struct fold {
  ss_world *world;
  ss_links *links;
  ss_headroom *headroom; /* NULL: no link is spared */
  ss_graph graph;
  ss_route_owner *owner; /* [owners] that send; owned */
  int64_t owners, flows, used_links;
  int64_t dp_group, expert, tie, flow, link; /* first node of each kind; replicas come first */
  int64_t *first_flow;                       /* [owners + 1] nodes of the flows of each owner, owned */
  bool splits;                               /* ports into lanes */
  ss_lanes lanes;
  int32_t *node_of_link; /* [links of the fabric, then lanes] or -1; owned */
  int32_t *twin;         /* [nodes], owned */
  int32_t *kind;         /* [flows] their classes, counted; NULL: nobody asks; owned */
  int64_t kinds;
} fold;

static int64_t node_of_owner(const fold *f, const ss_route_owner *owner)
{
  switch (owner->kind) {
  case SS_TRANSFER_CALL:
  case SS_TRANSFER_MESSAGE: return owner->index;
  case SS_TRANSFER_DATA: return f->dp_group + owner->index;
  case SS_TRANSFER_EXPERT: return f->expert + owner->index;
  case SS_TRANSFER_TIED: return f->tie + owner->index;
  }
  return 0;
}

static ss_status list_owners(fold *f)
{
  const ss_world *world = f->world;
  f->owner = malloc((size_t)(ss_routes_list(world, NULL) + 1) * sizeof *f->owner);
  if (f->owner == NULL) return SS_ERROR_MEMORY;
  const int64_t all = ss_routes_list(world, f->owner);
  f->first_flow = malloc((size_t)(all + 1) * sizeof *f->first_flow);
  if (f->first_flow == NULL) return SS_ERROR_MEMORY;
  f->dp_group = world->replica_count;
  f->expert = f->dp_group + world->job->stages * world->shards;
  f->tie = f->expert + world->job->stages * world->expert_groups;
  f->flow = f->tie + world->ties;
  f->first_flow[0] = f->link = f->flow;
  for (int64_t i = 0; i < all; ++i) {
    if (!ss_route_owner_sends(world, &f->owner[i])) continue;
    f->owner[f->owners] = f->owner[i];
    f->link += f->owner[f->owners++].route->count;
    f->first_flow[f->owners] = f->link;
  }
  f->flows = f->link - f->flow;
  return SS_OK;
}

static const ss_hop *hops_of(const fold *f, const ss_flow *flow, int64_t *count)
{
  *count = 0;
  return f->links->fabric != NULL ? ss_link_paths_hops(&f->links->paths, flow->path, count) : NULL;
}

/* Numbers the links that are crossed and take part, in their order: the first of a class stands for it, here as
 * elsewhere. */
static ss_status list_links(fold *f)
{
  const ss_link_paths *paths = &f->links->paths;
  const ss_hop *hop = paths->hops.item;
  f->node_of_link = malloc((size_t)(paths->links + 1) * sizeof *f->node_of_link);
  if (f->node_of_link == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < paths->links; ++link) f->node_of_link[link] = -1;
  for (int64_t i = 0; i < paths->hops.items; ++i)
    if (!ss_lanes_spares(&f->lanes, hop[i].link)) f->node_of_link[hop[i].link] = 0;
  for (int64_t lane = f->lanes.links; lane < paths->links; ++lane) f->node_of_link[lane] = 0;
  for (int64_t link = 0; link < paths->links; ++link)
    if (f->node_of_link[link] == 0) f->node_of_link[link] = (int32_t)(f->link + f->used_links++);
  return SS_OK;
}

static uint64_t flow_colour(const ss_route_owner *owner, const ss_flow *flow)
{
  const ss_route *route = owner->route;
  uint64_t colour = ss_mix((uint64_t)owner->kind + 16, (uint64_t)owner->use);
  colour = ss_mix(colour, (uint64_t)route->span.size);
  colour = ss_mix(colour, (uint64_t)route->span.domains);
  colour = ss_mix(colour, (uint64_t)route->span.per_domain + ((uint64_t)route->span.axes << 32));
  colour = ss_mix(colour, 2 * (uint64_t)flow->phase + flow->fabric);
  return ss_mix_real(colour, flow->share);
}

/* Stages have work of their own, and GPUs may have their pace. */
static void paint(fold *f)
{
  const ss_world *world = f->world;
  uint64_t *colour = f->graph.colour;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    const ss_stage_replica *replica = &world->replica[i];
    colour[i] = ss_mix(1, (uint64_t)replica->stage);
    if (world->perturbation != NULL)
      colour[i] =
          ss_mix(colour[i], ss_perturbation_colour(world->perturbation, replica->dp, ss_replica_gpus(world, replica)));
  }
  for (int64_t i = f->dp_group; i < f->expert; ++i)
    colour[i] = ss_mix(2, (uint64_t)((i - f->dp_group) / world->shards));
  for (int64_t i = f->tie; i < f->flow; ++i) colour[i] = ss_mix(5, 0);
  for (int64_t i = f->expert; i < f->tie; ++i)
    colour[i] = ss_mix(3, (uint64_t)((i - f->expert) / world->expert_groups));
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e)
      colour[f->first_flow[i] + e] = flow_colour(&f->owner[i], &f->owner[i].route->flow[e]);
  for (int64_t link = 0; link < f->links->paths.links; ++link)
    if (f->node_of_link[link] >= 0)
      colour[f->node_of_link[link]] =
          ss_mix(ss_links_kind(f->links, ss_lanes_link(&f->lanes, link)), link >= f->lanes.links);
}

static ss_status join_flow(fold *f, int64_t node, const ss_route_owner *owner, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = hops_of(f, flow, &count);
  ss_status status = SS_OK;
  for (int64_t h = 0; status == SS_OK && h < count; ++h) {
    const int32_t link = f->node_of_link[ss_lanes_crossed(&f->lanes, owner, hop[h].link)];
    if (link >= 0) status = ss_graph_join(&f->graph, node, link, LABEL_CROSSES);
  }
  return status;
}

static ss_status join_flows(fold *f)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; status == SS_OK && e < f->owner[i].route->count; ++e) {
      const int64_t node = f->first_flow[i] + e;
      status = ss_graph_join(&f->graph, node_of_owner(f, &f->owner[i]), node, LABEL_HAS_FLOW);
      if (status == SS_OK) status = join_flow(f, node, &f->owner[i], &f->owner[i].route->flow[e]);
    }
  return status;
}

static ss_status join_replica(fold *f, int64_t index)
{
  const ss_world *world = f->world;
  const ss_stage_replica *replica = &world->replica[index];
  ss_status status = SS_OK;
  for (int64_t chunk = 0; status == SS_OK && chunk < world->job->chunks; ++chunk)
    for (int side = 0; status == SS_OK && side < SS_SIDES; ++side) {
      ss_chunk to;
      if (ss_job_receiver(world->job, (ss_chunk){replica->stage, chunk}, (ss_pass)side, &to) &&
          to.stage != replica->stage)
        status = ss_graph_join(&f->graph, index, to.stage * world->job->replicas + replica->dp, LABEL_SENDS + 2 * side);
    }
  if (status == SS_OK && world->expert_groups > 0)
    status = ss_graph_join(&f->graph, index,
                           f->expert + (ss_world_expert_group(world, replica->stage, replica->dp) - world->expert),
                           LABEL_MEETS);
  if (status == SS_OK && ss_job_ties(world->job, replica->stage))
    status = ss_graph_join(&f->graph, index, f->tie + replica->dp, LABEL_TIES);
  return status;
}

static ss_status build(fold *f)
{
  ss_status status = list_owners(f);
  const ss_crowded_links *crowded = f->headroom != NULL ? f->headroom->crowded : NULL;
  if (status == SS_OK) status = ss_lanes_init(&f->lanes, f->links, crowded);
  if (status == SS_OK && f->splits) status = ss_lanes_split(&f->lanes, f->links, crowded, f->owner, f->owners);
  if (status == SS_OK) status = list_links(f);
  if (status == SS_OK) status = ss_graph_init(&f->graph, f->link + f->used_links);
  if (status != SS_OK) return status;
  paint(f);
  f->twin = malloc((size_t)(f->graph.nodes + 1) * sizeof *f->twin);
  status = f->twin != NULL ? join_flows(f) : SS_ERROR_MEMORY;
  for (int64_t i = 0; status == SS_OK && i < f->world->replica_count; ++i) status = join_replica(f, i);
  return status;
}

/* Of the flows that cross a link, those of the class of `flow`. */
static int32_t alike_on_link(const fold *f, int64_t link, int64_t flow)
{
  const ss_graph *graph = &f->graph;
  int32_t alike = 0;
  for (int64_t i = graph->first[link]; i < graph->first[link + 1]; ++i)
    alike += f->twin[graph->arc[i].to] == f->twin[flow]; /* links see nothing but flows */
  return alike;
}

static bool has_hop(const ss_hop *hop, int64_t count, int32_t link)
{
  bool found = false;
  for (int64_t i = 0; i < count; ++i) found = found || hop[i].link == link;
  return found;
}

/* What routes become. */
typedef struct folding {
  const int32_t *link_of_node; /* [used_links] borrowed */
  ss_link_paths paths;
} folding;

/* The path of a flow that stands for its class: over the first link of each class, with all that cross it. */
static ss_status fold_path(const fold *f, folding *to, const ss_route_owner *owner, int64_t node, ss_flow *flow)
{
  ss_hop hop[SS_ROUTE_LINKS_MAX];
  int64_t hops, count = 0;
  const ss_hop *whole = hops_of(f, flow, &hops);
  for (int64_t h = 0; h < hops; ++h) {
    const int32_t link = ss_lanes_crossed(&f->lanes, owner, whole[h].link);
    if (f->node_of_link[link] < 0) continue;
    const int32_t first = to->link_of_node[f->twin[f->node_of_link[link]] - f->link];
    if (has_hop(hop, count, first)) continue;
    hop[count++] = (ss_hop){first, alike_on_link(f, f->node_of_link[link], node)};
  }
  flow->path = ss_link_paths_find(&to->paths, hop, count);
  return flow->path >= 0 ? SS_OK : SS_ERROR_MEMORY;
}

static void note_kind(const fold *f, const ss_link_paths *folded, int64_t node, ss_flow *flow)
{
  flow->kind = f->kind[node - f->flow];
  if (f->headroom != NULL)
    f->headroom->alone_bytes_per_s[flow->kind] = ss_link_paths_alone_bytes_per_s(folded, flow->path);
}

/* Leaves one flow of each class; those of a class are first met where it begins. */
static ss_status fold_route(fold *f, folding *to, int64_t index)
{
  ss_route *route = f->owner[index].route;
  const int64_t count = route->count;
  ss_status status = SS_OK;
  route->count = 0;
  for (int64_t e = 0; status == SS_OK && e < count; ++e) {
    const int64_t node = f->first_flow[index] + e;
    if (f->twin[node] != node) continue;
    ss_flow *kept = &route->flow[route->count++];
    *kept = route->flow[e];
    if (f->links->fabric != NULL) status = fold_path(f, to, &f->owner[index], node, kept);
    if (status == SS_OK && f->kind != NULL) note_kind(f, &to->paths, node, kept);
  }
  return status;
}

/* NVLink ports that only computed collectives use: those of a replica stand for those of its class. */
static void count_ports(const fold *f, int64_t index, int32_t alike)
{
  const ss_world *world = f->world;
  for (int64_t member = 0; f->links->fabric != NULL && member < world->width; ++member) {
    const int64_t gpu = ss_replica_gpu(world, &world->replica[index], member);
    for (int64_t link = 2 * gpu; link < 2 * gpu + 2; ++link)
      if (f->node_of_link[link] < 0 && f->lanes.first[link] < 0) f->links->alike[link] = alike;
  }
}

static ss_status count_alike(fold *f)
{
  int32_t *alike = calloc((size_t)f->graph.nodes + 1, sizeof *alike);
  if (alike == NULL) return SS_ERROR_MEMORY;
  for (int32_t v = 0; v < f->graph.nodes; ++v) alike[f->twin[v]]++;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e)
      f->owner[i].route->flow[e].alike = alike[f->first_flow[i] + e];
  for (int64_t link = 0; link < f->lanes.links; ++link)
    if (f->node_of_link[link] >= 0) f->links->alike[link] = alike[f->node_of_link[link]];
  for (int64_t i = 0; i < f->dp_group; ++i) count_ports(f, i, alike[i]);
  free(alike);
  return SS_OK;
}

static ss_status fold_routes(fold *f)
{
  int32_t *link_of_node = malloc((size_t)(f->used_links + 1) * sizeof *link_of_node);
  if (link_of_node == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < f->links->paths.links; ++link)
    if (f->node_of_link[link] >= 0) link_of_node[f->node_of_link[link] - f->link] = (int32_t)link;
  folding to = {.link_of_node = link_of_node};
  ss_status status = f->links->fabric != NULL ? ss_link_paths_init(&to.paths, f->links->fabric) : SS_OK;
  if (status == SS_OK) status = ss_link_paths_add_lanes(&to.paths, f->lanes.port, f->lanes.ports);
  for (int64_t i = 0; status == SS_OK && i < f->owners; ++i) status = fold_route(f, &to, i);
  free(link_of_node);
  ss_link_paths_free(&f->links->paths);
  f->links->paths = to.paths;
  return status;
}

static void fold_parts(const fold *f)
{
  ss_world *world = f->world;
  for (int64_t i = 0; i < f->dp_group; ++i) world->replica[i].twin = &world->replica[f->twin[i]];
  for (int64_t i = f->dp_group; i < f->expert; ++i)
    world->dp_group[i - f->dp_group].twin = &world->dp_group[f->twin[i] - f->dp_group];
  for (int64_t i = f->tie; i < f->flow; ++i) world->tie[i - f->tie].twin = &world->tie[f->twin[i] - f->tie];
  for (int64_t i = f->expert; i < f->tie; ++i)
    world->expert[i - f->expert].twin = &world->expert[f->twin[i] - f->expert];
}

static void free_fold(fold *f)
{
  ss_graph_free(&f->graph);
  free(f->owner);
  free(f->first_flow);
  ss_lanes_free(&f->lanes);
  free(f->node_of_link);
  free(f->twin);
  free(f->kind);
}

/* Another job has symmetries of its own. */
static bool may_fold(const ss_replay_options *options)
{
  const bool has_company = options->co_scheduled != NULL && !options->private_links;
  return options->fold != SS_FOLD_NONE && !has_company;
}

/* Numbers the classes of flows, each of which follows its first flow. */
static ss_status number_kinds(fold *f)
{
  f->kind = malloc((size_t)(f->flows + 1) * sizeof *f->kind);
  if (f->kind == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < f->flows; ++i) {
    const int64_t first = f->twin[f->flow + i] - f->flow;
    f->kind[i] = first == i ? (int32_t)f->kinds++ : f->kind[first];
  }
  return SS_OK;
}

/* Lists, or only counts, where flows cross links that are spared. */
static int64_t list_crossings(const fold *f, ss_crossing *crossing)
{
  int64_t crossings = 0;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e) {
      int64_t count;
      const ss_hop *hop = hops_of(f, &f->owner[i].route->flow[e], &count);
      for (int64_t h = 0; h < count; ++h) {
        if (!ss_lanes_spares(&f->lanes, hop[h].link)) continue;
        if (crossing != NULL) {
          crossing[crossings] = ss_lanes_crossing(&f->lanes, &f->owner[i], hop[h].link, hop, count);
          crossing[crossings].kind = f->kind[f->first_flow[i] + e - f->flow];
        }
        ++crossings;
      }
    }
  return crossings;
}

static ss_status spare_links(fold *f)
{
  ss_status status = ss_headroom_init(f->headroom, f->links, f->kinds);
  if (status != SS_OK) return status;
  ss_crossing *crossing = malloc((size_t)(list_crossings(f, NULL) + 1) * sizeof *crossing);
  if (crossing == NULL) return SS_ERROR_MEMORY;
  status = ss_headroom_spare(f->headroom, f->links, crossing, list_crossings(f, crossing));
  free(crossing);
  return status;
}

/* How many stage replicas are simulated. */
static int64_t count_replicas(const fold *f)
{
  int64_t count = 0;
  for (int32_t i = 0; i < f->dp_group; ++i) count += f->twin[i] == i;
  return count;
}

static ss_status find_twins(fold *f)
{
  ss_status status = build(f);
  return status == SS_OK ? ss_graph_refine(&f->graph, f->twin) : status;
}

/* Forgets the classes that were found, and finds them anew. */
static ss_status find_again(fold *f, ss_headroom *headroom, bool splits)
{
  const fold again = {.world = f->world, .links = f->links, .headroom = headroom, .splits = splits};
  free_fold(f);
  if (again.links->fabric != NULL) again.links->paths.links = ss_fabric_links(again.links->fabric);
  *f = again;
  return find_twins(f);
}

/* Finds the classes with ports split or whole, where the other way leaves so much to simulate that it may be worth it,
 * and keeps those that leave less. */
static ss_status find_with_ports(fold *f, bool splits)
{
  ss_headroom *headroom = f->headroom;
  f->splits = splits;
  ss_status status = find_twins(f);
  const int64_t first = status == SS_OK ? count_replicas(f) : 0;
  if (status != SS_OK || first <= ENOUGH * f->world->job->stages) return status;
  status = find_again(f, headroom, !splits);
  return status == SS_OK && count_replicas(f) > first ? find_again(f, headroom, splits) : status;
}

/* Ports are split at once where GPUs differ. Links are spared where it is worth it: chance leaves no replicas alike,
 * but flows inside them. */
static ss_status find_classes(fold *f)
{
  const ss_perturbation *perturbation = f->world->perturbation;
  if (perturbation != NULL && ss_perturbation_tells_apart(perturbation)) f->headroom = NULL;
  if (f->headroom == NULL) return find_twins(f);
  const bool may_split = f->world->options->fold != SS_FOLD_FLAT;
  ss_status status = may_split ? find_with_ports(f, perturbation != NULL) : find_twins(f);
  const bool folds = status == SS_OK && count_replicas(f) < f->world->replica_count;
  return status == SS_OK && !folds ? find_again(f, NULL, false) : status;
}

ss_status ss_fold_world(ss_world *world, ss_links *links, ss_headroom *headroom)
{
  if (!may_fold(world->options)) return SS_OK;
  const bool spares = links->fabric != NULL && headroom != NULL && !headroom->crowded->all;
  fold f = {.world = world, .links = links, .headroom = spares ? headroom : NULL};
  ss_status status = find_classes(&f);
  if (status == SS_OK && (f.headroom != NULL || world->options->timeline_count > 0)) status = number_kinds(&f);
  if (status == SS_OK && f.headroom != NULL) status = spare_links(&f);
  if (status == SS_OK && world->options->timeline_count > 0)
    status = ss_shown_ends_find(world, &(ss_flow_kinds){f.owner, f.owners, f.kind, f.kinds});
  if (status == SS_OK) status = count_alike(&f);
  if (status == SS_OK) {
    fold_parts(&f);
    status = fold_routes(&f);
  }
  if (status == SS_OK && f.headroom != NULL) ss_headroom_find_tight(f.headroom);
  free_fold(&f);
  return status;
}
