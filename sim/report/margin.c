#include "sim/report/margin.h"

#include "sim/report/table.h"

static void print_sentence(FILE *stream, const char *sentence)
{
  ss_table_print_wrapped(stream, sentence, 0);
}

void ss_margin_print(FILE *stream, const ss_memory *memory, const char *what)
{
  ss_margin_tell(stream, memory, what, print_sentence);
}

void ss_margin_tell(FILE *stream, const ss_memory *memory, const char *what,
                    void (*tell)(FILE *stream, const char *sentence))
{
  char sentence[256];
  const double left_bytes = memory->capacity_bytes - memory->total_bytes;
  if (!memory->fits || memory->reserved_bytes > 0.0 || left_bytes >= SS_SMALL_MARGIN * memory->capacity_bytes) return;
  (void)snprintf(sentence, sizeof sentence,
                 "%s: only %.2f GiB are left, and contexts and buffers of collectives are not counted; "
                 "platform.memory-reserved=3GiB leaves room for them.",
                 what, left_bytes / SS_GIB);
  tell(stream, sentence);
}
