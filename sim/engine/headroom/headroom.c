#include "sim/engine/headroom/headroom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of what links are full of differ by rounding. */
#define ROUNDING 1e-12

typedef struct spared_key {
  uint64_t kind; /* of the link */
  int32_t from, to;
} spared_key;

/* One list of flows, being sorted into bundles. */
typedef struct sorter {
  ss_headroom *headroom;
  const ss_links *links;
  ss_load *load;   /* [crossings of a link + 1], owned */
  int32_t *bundle; /* [crossings of a link], owned */
} sorter;

ss_status ss_link_set_add(ss_link_set *set, const bool *marked, int64_t links)
{
  int64_t count = set->count;
  for (int64_t link = 0; link < links; ++link) count += marked[link];
  if (count == set->count) return SS_OK;
  int32_t *all = realloc(set->link, (size_t)count * sizeof *all);
  if (all == NULL) return SS_ERROR_MEMORY;
  set->link = all;
  for (int64_t link = 0; link < links; ++link)
    if (marked[link]) all[set->count++] = (int32_t)link;
  return SS_OK;
}

ss_status ss_headroom_init(ss_headroom *headroom, const ss_links *links, int64_t kinds)
{
  const int64_t count = links->paths.links;
  headroom->kinds = kinds;
  headroom->links = count;
  headroom->bundles.item_bytes = sizeof(ss_load);
  headroom->loads.item_bytes = sizeof(int32_t);
  headroom->keys.item_bytes = sizeof(spared_key);
  headroom->alone_bytes_per_s = calloc((size_t)kinds + 1, sizeof *headroom->alone_bytes_per_s);
  headroom->spared_of_link = malloc((size_t)(count + 1) * sizeof *headroom->spared_of_link);
  if (headroom->alone_bytes_per_s == NULL || headroom->spared_of_link == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < count; ++link) headroom->spared_of_link[link] = -1;
  return SS_OK;
}

void ss_headroom_free(ss_headroom *headroom)
{
  free(headroom->alone_bytes_per_s);
  ss_lists_free(&headroom->bundles);
  ss_lists_free(&headroom->loads);
  ss_lists_free(&headroom->keys);
  free(headroom->spared);
  free(headroom->spared_of_link);
  *headroom = (ss_headroom){.known_crowded = headroom->known_crowded,
                            .known_tight = headroom->known_tight,
                            .known_plainly = headroom->known_plainly};
}

