#include "sim/import/python/builtins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/dotted.h"
#include "sim/import/python/fields.h"
#include "sim/import/python/modules.h"
#include "sim/import/python/operators.h"

/* What a function is given, and where. */
typedef struct call {
  ss_py *py;
  const ss_py_node *at;
  ss_py_value *arguments; /* all of them; the first is there */
  ss_py_value *first, *second;
} call;

static ss_py_value *unknown(const call *c)
{
  return ss_py_unknown(c->py, c->at);
}

static ss_py_value *give_bool(const call *c, ss_py_truth truth)
{
  return ss_py_bool(c->py, truth, c->at);
}

static ss_py_value *get(const call *c)
{
  ss_py_value *otherwise = c->arguments->count > 2 ? c->arguments->item[2] : NULL;
  if (c->second == NULL || c->second->kind != SS_PY_IS_TEXT) return unknown(c);
  const bool may_lack = otherwise != NULL || c->first->kind == SS_PY_IS_MODULE;
  const ss_py_truth has = may_lack ? ss_py_has_field(c->py, c->first, c->second->text) : SS_PY_YES;
  if (has == SS_PY_NO && otherwise == NULL)
    return ss_py_raise(c->py, c->at, ss_py_join(c->py, c->first->text, " has no ", c->second->text));
  if (has == SS_PY_NO) return otherwise;
  ss_py_value *field = ss_py_field(c->py, c->at, c->first, c->second->text);
  if (field == NULL && c->py->status == SS_OK) return otherwise != NULL ? otherwise : unknown(c);
  return field;
}

static ss_py_value *has(const call *c)
{
  if (c->second == NULL || c->second->kind != SS_PY_IS_TEXT) return unknown(c);
  return give_bool(c, ss_py_has_field(c->py, c->first, c->second->text));
}

static ss_py_value *set(const call *c)
{
  if (c->arguments->count < 3 || c->second->kind != SS_PY_IS_TEXT || c->first->kind != SS_PY_IS_OBJECT)
    return ss_py_stop(c->py, c->at, "%s: sets a field that only a run knows; allowed: a field with a name",
                      ss_py_excerpt(c->py, c->at));
  ss_py_put_named(c->py, &c->first->table, c->second->text, c->arguments->item[2], ss_py_place_at(c->py, c->at));
  return ss_py_none(c->py);
}

/* Types of Python by their names. */
static ss_py_truth is_of_type(const ss_py_value *value, const char *type)
{
  static const struct {
    const char *name;
    ss_py_kind kind;
  } types[] = {{"str", SS_PY_IS_TEXT},    {"int", SS_PY_IS_INTEGER}, {"int", SS_PY_IS_BOOL},
               {"float", SS_PY_IS_FLOAT}, {"bool", SS_PY_IS_BOOL},   {"list", SS_PY_IS_LIST},
               {"tuple", SS_PY_IS_TUPLE}, {"dict", SS_PY_IS_DICT},   {"set", SS_PY_IS_SET}};
  const bool is_open = value->kind == SS_PY_IS_UNKNOWN || value->kind == SS_PY_IS_NAME ||
                       (value->kind == SS_PY_IS_OBJECT && value->is_call && !value->is_model);
  bool is_known = false, is = false;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    is_known |= strcmp(types[i].name, type) == 0;
    is |= strcmp(types[i].name, type) == 0 && value->kind == types[i].kind;
  }
  if (!is_known || is_open) return SS_PY_OPEN;
  return is ? SS_PY_YES : SS_PY_NO;
}

static ss_py_truth is_instance(const call *c, const ss_py_value *value, ss_py_value *type)
{
  if (type->kind == SS_PY_IS_NAME && strchr(type->text, '.') == NULL) return is_of_type(value, type->text);
  if (value->kind != SS_PY_IS_OBJECT) {
    const bool is_plain = value->kind != SS_PY_IS_UNKNOWN && value->kind != SS_PY_IS_NAME;
    return is_plain && type->kind == SS_PY_IS_CLASS ? SS_PY_NO : SS_PY_OPEN;
  }
  return value->self != NULL ? ss_py_is_of_class(c->py, value->self, ss_last_name(type->text)) : SS_PY_OPEN;
}

static ss_py_value *instance(const call *c)
{
  ss_py_truth any = SS_PY_NO;
  if (c->second == NULL) return unknown(c);
  if (!ss_py_is_list(c->second)) return give_bool(c, is_instance(c, c->first, c->second));
  for (int64_t i = 0; i < c->second->count && any != SS_PY_YES; ++i) {
    const ss_py_truth one = is_instance(c, c->first, c->second->item[i]);
    if (one != SS_PY_NO) any = one;
  }
  return give_bool(c, any);
}

