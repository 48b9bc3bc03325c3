#include "sim/import/python/recipe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/python/fields.h"
#include "sim/import/python/flatten.h"
#include "sim/import/python/launch.h"
#include "sim/import/python/modules.h"
#include "sim/import/python/names.h"
#include "sim/import/python/parse_program.h"
#include "sim/import/python/run.h"

/* Whether a statement is a recipe: all parameters have a value where nobody says. */
static bool is_recipe(const ss_py_node *statement)
{
  const bool is_named = statement->kind == SS_PY_DEF && statement->text[0] != '_' &&
                        (ss_py_ends_with(statement->text, "config") || strstr(statement->text, "_config_") != NULL);
  if (!is_named) return false;
  for (const ss_py_node *parameter = statement->first; parameter != NULL; parameter = parameter->next)
    if (parameter->number == 0.0 && parameter->b == NULL) return false;
  return true;
}

static const ss_py_node *next_recipe(const ss_py_node *statement)
{
  while (statement != NULL && !is_recipe(statement)) statement = statement->next;
  return statement;
}

bool ss_py_has_recipes(const ss_source *source)
{
  ss_scratch *memory = ss_scratch_create();
  ss_py_node *program;
  ss_error why = {0};
  const bool has =
      memory != NULL && ss_py_parse(source, memory, &program, &why) == SS_OK && next_recipe(program) != NULL;
  ss_scratch_destroy(memory);
  return has;
}

/* What a recipe is asked for by: its name, and arguments behind it in brackets. */
typedef struct request {
  const char *name; /* NULL: the only one */
  ss_py_value *arguments;
} request;

/* Refuses a name that is none, or none where there are several; lists those that are there. */
static ss_status refuse_name(const ss_py *py, const char *name, ss_error *error)
{
  char names[SS_MESSAGE_SIZE - 256] = "";
  int more = 0;
  for (const ss_py_node *one = next_recipe(py->own->program); one != NULL; one = next_recipe(one->next)) {
    const size_t used = strlen(names);
    if (more > 0 || used + strlen(one->text) + 3 > sizeof names)
      ++more;
    else
      (void)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", one->text);
  }
  char rest[32] = "";
  if (more > 0) (void)snprintf(rest, sizeof rest, " and %d more", more);
  if (name == NULL && names[0] != '\0')
    return ss_error_set(error, SS_ERROR_INPUT, py->own->path, 0,
                        "has several recipes; allowed: --recipe with one of %s%s", names, rest);
  return ss_error_set(error, SS_ERROR_INPUT, py->own->path, 0, "has no recipe %.100s; allowed: %s%s",
                      name != NULL ? name : "(a function without parameters whose name ends with config)",
                      names[0] != '\0' ? names : "a file with one", rest);
}

/* The function that is the recipe. NULL: there is none of the name, or there are several; or the evaluation ended. */
static ss_py_value *function_of(ss_py *py, const char *name)
{
  const ss_py_node *first = next_recipe(py->own->program);
  const bool is_only = first != NULL && next_recipe(first->next) == NULL;
  if (name == NULL && !is_only) return NULL;
  ss_py_value *value = ss_py_global(py, py->own, name != NULL ? name : first->text);
  return value != NULL && value->kind == SS_PY_IS_FUNCTION ? value : NULL;
}

/* NAME_256gpu_gb200_NAME: the GPUs, and of which kind they are. */
static void read_name(ss_py_recipe *recipe, ss_py *py)
{
  static const char word[] = "gpu_";
  const char *at = strstr(recipe->name, word), *digits = at;
  while (digits != NULL && digits > recipe->name && isdigit((unsigned char)digits[-1])) --digits;
  if (at == NULL || digits == at || at - digits > 7) return;
  recipe->gpus = strtoll(digits, NULL, 10);
  const char *kind = at + strlen(word);
  const size_t length = strcspn(kind, "_");
  char *copy = ss_scratch_take(recipe->memory, length + 1);
  memcpy(copy, kind, length);
  copy[length] = '\0';
  py->gpu = copy;
}