static int by_start(const void *left, const void *right)
{
  const ss_crossing *a = left, *b = right;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

static int by_end(const void *left, const void *right)
{
  const ss_crossing *a = left, *b = right;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

static int compare_bundles(const void *left, const void *right)
{
  const int32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static ss_load capacity_item(double bytes_per_s)
{
  ss_load item;
  memcpy(&item, &bytes_per_s, sizeof item);
  return item;
}

/* The bundle of crossings with one port; they are in the order of their kinds. */
static int32_t find_bundle(const sorter *s, int32_t port, const ss_crossing *crossing, int64_t count)
{
  int64_t loads = 0;
  s->load[loads++] = capacity_item(s->links->paths.bytes_per_s[port]);
  for (int64_t i = 0; i < count; ++i) {
    if (loads > 1 && s->load[loads - 1].kind == crossing[i].kind)
      s->load[loads - 1].flows++;
    else
      s->load[loads++] = (ss_load){crossing[i].kind, 1};
  }
  return ss_lists_find(&s->headroom->bundles, s->load, loads);
}

/* The bundles of the crossings of a link, which are in the order of their ports; -1 when memory is out. */
static int32_t find_loads(const sorter *s, const ss_crossing *crossing, int64_t count, bool at_end)
{
  int64_t bundles = 0;
  for (int64_t first = 0, end; first < count; first = end) {
    const int32_t port = at_end ? crossing[first].to : crossing[first].from;
    for (end = first; end < count && (at_end ? crossing[end].to : crossing[end].from) == port;) ++end;
    const int32_t bundle = find_bundle(s, port, &crossing[first], end - first);
    if (bundle < 0) return -1;
    s->bundle[bundles++] = bundle;
  }
  qsort(s->bundle, (size_t)bundles, sizeof *s->bundle, compare_bundles);
  return ss_lists_find(&s->headroom->loads, s->bundle, bundles);
}

static ss_status add_spared(ss_headroom *headroom, ss_links *links, const spared_key *key, int32_t link)
{
  const int64_t before = headroom->keys.count;
  const int32_t index = ss_lists_find(&headroom->keys, key, 1);
  if (index < 0) return SS_ERROR_MEMORY;
  if (headroom->keys.count > before) {
    ss_spared *spared = realloc(headroom->spared, (size_t)headroom->keys.capacity * sizeof *spared);
    if (spared == NULL) return SS_ERROR_MEMORY;
    headroom->spared = spared;
    spared[index] = (ss_spared){link, key->from, key->to, links->paths.bytes_per_s[link], false};
  }
  links->alike[link] = 0;
  links->alike[headroom->spared[index].link]++;
  headroom->spared_of_link[link] = index;
  return SS_OK;
}

static ss_status spare_link(const sorter *s, ss_links *links, ss_crossing *crossing, int64_t count)
{
  const int32_t link = crossing->link;
  spared_key key = {.kind = ss_links_kind(links, link)};
  qsort(crossing, (size_t)count, sizeof *crossing, by_start);
  key.from = find_loads(s, crossing, count, false);
  qsort(crossing, (size_t)count, sizeof *crossing, by_end);
  key.to = find_loads(s, crossing, count, true);
  if (key.from < 0 || key.to < 0) return SS_ERROR_MEMORY;
  return add_spared(s->headroom, links, &key, link);
}

/* Counts the crossings of each link, then puts each where its link has come to. */
static ss_status sort_by_link(ss_crossing *crossing, int64_t count, int64_t links)
{
  ss_crossing *sorted = malloc((size_t)(count + 1) * sizeof *sorted);
  int32_t *next = calloc((size_t)links + 1, sizeof *next);
  const bool allocated = sorted != NULL && next != NULL;
  if (allocated) {
    for (int64_t i = 0; i < count; ++i) next[crossing[i].link + 1]++;
    for (int64_t link = 1; link <= links; ++link) next[link] += next[link - 1];
    for (int64_t i = 0; i < count; ++i) sorted[next[crossing[i].link]++] = crossing[i];
    memcpy(crossing, sorted, (size_t)count * sizeof *sorted);
  }
  free(sorted);
  free(next);
  return allocated ? SS_OK : SS_ERROR_MEMORY;
}

ss_status ss_headroom_spare(ss_headroom *headroom, ss_links *links, ss_crossing *crossing, int64_t count)
{
  sorter s = {.headroom = headroom,
              .links = links,
              .load = malloc((size_t)(count + 1) * sizeof *s.load),
              .bundle = malloc((size_t)(count + 1) * sizeof *s.bundle)};
  ss_status status = s.load != NULL && s.bundle != NULL ? SS_OK : SS_ERROR_MEMORY;
  if (status == SS_OK) status = sort_by_link(crossing, count, headroom->links);
  for (int64_t first = 0, end; status == SS_OK && first < count; first = end) {
    for (end = first; end < count && crossing[end].link == crossing[first].link;) ++end;
    status = spare_link(&s, links, &crossing[first], end - first);
  }
  free(s.load);
  free(s.bundle);
  return status;
}

const ss_load *ss_headroom_bundle(const ss_headroom *headroom, int32_t bundle, int64_t *count, double *bytes_per_s)
{
  const ss_load *load = ss_lists_items(&headroom->bundles, bundle, count);
  memcpy(bytes_per_s, load, sizeof *bytes_per_s);
  --*count;
  return load + 1;
}

/* The most that bundles carry at a time. */
static double most_bytes_per_s(const ss_headroom *headroom, int32_t loads, const double *bytes_per_s)
{
  int64_t bundles;
  const int32_t *bundle = ss_lists_items(&headroom->loads, loads, &bundles);
  double all = 0.0;
  for (int64_t i = 0; i < bundles; ++i) {
    int64_t count;
    double port, sum = 0.0;
    const ss_load *load = ss_headroom_bundle(headroom, bundle[i], &count, &port);
    for (int64_t k = 0; k < count; ++k) sum += load[k].flows * bytes_per_s[load[k].kind];
    all += fmin(sum, port);
  }
  return all;
}

bool ss_headroom_is_short(const ss_headroom *headroom, const ss_spared *spared, const double *bytes_per_s)
{
  const double enough = spared->bytes_per_s * (1.0 + ROUNDING);
  return most_bytes_per_s(headroom, spared->from, bytes_per_s) > enough &&
         most_bytes_per_s(headroom, spared->to, bytes_per_s) > enough;
}

void ss_headroom_find_tight(ss_headroom *headroom)
{
  for (int64_t i = 0; i < headroom->keys.count; ++i)
    headroom->spared[i].tight = ss_headroom_is_short(headroom, &headroom->spared[i], headroom->alone_bytes_per_s);
}

static void add_bundle(const ss_headroom *headroom, int32_t bundle, int32_t link, ss_usage_sums *sums)
{
  int64_t count;
  double port;
  const ss_load *load = ss_headroom_bundle(headroom, bundle, &count, &port);
  for (int64_t i = 0; i < count; ++i) ss_usage_sums_add(sums, sums->usage->links + load[i].kind, link, load[i].flows);
}

void ss_headroom_add_usage(const ss_headroom *headroom, ss_usage *usage)
{
  ss_usage_sums sums;
  ss_usage_sums_init(&sums, usage);
  for (int64_t i = 0; i < headroom->keys.count; ++i) {
    int64_t bundles;
    const int32_t *bundle = ss_lists_items(&headroom->loads, headroom->spared[i].from, &bundles);
    for (int64_t b = 0; b < bundles; ++b) add_bundle(headroom, bundle[b], headroom->spared[i].link, &sums);
  }
  ss_usage_sums_make(&sums);
}
