#include "model/input/slow_parts.h"

#include <stdio.h>
#include <string.h>

#include "model/input/gpu_speed.h"

/* Parts that are told of, and what one costs at least, as a share of the iteration. */
#define TOLD_MOST  3
#define TOLD_LEAST 1e-3

/* Properties that are lists of slow parts. */
static const char *const names[] = {"gpu-speed", "link-speed"};

static void list_property(ss_slow_parts *parts, const ss_property *property, const char *text)
{
  int length;
  for (const char *at = ss_list_entry(text, &length); length > 0; at = ss_list_entry(at + length, &length)) {
    if (parts->total++ >= SS_SLOW_PARTS) continue;
    ss_slow_part *part = &parts->part[parts->count++];
    *part = (ss_slow_part){.property = property, .start = (int)(at - text), .length = length};
    (void)snprintf(part->entry, sizeof part->entry, "%.*s", length, at);
  }
}

void ss_slow_parts_list(ss_slow_parts *parts, const ss_machine *machine)
{
  *parts = (ss_slow_parts){.count = 0};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const ss_property *property = ss_machine_property(names[i]);
    if (property != NULL) list_property(parts, property, (const char *)machine + property->offset);
  }
}

void ss_slow_part_remove(const ss_slow_part *part, ss_machine *machine)
{
  char *entry = (char *)machine + part->property->offset + part->start;
  memmove(entry, entry + part->length, strlen(entry + part->length) + 1);
}

void ss_slow_parts_sort(ss_slow_parts *parts)
{
  for (int64_t i = 1; i < parts->count; ++i) {
    const ss_slow_part part = parts->part[i];
    int64_t at = i;
    for (; at > 0 && parts->part[at - 1].cost_s < part.cost_s; --at) parts->part[at] = parts->part[at - 1];
    parts->part[at] = part;
  }
}

int64_t ss_slow_parts_told(const ss_slow_parts *parts, double iteration_s)
{
  int64_t told = 0;
  while (told < parts->count && told < TOLD_MOST && parts->part[told].sentence[0] != '\0' &&
         parts->part[told].cost_s >= TOLD_LEAST * iteration_s)
    ++told;
  return told;
}
