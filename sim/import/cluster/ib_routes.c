#include "sim/import/cluster/ib_routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "sim/import/cluster/assignment.h"
#include "sim/import/cluster/tree_routes.h"

enum { MOST_SHIFTS = 1024, MOST_CABLES = 256, MOST_ROUTES = 1 << 28 };

/* Where a switch has no link for a NIC: its table has no port, or one without a cable. */
enum { NO_ENTRY = -1, NO_CABLE = -2 };

typedef struct following {
  const ss_own_draft *draft;
  const ss_ib_fabric *fabric;
  const ss_ib_tables *tables;
  const ss_source *source;
  ss_ib_nic *nics; /* [count] in the order of the platform; owned */
  int64_t count;
  int32_t *next; /* [switches][count] the link that a switch sends through, or why there is none; owned */
  int32_t *load; /* [links] messages; owned */
  int64_t *ups;  /* [switches] cables of each to other switches; owned */
  ss_error *error;
} following;

static ss_status out_of_memory(const following *f)
{
  return ss_error_set(f->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for routes");
}

/* By leaves, those of the first places first, then by place; NICs of a node stay in the order of the file. */
static int compare_nics(const void *left, const void *right)
{
  const ss_ib_nic *a = left, *b = right;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return a->link < b->link ? -1 : 1;
}

/* Numbers NICs leaf by leaf, as those of the platform are; empty places and leaves have numbers, too. On a leaf of
 * rails, the first NICs of all its nodes there come first (ss_fabric_host). */
static void number_nics(following *f)
{
  const int64_t rails = f->draft->rails > 1 ? f->draft->rails : 1, per_leaf = f->draft->nics / rails;
  const int64_t of_leaf = f->draft->of_leaf;
  int64_t of_node = 0;
  for (int64_t i = 0; i < f->count; ++i) {
    ss_ib_nic *at = &f->nics[i];
    const bool same = i > 0 && at->leaf == at[-1].leaf;
    const int64_t leaf = f->fabric->at[at->leaf].number;
    of_node = same && at->place == at[-1].place ? of_node + 1 : 0;
    const int64_t rail = leaf % rails;
    at->nic = at->place * f->draft->nics + rail * per_leaf + of_node;
    at->number = rails == 1 ? at->nic : (leaf * per_leaf + of_node) * of_leaf + at->place % of_leaf;
  }
}

static ss_status list_nics(following *f)
{
  f->nics = calloc((size_t)f->fabric->links + 1, sizeof *f->nics);
  if (f->nics == NULL) return out_of_memory(f);
  for (int64_t i = 0; i < f->fabric->links; ++i) {
    const ss_ib_link *link = &f->fabric->link[i];
    const int64_t node = link->to < 0 ? ss_names_find(&f->draft->hosts, link->host) : -1;
    if (node < 0) continue;
    const int64_t place = f->draft->place[node];
    f->nics[f->count++] = (ss_ib_nic){
        .leaf = link->from, .place = place, .link = i, .lid = link->lid, .number = place / f->draft->of_leaf};
  }
  qsort(f->nics, (size_t)f->count, sizeof *f->nics, compare_nics);
  number_nics(f);
  return SS_OK;
}

/* The link of a switch through each port of a table; NO_CABLE where none is there. */
static void list_ports(const ss_ib_fabric *fabric, int64_t from, int32_t link[MOST_CABLES])
{
  for (int port = 0; port < MOST_CABLES; ++port) link[port] = NO_CABLE;
  const int64_t first = ss_ib_fabric_first_link(fabric, from);
  for (int64_t i = ss_ib_fabric_first_link(fabric, from + 1) - 1; i >= first; --i)
    if (fabric->link[i].port < MOST_CABLES) link[fabric->link[i].port] = (int32_t)i;
}

static const ss_ib_table *table_of(const following *f, int64_t from)
{
  const char *guid = f->fabric->at[from].guid;
  return ss_ib_tables_find(f->tables, strtoull(guid + strcspn(guid, "-") + 1, NULL, 16));
}

/* Refuses a table with a LID that no port has. */
static ss_status check_lids(const following *f, const ss_ib_table *table)
{
  for (int64_t i = table->first; i < table->first + table->count; ++i) {
    const ss_ib_entry *entry = &f->tables->entry[i];
    if (!f->fabric->has_lid[entry->lid])
      return ss_error_set(
          f->error, SS_ERROR_INPUT, f->source->path, entry->line,
          "is for LID %d, which no port has in %s; allowed: tables of the fabric whose cables are given", entry->lid,
          f->draft->file[SS_OWN_IB]);
  }
  return SS_OK;
}

/* Where a switch sends what is for each NIC. */
static ss_status look_up(following *f, int64_t from)
{
  const ss_ib_switch *at = &f->fabric->at[from];
  const ss_ib_table *table = table_of(f, from);
  int32_t link[MOST_CABLES];
  if (table == NULL)
    return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, 0,
                        "has no table of switch %s (%s); allowed: the tables of all switches", at->guid, at->name);
  list_ports(f->fabric, from, link);
  for (int64_t i = 0; i < f->count; ++i) {
    const ss_ib_entry *entry = ss_ib_table_entry(f->tables, table, f->nics[i].lid);
    f->next[from * f->count + i] = entry == NULL ? NO_ENTRY : link[entry->port];
  }
  return check_lids(f, table);
}

