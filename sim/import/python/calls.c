#include "sim/import/python/calls.h"

#include <string.h>

#include "model/base/dotted.h"
#include "sim/import/python/builtins.h"
#include "sim/import/python/fields.h"
#include "sim/import/python/library.h"
#include "sim/import/python/methods.h"
#include "sim/import/python/models.h"
#include "sim/import/python/modules.h"
#include "sim/import/python/names.h"
#include "sim/import/python/options.h"

/* Of Python's own modules, which know no configurations. */
static bool is_of_python(const char *dotted)
{
  static const char *const modules[] = {"os.", "logging.", "warnings.", "math.", "pathlib.", "json.", "sys."};
  for (size_t i = 0; i < sizeof modules / sizeof modules[0]; ++i)
    if (strncmp(dotted, modules[i], strlen(modules[i])) == 0) return true;
  return false;
}

static bool is_object(const ss_py_value *value)
{
  return value->kind == SS_PY_IS_OBJECT && !is_of_python(value->text);
}

/* Whether a call may change what the recipe has put together. */
static bool may_change(const ss_py_value *self, const ss_py_value *arguments)
{
  bool any = self != NULL && is_object(self);
  for (int64_t i = 0; i < arguments->count; ++i) any |= is_object(arguments->item[i]);
  for (int64_t i = 0; i < arguments->table.count; ++i) any |= is_object(arguments->table.entry[i].value);
  return any;
}

/* A call of what is not read: an object of that name with what it was given. Classes make objects without changing what
 * they are given. */
static ss_py_value *call_outside(ss_py *py, const ss_py_node *at, const char *name, const ss_py_value *self,
                                 ss_py_value *arguments)
{
  ss_py_value *object = ss_py_new(py, SS_PY_IS_OBJECT);
  object->text = name;
  object->is_call = !ss_py_is_class_name(name) || arguments->is_call;
  object->table = arguments->table;
  object->item = arguments->item;
  object->count = arguments->count;
  object->place = ss_py_place_at(py, at);
  if (!ss_py_is_class_name(name) && !is_of_python(name) && !py->is_quiet && may_change(self, arguments))
    ss_py_say_at(py, SS_PY_NOTE_NAMED, name, at);
  return object;
}

/* The fields that a class declares itself, in their order. */
static const ss_py_node *next_declared(const ss_py_node *statement)
{
  while (statement != NULL && statement->kind != SS_PY_DECLARE) statement = statement->next;
  return statement;
}

/* An object of a class of the program. Arguments without names are fields in the order of the class, where it is of no
 * other one. */
static ss_py_value *construct(ss_py *py, const ss_py_node *at, ss_py_value *class_value, ss_py_value *arguments)
{
  ss_py_value *object = ss_py_new(py, SS_PY_IS_OBJECT);
  const ss_py_node *field = next_declared(class_value->node->body);
  object->text = class_value->text;
  object->self = class_value;
  object->table = arguments->table;
  object->is_call = arguments->is_call;
  object->place = ss_py_place_at(py, at);
  for (int64_t i = 0; i < arguments->count && class_value->node->first == NULL && field != NULL; ++i) {
    if (field->a->kind == SS_PY_READ)
      ss_py_give(py, &object->table, ss_py_text_value(py->memory, field->a->text), arguments->item[i], object->place);
    field = next_declared(field->next);
  }
  if (arguments->count == 0 || class_value->node->first == NULL) return object;
  object->item = arguments->item;
  object->count = arguments->count;
  return object;
}

/* The name of a model of Hugging Face, which AutoBridge is given. */
static void name_model(ss_py *py, const ss_py_value *arguments)
{
  const ss_py_entry *named = ss_py_table_named(&arguments->table, "pretrained_model_name_or_path");
  const ss_py_value *first = arguments->count > 0 ? arguments->item[0] : named != NULL ? named->value : NULL;
  if (first != NULL && first->kind == SS_PY_IS_TEXT) py->named_model = first->text;
}

