#include "sim/engine/setup/fold.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/setup/fold_graph.h"
#include "sim/engine/setup/fold_presume.h"
#include "sim/engine/setup/shown.h"

/* Of the flows that cross a link, those of the class of `flow`. */
static int32_t alike_on_link(const ss_fold_graph *f, int64_t link, int64_t flow)
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
  int64_t *first_hop;          /* [kinds + 2] of `hop`; owned, where not every link tells flows apart */
  ss_hop *hop;                 /* all links that flows of a kind cross; owned */
  ss_link_paths paths;
} folding;

/* Goes through the links that stand for others and the kinds of the flows that cross them: counts the links of each
 * kind at next[kind], or lists them, too. `last` [kinds] is scratch. */
static void visit_crossed(const ss_fold_graph *f, const folding *to, int64_t *next, ss_hop *hop, int32_t *last)
{
  const ss_graph *graph = &f->graph;
  for (int64_t kind = 0; kind < f->kinds; ++kind) last[kind] = -1;
  for (int64_t node = f->link; node < f->aside; ++node) {
    if (f->twin[node] != node) continue;
    const int32_t link = to->link_of_node[node - f->link];
    for (int64_t i = graph->first[node]; i < graph->first[node + 1]; ++i) {
      const int32_t kind = ss_fold_kind(f, graph->arc[i].to);
      if (last[kind] != link) ++next[kind];
      if (last[kind] != link && hop != NULL) hop[next[kind] - 1] = (ss_hop){link, 0};
      if (hop != NULL) hop[next[kind] - 1].alike++;
      last[kind] = link;
    }
  }
}

/* Lists the links that flows of each kind cross, whichever of them. */
static ss_status list_crossed(const ss_fold_graph *f, folding *to)
{
  int32_t *last = malloc((size_t)(f->kinds + 1) * sizeof *last);
  to->first_hop = calloc((size_t)f->kinds + 2, sizeof *to->first_hop);
  if (last == NULL || to->first_hop == NULL) {
    free(last);
    return SS_ERROR_MEMORY;
  }
  visit_crossed(f, to, to->first_hop + 2, NULL, last);
  for (int64_t kind = 0; kind < f->kinds; ++kind) to->first_hop[kind + 2] += to->first_hop[kind + 1];
  to->hop = malloc((size_t)(to->first_hop[f->kinds + 1] + 1) * sizeof *to->hop);
  if (to->hop != NULL) visit_crossed(f, to, to->first_hop + 1, to->hop, last);
  free(last);
  return to->hop != NULL ? SS_OK : SS_ERROR_MEMORY;
}

