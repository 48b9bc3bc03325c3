#include "sim/engine/setup/fold_graph.h"

#include <stdlib.h>

#include "sim/engine/network/mix.h"

/* Labels of arcs come in pairs: there and back. */
enum {
  LABEL_HAS_FLOW = 0,
  LABEL_CROSSES = 2,
  LABEL_MEETS = 4, /* a replica those with which it has collectives of layers */
  LABEL_SENDS = 6, /* one pair for each side */
  LABEL_TIES = LABEL_SENDS + 2 * SS_SIDES,
};

/* Of flows: those of replicas, of groups of replicas, of all replicas of a stage. */
enum { RANKS = 3 };

static int64_t node_of_owner(const ss_fold_graph *f, const ss_route_owner *owner)
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

static ss_status list_owners(ss_fold_graph *f)
{
  const ss_world *world = f->world;
  f->owner = malloc((size_t)(world->owners + 1) * sizeof *f->owner);
  f->first_flow = malloc((size_t)(world->owners + 1) * sizeof *f->first_flow);
  if (f->owner == NULL || f->first_flow == NULL) return SS_ERROR_MEMORY;
  f->dp_group = world->replica_count;
  f->expert = f->dp_group + world->job->stages * world->shards;
  f->tie = f->expert + world->job->stages * world->expert_groups;
  f->flow = f->tie + world->ties;
  f->first_flow[0] = f->link = f->flow;
  for (int64_t i = 0; f->links->fabric != NULL && i < world->owners; ++i) {
    if (!ss_route_owner_sends(world, &world->owner[i])) continue;
    f->owner[f->owners] = world->owner[i];
    f->link += f->owner[f->owners++].route->count;
    f->first_flow[f->owners] = f->link;
  }
  f->flows = f->link - f->flow;
  return SS_OK;
}

/* Numbers the links that are crossed and take part, in their order: the first of a class stands for it, here as
 * elsewhere. */
static ss_status list_links(ss_fold_graph *f)
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

/* Whether a link is an end of its path. */
static bool is_port(int64_t hop, int64_t hops)
{
  return hop == 0 || hop == hops - 1;
}

/* What flows of a route have in common. */
static uint64_t route_colour(const ss_route_owner *owner)
{
  const ss_route *route = owner->route;
  uint64_t colour = ss_mix((uint64_t)owner->kind + 16, (uint64_t)owner->use);
  colour = ss_mix(colour, (uint64_t)route->span.size);
  colour = ss_mix(colour, (uint64_t)route->span.domains);
  const ss_torus_place *torus = &route->span.torus;
  colour = ss_mix(colour, (uint64_t)route->span.per_domain + ((uint64_t)torus->axes << 32));
  return ss_mix_real(ss_mix(colour, (uint64_t)torus->apart), torus->exchanged);
}

static uint64_t flow_colour(uint64_t of_route, const ss_flow *flow)
{
  return ss_mix_real(ss_mix(of_route, 2 * (uint64_t)flow->phase + flow->fabric), flow->share);
}

/* What a flow sees of the links of its path where it does not look at what else crosses them. Where flows may be taken
 * for others, these are its ports: of the links between them some take part, as they might be short or a slow replica
 * sends over them, and which flows are slowed down there is found. */
static uint64_t path_colour(const ss_fold_graph *f, const ss_flow *flow)
{
  uint64_t colour = 0;
  int64_t count;
  const ss_hop *hop = ss_fold_hops(f, flow, &count);
  for (int64_t h = 0; f->mark != NULL && h < count; ++h) {
    const bool sees = !f->near || is_port(h, count);
    const int32_t node = f->node_of_link[hop[h].link];
    if (sees && node >= 0) colour += ss_scramble(f->graph.colour[node]);
  }
  return colour;
}

static void paint_links(ss_fold_graph *f)
{
  for (int64_t link = 0; link < f->links->paths.links; ++link)
    if (f->node_of_link[link] >= 0)
      f->graph.colour[f->node_of_link[link]] =
          ss_mix(ss_links_kind(f->links, ss_lanes_link(&f->lanes, link)), link >= f->lanes.links);
}

/* Messages that tell no replicas apart. */
static bool is_unseen(const ss_fold_graph *f, const ss_route_owner *owner)
{
  return f->by_groups && owner->kind == SS_TRANSFER_MESSAGE;
}

/* They see what links that take part are. Replicas that do not see their messages still see what kinds of links these
 * take. */
