#include "sim/engine/setup/symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/core/prefetch.h"
#include "sim/engine/network/mix.h"

ss_status ss_graph_init(ss_graph *graph, int64_t nodes)
{
  *graph = (ss_graph){.nodes = (int32_t)nodes};
  if (nodes > SS_GRAPH_NODES_MAX) return SS_ERROR_MEMORY;
  graph->colour = calloc((size_t)nodes + 1, sizeof *graph->colour);
  graph->first = calloc((size_t)nodes + 2, sizeof *graph->first);
  return graph->colour != NULL && graph->first != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_graph_free(ss_graph *graph)
{
  free(graph->colour);
  free(graph->arc);
  free(graph->first);
  *graph = (ss_graph){0};
}

/* A counting sort by where arcs start. */
static void put(ss_graph *graph, int64_t from, int64_t to, int label)
{
  if (graph->arc == NULL)
    graph->first[from + 2]++;
  else
    graph->arc[graph->first[from + 1]++] = (ss_arc){(uint32_t)to & (uint32_t)SS_GRAPH_NODES_MAX, (uint32_t)label & 15U};
}

void ss_graph_join(ss_graph *graph, int64_t a, int64_t b, int label)
{
  put(graph, a, b, label);
  put(graph, b, a, label + 1);
}

ss_status ss_graph_make_room(ss_graph *graph)
{
  for (int32_t v = 0; v < graph->nodes; ++v) graph->first[v + 2] += graph->first[v + 1];
  graph->arc = malloc((size_t)(graph->first[graph->nodes + 1] + 1) * sizeof *graph->arc);
  return graph->arc != NULL ? SS_OK : SS_ERROR_MEMORY;
}

/* Nodes of one class that see the same. */
typedef struct part {
  int32_t class, nodes, becomes;
  int32_t node; /* one of them */
  uint64_t key; /* of the class and of what they see */
} part;

/* A partition that is being refined, round by round. Classes have numbers; what a node sees is a sum over its arcs, of
 * their labels and of the classes at their other ends. In the first round everybody looks, then only those who see a
 * node that has changed its class; what all others of a class see has not changed, and they keep its number. */
typedef struct partition {
  const ss_graph *graph;
  const ss_graph_bounds *bounds;
  void *block;                           /* of all arrays here; owned */
  int64_t bounded[SS_GRAPH_BOUNDS_MOST]; /* classes of the nodes of each bound */
  uint64_t label[SS_GRAPH_LABELS];       /* scrambled */
  int32_t *class;                        /* [nodes] */
  int32_t *size;                         /* [classes] */
  int32_t *largest;                      /* [classes] part of each class with nodes that look, else -1 */
  uint64_t *seen;                        /* [nodes] what a node sees now, less what it saw before */
  bool *looks;                           /* [nodes] */
  int32_t *looking;                      /* [lookers] */
  int32_t *part_of;                      /* [lookers] */
  int32_t *changed, *from;               /* [changes] nodes that changed their class, and which it was */
  part *part;                            /* [parts] */
  uint64_t mask;
  int32_t *slot; /* [mask + 1], and room for more; the part with a key, or -1; at most half full */
  int32_t classes, lookers, changes, parts;
} partition;

/* Mostly there are few parts, whose slots are at hand then. */
#define SLOTS_LEAST UINT64_C(1024)

static uint64_t slot_of(const partition *p, uint64_t key)
{
  uint64_t slot = key & p->mask;
  while (p->slot[slot] >= 0 && p->part[p->slot[slot]].key != key) slot = (slot + 1) & p->mask;
  return slot;
}

static void use_slots(partition *p, uint64_t slots)
{
  p->mask = slots - 1;
  for (uint64_t i = 0; i < slots; ++i) p->slot[i] = -1;
  for (int32_t i = 0; i < p->parts; ++i) p->slot[slot_of(p, p->part[i].key)] = i;
}

/* Room in the block of a partition, from `*at` on. */
static void *room(char **at, size_t bytes)
{
  void *start = *at;
  *at += (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
  return start;
}

/* One block, which goes back to the system as a whole: heaps keep what is freed below other memory. */
static ss_status open_partition(partition *p, const ss_graph *graph, const ss_graph_bounds *bounds)
{
  const size_t nodes = (size_t)graph->nodes + 1;
  uint64_t slots = SLOTS_LEAST;
  while (slots < 2 * (uint64_t)nodes) slots *= 2;
  const size_t of_node = sizeof *p->seen + sizeof *p->part + sizeof *p->class + sizeof *p->size + sizeof *p->largest +
                         sizeof *p->looking + sizeof *p->part_of + sizeof *p->changed + sizeof *p->from;
  *p = (partition){.graph = graph,
                   .bounds = bounds,
                   .block = malloc((nodes + 1) * (of_node + sizeof *p->looks) + slots * sizeof *p->slot)};
  if (p->block == NULL) return SS_ERROR_MEMORY;
  char *at = p->block;
  p->seen = room(&at, nodes * sizeof *p->seen);
  p->part = room(&at, nodes * sizeof *p->part);
  p->class = room(&at, nodes * sizeof *p->class);
  p->size = room(&at, nodes * sizeof *p->size);
  p->largest = room(&at, nodes * sizeof *p->largest);
  p->looking = room(&at, nodes * sizeof *p->looking);
  p->part_of = room(&at, nodes * sizeof *p->part_of);
  p->changed = room(&at, nodes * sizeof *p->changed);
  p->from = room(&at, nodes * sizeof *p->from);
  p->slot = room(&at, slots * sizeof *p->slot);
  p->looks = room(&at, nodes * sizeof *p->looks);
  memset(p->seen, 0, nodes * sizeof *p->seen);
  memset(p->looks, 0, nodes * sizeof *p->looks);
  use_slots(p, SLOTS_LEAST);
  for (uint64_t label = 0; label < SS_GRAPH_LABELS; ++label) p->label[label] = ss_scramble(label);
  return SS_OK;
}

/* The part of a node of a class with a key, which is added when it is new. */
static int32_t find_part(partition *p, int32_t class, uint64_t key, int32_t node)
{
  const uint64_t slot = slot_of(p, key);
  if (p->slot[slot] >= 0) return p->slot[slot];
  const int32_t index = p->parts++;
  p->part[index] = (part){.class = class, .becomes = class, .node = node, .key = key};
  p->slot[slot] = index;
  if (2 * (uint64_t)p->parts > p->mask) use_slots(p, 2 * (p->mask + 1));
  return index;
}

/* From the last one on, so that nobody is behind a slot that becomes empty. */
static void forget_parts(partition *p)
{
  for (; p->parts > 0; --p->parts) p->slot[slot_of(p, p->part[p->parts - 1].key)] = -1;
}

/* A new class, which a node belongs to; nobody is in it yet. */
static int32_t open_class(partition *p, int32_t node)
{
  for (int i = 0; i < p->bounds->count; ++i)
    p->bounded[i] += node >= p->bounds->bound[i].first && node < p->bounds->bound[i].end;
  p->size[p->classes] = 0;
  p->largest[p->classes] = -1;
  return p->classes++;
}

static bool exceeds_bounds(const partition *p)
{
  bool exceeds = p->bounds->count > 0;
  for (int i = 0; i < p->bounds->count; ++i) exceeds = exceeds && p->bounded[i] > p->bounds->bound[i].classes;
  return exceeds;
}

/* Classes are colours at first. */
static void begin(partition *p)
{
  for (int32_t v = 0; v < p->graph->nodes; ++v) p->class[v] = find_part(p, 0, ss_scramble(p->graph->colour[v]), v);
  for (int32_t i = 0; i < p->parts; ++i) (void)open_class(p, p->part[i].node);
  for (int32_t v = 0; v < p->graph->nodes; ++v) p->size[p->class[v]]++;
  forget_parts(p);
}

static void look(partition *p, int32_t v)
{
  if (!p->looks[v]) p->looking[p->lookers++] = v;
  p->looks[v] = true;
}

/* What a node of a class is through arcs with a label. */
static uint64_t sight(const partition *p, unsigned label, int32_t class)
{
  return ss_scramble(p->label[label] ^ (uint64_t) class);
}

static bool is_seen(unsigned label)
{
  return label != SS_GRAPH_BLIND && label != SS_GRAPH_LAST;
}

/* The same, until only those are left that nobody sees. */
static bool is_seen_first(unsigned label)
{
  return is_seen(label) && label != (SS_GRAPH_LAST | 1U);
}

static void look_around(partition *p)
{
  const ss_graph *graph = p->graph;
  for (int32_t v = 0; v < graph->nodes; ++v) {
    look(p, v);
    for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i)
      if (is_seen_first(graph->arc[i].label)) p->seen[v] += sight(p, graph->arc[i].label, p->class[graph->arc[i].to]);
  }
}

/* Whose arcs are asked for while those of a node are gone through: so many behind it. */
#define AHEAD 8

/* Nodes are seen through the other arcs of the pairs; many of those with a label follow one another. */
static void look_at_changes(partition *p)
{
  const ss_graph *graph = p->graph;
  for (int32_t c = 0; c < p->changes; ++c) {
    const int32_t v = p->changed[c];
    if (c + AHEAD < p->changes) ss_prefetch(&graph->arc[graph->first[p->changed[c + AHEAD]]], 1);
    unsigned last = SS_GRAPH_BLIND;
    uint64_t change = 0;
    for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i) {
      const int32_t to = (int32_t)graph->arc[i].to;
      const unsigned label = graph->arc[i].label ^ 1U;
      if (!is_seen_first(label)) continue;
      if (label != last) change = sight(p, label, p->class[v]) - sight(p, label, p->from[c]);
      last = label;
      look(p, to);
      p->seen[to] += change;
    }
  }
}

