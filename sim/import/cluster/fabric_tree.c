#include "sim/import/cluster/fabric_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/cluster/tree_parts.h"

/* Numbers of switches of a level, with those that are missing. */
enum { MOST_NUMBERS = 1 << 20 };

/* What is being numbered. The number of a switch of level m is label + ups * place: the place of its subtree among
 * those of its level, and a label that says through which of the switches above its leaves it is reached: below the
 * number of them, `ups`, which is up[m - 1] times that of the level below. All switches of a plane have one number of
 * the level below in their labels, and so have the switches that they are above. */
typedef struct numbering {
  ss_own_draft *draft;
  ss_ib_fabric *fabric; /* borrowed */
  ss_tree_parts parts;
  ss_own_tree tree;
  int64_t ups[SS_OWN_LEVELS + 1], subtrees[SS_OWN_LEVELS + 1]; /* by level */
  int64_t *place;                                              /* [levels + 1][switches] of subtrees; owned */
  int64_t *low;                                                /* [levels + 1][switches] of planes; owned */
  int64_t *label;                                              /* [switches] owned */
  int64_t *taken;                                              /* [most labels] when each was given last; owned */
  int64_t *at; /* [switches of a level with those that are missing] -1: missing; owned */
  int64_t rounds;
  char *why; /* [SS_MESSAGE_SIZE] borrowed */
} numbering;

static bool is_no_tree(const numbering *n, int64_t at, const char *problem)
{
  const ss_ib_switch *of = &n->fabric->at[at];
  (void)snprintf(n->why, SS_MESSAGE_SIZE, "switch %s (%s) %s", of->guid, of->name, problem);
  return false;
}

static int64_t *place_of(const numbering *n, int64_t level, int64_t subtree)
{
  return &n->place[level * n->parts.switches + subtree];
}

static int64_t *low_of(const numbering *n, int64_t level, int64_t at)
{
  return &n->low[level * n->parts.switches + ss_tree_plane(&n->parts, level, at)];
}

static bool is_of(const numbering *n, int64_t at, int64_t level, int64_t subtree_level, int64_t subtree)
{
  return n->parts.level[at] == level && ss_tree_subtree(&n->parts, subtree_level, at) == subtree;
}

/* A subtree while those of its level are put in order: by what they are in, those with most leaves first, so that
 * places stay empty at the end, then in the order of leaves. */
typedef struct sorted {
  int64_t head, in, leaves, least;
} sorted;

static int compare(const void *left, const void *right)
{
  const sorted *a = left, *b = right;
  if (a->in != b->in) return a->in < b->in ? -1 : 1;
  if (a->leaves != b->leaves) return a->leaves > b->leaves ? -1 : 1;
  return (a->least > b->least) - (a->least < b->least);
}

/* Subtrees of a level, of which the places of those of the next are known. `all` [switches] has room. */
static int64_t list_subtrees(const numbering *n, int64_t level, sorted *all)
{
  const ss_tree_parts *parts = &n->parts;
  int64_t count = 0;
  for (int64_t s = 0; s < parts->switches; ++s) all[s] = (sorted){.head = s, .least = INT64_MAX};
  for (int64_t s = 0; s < parts->switches; ++s) {
    if (parts->level[s] != 1) continue;
    sorted *of = &all[ss_tree_subtree(parts, level, s)];
    of->leaves++;
    if (n->fabric->at[s].number < of->least) of->least = n->fabric->at[s].number;
  }
  for (int64_t s = 0; s < parts->switches; ++s) {
    if (all[s].leaves == 0) continue;
    all[count] = all[s];
    all[count].in = *place_of(n, level + 1, ss_tree_subtree(parts, level + 1, s));
    count++;
  }
  return count;
}

