#include "sim/import/python/models.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sim/import/python/fields.h"
#include "sim/import/python/modules.h"
#include "sim/import/python/names.h"

/* GPUs by their words in names of recipes, with their compute capability (developer.nvidia.com/cuda-gpus) and the name
 * that torch has for them. */
static const struct {
  const char *word, *name;
  int major, minor;
} devices[] = {{"a100", "NVIDIA A100", 8, 0},   {"h100", "NVIDIA H100", 9, 0},  {"h200", "NVIDIA H200", 9, 0},
               {"b200", "NVIDIA B200", 10, 0},  {"b300", "NVIDIA B300", 10, 3}, {"gb200", "NVIDIA GB200", 10, 0},
               {"gb300", "NVIDIA GB300", 10, 3}};

enum { DEVICES = sizeof devices / sizeof devices[0] };

/* Of the GPU that a recipe is for; DEVICES: none is known. */
static size_t device_of(const ss_py *py)
{
  size_t i = 0;
  while (i < DEVICES && (py->gpu == NULL || strcasecmp(devices[i].word, py->gpu) != 0)) ++i;
  return i;
}

ss_py_value *ss_py_device(ss_py *py)
{
  ss_py_value *device = ss_py_new(py, SS_PY_IS_OBJECT);
  const ss_py_place place = ss_py_place_at(py, NULL);
  const size_t i = device_of(py);
  device->is_call = true;
  device->text = "torch.cuda.get_device_properties";
  if (i == DEVICES) return device;
  ss_py_put_named(py, &device->table, "major", ss_py_integer(py, devices[i].major), place);
  ss_py_put_named(py, &device->table, "name", ss_py_text(py, devices[i].name), place);
  return device;
}

ss_py_value *ss_py_capability(ss_py *py)
{
  const size_t i = device_of(py);
  ss_py_value *capability = i < DEVICES ? ss_py_new(py, SS_PY_IS_LIST) : NULL;
  if (capability == NULL) return NULL;
  ss_py_append(py->memory, capability, ss_py_integer(py, devices[i].major));
  ss_py_append(py->memory, capability, ss_py_integer(py, devices[i].minor));
  return capability;
}

/* A named argument of the decorator that makes a class the one for models of a type; NULL: there is none. */
static const ss_py_node *registered(const ss_py_node *class_node, const char *name)
{
  const ss_py_node *given = NULL;
  for (const ss_py_node *one = class_node->decorator; one != NULL && given == NULL; one = one->next)
    if (one->a->kind == SS_PY_CALL) given = ss_py_node_argument(one->a, name);
  return given;
}

/* Whether a class of Transformers is that of models of a type by its name: Qwen3MoeForCausalLM of qwen3_moe. */
static bool is_class_of(const char *name, const char *type)
{
  for (; *type != '\0'; ++type)
    if (*type != '_' && tolower((unsigned char)*name++) != *type) return false;
  return strcmp(name, "ForCausalLM") == 0 || strcmp(name, "ForConditionalGeneration") == 0;
}

/* The decorator names the type, or before v0.3.1 the class of Transformers alone. */
static bool is_maker(const ss_py *py, const ss_py_value *value)
{
  const bool is_class = value != NULL && value->kind == SS_PY_IS_CLASS;
  const ss_py_node *type = is_class ? registered(value->node, "model_type") : NULL,
                   *source = is_class ? registered(value->node, "source") : NULL;
  const char *own = json_string_value(json_object_get(py->asks->config, "model_type"));
  if (own == NULL || !is_class) return false;
  if (type != NULL) return type->kind == SS_PY_TEXT && strcmp(type->text, own) == 0;
  return source != NULL && source->text != NULL && is_class_of(source->text, own);
}

static const char packages[] = "megatron.bridge.models";

/* The class that makes models of a type, among those that a package names. */
static ss_py_value *maker_in(ss_py *py, const char *package)
{
  ss_py_module *models = ss_py_module_named(py, package);
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

/* A name without the lines between its words. */
static const char *without_lines(char *name)
{
  char *end = name;
  for (const char *c = name; *c != '\0'; ++c)
    if (*c != '_') *end++ = *c;
  *end = '\0';
  return name;
}

/* The package of all models does not name all of them: their own ones are called as the type begins, qwen for
 * qwen3_moe. */
static ss_py_value *maker_of(ss_py *py)
{
  const char *type = json_string_value(json_object_get(py->asks->config, "model_type"));
  ss_py_value *maker = type != NULL ? maker_in(py, packages) : NULL;
  for (size_t length = type != NULL ? strlen(type) : 0; maker == NULL && length > 0 && py->status == SS_OK; --length) {
    const bool is_end = type[length] == '\0' || type[length] == '_' || isdigit((unsigned char)type[length]);
    if (!is_end || type[length - 1] == '_') continue;
    char *name = ss_scratch_take(py->memory, length + 1);
    memcpy(name, type, length);
    name[length] = '\0';
    maker = maker_in(py, ss_py_join(py, packages, ".", name));
    if (maker == NULL && py->status == SS_OK) maker = maker_in(py, ss_py_join(py, packages, ".", without_lines(name)));
  }
  return maker;
}

/* What is not known of what the class sets is what config.json says. */
static void drop_unknown(ss_py_table *table)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < table->count; ++i)
    if (ss_py_open_part(table->entry[i].value) == NULL) table->entry[kept++] = table->entry[i];
  table->count = kept;
}

