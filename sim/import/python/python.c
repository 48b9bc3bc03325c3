#include "sim/import/python/python.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Far above any configuration. */
enum { MOST_STEPS = 500000, MOST_EXCERPT = 60, BYTES_OF_STEP = 64 };

ss_py_value *ss_py_stop(ss_py *py, const ss_py_node *at, const char *format, ...)
{
  char text[SS_MESSAGE_SIZE / 2];
  const ss_py_place place = ss_py_place_at(py, at);
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (py->status == SS_OK) py->status = ss_error_set(py->error, SS_ERROR_INPUT, place.path, place.line, "%s", text);
  return NULL;
}

ss_py_value *ss_py_raise(ss_py *py, const ss_py_node *at, const char *text)
{
  py->raised = true;
  py->raised_at = ss_py_place_at(py, at);
  py->raised_text = text;
  return NULL;
}

bool ss_py_step(ss_py *py, const ss_py_node *at)
{
  if (++py->steps > MOST_STEPS) (void)ss_py_stop(py, at, "takes more than %d steps; allowed: fewer", MOST_STEPS);
  return py->status == SS_OK && !py->raised;
}

/* The line of the recipe's own file that is run, or that has called what is. */
static int own_line(const ss_py *py)
{
  const ss_py_frame *frame = py->frame;
  while (frame != NULL && frame->module != py->own) frame = frame->caller;
  return frame != NULL ? frame->line : 1;
}

ss_py_place ss_py_place_at(const ss_py *py, const ss_py_node *at)
{
  const ss_py_module *module = py->frame != NULL ? py->frame->module : py->own;
  const int line = at != NULL ? at->line : py->frame != NULL ? py->frame->line : 0;
  return (ss_py_place){.path = module->path, .line = line, .own_line = module == py->own ? line : own_line(py)};
}

ss_py_value *ss_py_new(ss_py *py, ss_py_kind kind)
{
  ss_py_value *value = ss_scratch_take(py->memory, sizeof *value);
  *value = (ss_py_value){.kind = kind, .text = "", .born = ++py->born};
  return value;
}

ss_py_value *ss_py_none(ss_py *py)
{
  return ss_py_new(py, SS_PY_IS_NONE);
}

ss_py_value *ss_py_bool(ss_py *py, ss_py_truth truth, const ss_py_node *at)
{
  if (truth == SS_PY_OPEN) return ss_py_unknown(py, at);
  ss_py_value *value = ss_py_new(py, SS_PY_IS_BOOL);
  value->number = truth == SS_PY_YES;
  return value;
}

ss_py_value *ss_py_integer(ss_py *py, double number)
{
  ss_py_value *value = ss_py_new(py, SS_PY_IS_INTEGER);
  value->number = number;
  return value;
}

ss_py_value *ss_py_text(ss_py *py, const char *text)
{
  ss_py_value *value = ss_py_new(py, SS_PY_IS_TEXT);
  value->text = text;
  return value;
}

ss_py_value *ss_py_unknown(ss_py *py, const ss_py_node *at)
{
  ss_py_value *value = ss_py_new(py, SS_PY_IS_UNKNOWN);
  value->text = ss_py_excerpt(py, at);
  value->place = ss_py_place_at(py, at);
  return value;
}

const char *ss_py_excerpt(ss_py *py, const ss_py_node *at)
{
  char *text = ss_scratch_take(py->memory, MOST_EXCERPT + 4);
  int used = 0, i = 0;
  for (; i < at->length && used < MOST_EXCERPT; ++i) {
    const bool is_blank = strchr(" \t\r\n", at->from[i]) != NULL;
    if (!is_blank || (used > 0 && text[used - 1] != ' ')) text[used++] = (char)(is_blank ? ' ' : at->from[i]);
  }
  (void)snprintf(text + used, 4, "%s", i < at->length ? "..." : "");
  return text;
}

