#include "sim/import/python/launch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/import/python/fields.h"
#include "sim/import/python/modules.h"
#include "sim/import/python/names.h"
#include "sim/import/python/options.h"
#include "sim/import/python/parser.h"

bool ss_py_is_launched(ss_py *py)
{
  static const char folder[] = "configs.";
  return strncmp(py->own->name, folder, strlen(folder)) == 0 && ss_py_module_named(py, SS_PY_LAUNCHER) != NULL;
}

static void set_text(ss_py *py, const char *name, const char *text, size_t length)
{
  ss_py_put_named(py, &py->options->table, name, ss_py_text(py, ss_py_copy(py->memory, text, length)),
                  ss_py_place_at(py, NULL));
}

/* Where the last word of a name begins that has `_` between words. */
static size_t last_word(const char *name, size_t length)
{
  while (length > 0 && name[length - 1] != '_') --length;
  return length;
}

/* Options that the file and the name of a recipe say: FAMILY/, MODEL_TASK_config_GPU; before, MODEL_SIZE_GPU_config and
 * MODEL_SIZE_GPU_TASK_config. */
static void name_options(ss_py *py, const char *name)
{
  static const char mark[] = "_config";
  const char *family = strchr(py->own->name, '.') + 1, *end = strstr(name, mark);
  const size_t family_length = strcspn(family, ".");
  size_t length = end != NULL ? (size_t)(end - name) : strlen(name), at = last_word(name, length);
  const char *gpu = end != NULL && end[strlen(mark)] == '_' ? end + strlen(mark) + 1 : NULL;
  set_text(py, "model_family_name", family, family_length);
  set_text(py, "model_name", family, family_length);
  const bool is_task = strncmp(name + at, "sft", 3) == 0 || strncmp(name + at, "lora", 4) == 0;
  if (gpu != NULL || is_task) {
    set_text(py, "task", name + at, length - at);
    length = at > 0 ? at - 1 : 0;
    at = last_word(name, length);
  }
  if (gpu == NULL)
    gpu = ss_py_copy(py->memory, name + at, length - at);
  else
    at = length + 1;
  set_text(py, "gpu", gpu, strlen(gpu));
  length = at > 0 ? at - 1 : 0;
  set_text(py, "model_recipe_name", name, length);
  const size_t ahead = strncmp(name, family, family_length) == 0 ? family_length + 1 : 0;
  if (length > ahead) set_text(py, "model_size", name + ahead, length - ahead);
  py->gpu = gpu;
}

static const char precision[] = "precision";

/* The name of the option that an argument of a recipe is. */
static const char *option_of(const char *parameter)
{
  return strcmp(parameter, precision) == 0 ? "compute_dtype" : parameter;
}

/* Arguments by the names of their parameters. NULL: some have none, or one has two, which is refused. */
static ss_py_value *named_arguments(ss_py *py, const ss_py_value *function, const ss_py_value *arguments)
{
  ss_py_value *named = ss_py_new(py, SS_PY_IS_DICT);
  const ss_py_node *parameter = function->node->first;
  for (int64_t i = 0; i < arguments->count; ++i, parameter = parameter->next) {
    if (parameter == NULL || parameter->number != 0.0)
      return ss_py_stop(py, function->node, "%.100s: is given more than it takes; allowed: as many as parameters",
                        function->node->text);
    if (ss_py_table_named(&arguments->table, parameter->text) != NULL)
      return ss_py_stop(py, function->node, "%.100s: is given %.64s twice; allowed: once", function->node->text,
                        parameter->text);
    ss_py_put_named(py, &named->table, parameter->text, arguments->item[i], ss_py_place_at(py, parameter));
  }
  ss_py_table_copy(py->memory, &named->table, &arguments->table);
  return named;
}

static void give_options(ss_py *py, const ss_py_value *given)
{
  for (int64_t i = 0; i < given->table.count; ++i)
    ss_py_put_named(py, &py->options->table, option_of(given->table.entry[i].key->text), given->table.entry[i].value,
                    ss_py_place_at(py, NULL));
}

/* What the recipe takes where nobody says the number format is what the program is given. */
static bool give_precision(ss_py *py, const ss_py_value *function)
{
  const ss_py_node *one = ss_py_node_named(function->node->first, precision);
  if (one == NULL || one->b == NULL || ss_py_table_named(&py->options->table, option_of(precision)) != NULL)
    return true;
  ss_py_value *value = py->evaluate(py, function->module, one->b);
  if (value == NULL) return false;
  ss_py_put_named(py, &py->options->table, option_of(precision), value, ss_py_place_at(py, one));
  return true;
}

