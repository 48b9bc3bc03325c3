#include "model/input/replayed.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const ss_property_index properties[SS_REPLAYED_TOTAL] = {
#define SS_REPLAYED_INDEX(field) SS_PROPERTY_##field,
    SS_REPLAYED_LIST(SS_REPLAYED_INDEX)
#undef SS_REPLAYED_INDEX
};

const ss_property_index *ss_replayed_properties(void)
{
  return properties;
}

/* Whether it is other than what all machines have: a text that is not empty, or a deviation that is not 0. */
static bool has(const ss_machine *machine, const ss_property *property)
{
  const char *value = (const char *)machine + property->offset;
  double quantity;
  if (property->type == SS_PROPERTY_TEXT) return value[0] != '\0';
  memcpy(&quantity, value, sizeof quantity);
  return quantity != 0.0;
}

ss_replayed_set ss_replayed_of(const ss_machine *machine)
{
  ss_replayed_set set = 0;
  for (int i = 0; i < SS_REPLAYED_TOTAL; ++i)
    if (has(machine, &ss_machine_properties()[properties[i]])) set |= 1U << i;
  return set;
}

void ss_replayed_names(ss_replayed_set set, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < SS_REPLAYED_TOTAL && used < size; ++i) {
    if ((set >> i & 1U) == 0) continue;
    const bool last = set >> i == 1U;
    const char *between = used == 0 ? "" : last ? " and " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s%s", between, ss_machine_properties()[properties[i]].name);
  }
}