static ss_py_value *length(const call *c)
{
  if (c->first->kind == SS_PY_IS_TEXT) return ss_py_integer(c->py, (double)strlen(c->first->text));
  if (c->first->kind == SS_PY_IS_DICT) return ss_py_integer(c->py, (double)c->first->table.count);
  return ss_py_is_list(c->first) ? ss_py_integer(c->py, (double)c->first->count) : unknown(c);
}

/* The largest or the smallest of arguments, or of a list. */
static ss_py_value *extreme(const call *c, const char *sign)
{
  const ss_py_value *all = c->arguments->count == 1 ? c->first : c->arguments;
  ss_py_value *best = all->count > 0 ? all->item[0] : NULL;
  for (int64_t i = 0; i < all->count; ++i) {
    const ss_py_truth better = ss_py_compare(sign, all->item[i], best);
    if (better == SS_PY_OPEN) return unknown(c);
    if (better == SS_PY_YES) best = all->item[i];
  }
  return best != NULL ? best : unknown(c);
}

static ss_py_value *largest(const call *c)
{
  return extreme(c, ">");
}

static ss_py_value *smallest(const call *c)
{
  return extreme(c, "<");
}

/* A number, or a text that is one. */
static ss_py_value *number_of(const call *c, ss_py_kind kind)
{
  double number = c->first->number;
  char *end = NULL;
  if (c->first->kind == SS_PY_IS_TEXT) number = strtod(c->first->text, &end);
  if (end != NULL ? *end != '\0' || end == c->first->text : !ss_py_is_number(c->first)) return unknown(c);
  ss_py_value *value = ss_py_new(c->py, kind);
  value->number = kind == SS_PY_IS_INTEGER ? trunc(number) : number;
  return value;
}

static ss_py_value *whole(const call *c)
{
  return number_of(c, SS_PY_IS_INTEGER);
}

static ss_py_value *real(const call *c)
{
  return number_of(c, SS_PY_IS_FLOAT);
}

static ss_py_value *text(const call *c)
{
  const char *shown = ss_py_shown(c->py, c->first, false);
  return shown != NULL ? ss_py_text(c->py, shown) : unknown(c);
}

static ss_py_value *boolean(const call *c)
{
  return give_bool(c, ss_py_truth_of(c->first));
}

static ss_py_value *absolute(const call *c)
{
  if (!ss_py_is_number(c->first)) return unknown(c);
  ss_py_value *value = ss_py_new(c->py, c->first->kind);
  value->number = fabs(c->first->number);
  return value;
}

static ss_py_value *range(const call *c)
{
  const ss_py_value *step = c->arguments->count > 2 ? c->arguments->item[2] : NULL;
  const ss_py_value *to = c->second != NULL ? c->second : c->first;
  if (!ss_py_is_number(c->first) || !ss_py_is_number(to) || (step != NULL && !ss_py_is_number(step))) return unknown(c);
  const double by = step != NULL ? step->number : 1.0, from = c->second != NULL ? c->first->number : 0.0;
  ss_py_value *list = ss_py_new(c->py, SS_PY_IS_LIST);
  if (by == 0.0) return unknown(c);
  const double count = ceil((to->number - from) / by);
  for (int64_t i = 0; (double)i < count; ++i) {
    if (!ss_py_step(c->py, c->at)) return NULL;
    ss_py_append(c->py->memory, list, ss_py_integer(c->py, from + (double)i * by));
  }
  return list;
}

/* The members of a list, or the keys of a dict, as another kind of list. */
static ss_py_value *listed(const call *c, ss_py_kind kind)
{
  const ss_py_value *from = c->first;
  ss_py_value *list = ss_py_new(c->py, kind);
  if (!ss_py_is_list(from) && from->kind != SS_PY_IS_DICT) return unknown(c);
  for (int64_t i = 0; i < from->count; ++i)
    if (kind != SS_PY_IS_SET || ss_py_compare("in", from->item[i], list) != SS_PY_YES)
      ss_py_append(c->py->memory, list, from->item[i]);
  for (int64_t i = 0; i < from->table.count && from->kind == SS_PY_IS_DICT; ++i)
    ss_py_append(c->py->memory, list, (ss_py_value *)from->table.entry[i].key);
  c->py->steps += list->count;
  return list;
}

static ss_py_value *list_of(const call *c)
{
  return listed(c, SS_PY_IS_LIST);
}