/* A function, or a class, of a module beside the program. NULL: it is not there, which is refused. */
static ss_py_value *part_of(ss_py *py, const ss_py_node *at, const char *module_name, const char *name, ss_py_kind kind)
{
  ss_py_module *module = ss_py_module_named(py, module_name);
  ss_py_value *part = module != NULL ? ss_py_global(py, module, name) : NULL;
  if (part != NULL && part->kind == kind) return part;
  return ss_py_stop(py, at,
                    "the program %s.py, which starts recipes, has no %s.%s beside it; allowed: a clone of the "
                    "repository",
                    SS_PY_LAUNCHER, module_name, name);
}

/* The options of the program with their values. NULL where the evaluation has ended. */
static ss_py_value *parse(ss_py *py, const ss_py_node *at)
{
  ss_py_value *function = part_of(py, at, "argument_parser", "parse_cli_args", SS_PY_IS_FUNCTION);
  ss_py_value *made = function != NULL ? py->run(py, function, ss_py_new(py, SS_PY_IS_LIST), at) : NULL;
  if (made == NULL) return NULL;
  if (ss_py_is_list(made) && made->count > 0) return made->item[0];
  if (ss_py_is_option_parser(made)) return made;
  return ss_py_stop(py, at, "the program %s.py has no options that are known; allowed: those of argparse",
                    SS_PY_LAUNCHER);
}

/* The program takes its own options, and gives recipes what these have for all else. */
static bool check_options(ss_py *py, const ss_py_value *function, const ss_py_value *given, const ss_py_value *options)
{
  for (int64_t i = 0; i < given->table.count; ++i) {
    const ss_py_entry *one = &given->table.entry[i];
    const ss_py_node *parameter = ss_py_node_named(function->node->first, one->key->text);
    if (ss_py_table_named(&options->table, option_of(one->key->text)) != NULL) continue;
    const ss_py_value *own =
        parameter != NULL && parameter->b != NULL ? py->evaluate(py, function->module, parameter->b) : NULL;
    if (own != NULL && ss_py_equal(own, one->value) == SS_PY_YES) continue;
    return ss_py_stop(py, function->node,
                      "%.100s: takes no argument %.64s of this value; allowed: precision, config_variant and other "
                      "options of %s.py",
                      function->node->text, one->key->text, SS_PY_LAUNCHER) != NULL;
  }
  return true;
}

/* Arguments of a function by the names of its parameters, as far as there are options of these. */
static ss_py_value *arguments_by_name(ss_py *py, const ss_py_value *function, const ss_py_value *options)
{
  ss_py_value *arguments = ss_py_new(py, SS_PY_IS_LIST);
  for (const ss_py_node *one = function->node->first; one != NULL; one = one->next) {
    const ss_py_entry *option = one->text != NULL ? ss_py_table_named(&options->table, one->text) : NULL;
    if (option != NULL) ss_py_give(py, &arguments->table, option->key, option->value, option->place);
  }
  return arguments;
}

/* The GPUs that a recipe is for, unless the job has others. */
static bool count_gpus(ss_py *py, const ss_py_node *at, const ss_py_value *options, int64_t *gpus)
{
  *gpus = py->asks->gpus;
  if (*gpus == 0) {
    ss_py_value *function = part_of(py, at, "utils.utils", "get_workload_base_config", SS_PY_IS_FUNCTION);
    ss_py_value *base = function != NULL ? py->run(py, function, arguments_by_name(py, function, options), at) : NULL;
    const ss_py_value *count = base != NULL ? ss_py_field(py, at, base, "num_gpus") : NULL;
    if (py->status != SS_OK || py->raised) return false;
    if (count == NULL || count->kind != SS_PY_IS_INTEGER || !(count->number >= 1.0))
      return ss_py_stop(py, at, "no file says how many GPUs the recipe is for; allowed: --gpus N") != NULL;
    *gpus = (int64_t)count->number;
  }
  ss_py_put_named(py, &py->options->table, "num_gpus", ss_py_integer(py, (double)*gpus), ss_py_place_at(py, at));
  return true;
}

