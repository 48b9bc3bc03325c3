/* Distinct lists of items of one size, such as the links of paths: each list is kept once and has a number. */
#ifndef STEPSIM_SIM_ENGINE_NETWORK_LISTS_H
#define STEPSIM_SIM_ENGINE_NETWORK_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/error.h"

typedef struct ss_list_range {
  int64_t first; /* of ss_lists.item */
  int64_t count;
} ss_list_range;

/* Without lists but for `item_bytes`: none yet. */
typedef struct ss_lists {
  size_t item_bytes; /* a multiple of 4, and all of them say something */
  int64_t count, capacity, items, item_capacity, slots;
  ss_list_range *list; /* [count], owned */
  void *item;          /* [items], owned */
  int32_t *slot;       /* [slots] number of a list + 1, by the hash of its items; owned */
} ss_lists;

void ss_lists_free(ss_lists *lists);

/* The same lists, to which none can be added. SS_ERROR_MEMORY. Free in any case. */
ss_status ss_lists_copy(const ss_lists *lists, ss_lists *copy);

/* The number of a list, which is added when it is new; -1 when memory is out. */
int32_t ss_lists_find(ss_lists *lists, const void *item, int64_t count);

/* The items of a list. */
static inline const void *ss_lists_items(const ss_lists *lists, int32_t number, int64_t *count)
{
  *count = lists->list[number].count;
  return (const char *)lists->item + (size_t)lists->list[number].first * lists->item_bytes;
}

#endif
