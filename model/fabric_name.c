/* What links are called. */
#include <stdio.h>
#include <string.h>

#include "model/fabric_parts.h"

/* The number of the pair (low, high) of `count`, 0 <= low < high < count, and back. */
static int64_t pair_of(int64_t count, int64_t low, int64_t high)
{
  return low * (2 * count - low - 1) / 2 + high - low - 1;
}

static void split_pair(int64_t count, int64_t pair, int64_t ends[2])
{
  int64_t low = 0;
  for (; pair >= count - 1 - low; ++low) pair -= count - 1 - low;
  ends[0] = low;
  ends[1] = low + 1 + pair;
}

int64_t ss_dragonfly_link(const ss_fabric *fabric, int64_t from, int64_t to)
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const int64_t low = from < to ? from : to, high = from < to ? to : from;
  const int64_t chassis[2] = {low / fly->routers, high / fly->routers};
  const int64_t at[2] = {low % fly->routers, high % fly->routers};
  const int64_t group[2] = {chassis[0] / fly->chassis, chassis[1] / fly->chassis};
  if (low == high) return -1;
  if (chassis[0] == chassis[1])
    return ss_bundle_link(&fabric->bundle[SS_BUNDLE_CHASSIS], chassis[0], pair_of(fly->routers, at[0], at[1]),
                          to < from);
  if (group[0] == group[1] && at[0] == at[1])
    return ss_bundle_link(&fabric->bundle[SS_BUNDLE_GROUP], group[0] * fly->routers + at[0],
                          pair_of(fly->chassis, chassis[0] % fly->chassis, chassis[1] % fly->chassis), to < from);
  const bool first_chassis = chassis[0] % fly->chassis == 0 && chassis[1] % fly->chassis == 0;
  if (!first_chassis || at[0] != group[1] || at[1] != group[0]) return -1;
  return ss_bundle_link(&fabric->bundle[SS_BUNDLE_ALL], 0, pair_of(fly->groups, group[0], group[1]), to < from);
}

void ss_dragonfly_ends(const ss_fabric *fabric, const ss_bundle *bundle, int64_t cable, int64_t ends[2])
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const int64_t node = cable / bundle->ports, group = node / fly->routers;
  int64_t pair[2];
  switch (bundle - fabric->bundle) {
  case SS_BUNDLE_CHASSIS:
    split_pair(fly->routers, cable % bundle->ports, pair);
    for (int i = 0; i < 2; ++i) ends[i] = node * fly->routers + pair[i];
    break;
  case SS_BUNDLE_GROUP:
    split_pair(fly->chassis, cable % bundle->ports, pair);
    for (int i = 0; i < 2; ++i) ends[i] = (group * fly->chassis + pair[i]) * fly->routers + node % fly->routers;
    break;
  default:
    split_pair(fly->groups, cable, pair);
    for (int i = 0; i < 2; ++i) ends[i] = pair[i] * fly->chassis * fly->routers + pair[1 - i];
  }
}

/* Whether a bundle is between the routers of a dragonfly, which are named by their ends. */
static bool is_between(const ss_fabric *fabric, const ss_bundle *bundle)
{
  return fabric->machine->shape.topology == SS_TOPOLOGY_DRAGONFLY && bundle - fabric->bundle >= SS_BUNDLE_CHASSIS;
}

static int64_t routers_of(const ss_fabric *fabric)
{
  return fabric->hosts / fabric->machine->shape.as.dragonfly.nodes;
}

static const ss_bundle *bundle_of(const ss_fabric *fabric, int64_t link)
{
  int i = fabric->bundles - 1;
  while (fabric->bundle[i].first > link || fabric->bundle[i].ports == 0) --i;
  return &fabric->bundle[i];
}

void ss_fabric_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE])
{
  SS_ASSERT(link >= 0 && link < fabric->links);
  const ss_bundle *bundle = bundle_of(fabric, link);
  const int64_t cable = (link - bundle->first) / bundle->ways;
  const bool back = (link - bundle->first) % bundle->ways != 0;
  int64_t node = cable / bundle->ports, port = cable % bundle->ports;
  if (bundle->of_nics) node = ss_fabric_nic(fabric, node);
  if (is_between(fabric, bundle)) {
    int64_t ends[2];
    ss_dragonfly_ends(fabric, bundle, cable, ends);
    node = ends[back ? 1 : 0];
    port = ends[back ? 0 : 1];
  }
  char number[16] = "", end[16] = "";
  if (bundle->numbered) (void)snprintf(number, sizeof number, "-%d", (int)node);
  if (bundle->ported) (void)snprintf(end, sizeof end, "%d", (int)port);
  const char *direction = back ? bundle->in : bundle->out;
  const bool directed = bundle->ways == 2;
  (void)snprintf(name, SS_LINK_NAME_SIZE, "%s%s%s%s%s%s", bundle->word, number, directed || bundle->ported ? ":" : "",
                 directed ? direction : "", directed && bundle->ported ? "-" : "", end);
}