/* Values of JSON in values, as far as a configuration has them. */
enum { MOST_DEPTH = 8 };

static ss_py_value *value_of(ss_py *py, const json_t *json, int depth)
{
  const char *name;
  json_t *member;
  const bool is_number = json_is_number(json) || json_is_boolean(json), is_deep = depth == MOST_DEPTH;
  if (json_is_string(json)) return ss_py_text(py, json_string_value(json));
  if (json_is_null(json) || is_deep) return ss_py_none(py);
  ss_py_value *value = ss_py_new(py, json_is_boolean(json)   ? SS_PY_IS_BOOL
                                     : json_is_integer(json) ? SS_PY_IS_INTEGER
                                     : is_number             ? SS_PY_IS_FLOAT
                                     : json_is_array(json)   ? SS_PY_IS_LIST
                                                             : SS_PY_IS_DICT);
  if (is_number) value->number = json_is_boolean(json) ? json_is_true(json) : json_number_value(json);
  for (size_t i = 0; i < json_array_size(json); ++i)
    ss_py_append(py->memory, value, value_of(py, json_array_get(json, i), depth + 1));
  json_object_foreach((json_t *)json, name, member)
  {
    ss_py_value *inner = value_of(py, member, depth + 1);
    (void)ss_py_table_add(py->memory, &value->table, ss_py_text_value(py->memory, name), inner);
  }
  return value;
}

/* Gives a configuration a field that it has not. */
static void give_missing(ss_py *py, ss_py_value *config, const char *name, ss_py_value *value)
{
  ss_py_entry *own = ss_py_table_named(&config->table, name);
  if (own == NULL)
    (void)ss_py_table_add(py->memory, &config->table, ss_py_text_value(py->memory, name), value);
  else if (own->value->kind == SS_PY_IS_NONE)
    own->value = value;
}

/* What a class of Transformers makes of a list of layers by their words (NemotronHConfig): letters. */
static bool give_letters(ss_py *py, ss_py_value *config, const char *list, const char *letters)
{
  static const char *const words[] = {"mamba", "moe", "attention", "mlp"};
  static const char known[] = "ME*-";
  const json_t *layers = json_object_get(py->asks->config, list);
  char *text = ss_scratch_take(py->memory, json_array_size(layers) + 1);
  size_t i = 0;
  for (; i < json_array_size(layers); ++i) {
    const char *word = json_string_value(json_array_get(layers, i));
    size_t k = 0;
    while (word != NULL && k < sizeof words / sizeof words[0] && strcmp(words[k], word) != 0) ++k;
    if (word == NULL || known[k] == '\0') return false;
    text[i] = known[k];
  }
  text[i] = '\0';
  if (i > 0) give_missing(py, config, letters, ss_py_text(py, text));
  return i > 0;
}

/* config.json as an object. What it does not have, the class of Transformers may; who asks for it has a value for files
 * without it. */
static ss_py_value *config_of(ss_py *py)
{
  ss_py_value *config = value_of(py, py->asks->config, 0);
  config->kind = SS_PY_IS_OBJECT;
  config->is_call = config->is_whole = true;
  if (give_letters(py, config, "layers_block_type", "hybrid_override_pattern"))
    give_missing(py, config, "num_hidden_layers",
                 ss_py_integer(py, (double)json_array_size(json_object_get(py->asks->config, "layers_block_type"))));
  (void)give_letters(py, config, "mtp_layers_block_type", "mtp_hybrid_override_pattern");
  return config;
}

/* Gives a model the fields that config.json has for it, of keys for one field the first. */
static void map_fields(ss_py *py, ss_py_value *model, const ss_py_value *config, const ss_py_node *at)
{
  const ss_py_value *pairs = ss_py_mapping(py, model->maker);
  for (int64_t i = 0; pairs != NULL && i < pairs->count; ++i) {
    const char *key = pairs->item[i]->item[0]->text, *field = pairs->item[i]->item[1]->text;
    const ss_py_entry *own = ss_py_table_named(&config->table, key);
    if (own != NULL && ss_py_table_named(&model->table, field) == NULL)
      ss_py_put_named(py, &model->table, field, own->value, ss_py_place_at(py, at));
  }
}

