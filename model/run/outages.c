#include "model/run/outages.h"

#include <stdlib.h>

bool ss_outages_add(ss_outages *outages, ss_outage outage)
{
  if (outages->count == outages->room) {
    const int64_t room = outages->room > 0 ? 2 * outages->room : 16;
    ss_outage *item = realloc(outages->item, (size_t)room * sizeof *item);
    if (item == NULL) return false;
    outages->item = item;
    outages->room = room;
  }
  outages->item[outages->count++] = outage;
  return true;
}

void ss_outages_free(ss_outages *outages)
{
  free(outages->item);
  *outages = (ss_outages){.item = NULL};
}
