#include "sim/import/cluster/own_draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ss_own_file_text(ss_own_file kind)
{
#define FILE_TEXT(id, text) text,
  static const char *const texts[] = {SS_OWN_FILE_LIST(FILE_TEXT)};
#undef FILE_TEXT
  return texts[kind];
}

ss_status ss_own_note(ss_own_draft *draft, ss_error *error, const char *format, ...)
{
  char text[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char **grown = realloc(draft->note, (size_t)(draft->notes + 1) * sizeof *grown);
  if (grown == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
  draft->note = grown;
  grown[draft->notes] = strdup(text);
  if (grown[draft->notes++] != NULL) return SS_OK;
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for notes");
}

void ss_own_free(ss_own_draft *draft)
{
  for (int64_t i = 0; i < draft->notes; ++i) free(draft->note[i]);
  free(draft->note);
  free(draft->place);
  ss_ib_fabric_free(&draft->fabric);
  ss_names_free(&draft->hosts);
  ss_names_free(&draft->job);
  *draft = (ss_own_draft){.notes = 0};
}