static ss_status check_switches(const following *f)
{
  for (int64_t i = 0; i < f->tables->count; ++i) {
    bool found = false;
    for (int64_t s = 0; !found && s < f->fabric->switches; ++s) found = table_of(f, s) == &f->tables->of[i];
    if (!found)
      return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, f->tables->of[i].line,
                          "is the table of a switch that %s does not have; allowed: tables of the fabric whose cables "
                          "are given",
                          f->draft->file[SS_OWN_IB]);
  }
  return SS_OK;
}

static ss_status look_up_all(following *f)
{
  const int64_t switches = f->fabric->switches;
  if (switches * f->count > MOST_ROUTES)
    return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, 0,
                        "is of %" PRId64 " switches and %" PRId64 " NICs; allowed: a product of up to %d", switches,
                        f->count, MOST_ROUTES);
  f->next = malloc(((size_t)(switches * f->count) + 1) * sizeof *f->next);
  f->load = calloc((size_t)f->fabric->links + 1, sizeof *f->load);
  f->ups = calloc((size_t)switches + 1, sizeof *f->ups);
  if (f->next == NULL || f->load == NULL || f->ups == NULL) return out_of_memory(f);
  for (int64_t i = 0; i < f->fabric->links; ++i) f->ups[f->fabric->link[i].from] += f->fabric->link[i].to >= 0;
  ss_status status = check_switches(f);
  for (int64_t s = 0; status == SS_OK && s < switches; ++s)
    if (f->fabric->at[s].level > 0) status = look_up(f, s);
  return status;
}

/* Goes from a leaf to a NIC, and adds a message to the cables between switches. Returns where it ends: -1 at the NIC,
 * else the switch that sends it elsewhere; the leaf itself where the way has no end. */
static int64_t follow(following *f, int64_t leaf, int64_t to)
{
  int64_t at = leaf;
  for (int64_t hops = 0; hops <= 2 * f->fabric->levels; ++hops) {
    const int32_t link = f->next[at * f->count + to];
    if (link < 0) return at;
    if (f->fabric->link[link].to < 0) return link == f->nics[to].link ? -1 : at;
    f->load[link]++;
    at = f->fabric->link[link].to;
  }
  return leaf;
}

/* Refuses what a switch does with a message to a NIC. */
static ss_status refuse_route(const following *f, int64_t at, int64_t to)
{
  const ss_ib_link *own = &f->fabric->link[f->nics[to].link];
  const ss_ib_table *table = table_of(f, at);
  SS_ASSERT(table != NULL);
  const ss_ib_entry *entry = ss_ib_table_entry(f->tables, table, own->lid);
  const int32_t link = f->next[at * f->count + to];
  const char *space = own->device[0] != '\0' ? " " : "", *problem = "has no port for it";
  if (link == NO_CABLE) problem = "sends it through a port without a cable";
  if (link >= 0)
    problem = f->fabric->link[link].to < 0 ? "sends it to another NIC" : "sends it on a way that does not end there";
  return ss_error_set(f->error, SS_ERROR_INPUT, f->source->path, entry != NULL ? entry->line : table->line,
                      "LID %" PRId64 " is of %s%s%s, and switch %s (%s) %s; allowed: tables of the fabric whose cables "
                      "are given",
                      own->lid, own->host, space, own->device, f->fabric->at[at].guid, f->fabric->at[at].name, problem);
}

static ss_status check_routes(following *f)
{
  SS_ASSERT(f->next != NULL);
  for (int64_t s = 0; s < f->fabric->switches; ++s)
    for (int64_t i = 0; f->fabric->at[s].level == 1 && i < f->count; ++i) {
      const int64_t end = follow(f, s, i);
      if (end >= 0) return refuse_route(f, end, i);
    }
  return SS_OK;
}

/* The cables of a leaf to other switches, by their links. */
static int64_t cables_up(const following *f, int64_t leaf, int64_t *cable)
{
  int64_t count = 0;
  const int64_t behind = ss_ib_fabric_first_link(f->fabric, leaf + 1);
  for (int64_t i = ss_ib_fabric_first_link(f->fabric, leaf); i < behind && count < MOST_CABLES; ++i)
    if (f->fabric->link[i].to >= 0) cable[count++] = i;
  return count;
}

/* Counts the routes of a leaf to NICs of others, and those by the rule: each remainder of a destination has a cable of
 * its own, so that most routes are on that of theirs. */
