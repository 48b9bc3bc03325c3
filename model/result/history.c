#include "model/result/history.h"

#include <stdlib.h>

#include "model/base/grow.h"

#define SS_HISTORY_ADD(name)                                                                                           \
  bool ss_history_add_##name(ss_history *history, const ss_history_##name *item)                                       \
  {                                                                                                                    \
    ss_history_##name *list = ss_grown(history->name, history->name##_count, &history->name##_capacity, sizeof *list); \
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
