#include "sim/import/cluster/fabric_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/import/cluster/fabric_tree.h"

/* What is being found. Leaves are switches of level 1, by their index among all switches. */
typedef struct finding {
  ss_own_draft *draft;
  ss_ib_fabric *fabric; /* borrowed */
  const ss_source *source;
  ss_names nodes;     /* owned */
  int64_t *nics;      /* [nodes.count] of each; owned */
  int64_t *on;        /* [nodes.count][switches] NICs of a node on a switch; owned */
  int64_t *component; /* [switches] the first leaf of those that nodes share; owned */
  int64_t *size;      /* [switches] nodes of the component that begins there; owned */
  int64_t *order;     /* [components] first leaves, those with most nodes first; owned */
  int64_t components, leaves;
  ss_error *error;
} finding;

static ss_status refuse(const finding *f, const char *problem)
{
  return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, 0, "%s", problem);
}

static ss_status out_of_memory(const finding *f)
{
  return ss_error_set(f->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
}

static int64_t *on(const finding *f, int64_t node, int64_t leaf)
{
  return &f->on[node * f->fabric->switches + leaf];
}

/* Lists the names at NICs, and how many each has. */
static ss_status list_names(const finding *f, ss_names *names, int64_t **nics)
{
  const ss_ib_fabric *fabric = f->fabric;
  const ss_printed printed = {.source = f->source};
  *nics = calloc((size_t)fabric->links + 1, sizeof **nics);
  if (*nics == NULL) return out_of_memory(f);
  for (int64_t i = 0; i < fabric->links; ++i) {
    const ss_ib_link *link = &fabric->link[i];
    if (link->to >= 0) continue;
    int64_t node = ss_names_find(names, link->host);
    if (node < 0) {
      const ss_status status = ss_names_add(names, link->host, &printed, f->error);
      if (status != SS_OK) return status;
      node = names->count - 1;
    }
    ++(*nics)[node];
  }
  return SS_OK;
}

/* Hosts that Slurm does not list have no NICs of nodes. */
static void leave_unlisted(const finding *f, const ss_names *names, int64_t *nics)
{
  for (int64_t i = 0; i < names->count; ++i)
    if (ss_names_find(&f->draft->hosts, names->name[i]) < 0) nics[i] = 0;
}

/* The number of NICs that most nodes have. */
static int64_t usual(const ss_names *names, const int64_t *nics)
{
  int64_t best = 0, votes = 0;
  for (int64_t i = 0; i < names->count; ++i) {
    int64_t count = 0;
    for (int64_t k = 0; k < names->count; ++k) count += nics[k] == nics[i];
    if (count <= votes || nics[i] == 0) continue;
    votes = count;
    best = nics[i];
  }
  return best;
}

/* Says which nodes of Slurm have no NIC: the job cannot have them. */
static ss_status note_missing(const finding *f)
{
  const ss_names *listed = &f->draft->hosts;
  int64_t missing = 0, first = 0;
  for (int64_t i = listed->count - 1; i >= 0; --i) {
    if (ss_names_find(&f->nodes, listed->name[i]) >= 0) continue;
    first = i;
    missing++;
  }
  if (missing == 0) return SS_OK;
  return ss_own_note(f->draft, f->error,
                     "%s: %" PRId64 " nodes of Slurm have no NIC in it, such as %s, and are left out.", f->source->path,
                     missing, listed->name[first]);
}

/* The nodes: those that Slurm names, else all that have as many NICs as most. */
static ss_status choose_nodes(finding *f)
{
  ss_names all = {.count = 0};
  const ss_printed printed = {.source = f->source};
  const bool listed = f->draft->hosts.count > 0;
  int64_t *nics = NULL, left_out = 0, first_out = -1;
  ss_status status = list_names(f, &all, &nics);
  if (status == SS_OK && listed) leave_unlisted(f, &all, nics);
  f->draft->nics = status == SS_OK ? usual(&all, nics) : 0;
  for (int64_t i = 0; status == SS_OK && i < all.count; ++i) {
    const bool wanted = listed ? nics[i] > 0 : nics[i] == f->draft->nics;
    if (wanted && nics[i] != f->draft->nics)
      status = refuse(f, "nodes have other numbers of NICs; allowed: as many of each node that Slurm names");
    else if (wanted)
      status = ss_names_add(&f->nodes, all.name[i], &printed, f->error);
    if (wanted || status != SS_OK) continue;
    left_out++;
    if (first_out < 0) first_out = i;
  }
  if (status == SS_OK && left_out > 0)
    status = ss_own_note(f->draft, f->error, "%s: %" PRId64 " hosts are not nodes of the cluster, such as %s.",
                         f->source->path, left_out, all.name[first_out]);
  if (status == SS_OK) status = note_missing(f);
  free(nics);
  ss_names_free(&all);
  if (status != SS_OK || f->nodes.count > 0) return status;
  return refuse(f, "has no nodes; allowed: NICs of one node or more");
}

static ss_status allocate(finding *f)
{
  const size_t switches = (size_t)f->fabric->switches + 1, nodes = (size_t)f->nodes.count + 1;
  f->on = calloc(nodes * switches, sizeof *f->on);
  f->component = calloc(switches, sizeof *f->component);
  f->size = calloc(switches, sizeof *f->size);
  f->order = calloc(switches, sizeof *f->order);
  const bool complete = f->on != NULL && f->component != NULL && f->size != NULL && f->order != NULL;
  return complete ? SS_OK : out_of_memory(f);
}

/* Where each NIC is, and how fast: all are taken as fast as the fastest, which is said. */
static ss_status place_nics(finding *f)
{
  double fastest = 0.0;
  int64_t slow = 0;
  for (int64_t i = 0; i < f->fabric->links; ++i) {
    const ss_ib_link *link = &f->fabric->link[i];
    const int64_t node = link->to < 0 ? ss_names_find(&f->nodes, link->host) : -1;
    if (node < 0) continue;
    ++*on(f, node, link->from);
    if (link->bytes_per_s > fastest) fastest = link->bytes_per_s;
  }
  for (int64_t i = 0; i < f->fabric->links; ++i) {
    const ss_ib_link *link = &f->fabric->link[i];
    slow += link->to < 0 && link->bytes_per_s < fastest && ss_names_find(&f->nodes, link->host) >= 0;
  }
  f->draft->nic_bytes_per_s = fastest;
  if (slow == 0) return SS_OK;
  return ss_own_note(f->draft, f->error, "%s: %" PRId64 " links of NICs are slower than others; all are taken as fast.",
                     f->source->path, slow);
}

/* Joins the leaves that a node has NICs on, until nothing changes. */
static void find_components(finding *f)
{
  const int64_t switches = f->fabric->switches;
  for (int64_t s = 0; s < switches; ++s) f->component[s] = s;
  for (bool any = true; any;) {
    any = false;
    for (int64_t n = 0; n < f->nodes.count; ++n) {
      int64_t least = switches;
      for (int64_t s = 0; s < switches; ++s)
        if (*on(f, n, s) > 0 && f->component[s] < least) least = f->component[s];
      for (int64_t s = 0; s < switches; ++s) {
        if (*on(f, n, s) == 0 || f->component[s] == least) continue;
        f->component[s] = least;
        any = true;
      }
    }
  }
}

/* The component of a node. */
static int64_t component_of(const finding *f, int64_t node)
{
  int64_t s = 0;
  while (*on(f, node, s) == 0) ++s;
  return f->component[s];
}

/* Leaves of a component, with NICs of nodes. */
static int64_t rails_of(const finding *f, int64_t component)
{
  int64_t rails = 0;
  for (int64_t s = 0; s < f->fabric->switches; ++s) {
    if (f->component[s] != component) continue;
    for (int64_t n = 0; n < f->nodes.count; ++n)
      if (*on(f, n, s) > 0) {
        ++rails;
        break;
      }
  }
  return rails;
}

/* Every node has as many NICs on each leaf of its component. */
static ss_status check_even(const finding *f)
{
  const int64_t each = f->draft->nics / f->draft->rails;
  for (int64_t n = 0; n < f->nodes.count; ++n) {
    const int64_t component = component_of(f, n);
    if (rails_of(f, component) != f->draft->rails)
      return refuse(f, "some nodes are on other numbers of leaf switches; allowed: all NICs of a node on one leaf, or "
                       "rails that all nodes have");
    for (int64_t s = 0; s < f->fabric->switches; ++s)
      if (*on(f, n, s) > 0 && (*on(f, n, s) != each || each * f->draft->rails != f->draft->nics)) {
        char problem[SS_MESSAGE_SIZE];
        (void)snprintf(problem, sizeof problem,
                       "%s has %" PRId64 " of its %" PRId64 " NICs on switch %s; allowed: as many on each of %" PRId64
                       " leaves",
                       f->nodes.name[n], *on(f, n, s), f->draft->nics, f->fabric->at[s].guid, f->draft->rails);
        return refuse(f, problem);
      }
  }
  return SS_OK;
}

/* The place of the leaves of a component among all groups of leaves. A component is called by its first leaf. */
static int64_t group_of(const finding *f, int64_t component)
{
  return f->fabric->at[component].number / f->draft->rails;
}

/* Components with most nodes first, so that places stay empty at the end. */
static void sort_components(finding *f)
{
  for (int64_t n = 0; n < f->nodes.count; ++n) f->size[component_of(f, n)]++;
  for (int64_t s = 0; s < f->fabric->switches; ++s) {
    if (f->size[s] == 0) continue;
    int64_t at = f->components++;
    for (; at > 0 && f->size[f->order[at - 1]] < f->size[s]; --at) f->order[at] = f->order[at - 1];
    f->order[at] = s;
  }
  for (int64_t c = 0; c < f->components; ++c)
    for (int64_t s = 0; s < f->fabric->switches; ++s)
      if (f->fabric->at[s].level == 1 && f->component[s] == f->order[c]) f->fabric->at[s].number = f->leaves++;
}

/* Components in the order of their leaves in the tree, where there is one. */
static void sort_groups(finding *f)
{
  for (int64_t c = 1; c < f->components; ++c) {
    const int64_t component = f->order[c];
    int64_t at = c;
    for (; at > 0 && group_of(f, f->order[at - 1]) > group_of(f, component); --at) f->order[at] = f->order[at - 1];
    f->order[at] = component;
  }
}

static ss_status place_nodes(finding *f)
{
  ss_own_draft *draft = f->draft;
  const ss_printed printed = {.source = f->source};
  draft->of_leaf = f->size[f->order[0]];
  const int64_t groups = group_of(f, f->order[f->components - 1]) + 1;
  draft->places = groups * draft->of_leaf;
  ss_names_free(&draft->hosts);
  free(draft->place);
  draft->place = calloc((size_t)f->nodes.count, sizeof *draft->place);
  if (draft->place == NULL) return out_of_memory(f);
  ss_status status = SS_OK;
  for (int64_t c = 0; status == SS_OK && c < f->components; ++c) {
    int64_t next = group_of(f, f->order[c]) * draft->of_leaf;
    for (int64_t n = 0; status == SS_OK && n < f->nodes.count; ++n) {
      if (component_of(f, n) != f->order[c]) continue;
      status = ss_names_add(&draft->hosts, f->nodes.name[n], &printed, f->error);
      if (status == SS_OK) draft->place[draft->hosts.count - 1] = next++;
    }
  }
  if (status == SS_OK && draft->places > f->nodes.count)
    status = ss_own_note(draft, f->error, "%s: leaves have %" PRId64 " nodes or fewer: %" PRId64 " places stay empty.",
                         f->source->path, draft->of_leaf, draft->places - f->nodes.count);
  return status;
}

/* No cables between switches of one level. */
static ss_status check_levels(const finding *f)
{
  for (int64_t i = 0; i < f->fabric->links; ++i) {
    const ss_ib_link *link = &f->fabric->link[i];
    if (link->to >= 0 && f->fabric->at[link->from].level == f->fabric->at[link->to].level)
      return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, link->line,
                          "links two switches of level %" PRId64 ": not a fat tree; allowed: a fat tree, or stepsim "
                          "platform --fabric KIND for another one",
                          f->fabric->at[link->from].level);
  }
  return SS_OK;
}