/* Members of a list with commas between them; NULL: one is not known. */
static const char *shown_list(ss_py *py, const ss_py_value *list)
{
  const char *text = "[";
  for (int64_t i = 0; i < list->count; ++i) {
    const bool is_flat = !ss_py_is_list(list->item[i]) && strlen(text) < SS_MESSAGE_SIZE;
    const char *one = is_flat ? ss_py_shown(py, list->item[i], true) : NULL;
    if (one == NULL) return NULL;
    text = ss_py_join(py, text, i > 0 ? ", " : "", one);
  }
  return ss_py_join(py, text, "]", "");
}

const char *ss_py_shown(ss_py *py, const ss_py_value *value, bool quotes)
{
  char number[32];
  switch (value->kind) {
  case SS_PY_IS_NONE: return "None";
  case SS_PY_IS_BOOL: return value->number != 0.0 ? "True" : "False";
  case SS_PY_IS_INTEGER: (void)snprintf(number, sizeof number, "%.0f", value->number); break;
  case SS_PY_IS_TEXT: return quotes ? ss_py_join(py, "'", value->text, "'") : value->text;
  case SS_PY_IS_LIST: return shown_list(py, value);
  default: return NULL;
  }
  return ss_py_join(py, number, "", "");
}

const char *ss_py_join(ss_py *py, const char *first, const char *second, const char *third)
{
  const size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
  char *text = ss_scratch_take(py->memory, size);
  py->steps += (int64_t)size / BYTES_OF_STEP;
  (void)snprintf(text, size, "%s%s%s", first, second, third);
  return text;
}

/* Notes what an entry was. */
static void remember(ss_py *py, ss_py_table *table, const ss_py_value *key, const ss_py_entry *entry)
{
  ss_py_journal *journal = py->journal;
  if (journal == NULL) return;
  if (py->frame != NULL && table == &py->frame->variables && py->frame->born > journal->since)
    return; /* of a function that the branch has called, they end before it does */
  journal->change =
      ss_scratch_grown(py->memory, journal->change, journal->count, &journal->room, sizeof *journal->change);
  journal->change[journal->count++] = (ss_py_change){.table = table,
                                                     .key = key,
                                                     .before = entry != NULL ? entry->value : NULL,
                                                     .place = entry != NULL ? entry->place : (ss_py_place){.line = 0}};
}

void ss_py_give(ss_py *py, ss_py_table *table, const ss_py_value *key, ss_py_value *value, ss_py_place place)
{
  ss_py_entry *entry = ss_py_table_find(table, key);
  if (entry == NULL) entry = ss_py_table_add(py->memory, table, key, value);
  entry->value = value;
  entry->place = place;
}

void ss_py_put(ss_py *py, ss_py_table *table, const ss_py_value *key, ss_py_value *value, ss_py_place place)
{
  remember(py, table, key, ss_py_table_find(table, key));
  ss_py_give(py, table, key, value, place);
}

void ss_py_put_named(ss_py *py, ss_py_table *table, const char *name, ss_py_value *value, ss_py_place place)
{
  ss_py_put(py, table, ss_py_text_value(py->memory, name), value, place);
}

void ss_py_say(ss_py *py, ss_py_note_kind kind, const char *text)
{
  for (const ss_py_note *note = py->notes; note != NULL; note = note->next)
    if (note->kind == kind && strcmp(note->text, text) == 0) return;
  ss_py_note *note = ss_scratch_take(py->memory, sizeof *note);
  *note = (ss_py_note){.kind = kind, .text = text};
  *(py->notes == NULL ? &py->notes : py->last_note) = note;
  py->last_note = &note->next;
}

void ss_py_say_at(ss_py *py, ss_py_note_kind kind, const char *text, const ss_py_node *at)
{
  char place[SS_PATH_SIZE + 32];
  const ss_py_place where = ss_py_place_at(py, at);
  const char *slash = strrchr(where.path, '/');
  (void)snprintf(place, sizeof place, " (%.200s:%d)", slash != NULL ? slash + 1 : where.path, where.line);
  ss_py_say(py, kind, ss_py_join(py, text, place, ""));
}
