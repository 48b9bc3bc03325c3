#include "sim/import/models/hybrid_letters.h"

#include <stdio.h>
#include <string.h>

typedef enum mixing { MIXES_NOTHING, MIXES_AS_GIVEN, MIXES_LINEAR, ATTENDS } mixing;
typedef enum feeding { FEEDS_NOTHING, FEEDS_DENSE, FEEDS_EXPERTS } feeding;

typedef struct row {
  char letter;
  mixing mixer;
  feeding part;
} row;

static const row rows[] = {{'M', MIXES_AS_GIVEN, FEEDS_NOTHING},
                           {'G', MIXES_LINEAR, FEEDS_NOTHING},
                           {'-', MIXES_NOTHING, FEEDS_DENSE},
                           {'*', ATTENDS, FEEDS_NOTHING},
                           {'E', MIXES_NOTHING, FEEDS_EXPERTS}};

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
  const char *const mixers[] = {"mixer=none", mixer, "mixer=linear", ""};
  const char *const parts[] = {"feed-forward=none", experts ? "feed-forward=mlp" : "", ""};
  const char *mixes = mixers[kind.mixer], *part = parts[kind.part];
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
  if (count != 2 || first == NULL || first->mixer == MIXES_NOTHING || second == NULL) return false;
  if (second->part == FEEDS_NOTHING) return false;
  add_kind(kinds, (row){OF_MODULES, first->mixer, second->part}, mixer, experts);
  kinds->of_modules = OF_MODULES;
  return true;
}
