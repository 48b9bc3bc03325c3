/* The values of attributes and properties as a user writes them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/io/io.h"

static void format_curve(const ss_curve *curve, ss_unit unit, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < curve->count && used < size; ++i) {
    char at[SS_QUANTITY_SIZE], number[SS_QUANTITY_SIZE];
    ss_quantity_format(curve->size[i], unit, at);
    ss_quantity_format(curve->value[i], SS_UNIT_NONE, number);
    const bool alone = curve->count == 1;
    used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", i > 0 ? " " : "", alone ? "" : at, alone ? "" : ":",
                             number);
  }
}

_Static_assert(SS_PROPERTY_TEXT_SIZE >= SS_CURVE_POINTS * 2 * SS_QUANTITY_SIZE, "room for a curve");

void ss_property_text(const ss_machine *machine, const ss_property *row, char *text, size_t size)
{
  const char *field = (const char *)machine + row->offset;
  char number[SS_QUANTITY_SIZE];
  ss_curve curve;
  double quantity;
  int64_t count;
  switch (row->type) {
  case SS_PROPERTY_TEXT: (void)snprintf(text, size, "%s", field); break;
  case SS_PROPERTY_COUNT:
    memcpy(&count, field, sizeof count);
    (void)snprintf(text, size, "%" PRId64, count);
    break;
  case SS_PROPERTY_QUANTITY:
    memcpy(&quantity, field, sizeof quantity);
    ss_quantity_format(quantity, row->unit, number);
    (void)snprintf(text, size, "%s", number);
    break;
  case SS_PROPERTY_CURVE:
    memcpy(&curve, field, sizeof curve);
    format_curve(&curve, row->unit, text, size);
    break;
  }
}

void ss_attribute_text(const ss_workload *workload, int attribute, char text[SS_ATTRIBUTE_TEXT_SIZE])
{
  const ss_attribute *row = &ss_workload_attributes()[attribute];
  double real;
  ss_workload_value_text(workload, (ss_attribute_index)attribute, text, SS_ATTRIBUTE_TEXT_SIZE);
  if (row->type != SS_ATTRIBUTE_REAL) return;
  memcpy(&real, (const char *)workload + row->offset, sizeof real);
  ss_quantity_format(real, SS_UNIT_NONE, text);
}
