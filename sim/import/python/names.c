#include "sim/import/python/names.h"

#include <string.h>

#include "sim/import/python/modules.h"

/* Of imports that lead to imports, and of values that need values. */
enum { MOST_DEPTH = 300 };

ss_py_value *ss_py_outside(ss_py *py, const char *name)
{
  ss_py_value *value = ss_py_new(py, SS_PY_IS_NAME);
  value->text = name;
  return value;
}

static ss_py_value *module_value(ss_py *py, ss_py_module *module)
{
  ss_py_value *value = ss_py_new(py, SS_PY_IS_MODULE);
  value->module = module;
  value->text = module->name;
  return value;
}

ss_py_value *ss_py_dotted(ss_py *py, const char *name)
{
  ss_py_module *module = ss_py_module_named(py, name);
  const char *dot = strrchr(name, '.');
  if (module != NULL) return module_value(py, module);
  if (dot == NULL) return ss_py_outside(py, name);
  const size_t length = (size_t)(dot - name);
  char *folder = ss_scratch_take(py->memory, length + 1);
  memcpy(folder, name, length);
  folder[length] = '\0';
  ss_py_module *in = ss_py_module_named(py, folder);
  ss_py_value *value = in != NULL ? ss_py_global(py, in, dot + 1) : NULL;
  return value != NULL || py->status != SS_OK ? value : ss_py_outside(py, name);
}

ss_py_value *ss_py_imported(ss_py *py, const ss_py_module *module, const ss_py_node *statement, const ss_py_node *alias)
{
  const size_t first = strcspn(alias->text, ".");
  if (statement->kind == SS_PY_FROM) {
    const char *from = ss_py_module_from(py, module, statement);
    return ss_py_dotted(py, ss_py_join(py, from, ".", alias->text));
  }
  if (alias->alias != NULL || alias->text[first] == '\0') return ss_py_dotted(py, alias->text);
  char *outer = ss_scratch_take(py->memory, first + 1);
  memcpy(outer, alias->text, first);
  outer[first] = '\0';
  return ss_py_dotted(py, outer);
}

ss_py_value *ss_py_defined(ss_py *py, ss_py_module *module, const ss_py_node *statement)
{
  ss_py_value *value = ss_py_new(py, statement->kind == SS_PY_DEF ? SS_PY_IS_FUNCTION : SS_PY_IS_CLASS);
  value->node = statement;
  value->module = module;
  value->text = ss_py_join(py, module->name, ".", statement->text);
  return value;
}

static ss_py_value *value_of(ss_py *py, ss_py_module *module, const ss_py_definition *found)
{
  const ss_py_node *statement = found->statement;
  if (found->is_open) return ss_py_unknown(py, statement);
  switch (statement->kind) {
  case SS_PY_DEF:
  case SS_PY_CLASS: return ss_py_defined(py, module, statement);
  case SS_PY_IMPORT:
  case SS_PY_FROM: return ss_py_imported(py, module, statement, found->alias);
  case SS_PY_DECLARE: return py->evaluate(py, module, statement->b);
  default: return py->evaluate(py, module, statement->a);
  }
}

/* What modules have that all is imported of. */
static ss_py_value *of_stars(ss_py *py, ss_py_module *module, const char *name)
{
  for (const ss_py_node *statement = module->program; statement != NULL; statement = statement->next) {
    if (statement->kind != SS_PY_FROM || statement->first == NULL || strcmp(statement->first->text, "*") != 0) continue;
    ss_py_module *from = ss_py_module_named(py, ss_py_module_from(py, module, statement));
    ss_py_value *value = from != NULL && from != module ? ss_py_global(py, from, name) : NULL;
    if (value != NULL || py->status != SS_OK) return value;
  }
  return NULL;
}

ss_py_value *ss_py_global(ss_py *py, ss_py_module *module, const char *name)
{
  ss_py_entry *known = ss_py_table_named(&module->globals, name);
  if (known != NULL) return known->value;
  if (py->depth >= MOST_DEPTH) return ss_py_stop(py, NULL, "%.64s: is nested too deep", name);
  const ss_py_definition found = ss_py_definition_of(module, name);
  ss_py_journal *journal = py->journal;
  py->journal = NULL; /* what a module has, it has in every branch */
  ++py->depth;
  if (found.statement != NULL) /* a value that needs itself */
    (void)ss_py_table_add(py->memory, &module->globals, ss_py_text_value(py->memory, name),
                          ss_py_outside(py, ss_py_join(py, module->name, ".", name)));
  ss_py_value *value = found.statement != NULL ? value_of(py, module, &found) : of_stars(py, module, name);
  known = ss_py_table_named(&module->globals, name);
  if (known != NULL && value != NULL) known->value = value;
  --py->depth;
  py->journal = journal;
  return value;
}
