#include "sim/import/models/kinds.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void ss_kinds_add(ss_kinds *kinds, char letter, const char *what, int64_t number, const char *words)
{
  char count[SS_KIND_SIZE / 2] = "";
  SS_ASSERT(kinds->count < SS_KINDS_MOST);
  if (number > 0) (void)snprintf(count, sizeof count, "%s%s=%" PRId64, words[0] != '\0' ? " " : "", what, number);
  kinds->kind[kinds->count].letter = letter;
  (void)snprintf(kinds->kind[kinds->count++].text, SS_KIND_SIZE, "%s%s", words, count);
}

void ss_kinds_add_own(ss_kinds *kinds, const char *words, char *letters, int64_t *dense)
{
  char without[SS_KIND_SIZE];
  (void)snprintf(without, sizeof without, "%s feed-forward=mlp", words);
  ss_kinds_add(kinds, 'l', "", 0, words);
  ss_kinds_add(kinds, 'f', "", 0, "");
  ss_kinds_add(kinds, 'm', "", 0, without);
  ss_kinds_add(kinds, 'd', "", 0, "feed-forward=mlp");
  for (int64_t i = 0; i < *dense && letters[i] != '\0'; ++i) letters[i] = (char)(letters[i] == 'l' ? 'm' : 'd');
  *dense = 0;
}

/* The length of the shortest pattern that, repeated a whole number of times, gives all letters. */
static size_t period_of(const char *letters, size_t count)
{
  for (size_t period = 1; period < count; ++period)
    if (count % period == 0 && memcmp(letters, letters + period, count - period) == 0) return period;
  return count;
}

static void set_text(ss_import *import, char field[SS_TEXT_SIZE], ss_attribute_index index, int line, const char *text)
{
  memcpy(field, text, strlen(text) + 1);
  import->workload->line[index] = line;
}

/* What modules have; nothing where it is what the last layer is. */
static void set_modules(ss_import *import, const ss_kinds *kinds, const char *letters, int line)
{
  const char of_modules[] = {kinds->of_modules, '\0'};
  if (kinds->of_modules != letters[strlen(letters) - 1])
    set_text(import, import->workload->model.mtp_kind, SS_AT_model_mtp_kind, line, of_modules);
}

static bool occurs(const ss_kinds *kinds, const char *letters, char letter)
{
  return strchr(letters, letter) != NULL || letter == kinds->of_modules;
}

ss_status ss_kinds_set(ss_import *import, const char *path, const ss_kinds *kinds, char *letters, int line,
                       ss_error *error)
{
  ss_workload *w = import->workload;
  char text[SS_KINDS_MOST * (SS_KIND_SIZE + 4)] = "";
  size_t used = 0;
  if (kinds->of_modules != '\0') set_modules(import, kinds, letters, line);
  letters[period_of(letters, strlen(letters))] = '\0';
  for (int64_t i = 0; i < kinds->count; ++i) {
    const bool plain = kinds->kind[i].text[0] == '\0';
    if (!occurs(kinds, letters, kinds->kind[i].letter)) continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%s%s", used > 0 ? "; " : "", kinds->kind[i].letter,
                             plain ? "" : " ", kinds->kind[i].text);
  }
  if (strlen(text) == 1) return SS_OK; /* all layers are what the model says */
  const size_t longest = strlen(letters) > strlen(text) ? strlen(letters) : strlen(text);
  if (longest >= SS_TEXT_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, path, line, "has a pattern of %zu kinds of layers; %s", longest,
                        "allowed: fewer than 256 before they repeat");
  set_text(import, w->model.kinds, SS_AT_model_kinds, line, text);
  set_text(import, w->model.pattern, SS_AT_model_pattern, line, letters);
  return SS_OK;
}
