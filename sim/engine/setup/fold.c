#include "sim/engine/setup/fold.h"

#include <stdlib.h>

#include "sim/engine/network/mix.h"
#include "sim/engine/setup/routes.h"
#include "sim/engine/setup/symmetry.h"

/* Labels of arcs come in pairs: there and back. */
enum {
  LABEL_HAS_FLOW = 0,
  LABEL_CROSSES = 2,
  LABEL_MEETS = 4, /* a replica its expert-parallel group */
  LABEL_SENDS = 6, /* one pair for each side */
  LABEL_TIES = LABEL_SENDS + 2 * SS_SIDES,
};

/* What nodes of a graph stand for; the nodes of a kind follow one another. */
typedef struct fold {
  ss_world *world;
  ss_links *links;
  ss_graph graph;
  ss_route_owner *owner; /* [owners] that send; owned */
  int64_t owners, flows, used_links;
  int64_t dp_group, expert, tie, flow, link; /* first node of each kind; replicas come first */
  int64_t *first_flow;                       /* [owners + 1] nodes of the flows of each owner, owned */
  int32_t *node_of_link;                     /* [links of the fabric] or -1; owned */
  int32_t *twin;                             /* [nodes], owned */
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

static const ss_link_path *path_of(const ss_links *links, const ss_flow *flow)
{
  static const ss_link_path none = {0, 0};
  return links->fabric != NULL ? &links->paths.path[flow->path] : &none;
}

/* Numbers the links that are crossed, in their order: the first of a class stands for it, here as elsewhere. */
static ss_status list_links(fold *f)
{
  const ss_link_paths *paths = &f->links->paths;
  f->node_of_link = malloc((size_t)(paths->links + 1) * sizeof *f->node_of_link);
  if (f->node_of_link == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < paths->links; ++link) f->node_of_link[link] = -1;
  for (int64_t i = 0; i < paths->hops; ++i) f->node_of_link[paths->hop[i].link] = 0;
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

/* Links of a kind have names that differ by numbers. Kinds are kept apart so that one link can be named for all of its
 * class. */
static uint64_t link_colour(const ss_links *links, int64_t link)
{
  char name[SS_LINK_NAME_SIZE];
  ss_fabric_name(links->fabric, link, name);
  uint64_t colour = ss_mix_real(4, links->paths.bytes_per_s[link]);
  for (const char *c = name; *c != '\0'; ++c)
    if (*c < '0' || *c > '9') colour = ss_mix(colour, (uint64_t)*c);
  return colour;
}

/* Stages have work of their own, and GPUs may have their pace. */
static void paint(fold *f)
{
  const ss_world *world = f->world;
  uint64_t *colour = f->graph.colour;
  for (int64_t i = 0; i < world->replica_count; ++i) {
    colour[i] = ss_mix(1, (uint64_t)world->replica[i].stage);
    if (world->perturbation != NULL)
      colour[i] = ss_mix(colour[i], ss_perturbation_colour(world->perturbation, world->replica[i].dp,
                                                           ss_replica_gpus(world, &world->replica[i])));
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
    if (f->node_of_link[link] >= 0) colour[f->node_of_link[link]] = link_colour(f->links, link);
}

static ss_status join_flows(fold *f)
{
  const ss_link_paths *paths = &f->links->paths;
  ss_status status = SS_OK;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; status == SS_OK && e < f->owner[i].route->count; ++e) {
      const int64_t node = f->first_flow[i] + e;
      const ss_link_path *path = path_of(f->links, &f->owner[i].route->flow[e]);
      status = ss_graph_join(&f->graph, node_of_owner(f, &f->owner[i]), node, LABEL_HAS_FLOW);
      for (int64_t h = path->first; status == SS_OK && h < path->first + path->count; ++h)
        status = ss_graph_join(&f->graph, node, f->node_of_link[paths->hop[h].link], LABEL_CROSSES);
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

/* The path of a flow that stands for its class: over the first link of each class, with all that cross it. */
static ss_status fold_path(const fold *f, const int32_t *link_of_node, ss_link_paths *folded, int64_t node,
                           ss_flow *flow)
{
  const ss_link_paths *paths = &f->links->paths;
  const ss_link_path *path = &paths->path[flow->path];
  ss_hop hop[SS_ROUTE_LINKS_MAX];
  int64_t count = 0;
  for (int64_t h = path->first; h < path->first + path->count; ++h) {
    const int32_t link = paths->hop[h].link, first = link_of_node[f->twin[f->node_of_link[link]] - f->link];
    if (has_hop(hop, count, first)) continue;
    hop[count++] = (ss_hop){first, alike_on_link(f, f->node_of_link[link], node)};
  }
  flow->path = ss_link_paths_find(folded, hop, count);
  return flow->path >= 0 ? SS_OK : SS_ERROR_MEMORY;
}

/* Leaves one flow of each class; those of a class are first met where it begins. */
static ss_status fold_route(fold *f, const int32_t *link_of_node, ss_link_paths *folded, int64_t index)
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
    if (f->links->fabric != NULL) status = fold_path(f, link_of_node, folded, node, kept);
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
      if (f->node_of_link[link] < 0) f->links->alike[link] = alike;
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
  for (int64_t link = 0; link < f->links->paths.links; ++link)
    if (f->node_of_link[link] >= 0) f->links->alike[link] = alike[f->node_of_link[link]];
  for (int64_t i = 0; i < f->dp_group; ++i) count_ports(f, i, alike[i]);
  free(alike);
  return SS_OK;
}

static ss_status fold_routes(fold *f)
{
  ss_link_paths folded = {0};
  int32_t *link_of_node = malloc((size_t)(f->used_links + 1) * sizeof *link_of_node);
  if (link_of_node == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < f->links->paths.links; ++link)
    if (f->node_of_link[link] >= 0) link_of_node[f->node_of_link[link] - f->link] = (int32_t)link;
  ss_status status = f->links->fabric != NULL ? ss_link_paths_init(&folded, f->links->fabric) : SS_OK;
  for (int64_t i = 0; status == SS_OK && i < f->owners; ++i) status = fold_route(f, link_of_node, &folded, i);
  free(link_of_node);
  ss_link_paths_free(&f->links->paths);
  f->links->paths = folded;
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
  free(f->node_of_link);
  free(f->twin);
}

/* A timeline shows every rank, and another job has symmetries of its own. */
static bool may_fold(const ss_replay_options *options)
{
  const bool has_company = options->co_scheduled != NULL && !options->private_links;
  return options->fold != SS_FOLD_NONE && options->timeline_count == 0 && !has_company;
}

ss_status ss_fold_world(ss_world *world, ss_links *links)
{
  if (!may_fold(world->options)) return SS_OK;
  fold f = {.world = world, .links = links};
  ss_status status = build(&f);
  if (status == SS_OK) status = ss_graph_refine(&f.graph, f.twin);
  if (status == SS_OK) status = count_alike(&f);
  if (status == SS_OK) {
    fold_parts(&f);
    status = fold_routes(&f);
  }
  free_fold(&f);
  return status;
}
