#include "sim/import/python/methods.h"

#include <ctype.h>
#include <string.h>

#include "sim/import/python/operators.h"

/* What a method is given, and where. */
typedef struct call {
  ss_py *py;
  const ss_py_node *at;
  ss_py_value *first, *second; /* NULL: there is none */
} call;

static ss_py_value *unknown(const call *c)
{
  return ss_py_unknown(c->py, c->at);
}

static ss_py_value *give_bool(const call *c, bool is)
{
  return ss_py_bool(c->py, is ? SS_PY_YES : SS_PY_NO, c->at);
}

static bool is_text(const ss_py_value *value)
{
  return value != NULL && value->kind == SS_PY_IS_TEXT;
}

/* Whether a text begins or ends with another one, or one of several. */
static ss_py_value *text_has(const call *c, const ss_py_value *self, bool at_end)
{
  const ss_py_value *alone[] = {c->first};
  const ss_py_value *const *all =
      c->first != NULL && ss_py_is_list(c->first) ? (const ss_py_value *const *)c->first->item : alone;
  const int64_t count = all == alone ? 1 : c->first->count;
  bool is = false;
  for (int64_t i = 0; i < count; ++i) {
    if (!is_text(all[i])) return unknown(c);
    const size_t size = strlen(all[i]->text), length_of = strlen(self->text);
    is |= size <= length_of && strncmp(self->text + (at_end ? length_of - size : 0), all[i]->text, size) == 0;
  }
  return give_bool(c, is);
}

/* The parts of a text between separators, of which no more than so many count, the first or the last ones. */
static ss_py_value *split(const call *c, const ss_py_value *self, bool from_end)
{
  if (!is_text(c->first) || c->first->text[0] == '\0') return unknown(c);
  const double most = c->second != NULL && ss_py_is_number(c->second) ? c->second->number : -1.0;
  ss_py_value *list = ss_py_new(c->py, SS_PY_IS_LIST);
  const size_t size = strlen(c->first->text);
  double found = 0.0, passed = 0.0;
  for (const char *at = self->text; (at = strstr(at, c->first->text)) != NULL; at += size) ++found;
  const double skipped = from_end && most >= 0.0 && found > most ? found - most : 0.0;
  const char *first = self->text, *at = first;
  while ((at = strstr(at, c->first->text)) != NULL && (from_end || most < 0.0 || passed < most)) {
    if (passed++ >= skipped) {
      char *part = ss_scratch_take(c->py->memory, (size_t)(at - first) + 1);
      memcpy(part, first, (size_t)(at - first));
      part[at - first] = '\0';
      ss_py_append(c->py->memory, list, ss_py_text(c->py, part));
      first = at + size;
    }
    at += size;
    if (!ss_py_step(c->py, c->at)) return NULL;
  }
  ss_py_append(c->py->memory, list, ss_py_text(c->py, first));
  return list;
}

static ss_py_value *cased(const call *c, const ss_py_value *self, int (*turn)(int))
{
  char *copy = ss_scratch_take(c->py->memory, strlen(self->text) + 1);
  size_t i = 0;
  for (; self->text[i] != '\0'; ++i) copy[i] = (char)turn((unsigned char)self->text[i]);
  copy[i] = '\0';
  return ss_py_text(c->py, copy);
}

static ss_py_value *text_method(const call *c, const ss_py_value *self, const char *name)
{
  if (strcmp(name, "startswith") == 0) return text_has(c, self, false);
  if (strcmp(name, "endswith") == 0) return text_has(c, self, true);
  if (strcmp(name, "split") == 0) return split(c, self, false);
  if (strcmp(name, "rsplit") == 0) return split(c, self, true);
  if (strcmp(name, "lower") == 0) return cased(c, self, tolower);
  return strcmp(name, "upper") == 0 ? cased(c, self, toupper) : unknown(c);
}

/* A list that gets what only a run knows is not known as a whole. Lists that were there before a branch that may not be
 * taken cannot be put back as they were. */