/* What is known of calls by their last names, whoever has them. NULL: it is none of them. */
static ss_py_value *call_known(ss_py *py, const ss_py_node *at, const char *name, ss_py_value *arguments)
{
  static const char *const from[] = {"from_hf_pretrained", "from_hf_config", "from_auto_config"};
  for (size_t i = 0; i < sizeof from / sizeof from[0]; ++i) {
    if (strcmp(ss_last_name(name), from[i]) != 0) continue;
    name_model(py, arguments);
    return call_outside(py, at, name, NULL, arguments);
  }
  if (strcmp(ss_last_name(name), "to_megatron_provider") == 0) return ss_py_model_made(py, at);
  if (strcmp(name, "typing.cast") == 0 && arguments->count == 2) return arguments->item[1];
  if (strcmp(name, "torch.cuda.get_device_properties") == 0) return ss_py_device(py);
  if (strcmp(name, "torch.cuda.get_device_capability") == 0) return ss_py_capability(py);
  return strcmp(name, "torch.cuda.is_available") == 0 && py->gpu != NULL ? ss_py_bool(py, SS_PY_YES, at) : NULL;
}

/* A function of the class of an object, with what it is `given`: the object, and arguments. NULL: the class has none of
 * that name. */
static ss_py_value *function_of(ss_py *py, const ss_py_value *method, const ss_py_value *arguments, ss_py_value *given)
{
  ss_py_value *self = method->self;
  if (self->kind != SS_PY_IS_OBJECT || self->self == NULL || self->is_model) return NULL;
  const ss_py_member_of member = ss_py_class_member(py, self->self, method->text);
  ss_py_value *function = ss_py_member_function(py, &member);
  if (function == NULL) return NULL;
  if (!ss_py_is_decorated(member.statement, "staticmethod"))
    ss_py_append(py->memory, given, ss_py_is_decorated(member.statement, "classmethod") ? self->self : self);
  for (int64_t i = 0; i < arguments->count; ++i) ss_py_append(py->memory, given, arguments->item[i]);
  given->table = arguments->table;
  given->is_call = arguments->is_call;
  return function;
}

static ss_py_value *call_method(ss_py *py, const ss_py_node *at, ss_py_value *method, ss_py_value *arguments)
{
  bool is_known;
  ss_py_value *self = method->self, *value = ss_py_method(py, at, method, arguments, &is_known);
  if (is_known) return value;
  ss_py_log(py, self, method->text, arguments);
  if (ss_py_is_option_parser(self)) return ss_py_option_method(py, at, self, method->text, arguments);
  if (py->super != NULL && self->is_model) return self; /* super().provider_bridge() */
  if (self->kind == SS_PY_IS_LIST || self->kind == SS_PY_IS_DICT || self->kind == SS_PY_IS_SET)
    return ss_py_stop(py, at, "%s: is not known to leave the list or dict as it is; allowed: append, extend, update",
                      ss_py_excerpt(py, at));
  value = call_known(py, at, method->text, arguments);
  if (value != NULL || py->status != SS_OK) return value;
  ss_py_value *given = ss_py_new(py, SS_PY_IS_LIST), *function = function_of(py, method, arguments, given);
  if (function != NULL || py->status != SS_OK) return function != NULL ? py->run(py, function, given, at) : NULL;
  if (self->kind != SS_PY_IS_OBJECT && self->kind != SS_PY_IS_CLASS) return ss_py_unknown(py, at);
  return call_outside(py, at, ss_py_join(py, self->text, ".", method->text), self, arguments);
}

/* A recipe for number formats by its name, which a decorator puts into a table. */
static ss_py_value *mixed_named(ss_py *py, const ss_py_node *at, const ss_py_value *function, ss_py_value *arguments)
{
  const ss_py_value *name = arguments->count > 0 ? arguments->item[0] : NULL;
  if (strcmp(function->node->text, "get_mixed_precision_config") != 0 || name == NULL) return NULL;
  if (name->kind == SS_PY_IS_OBJECT) return arguments->item[0];
  ss_py_value *recipe = name->kind == SS_PY_IS_TEXT ? ss_py_global(py, function->module, name->text) : NULL;
  if (recipe == NULL || recipe->kind != SS_PY_IS_FUNCTION) return NULL;
  return py->run(py, recipe, ss_py_new(py, SS_PY_IS_LIST), at);
}

