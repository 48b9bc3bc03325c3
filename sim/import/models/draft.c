#include "sim/import/models/draft.h"

#include <string.h>

#include "model/base/grow.h"
#include "model/base/printable.h"

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
