#include "sim/engine/network/paths.h"

#include <stdlib.h>

ss_status ss_link_paths_init(ss_link_paths *paths, const ss_fabric *fabric)
{
  *paths = (ss_link_paths){.links = ss_fabric_links(fabric), .hops = {.item_bytes = sizeof(ss_hop)}};
  paths->bytes_per_s = malloc((size_t)paths->links * sizeof *paths->bytes_per_s);
  if (paths->bytes_per_s == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < paths->links; ++link) paths->bytes_per_s[link] = ss_fabric_bytes_per_s(fabric, link);
  return SS_OK;
}

void ss_link_paths_free(ss_link_paths *paths)
{
  free(paths->bytes_per_s);
  ss_lists_free(&paths->hops);
  *paths = (ss_link_paths){0};
}

ss_status ss_link_paths_add_lanes(ss_link_paths *paths, const int32_t *link, int64_t count)
{
  if (count == 0) return SS_OK;
  double *bytes_per_s = realloc(paths->bytes_per_s, (size_t)(paths->links + 2 * count) * sizeof *bytes_per_s);
  if (bytes_per_s == NULL) return SS_ERROR_MEMORY;
  paths->bytes_per_s = bytes_per_s;
  for (int64_t i = 0; i < 2 * count; ++i) bytes_per_s[paths->links + i] = bytes_per_s[link[i / 2]];
  paths->links += 2 * count;
  return SS_OK;
}

/* The number of a link among those that paths have crossed so far. */
static int32_t number_of(int32_t *number, int32_t link, const ss_link_paths *paths, ss_link_paths *narrow)
{
  if (number[link] < 0) {
    number[link] = (int32_t)narrow->links;
    narrow->bytes_per_s[narrow->links++] = paths->bytes_per_s[link];
  }
  return number[link];
}

static void renumber(const ss_link_paths *paths, const bool *without, int32_t *number, ss_link_paths *narrow)
{
  ss_hop *hop = narrow->hops.item;
  int64_t kept = 0;
  for (int64_t link = 0; link < paths->links; ++link) number[link] = -1;
  for (int64_t path = 0; path < narrow->hops.count; ++path) {
    ss_list_range *list = &narrow->hops.list[path];
    const int64_t first = list->first, end = first + list->count;
    *list = (ss_list_range){.first = kept};
    for (int64_t h = first; h < end; ++h) {
      if (without != NULL && without[hop[h].link]) continue;
      hop[kept++] = (ss_hop){number_of(number, hop[h].link, paths, narrow), hop[h].alike};
    }
    list->count = kept - list->first;
  }
  narrow->hops.items = kept;
}

ss_status ss_link_paths_narrow(const ss_link_paths *paths, const bool *without, ss_link_paths *narrow)
{
  int32_t *number = malloc((size_t)(paths->links + 1) * sizeof *number);
  *narrow = (ss_link_paths){.bytes_per_s = malloc((size_t)(paths->links + 1) * sizeof *narrow->bytes_per_s)};
  ss_status status = ss_lists_copy(&paths->hops, &narrow->hops);
  if (status == SS_OK && (number == NULL || narrow->bytes_per_s == NULL)) status = SS_ERROR_MEMORY;
  if (status == SS_OK) renumber(paths, without, number, narrow);
  free(number);
  return status;
}

int32_t ss_link_paths_find(ss_link_paths *paths, const ss_hop *hop, int64_t count)
{
  return ss_lists_find(&paths->hops, hop, count);
}
