#include "sim/traces/layers.h"

#include <stdlib.h>

#include "model/base/grow.h"

/* How many annotations of the parts of a layer may have ended within it. */
enum { NESTED = 32 };

ss_status ss_layer_ranges_add(ss_layer_ranges *ranges, ss_layer_range range, ss_error *error)
{
  ss_layer_range *grown = ss_grown(ranges->range, ranges->count, &ranges->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for annotations of layers");
  ranges->range = grown;
  ranges->range[ranges->count++] = range;
  return SS_OK;
}

void ss_layer_ranges_free(ss_layer_ranges *ranges)
{
  free(ranges->range);
  *ranges = (ss_layer_ranges){.count = 0};
}

static int by_start(const void *a, const void *b)
{
  const ss_layer_range *x = a, *y = b;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  if (x->window.start_s != y->window.start_s) return x->window.start_s < y->window.start_s ? -1 : 1;
  return (x->layer > y->layer) - (x->layer < y->layer);
}

void ss_layer_ranges_sort(ss_layer_ranges *ranges)
{
  if (ranges->count > 0) qsort(ranges->range, (size_t)ranges->count, sizeof *ranges->range, by_start);
}

int64_t ss_layer_ranges_find(const ss_layer_ranges *ranges, int64_t stream, double start_s)
{
  int64_t low = 0, high = ranges->count; /* the first one that begins later */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    const ss_layer_range *range = &ranges->range[middle];
    const bool earlier = range->stream < stream || (range->stream == stream && range->window.start_s <= start_s);
    if (earlier)
      low = middle + 1;
    else
      high = middle;
  }
  for (int64_t i = low - 1; i >= 0 && i >= low - NESTED; --i) {
    const ss_layer_range *range = &ranges->range[i];
    if (range->stream == stream && start_s <= range->window.end_s) return range->layer;
  }
  return SS_NO_INDEX;
}
