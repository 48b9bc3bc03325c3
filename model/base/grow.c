#include "model/base/grow.h"

#include <stdlib.h>

void *ss_grown(void *list, int64_t count, int64_t *room, size_t size)
{
  enum { FIRST_ROOM = 64 };
  if (count < *room) return list;
  const int64_t larger = *room > 0 ? 2 * *room : FIRST_ROOM;
  void *grown = realloc(list, (size_t)larger * size);
  if (grown != NULL) *room = larger;
  return grown;
}