/* Mixed otherwise than sights are, so that a class and what its nodes see never cancel each other out. */
static uint64_t key_of(int32_t class, uint64_t seen)
{
  return ss_mix(~(uint64_t) class, seen);
}

/* Parts the classes of those who look. Whoever sees the same as before stays with those who do not look. */
static void part_classes(partition *p)
{
  for (int32_t i = 0; i < p->lookers; ++i) {
    const int32_t v = p->looking[i], class = p->class[v];
    p->part_of[i] = -1;
    if (p->seen[v] == 0) continue;
    const int32_t index = find_part(p, class, key_of(class, p->seen[v]), v);
    p->part_of[i] = index;
    p->size[class]--;
    p->part[index].nodes++;
    if (p->largest[class] < 0 || p->part[index].nodes > p->part[p->largest[class]].nodes) p->largest[class] = index;
  }
}

/* Where nobody stays, the largest part keeps the number of its class. */
static void number_parts(partition *p)
{
  for (int32_t i = 0; i < p->parts; ++i) {
    part *one = &p->part[i];
    if (p->size[one->class] == 0 && p->largest[one->class] == i) continue;
    one->becomes = open_class(p, one->node);
  }
  for (int32_t i = 0; i < p->parts; ++i) {
    p->largest[p->part[i].class] = -1;
    p->size[p->part[i].becomes] += p->part[i].nodes;
  }
}

