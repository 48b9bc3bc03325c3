#include "sim/report/margin.h"

#include "sim/report/table.h"

void ss_margin_print(FILE *stream, const ss_memory *memory, const char *what)
{
  const double left_bytes = memory->capacity_bytes - memory->total_bytes;
  if (!memory->fits || memory->reserved_bytes > 0.0 || left_bytes >= SS_SMALL_MARGIN * memory->capacity_bytes) return;
  ss_table_print_sentence(stream,
                          "%s: only %.2f GiB are left, and contexts and buffers of collectives are not counted; "
                          "platform.memory-reserved=3GiB leaves room for them.",
                          what, left_bytes / SS_GIB);
}
