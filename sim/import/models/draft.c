#include "sim/import/models/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"
#include "model/base/printable.h"
#include "model/input/origin.h"

void ss_import_set(ss_import *import, ss_attribute_index index, int64_t value, int line)
{
  if (index == SS_AT_training_global_batch) import->replica_batch = 0;
  const ss_attribute *row = &ss_workload_attributes()[index];
  char *field = (char *)import->workload + row->offset;
  const int choice = (int)value;
  SS_ASSERT(row->type == SS_ATTRIBUTE_COUNT || row->type == SS_ATTRIBUTE_CHOICE);
  if (row->type == SS_ATTRIBUTE_COUNT)
    memcpy(field, &value, sizeof value);
  else
    memcpy(field, &choice, sizeof choice);
  import->workload->line[index] = line;
  import->of_release[index] = false;
}

void ss_import_unset(ss_import *import, ss_attribute_index index)
{
  ss_import_set(import, index, (int64_t)ss_workload_attributes()[index].fallback, SS_LINE_DEFAULT);
}

ss_status ss_import_note(ss_import *import, ss_note_kind kind, const char *text, ss_error *error)
{
  ss_note *grown = ss_grown(import->note, import->count, &import->room, sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
  import->note = grown;
  char *copy = strdup(text);
  if (copy == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
  (void)ss_printable(copy); /* it goes to a terminal */
  import->note[import->count++] = (ss_note){.kind = kind, .text = copy};
  return SS_OK;
}

static const char *file_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Whether a name is that of a file, with or without the ending of its language. */
static bool is_name_of(const char *name, const char *path)
{
  static const char *const endings[] = {"", ".yaml", ".yml", ".json", ".toml"};
  const char *file = file_of(path);
  const size_t length = strlen(name);
  if (length == 0 || strncmp(file, name, length) != 0) return false;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
    if (strcmp(file + length, endings[i]) == 0) return true;
  return false;
}

/* Whether a note names a file that was read, behind its key. */
static bool was_read(const ss_import *import, const ss_note *note)
{
  const char *colon = strstr(note->text, ": ");
  const char *name = file_of(colon != NULL ? colon + 2 : note->text);
  for (int64_t i = 0; i < import->count; ++i)
    if (import->note[i].kind == SS_NOTE_READ && is_name_of(name, import->note[i].text)) return true;
  return false;
}

static bool is_told(const ss_import *import, const ss_note *note, ss_note_kind kind)
{
  return note->kind == kind && (kind != SS_NOTE_RECIPE || !was_read(import, note));
}

ss_status ss_import_notes(const ss_import *import, ss_note_kind kind, char **line, ss_error *error)
{
#define NOTE_TEXT(id, text) text,
  static const char *const texts[] = {SS_NOTE_LIST(NOTE_TEXT)};
#undef NOTE_TEXT
  size_t size = strlen(texts[kind]) + 1, used = 0;
  for (int64_t i = 0; i < import->count; ++i)
    if (is_told(import, &import->note[i], kind)) size += strlen(import->note[i].text) + 2;
  *line = NULL;
  if (size == strlen(texts[kind]) + 1) return SS_OK;
  *line = malloc(size);
  if (*line == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
  for (int64_t i = 0; i < import->count; ++i) {
    if (!is_told(import, &import->note[i], kind)) continue;
    used += (size_t)snprintf(*line + used, size - used, "%s%s%s", used == 0 ? texts[kind] : "", used == 0 ? ": " : ", ",
                             import->note[i].text);
  }
  return SS_OK;
}