/* Reads `word` at the start of a text; what follows it, NULL where it is another one. */
static const char *skip_word(const char *text, const char *word)
{
  const size_t length = strlen(word);
  return strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* Reads a number below `limit` as it is printed; what follows it, NULL where there is none. */
static const char *read_number(const char *text, int64_t limit, int64_t *number)
{
  const size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || (digits > 1 && text[0] == '0')) return NULL;
  *number = 0;
  for (size_t i = 0; i < digits; ++i) *number = *number * 10 + (text[i] - '0');
  return *number < limit ? text + digits : NULL;
}

enum { BOTH = -1, OUT = 0, BACK = 1 };

/* Reads the rest of a name, ":out-3" or ":3": which of the directions, and the port. */
static bool read_rest(const ss_bundle *bundle, int64_t ports, const char *text, int *direction, int64_t *port)
{
  *direction = BOTH;
  *port = 0;
  if (*text == '\0') return !bundle->ported;
  if (*text++ != ':') return false;
  for (int i = OUT; bundle->ways == 2 && i <= BACK && *direction == BOTH; ++i) {
    const char *end = skip_word(text, i == OUT ? bundle->out : bundle->in);
    if (end == NULL || (bundle->ported && *end != '-')) continue;
    *direction = i;
    text = bundle->ported ? end + 1 : end;
  }
  if (!bundle->ported) return *direction != BOTH && *text == '\0';
  text = read_number(text, ports, port);
  return text != NULL && *text == '\0';
}

static int find_between(const ss_fabric *fabric, int64_t from, int64_t to, int direction, int64_t link[2])
{
  link[0] = ss_dragonfly_link(fabric, from, to);
  if (link[0] < 0) return 0;
  link[1] = ss_dragonfly_link(fabric, to, from);
  return direction == BOTH && link[0] != link[1] ? 2 : 1;
}

int ss_fabric_find(const ss_fabric *fabric, const char *name, int64_t link[2])
{
  for (int i = 0; i < fabric->bundles; ++i) {
    const ss_bundle *bundle = &fabric->bundle[i];
    const bool between = is_between(fabric, bundle);
    const int64_t nodes = between ? routers_of(fabric) : bundle->nodes;
    const int64_t ports = between ? nodes : bundle->ports;
    const char *text = skip_word(name, bundle->word);
    int64_t node = 0, port = 0;
    int direction = BOTH;
    if (text != NULL && bundle->numbered) text = *text == '-' ? read_number(text + 1, nodes, &node) : NULL;
    if (text == NULL || !read_rest(bundle, ports, text, &direction, &port)) continue;
    if (between) return find_between(fabric, node, port, direction, link);
    if (bundle->of_nics) node = ss_fabric_host(fabric, node);
    link[0] = ss_bundle_link(bundle, node, port, direction == BACK);
    link[1] = ss_bundle_link(bundle, node, port, true);
    return direction == BOTH && link[0] != link[1] ? 2 : 1;
  }
  return 0;
}

/* The names of one bundle, "leaf-0..3:[up-|down-]0..7". */
static void write_names(const ss_bundle *bundle, int64_t nodes, int64_t ports, char *text, size_t size)
{
  char numbers[32] = "", directions[32] = "", ends[32] = "";
  const char *dash = bundle->ported ? "-" : "", *colon = bundle->ported ? "" : ":";
  if (bundle->numbered) (void)snprintf(numbers, sizeof numbers, "-0..%d", (int)nodes - 1);
  if (bundle->ported) (void)snprintf(ends, sizeof ends, "0..%d", (int)ports - 1);
  if (bundle->ways == 2 && bundle->out == bundle->in)
    (void)snprintf(directions, sizeof directions, "[%s%s]", bundle->out, dash);
  else if (bundle->ways == 2)
    (void)snprintf(directions, sizeof directions, "[%s%s%s|%s%s%s]", colon, bundle->out, dash, colon, bundle->in, dash);
  (void)snprintf(text, size, "%s%s%s%s%s", bundle->word, numbers, bundle->ported ? ":" : "", directions, ends);
}

void ss_fabric_names(const ss_fabric *fabric, char *text, size_t size)
{
  size_t used = 0;
  bool routers_named = false;
  text[0] = '\0';
  for (int i = 0; i < fabric->bundles; ++i) {
    const ss_bundle *bundle = &fabric->bundle[i];
    const bool between = is_between(fabric, bundle);
    char names[SS_LINK_NAME_SIZE * 2];
    if (bundle->ports == 0 || (between && routers_named)) continue;
    routers_named = routers_named || between;
    write_names(bundle, between ? routers_of(fabric) : bundle->nodes, between ? routers_of(fabric) : bundle->ports,
                names, sizeof names);
    const char *separator = used > 0 ? ", " : "", *condition = between ? " where there is a cable" : "";
    const size_t length = strlen(separator) + strlen(names) + strlen(condition);
    if (used + length >= size) return;
    (void)snprintf(text + used, size - used, "%s%s%s", separator, names, condition);
    used += length;
  }
}
