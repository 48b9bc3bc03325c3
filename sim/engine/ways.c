#include "sim/engine/ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/mix.h"

ss_status ss_ways_init(ss_ways *ways, const ss_fabric *fabric)
{
  *ways = (ss_ways){.links = ss_fabric_links(fabric)};
  ways->bytes_per_s = malloc((size_t)ways->links * sizeof *ways->bytes_per_s);
  ways->shared = malloc((size_t)ways->links * sizeof *ways->shared);
  if (ways->bytes_per_s == NULL || ways->shared == NULL) return SS_ERROR_MEMORY;
  for (int64_t link = 0; link < ways->links; ++link) {
    ways->bytes_per_s[link] = ss_fabric_bytes_per_s(fabric, link);
    ways->shared[link] = ss_fabric_is_shared(fabric, link);
  }
  return SS_OK;
}

void ss_ways_free(ss_ways *ways)
{
  free(ways->bytes_per_s);
  free(ways->shared);
  free(ways->way);
  free(ways->hop);
  free(ways->slot);
  *ways = (ss_ways){0};
}

static uint64_t hash_of(const ss_hop *hop, int64_t count)
{
  uint64_t hash = (uint64_t)count;
  for (int64_t i = 0; i < count; ++i)
    hash = ss_mix(hash, ((uint64_t)(uint32_t)hop[i].link << 32) | (uint32_t)hop[i].alike);
  return hash;
}

/* The slot of a way with these hops, or the empty one where it belongs. */
static int64_t slot_of(const ss_ways *ways, const ss_hop *hop, int64_t count)
{
  const uint64_t mask = (uint64_t)ways->slots - 1;
  uint64_t slot = hash_of(hop, count) & mask;
  for (; ways->slot[slot] != 0; slot = (slot + 1) & mask) {
    const ss_way *way = &ways->way[ways->slot[slot] - 1];
    if (way->count == count && memcmp(&ways->hop[way->first], hop, (size_t)count * sizeof *hop) == 0) break;
  }
  return (int64_t)slot;
}

static bool grow_slots(ss_ways *ways)
{
  const int64_t slots = ways->slots > 0 ? 2 * ways->slots : 1024;
  int32_t *slot = calloc((size_t)slots, sizeof *slot);
  if (slot == NULL) return false;
  free(ways->slot);
  ways->slot = slot;
  ways->slots = slots;
  for (int64_t i = 0; i < ways->count; ++i)
    slot[slot_of(ways, &ways->hop[ways->way[i].first], ways->way[i].count)] = (int32_t)(i + 1);
  return true;
}

/* Makes room for one way more; doubling keeps the slots half empty. */
static bool grow(ss_ways *ways, int64_t hops)
{
  if (2 * (ways->count + 1) > ways->slots && !grow_slots(ways)) return false;
  if (ways->count == ways->capacity) {
    const int64_t capacity = ways->capacity > 0 ? 2 * ways->capacity : 512;
    ss_way *way = realloc(ways->way, (size_t)capacity * sizeof *way);
    if (way == NULL) return false;
    ways->way = way;
    ways->capacity = capacity;
  }
  if (ways->hops + hops <= ways->hop_capacity) return true;
  const int64_t capacity = 2 * (ways->hop_capacity + hops);
  ss_hop *hop = realloc(ways->hop, (size_t)capacity * sizeof *hop);
  if (hop == NULL) return false;
  ways->hop = hop;
  ways->hop_capacity = capacity;
  return true;
}

int32_t ss_ways_find(ss_ways *ways, const ss_hop *hop, int64_t count)
{
  if (!grow(ways, count)) return -1;
  const int64_t slot = slot_of(ways, hop, count);
  if (ways->slot[slot] != 0) return ways->slot[slot] - 1;
  const int32_t index = (int32_t)ways->count++;
  ways->slot[slot] = index + 1;
  ways->way[index] = (ss_way){ways->hops, count};
  for (int64_t i = 0; i < count; ++i) ways->hop[ways->hops++] = hop[i];
  return index;
}

double ss_ways_bytes_per_s(const ss_ways *ways, int32_t way)
{
  const ss_way *found = &ways->way[way];
  double least = INFINITY;
  for (int64_t i = found->first; i < found->first + found->count; ++i)
    least = fmin(least, ways->bytes_per_s[ways->hop[i].link] / (double)ways->hop[i].alike);
  return least;
}