static ss_py_value *list_method(const call *c, ss_py_value *self, const char *name)
{
  const bool appends = strcmp(name, "append") == 0, extends = strcmp(name, "extend") == 0;
  const bool is_old = c->py->journal != NULL && self->born <= c->py->journal->since;
  if (!appends && !extends) return NULL;
  const bool is_unknown = c->first != NULL && c->first->kind == SS_PY_IS_UNKNOWN;
  if (c->first == NULL || is_old || (extends && !ss_py_is_list(c->first) && !is_unknown) || c->first == self)
    return ss_py_stop(c->py, c->at, "%s: changes a list in a way that only a run knows; allowed: known members",
                      ss_py_excerpt(c->py, c->at));
  if (appends || is_unknown) ss_py_append(c->py->memory, self, c->first);
  for (int64_t i = 0; extends && !is_unknown && i < c->first->count; ++i)
    ss_py_append(c->py->memory, self, c->first->item[i]);
  c->py->steps += extends ? c->first->count : 1;
  return ss_py_none(c->py);
}

/* Takes a key out of a dict, which a branch that may not be taken cannot put back. */
static ss_py_value *pop(const call *c, ss_py_value *self)
{
  ss_py_entry *entry = ss_py_table_find(&self->table, c->first);
  if (entry == NULL) return c->second != NULL ? c->second : unknown(c);
  if (c->py->journal != NULL && self->born <= c->py->journal->since)
    return ss_py_stop(c->py, c->at, "%s: changes a dict in a way that only a run knows; allowed: a known condition",
                      ss_py_excerpt(c->py, c->at));
  ss_py_value *value = entry->value;
  ss_py_table_take_out(&self->table, entry);
  return value;
}

static ss_py_value *copy(const call *c, const ss_py_value *self)
{
  ss_py_value *dict = ss_py_new(c->py, SS_PY_IS_DICT);
  ss_py_table_copy(c->py->memory, &dict->table, &self->table);
  return dict;
}

/* Pairs, keys or values of a dict. */
static ss_py_value *parts_of(const call *c, const ss_py_value *self, const char *name)
{
  ss_py_value *list = ss_py_new(c->py, SS_PY_IS_LIST);
  for (int64_t i = 0; i < self->table.count; ++i) {
    ss_py_value *key = (ss_py_value *)self->table.entry[i].key, *member = self->table.entry[i].value;
    if (strcmp(name, "items") == 0) {
      ss_py_value *pair = ss_py_new(c->py, SS_PY_IS_TUPLE);
      ss_py_append(c->py->memory, pair, key);
      ss_py_append(c->py->memory, pair, member);
      member = pair;
    }
    ss_py_append(c->py->memory, list, strcmp(name, "keys") == 0 ? key : member);
  }
  return list;
}

static ss_py_value *dict_method(const call *c, ss_py_value *self, const char *name)
{
  if (strcmp(name, "items") == 0 || strcmp(name, "keys") == 0 || strcmp(name, "values") == 0)
    return parts_of(c, self, name);
  if (strcmp(name, "get") == 0 && c->first != NULL) {
    const ss_py_entry *entry = ss_py_table_find(&self->table, c->first);
    if (entry != NULL) return entry->value;
    return c->second != NULL ? c->second : ss_py_none(c->py);
  }
  if (strcmp(name, "copy") == 0) return copy(c, self);
  if (strcmp(name, "pop") == 0 && c->first != NULL) return pop(c, self);
  if (strcmp(name, "update") != 0 || c->first == NULL || c->first->kind != SS_PY_IS_DICT) return NULL;
  for (int64_t i = 0; i < c->first->table.count && c->first != self; ++i)
    ss_py_put(c->py, &self->table, c->first->table.entry[i].key, c->first->table.entry[i].value,
              ss_py_place_at(c->py, c->at));
  return ss_py_none(c->py);
}

ss_py_value *ss_py_method(ss_py *py, const ss_py_node *at, const ss_py_value *method, ss_py_value *arguments,
                          bool *is_known)
{
  const int64_t count = arguments->count;
  const call c = {py, at, count > 0 ? arguments->item[0] : NULL, count > 1 ? arguments->item[1] : NULL};
  ss_py_value *self = method->self, *value = NULL;
  if (self->kind == SS_PY_IS_TEXT) value = text_method(&c, self, method->text);
  if (self->kind == SS_PY_IS_LIST) value = list_method(&c, self, method->text);
  if (self->kind == SS_PY_IS_DICT) value = dict_method(&c, self, method->text);
  *is_known = value != NULL || py->status != SS_OK;
  return value;
}
