#include "sim/import/python/options.h"

#include <string.h>

#include "sim/import/python/parser.h"

bool ss_py_is_option_parser(const ss_py_value *value)
{
  return value->kind == SS_PY_IS_OBJECT && strcmp(value->text, "argparse.ArgumentParser") == 0;
}

static const ss_py_value *named(const ss_py_value *arguments, const char *name)
{
  const ss_py_entry *entry = ss_py_table_named(&arguments->table, name);
  return entry != NULL ? entry->value : NULL;
}

/* The name of an option: the first with two dashes, or the first, with _ for -. NULL: that is not known. */
static const char *name_of(ss_py *py, const ss_py_value *arguments)
{
  const ss_py_value *given = named(arguments, "dest"), *first = NULL;
  for (int64_t i = 0; i < arguments->count && given == NULL; ++i) {
    const ss_py_value *one = arguments->item[i];
    if (one->kind != SS_PY_IS_TEXT) return NULL;
    if (first == NULL || (strncmp(one->text, "--", 2) == 0 && strncmp(first->text, "--", 2) != 0)) first = one;
  }
  if (given == NULL) given = first;
  if (given == NULL || given->kind != SS_PY_IS_TEXT) return NULL;
  const char *text = given->text + strspn(given->text, "-");
  char *name = (char *)ss_py_copy(py->memory, text, strlen(text));
  for (char *c = name; *c != '\0'; ++c)
    if (*c == '-') *c = '_';
  return name;
}

/* What an option has where nobody says. */
static ss_py_value *default_of(ss_py *py, const ss_py_node *at, const ss_py_value *arguments)
{
  const ss_py_value *own = named(arguments, "default"), *action = named(arguments, "action");
  if (own != NULL) return (ss_py_value *)own;
  if (action == NULL || action->kind != SS_PY_IS_TEXT) return ss_py_none(py);
  if (strcmp(action->text, "store_true") == 0) return ss_py_bool(py, SS_PY_NO, at);
  return strcmp(action->text, "store_false") == 0 ? ss_py_bool(py, SS_PY_YES, at) : ss_py_none(py);
}

/* A text goes through the function that the option has for it, where that is one of the program. */
static ss_py_value *typed(ss_py *py, const ss_py_node *at, const ss_py_value *arguments, ss_py_value *value)
{
  const ss_py_value *type = named(arguments, "type");
  if (value->kind != SS_PY_IS_TEXT || type == NULL || type->kind != SS_PY_IS_FUNCTION) return value;
  ss_py_value *given = ss_py_new(py, SS_PY_IS_LIST);
  ss_py_append(py->memory, given, value);
  return py->run(py, (ss_py_value *)type, given, at);
}

static ss_py_value *add_option(ss_py *py, const ss_py_node *at, ss_py_value *parser, const ss_py_value *arguments)
{
  const char *name = name_of(py, arguments);
  if (name == NULL)
    return ss_py_stop(py, at, "%s: adds an option whose name only a run knows; allowed: a text", ss_py_excerpt(py, at));
  const ss_py_entry *set = py->options != NULL ? ss_py_table_named(&py->options->table, name) : NULL;
  ss_py_value *value = typed(py, at, arguments, set != NULL ? set->value : default_of(py, at, arguments));
  if (value == NULL) return NULL;
  if (set != NULL || ss_py_table_named(&parser->table, name) == NULL)
    ss_py_put_named(py, &parser->table, name, value, ss_py_place_at(py, at));
  return ss_py_none(py);
}

/* All options, with their values. */
static ss_py_value *parse(ss_py *py, const ss_py_value *parser)
{
  ss_py_value *all = ss_py_new(py, SS_PY_IS_OBJECT);
  all->text = "argparse.Namespace";
  all->is_whole = true;
  ss_py_table_copy(py->memory, &all->table, &parser->table);
  return all;
}

ss_py_value *ss_py_option_method(ss_py *py, const ss_py_node *at, ss_py_value *parser, const char *name,
                                 ss_py_value *arguments)
{
  if (strcmp(name, "add_argument") == 0) return add_option(py, at, parser, arguments);
  if (strcmp(name, "add_argument_group") == 0 || strcmp(name, "add_mutually_exclusive_group") == 0) return parser;
  if (strcmp(name, "parse_args") == 0) return parse(py, parser);
  if (strcmp(name, "parse_known_args") != 0)
    return ss_py_stop(py, at, "%s: is not known of a parser of options; allowed: add_argument, groups, parse_args",
                      ss_py_excerpt(py, at));
  ss_py_value *both = ss_py_new(py, SS_PY_IS_TUPLE);
  ss_py_append(py->memory, both, parse(py, parser));
  ss_py_append(py->memory, both, ss_py_new(py, SS_PY_IS_LIST));
  return both;
}