/* The path of a flow that stands for its class: over the first link of each class, with all that cross it. */
static ss_status fold_path(const ss_fold_graph *f, folding *to, const ss_route_owner *owner, int64_t node,
                           ss_flow *flow)
{
  ss_hop hop[SS_ROUTE_LINKS_MAX];
  int64_t hops, count = 0;
  const ss_hop *whole = ss_fold_hops(f, flow, &hops);
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

/* The path of a flow that stands for those of its kind: over all links that any of them crosses. */
static ss_status join_paths(const ss_fold_graph *f, folding *to, int64_t node, ss_flow *flow)
{
  const int32_t kind = ss_fold_kind(f, node);
  const int64_t first = to->first_hop[kind];
  flow->path = ss_link_paths_find(&to->paths, &to->hop[first], to->first_hop[kind + 1] - first);
  return flow->path >= 0 ? SS_OK : SS_ERROR_MEMORY;
}

static void note_kind(const ss_fold_graph *f, const ss_link_paths *folded, int64_t node, ss_flow *flow)
{
  flow->kind = ss_fold_kind(f, node);
  if (f->headroom != NULL)
    f->headroom->alone_bytes_per_s[flow->kind] = ss_link_paths_alone_bytes_per_s(folded, flow->path);
}

/* Where the flows of an owner go on that stand for their class: to those of its twin, where messages tell no replicas
 * apart. */
static ss_route *route_of_twin(const ss_fold_graph *f, const ss_route_owner *owner)
{
  if (!f->by_groups || owner->kind != SS_TRANSFER_MESSAGE) return owner->route;
  ss_stage_replica *twin = &f->world->replica[f->twin[owner->index]];
  return &twin->outbox[owner->use % SS_SIDES].way[owner->use / SS_SIDES].route;
}

/* Room for a flow in a route; NULL when memory is out. */
static ss_flow *add_flow(ss_route *route)
{
  if (route->count == route->capacity) {
    const int64_t capacity = 2 * route->count + 1;
    ss_flow *flow = realloc(route->flow, (size_t)capacity * sizeof *flow);
    if (flow == NULL) return NULL;
    route->flow = flow;
    route->capacity = capacity;
  }
  return &route->flow[route->count++];
}

/* Leaves one flow of each class; those of a class are first met where it begins, and twins come first. */
static ss_status fold_route(ss_fold_graph *f, folding *to, int64_t index)
{
  ss_route *route = f->owner[index].route, *into = route_of_twin(f, &f->owner[index]);
  const int64_t count = route->count;
  ss_status status = SS_OK;
  route->count = 0;
  for (int64_t e = 0; status == SS_OK && e < count; ++e) {
    const int64_t node = f->first_flow[index] + e;
    if (f->twin[node] != node) continue;
    ss_flow *kept = add_flow(into);
    if (kept == NULL) return SS_ERROR_MEMORY;
    *kept = route->flow[e];
    if (to->hop != NULL)
      status = join_paths(f, to, node, kept);
    else if (f->links->fabric != NULL)
      status = fold_path(f, to, &f->owner[index], node, kept);
    if (status == SS_OK && f->kind != NULL) note_kind(f, &to->paths, node, kept);
  }
  return status;
}

/* NVLink ports that only computed collectives use: those of a replica stand for those of its class. */
static void count_ports(const ss_fold_graph *f, int64_t index, int32_t alike)
{
  const ss_world *world = f->world;
  for (int64_t member = 0; f->links->fabric != NULL && member < world->width; ++member) {
    const int64_t gpu = ss_replica_gpu(world, &world->replica[index], member);
    for (int64_t link = 2 * gpu; link < 2 * gpu + 2; ++link)
      if (f->node_of_link[link] < 0 && f->lanes.first[link] < 0) f->links->alike[link] = alike;
  }
}

/* Flows that stand for others say for how many. The rest stays as it is: what an attempt changes, it needs memory for
 * of its own. */
static void count_flows(ss_fold_graph *f, const int32_t *alike)
{
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e) {
      const int64_t node = f->first_flow[i] + e;
      if (f->twin[node] == node) f->owner[i].route->flow[e].alike = alike[node];
    }
}

static ss_status count_alike(ss_fold_graph *f)
{
  int32_t *alike = calloc((size_t)f->graph.nodes + 1, sizeof *alike);
  if (alike == NULL) return SS_ERROR_MEMORY;
  for (int32_t v = 0; v < f->graph.nodes; ++v) alike[f->twin[v]]++;
  count_flows(f, alike);
  for (int64_t link = 0; link < f->lanes.links; ++link)
    if (f->node_of_link[link] >= 0) f->links->alike[link] = alike[f->node_of_link[link]];
  for (int64_t i = 0; i < f->dp_group; ++i) count_ports(f, i, alike[i]);
  free(alike);
  return SS_OK;
}

static ss_status fold_routes(ss_fold_graph *f)
{
  int32_t *link_of_node = malloc((size_t)(f->used_links + 1) * sizeof *link_of_node);
  if (link_of_node == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < f->links->paths.links; ++link)
    if (f->node_of_link[link] >= 0) link_of_node[f->node_of_link[link] - f->link] = (int32_t)link;
  folding to = {.link_of_node = link_of_node};
  ss_status status = f->links->fabric != NULL ? ss_link_paths_init(&to.paths, f->links->fabric) : SS_OK;
  if (status == SS_OK) status = ss_link_paths_add_lanes(&to.paths, f->lanes.port, f->lanes.ports);
  if (status == SS_OK && f->presumption != NULL) status = list_crossed(f, &to);
  if (status == SS_OK && f->presumption != NULL)
    status = ss_fold_presume(f, &(ss_folded_links){link_of_node, to.first_hop});
  for (int64_t i = 0; status == SS_OK && i < f->owners; ++i) status = fold_route(f, &to, i);
  if (status == SS_OK && f->presumption != NULL) status = ss_fold_note_together(f);
  free(link_of_node);
  free(to.first_hop);
  free(to.hop);
  ss_link_paths_free(&f->links->paths);
  f->links->paths = to.paths;
  return status;
}