/* What provider_bridge of a class is given: an object of the class, and what has config.json. */
static ss_py_value *arguments_of(ss_py *py, ss_py_value *maker, const ss_py_value *config)
{
  ss_py_value *arguments = ss_py_new(py, SS_PY_IS_LIST), *given = ss_py_new(py, SS_PY_IS_OBJECT),
              *self = ss_py_new(py, SS_PY_IS_OBJECT);
  given->is_call = self->is_call = true;
  self->text = maker->text;
  self->self = maker;
  (void)ss_py_table_add(py->memory, &given->table, ss_py_text_value(py->memory, "config"), (ss_py_value *)config);
  ss_py_append(py->memory, arguments, self);
  ss_py_append(py->memory, arguments, given);
  return arguments;
}

/* What is not understood of a class ends what it says of a model, and not the recipe. */
static ss_py_value *run_apart(ss_py *py, ss_py_value *function, ss_py_value *arguments, const ss_py_node *at)
{
  ss_error why = {0}, *error = py->error;
  ss_py_frame *frame = py->frame;
  ss_py_journal *journal = py->journal;
  const int depth = py->depth;
  py->error = &why;
  py->is_quiet = true;
  ss_py_value *made = py->run(py, function, arguments, at);
  py->is_quiet = false;
  py->error = error;
  py->frame = frame;
  py->journal = journal;
  py->depth = depth;
  if (py->status != SS_OK || py->raised) {
    ss_py_frame there = {.module = function->module, .caller = frame};
    py->frame = &there;
    ss_py_say_at(py, SS_PY_NOTE_NAMED, function->node->text, function->node);
    py->frame = frame;
  }
  py->status = SS_OK;
  py->raised = false;
  return made;
}

/* Before v0.3.1 a class makes the configuration itself: what it is given and its own class has. What is given and only
 * a run knows, config.json says. */
static void take_made(ss_py *py, ss_py_value *model, const ss_py_value *made)
{
  if (made == NULL || made == model || made->kind != SS_PY_IS_OBJECT || made->self == NULL || made->is_call) return;
  model->self = made->self;
  model->open = ss_py_new(py, SS_PY_IS_LIST);
  for (int64_t i = 0; i < made->table.count; ++i) {
    const ss_py_entry *field = &made->table.entry[i];
    if (ss_py_open_part(field->value) != NULL) ss_py_append(py->memory, model->open, (ss_py_value *)field->key);
    ss_py_give(py, &model->table, field->key, field->value, field->place);
  }
}

/* Runs provider_bridge of the class, whose super() makes the configuration that it goes on with. */
static void run_maker(ss_py *py, ss_py_value *model, const ss_py_value *config, const ss_py_node *at)
{
  static const char name[] = "provider_bridge";
  const ss_py_member_of member = ss_py_class_member(py, model->maker, name);
  const bool is_own = member.module == model->maker->module; /* what it has of others is what map_fields gives */
  ss_py_value *function = ss_py_member_function(py, &member), *outer = ss_py_new(py, SS_PY_IS_OBJECT),
              *makes = ss_py_new(py, SS_PY_IS_METHOD);
  if (function == NULL || !is_own) return;
  makes->self = model;
  makes->text = name;
  (void)ss_py_table_add(py->memory, &outer->table, ss_py_text_value(py->memory, name), makes);
  py->super = outer;
  take_made(py, model, run_apart(py, function, arguments_of(py, model->maker, config), at));
  py->super = NULL;
}

/* A model that no class of the files is for. */
static ss_py_value *say_unmade(ss_py *py, ss_py_value *model)
{
  const char *type = json_string_value(json_object_get(py->asks->config, "model_type"));
  if (type != NULL && ss_py_module_named(py, packages) != NULL)
    ss_py_say(py, SS_PY_NOTE_NAMED, ss_py_join(py, packages, ", without a class for the model_type ", type));
  return model;
}

ss_py_value *ss_py_model_made(ss_py *py, const ss_py_node *at)
{
  ss_py_value *model = ss_py_new(py, SS_PY_IS_OBJECT);
  model->is_model = model->is_call = true;
  model->text = "AutoBridge.to_megatron_provider";
  model->place = ss_py_place_at(py, at);
  model->maker = maker_of(py);
  if (model->maker == NULL) return py->status == SS_OK ? say_unmade(py, model) : NULL;
  const ss_py_node *provider = registered(model->maker->node, "provider");
  ss_py_value *class_value = provider != NULL ? py->evaluate(py, model->maker->module, provider) : NULL;
  if (class_value == NULL && py->status == SS_OK)
    class_value = ss_py_dotted(py, "megatron.bridge.models.gpt_provider.GPTModelProvider");
  if (class_value != NULL && class_value->kind == SS_PY_IS_CLASS) model->self = class_value;
  if (py->status != SS_OK) return NULL;
  const ss_py_value *config = config_of(py);
  map_fields(py, model, config, at);
  run_maker(py, model, config, at);
  drop_unknown(&model->table);
  return model;
}
