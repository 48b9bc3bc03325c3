#include "sim/report/plan/fabric.h"

#include <inttypes.h>

#include "model/fabric/parts.h"
#include "model/run/price.h"
#include "sim/report/table.h"

/* A kind of part: how many there are, and what is known of one; `unless` says where it may be counted already. */
typedef struct part {
  const char *name, *property;
  int64_t count;
  double known;
  const char *unless;
} part;

enum { PARTS = 3, LIST = 1024 };

/* "Not counted, as no price is given: switches (switch-price), cables (cable-price)". */
static void print_missing(FILE *stream, const char *what, const part list[PARTS])
{
  char text[LIST];
  int used = snprintf(text, sizeof text, "Not counted, as no %s is given:", what), missing = 0;
  for (int i = 0; i < PARTS; ++i)
    if (list[i].count > 0 && list[i].known == 0.0)
      used += snprintf(text + used, sizeof text - (size_t)used, "%s %s (%s%s)", missing++ > 0 ? "," : "", list[i].name,
                       list[i].property, list[i].unless);
  if (missing == 0) return;
  (void)fprintf(stream, "  ");
  ss_table_print_wrapped(stream, text, 2);
}

/* "16384 of NICs, 16384 above level 1" of all levels that have such parts, or the places of switches below them. */
static void print_levels(FILE *stream, const char *name, const ss_fabric_parts *fabric, bool switches)
{
  char text[LIST * 2];
  int used = snprintf(text, sizeof text, "%s:", name), listed = 0;
  for (int i = 0; i < fabric->levels; ++i) {
    const ss_fabric_level *level = &fabric->level[i];
    const char *comma = listed > 0 ? "," : "";
    const int64_t count = switches ? level->switches : level->cables;
    if (count == 0) continue;
    ++listed;
    used += switches
                ? snprintf(text + used, sizeof text - (size_t)used, "%s %" PRId64 " in level %d", comma, count, i + 1)
                : snprintf(text + used, sizeof text - (size_t)used, "%s %" PRId64 " %s", comma, count, level->place);
  }
  if (listed < 2) return;
  (void)fprintf(stream, "    ");
  ss_table_print_wrapped(stream, text, 6);
}

void ss_plan_print_fabric(FILE *stream, const ss_machine *machine)
{
  const ss_fabric_parts fabric = ss_fabric_parts_of(machine);
  const ss_prices prices = ss_prices_of(machine);
  const part list[PARTS] = {{"NICs", "nic-price", fabric.nics, machine->nic_dollars, ", unless gpu-price has them"},
                            {"switches", "switch-price", fabric.switches, machine->switch_dollars, ""},
                            {"cables", "cable-price", fabric.cables, machine->cable_dollars, ""}};
  (void)fprintf(stream,
                "  Fabric of the whole platform: %" PRId64 " NICs, %" PRId64 " switches, %" PRId64
                " cables for\n  %" PRId64 " GPUs; prices of a GPU over %.3g years:\n",
                fabric.nics, fabric.switches, fabric.cables, machine->gpus, machine->lifetime_years);
  print_levels(stream, "cables", &fabric, false);
  print_levels(stream, "switches", &fabric, true);
#define PRINT_PRICE(field, label, key)                                                                                 \
  if (prices.field > 0.0) (void)fprintf(stream, "    %.6g USD %s\n", prices.field, label);
  SS_PRICE_LIST(PRINT_PRICE)
#undef PRINT_PRICE
  print_missing(stream, "price", list);
}

void ss_plan_print_powerless(FILE *stream, const ss_machine *machine)
{
  const ss_fabric_parts fabric = ss_fabric_parts_of(machine);
  const part list[PARTS] = {{"NICs", "nic-power", fabric.nics, machine->nic_power_w, ", unless node-power has them"},
                            {"switches", "switch-power", fabric.switches, machine->switch_power_w, ""},
                            {"cables", "cable-power", fabric.cables, machine->cable_power_w, ""}};
  print_missing(stream, "power", list);
}
