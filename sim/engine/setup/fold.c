#include "sim/engine/setup/fold.h"

#include <math.h>
#include <stdlib.h>

#include "sim/engine/network/mix.h"
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
  bool *takes_part;                          /* [links of the fabric] and is not spared; owned */
  int32_t *node_of_link;                     /* [links of the fabric] or -1; owned */
  int32_t *twin;                             /* [nodes], owned */
  int32_t *kind;                             /* [flows] their classes, counted; NULL: nobody asks; owned */
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

/* Ends of paths take part, and what is slower than those. */
static void keep_ends(fold *f)
{
  const ss_link_paths *paths = &f->links->paths;
  for (int32_t path = 0; path < paths->hops.count; ++path) {
    int64_t count;
    const ss_hop *hop = ss_link_paths_hops(paths, path, &count);
    const int32_t from = hop[0].link, to = hop[count - 1].link;
    const double least = fmin(paths->bytes_per_s[from], paths->bytes_per_s[to]);
    f->takes_part[from] = f->takes_part[to] = true;
    for (int64_t h = 1; h < count - 1; ++h)
      if (paths->bytes_per_s[hop[h].link] < least) f->takes_part[hop[h].link] = true;
  }
}

static ss_status choose_links(fold *f)
{
  const int64_t links = f->links->paths.links;
  const ss_crowded_links *crowded = f->headroom != NULL ? f->headroom->crowded : NULL;
  f->takes_part = malloc((size_t)(links + 1) * sizeof *f->takes_part);
  if (f->takes_part == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < links; ++link) f->takes_part[link] = crowded == NULL;
  if (crowded == NULL) return SS_OK;
  keep_ends(f);
  for (int64_t i = 0; i < crowded->count; ++i) f->takes_part[crowded->link[i]] = true;
  return SS_OK;
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
    if (f->takes_part[hop[i].link]) f->node_of_link[hop[i].link] = 0;
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
    if (f->node_of_link[link] >= 0) colour[f->node_of_link[link]] = ss_links_kind(f->links, link);
}

static ss_status join_flow(fold *f, int64_t node, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = hops_of(f, flow, &count);
  ss_status status = SS_OK;
  for (int64_t h = 0; status == SS_OK && h < count; ++h)
    if (f->node_of_link[hop[h].link] >= 0)
      status = ss_graph_join(&f->graph, node, f->node_of_link[hop[h].link], LABEL_CROSSES);
  return status;
}

static ss_status join_flows(fold *f)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; status == SS_OK && e < f->owner[i].route->count; ++e) {
      const int64_t node = f->first_flow[i] + e;
      status = ss_graph_join(&f->graph, node_of_owner(f, &f->owner[i]), node, LABEL_HAS_FLOW);
      if (status == SS_OK) status = join_flow(f, node, &f->owner[i].route->flow[e]);
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
  if (status == SS_OK) status = choose_links(f);
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
  ss_hop hop[SS_ROUTE_LINKS_MAX];
  int64_t hops, count = 0;
  const ss_hop *whole = hops_of(f, flow, &hops);
  for (int64_t h = 0; h < hops; ++h) {
    const int32_t link = whole[h].link;
    if (f->node_of_link[link] < 0) continue;
    const int32_t first = link_of_node[f->twin[f->node_of_link[link]] - f->link];
    if (has_hop(hop, count, first)) continue;
    hop[count++] = (ss_hop){first, alike_on_link(f, f->node_of_link[link], node)};
  }
  flow->path = ss_link_paths_find(folded, hop, count);
  return flow->path >= 0 ? SS_OK : SS_ERROR_MEMORY;
}

static void note_kind(const fold *f, const ss_link_paths *folded, int64_t node, ss_flow *flow)
{
  flow->kind = f->kind[node - f->flow];
  if (f->headroom != NULL)
    f->headroom->alone_bytes_per_s[flow->kind] = ss_link_paths_alone_bytes_per_s(folded, flow->path);
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
    if (status == SS_OK && f->kind != NULL) note_kind(f, folded, node, kept);
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
  free(f->takes_part);
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
      for (int64_t h = 1; h < count - 1; ++h) {
        if (f->takes_part[hop[h].link]) continue;
        if (crossing != NULL)
          crossing[crossings] =
              (ss_crossing){hop[h].link, f->kind[f->first_flow[i] + e - f->flow], hop[0].link, hop[count - 1].link};
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

static bool folds_replicas(const fold *f)
{
  bool folds = false;
  for (int32_t i = 0; i < f->dp_group; ++i) folds = folds || f->twin[i] != i;
  return folds;
}

static ss_status find_twins(fold *f)
{
  ss_status status = build(f);
  return status == SS_OK ? ss_graph_refine(&f->graph, f->twin) : status;
}

/* Without links as well as with all of them, where it is worth it. */
static ss_status find_classes(fold *f)
{
  ss_status status = find_twins(f);
  if (status != SS_OK || f->headroom == NULL || folds_replicas(f)) return status;
  const fold whole = {.world = f->world, .links = f->links};
  free_fold(f);
  *f = whole;
  return find_twins(f);
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
