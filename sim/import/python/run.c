#include "sim/import/python/run.h"

#include <string.h>

#include "sim/import/python/evaluate.h"
#include "sim/import/python/execute.h"

/* Of functions that call functions. */
enum { MOST_DEPTH = 300 };

/* Of a parameter: those that take what is left. */
enum { ALL_OTHERS = 1, ALL_NAMED = 2, BY_NAME_ONLY = 3 };

/* Evaluates an expression of a module as it is outside of functions. */
static ss_py_value *evaluate_in(ss_py *py, ss_py_module *module, const ss_py_node *at)
{
  ss_py_frame frame = {.module = module, .caller = py->frame, .line = at->line, .born = ++py->born};
  py->frame = &frame;
  ss_py_value *value = ss_py_evaluate(py, at);
  py->frame = frame.caller;
  return value;
}

void ss_py_begin(ss_py *py, ss_scratch *memory, const ss_py_asks *asks, ss_error *error)
{
  *py = (ss_py){
      .memory = memory, .asks = asks, .error = error, .raised_text = "", .run = ss_py_run, .evaluate = evaluate_in};
}

/* Whether a function has a parameter of a name. */
static bool has_parameter(const ss_py_node *function, const ss_py_value *name)
{
  const ss_py_node *one = function->first;
  while (one != NULL && (one->number != 0.0 || strcmp(one->text, name->text) != 0)) one = one->next;
  return one != NULL;
}

/* What is left of arguments for a parameter that takes all others. */
static ss_py_value *others(ss_py *py, const ss_py_node *function, const ss_py_value *arguments, int64_t from,
                           bool by_name)
{
  ss_py_value *rest = ss_py_new(py, by_name ? SS_PY_IS_DICT : SS_PY_IS_TUPLE);
  for (int64_t i = 0; by_name && i < arguments->table.count; ++i) {
    const ss_py_entry *named = &arguments->table.entry[i];
    if (!has_parameter(function, named->key))
      *ss_py_table_add(py->memory, &rest->table, named->key, named->value) = *named;
  }
  for (int64_t i = from; !by_name && i < arguments->count; ++i) ss_py_append(py->memory, rest, arguments->item[i]);
  return rest;
}

/* The value of a parameter: by name, by place, or what the function has where nobody says. */
static ss_py_value *given(ss_py *py, const ss_py_value *function, const ss_py_node *parameter,
                          const ss_py_value *arguments, int64_t place)
{
  const ss_py_entry *named = ss_py_table_named(&arguments->table, parameter->text);
  if (named != NULL) return named->value;
  if (place >= 0 && place < arguments->count) return arguments->item[place];
  if (parameter->b == NULL || arguments->is_call) return ss_py_unknown(py, parameter);
  return py->evaluate(py, function->module, parameter->b);
}

/* Whether all arguments have a parameter; those without end the program, as Python has it. */
static bool check_arguments(ss_py *py, const ss_py_value *function, const ss_py_value *arguments, const ss_py_node *at)
{
  bool takes_named = false, takes_more = false;
  int64_t places = 0;
  for (const ss_py_node *one = function->node->first; one != NULL; one = one->next) {
    takes_named |= one->number == ALL_NAMED;
    takes_more |= one->number == ALL_OTHERS;
    places += one->number == 0.0;
  }
  for (int64_t i = 0; i < arguments->table.count && !takes_named; ++i)
    if (!has_parameter(function->node, arguments->table.entry[i].key))
      return ss_py_stop(py, at, "%s: has no parameter %.64s; allowed: those that it has", function->text,
                        arguments->table.entry[i].key->text) != NULL;
  if (arguments->count > places && !takes_more)
    return ss_py_stop(py, at, "%s: has fewer parameters than it is given; allowed: those that it has",
                      function->text) != NULL;
  return true;
}

static bool bind(ss_py *py, ss_py_value *function, ss_py_value *arguments, ss_py_frame *frame)
{
  int64_t place = 0;
  bool by_name = false;
  for (const ss_py_node *parameter = function->node->first; parameter != NULL; parameter = parameter->next) {
    const int number = (int)parameter->number;
    by_name |= number == BY_NAME_ONLY || number == ALL_OTHERS;
    if (number == BY_NAME_ONLY || number < 0) continue;
    ss_py_value *value = number == 0 ? given(py, function, parameter, arguments, by_name ? -1 : place++)
                                     : others(py, function->node, arguments, place, number == ALL_NAMED);
    if (value == NULL) return false;
    (void)ss_py_table_add(py->memory, &frame->variables, ss_py_text_value(py->memory, parameter->text), value);
  }
  return true;
}

ss_py_value *ss_py_run(ss_py *py, ss_py_value *function, ss_py_value *arguments, const ss_py_node *at)
{
  ss_py_frame frame = {
      .module = function->module, .caller = py->frame, .line = function->node->line, .born = ++py->born};
  if (py->depth >= MOST_DEPTH) return ss_py_stop(py, at, "%.64s: is called too deep, or calls itself", function->text);
  if (!check_arguments(py, function, arguments, at) || !bind(py, function, arguments, &frame)) return NULL;
  ++py->depth;
  frame.depth = py->depth + 1;
  py->frame = &frame;
  const ss_py_flow flow = ss_py_execute(py, function->node->body);
  py->frame = frame.caller;
  --py->depth;
  if (flow == SS_PY_ENDS) return NULL;
  return frame.returned != NULL ? frame.returned : ss_py_none(py);
}
