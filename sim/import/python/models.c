#include "sim/import/python/models.h"

#include <string.h>
#include <strings.h>

#include "sim/import/python/fields.h"
#include "sim/import/python/modules.h"
#include "sim/import/python/names.h"

/* GPUs by their words in names of recipes, with their compute capability (developer.nvidia.com/cuda-gpus) and the name
 * that torch has for them. */
static const struct {
  const char *word, *name;
  int major;
} devices[] = {{"a100", "NVIDIA A100", 8},   {"h100", "NVIDIA H100", 9},   {"h200", "NVIDIA H200", 9},
               {"b200", "NVIDIA B200", 10},  {"b300", "NVIDIA B300", 10},  {"gb200", "NVIDIA GB200", 10},
               {"gb300", "NVIDIA GB300", 10}};

ss_py_value *ss_py_device(ss_py *py)
{
  ss_py_value *device = ss_py_new(py, SS_PY_IS_OBJECT);
  const ss_py_place place = ss_py_place_at(py, NULL);
  device->is_call = true;
  device->text = "torch.cuda.get_device_properties";
  for (size_t i = 0; i < sizeof devices / sizeof devices[0] && py->gpu != NULL; ++i) {
    if (strcasecmp(devices[i].word, py->gpu) != 0) continue;
    ss_py_put_named(py, &device->table, "major", ss_py_integer(py, devices[i].major), place);
    ss_py_put_named(py, &device->table, "name", ss_py_text(py, devices[i].name), place);
  }
  return device;
}

/* A named argument of the decorator that makes a class the one for models of a type; NULL: there is none. */
static const ss_py_node *registered(const ss_py_node *class_node, const char *name)
{
  for (const ss_py_node *one = class_node->decorator; one != NULL; one = one->next)
    for (const ss_py_node *given = one->a->kind == SS_PY_CALL ? one->a->first : NULL; given != NULL;
         given = given->next)
      if (given->text != NULL && strcmp(given->text, name) == 0) return given->a;
  return NULL;
}

static bool is_maker(const ss_py *py, const ss_py_value *value)
{
  const ss_py_node *type = value != NULL && value->kind == SS_PY_IS_CLASS ? registered(value->node, "model_type") : NULL;
  return type != NULL && type->kind == SS_PY_TEXT && strcmp(type->text, py->asks->model_type) == 0;
}

/* The class that makes models of a type, among those that the package of models names. */
static ss_py_value *maker_of(ss_py *py)
{
  ss_py_module *models = py->asks->model_type[0] != '\0' ? ss_py_module_named(py, "megatron.bridge.models") : NULL;
  for (const ss_py_node *from = models != NULL ? models->program : NULL; from != NULL; from = from->next) {
    if (from->kind != SS_PY_FROM) continue;
    for (const ss_py_node *alias = from->first; alias != NULL; alias = alias->next) {
      ss_py_value *value = ss_py_ends_with(alias->text, "Bridge") ? ss_py_global(py, models, alias->text) : NULL;
      if (py->status != SS_OK) return NULL;
      if (is_maker(py, value)) return value;
    }
  }
  return NULL;
}

/* What is not known of what the class sets is what config.json says. */
static void drop_unknown(ss_py_table *table)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < table->count; ++i)
    if (table->entry[i].value->kind != SS_PY_IS_UNKNOWN) table->entry[kept++] = table->entry[i];
  table->count = kept;
}

/* Runs provider_bridge of the class, whose super() makes the configuration that it goes on with. */
static void run_maker(ss_py *py, ss_py_value *model, const ss_py_node *at)
{
  static const char name[] = "provider_bridge";
  const ss_py_member_of member = ss_py_class_member(py, model->maker, name);
  if (member.statement == NULL || member.statement->kind != SS_PY_DEF) return;
  ss_py_value *function = ss_py_new(py, SS_PY_IS_FUNCTION), *arguments = ss_py_new(py, SS_PY_IS_LIST);
  ss_py_value *outer = ss_py_new(py, SS_PY_IS_OBJECT), *makes = ss_py_new(py, SS_PY_IS_METHOD);
  const bool was_quiet = py->is_quiet;
  function->node = member.statement;
  function->module = member.module;
  makes->self = model;
  makes->text = name;
  (void)ss_py_table_add(py->memory, &outer->table, ss_py_text_value(py->memory, name), makes);
  ss_py_append(py->memory, arguments, ss_py_unknown(py, at)); /* self */
  ss_py_append(py->memory, arguments, ss_py_unknown(py, at)); /* what has config.json */
  py->is_quiet = true;
  py->super = outer;
  (void)py->run(py, function, arguments, at);
  py->super = NULL;
  py->is_quiet = was_quiet;
  drop_unknown(&model->table);
}

ss_py_value *ss_py_model_made(ss_py *py, const ss_py_node *at)
{
  ss_py_value *model = ss_py_new(py, SS_PY_IS_OBJECT);
  model->is_model = model->is_call = true;
  model->text = "AutoBridge.to_megatron_provider";
  model->maker = maker_of(py);
  if (model->maker == NULL) return py->status == SS_OK ? model : NULL;
  const ss_py_node *provider = registered(model->maker->node, "provider");
  ss_py_value *class_value = provider != NULL ? py->evaluate(py, model->maker->module, provider) : NULL;
  if (class_value == NULL && py->status == SS_OK) class_value = ss_py_dotted(py, "megatron.bridge.models.gpt_provider.GPTModelProvider");
  if (class_value != NULL && class_value->kind == SS_PY_IS_CLASS) model->self = class_value;
  if (py->status == SS_OK) run_maker(py, model, at);
  return py->status == SS_OK ? model : NULL;
}
