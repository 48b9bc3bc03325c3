#include "sim/campaign/due.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/grow.h"

bool ss_due_add(ss_due *due, double at_s)
{
  double *grown = ss_grown(due->at_s, due->count, &due->room, sizeof *grown);
  if (grown == NULL) return false;
  due->at_s = grown;
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
