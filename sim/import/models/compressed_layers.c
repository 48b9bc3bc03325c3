#include "sim/import/models/compressed_layers.h"

static const struct {
  char letter;
  int64_t tokens;
  const char *words;
} rows[] = {{'w', 0, "compress=0 index-heads=0 index-top-k=0"},
            {'c', SS_COMPRESSED_CHOSEN, ""},
            {'h', SS_COMPRESSED_ALL, "compress=128 index-heads=0 index-top-k=0"}};

enum { ROWS = sizeof rows / sizeof rows[0] };

char ss_compressed_letter(int64_t tokens)
{
  for (int i = 0; i < ROWS; ++i)
    if (rows[i].tokens == tokens) return rows[i].letter;
  return '\0';
}

int64_t ss_compressed_tokens(char letter)
{
  int i = 0;
  while (i + 1 < ROWS && rows[i].letter != letter) ++i;
  return rows[i].tokens;
}

void ss_compressed_add_kinds(ss_kinds *kinds)
{
  for (int i = 0; i < ROWS; ++i) ss_kinds_add(kinds, rows[i].letter, "", 0, rows[i].words);
}
