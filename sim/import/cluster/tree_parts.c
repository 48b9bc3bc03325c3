#include "sim/import/cluster/tree_parts.h"

#include <stdlib.h>

/* A cable while they are sorted. */
typedef struct cable {
  int64_t from, to, link;
  double bytes_per_s;
} cable;

static int compare(const void *left, const void *right)
{
  const cable *a = left, *b = right;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  if (a->bytes_per_s < b->bytes_per_s || a->bytes_per_s > b->bytes_per_s)
    return a->bytes_per_s > b->bytes_per_s ? -1 : 1;
  return a->link < b->link ? -1 : 1;
}

static bool leads_up(const ss_ib_fabric *fabric, const ss_ib_link *link)
{
  const int64_t level = fabric->at[link->from].level;
  return link->to >= 0 && level > 0 && fabric->at[link->to].level == level + 1;
}

static bool list_cables(ss_tree_parts *parts)
{
  const ss_ib_fabric *fabric = parts->fabric;
  cable *all = calloc((size_t)fabric->links + 1, sizeof *all);
  if (all == NULL) return false;
  for (int64_t i = 0; i < fabric->links; ++i) {
    const ss_ib_link *link = &fabric->link[i];
    if (leads_up(fabric, link))
      all[parts->cables++] = (cable){.from = link->from, .to = link->to, .link = i, .bytes_per_s = link->bytes_per_s};
  }
  qsort(all, (size_t)parts->cables, sizeof *all, compare);
  for (int64_t i = 0; i < parts->cables; ++i) {
    parts->cable[i] = all[i].link;
    parts->first[all[i].from + 1] = i + 1;
  }
  free(all);
  for (int64_t s = 0; s < parts->switches; ++s)
    if (parts->first[s + 1] < parts->first[s]) parts->first[s + 1] = parts->first[s];
  return true;
}

/* The switch by which what a switch is joined with is called. */
static int64_t head_of(int64_t *joined, int64_t at)
{
  while (joined[at] != at) at = joined[at] = joined[joined[at]];
  return at;
}

/* Joins the ends of the cables that leave a level. */
static void join(const ss_tree_parts *parts, int64_t level, int64_t *joined)
{
  for (int64_t i = 0; i < parts->cables; ++i) {
    const ss_ib_link *link = &parts->fabric->link[parts->cable[i]];
    if (parts->level[link->from] != level || parts->level[link->to] != level + 1) continue;
    const int64_t a = head_of(joined, link->from), b = head_of(joined, link->to);
    joined[a > b ? a : b] = a > b ? b : a;
  }
}

static void separate(const ss_tree_parts *parts, int64_t *joined)
{
  for (int64_t s = 0; s < parts->switches; ++s) joined[s] = s;
}

/* Whether a switch of a level is linked to several of one subtree below and to none of another one, as leaves are to
 * the switches above them: a leaf without NICs, which has no place above. */
static bool is_leaf(const ss_tree_parts *parts, int64_t at, int64_t level)
{
  const ss_ib_fabric *fabric = parts->fabric;
  const int64_t behind = ss_ib_fabric_first_link(fabric, at + 1);
  int64_t first = -1;
  bool several = false;
  for (int64_t i = ss_ib_fabric_first_link(fabric, at); i < behind; ++i) {
    const int64_t below = fabric->link[i].to;
    if (below < 0 || parts->level[below] != level - 1) continue;
    if (first < 0) first = below;
    if (ss_tree_subtree(parts, level - 1, below) != ss_tree_subtree(parts, level - 1, first)) return false;
    several = several || below != first;
  }
  return several;
}

/* The switches of a level: what cables lead to from the one below. */
static void find_level(ss_tree_parts *parts, int64_t level)
{
  for (int64_t i = 0; i < parts->cables; ++i) {
    const ss_ib_link *link = &parts->fabric->link[parts->cable[i]];
    if (parts->level[link->from] == level - 1) parts->level[link->to] = level;
  }
  for (int64_t s = 0; s < parts->switches; ++s) {
    if (parts->level[s] != level) continue;
    if (level > 2 && is_leaf(parts, s, level)) {
      parts->level[s] = 0;
      parts->leaves_left_out++;
      continue;
    }
    parts->levels = level;
  }
}

