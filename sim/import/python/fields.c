#include "sim/import/python/fields.h"

#include <string.h>

#include "model/base/dotted.h"
#include "sim/import/python/names.h"

/* Of classes of classes. */
enum { MOST_CLASSES = 16 };

static bool is_named(const ss_py_node *target, const char *name)
{
  return target != NULL && target->kind == SS_PY_READ && strcmp(target->text, name) == 0;
}

static bool is_member(const ss_py_node *statement, const char *name)
{
  if (statement->kind == SS_PY_DEF) return strcmp(statement->text, name) == 0;
  if (statement->kind == SS_PY_DECLARE) return is_named(statement->a, name);
  return statement->kind == SS_PY_ASSIGN && is_named(statement->first, name);
}

static ss_py_member_of member_in(ss_py *py, ss_py_value *class_value, const char *name, int depth)
{
  ss_py_member_of found = {NULL, class_value->module, false};
  for (const ss_py_node *statement = class_value->node->body; statement != NULL; statement = statement->next)
    if (is_member(statement, name)) found.statement = statement;
  if (found.statement != NULL) return found;
  found.is_open = depth == MOST_CLASSES;
  for (const ss_py_node *base = class_value->node->first; base != NULL && depth < MOST_CLASSES; base = base->next) {
    ss_py_value *of = base->text == NULL ? py->evaluate(py, class_value->module, base->a) : NULL;
    if (of == NULL && base->text != NULL) continue; /* metaclass=... */
    if (of == NULL || of->kind != SS_PY_IS_CLASS) {
      found.is_open = true;
      continue;
    }
    const ss_py_member_of own = member_in(py, of, name, depth + 1);
    if (own.statement != NULL) return own;
    found.is_open |= own.is_open;
  }
  return found;
}

ss_py_member_of ss_py_class_member(ss_py *py, ss_py_value *class_value, const char *name)
{
  return member_in(py, class_value, name, 0);
}

static ss_py_truth is_of(ss_py *py, ss_py_value *value, const char *name, int depth)
{
  ss_py_truth found = SS_PY_NO;
  if (strcmp(ss_last_name(value->text), name) == 0) return SS_PY_YES;
  if (value->kind != SS_PY_IS_CLASS || depth == MOST_CLASSES) return SS_PY_OPEN;
  for (const ss_py_node *base = value->node->first; base != NULL && found != SS_PY_YES; base = base->next) {
    ss_py_value *of = base->text == NULL ? py->evaluate(py, value->module, base->a) : NULL;
    const ss_py_truth one = of != NULL ? is_of(py, of, name, depth + 1) : SS_PY_NO;
    if (one != SS_PY_NO) found = one;
  }
  return found;
}

ss_py_truth ss_py_is_of_class(ss_py *py, ss_py_value *class_value, const char *name)
{
  return is_of(py, class_value, name, 0);
}

/* What a class has for a field: a value, or field(default=VALUE) and field(default_factory=CLASS). NULL: nothing. */
static ss_py_value *default_of(ss_py *py, const ss_py_member_of *member)
{
  const ss_py_node *statement = member->statement;
  const ss_py_node *value = statement->kind == SS_PY_DECLARE ? statement->b : statement->a;
  if (statement->kind == SS_PY_DEF || value == NULL) return NULL;
  const bool is_field = value->kind == SS_PY_CALL && is_named(value->a, "field");
  if (!is_field) return py->evaluate(py, member->module, value);
  const ss_py_node *plain = ss_py_node_argument(value, "default");
  const ss_py_node *factory = ss_py_node_argument(value, "default_factory");
  if (plain != NULL) return py->evaluate(py, member->module, plain);
  if (factory == NULL) return NULL;
  ss_py_node *call = ss_scratch_take(py->memory, sizeof *call);
  *call = (ss_py_node){.kind = SS_PY_CALL,
                       .line = value->line,
                       .a = (ss_py_node *)factory,
                       .from = value->from,
                       .length = value->length};
  return py->evaluate(py, member->module, call);
}