static void fold_parts(const ss_fold_graph *f)
{
  ss_world *world = f->world;
  for (int64_t i = 0; i < f->dp_group; ++i) {
    world->replica[i].twin = &world->replica[f->twin[i]];
    world->replica[i].alike = 0;
  }
  for (int64_t i = 0; i < f->dp_group; ++i) world->replica[i].twin->alike++;
  for (int64_t i = f->dp_group; i < f->expert; ++i)
    world->dp_group[i - f->dp_group].twin = &world->dp_group[f->twin[i] - f->dp_group];
  for (int64_t i = f->tie; i < f->flow; ++i) world->tie[i - f->tie].twin = &world->tie[f->twin[i] - f->tie];
  for (int64_t i = f->expert; i < f->tie; ++i)
    world->expert[i - f->expert].twin = &world->expert[f->twin[i] - f->expert];
}

/* Another job has symmetries of its own. */
static bool may_fold(const ss_replay_options *options)
{
  const bool has_company = options->co_scheduled != NULL && !options->private_links;
  return options->fold != SS_FOLD_NONE && !has_company;
}

/* Numbers the classes of flows, each of which follows its first flow. */
static ss_status number_kinds(ss_fold_graph *f)
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
static int64_t list_crossings(const ss_fold_graph *f, ss_crossing *crossing)
{
  int64_t crossings = 0;
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e) {
      int64_t count;
      const ss_hop *hop = ss_fold_hops(f, &f->owner[i].route->flow[e], &count);
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

static ss_status spare_links(ss_fold_graph *f)
{
  ss_status status = ss_headroom_init(f->headroom, f->links, f->kinds);
  if (status != SS_OK) return status;
  ss_crossing *crossing = malloc((size_t)(list_crossings(f, NULL) + 1) * sizeof *crossing);
  if (crossing == NULL) return SS_ERROR_MEMORY;
  status = ss_headroom_spare(f->headroom, f->links, crossing, list_crossings(f, crossing));
  free(crossing);
  return status;
}

/* How many of some nodes stand for their class. */
static int64_t count_classes(const ss_fold_graph *f, int64_t first, int64_t end)
{
  int64_t count = 0;
  for (int64_t i = first; i < end; ++i) count += f->twin[i] == i;
  return count;
}

/* How many stage replicas are simulated. */
static int64_t count_replicas(const ss_fold_graph *f)
{
  return count_classes(f, 0, f->dp_group);
}

/* Where no more are left to simulate, it is not worth it to look for less. */
static int64_t replicas_enough(const ss_fold_graph *f)
{
  return SS_FOLD_ENOUGH * f->world->job->stages;
}

static bool leaves_many(const ss_fold_graph *f)
{
  return count_replicas(f) > replicas_enough(f);
}

/* Forgets the classes that were found, and finds them anew, with what is spared and presumed now. */
static ss_status find_again(ss_fold_graph *f, ss_headroom *headroom, ss_presumption *presumption, bool splits,
                            ss_fold_enough enough)
{
  const ss_fold_graph again = {.world = f->world,
                               .links = f->links,
                               .headroom = headroom,
                               .presumption = presumption,
                               .splits = splits,
                               .near = f->near,
                               .enough = enough};
  ss_fold_graph_free(f);
  if (again.links->fabric != NULL) again.links->paths.links = ss_fabric_links(again.links->fabric);
  *f = again;
  return ss_fold_graph_find(f);
}

static ss_status find_all_again(ss_fold_graph *f, ss_headroom *headroom, ss_presumption *presumption, bool splits)
{
  return find_again(f, headroom, presumption, splits, (ss_fold_enough){0});
}

/* Ports have been split or left whole: finds the classes the other way, where that may be worth it, and keeps those
 * that leave less. That there are more than enough is said of those that are kept, too. */
static ss_status find_with_other_ports(ss_fold_graph *f)
{
  ss_headroom *headroom = f->headroom;
  const bool splits = f->splits, had_enough = f->has_enough;
  const int64_t first = count_replicas(f); /* or more */
  if (!leaves_many(f)) return SS_OK;
  const ss_fold_enough fewer = {.replicas = first};
  ss_status status = find_again(f, headroom, NULL, !splits, had_enough ? f->enough : fewer);
  const int64_t second = count_replicas(f);
  const bool keeps = second <= first || (had_enough && f->has_enough);
  if (status != SS_OK || keeps) return status;
  status = find_all_again(f, headroom, NULL, splits);
  const bool returns = status == SS_OK && had_enough && count_replicas(f) >= second;
  return returns ? find_all_again(f, headroom, NULL, !splits) : status;
}

static bool may_presume(const ss_fold_graph *f)
{
  return f->headroom != NULL && f->world->options->fold != SS_FOLD_FLAT && !f->presumption->known->all;
}

/* Where the last attempt presumed flows to be alike, this one does, with what that has told apart. */
static bool has_presumed(const ss_presumption *presumption)
{
  return presumption->known->count > 0;
}

static bool has_many_kinds(const ss_fold_graph *f)
{
  return count_classes(f, f->flow, f->link) > SS_FOLD_MANY_KINDS;
}

bool ss_fold_is_near(const ss_job *job, ss_fold fold)
{
  return fold == SS_FOLD_NEAR || (fold == SS_FOLD_AUTO && job->stages * job->replicas >= SS_FOLD_REPLICAS_NEAR);
}

/* Finds the classes with presumption, and keeps those without where they may be exact and leave less. */
static ss_status find_presumed(ss_fold_graph *f, ss_presumption *presumption)
{
  ss_headroom *headroom = f->headroom;
  const bool splits = f->splits, few = !has_many_kinds(f);
  const ss_fold_enough less = {.replicas = few ? count_replicas(f) - 1 : 0};
  const ss_status status = find_again(f, headroom, presumption, false, less);
  return status == SS_OK && f->has_enough ? find_all_again(f, headroom, NULL, splits) : status;
}

/* Finds the classes without presumption, and with it where flows are of many kinds: those of trees, each at a place of
 * its own, and those that meet on short links, which the other kind of ports does not make fewer; or where much is left
 * and flows may be taken for others. Of classes without it, it is enough to know that they are many. */
static ss_status find_plainly(ss_fold_graph *f, ss_presumption *presumption)
{
  const bool may_split = f->headroom != NULL && f->world->options->fold != SS_FOLD_FLAT;
  f->splits = may_split && f->world->perturbation != NULL;
  if (presumption != NULL) f->enough = (ss_fold_enough){replicas_enough(f), SS_FOLD_MANY_KINDS};
  ss_status status = ss_fold_graph_find(f);
  const bool meets =
      status == SS_OK && presumption != NULL && f->headroom->known_crowded->count > 0 && has_many_kinds(f);
  if (status == SS_OK && may_split && !meets) status = find_with_other_ports(f);
  const bool many = status == SS_OK && (has_many_kinds(f) || (f->near && leaves_many(f)));
  return many && presumption != NULL ? find_presumed(f, presumption) : status;
}

/* Where a large job starts again, it pays to know how many replicas are left to simulate if no link is spared. */
static ss_status count_plainly(const ss_fold_graph *f)
{
  const ss_headroom *headroom = f->headroom;
  const bool starts_again = headroom != NULL && headroom->known_crowded->count + f->presumption->known->count > 0;
  if (!starts_again || (f->near && !ss_fold_is_crowded_near(f)) || !ss_fold_is_large(f->world) ||
      *headroom->known_plainly > 0)
    return SS_OK;
  ss_fold_graph plain = {.world = f->world, .links = f->links};
  const ss_status status = ss_fold_graph_find(&plain);
  if (status == SS_OK) *headroom->known_plainly = count_replicas(&plain);
  ss_fold_graph_free(&plain);
  return status;
}

/* The expert groups of a stage join its replicas. */
static bool have_common_experts(const ss_world *world)
{
  return world->expert_group_of != NULL && world->expert_groups - (world->all_meet ? 1 : 0) < world->job->replicas;
}

/* Whether enough replicas are alike that it is worth it to watch spared links, and to start again where they are
 * crowded. Each attempt finds more of them crowded and leaves more to simulate, and the last one has them all. One with
 * two fifths of the replicas that it has then takes half as long where passes are runs, and learns little more; one
 * with a third of them takes up to two thirds as long where exchanges between experts are watched, and mostly starts
 * again. */
static bool is_worth_it(const ss_fold_graph *f)
{
  const int64_t plainly = *f->headroom->known_plainly, left = count_replicas(f);
  const int64_t all = plainly > 0 ? plainly : f->world->replica_count;
  const bool starts_often = have_common_experts(f->world);
  static const double shares[2][2] = {{SS_FOLD_SHARE_MOST, SS_FOLD_SHARE_MOST_EXPERTS},
                                      {SS_FOLD_SHARE_MOST_NEAR, SS_FOLD_SHARE_MOST}};
  const double share = shares[ss_fold_is_crowded_near(f)][starts_often];
  return left < all && (!ss_fold_is_large(f->world) || (double)left <= share * (double)all);
}

/* Links are spared, and flows presumed to be alike, only where that is worth it; else all links tell flows apart.
 * Chance leaves no replicas alike, so that there is nothing to spare for, but flows inside them may be. */
static ss_status find_classes(ss_fold_graph *f)
{
  const ss_perturbation *perturbation = f->world->perturbation;
  if (ss_perturbation_tells_apart(perturbation)) f->headroom = NULL;
  ss_status status = count_plainly(f);
  ss_presumption *presumption = may_presume(f) ? f->presumption : NULL;
  const bool at_once = presumption != NULL && (ss_fold_has_slow_parts(f->world) || has_presumed(presumption));
  f->presumption = at_once ? presumption : NULL;
  if (status == SS_OK) status = f->presumption != NULL ? ss_fold_graph_find(f) : find_plainly(f, presumption);
  const bool folds = status == SS_OK && (f->headroom == NULL || is_worth_it(f));
  return status == SS_OK && !folds ? find_all_again(f, NULL, NULL, false) : status;
}

/* Where few replicas are left when flows are told apart by all that they share, too, none need be taken for others. A
 * slow part tells too many apart to ask. */
static ss_status find_exactly(ss_fold_graph *f)
{
  ss_fold_graph exact = {
      .world = f->world, .links = f->links, .headroom = f->headroom, .enough = {.replicas = replicas_enough(f)}};
  if (!f->near || f->presumption == NULL || ss_fold_has_slow_parts(f->world)) return SS_OK;
  ss_status status = ss_fold_graph_find(&exact);
  if (status != SS_OK || exact.has_enough || leaves_many(&exact)) {
    ss_fold_graph_free(&exact);
    return status;
  }
  ss_fold_graph_free(f);
  *f = exact;
  return SS_OK;
}

ss_status ss_fold_world(ss_world *world, ss_links *links, ss_headroom *headroom, ss_presumption *presumption)
{
  if (!may_fold(world->options)) return SS_OK;
  const bool spares = links->fabric != NULL && headroom != NULL && !headroom->known_crowded->all;
  ss_fold_graph f = {.world = world,
                     .links = links,
                     .headroom = spares ? headroom : NULL,
                     .presumption = spares ? presumption : NULL,
                     .near = ss_fold_is_near(world->job, world->options->fold)};
  ss_status status = find_classes(&f);
  if (status == SS_OK) status = find_exactly(&f);
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
  ss_fold_graph_free(&f);
  return status;
}
