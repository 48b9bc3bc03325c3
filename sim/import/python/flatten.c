#include "sim/import/python/flatten.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/base/dotted.h"

enum { MOST_DEPTH = 16 };

typedef struct writer {
  ss_py *py;
  ss_settings *settings;
  ss_error *error;
} writer;

/* Where a value is put, and who says it. */
typedef struct spot {
  const char *key;
  ss_py_place place;
  int depth;
} spot;

static ss_status add(const writer *w, const spot *at, json_t *value)
{
  const ss_status status = ss_settings_add(w->settings, at->key, value, at->place.own_line, w->error);
  if (status != SS_OK) return status;
  ss_setting *setting = &w->settings->setting[w->settings->count - 1];
  if (at->place.path == NULL || strcmp(at->place.path, w->settings->source->path) == 0) return SS_OK;
  setting->path = at->place.path;
  setting->path_line = at->place.line;
  return SS_OK;
}

/* A setting whose value only a run knows: where the expression stands is part of what is said. */
static ss_status add_unknown(const writer *w, const spot *at, const ss_py_value *value)
{
  char text[SS_PATH_SIZE];
  const char *slash = value->place.path != NULL ? strrchr(value->place.path, '/') : NULL;
  const char *file = slash != NULL ? slash + 1 : value->place.path != NULL ? value->place.path : "";
  (void)snprintf(text, sizeof text, "%.100s (%.100s:%d)", value->text, file, value->place.line);
  const ss_status status = add(w, at, json_string_nocheck(value->text));
  if (status == SS_OK) w->settings->setting[w->settings->count - 1].unknown = ss_py_join(w->py, text, "", "");
  return status;
}

/* What is behind a key: a name, or a number. */
static ss_status inner(const writer *w, const spot *at, const char *name, char key[SS_SETTING_KEY_SIZE], spot *in)
{
  *in = (spot){.key = key, .place = at->place, .depth = at->depth + 1};
  if (in->depth > MOST_DEPTH)
    return ss_error_set(w->error, SS_ERROR_INPUT, w->settings->source->path, at->place.own_line,
                        "%.64s: has values in values that are nested too deep", at->key);
  return ss_setting_join(w->settings, at->key, name, at->place.own_line, key, w->error);
}

/* The name of what is not read: a member of an enumeration is a text, and all else has YAML as its target. */
static bool is_member(const char *name)
{
  const char *dot = strrchr(name, '.'), *before = dot;
  while (before != NULL && before > name && before[-1] != '.') --before;
  return dot != NULL && isupper((unsigned char)*before) != 0;
}

static json_t *scalar(const ss_py_value *value)
{
  switch (value->kind) {
  case SS_PY_IS_NONE: return json_null();
  case SS_PY_IS_BOOL: return json_boolean(value->number != 0.0);
  case SS_PY_IS_INTEGER: return json_integer((json_int_t)value->number);
  case SS_PY_IS_FLOAT: return isfinite(value->number) ? json_real(value->number) : json_string("inf");
  case SS_PY_IS_NAME: return json_string_nocheck(ss_last_name(value->text));
  default: return json_string_nocheck(value->text);
  }
}

static bool is_scalar(const ss_py_value *value)
{
  return value->kind == SS_PY_IS_NONE || value->kind == SS_PY_IS_TEXT || value->kind == SS_PY_IS_NAME ||
         ss_py_is_number(value);
}

static ss_status write(const writer *w, const spot *at, const ss_py_value *value);

static ss_status write_inner(const writer *w, const spot *at, const char *name, const ss_py_entry *entry)
{
  char key[SS_SETTING_KEY_SIZE];
  spot in;
  const ss_status status = inner(w, at, name, key, &in);
  if (entry->place.path != NULL) in.place = entry->place;
  return status == SS_OK ? write(w, &in, entry->value) : status;
}

/* The scalars of a list are one value; its other members have settings of their own. */
static ss_status write_list(const writer *w, const spot *at, const ss_py_value *list)
{
  ss_status status = SS_OK;
  json_t *scalars = json_array();
  const int64_t before = w->settings->count;
  for (int64_t i = 0; i < list->count && scalars != NULL && status == SS_OK; ++i) {
    char name[32];
    (void)snprintf(name, sizeof name, "%lld", (long long)i);
    const ss_py_entry member = {.value = list->item[i]};
    if (!is_scalar(list->item[i]))
      status = write_inner(w, at, name, &member);
    else if (json_array_append_new(scalars, scalar(list->item[i])) != 0)
      status = ss_error_set(w->error, SS_ERROR_MEMORY, w->settings->source->path, 0, "out of memory for settings");
  }
  if (status == SS_OK && (json_array_size(scalars) > 0 || w->settings->count == before)) return add(w, at, scalars);
  json_decref(scalars);
  return status;
}

static ss_status write_pairs(const writer *w, const spot *at, const ss_py_value *value)
{
  ss_status status = SS_OK;
  const ss_py_table *table = &value->table;
  for (int64_t i = 0; i < table->count && status == SS_OK; ++i) {
    const ss_py_value *key = table->entry[i].key;
    char number[32];
    (void)snprintf(number, sizeof number, "%.15g", key->number);
    status = write_inner(w, at, key->kind == SS_PY_IS_TEXT ? key->text : number, &table->entry[i]);
  }
  if (status != SS_OK || table->count > 0 || value->kind != SS_PY_IS_DICT) return status;
  return add(w, at, json_array()); /* nothing in braces, as YAML has it */
}

static ss_status write_target(const writer *w, const spot *at, const char *target)
{
  char key[SS_SETTING_KEY_SIZE];
  spot in;
  const ss_status status = inner(w, at, "_target_", key, &in);
  return status == SS_OK ? add(w, &in, json_string_nocheck(target)) : status;
}

static ss_status write_object(const writer *w, const spot *at, const ss_py_value *object)
{
  ss_status status = SS_OK;
  if (object->text[0] != '\0' && !object->is_model && at->depth > 0) status = write_target(w, at, object->text);
  if (status == SS_OK) status = write_pairs(w, at, object);
  for (int64_t i = 0; i < object->count && status == SS_OK; ++i) {
    char name[32];
    const ss_py_entry argument = {.value = object->item[i]};
    (void)snprintf(name, sizeof name, "_args_.%lld", (long long)i);
    status = write_inner(w, at, name, &argument);
  }
  return status;
}

static ss_status write(const writer *w, const spot *at, const ss_py_value *value)
{
  const ss_py_value *unknown = ss_py_open_part(value);
  if (unknown != NULL) return add_unknown(w, at, unknown);
  switch (value->kind) {
  case SS_PY_IS_LIST:
  case SS_PY_IS_TUPLE:
  case SS_PY_IS_SET: return write_list(w, at, value);
  case SS_PY_IS_DICT: return write_pairs(w, at, value);
  case SS_PY_IS_OBJECT: return write_object(w, at, value);
  case SS_PY_IS_FUNCTION:
  case SS_PY_IS_CLASS:
  case SS_PY_IS_MODULE:
  case SS_PY_IS_METHOD: return write_target(w, at, value->text);
  case SS_PY_IS_NAME:
    if (!is_member(value->text)) return write_target(w, at, value->text);
    break;
  default: break;
  }
  return add(w, at, scalar(value));
}

ss_status ss_py_flatten(ss_py *py, const ss_py_value *object, ss_settings *settings, ss_error *error)
{
  const writer w = {py, settings, error};
  const spot root = {.key = "", .place = {.path = NULL, .line = 1, .own_line = 1}};
  return write(&w, &root, object);
}
