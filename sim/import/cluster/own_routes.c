#include "sim/import/cluster/own_routes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
  const ss_own_route *a = left, *b = right;
  if (a->level != b->level) return a->level < b->level ? -1 : 1;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->port != b->port) return a->port < b->port ? -1 : 1;
  return (a->nic > b->nic) - (a->nic < b->nic);
}

static bool is_same_cable(const ss_own_route *a, const ss_own_route *b)
{
  return a->level == b->level && a->node == b->node && a->port == b->port;
}

/* Prints NICs [count], which increase: those that are equally far apart as a range. */
static void print_nics(FILE *stream, const ss_own_route *route, int64_t count)
{
  for (int64_t first = 0, last; first < count; first = last + 1) {
    const int64_t step = first + 1 < count ? route[first + 1].nic - route[first].nic : 0;
    last = first;
    while (last + 1 < count && route[last + 1].nic - route[last].nic == step) ++last;
    if (last == first + 1 && step > 1) last = first; /* two that are apart are no range */
    (void)fprintf(stream, "%s%" PRId64, first > 0 ? "," : " ", route[first].nic);
    if (last > first) (void)fprintf(stream, "-%" PRId64, route[last].nic);
    if (last > first && step > 1) (void)fprintf(stream, ":%" PRId64, step);
  }
}

char *ss_own_routes_text(ss_own_draft *draft)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL) return NULL;
  (void)fprintf(stream,
                "# Routes of %s, of %s: what is for these NICs takes the cable of a switch, up from it\n"
                "# or down to it. All else goes by destination (D-mod-k).\n",
                draft->file[SS_OWN_IB], draft->file[SS_OWN_TABLES]);
  if (draft->routes > 0) qsort(draft->route, (size_t)draft->routes, sizeof *draft->route, compare);
  for (int64_t first = 0, last; first < draft->routes; first = last) {
    const ss_own_route *route = &draft->route[first];
    char name[SS_LINK_NAME_SIZE];
    for (last = first + 1; last < draft->routes; ++last)
      if (!is_same_cable(&draft->route[last], route)) break;
    ss_own_switch_name(route->level, route->node, name);
    (void)fprintf(stream, "%s:%" PRId64, name, route->port);
    print_nics(stream, route, last - first);
    (void)fputc('\n', stream);
  }
  if (fclose(stream) == 0) return text;
  free(text);
  return NULL;
}
