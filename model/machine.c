#include "model/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SS_ROW_TEXT(field, label, preset, text)                                                                        \
  {.name = label, .type = SS_PROPERTY_TEXT, .offset = offsetof(ss_machine, field), .help = text},
#define SS_ROW_COUNT(field, label, preset, least, most, text)                                                          \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_COUNT,                                                                                          \
   .offset = offsetof(ss_machine, field),                                                                              \
   .fallback = preset,                                                                                                 \
   .minimum = least,                                                                                                   \
   .maximum = most,                                                                                                    \
   .help = text},
#define SS_ROW_QUANTITY(field, label, written, preset, least, most, text)                                              \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_QUANTITY,                                                                                       \
   .offset = offsetof(ss_machine, field),                                                                              \
   .unit = written,                                                                                                    \
   .fallback = preset,                                                                                                 \
   .minimum = least,                                                                                                   \
   .maximum = most,                                                                                                    \
   .help = text},
#define SS_ROW_CURVE(field, label, written, preset, text)                                                              \
  {.name = label,                                                                                                      \
   .type = SS_PROPERTY_CURVE,                                                                                          \
   .offset = offsetof(ss_machine, field),                                                                              \
   .unit = written,                                                                                                    \
   .fallback = preset,                                                                                                 \
   .maximum = 1,                                                                                                       \
   .help = text},

static const ss_property properties[SS_PROPERTY_TOTAL] = {
    SS_MACHINE_PROPERTIES(SS_ROW_TEXT, SS_ROW_COUNT, SS_ROW_QUANTITY, SS_ROW_CURVE)};

#undef SS_ROW_TEXT
#undef SS_ROW_COUNT
#undef SS_ROW_QUANTITY
#undef SS_ROW_CURVE

const ss_property *ss_machine_properties(void)
{
  return properties;
}

const ss_property *ss_machine_property(const char *name)
{
  for (int i = 0; i < SS_PROPERTY_TOTAL; i++)
    if (strcmp(properties[i].name, name) == 0) return &properties[i];
  return NULL;
}

void ss_machine_init(ss_machine *machine)
{
  memset(machine, 0, sizeof *machine);
#define SS_PRESET_TEXT(field, name, fallback, help)                    (void)snprintf(machine->field, SS_NAME_SIZE, "%s", fallback);
#define SS_PRESET_COUNT(field, name, fallback, minimum, maximum, help) machine->field = (fallback) > 0 ? (fallback) : 0;
#define SS_PRESET_QUANTITY(field, name, unit, fallback, minimum, maximum, help)                                        \
  machine->field = (fallback) > 0 ? (fallback) : 0;
/* A single point is a constant: its size never enters the value. */
#define SS_PRESET_CURVE(field, name, unit, fallback, help)                                                             \
  machine->field = (ss_curve){.count = 1, .size = {1}, .value = {fallback}};
  SS_MACHINE_PROPERTIES(SS_PRESET_TEXT, SS_PRESET_COUNT, SS_PRESET_QUANTITY, SS_PRESET_CURVE)
#undef SS_PRESET_TEXT
#undef SS_PRESET_COUNT
#undef SS_PRESET_QUANTITY
#undef SS_PRESET_CURVE
}

const char *ss_unit_text(ss_unit unit)
{
  static const char *const texts[] = {
#define SS_UNIT_TEXT(id, text) text,
      SS_UNIT_LIST(SS_UNIT_TEXT)
#undef SS_UNIT_TEXT
  };
  SS_ASSERT((unsigned)unit < SS_UNIT_COUNT);
  return texts[unit];
}

double ss_curve_value(const ss_curve *curve, double size)
{
  SS_ASSERT(curve->count > 0 && curve->count <= SS_CURVE_POINTS);
  if (!(size > curve->size[0])) return curve->value[0];
  for (int64_t i = 1; i < curve->count; i++) {
    if (size >= curve->size[i]) continue;
    const double share = log(size / curve->size[i - 1]) / log(curve->size[i] / curve->size[i - 1]);
    return curve->value[i - 1] + share * (curve->value[i] - curve->value[i - 1]);
  }
  return curve->value[curve->count - 1];
}

double ss_machine_nics_per_gpu(const ss_machine *machine)
{
  return (double)machine->nics_per_domain / (double)machine->domain_size;
}

int64_t ss_machine_nic(const ss_machine *machine, int64_t gpu)
{
  const int64_t domain = gpu / machine->domain_size, within = gpu % machine->domain_size;
  return domain * machine->nics_per_domain + within * machine->nics_per_domain / machine->domain_size;
}
