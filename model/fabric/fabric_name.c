/* What links are called. */
#include <stdio.h>
#include <string.h>

#include "model/fabric/fabric_parts.h"

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
    return ss_link_class_link(&fabric->link_class[SS_LINK_CLASS_CHASSIS], chassis[0],
                              pair_of(fly->routers, at[0], at[1]), to < from);
  if (group[0] == group[1] && at[0] == at[1])
    return ss_link_class_link(&fabric->link_class[SS_LINK_CLASS_GROUP], group[0] * fly->routers + at[0],
                              pair_of(fly->chassis, chassis[0] % fly->chassis, chassis[1] % fly->chassis), to < from);
  const bool first_chassis = chassis[0] % fly->chassis == 0 && chassis[1] % fly->chassis == 0;
  if (!first_chassis || at[0] != group[1] || at[1] != group[0]) return -1;
  return ss_link_class_link(&fabric->link_class[SS_LINK_CLASS_ALL], 0, pair_of(fly->groups, group[0], group[1]),
                            to < from);
}

void ss_dragonfly_ends(const ss_fabric *fabric, const ss_link_class *link_class, int64_t cable, int64_t ends[2])
{
  const ss_dragonfly *fly = &fabric->machine->shape.as.dragonfly;
  const int64_t node = cable / link_class->ports, group = node / fly->routers;
  int64_t pair[2];
  switch (link_class - fabric->link_class) {
  case SS_LINK_CLASS_CHASSIS:
    split_pair(fly->routers, cable % link_class->ports, pair);
    for (int i = 0; i < 2; ++i) ends[i] = node * fly->routers + pair[i];
    break;
  case SS_LINK_CLASS_GROUP:
    split_pair(fly->chassis, cable % link_class->ports, pair);
    for (int i = 0; i < 2; ++i) ends[i] = (group * fly->chassis + pair[i]) * fly->routers + node % fly->routers;
    break;
  default:
    split_pair(fly->groups, cable, pair);
    for (int i = 0; i < 2; ++i) ends[i] = pair[i] * fly->chassis * fly->routers + pair[1 - i];
  }
}

/* Whether a link_class is between the routers of a dragonfly, which are named by their ends. */
static bool is_between(const ss_fabric *fabric, const ss_link_class *link_class)
{
  return fabric->machine->shape.topology == SS_TOPOLOGY_DRAGONFLY &&
         link_class - fabric->link_class >= SS_LINK_CLASS_CHASSIS;
}

static int64_t routers_of(const ss_fabric *fabric)
{
  return fabric->hosts / fabric->machine->shape.as.dragonfly.nodes;
}

static const ss_link_class *link_class_of(const ss_fabric *fabric, int64_t link)
{
  int i = fabric->link_classes - 1;
  while (fabric->link_class[i].first > link || fabric->link_class[i].ports == 0) --i;
  return &fabric->link_class[i];
}