static void paint_flows(ss_fold_graph *f)
{
  for (int64_t i = 0; i < f->owners; ++i) {
    const uint64_t of_route = route_colour(&f->owner[i]);
    for (int64_t e = 0; e < f->owner[i].route->count; ++e) {
      const ss_flow *flow = &f->owner[i].route->flow[e];
      const int64_t node = f->first_flow[i] + e;
      f->graph.colour[node] = flow_colour(of_route, flow) + path_colour(f, flow);
      if (is_unseen(f, &f->owner[i]))
        f->graph.colour[node_of_owner(f, &f->owner[i])] += ss_scramble(f->graph.colour[node]);
      if (f->mark != NULL) f->graph.colour[node] = ss_mix(f->graph.colour[node], f->mark[node - f->flow]);
    }
  }
}

/* On private links, flows meet no others: owners see what theirs are, without nodes for these. */
static void paint_owners(ss_fold_graph *f)
{
  const ss_world *world = f->world;
  for (int64_t i = 0; f->links->fabric == NULL && i < world->owners; ++i) {
    const ss_route_owner *owner = &world->owner[i];
    if (!ss_route_owner_sends(world, owner)) continue;
    const uint64_t of_route = route_colour(owner);
    for (int64_t e = 0; e < owner->route->count; ++e)
      f->graph.colour[node_of_owner(f, owner)] += flow_colour(of_route, &owner->route->flow[e]);
  }
}

/* Stages have work of their own, and GPUs may have their pace. */
static void paint(ss_fold_graph *f)
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
  for (int64_t i = f->expert; i < f->tie; ++i) {
    const int64_t stage = (i - f->expert) / world->expert_groups, index = (i - f->expert) % world->expert_groups;
    colour[i] = ss_mix(world->all_meet && index == world->expert_groups - 1 ? 6 : 3, (uint64_t)stage);
  }
  paint_owners(f);
  paint_links(f);
  paint_flows(f);
}

/* Where links tell nothing apart, flows see those of lower ranks that cross their links, which do not see them: groups
 * of replicas go on at the pace of all of them, whichever of their flows is late. Messages that tell no replicas apart
 * see exchanges, instead of the other way round: what shares a port with more or less of an exchange is the faster or
 * slower for it. */
static void join_asides(ss_fold_graph *f, int64_t node, const ss_route_owner *owner, int64_t link)
{
  static const int rank_of[2][SS_TRANSFER_TIED + 1] = {{[SS_TRANSFER_EXPERT] = 1, [SS_TRANSFER_DATA] = 2},
                                                       {[SS_TRANSFER_MESSAGE] = 1, [SS_TRANSFER_DATA] = 2}};
  const int rank = rank_of[f->by_groups][owner->kind];
  for (int above = rank > 0 ? rank : 1; above < RANKS; ++above) {
    const int64_t aside = f->aside + (above - 1) * f->used_links + link;
    const bool sees = above == rank;
    ss_graph_join(&f->graph, sees ? aside : node, sees ? node : aside, SS_GRAPH_BLIND);
  }
}

/* Messages that meet on a link of the upper levels which takes part, as it was short, slow each other down there: all
 * of them see each other at once, instead of one pair after the other as it is found to differ. Beside slow parts most
 * do not differ for all that, and where flows may be taken for others, those that do are found. */
static void join_meeting(ss_fold_graph *f, int64_t node, const ss_route_owner *owner, int64_t link)
{
  if (owner->kind == SS_TRANSFER_MESSAGE && !ss_fold_has_slow_parts(f->world) && !f->near)
    ss_graph_join(&f->graph, f->meeting + link, node, LABEL_CROSSES);
}

static void join_flow(ss_fold_graph *f, int64_t node, const ss_route_owner *owner, const ss_flow *flow)
{
  int64_t count;
  const ss_hop *hop = ss_fold_hops(f, flow, &count);
  const bool plainly = f->mark == NULL;
  for (int64_t h = 0; h < count; ++h) {
    const int32_t link = f->node_of_link[ss_lanes_crossed(&f->lanes, owner, hop[h].link)];
    if (link < 0) continue;
    ss_graph_join(&f->graph, node, link, plainly ? LABEL_CROSSES : SS_GRAPH_LAST);
    if (plainly || f->only_tight[hop[h].link]) continue;
    join_asides(f, node, owner, link - f->link); /* a flow sees who shares a link with it */
    if (!is_port(h, count)) join_meeting(f, node, owner, link - f->link);
  }
}

