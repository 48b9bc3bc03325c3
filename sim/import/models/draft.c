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

ss_status ss_import_notes(const ss_import *import, ss_note_kind kind, char **line, ss_error *error)
{
#define NOTE_TEXT(id, text) text,
  static const char *const texts[] = {SS_NOTE_LIST(NOTE_TEXT)};
#undef NOTE_TEXT
  size_t size = strlen(texts[kind]) + 1, used = 0;
  for (int64_t i = 0; i < import->count; ++i)
    if (import->note[i].kind == kind) size += strlen(import->note[i].text) + 2;
  *line = NULL;
  if (size == strlen(texts[kind]) + 1) return SS_OK;
  *line = malloc(size);
  if (*line == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
  for (int64_t i = 0; i < import->count; ++i) {
    if (import->note[i].kind != kind) continue;
    used += (size_t)snprintf(*line + used, size - used, "%s%s%s", used == 0 ? texts[kind] : "", used == 0 ? ": " : ", ",
                             import->note[i].text);
  }
  return SS_OK;
}
