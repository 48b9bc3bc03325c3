#include "sim/import/python/value.h"

#include <ctype.h>
#include <string.h>

#include "model/base/dotted.h"

/* Of values in values, where they are compared. */
enum { MOST_DEPTH = 32 };

ss_py_value *ss_py_text_value(ss_scratch *memory, const char *text)
{
  ss_py_value *value = ss_scratch_take(memory, sizeof *value);
  *value = (ss_py_value){.kind = SS_PY_IS_TEXT, .text = text};
  return value;
}

ss_py_entry *ss_py_table_named(const ss_py_table *table, const char *name)
{
  for (int64_t i = 0; i < table->count; ++i) {
    const ss_py_value *key = table->entry[i].key;
    if (key->kind == SS_PY_IS_TEXT && strcmp(key->text, name) == 0) return &table->entry[i];
  }
  return NULL;
}

ss_py_entry *ss_py_table_find(const ss_py_table *table, const ss_py_value *key)
{
  if (key->kind == SS_PY_IS_TEXT) return ss_py_table_named(table, key->text);
  for (int64_t i = 0; i < table->count; ++i)
    if (ss_py_equal(table->entry[i].key, key) == SS_PY_YES) return &table->entry[i];
  return NULL;
}

ss_py_entry *ss_py_table_add(ss_scratch *memory, ss_py_table *table, const ss_py_value *key, ss_py_value *value)
{
  table->entry = ss_scratch_grown(memory, table->entry, table->count, &table->room, sizeof *table->entry);
  table->entry[table->count] = (ss_py_entry){.key = key, .value = value};
  return &table->entry[table->count++];
}

void ss_py_table_copy(ss_scratch *memory, ss_py_table *to, const ss_py_table *from)
{
  for (int64_t i = 0; i < from->count; ++i)
    *ss_py_table_add(memory, to, from->entry[i].key, from->entry[i].value) = from->entry[i];
}

void ss_py_table_take_out(ss_py_table *table, ss_py_entry *entry)
{
  const int64_t behind = table->count - (entry - table->entry) - 1;
  memmove(entry, entry + 1, (size_t)behind * sizeof *entry);
  --table->count;
}

void ss_py_append(ss_scratch *memory, ss_py_value *list, ss_py_value *member)
{
  list->item = ss_scratch_grown(memory, list->item, list->count, &list->room, sizeof *list->item);
  list->item[list->count++] = member;
}

bool ss_py_is_class_name(const char *dotted)
{
  const char *name = ss_last_name(dotted);
  return isupper((unsigned char)name[name[0] == '_']) != 0;
}

static const ss_py_value *open_in(const ss_py_value *value, int depth)
{
  const ss_py_value *found = value->kind == SS_PY_IS_UNKNOWN ? value : NULL;
  for (int64_t i = 0; i < value->count && ss_py_is_list(value) && found == NULL && depth < MOST_DEPTH; ++i)
    found = open_in(value->item[i], depth + 1);
  return found;
}

const ss_py_value *ss_py_open_part(const ss_py_value *value)
{
  return open_in(value, 0);
}

bool ss_py_is_number(const ss_py_value *value)
{
  return value->kind == SS_PY_IS_BOOL || value->kind == SS_PY_IS_INTEGER || value->kind == SS_PY_IS_FLOAT;
}

bool ss_py_is_list(const ss_py_value *value)
{
  return value->kind == SS_PY_IS_LIST || value->kind == SS_PY_IS_TUPLE || value->kind == SS_PY_IS_SET;
}

static ss_py_truth truth(bool is)
{
  return is ? SS_PY_YES : SS_PY_NO;
}

ss_py_truth ss_py_not(ss_py_truth of)
{
  return of == SS_PY_OPEN ? SS_PY_OPEN : truth(of == SS_PY_NO);
}

ss_py_truth ss_py_truth_of(const ss_py_value *value)
{
  if (value->kind == SS_PY_IS_UNKNOWN || value->kind == SS_PY_IS_NAME) return SS_PY_OPEN;
  if (value->kind == SS_PY_IS_OBJECT && value->is_call && !value->is_model) return SS_PY_OPEN;
  if (ss_py_is_number(value)) return truth(value->number != 0.0);
  if (ss_py_is_list(value)) return truth(value->count > 0);
  if (value->kind == SS_PY_IS_TEXT) return truth(value->text[0] != '\0');
  if (value->kind == SS_PY_IS_DICT) return truth(value->table.count > 0);
  return truth(value->kind != SS_PY_IS_NONE);
}

static ss_py_truth equal(const ss_py_value *a, const ss_py_value *b, int depth);

/* Of lists, members one after the other. */
static ss_py_truth equal_members(const ss_py_value *a, const ss_py_value *b, int depth)
{
  ss_py_truth all = SS_PY_YES;
  if (a->count != b->count) return SS_PY_NO;
  for (int64_t i = 0; i < a->count && all != SS_PY_NO; ++i) {
    const ss_py_truth one = equal(a->item[i], b->item[i], depth + 1);
    if (one != SS_PY_YES) all = one;
  }
  return all;
}

static ss_py_truth equal_pairs(const ss_py_value *a, const ss_py_value *b, int depth)
{
  ss_py_truth all = SS_PY_YES;
  if (a->table.count != b->table.count) return SS_PY_NO;
  for (int64_t i = 0; i < a->table.count && all != SS_PY_NO; ++i) {
    const ss_py_entry *other = ss_py_table_find(&b->table, a->table.entry[i].key);
    const ss_py_truth one = other != NULL ? equal(a->table.entry[i].value, other->value, depth + 1) : SS_PY_NO;
    if (one != SS_PY_YES) all = one;
  }
  return all;
}

static ss_py_truth equal(const ss_py_value *a, const ss_py_value *b, int depth)
{
  if (a->kind == SS_PY_IS_UNKNOWN || b->kind == SS_PY_IS_UNKNOWN || depth == MOST_DEPTH) return SS_PY_OPEN;
  if (a == b) return SS_PY_YES;
  if (ss_py_is_number(a) && ss_py_is_number(b)) return truth(a->number == b->number);
  if (a->kind == SS_PY_IS_NAME && b->kind == SS_PY_IS_NAME && strcmp(a->text, b->text) == 0) return SS_PY_YES;
  if (a->kind == SS_PY_IS_NAME || b->kind == SS_PY_IS_NAME) return SS_PY_OPEN;
  if (a->kind != b->kind) return a->is_call || b->is_call ? SS_PY_OPEN : SS_PY_NO;
  switch (a->kind) {
  case SS_PY_IS_NONE: return SS_PY_YES;
  case SS_PY_IS_TEXT: return truth(strcmp(a->text, b->text) == 0);
  case SS_PY_IS_LIST:
  case SS_PY_IS_TUPLE:
  case SS_PY_IS_SET: return equal_members(a, b, depth);
  case SS_PY_IS_DICT: return equal_pairs(a, b, depth);
  case SS_PY_IS_FUNCTION:
  case SS_PY_IS_CLASS: return truth(a->node == b->node);
  case SS_PY_IS_MODULE: return truth(a->module == b->module);
  default: return SS_PY_OPEN;
  }
}

ss_py_truth ss_py_equal(const ss_py_value *a, const ss_py_value *b)
{
  return equal(a, b, 0);
}

bool ss_py_same(const ss_py_value *a, const ss_py_value *b)
{
  return a == b || (a->kind == b->kind && ss_py_equal(a, b) == SS_PY_YES);
}