/* A dict of texts, of which those that are whole numbers are numbers. */
static ss_py_value *with_numbers(ss_py *py, const ss_py_value *texts)
{
  ss_py_value *dict = ss_py_new(py, SS_PY_IS_DICT);
  ss_py_table_copy(py->memory, &dict->table, &texts->table);
  for (int64_t i = 0; i < dict->table.count; ++i) {
    ss_py_entry *entry = &dict->table.entry[i];
    const char *text = entry->value->kind == SS_PY_IS_TEXT ? entry->value->text : "";
    const size_t digits = strspn(text, "0123456789");
    if (digits > 0 && digits < 10 && text[digits] == '\0') entry->value = ss_py_integer(py, strtod(text, NULL));
  }
  return dict;
}

/* The plug-in with the options that are its fields, and with the task, which is train_task of later releases. */
static ss_py_value *plugin_of(ss_py *py, const ss_py_node *at, const ss_py_value *options)
{
  ss_py_value *class_value = part_of(py, at, "perf_plugins", "PerfEnvPlugin", SS_PY_IS_CLASS);
  const ss_py_entry *task = ss_py_table_named(&options->table, "task");
  if (class_value == NULL) return NULL;
  ss_py_value *plugin = ss_py_new(py, SS_PY_IS_OBJECT);
  plugin->self = class_value;
  plugin->text = class_value->text;
  ss_py_table_copy(py->memory, &plugin->table, &options->table);
  if (task != NULL) ss_py_put_named(py, &plugin->table, "train_task", task->value, task->place);
  return plugin;
}

/* Variables of the environment that runs have (utils/executors.py), as a plug-in of the program changes them. */
static bool set_environment(ss_py *py, const ss_py_node *at, const ss_py_value *options, ss_py_value *made)
{
  static const char variables[] = "env_vars";
  const ss_py_value *common = part_of(py, at, "utils.executors", "PERF_ENV_VARS", SS_PY_IS_DICT);
  ss_py_value *plugin = common != NULL ? plugin_of(py, at, options) : NULL;
  if (plugin == NULL) return false;
  const ss_py_member_of member = ss_py_class_member(py, plugin->self, "setup");
  ss_py_value *function = ss_py_member_function(py, &member), *given = ss_py_new(py, SS_PY_IS_LIST),
              *task = ss_py_new(py, SS_PY_IS_OBJECT), *executor = ss_py_new(py, SS_PY_IS_OBJECT);
  if (function == NULL)
    return ss_py_stop(py, at, "%s: has no setup; allowed: a plug-in with one", plugin->text) != NULL;
  task->is_call = executor->is_whole = true;
  ss_py_put_named(py, &executor->table, variables, with_numbers(py, common), ss_py_place_at(py, at));
  ss_py_append(py->memory, given, plugin);
  ss_py_append(py->memory, given, task);
  ss_py_append(py->memory, given, executor);
  if (py->run(py, function, given, at) == NULL) return false;
  ss_py_put_named(py, &made->table, variables, with_numbers(py, ss_py_table_named(&executor->table, variables)->value),
                  ss_py_place_at(py, at));
  return true;
}

ss_py_value *ss_py_launch(ss_py *py, ss_py_value *function, const ss_py_value *arguments, int64_t *gpus)
{
  const ss_py_node *at = function->node;
  py->options = ss_py_new(py, SS_PY_IS_DICT);
  name_options(py, at->text);
  const ss_py_value *given = named_arguments(py, function, arguments);
  if (given == NULL) return NULL;
  give_options(py, given);
  ss_py_value *options = give_precision(py, function) ? parse(py, at) : NULL;
  if (options == NULL || !check_options(py, function, given, options)) return NULL;
  if (!count_gpus(py, at, options, gpus)) return NULL;
  ss_py_value *start = part_of(py, at, SS_PY_LAUNCHER, "main", SS_PY_IS_FUNCTION);
  if (start == NULL || py->run(py, start, ss_py_new(py, SS_PY_IS_LIST), at) == NULL) return NULL;
  ss_py_value *made = py->started;
  if (made == NULL || made->kind != SS_PY_IS_OBJECT)
    return ss_py_stop(py, at, "the program %s.py trains nothing that is known; allowed: pretrain(config=...)",
                      SS_PY_LAUNCHER);
  return set_environment(py, at, options, made) ? made : NULL;
}