static void move_nodes(partition *p)
{
  p->changes = 0;
  for (int32_t i = 0; i < p->lookers; ++i) {
    const int32_t v = p->looking[i], class = p->class[v];
    p->looks[v] = false;
    p->seen[v] = 0;
    if (p->part_of[i] < 0 || p->part[p->part_of[i]].becomes == class) continue;
    p->class[v] = p->part[p->part_of[i]].becomes;
    p->changed[p->changes] = v;
    p->from[p->changes++] = class;
  }
  p->lookers = 0;
  forget_parts(p);
}

/* Those that nobody sees see all others. */
static void look_last(partition *p)
{
  const ss_graph *graph = p->graph;
  for (int32_t v = 0; v < graph->nodes; ++v) {
    if (graph->first[v] == graph->first[v + 1] || graph->arc[graph->first[v]].label != (SS_GRAPH_LAST | 1U)) continue;
    look(p, v);
    for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i)
      p->seen[v] += sight(p, graph->arc[i].label, p->class[graph->arc[i].to]);
  }
}

static void part_lookers(partition *p)
{
  part_classes(p);
  number_parts(p);
  move_nodes(p);
}

static void refine(partition *p)
{
  begin(p);
  look_around(p);
  while (p->lookers > 0 && !exceeds_bounds(p)) {
    part_lookers(p);
    look_at_changes(p);
  }
  if (exceeds_bounds(p)) return;
  look_last(p);
  part_lookers(p);
}