static void join_flows(ss_fold_graph *f)
{
  for (int64_t i = 0; i < f->owners; ++i)
    for (int64_t e = 0; e < f->owner[i].route->count; ++e) {
      const int64_t node = f->first_flow[i] + e;
      ss_graph_join(&f->graph, node_of_owner(f, &f->owner[i]), node,
                    is_unseen(f, &f->owner[i]) ? SS_GRAPH_BLIND : LABEL_HAS_FLOW);
      join_flow(f, node, &f->owner[i], &f->owner[i].route->flow[e]);
    }
}

static int64_t node_of_meeting(const ss_fold_graph *f, ss_group group, const ss_stage_replica *replica)
{
  return f->expert + (ss_world_expert_group(f->world, group, replica->stage, replica->dp) - f->world->expert);
}

static void join_replica(ss_fold_graph *f, int64_t index)
{
  static const ss_group met[] = {SS_GROUP_EXPERT, SS_GROUP_STAGE};
  const ss_world *world = f->world;
  const ss_stage_replica *replica = &world->replica[index];
  for (int64_t chunk = 0; chunk < world->job->chunks; ++chunk)
    for (int side = 0; side < SS_SIDES; ++side) {
      ss_chunk to;
      if (ss_job_receiver(world->job, (ss_chunk){replica->stage, chunk}, (ss_pass)side, &to) &&
          to.stage != replica->stage)
        ss_graph_join(&f->graph, index, to.stage * world->job->replicas + replica->dp, LABEL_SENDS + 2 * side);
    }
  for (size_t i = 0; i < sizeof met / sizeof met[0]; ++i)
    if (ss_world_meetings(world, met[i]) > 0)
      ss_graph_join(&f->graph, index, node_of_meeting(f, met[i], replica), LABEL_MEETS);
  if (ss_job_ties(world->job, replica->stage)) ss_graph_join(&f->graph, index, f->tie + replica->dp, LABEL_TIES);
}

static void join_all(ss_fold_graph *f)
{
  join_flows(f);
  for (int64_t i = 0; i < f->world->replica_count; ++i) join_replica(f, i);
}

/* Flows look like others of their kind, but for the marks that they are known to have. */
static ss_status mark_flows(ss_fold_graph *f)
{
  if (f->presumption == NULL) return SS_OK;
  f->mark = calloc((size_t)f->flows + 1, sizeof *f->mark);
  if (f->mark == NULL) return SS_ERROR_MEMORY;
  const ss_flow_marks *known = f->presumption->known;
  for (int64_t i = 0; i < known->count; ++i) f->mark[known->mark[i].flow] = known->mark[i].mark;
  return SS_OK;
}

/* Messages of a replica with a slow GPU are late, and come across others on upper links, which are crowded then: all of
 * them take part at once, where there are few such replicas. */
static ss_status keep_odd_links(ss_fold_graph *f)
{
  const ss_world *world = f->world;
  if (f->presumption == NULL || world->perturbation == NULL) return SS_OK;
  bool *odd = calloc((size_t)world->job->replicas + 1, sizeof *odd);
  if (odd == NULL) return SS_ERROR_MEMORY;
  const bool few = ss_perturbation_find_odd(world->perturbation, odd) <= SS_FOLD_ENOUGH;
  for (int64_t i = 0; few && i < f->owners; ++i) {
    const ss_route_owner *owner = &f->owner[i];
    if (owner->kind != SS_TRANSFER_MESSAGE || !odd[world->replica[owner->index].dp]) continue;
    for (int64_t e = 0; e < owner->route->count; ++e) ss_lanes_keep(&f->lanes, f->links, &owner->route->flow[e]);
  }
  free(odd);
  return SS_OK;
}

/* Links that might be crowded take part where that tells only those flows apart that they slow down. */
static ss_status keep_tight_links(ss_fold_graph *f)
{
  if (f->presumption == NULL) return SS_OK;
  const ss_link_set *tight = f->headroom->known_tight;
  f->only_tight = calloc((size_t)f->lanes.links + 1, sizeof *f->only_tight);
  if (f->only_tight == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < tight->count; ++i) f->only_tight[tight->link[i]] = !f->lanes.takes_part[tight->link[i]];
  ss_lanes_keep_set(&f->lanes, tight);
  return SS_OK;
}

/* Whether the replicas of expert groups wait for each other in every block of a kind, in passes that begin with
 * messages. */
static bool meets_in(const ss_job *job, ss_block_kind kind)
{
  bool all = true;
  for (int pass = 0; pass < SS_SIDES; ++pass) {
    const ss_task_list *list = ss_job_tasks(job, kind, (ss_pass)pass);
    bool meets = false;
    for (int64_t i = 0; i < list->count; ++i)
      for (int64_t call = 0; call < list->task[i].calls; ++call)
        meets = meets || list->task[i].call[call].group == SS_GROUP_EXPERT;
    all = all && meets;
  }
  return all;
}

