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

ss_status ss_link_paths_narrow(const ss_link_paths *paths, ss_link_paths *narrow)
{
  const ss_lists *hops = &paths->hops;
  int32_t *number = malloc((size_t)(paths->links + 1) * sizeof *number);
  *narrow = (ss_link_paths){.bytes_per_s = malloc((size_t)(paths->links + 1) * sizeof *narrow->bytes_per_s)};
  ss_status status = ss_lists_copy(hops, &narrow->hops);
  if (status == SS_OK && (number == NULL || narrow->bytes_per_s == NULL)) status = SS_ERROR_MEMORY;
  for (int64_t link = 0; status == SS_OK && link < paths->links; ++link) number[link] = -1;
  ss_hop *hop = narrow->hops.item;
  for (int64_t i = 0; status == SS_OK && i < hops->items; ++i) {
    const int32_t link = hop[i].link;
    if (number[link] < 0) {
      number[link] = (int32_t)narrow->links;
      narrow->bytes_per_s[narrow->links++] = paths->bytes_per_s[link];
    }
    hop[i].link = number[link];
  }
  free(number);
  return status;
}

int32_t ss_link_paths_find(ss_link_paths *paths, const ss_hop *hop, int64_t count)
{
  return ss_lists_find(&paths->hops, hop, count);
}