/* The first node of each class. */
static void find_twins(const partition *p, int32_t *twin)
{
  int32_t *first = p->part_of;
  for (int32_t class = 0; class < p->classes; ++class) first[class] = -1;
  for (int32_t v = 0; v < p->graph->nodes; ++v) {
    if (first[p->class[v]] < 0) first[p->class[v]] = v;
    twin[v] = first[p->class[v]];
  }
}

/* What of a class is seen through an arc: `count` [classes][SS_GRAPH_LABELS]. */
static int32_t *seen_class(const partition *p, int32_t *count, int64_t arc)
{
  const ss_arc *seen = &p->graph->arc[arc];
  return &count[(int64_t)p->class[seen->to] * SS_GRAPH_LABELS + seen->label];
}

/* Counts what a node sees of each class, by `step`. Returns whether nothing is counted any more. */
static bool count_seen(const partition *p, int32_t *count, int32_t v, int step)
{
  const ss_graph *graph = p->graph;
  bool none = true;
  for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i)
    if (is_seen(graph->arc[i].label)) *seen_class(p, count, i) += step;
  for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i) none = none && *seen_class(p, count, i) == 0;
  return none;
}

/* Two nodes see the same classes equally often. `count` is all 0, and is again. */
static bool see_alike(const partition *p, int32_t *count, int32_t first, int32_t v)
{
  const ss_graph *graph = p->graph;
  (void)count_seen(p, count, first, 1);
  bool alike = count_seen(p, count, v, -1);
  for (int64_t i = graph->first[first]; i < graph->first[first + 1]; ++i) {
    alike = alike && *seen_class(p, count, i) == 0;
    *seen_class(p, count, i) = 0;
  }
  return alike;
}

static ss_status check(const partition *p, int32_t *twin)
{
  const int32_t nodes = p->graph->nodes;
  int32_t *count = calloc((size_t)p->classes * SS_GRAPH_LABELS + 1, sizeof *count);
  if (count == NULL) return SS_ERROR_MEMORY;
  bool holds = true;
  for (int32_t v = 0; holds && v < nodes; ++v) holds = twin[v] == v || see_alike(p, count, twin[v], v);
  for (int32_t v = 0; !holds && v < nodes; ++v) twin[v] = v;
  free(count);
  return SS_OK;
}

ss_status ss_graph_refine(const ss_graph *graph, const ss_graph_bounds *bounds, int32_t *twin, bool *exceeded)
{
  partition p = {0};
  ss_status status = open_partition(&p, graph, bounds);
  *exceeded = false;
  if (status == SS_OK) {
    refine(&p);
    find_twins(&p, twin);
    *exceeded = exceeds_bounds(&p);
    if (!*exceeded) status = check(&p, twin);
  }
  free(p.block);
  return status;
}