/* The cables above leaves, where they are a fat tree's. */
static ss_status find_tree(const finding *f)
{
  ss_own_draft *draft = f->draft;
  char why[SS_MESSAGE_SIZE];
  draft->levels = f->fabric->levels;
  if (draft->levels < 2) {
    draft->tree.levels = draft->levels;
    return SS_OK;
  }
  const ss_status status = ss_own_take_tree(draft, f->fabric, why, f->error);
  if (status == SS_OK && draft->tree.levels > 0) draft->levels = draft->tree.levels;
  if (status != SS_OK || why[0] == '\0') return status;
  if (draft->levels == 2)
    return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, 0,
                        "its cables above the leaves are not those of a fat tree: %s; allowed: (nearly) as many from "
                        "each leaf to each switch above",
                        why);
  return ss_own_note(draft, f->error,
                     "%s: its cables above the leaves are not those of a fat tree (%s): they are taken as those of a "
                     "full one, which the option taper changes.",
                     f->source->path, why);
}

static ss_status note_reducing(const finding *f)
{
  if (f->fabric->aggregation == 0) return SS_OK;
  return ss_own_note(f->draft, f->error,
                     "%s: %" PRId64 " switches reduce (SHARP); the platform has that with "
                     "platform.fabric-reduces=1.",
                     f->source->path, f->fabric->aggregation);
}

ss_status ss_own_take_fabric(ss_own_draft *draft, ss_ib_fabric *fabric, const ss_source *source, ss_error *error)
{
  finding f = {.draft = draft, .fabric = fabric, .source = source, .error = error};
  ss_status status = choose_nodes(&f);
  if (status == SS_OK) status = allocate(&f);
  if (status == SS_OK) status = place_nics(&f);
  if (status == SS_OK) {
    find_components(&f);
    draft->rails = rails_of(&f, component_of(&f, 0));
    status = check_even(&f);
  }
  if (status == SS_OK) {
    sort_components(&f);
    status = check_levels(&f);
  }
  if (status == SS_OK) status = find_tree(&f);
  if (status == SS_OK) {
    sort_groups(&f);
    status = place_nodes(&f);
  }
  if (status == SS_OK) status = note_reducing(&f);
  ss_names_free(&f.nodes);
  free(f.on);
  free(f.component);
  free(f.size);
  free(f.order);
  return status;
}
