#include "model/result/history.h"

#include <stdlib.h>

/* Room for one more; the list as it is or where it is now, NULL where there is no memory. */
static void *make_room(void *list, int64_t count, int64_t *capacity, size_t size)
{
  if (count < *capacity) return list;
  const int64_t larger = *capacity > 0 ? 2 * *capacity : 256;
  void *moved = realloc(list, (size_t)larger * size);
  if (moved != NULL) *capacity = larger;
  return moved;
}

#define SS_HISTORY_ADD(name)                                                                                           \
  bool ss_history_add_##name(ss_history *history, const ss_history_##name *item)                                       \
  {                                                                                                                    \
    ss_history_##name *list =                                                                                          \
        make_room(history->name, history->name##_count, &history->name##_capacity, sizeof *list);                      \
    if (list == NULL) return false;                                                                                    \
    history->name = list;                                                                                              \
    list[history->name##_count++] = *item;                                                                             \
    return true;                                                                                                       \
  }
SS_HISTORY_LISTS(SS_HISTORY_ADD)
#undef SS_HISTORY_ADD

void ss_history_free(ss_history *history)
{
#define SS_HISTORY_FREE(name) free(history->name);
  SS_HISTORY_LISTS(SS_HISTORY_FREE)
#undef SS_HISTORY_FREE
  *history = (ss_history){.replica = 0};
}