static ss_status count_ruled(following *f, int64_t leaf, int64_t *all, int64_t *ruled)
{
  int64_t cable[MOST_CABLES];
  const int64_t cables = cables_up(f, leaf, cable);
  int64_t *routes = calloc((size_t)(cables * cables) + 1, sizeof *routes);
  if (routes == NULL) return out_of_memory(f);
  for (int64_t i = 0; i < f->count; ++i) {
    if (f->nics[i].leaf == leaf) continue;
    for (int64_t k = 0; k < cables; ++k)
      routes[f->nics[i].number % cables * cables + k] += cable[k] == f->next[leaf * f->count + i];
    ++*all;
  }
  int64_t most = 0;
  const ss_status status = ss_assignment_best(routes, cables, &most, f->error);
  *ruled += most;
  free(routes);
  return status;
}

/* Messages on the busiest cable when each NIC sends to the one that is `shift` further on. */
static int32_t busiest(following *f, int64_t shift)
{
  int32_t most = 0;
  memset(f->load, 0, (size_t)f->fabric->links * sizeof *f->load);
  for (int64_t i = 0; i < f->count; ++i) (void)follow(f, f->nics[i].leaf, (i + shift) % f->count);
  for (int64_t i = 0; i < f->fabric->links; ++i)
    if (f->load[i] > most) most = f->load[i];
  return most;
}

/* The most messages of a leaf on each of its cables up, were they shared evenly. */
static int64_t even_share(const following *f, int64_t shift)
{
  int64_t most = 0;
  for (int64_t first = 0, last; first < f->count; first = last) {
    const int64_t leaf = f->nics[first].leaf, cables = f->ups[leaf];
    int64_t leaving = 0;
    for (last = first; last < f->count && f->nics[last].leaf == leaf; ++last)
      leaving += f->nics[(last + shift) % f->count].leaf != leaf;
    const int64_t share = cables > 0 ? ss_divide_up(leaving, cables) : 0;
    if (share > most) most = share;
  }
  return most;
}

static ss_status note_rule(following *f, ss_own_draft *draft)
{
  int64_t all = 0, ruled = 0;
  ss_status status = SS_OK;
  for (int64_t s = 0; status == SS_OK && s < f->fabric->switches; ++s)
    if (f->fabric->at[s].level == 1) status = count_ruled(f, s, &all, &ruled);
  if (status != SS_OK) return status;
  return ss_own_note(draft, f->error,
                     "%s: of %" PRId64 " routes from a leaf to NICs of others, %" PRId64 " (%.3g %%) leave by another "
                     "cable than by destination (its number modulo the cables, in the order of cables that fits best).",
                     f->source->path, all, all - ruled, 100.0 * (double)(all - ruled) / (double)all);
}

static ss_status note_load(following *f, ss_own_draft *draft)
{
  const int64_t step = (f->count - 1 + MOST_SHIFTS - 1) / MOST_SHIFTS;
  double sum = 0.0, even = 0.0;
  int32_t worst = 0;
  int64_t shifts = 0;
  for (int64_t shift = 1; shift < f->count; shift += step, ++shifts) {
    const int32_t most = busiest(f, shift);
    sum += most;
    even += (double)even_share(f, shift);
    if (most > worst) worst = most;
  }
  return ss_own_note(draft, f->error,
                     "%s: when all NICs send to the one as many places further on, the busiest cable between switches "
                     "has %.3g messages on average over %" PRId64 " distances and %" PRId32
                     " at most; cables of a leaf "
                     "that share evenly, %.3g.",
                     f->source->path, sum / (double)shifts, shifts, worst, even / (double)shifts);
}

ss_status ss_own_take_routes(ss_own_draft *draft, const ss_ib_tables *tables, const ss_source *source, ss_error *error)
{
  following f = {.draft = draft, .fabric = &draft->fabric, .tables = tables, .source = source, .error = error};
  if (draft->fabric.links == 0)
    return ss_error_set(error, SS_ERROR_INPUT, source->path, 0,
                        "has forwarding tables, but no cables are given; allowed: with the output of ibnetdiscover");
  ss_status status = list_nics(&f);
  if (status == SS_OK) status = look_up_all(&f);
  if (status == SS_OK) status = check_routes(&f);
  const bool several = f.count > 0 && f.nics[0].leaf != f.nics[f.count - 1].leaf;
  if (status == SS_OK && several) status = note_rule(&f, draft);
  if (status == SS_OK && several) status = note_load(&f, draft);
  const ss_ib_ways ways = {.nics = f.nics, .count = f.count, .next = f.next, .path = source->path};
  if (status == SS_OK && draft->tree.levels > 1) status = ss_tree_routes_take(draft, &ways, error);
  free(f.nics);
  free(f.next);
  free(f.load);
  free(f.ups);
  return status;
}
