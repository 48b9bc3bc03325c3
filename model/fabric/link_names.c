#include "model/fabric/link_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/fabric/topologies.h"

static const ss_router_methods *routers_of(const ss_fabric *fabric)
{
  return ss_topology_methods_of(fabric->machine->shape.topology)->routers;
}

/* What numbers of nodes and ports in the names of a class are below. */
static int64_t nodes_of(const ss_fabric *fabric, const ss_link_class *link_class)
{
  if (!link_class->between) return link_class->nodes;
  return fabric->hosts / routers_of(fabric)->hosts(&fabric->machine->shape);
}

static int64_t ports_of(const ss_fabric *fabric, const ss_link_class *link_class)
{
  return link_class->between ? nodes_of(fabric, link_class) : link_class->ports * link_class->joined;
}

void ss_link_name(const ss_fabric *fabric, int64_t link, char name[SS_LINK_NAME_SIZE])
{
  SS_ASSERT(link >= 0 && link < fabric->links);
  const ss_link_class *link_class = ss_link_class_of_link(fabric, link);
  const int64_t cable = (link - link_class->first) / link_class->directions;
  const bool back = (link - link_class->first) % link_class->directions != 0;
  int64_t node = cable / link_class->ports, port = cable % link_class->ports;
  if (link_class->of_nics) node = ss_fabric_nic(fabric, node);
  if (link_class->between) {
    int64_t ends[2];
    routers_of(fabric)->ends(fabric, link_class, cable, ends);
    node = ends[back ? 1 : 0];
    port = ends[back ? 0 : 1];
  }
  char number[16] = "", end[16] = "";
  if (link_class->numbered) (void)snprintf(number, sizeof number, "-%d", (int)node);
  if (link_class->ported) (void)snprintf(end, sizeof end, "%d", (int)port);
  const char *direction = back ? link_class->in : link_class->out;
  const bool directed = link_class->directions == 2;
  (void)snprintf(name, SS_LINK_NAME_SIZE, "%s%s%s%s%s%s", link_class->word, number,
                 directed || link_class->ported ? ":" : "", directed ? direction : "",
                 directed && link_class->ported ? "-" : "", end);
}

/* The same but for digits. */
static bool same_letters(const char *a, const char *b)
{
  for (;; ++a, ++b) {
    while (isdigit((unsigned char)*a)) ++a;
    while (isdigit((unsigned char)*b)) ++b;
    if (*a != *b) return false;
    if (*a == '\0') return true;
  }
}

/* What a direction of a class is called: nothing where links have one only. */
static const char *direction_of(const ss_link_class *link_class, bool back)
{
  if (link_class->directions == 1) return "";
  return back ? link_class->in : link_class->out;
}

