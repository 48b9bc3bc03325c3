#include "sim/engine/network/ample.h"

#include <stdlib.h>

/* Sums of what links are full of differ by rounding. */
#define ROUNDING 1e-12

enum { NONE = -1 };

/* What ports at one of the ends of paths bring to links. */
typedef struct supply {
  double bytes_per_s; /* all ports that were looked at */
  double of_port;     /* the last one of these that brings any */
  int32_t port;       /* that one */
} supply;

typedef struct search {
  const ss_link_paths *paths;
  bool at_end;    /* ports where paths end; else where they begin */
  supply *supply; /* [links], owned */
  int32_t *first; /* [links] the first path with a port; owned */
  int32_t *next;  /* [paths] and the one behind each; owned */
} search;

static const ss_hop *port_of(const search *s, int32_t path)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(s->paths, path, &hops);
  if (hops == 0) return NULL;
  return s->at_end ? &hop[hops - 1] : hop;
}

static void list_paths(const search *s)
{
  for (int64_t link = 0; link < s->paths->links; ++link) {
    s->supply[link] = (supply){.port = NONE};
    s->first[link] = NONE;
  }
  for (int32_t path = 0; path < s->paths->hops.count; ++path) {
    const ss_hop *port = port_of(s, path);
    if (port == NULL) continue;
    s->next[path] = s->first[port->link];
    s->first[port->link] = path;
  }
}

/* The flows of a path have a port in proportion to how many of them cross it, and the links behind it likewise. */
static void add_path(const search *s, int32_t path)
{
  int64_t hops;
  const ss_hop *hop = ss_link_paths_hops(s->paths, path, &hops), *port = port_of(s, path);
  for (int64_t h = 1; h < hops - 1; ++h) {
    supply *to = &s->supply[hop[h].link];
    const double bytes_per_s = s->paths->bytes_per_s[port->link] * (double)hop[h].alike / (double)port->alike;
    if (to->port != port->link) to->of_port = 0.0;
    to->port = port->link;
    if (bytes_per_s <= to->of_port) continue;
    to->bytes_per_s += bytes_per_s - to->of_port;
    to->of_port = bytes_per_s;
  }
}

static void find_at(search *s, bool at_end, bool *ample)
{
  s->at_end = at_end;
  list_paths(s);
  for (int64_t port = 0; port < s->paths->links; ++port)
    for (int32_t path = s->first[port]; path != NONE; path = s->next[path]) add_path(s, path);
  for (int64_t link = 0; link < s->paths->links; ++link)
    ample[link] = ample[link] || s->supply[link].bytes_per_s <= s->paths->bytes_per_s[link] * (1.0 + ROUNDING);
}

/* Ports vouch for others, and nobody for them. */
static void leave_ports(search *s, bool *ample)
{
  for (int at_end = 0; at_end < 2; ++at_end) {
    s->at_end = at_end != 0;
    for (int32_t path = 0; path < s->paths->hops.count; ++path)
      if (port_of(s, path) != NULL) ample[port_of(s, path)->link] = false;
  }
}

ss_status ss_ample_links_find(const ss_link_paths *paths, bool *ample)
{
  search s = {.paths = paths,
              .supply = malloc((size_t)(paths->links + 1) * sizeof *s.supply),
              .first = malloc((size_t)(paths->links + 1) * sizeof *s.first),
              .next = malloc((size_t)(paths->hops.count + 1) * sizeof *s.next)};
  const bool allocated = s.supply != NULL && s.first != NULL && s.next != NULL;
  for (int64_t link = 0; link < paths->links; ++link) ample[link] = false;
  if (allocated) {
    find_at(&s, false, ample);
    find_at(&s, true, ample);
    leave_ports(&s, ample);
  }
  free(s.supply);
  free(s.first);
  free(s.next);
  return allocated ? SS_OK : SS_ERROR_MEMORY;
}
