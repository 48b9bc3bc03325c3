#include "sim/engine/network/max_min.h"

#include <math.h>
#include <stdlib.h>

ss_status ss_max_min_init(ss_max_min *fair, const ss_link_paths *paths, int64_t links)
{
  *fair = (ss_max_min){.paths = paths,
                       .link = calloc((size_t)links + 1, sizeof *fair->link),
                       .group_link = malloc((size_t)(links + 1) * sizeof *fair->group_link)};
  return fair->link != NULL && fair->group_link != NULL ? SS_OK : SS_ERROR_MEMORY;
}

void ss_max_min_free(ss_max_min *fair)
{
  free(fair->link);
  free(fair->group_link);
  *fair = (ss_max_min){0};
}

void ss_max_min_begin(ss_max_min *fair)
{
  fair->groups++;
  fair->count = 0;
}

void ss_max_min_add_link(ss_max_min *fair, int32_t link)
{
  ss_filled_link *added = &fair->link[link];
  if (added->group == fair->groups) return;
  added->group = fair->groups;
  added->left_bytes_per_s = fair->paths->bytes_per_s[link];
  added->flows = 0;
  fair->group_link[fair->count++] = link;
}

void ss_max_min_add_flow(ss_max_min *fair, const ss_hop *hop, int64_t hops)
{
  for (int64_t h = 0; h < hops; ++h) {
    ss_max_min_add_link(fair, hop[h].link);
    fair->link[hop[h].link].flows += hop[h].alike;
  }
}

/* The least share; links that nobody is left on leave the group. */
static double find_least(ss_max_min *fair)
{
  double least = INFINITY;
  int64_t left = 0;
  for (int64_t l = 0; l < fair->count; ++l) {
    const ss_filled_link *link = &fair->link[fair->group_link[l]];
    if (link->flows == 0) continue;
    fair->group_link[left++] = fair->group_link[l];
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
    const int32_t number = fair->group_link[l];
    const ss_filled_link *link = &fair->link[number];
    if (link->left_bytes_per_s > least * SS_SHARE_ROUNDED * (double)link->flows) continue;
    fair->group_link[l] = fair->group_link[fair->full];
    fair->group_link[fair->full++] = number;
  }
  return least;
}

void ss_max_min_settle(ss_max_min *fair, const ss_hop *hop, int64_t hops, double share)
{
  for (int64_t h = 0; h < hops; ++h) {
    fair->link[hop[h].link].left_bytes_per_s -= (double)hop[h].alike * share;
    fair->link[hop[h].link].flows -= hop[h].alike;
  }
}