/* What Hydra's overrides go through: the program is given none, and a configuration comes out as it was. */
static bool is_of_overrides(const ss_py *py, const ss_py_value *function)
{
  return py->options != NULL && ss_py_ends_with(function->module->name, ".omegaconf_utils");
}

static ss_py_value *call_function(ss_py *py, const ss_py_node *at, ss_py_value *function, ss_py_value *arguments)
{
  if (is_of_overrides(py, function)) return ss_py_unknown(py, at);
  ss_py_value *mixed = mixed_named(py, at, function, arguments);
  return mixed != NULL || py->status != SS_OK || py->raised ? mixed : py->run(py, function, arguments, at);
}

static ss_py_value *call_name(ss_py *py, const ss_py_node *at, const char *name, ss_py_value *arguments)
{
  if (strcmp(name, "super") == 0 && py->super != NULL) return py->super;
  bool is_known;
  if (ss_py_is_builtin(name)) return ss_py_builtin(py, at, name, arguments);
  ss_py_value *value = ss_py_library_call(py, at, name, arguments, &is_known);
  if (is_known) return value;
  value = call_known(py, at, name, arguments);
  if (value != NULL || py->status != SS_OK) return value;
  return call_outside(py, at, name, NULL, arguments);
}

/* Arguments behind those that functools.partial was given. */
static ss_py_value *with_earlier(ss_py *py, const ss_py_value *partial, const ss_py_value *arguments)
{
  ss_py_value *all = ss_py_new(py, SS_PY_IS_LIST);
  for (int64_t i = 1; i < partial->count; ++i) ss_py_append(py->memory, all, partial->item[i]);
  for (int64_t i = 0; i < arguments->count; ++i) ss_py_append(py->memory, all, arguments->item[i]);
  ss_py_table_copy(py->memory, &all->table, &partial->table);
  for (int64_t i = 0; i < arguments->table.count; ++i)
    ss_py_give(py, &all->table, arguments->table.entry[i].key, arguments->table.entry[i].value,
               arguments->table.entry[i].place);
  all->is_call = arguments->is_call || partial->is_call;
  return all;
}

/* pretrain(config=...), of a program that starts a recipe: what it trains is what was asked for. */
static bool takes_over(ss_py *py, const ss_py_value *called, const ss_py_value *arguments)
{
  const bool is_one = called->kind == SS_PY_IS_FUNCTION || called->kind == SS_PY_IS_NAME;
  const ss_py_entry *config = ss_py_table_named(&arguments->table, "config");
  if (py->options == NULL || !is_one || config == NULL || strcmp(ss_last_name(called->text), "pretrain") != 0)
    return false;
  py->started = config->value;
  return true;
}

ss_py_value *ss_py_call(ss_py *py, const ss_py_node *at, ss_py_value *called, ss_py_value *arguments)
{
  if (takes_over(py, called, arguments)) return ss_py_none(py);
  if (called->kind == SS_PY_IS_OBJECT && strcmp(called->text, "functools.partial") == 0 && called->count > 0)
    return ss_py_call(py, at, called->item[0], with_earlier(py, called, arguments));
  switch (called->kind) {
  case SS_PY_IS_FUNCTION: return call_function(py, at, called, arguments);
  case SS_PY_IS_CLASS: return construct(py, at, called, arguments);
  case SS_PY_IS_METHOD: return call_method(py, at, called, arguments);
  case SS_PY_IS_NAME: return call_name(py, at, called->text, arguments);
  default: break;
  }
  if (called->kind == SS_PY_IS_UNKNOWN && !py->is_quiet && may_change(NULL, arguments))
    ss_py_say_at(py, SS_PY_NOTE_NAMED, called->text, at);
  return ss_py_unknown(py, at);
}
