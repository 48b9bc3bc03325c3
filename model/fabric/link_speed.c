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

static ss_status slow_down_named(ss_fabric *fabric, const char *name, double factor, bool *given, ss_error *error)
{
  int64_t link[2];
  const int links = ss_link_find(fabric, name, link);
  if (links == 0) return refuse_name(fabric, name, error);
  for (int i = 0; i < links; ++i) {
    if (given[link[i]])
      return ss_machine_refuse(fabric->machine, SS_PROPERTY_link_speed, error, "link %s occurs again; allowed: once",
                               name);
    given[link[i]] = true;
    fabric->bytes_per_s[link[i]] *= factor;
  }
  return SS_OK;
}

/* Slows down the links of a name, whose numbers may be ranges, "leaf-0..3:up-0..7". */
static ss_status slow_down_range(ss_fabric *fabric, const char *name, double factor, bool *given, ss_error *error)
{
  const char *dots = strstr(name, "..");
  if (dots == NULL) return slow_down_named(fabric, name, factor, given, error);
  const char *begin = dots;
  while (begin > name && begin[-1] >= '0' && begin[-1] <= '9') --begin;
  char *end = NULL, one[SS_LINK_SPEED_SIZE];
  const long long first = strtoll(begin, NULL, 10), last = strtoll(dots + 2, &end, 10);
  if (begin == dots || dots[2] < '0' || dots[2] > '9' || last < first) return refuse_name(fabric, name, error);
  ss_status status = SS_OK;
  for (long long i = first; status == SS_OK && i <= last; ++i) {
    (void)snprintf(one, sizeof one, "%.*s%lld%s", (int)(begin - name), name, i, end);
    status = slow_down_range(fabric, one, factor, given, error);
  }
  return status;
}

/* Applies one NAME:FACTOR. Names have no '_': who writes one means '-'. */
static ss_status slow_down(ss_fabric *fabric, char *item, bool *given, ss_error *error)
{
  const ss_machine *machine = fabric->machine;
  for (char *at = item; *at != '\0'; ++at)
    if (*at == '_') *at = '-';
  char *colon = strrchr(item, ':');
  const double factor = colon != NULL ? factor_of(colon + 1) : -1.0;
  if (colon == NULL || factor < 0.0)
    return ss_machine_refuse(
        machine, SS_PROPERTY_link_speed, error,
        "%s does not end in a factor; allowed: NAME:FACTOR, separated by blanks, with factors from "
        "0 to 1, such as nic-5:out:0.5",
        item);
  *colon = '\0';
  return slow_down_range(fabric, item, factor, given, error);
}

ss_status ss_link_speed_apply(ss_fabric *fabric, ss_error *error)
{
  static const char blank[] = " ";
  char text[SS_LINK_SPEED_SIZE];
  bool *given = calloc((size_t)fabric->links, sizeof *given);
  if (given == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the speeds of %lld links",
                        (long long)fabric->links);
  memcpy(text, fabric->machine->link_speed, sizeof text);
  ss_status status = SS_OK;
  for (char *item = text + strspn(text, blank); status == SS_OK && *item != '\0';) {
    char *end = item + strcspn(item, blank), *next = end + strspn(end, blank);
    *end = '\0';
    status = slow_down(fabric, item, given, error);
    item = next;
  }
  free(given);
  return status;
}
