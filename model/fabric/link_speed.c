#include "model/fabric/link_speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/fabric/link_names.h"

/* The factor of "NAME:FACTOR"; -1 where it is none. */
static double factor_of(const char *text)
{
  if (text[0] == '\0' || text[strspn(text, "0123456789.eE-+")] != '\0') return -1.0;
  char *end = NULL;
  const double factor = strtod(text, &end);
  return *end == '\0' && factor >= 0.0 && factor <= 1.0 ? factor : -1.0;
}

static ss_status refuse_name(const ss_fabric *fabric, const char *name, ss_error *error)
{
  char names[SS_MESSAGE_SIZE];
  ss_link_names(fabric, names, sizeof names);
  return ss_machine_refuse(fabric->machine, SS_PROPERTY_link_speed, error, "there is no link %s; allowed: %s", name,
                           names);
}

/* What link-speed says of a cable. */
typedef struct cable_speed {
  bool given;
  double factor;
} cable_speed;

typedef struct speeds {
  const ss_fabric *fabric;
  ss_error *error;
  cable_speed *cable; /* [cables of all links] owned */
} speeds;

static int64_t cables_of(const ss_link_class *link_class)
{
  return link_class->nodes * link_class->ports * link_class->directions * link_class->joined;
}

/* The first cable of a link: those of all links before it come first. */
static int64_t first_cable(const ss_fabric *fabric, int64_t link)
{
  const ss_link_class *of_link = ss_link_class_of_link(fabric, link);
  int64_t first = (link - of_link->first) * of_link->joined;
  for (const ss_link_class *before = fabric->link_class; before < of_link; ++before) first += cables_of(before);
  return first;
}

static ss_status slow_down_named(const speeds *s, const char *name, double factor)
{
  const ss_named_links named = ss_link_find(s->fabric, name);
  if (named.count == 0) return refuse_name(s->fabric, name, s->error);
  for (int i = 0; i < named.count; ++i) {
    const int64_t joined = ss_link_class_of_link(s->fabric, named.link[i])->joined;
    const int64_t begin = named.cable < 0 ? 0 : named.cable, end = named.cable < 0 ? joined : named.cable + 1;
    cable_speed *of_link = s->cable + first_cable(s->fabric, named.link[i]);
    for (int64_t cable = begin; cable < end; ++cable) {
      if (of_link[cable].given)
        return ss_machine_refuse(s->fabric->machine, SS_PROPERTY_link_speed, s->error,
                                 "link %s occurs again; allowed: once", name);
      of_link[cable] = (cable_speed){true, factor};
    }
  }
  return SS_OK;
}

/* Slows down the links of a name, whose numbers may be ranges, "leaf-0..3:up-0..7". */
static ss_status slow_down_range(const speeds *s, const char *name, double factor)
{
  const char *dots = strstr(name, "..");
  if (dots == NULL) return slow_down_named(s, name, factor);
  const char *begin = dots;
  while (begin > name && begin[-1] >= '0' && begin[-1] <= '9') --begin;
  char *end = NULL, one[SS_LINK_SPEED_SIZE];
  const long long first = strtoll(begin, NULL, 10), last = strtoll(dots + 2, &end, 10);
  if (begin == dots || dots[2] < '0' || dots[2] > '9' || last < first) return refuse_name(s->fabric, name, s->error);
  ss_status status = SS_OK;
  for (long long i = first; status == SS_OK && i <= last; ++i) {
    (void)snprintf(one, sizeof one, "%.*s%lld%s", (int)(begin - name), name, i, end);
    status = slow_down_range(s, one, factor);
  }
  return status;
}

/* Takes one NAME:FACTOR. Names have no '_': who writes one means '-'. */
static ss_status slow_down(const speeds *s, char *item)
{
  for (char *at = item; *at != '\0'; ++at)
    if (*at == '_') *at = '-';
  char *colon = strrchr(item, ':');
  const double factor = colon != NULL ? factor_of(colon + 1) : -1.0;
  if (colon == NULL || factor < 0.0)
    return ss_machine_refuse(
        s->fabric->machine, SS_PROPERTY_link_speed, s->error,
        "%s does not end in a factor; allowed: NAME:FACTOR, separated by blanks, with factors from "
        "0 to 1, such as nic-5:out:0.5",
        item);
  *colon = '\0';
  return slow_down_range(s, item, factor);
}

static ss_status read_speeds(const speeds *s)
{
  static const char blank[] = " ";
  char text[SS_LINK_SPEED_SIZE];
  memcpy(text, s->fabric->machine->link_speed, sizeof text);
  ss_status status = SS_OK;
  for (char *item = text + strspn(text, blank); status == SS_OK && *item != '\0';) {
    char *end = item + strcspn(item, blank), *next = end + strspn(end, blank);
    *end = '\0';
    status = slow_down(s, item);
    item = next;
  }
  return status;
}

/* A link has what its cables have together. */
static void slow_down_links(const speeds *s, ss_fabric *fabric)
{
  const cable_speed *of_link = s->cable;
  for (int64_t link = 0; link < fabric->links; ++link) {
    const int64_t joined = ss_link_class_of_link(fabric, link)->joined;
    double sum = 0.0;
    for (int64_t cable = 0; cable < joined; ++cable, ++of_link) sum += of_link->given ? of_link->factor : 1.0;
    fabric->bytes_per_s[link] *= sum / (double)joined;
  }
}

ss_status ss_link_speed_apply(ss_fabric *fabric, ss_error *error)
{
  int64_t cables = 0;
  for (int i = 0; i < fabric->link_classes; ++i) cables += cables_of(&fabric->link_class[i]);
  const speeds s = {.fabric = fabric, .error = error, .cable = calloc((size_t)(cables + 1), sizeof *s.cable)};
  if (s.cable == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the speeds of %lld links",
                        (long long)fabric->links);
  const ss_status status = read_speeds(&s);
  if (status == SS_OK) slow_down_links(&s, fabric);
  free(s.cable);
  return status;
}