/* From the leaves up, as far as there are cables. What is on top is all in one. */
static void find_subtrees(ss_tree_parts *parts, int64_t *joined)
{
  int64_t top = 0;
  separate(parts, joined);
  for (int64_t s = 0; s < parts->switches; ++s)
    if (parts->fabric->at[s].level == 1 && parts->fabric->at[s].number >= 0) parts->level[s] = 1;
  for (int64_t m = 1; m <= parts->fabric->levels && parts->levels >= m - 1; ++m) {
    if (m == 1) parts->levels = 1;
    if (m > 1) find_level(parts, m);
    if (m > 1) join(parts, m - 1, joined);
    for (int64_t s = 0; s < parts->switches; ++s)
      parts->subtree[m * parts->switches + s] = parts->level[s] > 0 ? head_of(joined, s) : -1;
  }
  while (top < parts->switches && parts->level[top] == 0) ++top;
  for (int64_t s = 0; s < parts->switches; ++s)
    if (parts->level[s] > 0) parts->subtree[parts->levels * parts->switches + s] = top;
}

/* Above leaves, each of which is a subtree with one way up, a subtree is a plane. */
static void find_planes(ss_tree_parts *parts, int64_t *joined)
{
  for (int64_t m = 2; m <= parts->levels; ++m) {
    separate(parts, joined);
    join(parts, m - 1, joined);
    for (int64_t s = 0; s < parts->switches; ++s) {
      int64_t *plane = &parts->plane[m * parts->switches + s];
      const bool in = parts->level[s] == m || parts->level[s] == m - 1;
      *plane = -1;
      if (in && parts->level[s] > 0) *plane = m == 2 ? ss_tree_subtree(parts, m, s) : head_of(joined, s);
    }
  }
}

bool ss_tree_parts_make(ss_tree_parts *parts, const ss_ib_fabric *fabric)
{
  const size_t switches = (size_t)fabric->switches + 1, levels = (size_t)fabric->levels + 1;
  *parts = (ss_tree_parts){.fabric = fabric, .switches = fabric->switches};
  parts->level = calloc(switches, sizeof *parts->level);
  parts->first = calloc(switches + 1, sizeof *parts->first);
  parts->cable = calloc((size_t)fabric->links + 1, sizeof *parts->cable);
  parts->subtree = calloc(levels * switches, sizeof *parts->subtree);
  parts->plane = calloc(levels * switches, sizeof *parts->plane);
  int64_t *joined = calloc(switches, sizeof *joined);
  bool made = parts->level != NULL && parts->first != NULL && parts->cable != NULL && parts->subtree != NULL &&
              parts->plane != NULL && joined != NULL;
  made = made && list_cables(parts);
  if (made) {
    find_subtrees(parts, joined);
    find_planes(parts, joined);
  }
  free(joined);
  return made;
}

void ss_tree_parts_free(ss_tree_parts *parts)
{
  free(parts->level);
  free(parts->first);
  free(parts->cable);
  free(parts->subtree);
  free(parts->plane);
  *parts = (ss_tree_parts){.levels = 0};
}

/* The most subtrees of a level that one of the next has, or the most switches of the next level in one plane. */
static int64_t most_of(const ss_tree_parts *parts, int64_t level, bool subtrees, int64_t *count)
{
  int64_t most = 0;
  for (int64_t s = 0; s < parts->switches; ++s) count[s] = 0;
  for (int64_t s = 0; s < parts->switches; ++s) {
    const bool counts = subtrees ? ss_tree_subtree(parts, level, s) == s : parts->level[s] == level + 1;
    if (!counts) continue;
    const int64_t of = subtrees ? ss_tree_subtree(parts, level + 1, s) : ss_tree_plane(parts, level + 1, s);
    if (++count[of] > most) most = count[of];
  }
  return most;
}

bool ss_tree_parts_count(const ss_tree_parts *parts, ss_own_tree *tree)
{
  int64_t *count = calloc((size_t)parts->switches + 1, sizeof *count);
  if (count == NULL) return false;
  for (int64_t level = 1; level < parts->levels; ++level) {
    tree->down[level] = most_of(parts, level, true, count);
    tree->up[level] = most_of(parts, level, false, count);
  }
  free(count);
  return true;
}
