#include "sim/import/cluster/own_draft.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"

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

void ss_own_switch_name(int64_t level, int64_t node, char name[SS_LINK_NAME_SIZE])
{
  if (level == 1)
    (void)snprintf(name, SS_LINK_NAME_SIZE, "leaf-%" PRId64, node);
  else
    (void)snprintf(name, SS_LINK_NAME_SIZE, "level%" PRId64 "-%" PRId64, level, node);
}

ss_fat_tree ss_own_tree_shape(const ss_own_draft *draft, int64_t leaves)
{
  const ss_own_tree *own = &draft->tree;
  const int64_t top = own->levels - 1;
  const bool bundled = draft->file[SS_OWN_TABLES][0] != '\0';
  ss_fat_tree shape = {
      .levels = own->levels, .down = {draft->of_leaf * draft->nics / draft->rails}, .up = {1}, .links = {1}};
  int64_t below = 1;
  for (int64_t level = 1; level <= top; ++level) {
    const bool split = level == top && !bundled;
    shape.down[level] = own->down[level];
    shape.up[level] = own->up[level] * (split ? own->cables[level] : 1);
    shape.links[level] = split ? 1 : own->cables[level];
    if (level < top) below *= own->down[level];
  }
  if (top == 0)
    shape.down[0] *= leaves;
  else
    shape.down[top] = ss_divide_up(leaves, below);
  return shape;
}

void ss_own_free(ss_own_draft *draft)
{
  for (int64_t i = 0; i < draft->notes; ++i) free(draft->note[i]);
  free(draft->note);
  free(draft->place);
  free(draft->route);
  ss_ib_fabric_free(&draft->fabric);
  ss_names_free(&draft->hosts);
  ss_names_free(&draft->job);
  *draft = (ss_own_draft){.notes = 0};
}