/* Whether they do so in every pass. */
static bool meets_in_all(const ss_job *job)
{
  bool all = true;
  for (int64_t slot = 0; all && slot < job->stages * job->chunks; ++slot) {
    const ss_chunk chunk = {slot / job->chunks, slot % job->chunks};
    bool meets = false;
    for (int64_t i = 0; !meets && i < ss_job_block_count(job, chunk); ++i)
      meets = meets_in(job, ss_job_block_kind(job, chunk, i));
    all = meets;
  }
  return all;
}

/* Messages need not tell replicas apart where flows may be taken for others, and those of an expert group go on
 * together: a message then waits for all types of its flows, whichever replicas have them. Where that was tried often,
 * and what was left of it was too much, they do; and where the first attempt left so few replicas that none were taken
 * for others, but links of the upper levels are short, as it is there that they differ. */
static bool goes_by_groups(const ss_fold_graph *f)
{
  if (!f->near || f->mark == NULL) return false;
  const int64_t tried = f->presumption->known->by_groups;
  const bool begins = f->headroom->known_crowded->count == 0 || tried > 0 || ss_fold_meets_at_ports(f);
  return begins && tried < SS_PRESUMED_GROUPS_MOST && f->world->expert_group_of != NULL &&
         ss_world_meetings(f->world, SS_GROUP_EXPERT) < f->world->job->replicas && meets_in_all(f->world->job);
}

static ss_status build(ss_fold_graph *f)
{
  ss_status status = list_owners(f);
  const ss_link_set *crowded = f->headroom != NULL ? f->headroom->known_crowded : NULL;
  if (status == SS_OK) status = ss_lanes_init(&f->lanes, f->links, crowded);
  if (status == SS_OK) status = keep_odd_links(f);
  if (status == SS_OK) status = keep_tight_links(f);
  if (status == SS_OK && f->splits) status = ss_lanes_split(&f->lanes, f->links, crowded, f->owner, f->owners);
  if (status == SS_OK) status = list_links(f);
  if (status == SS_OK) status = mark_flows(f);
  f->aside = f->link + f->used_links;
  f->meeting = f->aside + (RANKS - 1) * f->used_links;
  if (status == SS_OK) status = ss_graph_init(&f->graph, f->mark != NULL ? f->meeting + f->used_links : f->aside);
  if (status != SS_OK) return status;
  f->by_groups = goes_by_groups(f);
  paint(f);
  f->twin = malloc((size_t)(f->graph.nodes + 1) * sizeof *f->twin);
  if (f->twin == NULL) return SS_ERROR_MEMORY;
  join_all(f);
  status = ss_graph_make_room(&f->graph);
  if (status == SS_OK) join_all(f);
  return status;
}

static ss_graph_bounds bounds_of(const ss_fold_graph *f)
{
  ss_graph_bounds bounds = {0};
  if (f->enough.replicas > 0) bounds.bound[bounds.count++] = (ss_graph_bound){0, f->dp_group, f->enough.replicas};
  if (f->enough.kinds > 0) bounds.bound[bounds.count++] = (ss_graph_bound){f->flow, f->link, f->enough.kinds};
  return bounds;
}

ss_status ss_fold_graph_find(ss_fold_graph *f)
{
  const ss_status status = build(f);
  const ss_graph_bounds bounds = bounds_of(f);
  return status == SS_OK ? ss_graph_refine(&f->graph, &bounds, f->twin, &f->has_enough) : status;
}

bool ss_fold_meets_at_ports(const ss_fold_graph *f)
{
  bool at_ports = true;
  for (int64_t i = 0; at_ports && i < f->owners; ++i)
    for (int64_t e = 0; at_ports && e < f->owner[i].route->count; ++e) {
      int64_t hops;
      const ss_hop *hop = ss_fold_hops(f, &f->owner[i].route->flow[e], &hops);
      for (int64_t h = 0; h < hops; ++h) at_ports = at_ports && (is_port(h, hops) || f->node_of_link[hop[h].link] < 0);
    }
  return at_ports;
}

void ss_fold_graph_free(ss_fold_graph *f)
{
  ss_graph_free(&f->graph);
  free(f->owner);
  free(f->first_flow);
  ss_lanes_free(&f->lanes);
  free(f->only_tight);
  free(f->node_of_link);
  free(f->mark);
  free(f->twin);
  free(f->kind);
}