static ss_py_value *tuple_of(const call *c)
{
  return listed(c, SS_PY_IS_TUPLE);
}

static ss_py_value *set_of(const call *c)
{
  return listed(c, SS_PY_IS_SET);
}

static ss_py_value *divmod_of(const call *c)
{
  if (c->second == NULL) return unknown(c);
  ss_py_value *pair = ss_py_new(c->py, SS_PY_IS_TUPLE);
  ss_py_append(c->py->memory, pair, ss_py_binary(c->py, c->at, "//", c->first, c->second));
  ss_py_append(c->py->memory, pair, ss_py_binary(c->py, c->at, "%", c->first, c->second));
  return pair;
}

/* any and all of a list. */
static ss_py_value *quantified(const call *c, ss_py_truth decides)
{
  ss_py_truth found = ss_py_not(decides);
  if (!ss_py_is_list(c->first)) return unknown(c);
  for (int64_t i = 0; i < c->first->count; ++i) {
    const ss_py_truth one = ss_py_truth_of(c->first->item[i]);
    if (one == decides) return give_bool(c, decides);
    if (one == SS_PY_OPEN) found = SS_PY_OPEN;
  }
  return give_bool(c, found);
}

static ss_py_value *any_of(const call *c)
{
  return quantified(c, SS_PY_YES);
}

static ss_py_value *all_of(const call *c)
{
  return quantified(c, SS_PY_NO);
}

/* The fields of an object as a dict. */
static ss_py_value *pairs_of(const call *c)
{
  const bool is_known = c->first->kind == SS_PY_IS_DICT || (c->first->kind == SS_PY_IS_OBJECT && c->first->is_whole);
  ss_py_value *dict = ss_py_new(c->py, SS_PY_IS_DICT);
  if (!is_known) return unknown(c);
  ss_py_table_copy(c->py->memory, &dict->table, &c->first->table);
  return dict;
}

static ss_py_value *names_of(const call *c)
{
  return c->first->kind == SS_PY_IS_MODULE ? ss_py_module_names(c->py, c->first->module) : unknown(c);
}

static ss_py_value *sorted(const call *c)
{
  ss_py_value *list = listed(c, SS_PY_IS_LIST);
  if (list->kind != SS_PY_IS_LIST || c->arguments->table.count > 0) return unknown(c);
  for (int64_t i = 1; i < list->count; ++i)
    for (int64_t k = i; k > 0; --k) {
      ss_py_value *below = list->item[k - 1], *above = list->item[k];
      const ss_py_truth turns = ss_py_compare("<", above, below);
      if (!ss_py_step(c->py, c->at)) return NULL;
      if (turns == SS_PY_OPEN) return unknown(c);
      if (turns == SS_PY_NO) break;
      list->item[k - 1] = above;
      list->item[k] = below;
    }
  return list;
}

static ss_py_value *nothing(const call *c)
{
  return ss_py_none(c->py);
}

static const struct {
  const char *name;
  ss_py_value *(*of)(const call *c);
} functions[] = {
    {"getattr", get},   {"hasattr", has},   {"setattr", set},   {"isinstance", instance}, {"len", length},
    {"max", largest},   {"min", smallest},  {"int", whole},     {"float", real},          {"str", text},
    {"bool", boolean},  {"abs", absolute},  {"range", range},   {"list", list_of},        {"tuple", tuple_of},
    {"set", set_of},    {"sorted", sorted}, {"dict", pairs_of}, {"divmod", divmod_of},    {"any", any_of},
    {"vars", pairs_of}, {"dir", names_of},  {"all", all_of},    {"print", nothing},       {"type", unknown},
    {"zip", unknown},   {"round", unknown}, {"sum", unknown},   {"enumerate", unknown},   {"super", unknown}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static int function_of(const char *name)
{
  int i = 0;
  while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0) ++i;
  return i;
}

bool ss_py_is_builtin(const char *name)
{
  return function_of(name) < FUNCTIONS;
}

ss_py_value *ss_py_builtin(ss_py *py, const ss_py_node *at, const char *name, ss_py_value *arguments)
{
  const int64_t count = arguments->count;
  const call c = {py, at, arguments, count > 0 ? arguments->item[0] : NULL, count > 1 ? arguments->item[1] : NULL};
  const int i = function_of(name);
  if (i == FUNCTIONS || count == 0 || arguments->is_call) return ss_py_unknown(py, at);
  return functions[i].of(&c); /* cppcheck-suppress returnDanglingLifetime -- values are not of the stack */
}