static ss_status place_subtrees(const numbering *n, ss_error *error)
{
  sorted *all = calloc((size_t)n->parts.switches + 1, sizeof *all);
  if (all == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  for (int64_t level = n->parts.levels - 1; level >= 1; --level) {
    const int64_t count = list_subtrees(n, level, all);
    qsort(all, (size_t)count, sizeof *all, compare);
    for (int64_t i = 0, next = 0; i < count; ++i) {
      next = i > 0 && all[i].in == all[i - 1].in ? next + 1 : 0;
      *place_of(n, level, all[i].head) = next + n->tree.down[level] * all[i].in;
    }
  }
  free(all);
  return SS_OK;
}

/* Gives a label to a switch, one that no other one has had in this round. */
static bool give(numbering *n, int64_t at, int64_t label)
{
  const bool is_new = n->taken[label] != n->rounds;
  n->taken[label] = n->rounds;
  n->label[at] = label;
  return is_new;
}

/* The first label below `most` that none has had in this round; -1 where all are given. */
static int64_t spare(const numbering *n, int64_t most)
{
  int64_t label = 0;
  while (label < most && n->taken[label] == n->rounds) ++label;
  return label < most ? label : -1;
}

/* Labels of the switches of a subtree's level, from those of its first part: switches of a plane in their order. */
static bool choose_labels(numbering *n, int64_t level, int64_t subtree)
{
  const ss_tree_parts *parts = &n->parts;
  const int64_t ups = n->ups[level - 1];
  for (int64_t s = 0; s < parts->switches; ++s) {
    if (!is_of(n, s, level, level, subtree)) continue;
    int64_t *low = low_of(n, level, s);
    if (*low < 0) *low = spare(n, ups);
    if (*low < 0) return is_no_tree(n, s, "is above other switches than those of its level are");
    n->taken[*low] = n->rounds;
    n->label[s] = *low;
  }
  for (int64_t s = 0; s < parts->switches; ++s) {
    if (!is_of(n, s, level, level, subtree)) continue;
    for (int64_t before = 0; before < s; ++before)
      if (is_of(n, before, level, level, subtree) && n->label[before] % ups == n->label[s] % ups)
        n->label[s] = n->label[before] + ups;
  }
  return true;
}

/* Whether the labels of these switches fit their planes, of which each has a number of the level below of its own. */
static bool take_labels(numbering *n, int64_t level, int64_t subtree)
{
  n->rounds++;
  for (int64_t s = 0; s < n->parts.switches; ++s) {
    if (!is_of(n, s, level, level, subtree)) continue;
    const int64_t label = n->label[s] % n->ups[level - 1];
    int64_t *low = low_of(n, level, s);
    const bool is_first = *low < 0;
    if (is_first) *low = label;
    if (*low != label || (is_first && n->taken[label] == n->rounds))
      return is_no_tree(n, s, "is above other switches than those that share the ones above it are");
    n->taken[label] = n->rounds;
  }
  return true;
}

/* Labels of the switches of a part of a subtree, from the planes that they share with those above. */
static bool label_part(numbering *n, int64_t level, int64_t part)
{
  n->rounds++;
  for (int64_t s = 0; s < n->parts.switches; ++s)
    if (is_of(n, s, level, level, part) && *low_of(n, level + 1, s) >= 0 && !give(n, s, *low_of(n, level + 1, s)))
      return is_no_tree(n, s, "has switches above it that another one of its part of the fabric has, too");
  for (int64_t s = 0; s < n->parts.switches; ++s) {
    if (!is_of(n, s, level, level, part) || *low_of(n, level + 1, s) >= 0) continue;
    const int64_t label = spare(n, n->ups[level]);
    if (label < 0) return is_no_tree(n, s, "is linked to none of the switches above");
    (void)give(n, s, label);
  }
  return true;
}

/* Numbers of planes from the labels of the first part of a subtree. */
static bool take_part(numbering *n, int64_t level, int64_t part)
{
  n->rounds++;
  for (int64_t s = 0; s < n->parts.switches; ++s) {
    if (!is_of(n, s, level, level, part)) continue;
    int64_t *low = low_of(n, level + 1, s);
    if (*low >= 0) return is_no_tree(n, s, "has switches above it that another one of its part of the fabric has, too");
    *low = n->label[s];
    n->taken[*low] = n->rounds;
  }
  return true;
}

static int64_t first_part(const numbering *n, int64_t level, int64_t subtree)
{
  int64_t s = 0;
  while (ss_tree_subtree(&n->parts, level - 1, s) != s || ss_tree_subtree(&n->parts, level, s) != subtree ||
         *place_of(n, level - 1, s) % n->tree.down[level - 1] != 0)
    ++s;
  return s;
}

/* Labels the switches of a subtree: those of its own level where they have none, from the labels of its first part, and
 * then those of all other parts. An order of a fat tree's first part fits all others in some order. */
static bool label_subtree(numbering *n, int64_t level, int64_t subtree, bool has_labels)
{
  if (level == 1) return true; /* a leaf: label 0 */
  const int64_t first = has_labels ? -1 : first_part(n, level, subtree);
  bool fits = has_labels ? take_labels(n, level, subtree)
                         : label_subtree(n, level - 1, first, false) && take_part(n, level - 1, first) &&
                               choose_labels(n, level, subtree);
  for (int64_t s = 0; fits && s < n->parts.switches; ++s) {
    const bool is_part =
        ss_tree_subtree(&n->parts, level - 1, s) == s && ss_tree_subtree(&n->parts, level, s) == subtree;
    if (is_part && s != first) fits = label_part(n, level - 1, s) && label_subtree(n, level - 1, s, true);
  }
  return fits;
}

/* Adds a cable that is slower than others, in both directions. */
static bool slow_cable(numbering *n, int64_t at, int64_t port, double factor)
{
  char name[SS_LINK_NAME_SIZE], *text = n->draft->link_speed;
  const size_t used = strlen(text);
  ss_own_switch_name(n->parts.level[at], n->fabric->at[at].number, name);
  const int length =
      snprintf(text + used, SS_LINK_SPEED_SIZE - used, "%s%s:up-%" PRId64 ":%.4g %s:down-%" PRId64 ":%.4g",
               used > 0 ? " " : "", name, port, factor, name, port, factor);
  if (used + (size_t)length < SS_LINK_SPEED_SIZE) return true;
  return is_no_tree(n, at, "and those before it have too many cables up that are missing or slow");
}

/* The cables from a switch to one above it; how many there are. */
static int64_t cables_to(const numbering *n, int64_t at, int64_t above, int64_t *first)
{
  const ss_tree_parts *parts = &n->parts;
  int64_t i = parts->first[at], count = 0;
  while (i < parts->first[at + 1] && n->fabric->link[parts->cable[i]].to != above) ++i;
  *first = i;
  while (i + count < parts->first[at + 1] && n->fabric->link[parts->cable[i + count]].to == above) ++count;
  return count;
}

/* Most cables to one switch, and how many of the tree one is: more than one where it is faster than a NIC. */
static void count_cables(numbering *n, int64_t level)
{
  const ss_tree_parts *parts = &n->parts;
  double fastest = 0.0;
  for (int64_t i = 0; i < parts->cables; ++i) {
    const ss_ib_link *link = &n->fabric->link[parts->cable[i]];
    int64_t first;
    if (parts->level[link->from] != level || parts->level[link->to] != level + 1) continue;
    const int64_t count = cables_to(n, link->from, link->to, &first);
    if (count > n->tree.cables[level]) n->tree.cables[level] = count;
    if (link->bytes_per_s > fastest) fastest = link->bytes_per_s;
  }
  const double speed = fastest / n->draft->nic_bytes_per_s;
  n->tree.wide[level] = speed >= 1.5 ? (int64_t)(speed + 0.5) : 1;
  n->tree.cables[level] *= n->tree.wide[level];
}

/* The cables from a switch to the u-th above it as ports of the tree, missing and slow ones in link-speed. */
static bool take_cables(numbering *n, int64_t at, int64_t u, int64_t above)
{
  const int64_t level = n->parts.level[at], wide = n->tree.wide[level];
  int64_t first = 0;
  const int64_t count = above >= 0 ? cables_to(n, at, above, &first) : 0;
  bool fits = true;
  for (int64_t k = 0; fits && k < n->tree.cables[level]; ++k) {
    const int64_t port = u + n->tree.up[level] * k, physical = k / wide;
    ss_ib_link *cable = physical < count ? &n->fabric->link[n->parts.cable[first + physical]] : NULL;
    const double factor = cable != NULL ? cable->bytes_per_s / (double)wide / n->draft->nic_bytes_per_s : 0.0;
    if (cable != NULL && k % wide == 0) cable->tree_port = port;
    if (factor < 0.999) fits = slow_cable(n, at, port, factor);
  }
  return fits;
}

/* All cables from a level up. */
static bool take_level(numbering *n, int64_t level)
{
  const ss_tree_parts *parts = &n->parts;
  const int64_t ups = n->ups[level], above = level + 1;
  bool fits = true;
  for (int64_t i = 0; i < n->ups[above] * n->subtrees[above]; ++i) n->at[i] = -1;
  for (int64_t s = 0; s < parts->switches; ++s)
    if (parts->level[s] == above) n->at[n->fabric->at[s].number] = s;
  count_cables(n, level);
  for (int64_t s = 0; s < parts->switches; ++s) {
    if (parts->level[s] != level) continue;
    const int64_t place = *place_of(n, above, ss_tree_subtree(parts, above, s));
    for (int64_t u = 0; fits && u < n->tree.up[level]; ++u)
      fits = take_cables(n, s, u, n->at[n->label[s] + ups * (u + n->tree.up[level] * place)]);
  }
  return fits;
}

/* Whether each group of leaves with rails is below the same switches; groups are in the order of leaves. */
static bool joins_rails(numbering *n)
{
  const ss_tree_parts *parts = &n->parts;
  int64_t *subtree = n->label; /* of each group */
  bool fits = true;
  for (int64_t s = 0; s < parts->switches; ++s) subtree[s] = -1;
  for (int64_t s = 0; fits && s < parts->switches; ++s) {
    if (parts->level[s] != 1) continue;
    int64_t *of = &subtree[n->fabric->at[s].number / n->draft->rails];
    if (*of < 0) *of = ss_tree_subtree(parts, 2, s);
    if (*of != ss_tree_subtree(parts, 2, s))
      fits = is_no_tree(n, s, "has other switches above it than the leaf of other NICs of its nodes");
  }
  memset(n->label, 0, (size_t)parts->switches * sizeof *n->label);
  return fits;
}

static bool size_levels(numbering *n)
{
  const int64_t levels = n->parts.levels;
  n->ups[1] = n->subtrees[levels] = 1;
  bool fits = true;
  for (int64_t level = 1; level < levels; ++level) {
    n->ups[level + 1] = n->ups[level] * n->tree.up[level];
    fits = fits && n->ups[level + 1] <= MOST_NUMBERS;
  }
  for (int64_t level = levels - 1; fits && level >= 1; --level) {
    n->subtrees[level] = n->subtrees[level + 1] * n->tree.down[level];
    fits = n->subtrees[level] * n->ups[level] <= MOST_NUMBERS;
  }
  if (!fits) (void)snprintf(n->why, SS_MESSAGE_SIZE, "parts of the fabric have very different numbers of switches");
  return fits;
}

static ss_status allocate(numbering *n, ss_error *error)
{
  const int64_t levels = n->parts.levels, switches = n->parts.switches;
  const size_t all = (size_t)((levels + 1) * switches + 1);
  int64_t most = 1;
  for (int64_t level = 1; level <= levels; ++level)
    if (n->ups[level] * n->subtrees[level] > most) most = n->ups[level] * n->subtrees[level];
  n->place = calloc(all, sizeof *n->place);
  n->low = calloc(all, sizeof *n->low);
  n->label = calloc((size_t)switches + 1, sizeof *n->label);
  n->taken = calloc((size_t)most, sizeof *n->taken);
  n->at = calloc((size_t)most, sizeof *n->at);
  if (n->place == NULL || n->low == NULL || n->label == NULL || n->taken == NULL || n->at == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  for (size_t i = 0; i < all; ++i) n->low[i] = -1;
  return SS_OK;
}

/* Gives switches their numbers, and cables their ports; all back where that does not fit. */
static void number(numbering *n)
{
  const ss_tree_parts *parts = &n->parts;
  for (int64_t s = 0; s < parts->switches; ++s) {
    const int64_t level = parts->level[s];
    n->fabric->at[s].number = -1;
    if (level > 0)
      n->fabric->at[s].number = n->label[s] + n->ups[level] * *place_of(n, level, ss_tree_subtree(parts, level, s));
  }
  bool fits = true;
  for (int64_t level = 1; fits && level < parts->levels; ++level) fits = take_level(n, level);
  n->tree.levels = parts->levels;
  if (fits) n->draft->tree = n->tree;
}

static ss_status number_all(numbering *n, ss_error *error)
{
  const int64_t levels = n->parts.levels;
  if (levels < 2) {
    (void)snprintf(n->why, SS_MESSAGE_SIZE, "leaves of nodes have no cables up");
    return SS_OK;
  }
  if (!ss_tree_parts_count(&n->parts, &n->tree))
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  if (!size_levels(n)) return SS_OK;
  ss_status status = allocate(n, error);
  if (status != SS_OK || (levels > 2 && n->draft->rails > 1 && !joins_rails(n))) return status;
  status = place_subtrees(n, error);
  int64_t top = 0;
  while (n->parts.level[top] == 0) ++top;
  if (status == SS_OK && label_subtree(n, levels, ss_tree_subtree(&n->parts, levels, top), false)) number(n);
  return status;
}

static ss_status note_leaves(const numbering *n, ss_error *error)
{
  if (n->parts.leaves_left_out == 0) return SS_OK;
  return ss_own_note(n->draft, error,
                     "%s: %" PRId64 " switches without NICs are linked to several above the same leaves: they are "
                     "taken for leaves without nodes, and left out.",
                     n->draft->file[SS_OWN_IB], n->parts.leaves_left_out);
}

/* Leaves as they were before. */
static void restore(numbering *n, const int64_t *leaf)
{
  for (int64_t s = 0; s < n->fabric->switches; ++s) n->fabric->at[s].number = leaf[s];
  for (int64_t i = 0; i < n->fabric->links; ++i) n->fabric->link[i].tree_port = -1;
  n->draft->link_speed[0] = '\0';
}

ss_status ss_own_take_tree(ss_own_draft *draft, ss_ib_fabric *fabric, char why[SS_MESSAGE_SIZE], ss_error *error)
{
  why[0] = '\0';
  if (fabric->levels > SS_OWN_LEVELS) {
    (void)snprintf(why, SS_MESSAGE_SIZE, "there are more than %d levels", SS_OWN_LEVELS);
    return SS_OK;
  }
  numbering n = {.draft = draft, .fabric = fabric, .why = why};
  int64_t *leaf = calloc((size_t)fabric->switches + 1, sizeof *leaf);
  if (leaf == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  for (int64_t s = 0; s < fabric->switches; ++s) leaf[s] = fabric->at[s].number;
  ss_status status = SS_OK;
  if (ss_tree_parts_make(&n.parts, fabric))
    status = note_leaves(&n, error);
  else
    status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
  if (status == SS_OK) status = number_all(&n, error);
  if (status == SS_OK && why[0] != '\0') restore(&n, leaf);
  ss_tree_parts_free(&n.parts);
  free(leaf);
  free(n.place);
  free(n.low);
  free(n.label);
  free(n.taken);
  free(n.at);
  return status;
}
