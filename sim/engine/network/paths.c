#include "sim/engine/network/paths.h"

#include <stdlib.h>
#include <string.h>

#include "sim/engine/network/mix.h"

ss_status ss_link_paths_init(ss_link_paths *paths, const ss_fabric *fabric)
{
  *paths = (ss_link_paths){.links = ss_fabric_links(fabric)};
  paths->bytes_per_s = malloc((size_t)paths->links * sizeof *paths->bytes_per_s);
  if (paths->bytes_per_s == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < paths->links; ++link) paths->bytes_per_s[link] = ss_fabric_bytes_per_s(fabric, link);
  return SS_OK;
}

void ss_link_paths_free(ss_link_paths *paths)
{
  free(paths->bytes_per_s);
  free(paths->path);
  free(paths->hop);
  free(paths->slot);
  *paths = (ss_link_paths){0};
}

static uint64_t hash_of(const ss_hop *hop, int64_t count)
{
  uint64_t hash = (uint64_t)count;
  for (int64_t i = 0; i < count; ++i)
    hash = ss_mix(hash, ((uint64_t)(uint32_t)hop[i].link << 32) | (uint32_t)hop[i].alike);
  return hash;
}

/* The slot of a path with these hops, or the empty one where it belongs. */
static int64_t slot_of(const ss_link_paths *paths, const ss_hop *hop, int64_t count)
{
  const uint64_t mask = (uint64_t)paths->slots - 1;
  uint64_t slot = hash_of(hop, count) & mask;
  for (; paths->slot[slot] != 0; slot = (slot + 1) & mask) {
    const ss_link_path *path = &paths->path[paths->slot[slot] - 1];
    if (path->count == count && memcmp(&paths->hop[path->first], hop, (size_t)count * sizeof *hop) == 0) break;
  }
  return (int64_t)slot;
}

static bool grow_slots(ss_link_paths *paths)
{
  const int64_t slots = paths->slots > 0 ? 2 * paths->slots : 1024;
  int32_t *slot = calloc((size_t)slots, sizeof *slot);
  if (slot == NULL) return false;
  free(paths->slot);
  paths->slot = slot;
  paths->slots = slots;
  for (int64_t i = 0; i < paths->count; ++i)
    slot[slot_of(paths, &paths->hop[paths->path[i].first], paths->path[i].count)] = (int32_t)(i + 1);
  return true;
}

/* Makes room for one path more; doubling keeps the slots half empty. */
static bool grow(ss_link_paths *paths, int64_t hops)
{
  if (2 * (paths->count + 1) > paths->slots && !grow_slots(paths)) return false;
  if (paths->count == paths->capacity) {
    const int64_t capacity = paths->capacity > 0 ? 2 * paths->capacity : 512;
    ss_link_path *path = realloc(paths->path, (size_t)capacity * sizeof *path);
    if (path == NULL) return false;
    paths->path = path;
    paths->capacity = capacity;
  }
  if (paths->hops + hops <= paths->hop_capacity) return true;
  const int64_t capacity = 2 * (paths->hop_capacity + hops);
  ss_hop *hop = realloc(paths->hop, (size_t)capacity * sizeof *hop);
  if (hop == NULL) return false;
  paths->hop = hop;
  paths->hop_capacity = capacity;
  return true;
}

int32_t ss_link_paths_find(ss_link_paths *paths, const ss_hop *hop, int64_t count)
{
  if (!grow(paths, count)) return -1;
  const int64_t slot = slot_of(paths, hop, count);
  if (paths->slot[slot] != 0) return paths->slot[slot] - 1;
  const int32_t index = (int32_t)paths->count++;
  paths->slot[slot] = index + 1;
  paths->path[index] = (ss_link_path){paths->hops, count};
  for (int64_t i = 0; i < count; ++i) paths->hop[paths->hops++] = hop[i];
  return index;
}
