#include "sim/io/number.h"

#include <string.h>

#include "model/input/workload.h"
#include "sim/io/io.h"

static const char *const units[SS_UNIT_COUNT] = {
    [SS_UNIT_NONE] = "1",      [SS_UNIT_FLOP_PER_S] = "flop/s", [SS_UNIT_BYTES_PER_S] = "bytes/s",
    [SS_UNIT_BYTES] = "bytes", [SS_UNIT_SECONDS] = "s",         [SS_UNIT_FLOP] = "flop",
    [SS_UNIT_WATTS] = "W",
};

/* The unit of a property; a curve of one point has the number that it is everywhere. False for texts. */
static bool find_property(const char *name, ss_unit *unit)
{
  const ss_property *row = ss_machine_property(name);
  if (row == NULL || row->type == SS_PROPERTY_TEXT) return false;
  *unit = row->type == SS_PROPERTY_QUANTITY ? row->unit : SS_UNIT_NONE;
  return true;
}

static bool find_attribute(const char *element, const char *name)
{
  const ss_attribute *row = ss_workload_attribute(element, name);
  return row != NULL && (row->type == SS_ATTRIBUTE_COUNT || row->type == SS_ATTRIBUTE_REAL);
}

/* Whether what has this name can be a number. Overrides take '_' for '-'. */
static bool find_unit(const char *name, ss_unit *unit)
{
  char copy[2 * SS_NAME_SIZE];
  *unit = SS_UNIT_NONE;
  if (strlen(name) >= sizeof copy) return false;
  memcpy(copy, name, strlen(name) + 1);
  for (char *at = copy; *at != '\0'; ++at)
    if (*at == '_') *at = '-';
  char *dot = strchr(copy, '.');
  if (dot == NULL) return strcmp(copy, "gpus") == 0;
  *dot = '\0';
  return strcmp(copy, "platform") == 0 ? find_property(dot + 1, unit) : find_attribute(copy, dot + 1);
}

bool ss_number_of(const char *name, const char *text, double *number, const char **unit)
{
  ss_unit of;
  if (!find_unit(name, &of) || ss_quantity_parse(text, of, number) != 0) return false;
  *unit = units[of];
  return true;
}
