#include "sim/engine/headroom/crossed_links.h"

#include <stdlib.h>

ss_status ss_crossed_links_init(ss_crossed_links *crossed, const ss_link_paths *paths, int64_t kinds, int64_t links)
{
  *crossed = (ss_crossed_links){.paths = paths,
                                .flow = calloc((size_t)kinds + 1, sizeof *crossed->flow),
                                .first_place = malloc((size_t)(kinds + 1) * sizeof *crossed->first_place),
                                .first = malloc((size_t)(links + 1) * sizeof *crossed->first)};
  if (crossed->flow == NULL || crossed->first_place == NULL || crossed->first == NULL) return SS_ERROR_MEMORY;
  for (int64_t kind = 0; kind < kinds; ++kind) crossed->first_place[kind] = -1;
  for (int64_t link = 0; link < links; ++link) crossed->first[link] = -1;
  return SS_OK;
}

void ss_crossed_links_free(ss_crossed_links *crossed)
{
  free(crossed->flow);
  free(crossed->first_place);
  free(crossed->first);
  free(crossed->place);
  *crossed = (ss_crossed_links){0};
}

/* The places of a kind, which are made when its first flow begins. */
static int32_t first_place(ss_crossed_links *crossed, int32_t kind, int64_t hops)
{
  if (crossed->first_place[kind] >= 0) return crossed->first_place[kind];
  if (crossed->places + hops > crossed->capacity) {
    crossed->capacity = 2 * (crossed->places + hops);
    crossed->place = realloc(crossed->place, (size_t)crossed->capacity * sizeof *crossed->place);
    SS_ASSERT(crossed->place != NULL);
  }
  crossed->first_place[kind] = (int32_t)crossed->places;
  crossed->places += hops;
  return crossed->first_place[kind];
}

void ss_crossed_links_enter(ss_crossed_links *crossed, const ss_flow *flow)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(crossed->paths, flow->path, &hops);
  int32_t place = first_place(crossed, flow->kind, hops);
  crossed->flow[flow->kind] = flow;
  for (int64_t h = 0; h < hops; ++h, ++place) {
    int32_t *first = &crossed->first[hop[h].link];
    crossed->place[place] = (ss_crossed_link){flow->kind, *first, -1};
    if (*first >= 0) crossed->place[*first].previous = place;
    *first = place;
  }
}

void ss_crossed_links_leave(ss_crossed_links *crossed, int32_t kind)
{
  int64_t hops;
  const ss_hop *hop = ss_crossed_links_hops(crossed, kind, &hops);
  const ss_crossed_link *left = &crossed->place[crossed->first_place[kind]];
  for (int64_t h = 0; h < hops; ++h, ++left) {
    if (left->next >= 0) crossed->place[left->next].previous = left->previous;
    if (left->previous >= 0)
      crossed->place[left->previous].next = left->next;
    else
      crossed->first[hop[h].link] = left->next;
  }
  crossed->flow[kind] = NULL;
}