/* Reads NAME, or NAME(ARGUMENT, NAME=ARGUMENT) as Python has it. */
static ss_status read_request(ss_py *py, const char *text, request *asked)
{
  const ss_source source = {.path = py->own->path, .text = (char *)text, .size = text != NULL ? strlen(text) : 0};
  ss_py_node *program = NULL;
  ss_error why = {0};
  *asked = (request){.name = text, .arguments = ss_py_new(py, SS_PY_IS_LIST)};
  if (text == NULL || strchr(text, '(') == NULL) return SS_OK;
  const ss_status status = ss_py_parse(&source, py->memory, &program, &why);
  const bool is_one = status == SS_OK && program != NULL && program->kind == SS_PY_EVALUATE && program->next == NULL;
  const ss_py_node *call = is_one && program->a->kind == SS_PY_CALL ? program->a : NULL;
  bool is_known = call != NULL && call->a->kind == SS_PY_READ;
  for (const ss_py_node *one = is_known ? call->first : NULL; one != NULL && is_known; one = one->next) {
    ss_py_value *value = one->kind != SS_PY_STAR ? py->evaluate(py, py->own, one->a) : NULL;
    is_known = value != NULL && ss_py_open_part(value) == NULL && value->kind <= SS_PY_IS_DICT;
    if (is_known && one->text != NULL)
      ss_py_give(py, &asked->arguments->table, ss_py_text_value(py->memory, one->text), value, ss_py_place_at(py, one));
    else if (is_known)
      ss_py_append(py->memory, asked->arguments, value);
  }
  if (py->status != SS_OK) return py->status;
  if (!is_known)
    return ss_error_set(py->error, SS_ERROR_INPUT, py->own->path, 0,
                        "--recipe \"%.200s\": is not understood; allowed: NAME, or NAME(ARGUMENT=VALUE, ...) with "
                        "values that are known",
                        text);
  asked->name = call->a->text;
  return SS_OK;
}

/* The program itself has ended what it does. */
static ss_status refuse_raised(ss_py *py)
{
  const bool is_said = py->raised_text[0] != '\0';
  return ss_error_set(
      py->error, SS_ERROR_INPUT, py->raised_at.path, py->raised_at.line,
      "the recipe ends here with an error of its own%s%.800s; allowed: one that returns a configuration",
      is_said ? ": " : "", py->raised_text);
}

/* What the recipe makes. NULL where the evaluation has ended, which is said. */
static ss_py_value *make(ss_py_recipe *recipe, ss_py *py, ss_py_value *function, ss_py_value *arguments)
{
  ss_py_value *made = ss_py_is_launched(py) ? ss_py_launch(py, function, arguments, &recipe->gpus)
                                            : ss_py_run(py, function, arguments, function->node);
  if (py->status == SS_OK && py->raised) py->status = refuse_raised(py);
  if (py->status != SS_OK) return NULL;
  if (made->kind != SS_PY_IS_OBJECT)
    return ss_py_stop(py, function->node, "%.100s: returns no configuration that is known; allowed: a ConfigContainer",
                      function->node->text);
  return made;
}

/* Parts whose classes in the files of the program say what nobody else does. */
static void fill_parts(ss_py *py, const ss_py_value *made)
{
  static const char *const parts[] = {"model", "peft"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && py->status == SS_OK; ++i) {
    const ss_py_entry *part = ss_py_table_named(&made->table, parts[i]);
    if (part != NULL && part->value->kind == SS_PY_IS_OBJECT) ss_py_fill_fields(py, part->value);
  }
}

static ss_status evaluate(ss_py_recipe *recipe, ss_py *py, const char *text, ss_settings *settings)
{
  request asked;
  ss_status status = read_request(py, text, &asked);
  ss_py_value *function = status == SS_OK ? function_of(py, asked.name) : NULL;
  if (py->status != SS_OK || status != SS_OK) return py->status != SS_OK ? py->status : status;
  if (function == NULL) return refuse_name(py, asked.name, py->error);
  recipe->name = function->node->text;
  recipe->line = function->module == py->own ? function->node->line : 1;
  read_name(recipe, py);
  const ss_py_value *made = make(recipe, py, function, asked.arguments);
  if (made == NULL) return py->status;
  if (made->is_call && !made->is_model) ss_py_say(py, SS_PY_NOTE_NAMED, made->text);
  fill_parts(py, made);
  if (py->status != SS_OK) return py->status;
  status = ss_py_flatten(py, made, settings, py->error);
  recipe->model = py->named_model;
  recipe->notes = py->notes;
  return status;
}

ss_status ss_py_recipe_read(ss_py_recipe *recipe, const ss_source *source, const char *name, const ss_py_asks *asks,
                            ss_settings *settings, ss_error *error)
{
  ss_py py;
  *recipe = (ss_py_recipe){.memory = ss_scratch_create()};
  if (recipe->memory == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, source->path, 0, "out of memory for a program");
  ss_py_begin(&py, recipe->memory, asks, error);
  ss_status status = ss_py_modules_begin(&py, source, error);
  if (status == SS_OK) status = evaluate(recipe, &py, name, settings);
  recipe->files = py.modules;
  return status;
}

void ss_py_recipe_free(ss_py_recipe *recipe)
{
  ss_py_modules_free(recipe->files);
  ss_scratch_destroy(recipe->memory);
  *recipe = (ss_py_recipe){.memory = NULL};
}
