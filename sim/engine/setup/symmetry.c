#include "sim/engine/setup/symmetry.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/engine/network/mix.h"

ss_status ss_graph_init(ss_graph *graph, int64_t nodes)
{
  *graph = (ss_graph){.nodes = (int32_t)nodes};
  if (nodes > INT32_MAX) return SS_ERROR_MEMORY;
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

static bool grow(ss_graph *graph)
{
  const int64_t capacity = 2 * graph->capacity + 1024;
  ss_arc *arc = realloc(graph->arc, (size_t)capacity * sizeof *arc);
  if (arc == NULL) return false;
  graph->arc = arc;
  graph->capacity = capacity;
  return true;
}

ss_status ss_graph_join(ss_graph *graph, int64_t a, int64_t b, int32_t label)
{
  if (graph->arcs + 2 > graph->capacity && !grow(graph)) return SS_ERROR_MEMORY;
  graph->arc[graph->arcs++] = (ss_arc){(int32_t)a, (int32_t)b, label};
  graph->arc[graph->arcs++] = (ss_arc){(int32_t)b, (int32_t)a, label + 1};
  return SS_OK;
}

/* A counting sort by `from`. */
static ss_status sort_arcs(ss_graph *graph)
{
  ss_arc *sorted = malloc((size_t)(graph->arcs + 1) * sizeof *sorted);
  if (sorted == NULL) return SS_ERROR_MEMORY;
  for (int64_t i = 0; i < graph->arcs; ++i) graph->first[graph->arc[i].from + 2]++;
  for (int32_t v = 0; v < graph->nodes; ++v) graph->first[v + 2] += graph->first[v + 1];
  for (int64_t i = 0; i < graph->arcs; ++i) sorted[graph->first[graph->arc[i].from + 1]++] = graph->arc[i];
  free(graph->arc);
  graph->arc = sorted;
  graph->capacity = graph->arcs + 1;
  return SS_OK;
}

/* A table of colours, at most half full. */
typedef struct palette {
  uint64_t mask;
  int32_t *node; /* [mask + 1] the first node with a colour, or -1; owned */
} palette;

static ss_status open_palette(palette *all, int64_t nodes)
{
  uint64_t slots = 64;
  while (slots < 2 * (uint64_t)nodes) slots *= 2;
  *all = (palette){slots - 1, malloc(slots * sizeof *all->node)};
  return all->node != NULL ? SS_OK : SS_ERROR_MEMORY;
}

/* Finds the first node with the colour of each one; how many colours there are. */
static int64_t find_twins(const ss_graph *graph, const palette *all, int32_t *twin)
{
  int64_t colours = 0;
  for (uint64_t slot = 0; slot <= all->mask; ++slot) all->node[slot] = -1;
  for (int32_t v = 0; v < graph->nodes; ++v) {
    uint64_t slot = graph->colour[v] & all->mask;
    while (all->node[slot] >= 0 && graph->colour[all->node[slot]] != graph->colour[v]) slot = (slot + 1) & all->mask;
    if (all->node[slot] < 0) {
      all->node[slot] = v;
      colours++;
    }
    twin[v] = all->node[slot];
  }
  return colours;
}

/* A sum does not care in which order a node sees its neighbours. */
static void repaint(const ss_graph *graph, uint64_t *next)
{
  for (int32_t v = 0; v < graph->nodes; ++v) {
    uint64_t seen = 0;
    for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i)
      seen += ss_mix((uint64_t)graph->arc[i].label, graph->colour[graph->arc[i].to]);
    next[v] = ss_mix(graph->colour[v], seen);
  }
}

static ss_status split(ss_graph *graph, const palette *all, int32_t *twin)
{
  uint64_t *next = malloc((size_t)(graph->nodes + 1) * sizeof *next);
  if (next == NULL) return SS_ERROR_MEMORY;
  int64_t colours = find_twins(graph, all, twin);
  for (int64_t before = -1; colours > before;) {
    before = colours;
    repaint(graph, next);
    uint64_t *last = graph->colour;
    graph->colour = next;
    next = last;
    colours = find_twins(graph, all, twin);
  }
  free(next);
  return SS_OK;
}

static int32_t *seen_class(const ss_graph *graph, const int32_t *twin, int32_t *count, int64_t arc)
{
  return &count[(int64_t)twin[graph->arc[arc].to] * SS_GRAPH_LABELS + graph->arc[arc].label];
}

/* Two nodes see the same classes equally often. `count` is all 0, and is again. */
static bool see_alike(const ss_graph *graph, const int32_t *twin, int32_t *count, int32_t v)
{
  bool alike = true;
  const int32_t first = twin[v];
  for (int64_t i = graph->first[first]; i < graph->first[first + 1]; ++i) ++*seen_class(graph, twin, count, i);
  for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i) --*seen_class(graph, twin, count, i);
  for (int64_t i = graph->first[v]; i < graph->first[v + 1]; ++i)
    alike = alike && *seen_class(graph, twin, count, i) == 0;
  for (int64_t i = graph->first[first]; i < graph->first[first + 1]; ++i) {
    alike = alike && *seen_class(graph, twin, count, i) == 0;
    *seen_class(graph, twin, count, i) = 0;
  }
  return alike;
}

static ss_status check(const ss_graph *graph, int32_t *twin)
{
  int32_t *count = calloc((size_t)graph->nodes * SS_GRAPH_LABELS + 1, sizeof *count);
  if (count == NULL) return SS_ERROR_MEMORY;
  bool holds = true;
  for (int32_t v = 0; holds && v < graph->nodes; ++v) holds = twin[v] == v || see_alike(graph, twin, count, v);
  for (int32_t v = 0; !holds && v < graph->nodes; ++v) twin[v] = v;
  free(count);
  return SS_OK;
}

ss_status ss_graph_refine(ss_graph *graph, int32_t *twin)
{
  palette all;
  ss_status status = sort_arcs(graph);
  if (status == SS_OK) status = open_palette(&all, graph->nodes);
  if (status != SS_OK) return status;
  status = split(graph, &all, twin);
  free(all.node);
  return status == SS_OK ? check(graph, twin) : status;
}
