#include "sim/engine/network/max_min.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_max_min_init(ss_max_min *fair, int64_t links)
{
  const size_t room = (size_t)links + 1;
  *fair = (ss_max_min){.link = malloc(room * sizeof *fair->link), .open = malloc(room * sizeof *fair->open)};
  return fair->link != NULL && fair->open != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_max_min_free(ss_max_min *fair)
{
  free(fair->link);
  free(fair->open);
  *fair = (ss_max_min){0};
}

/* The least share; links that nobody is left on are no longer open. */
static double find_least(ss_max_min *fair)
{
  double least = INFINITY;
  int64_t left = 0;
  for (int64_t l = 0; l < fair->count; ++l) {
    const ss_filled_link *link = &fair->link[fair->open[l]];
    if (link->flows == 0) continue;
    fair->open[left++] = fair->open[l];
    const double share = link->left_bytes_per_s / (double)link->flows;
    if (share < least) least = share;
  }
  fair->count = left;
  return least;
}

double ss_max_min_fill(ss_max_min *fair)
{
  const double least = find_least(fair);
  fair->full = 0;
  for (int64_t l = 0; l < fair->count; ++l) {
    const int32_t number = fair->open[l];
    const ss_filled_link *link = &fair->link[number];
    if (link->left_bytes_per_s > least * SS_SHARE_ROUNDED * (double)link->flows) continue;
    fair->open[l] = fair->open[fair->full];
    fair->open[fair->full++] = number;
  }
  return least;
}
