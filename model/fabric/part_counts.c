#include "model/fabric/part_counts.h"

#include <stdio.h>

void ss_fabric_parts_add(ss_fabric_parts *parts, const char *place, int64_t cables, int64_t switches)
{
  if (cables == 0 || parts->levels == SS_FABRIC_LEVELS) return;
  ss_fabric_level *level = &parts->level[parts->levels++];
  (void)snprintf(level->place, sizeof level->place, "%s", place);
  level->cables = cables;
  level->switches = switches;
  parts->cables += cables;
  parts->switches += switches;
}

void ss_fabric_parts_add_nics(ss_fabric_parts *parts, int64_t cables, int64_t switches)
{
  parts->nic_cables += cables;
  ss_fabric_parts_add(parts, "of NICs", cables, switches);
}
