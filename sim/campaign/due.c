#include "sim/campaign/due.h"

#include <math.h>
#include <stdlib.h>

static bool make_room(ss_due *due)
{
  if (due->count < due->room) return true;
  const int64_t room = due->room > 0 ? 2 * due->room : 16;
  double *at_s = realloc(due->at_s, (size_t)room * sizeof *at_s);
  if (at_s == NULL) return false;
  due->at_s = at_s;
  due->room = room;
  return true;
}

bool ss_due_add(ss_due *due, double at_s)
{
  if (!make_room(due)) return false;
  int64_t place = due->count++;
  while (place > 0 && due->at_s[(place - 1) / 2] > at_s) {
    due->at_s[place] = due->at_s[(place - 1) / 2];
    place = (place - 1) / 2;
  }
  due->at_s[place] = at_s;
  return true;
}

double ss_due_first_s(const ss_due *due)
{
  return due->count > 0 ? due->at_s[0] : INFINITY;
}

void ss_due_drop(ss_due *due)
{
  const double last_s = due->at_s[--due->count];
  int64_t place = 0;
  for (int64_t below = 1; below < due->count; below = 2 * place + 1) {
    if (below + 1 < due->count && due->at_s[below + 1] < due->at_s[below]) ++below;
    if (due->at_s[below] >= last_s) break;
    due->at_s[place] = due->at_s[below];
    place = below;
  }
  due->at_s[place] = last_s;
}

void ss_due_free(ss_due *due)
{
  free(due->at_s);
  *due = (ss_due){.at_s = NULL};
}