int ss_link_kind(const ss_fabric *fabric, int64_t link)
{
  const ss_link_class *of_link = ss_link_class_of_link(fabric, link), *first = fabric->link_class;
  const bool back = (link - of_link->first) % of_link->directions != 0;
  const char *direction = direction_of(of_link, back);
  for (; first < of_link; ++first)
    if (same_letters(first->word, of_link->word) && strcmp(direction_of(first, back), direction) == 0) break;
  const bool one_name = strcmp(direction_of(of_link, false), direction_of(of_link, true)) == 0;
  return 2 * (int)(first - fabric->link_class) + (back && !one_name);
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

enum { BOTH = -1, OUT = 0, BACK = 1, ALL = -1 };

/* Reads the rest of a name, ":out-3" or ":3": which of the directions, and the port. Of cables that are one link, all
 * are meant without a port (ALL). */
static bool read_rest(const ss_link_class *link_class, int64_t ports, const char *text, int *direction, int64_t *port)
{
  *direction = BOTH;
  *port = link_class->ported ? 0 : ALL;
  if (*text == '\0') return !link_class->ported;
  if (*text++ != ':') return false;
  for (int i = OUT; link_class->directions == 2 && i <= BACK && *direction == BOTH; ++i) {
    const char *end = skip_word(text, i == OUT ? link_class->out : link_class->in);
    if (end == NULL || (*end != '-' && (link_class->ported || *end != '\0'))) continue;
    *direction = i;
    if (*end == '\0') return true;
    text = end + 1;
  }
  if (!link_class->ported && link_class->joined == 1) return false;
  text = read_number(text, ports, port);
  return text != NULL && *text == '\0';
}

/* The cable of a pair of routers, and the links of a direction. */
static ss_named_links find_between(const ss_fabric *fabric, int64_t from, int64_t to, int direction)
{
  const ss_router_methods *routers = routers_of(fabric);
  ss_named_links found = {.link[0] = routers->link(fabric, from, to), .cable = -1};
  if (found.link[0] < 0) return found;
  found.link[1] = routers->link(fabric, to, from);
  found.count = direction == BOTH && found.link[0] != found.link[1] ? 2 : 1;
  return found;
}

ss_named_links ss_link_find(const ss_fabric *fabric, const char *name)
{
  for (int i = 0; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    const char *text = skip_word(name, link_class->word);
    int64_t node = 0, port = 0;
    int direction = BOTH;
    if (text != NULL && link_class->numbered)
      text = *text == '-' ? read_number(text + 1, nodes_of(fabric, link_class), &node) : NULL;
    if (text == NULL || !read_rest(link_class, ports_of(fabric, link_class), text, &direction, &port)) continue;
    if (link_class->between) return find_between(fabric, node, port, direction);
    if (link_class->of_nics) node = ss_fabric_host(fabric, node);
    ss_named_links found = {.cable = link_class->ported ? ALL : port};
    const int64_t link_port = link_class->ported ? port : 0;
    found.link[0] = ss_link_class_link(link_class, node, link_port, direction == BACK);
    found.link[1] = ss_link_class_link(link_class, node, link_port, true);
    found.count = direction == BOTH && found.link[0] != found.link[1] ? 2 : 1;
    return found;
  }
  return (ss_named_links){.cable = ALL};
}

/* The names of one link_class, "leaf-0..3:[up-|down-]0..7". */
static void write_names(const ss_fabric *fabric, const ss_link_class *link_class, char *text, size_t size)
{
  const int64_t nodes = nodes_of(fabric, link_class), ports = ports_of(fabric, link_class);
  char numbers[32] = "", directions[32] = "", ends[32] = "";
  const char *dash = link_class->ported ? "-" : "", *colon = link_class->ported ? "" : ":";
  if (link_class->numbered) (void)snprintf(numbers, sizeof numbers, "-0..%d", (int)nodes - 1);
  if (link_class->ported) (void)snprintf(ends, sizeof ends, "0..%d", (int)ports - 1);
  if (link_class->directions == 2 && link_class->out == link_class->in)
    (void)snprintf(directions, sizeof directions, "[%s%s]", link_class->out, dash);
  else if (link_class->directions == 2)
    (void)snprintf(directions, sizeof directions, "[%s%s%s|%s%s%s]", colon, link_class->out, dash, colon,
                   link_class->in, dash);
  if (!link_class->ported && link_class->joined > 1)
    (void)snprintf(ends, sizeof ends, "[%s0..%d]", link_class->directions == 2 ? "-" : ":",
                   (int)link_class->joined - 1);
  (void)snprintf(text, size, "%s%s%s%s%s", link_class->word, numbers, link_class->ported ? ":" : "", directions, ends);
}

void ss_link_names(const ss_fabric *fabric, char *text, size_t size)
{
  size_t used = 0;
  bool routers_named = false;
  text[0] = '\0';
  for (int i = 0; i < fabric->link_classes; ++i) {
    const ss_link_class *link_class = &fabric->link_class[i];
    const bool between = link_class->between;
    char names[SS_LINK_NAME_SIZE * 2];
    if (link_class->ports == 0 || (between && routers_named)) continue;
    routers_named = routers_named || between;
    write_names(fabric, link_class, names, sizeof names);
    const char *separator = used > 0 ? ", " : "", *condition = between ? " where there is a cable" : "";
    const size_t length = strlen(separator) + strlen(names) + strlen(condition);
    if (used + length >= size) return;
    (void)snprintf(text + used, size - used, "%s%s%s", separator, names, condition);
    used += length;
  }
}