const ss_py_value *ss_py_mapping(ss_py *py, ss_py_value *maker)
{
  const ss_py_member_of member =
      maker != NULL ? ss_py_class_member(py, maker, "CONFIG_MAPPING") : (ss_py_member_of){NULL, NULL, true};
  const ss_py_value *pairs = member.statement != NULL ? default_of(py, &member) : NULL;
  if (pairs == NULL || !ss_py_is_list(pairs)) return NULL;
  for (int64_t i = 0; i < pairs->count; ++i) {
    const ss_py_value *pair = pairs->item[i];
    const bool is_pair = ss_py_is_list(pair) && pair->count == 2 && pair->item[0]->kind == SS_PY_IS_TEXT &&
                         pair->item[1]->kind == SS_PY_IS_TEXT;
    if (!is_pair) return NULL;
  }
  return pairs;
}

/* Whether config.json may give a field of a model, which it has not. */
static bool is_mapped(ss_py *py, const ss_py_value *model, const char *name)
{
  for (int64_t i = 0; model->open != NULL && i < model->open->count; ++i)
    if (strcmp(model->open->item[i]->text, name) == 0) return true;
  if (model->open != NULL) return false;
  const ss_py_value *pairs = ss_py_mapping(py, model->maker);
  if (pairs == NULL) return true;
  for (int64_t i = 0; i < pairs->count; ++i)
    if (strcmp(pairs->item[i]->item[1]->text, name) == 0) return true;
  return strcmp(name, "position_embedding_type") == 0;
}

static ss_py_value *method(ss_py *py, ss_py_value *self, const char *name)
{
  ss_py_value *value = ss_py_new(py, SS_PY_IS_METHOD);
  value->self = self;
  value->text = name;
  return value;
}

bool ss_py_is_decorated(const ss_py_node *function, const char *name)
{
  const ss_py_node *one = function->decorator;
  while (one != NULL && !is_named(one->a, name)) one = one->next;
  return one != NULL;
}

ss_py_value *ss_py_member_function(ss_py *py, const ss_py_member_of *member)
{
  const bool is_function = member->statement != NULL && member->statement->kind == SS_PY_DEF;
  return is_function ? ss_py_defined(py, member->module, member->statement) : NULL;
}

/* A function of a class as a field of its object: what a property comes to, or what may be called. */
static ss_py_value *function_field(ss_py *py, const ss_py_node *at, ss_py_value *object, const ss_py_member_of *member)
{
  if (!ss_py_is_decorated(member->statement, "property") || object->is_model)
    return method(py, object, member->statement->text);
  ss_py_value *arguments = ss_py_new(py, SS_PY_IS_LIST);
  ss_py_append(py->memory, arguments, object);
  return py->run(py, ss_py_member_function(py, member), arguments, at);
}

/* A field that an object was not given. */
static ss_py_value *field_of_class(ss_py *py, const ss_py_node *at, ss_py_value *object, const char *name)
{
  if (object->self == NULL || (object->is_model && is_mapped(py, object, name))) return ss_py_unknown(py, at);
  const ss_py_member_of member = ss_py_class_member(py, object->self, name);
  if (member.statement != NULL && member.statement->kind == SS_PY_DEF) return function_field(py, at, object, &member);
  ss_py_value *value = member.statement != NULL ? default_of(py, &member) : NULL;
  if (value == NULL && (member.statement != NULL || member.is_open)) return ss_py_unknown(py, at);
  if (value != NULL && value->kind >= SS_PY_IS_LIST && value->kind <= SS_PY_IS_OBJECT)
    *ss_py_table_add(py->memory, &object->table, ss_py_text_value(py->memory, name), value) =
        (ss_py_entry){ss_py_text_value(py->memory, name), value, ss_py_place_at(py, at)}; /* it may be changed */
  return value;
}

/* What a module has by a name, or a module in its folder. */
static ss_py_value *field_of_module(ss_py *py, ss_py_value *module, const char *name)
{
  ss_py_value *value = ss_py_global(py, module->module, name);
  return value != NULL || py->status != SS_OK ? value : ss_py_dotted(py, ss_py_join(py, module->text, ".", name));
}

ss_py_value *ss_py_field(ss_py *py, const ss_py_node *at, ss_py_value *value, const char *name)
{
  const ss_py_entry *own = value->kind == SS_PY_IS_OBJECT ? ss_py_table_named(&value->table, name) : NULL;
  if (own != NULL) return own->value;
  switch (value->kind) {
  case SS_PY_IS_UNKNOWN: return ss_py_unknown(py, at);
  case SS_PY_IS_OBJECT: return field_of_class(py, at, value, name);
  case SS_PY_IS_MODULE: return field_of_module(py, value, name);
  case SS_PY_IS_NAME: {
    ss_py_value *inner = ss_py_new(py, SS_PY_IS_NAME);
    inner->text = ss_py_join(py, value->text, ".", name);
    return inner;
  }
  case SS_PY_IS_CLASS: {
    const ss_py_member_of member = ss_py_class_member(py, value, name);
    const bool is_method = member.statement == NULL || member.statement->kind == SS_PY_DEF;
    ss_py_value *constant = is_method ? NULL : default_of(py, &member);
    return constant != NULL || py->status != SS_OK ? constant : method(py, value, name);
  }
  default: return method(py, value, name);
  }
}

