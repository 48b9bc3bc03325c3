/* What a blueprint amounts to: its parameters for SimGrid, its counts, and what it is in words. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "model/blueprint.h"

/* A text that grows at its end; what does not fit is left out. */
typedef struct sentence {
  char *text;
  size_t used;
} sentence;

static void say(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(sentence *s, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(s->text + s->used, SS_BLUEPRINT_TEXT_SIZE - s->used, format, arguments);
  va_end(arguments);
  SS_ASSERT(length >= 0 && (size_t)length < SS_BLUEPRINT_TEXT_SIZE - s->used);
  s->used += (size_t)length;
}

static void say_list(sentence *s, const int64_t *number, int64_t count)
{
  for (int64_t i = 0; i < count; ++i) say(s, "%s%" PRId64, i > 0 ? "," : "", number[i]);
}

void ss_blueprint_parameters(const ss_blueprint *b, char text[SS_BLUEPRINT_TEXT_SIZE])
{
  static const int64_t single[SS_MOST_LEVELS] = {1, 1, 1, 1, 1, 1};
  const int64_t *d = b->dragonfly;
  sentence s = {.text = text};
  text[0] = '\0';
  switch (b->wiring) {
  case SS_WIRING_FAT_TREE:
  case SS_WIRING_RAIL:
    say(&s, "%" PRId64 ";", b->count);
    say_list(&s, b->down, b->count);
    say(&s, ";");
    say_list(&s, b->up, b->count);
    say(&s, ";");
    say_list(&s, single, b->count);
    break;
  case SS_WIRING_DRAGONFLY:
    say(&s, "%" PRId64 ",%" PRId64 ";%" PRId64 ",%" PRId64 ";%" PRId64 ",%" PRId64 ";%" PRId64, d[0], d[1], d[2], d[3],
        d[4], d[5], d[6]);
    break;
  case SS_WIRING_TORUS: say_list(&s, b->dimension, b->count); break;
  case SS_WIRING_FLAT:
  case SS_WIRING_COUNT: break;
  }
}

/* Above a level there is one switch for each choice of links up so far and of the subtrees above. */
int64_t ss_blueprint_switches(const ss_blueprint *b, int64_t level)
{
  int64_t switches = 1;
  for (int64_t i = 0; i < b->count; ++i) switches *= i <= level ? b->up[i] : b->down[i];
  return switches;
}

int64_t ss_blueprint_links(const ss_blueprint *b, int64_t level)
{
  return ss_blueprint_switches(b, level) * b->down[level];
}

/* Of `count` parts that are all linked to each other, with `nics` in each: the links from the smaller half to the
 * other, for each NIC of the smaller half. */
static double all_to_all_bisection(int64_t count, int64_t links, int64_t nics)
{
  const double share = ceil(0.5 * (double)count) * (double)links / (double)nics;
  return share < 1.0 ? share : 1.0;
}

static double dragonfly_bisection(const int64_t *d)
{
  if (d[0] > 1) return all_to_all_bisection(d[0], d[1], d[2] * d[4] * d[6]);
  if (d[2] > 1) return all_to_all_bisection(d[2], d[3] * d[4], d[4] * d[6]);
  return d[4] > 1 ? all_to_all_bisection(d[4], d[5], d[6]) : 1.0;
}

double ss_blueprint_bisection(const ss_blueprint *b)
{
  int64_t longest = 1;
  switch (b->wiring) {
  case SS_WIRING_FAT_TREE:
  case SS_WIRING_RAIL: return b->count > 1 && b->nics > b->down[0] ? 1.0 / (double)b->taper : 1.0;
  case SS_WIRING_DRAGONFLY: return dragonfly_bisection(b->dragonfly);
  case SS_WIRING_TORUS:
    for (int64_t i = 0; i < b->count; ++i) longest = b->dimension[i] > longest ? b->dimension[i] : longest;
    /* Across the longest dimension, two links of every ring are cut. */
    return longest > 1 ? 2.0 / floor(0.5 * (double)longest) : 1.0;
  case SS_WIRING_FLAT:
  case SS_WIRING_COUNT: break;
  }
  return 1.0;
}

static const char *plural(int64_t count)
{
  return count == 1 ? "" : "s";
}

static void describe_leaf(sentence *s, const ss_blueprint *b)
{
  say(s, "%" PRId64 "-level fat tree of %" PRId64 "-port switches, %" PRId64 " NIC%s per leaf", b->count, b->radix,
      b->down[0], plural(b->down[0]));
  if (b->count > 1) say(s, ", taper %" PRId64 ": %" PRId64 " up link%s per leaf", b->taper, b->up[1], plural(b->up[1]));
  if (b->rail_domains > 0)
    say(s, "; the n-th NICs of %" PRId64 " domain%s share a leaf", b->rail_domains, plural(b->rail_domains));
  say(s, ".");
}

static void describe_tree(sentence *s, const ss_blueprint *b)
{
  static const char *const names[] = {"leaf", "spine", "core"};
  describe_leaf(s, b);
  for (int64_t level = 0; level < b->count; ++level) {
    const int64_t switches = ss_blueprint_switches(b, level), links = ss_blueprint_links(b, level);
    if (level < 3)
      say(s, "%s%" PRId64 " %s switch%s", level > 0 ? ", " : " ", switches, names[level], switches == 1 ? "" : "es");
    else
      say(s, ", %" PRId64 " switches of level %" PRId64, switches, level + 1);
    say(s, " with %" PRId64 " link%s down", links, plural(links));
  }
  say(s, ".");
  const int64_t top = b->count - 1, ports = b->down[top], bundle = ports > 0 ? b->radix / ports : 1;
  const int64_t switches = ss_blueprint_switches(b, top);
  if (b->count > 1 && bundle > 1 && switches > 1)
    say(s,
        " The top switches use %" PRId64 " port%s each: %" PRId64 " with all %" PRId64
        " in use would do the same with bundles of cables.",
        ports, plural(ports), (switches + bundle - 1) / bundle, b->radix);
}

static void describe_dragonfly(sentence *s, const ss_blueprint *b)
{
  const int64_t *d = b->dragonfly;
  const int64_t routers = d[0] * d[2] * d[4];
  say(s, "Dragonfly of %" PRId64 " group%s", d[0], plural(d[0]));
  if (d[2] > 1) say(s, " of %" PRId64 " chassis", d[2]);
  say(s, " of %" PRId64 " router%s, %" PRId64 " NIC%s at each: %" PRId64 " router%s.", d[4], plural(d[4]), d[6],
      plural(d[6]), routers, plural(routers));
  if (d[0] > 1) say(s, " %" PRId64 " link%s between two groups.", d[1], plural(d[1]));
  if (d[2] > 1) say(s, " %" PRId64 " link%s between a router and its like in another chassis.", d[3], plural(d[3]));
  if (d[4] > 1)
    say(s, " %" PRId64 " link%s between two routers of a %s.", d[5], plural(d[5]), d[2] > 1 ? "chassis" : "group");
}

static void describe_torus(sentence *s, const ss_blueprint *b)
{
  say(s, "Torus of ");
  for (int64_t i = 0; i < b->count; ++i) say(s, "%s%" PRId64, i > 0 ? " x " : "", b->dimension[i]);
  say(s, " NICs with %" PRId64 " links, no switches.", b->hosts * b->count);
}

void ss_blueprint_describe(const ss_blueprint *b, char text[SS_BLUEPRINT_TEXT_SIZE])
{
  sentence s = {.text = text};
  text[0] = '\0';
  say(&s, "%" PRId64 " domain%s of %" PRId64 " GPU%s with %" PRId64 " NIC%s each: %" PRId64 " GPUs, %" PRId64 " NICs. ",
      b->domains, plural(b->domains), b->domain_size, plural(b->domain_size), b->nics_per_domain,
      plural(b->nics_per_domain), b->domains * b->domain_size, b->nics);
  switch (b->wiring) {
  case SS_WIRING_FAT_TREE:
  case SS_WIRING_RAIL: describe_tree(&s, b); break;
  case SS_WIRING_DRAGONFLY: describe_dragonfly(&s, b); break;
  case SS_WIRING_TORUS: describe_torus(&s, b); break;
  case SS_WIRING_FLAT:
  case SS_WIRING_COUNT: say(&s, "Flat fabric: nothing but the NICs limits it."); break;
  }
  if (b->hosts > b->nics)
    say(&s, " There is room for %" PRId64 " NICs, so that %" PRId64 " %s spare.", b->hosts, b->hosts - b->nics,
        b->hosts - b->nics == 1 ? "is" : "are");
}
