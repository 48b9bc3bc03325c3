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
  ss_py_frame frame = {.module = module, .caller = py->frame, .line = at->line};
  py->frame = &frame;
  ss_py_value *value = ss_py_evaluate(py, at);
  py->frame = frame.caller;
  return value;
}

void ss_py_begin(ss_py *py, ss_scratch *memory, const ss_py_asks *asks, ss_error *error)
{
  *py = (ss_py){.memory = memory, .asks = asks, .error = error, .run = ss_py_run, .evaluate = evaluate_in};
}

/* What is left of arguments for a parameter that takes all others. */
static ss_py_value *others(ss_py *py, const ss_py_value *arguments, int64_t from, bool by_name)
{
  ss_py_value *rest = ss_py_new(py, by_name ? SS_PY_IS_DICT : SS_PY_IS_TUPLE);
  if (by_name) rest->table = arguments->table;
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

static bool bind(ss_py *py, ss_py_value *function, ss_py_value *arguments, ss_py_frame *frame)
{
  int64_t place = 0;
  bool by_name = false;
  for (const ss_py_node *parameter = function->node->first; parameter != NULL; parameter = parameter->next) {
    const int number = (int)parameter->number;
    by_name |= number == BY_NAME_ONLY || number == ALL_OTHERS;
    if (number == BY_NAME_ONLY || number < 0) continue;
    ss_py_value *value = number == 0 ? given(py, function, parameter, arguments, by_name ? -1 : place++)
                                     : others(py, arguments, place, number == ALL_NAMED);
    if (value == NULL) return false;
    (void)ss_py_table_add(py->memory, &frame->variables, ss_py_text_value(py->memory, parameter->text), value);
  }
  return true;
}

ss_py_value *ss_py_run(ss_py *py, ss_py_value *function, ss_py_value *arguments, const ss_py_node *at)
{
  ss_py_frame frame = {.module = function->module, .caller = py->frame, .line = function->node->line};
  if (py->depth >= MOST_DEPTH) return ss_py_stop(py, at, "%.64s: is called too deep, or calls itself", function->text);
  if (!bind(py, function, arguments, &frame)) return NULL;
  ++py->depth;
  py->frame = &frame;
  const ss_py_flow flow = ss_py_execute(py, function->node->body);
  py->frame = frame.caller;
  --py->depth;
  if (flow == SS_PY_ENDS) return NULL;
  return frame.returned != NULL ? frame.returned : ss_py_none(py);
}