ss_py_truth ss_py_has_field(ss_py *py, ss_py_value *value, const char *name)
{
  if (value->kind == SS_PY_IS_MODULE) {
    const ss_py_value *own = field_of_module(py, value, name);
    const bool is_outside = own != NULL && own->kind == SS_PY_IS_NAME && ss_py_global(py, value->module, name) == NULL;
    return own == NULL ? SS_PY_OPEN : is_outside ? SS_PY_NO : SS_PY_YES;
  }
  if (value->kind != SS_PY_IS_OBJECT) return SS_PY_OPEN;
  if (ss_py_table_named(&value->table, name) != NULL) return SS_PY_YES;
  if (value->is_whole) return SS_PY_NO;
  const ss_py_member_of member =
      value->self != NULL ? ss_py_class_member(py, value->self, name) : (ss_py_member_of){NULL, NULL, true};
  if (member.statement != NULL) return SS_PY_YES;
  const bool is_model =
      value->is_model || (value->self != NULL && ss_py_is_of_class(py, value->self, "TransformerConfig") == SS_PY_YES);
  if (is_model && py->asks->is_field(py->asks->of, name)) return SS_PY_YES;
  return member.is_open ? SS_PY_OPEN : SS_PY_NO;
}

ss_py_value *ss_py_field_to_set(ss_py *py, const ss_py_node *at, ss_py_value *value, const char *name)
{
  const ss_py_entry *own = value->kind == SS_PY_IS_OBJECT ? ss_py_table_named(&value->table, name) : NULL;
  ss_py_value *field = own != NULL ? own->value : ss_py_field(py, at, value, name);
  if (py->status != SS_OK) return NULL;
  if (field != NULL && field->kind == SS_PY_IS_OBJECT) return field;
  if (field != NULL && (field->kind == SS_PY_IS_MODULE || field->kind == SS_PY_IS_CLASS)) return field;
  const bool is_open = field == NULL || field->kind == SS_PY_IS_UNKNOWN || field->kind == SS_PY_IS_METHOD;
  if (value->kind != SS_PY_IS_OBJECT || !is_open)
    return ss_py_stop(py, at, "%s: has no fields that could be set; allowed: fields of a configuration",
                      ss_py_excerpt(py, at));
  if (own != NULL && field != NULL) ss_py_say_at(py, SS_PY_NOTE_NAMED, field->text, at);
  ss_py_value *fresh = ss_py_new(py, SS_PY_IS_OBJECT);
  ss_py_put_named(py, &value->table, name, fresh, ss_py_place_at(py, at));
  return fresh;
}

/* Gives an object what a class declares, unless it has it, or config.json may. */
static void fill_from(ss_py *py, ss_py_value *object, ss_py_value *class_value, int depth)
{
  for (const ss_py_node *one = class_value->node->body; one != NULL; one = one->next) {
    if (one->kind != SS_PY_DECLARE || one->a->kind != SS_PY_READ || py->status != SS_OK) continue;
    const char *name = one->a->text;
    const ss_py_member_of member = {one, class_value->module, false};
    if (ss_py_table_named(&object->table, name) != NULL || (object->is_model && is_mapped(py, object, name))) continue;
    ss_py_value *value = default_of(py, &member);
    if (value != NULL && ss_py_open_part(value) == NULL)
      ss_py_put_named(py, &object->table, name, value, object->place);
  }
  for (const ss_py_node *base = class_value->node->first; base != NULL && depth < MOST_CLASSES; base = base->next) {
    ss_py_value *of = base->text == NULL ? py->evaluate(py, class_value->module, base->a) : NULL;
    if (of != NULL && of->kind == SS_PY_IS_CLASS) fill_from(py, object, of, depth + 1);
  }
}

void ss_py_fill_fields(ss_py *py, ss_py_value *object)
{
  if (object->self != NULL) fill_from(py, object, object->self, 0);
}
