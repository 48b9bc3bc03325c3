#include "model/run/outages.h"

#include <stdlib.h>

#include "model/base/grow.h"

bool ss_outages_add(ss_outages *outages, ss_outage outage)
{
  ss_outage *item = ss_grown(outages->item, outages->count, &outages->room, sizeof *item);
  if (item == NULL) return false;
  outages->item = item;
  outages->item[outages->count++] = outage;
  return true;
}

void ss_outages_free(ss_outages *outages)
{
  free(outages->item);
  *outages = (ss_outages){.item = NULL};
}
