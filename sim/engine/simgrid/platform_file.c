#include "sim/engine/simgrid/platform_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

int64_t ss_simgrid_hosts(const ss_link_paths *paths)
{
  int64_t hosts = 2;
  while (hosts * (hosts - 1) < paths->hops.count) ++hosts;
  return hosts;
}

ss_ends ss_simgrid_ends(const ss_link_paths *paths, int32_t path)
{
  const int64_t others = ss_simgrid_hosts(paths) - 1, from = path / others, to = path % others;
  return (ss_ends){from, to < from ? to : to + 1};
}

static int32_t greatest_common_divisor(int32_t a, int32_t b)
{
  while (b != 0) {
    const int32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* What the numbers of flows alike on a link have in common, for links that are used; 0 for others. */
static int32_t *common_divisors(const ss_link_paths *paths)
{
  int32_t *common = calloc((size_t)paths->links + 1, sizeof *common);
  const ss_hop *hop = paths->hops.item;
  for (int64_t i = 0; common != NULL && i < paths->hops.items; ++i)
    common[hop[i].link] = greatest_common_divisor(hop[i].alike, common[hop[i].link]);
  return common;
}

/* A flow that stands for several takes its share of a link as often as its path names it; what all have in common is
 * taken off the link. */
static void write_path(const ss_link_paths *paths, int32_t index, const int32_t *common, FILE *file)
{
  const ss_ends ends = ss_simgrid_ends(paths, index);
  int64_t count;
  const ss_hop *hop = ss_link_paths_hops(paths, index, &count);
  (void)fprintf(file, "<route src=\"%" PRId64 "\" dst=\"%" PRId64 "\" symmetrical=\"NO\">", ends.from, ends.to);
  for (int64_t i = 0; i < count; ++i)
    for (int32_t n = hop[i].alike / common[hop[i].link]; n > 0; --n)
      (void)fprintf(file, "<link_ctn id=\"%" PRId32 "\"/>", hop[i].link);
  (void)fputs("</route>\n", file);
}

static void write_link(const ss_link_paths *paths, int64_t link, int32_t common, double units_per_byte, FILE *file)
{
  (void)fprintf(file, "<link id=\"%" PRId64 "\" bandwidth=\"%.17gBps\" latency=\"0s\"/>\n", link,
                units_per_byte * paths->bytes_per_s[link] / (double)common);
}

ss_status ss_simgrid_write(const ss_link_paths *paths, double units_per_byte, FILE *file)
{
  int32_t *common = common_divisors(paths);
  if (common == NULL) return SS_ERROR_MEMORY;
  (void)fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
              "<platform version=\"4.1\">\n<zone id=\"job\" routing=\"Full\">\n",
              file);
  const int64_t hosts = ss_simgrid_hosts(paths);
  for (int64_t host = 0; host < hosts; ++host) (void)fprintf(file, "<host id=\"%" PRId64 "\" speed=\"1f\"/>\n", host);
  for (int64_t link = 0; link < paths->links; ++link)
    if (common[link] > 0) write_link(paths, link, common[link], units_per_byte, file);
  for (int32_t path = 0; path < paths->hops.count; ++path) write_path(paths, path, common, file);
  (void)fputs("</zone>\n</platform>\n", file);
  free(common);
  return fflush(file) == 0 && ferror(file) == 0 ? SS_OK : SS_ERROR_OUTPUT;
}