void ss_fabric_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE])
{
  SS_ASSERT(link >= 0 && link < fabric->links);
  const ss_link_class *link_class = link_class_of(fabric, link);
  const int64_t cable = (link - link_class->first) / link_class->ways;
  const bool back = (link - link_class->first) % link_class->ways != 0;
  int64_t node = cable / link_class->ports, port = cable % link_class->ports;
  if (link_class->of_nics) node = ss_fabric_nic(fabric, node);
  if (is_between(fabric, link_class)) {
    int64_t ends[2];
    ss_dragonfly_ends(fabric, link_class, cable, ends);
    node = ends[back ? 1 : 0];
    port = ends[back ? 0 : 1];
  }
  char number[16] = "", end[16] = "";
  if (link_class->numbered) (void)snprintf(number, sizeof number, "-%d", (int)node);
  if (link_class->ported) (void)snprintf(end, sizeof end, "%d", (int)port);
  const char *direction = back ? link_class->in : link_class->out;
  const bool directed = link_class->ways == 2;
  (void)snprintf(name, SS_LINK_NAME_SIZE, "%s%s%s%s%s%s", link_class->word, number,
                 directed || link_class->ported ? ":" : "", directed ? direction : "",
                 directed && link_class->ported ? "-" : "", end);
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
static bool read_rest(const ss_link_class *link_class, int64_t ports, const char *text, int *direction, int64_t *port)
{
  *direction = BOTH;
  *port = 0;
  if (*text == '\0') return !link_class->ported;
  if (*text++ != ':') return false;
  for (int i = OUT; link_class->ways == 2 && i <= BACK && *direction == BOTH; ++i) {
    const char *end = skip_word(text, i == OUT ? link_class->out : link_class->in);
    if (end == NULL || (link_class->ported && *end != '-')) continue;
    *direction = i;
    text = link_class->ported ? end + 1 : end;
  }
  if (!link_class->ported) return *direction != BOTH && *text == '\0';
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
  for (int i = 0; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    const bool between = is_between(fabric, link_class);
    const int64_t nodes = between ? routers_of(fabric) : link_class->nodes;
    const int64_t ports = between ? nodes : link_class->ports;
    const char *text = skip_word(name, link_class->word);
    int64_t node = 0, port = 0;
    int direction = BOTH;
    if (text != NULL && link_class->numbered) text = *text == '-' ? read_number(text + 1, nodes, &node) : NULL;
    if (text == NULL || !read_rest(link_class, ports, text, &direction, &port)) continue;
    if (between) return find_between(fabric, node, port, direction, link);
    if (link_class->of_nics) node = ss_fabric_host(fabric, node);
    link[0] = ss_link_class_link(link_class, node, port, direction == BACK);
    link[1] = ss_link_class_link(link_class, node, port, true);
    return direction == BOTH && link[0] != link[1] ? 2 : 1;
  }
  return 0;
}

/* The names of one link_class, "leaf-0..3:[up-|down-]0..7". */
static void write_names(const ss_link_class *link_class, int64_t nodes, int64_t ports, char *text, size_t size)
{
  char numbers[32] = "", directions[32] = "", ends[32] = "";
  const char *dash = link_class->ported ? "-" : "", *colon = link_class->ported ? "" : ":";
  if (link_class->numbered) (void)snprintf(numbers, sizeof numbers, "-0..%d", (int)nodes - 1);
  if (link_class->ported) (void)snprintf(ends, sizeof ends, "0..%d", (int)ports - 1);
  if (link_class->ways == 2 && link_class->out == link_class->in)
    (void)snprintf(directions, sizeof directions, "[%s%s]", link_class->out, dash);
  else if (link_class->ways == 2)
    (void)snprintf(directions, sizeof directions, "[%s%s%s|%s%s%s]", colon, link_class->out, dash, colon,
                   link_class->in, dash);
  (void)snprintf(text, size, "%s%s%s%s%s", link_class->word, numbers, link_class->ported ? ":" : "", directions, ends);
}

void ss_fabric_names(const ss_fabric *fabric, char *text, size_t size)
{
  size_t used = 0;
  bool routers_named = false;
  text[0] = '\0';
  for (int i = 0; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    const bool between = is_between(fabric, link_class);
    char names[SS_LINK_NAME_SIZE * 2];
    if (link_class->ports == 0 || (between && routers_named)) continue;
    routers_named = routers_named || between;
    write_names(link_class, between ? routers_of(fabric) : link_class->nodes,
                between ? routers_of(fabric) : link_class->ports, names, sizeof names);
    const char *separator = used > 0 ? ", " : "", *condition = between ? " where there is a cable" : "";
    const size_t length = strlen(separator) + strlen(names) + strlen(condition);
    if (used + length >= size) return;
    (void)snprintf(text + used, size - used, "%s%s%s", separator, names, condition);
    used += length;
  }
}
