#include "sim/report/ignored.h"

#include "sim/report/table.h"

void ss_ignored_print(FILE *stream, ss_replayed_set set)
{
  char names[SS_NAME_SIZE];
  if (set == 0) return;
  ss_replayed_names(set, names, sizeof names);
  ss_table_print_sentence(stream, "The closed form ignores %s of the platform, which replays feel.", names);
}
