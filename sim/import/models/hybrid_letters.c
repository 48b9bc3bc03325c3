#include "sim/import/models/hybrid_letters.h"

#include <stdio.h>
#include <string.h>

/* What a layer has: NULL for none. `dense` stands for an MLP beside experts. */
typedef struct row {
  char letter;
  const char *mixer, *part;
} row;

static const char given[] = "mixer", dense[] = "feed-forward=mlp";

static const row rows[] = {
    {'M', given, NULL}, {'G', "mixer=linear", NULL}, {'-', NULL, dense}, {'*', "", NULL}, {'E', NULL, ""}};

enum { ROWS = sizeof rows / sizeof rows[0], OF_MODULES = 'n' };

static const row *row_of(char letter)
{
  for (int i = 0; i < ROWS; ++i)
    if (rows[i].letter == letter) return &rows[i];
  return NULL;
}

static void add_kind(ss_kinds *kinds, row kind, const char *mixer, bool experts)
{
  char text[SS_KIND_SIZE];
  const char *mixes = kind.mixer == given ? mixer : kind.mixer != NULL ? kind.mixer : "mixer=none";
  const char *part = kind.part == NULL ? "feed-forward=none" : kind.part == dense && !experts ? "" : kind.part;
  (void)snprintf(text, sizeof text, "%s%s%s", mixes, mixes[0] != '\0' && part[0] != '\0' ? " " : "", part);
  ss_kinds_add(kinds, kind.letter, "", 0, text);
}

void ss_hybrid_add_kinds(ss_kinds *kinds, const char *mixer, bool experts)
{
  for (int i = 0; i < ROWS; ++i) add_kind(kinds, rows[i], mixer, experts);
}

bool ss_hybrid_add_module(ss_kinds *kinds, const char *letters, const char *mixer, bool experts)
{
  const size_t count = strlen(letters);
  const row *first = count > 0 ? row_of(letters[0]) : NULL, *second = count > 1 ? row_of(letters[1]) : NULL;
  if (count == 1 && first != NULL) {
    kinds->of_modules = letters[0];
    return true;
  }
  if (count != 2 || first == NULL || first->mixer == NULL || second == NULL || second->part == NULL) return false;
  add_kind(kinds, (row){OF_MODULES, first->mixer, second->part}, mixer, experts);
  kinds->of_modules = OF_MODULES;
  return true;
}
