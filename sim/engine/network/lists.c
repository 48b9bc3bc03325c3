#include "sim/engine/network/lists.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/network/mix.h"

void ss_lists_free(ss_lists *lists)
{
  free(lists->list);
  free(lists->item);
  free(lists->slot);
  *lists = (ss_lists){.item_bytes = lists->item_bytes};
}

ss_status ss_lists_copy(const ss_lists *lists, ss_lists *copy)
{
  const size_t list_bytes = (size_t)lists->count * sizeof *copy->list,
               item_bytes = (size_t)lists->items * lists->item_bytes;
  *copy = (ss_lists){.item_bytes = lists->item_bytes,
                     .count = lists->count,
                     .items = lists->items,
                     .list = malloc(list_bytes + 1),
                     .item = malloc(item_bytes + 1)};
  if (copy->list == NULL || copy->item == NULL) return SS_ERROR_MEMORY;
  if (lists->count > 0) memcpy(copy->list, lists->list, list_bytes);
  if (lists->items > 0) memcpy(copy->item, lists->item, item_bytes);
  return SS_OK;
}

static char *item_at(const ss_lists *lists, int64_t index)
{
  return (char *)lists->item + (size_t)index * lists->item_bytes;
}

static uint64_t hash_of(const ss_lists *lists, const void *item, int64_t count)
{
  const size_t bytes = (size_t)count * lists->item_bytes;
  uint64_t hash = (uint64_t)count;
  for (size_t at = 0, size; at < bytes; at += size) {
    uint64_t word = 0;
    size = bytes - at < sizeof word ? bytes - at : sizeof word;
    memcpy(&word, (const char *)item + at, size);
    hash = ss_scramble(hash ^ word);
  }
  return hash;
}

/* The slot of a list of these items, or the empty one where it belongs. */
static int64_t slot_of(const ss_lists *lists, const void *item, int64_t count)
{
  const uint64_t mask = (uint64_t)lists->slots - 1;
  uint64_t slot = hash_of(lists, item, count) & mask;
  for (; lists->slot[slot] != 0; slot = (slot + 1) & mask) {
    const ss_list_range *list = &lists->list[lists->slot[slot] - 1];
    if (list->count == count && memcmp(item_at(lists, list->first), item, (size_t)count * lists->item_bytes) == 0)
      break;
  }
  return (int64_t)slot;
}

static bool grow_slots(ss_lists *lists)
{
  const int64_t slots = lists->slots > 0 ? 2 * lists->slots : 1024;
  int32_t *slot = calloc((size_t)slots, sizeof *slot);
  if (slot == NULL) return false;
  free(lists->slot);
  lists->slot = slot;
  lists->slots = slots;
  for (int64_t i = 0; i < lists->count; ++i)
    slot[slot_of(lists, item_at(lists, lists->list[i].first), lists->list[i].count)] = (int32_t)(i + 1);
  return true;
}

/* Makes room for one list more; doubling keeps the slots half empty. */
static bool grow(ss_lists *lists, int64_t items)
{
  if (2 * (lists->count + 1) > lists->slots && !grow_slots(lists)) return false;
  if (lists->count == lists->capacity) {
    const int64_t capacity = lists->capacity > 0 ? 2 * lists->capacity : 512;
    ss_list_range *list = realloc(lists->list, (size_t)capacity * sizeof *list);
    if (list == NULL) return false;
    lists->list = list;
    lists->capacity = capacity;
  }
  if (lists->items + items <= lists->item_capacity) return true;
  const int64_t capacity = 2 * (lists->item_capacity + items);
  void *item = realloc(lists->item, (size_t)capacity * lists->item_bytes);
  if (item == NULL) return false;
  lists->item = item;
  lists->item_capacity = capacity;
  return true;
}

int32_t ss_lists_find(ss_lists *lists, const void *item, int64_t count)
{
  if (!grow(lists, count)) return -1;
  const int64_t slot = slot_of(lists, item, count);
  if (lists->slot[slot] != 0) return lists->slot[slot] - 1;
  const int32_t number = (int32_t)lists->count++;
  lists->slot[slot] = number + 1;
  lists->list[number] = (ss_list_range){lists->items, count};
  memcpy(item_at(lists, lists->items), item, (size_t)count * lists->item_bytes);
  lists->items += count;
  return number;
}
