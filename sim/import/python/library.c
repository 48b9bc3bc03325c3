#include "sim/import/python/library.h"

#include <string.h>

#include "sim/import/python/names.h"
#include "sim/import/python/parser.h"

/* Of values in values, where they are copied. */
enum { MOST_DEPTH = 16 };

/* importlib.import_module(NAME) */
static ss_py_value *import_module(ss_py *py, const ss_py_node *at, ss_py_value *arguments)
{
  const ss_py_value *name = arguments->count == 1 ? arguments->item[0] : NULL;
  if (name == NULL || name->kind != SS_PY_IS_TEXT) return ss_py_unknown(py, at);
  ss_py_value *module = ss_py_dotted(py, name->text);
  if (module == NULL || module->kind == SS_PY_IS_MODULE) return module;
  return ss_py_raise(py, at, ss_py_join(py, "there is no module ", name->text, ""));
}

static ss_py_value *copy_of(ss_py *py, ss_py_value *value, int depth)
{
  const bool has_parts = value->kind >= SS_PY_IS_LIST && value->kind <= SS_PY_IS_OBJECT;
  if (!has_parts || depth == 0) return value;
  ss_py_value *copy = ss_py_new(py, value->kind);
  const int64_t born = copy->born;
  *copy = *value;
  copy->born = born;
  copy->item = NULL;
  copy->count = copy->room = 0;
  copy->table = (ss_py_table){.count = 0};
  for (int64_t i = 0; i < value->count; ++i) ss_py_append(py->memory, copy, copy_of(py, value->item[i], depth - 1));
  ss_py_table_copy(py->memory, &copy->table, &value->table);
  for (int64_t i = 0; i < copy->table.count; ++i)
    copy->table.entry[i].value = copy_of(py, copy->table.entry[i].value, depth - 1);
  return copy;
}

/* copy.copy(VALUE) */
static ss_py_value *copy(ss_py *py, const ss_py_node *at, ss_py_value *arguments)
{
  return arguments->count == 1 ? copy_of(py, arguments->item[0], 1) : ss_py_unknown(py, at);
}

/* copy.deepcopy(VALUE) */
static ss_py_value *deep_copy(ss_py *py, const ss_py_node *at, ss_py_value *arguments)
{
  return arguments->count == 1 ? copy_of(py, arguments->item[0], MOST_DEPTH) : ss_py_unknown(py, at);
}

/* dataclasses.replace(OBJECT, FIELD=VALUE, ...) */
static ss_py_value *replace(ss_py *py, const ss_py_node *at, ss_py_value *arguments)
{
  if (arguments->count != 1 || arguments->item[0]->kind != SS_PY_IS_OBJECT) return ss_py_unknown(py, at);
  ss_py_value *object = copy_of(py, arguments->item[0], 1);
  for (int64_t i = 0; i < arguments->table.count; ++i) {
    const ss_py_entry *field = &arguments->table.entry[i];
    ss_py_give(py, &object->table, field->key, field->value, field->place);
  }
  object->is_call |= arguments->is_call;
  return object;
}

/* torch.cuda.is_available(): where a recipe trains, there are GPUs. */
static ss_py_value *is_available(ss_py *py, const ss_py_node *at, ss_py_value *arguments)
{
  (void)arguments;
  return ss_py_bool(py, SS_PY_YES, at);
}

static const struct {
  const char *name;
  ss_py_value *(*of)(ss_py *py, const ss_py_node *at, ss_py_value *arguments);
} functions[] = {{"importlib.import_module", import_module},
                 {"torch.cuda.is_available", is_available},
                 {"copy.copy", copy},
                 {"copy.deepcopy", deep_copy},
                 {"dataclasses.replace", replace}};

ss_py_value *ss_py_library_call(ss_py *py, const ss_py_node *at, const char *name, ss_py_value *arguments,
                                bool *is_known)
{
  size_t i = 0;
  while (i < sizeof functions / sizeof functions[0] && strcmp(functions[i].name, name) != 0) ++i;
  *is_known = i < sizeof functions / sizeof functions[0];
  return *is_known ? functions[i].of(py, at, arguments) : NULL;
}

/* A text whose %s are replaced; NULL: that is not known. */
static const char *filled(ss_py *py, const ss_py_value *arguments)
{
  const char *rest =
      arguments->count > 0 && arguments->item[0]->kind == SS_PY_IS_TEXT ? arguments->item[0]->text : NULL;
  const char *whole = rest != NULL ? "" : NULL, *mark;
  for (int64_t i = 1; whole != NULL && (mark = strstr(rest, "%s")) != NULL; ++i) {
    const char *shown = i < arguments->count ? ss_py_shown(py, arguments->item[i], false) : NULL;
    if (shown == NULL) return NULL;
    whole = ss_py_join(py, whole, ss_py_copy(py->memory, rest, (size_t)(mark - rest)), shown);
    rest = mark + 2;
  }
  return whole != NULL ? ss_py_join(py, whole, rest, "") : NULL;
}

void ss_py_log(ss_py *py, const ss_py_value *logger, const char *level, const ss_py_value *arguments)
{
  const bool warns = strcmp(level, "warning") == 0 || strcmp(level, "error") == 0;
  const bool is_logger = logger->kind == SS_PY_IS_OBJECT && strcmp(logger->text, "logging.getLogger") == 0;
  const char *text = warns && is_logger && py->options != NULL && !py->is_quiet ? filled(py, arguments) : NULL;
  const size_t length = text != NULL ? strlen(text) : 0;
  if (length > 0) ss_py_say(py, SS_PY_NOTE_WARNED, ss_py_copy(py->memory, text, length - (text[length - 1] == '.')));
}
