#include "sim/import/cluster/tree_routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

typedef struct taking {
  ss_own_draft *draft;
  const ss_ib_fabric *fabric; /* of the draft */
  const ss_ib_ways *ways;
  int64_t ups[SS_OWN_LEVELS + 1], downs[SS_OWN_LEVELS + 1]; /* of a switch, by level, as in model/fabric/fat_tree.c */
  bool *crossed; /* [switches][count] whether a way to a NIC crosses a switch; owned */
  int32_t *turn; /* [links] NICs that took a cable so far; owned */
  ss_error *error;
} taking;

static ss_status out_of_memory(const taking *t)
{
  return ss_error_set(t->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for routes");
}

static const ss_ib_link *next_link(const taking *t, int64_t at, int64_t to)
{
  return &t->fabric->link[t->ways->next[at * t->ways->count + to]];
}

static bool *crossed(const taking *t, int64_t at, int64_t to)
{
  return &t->crossed[at * t->ways->count + to];
}

static bool is_above(const taking *t, int64_t at, int64_t to)
{
  const ss_ib_switch *of = &t->fabric->at[at];
  return of->level == t->draft->tree.levels ||
         of->number / t->ups[of->level] == t->ways->nics[to].number / t->downs[of->level];
}

/* Whether a switch sends what is for a NIC up as long as it is not above it, and down to it then. */
static bool is_tree_hop(const taking *t, int64_t at, int64_t to)
{
  const ss_ib_switch *from = &t->fabric->at[at], *next = &t->fabric->at[next_link(t, at, to)->to];
  if (next->number < 0) return false;
  return is_above(t, at, to) ? next->level == from->level - 1 && is_above(t, next - t->fabric->at, to)
                             : next->level == from->level + 1;
}

/* Whether the tree has the way from a leaf to a NIC, whose switches are crossed then. */
static bool cross(taking *t, int64_t leaf, int64_t to)
{
  for (int64_t at = leaf; next_link(t, at, to)->to >= 0; at = next_link(t, at, to)->to)
    if (!is_tree_hop(t, at, to)) return false;
  for (int64_t at = leaf; at >= 0; at = next_link(t, at, to)->to) *crossed(t, at, to) = true;
  return true;
}

static ss_status cross_all(taking *t)
{
  int64_t others = 0;
  for (int64_t s = 0; s < t->fabric->switches; ++s) {
    if (t->fabric->at[s].level != 1 || t->fabric->at[s].number < 0) continue;
    for (int64_t i = 0; i < t->ways->count; ++i) others += !cross(t, s, i);
  }
  if (others == 0) return SS_OK;
  return ss_own_note(t->draft, t->error,
                     "%s: %" PRId64 " routes from a leaf go another way than up to the first switch above the NIC and "
                     "down from it, and the tree has none other; they are by destination.",
                     t->ways->path, others);
}

static ss_status add(const taking *t, const ss_ib_link *cable, int64_t port, int64_t to)
{
  ss_own_draft *draft = t->draft;
  const ss_ib_switch *below = &t->fabric->at[cable->from];
  ss_own_route *grown = ss_grown(draft->route, draft->routes, &draft->route_room, sizeof *grown);
  if (grown == NULL) return out_of_memory(t);
  draft->route = grown;
  grown[draft->routes++] = (ss_own_route){below->level, below->number, port, t->ways->nics[to].nic};
  return SS_OK;
}

/* The port of the tree that a cable is for one more NIC; a cable that is several there takes them in turn. */
static int64_t next_port(const taking *t, const ss_ib_link *cable)
{
  const ss_own_tree *tree = &t->draft->tree;
  const int64_t level = t->fabric->at[cable->from].level;
  return cable->tree_port + tree->up[level] * (t->turn[cable - t->fabric->link]++ % tree->wide[level]);
}

/* What a switch sends up, where that is not by destination. */
static ss_status take_ups(const taking *t, int64_t at)
{
  const ss_own_tree *tree = &t->draft->tree;
  const int64_t level = t->fabric->at[at].level;
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < t->ways->count; ++i) {
    if (!*crossed(t, at, i) || is_above(t, at, i)) continue;
    const ss_ib_link *up = next_link(t, at, i);
    const int64_t port = next_port(t, up);
    if (port != t->ways->nics[i].number / t->ups[level] % (tree->up[level] * tree->cables[level]))
      status = add(t, up, port, i);
  }
  return status;
}

/* The link that is the other end of one. */
static const ss_ib_link *other_end(const ss_ib_fabric *fabric, const ss_ib_link *link)
{
  const int64_t behind = ss_ib_fabric_first_link(fabric, link->to + 1);
  for (int64_t i = ss_ib_fabric_first_link(fabric, link->to); i < behind; ++i)
    if (fabric->link[i].port == link->to_port && fabric->link[i].to == link->from) return &fabric->link[i];
  return NULL;
}

/* What a switch sends down, where it has several cables to choose from. */
static ss_status take_downs(const taking *t, int64_t at)
{
  const int64_t level = t->fabric->at[at].level;
  ss_status status = SS_OK;
  if (level < 2 || t->draft->tree.cables[level - 1] < 2) return SS_OK;
  for (int64_t i = 0; status == SS_OK && i < t->ways->count; ++i) {
    if (!*crossed(t, at, i) || !is_above(t, at, i)) continue;
    const ss_ib_link *link = next_link(t, at, i), *up = other_end(t->fabric, link);
    if (up == NULL || up->tree_port < 0)
      return ss_error_set(t->error, SS_ERROR_INPUT, t->draft->file[SS_OWN_IB], link->line,
                          "has no port at its other end that is linked back; allowed: the whole output");
    status = add(t, up, next_port(t, up), i);
  }
  return status;
}

static ss_status take_all(taking *t)
{
  const ss_ib_fabric *fabric = t->fabric;
  ss_status status = cross_all(t);
  for (int64_t s = 0; status == SS_OK && s < fabric->switches; ++s)
    if (fabric->at[s].number >= 0) status = take_ups(t, s);
  memset(t->turn, 0, (size_t)fabric->links * sizeof *t->turn);
  for (int64_t s = 0; status == SS_OK && s < fabric->switches; ++s)
    if (fabric->at[s].number >= 0) status = take_downs(t, s);
  return status;
}

ss_status ss_tree_routes_take(ss_own_draft *draft, const ss_ib_ways *ways, ss_error *error)
{
  const ss_ib_fabric *fabric = &draft->fabric;
  const ss_own_tree *tree = &draft->tree;
  taking t = {.draft = draft, .fabric = fabric, .ways = ways, .error = error};
  t.ups[1] = 1;
  t.downs[1] = draft->of_leaf * draft->nics / draft->rails;
  for (int64_t level = 1; level < tree->levels; ++level) {
    t.ups[level + 1] = t.ups[level] * tree->up[level];
    t.downs[level + 1] = t.downs[level] * tree->down[level];
  }
  t.crossed = calloc((size_t)(fabric->switches * ways->count) + 1, sizeof *t.crossed);
  t.turn = calloc((size_t)fabric->links + 1, sizeof *t.turn);
  const ss_status status = t.crossed != NULL && t.turn != NULL ? take_all(&t) : out_of_memory(&t);
  free(t.crossed);
  free(t.turn);
  return status;
}
