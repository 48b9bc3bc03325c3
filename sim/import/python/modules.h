/* The files of a program in Python: packages are folders beside the recipe's own, and in the folder src around it. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_MODULES_H
#define STEPSIM_SIM_IMPORT_PYTHON_MODULES_H

#include "sim/import/python/python.h"

/* The program that starts recipes which are written for it (scripts/performance of NVIDIA-NeMo/Megatron-Bridge up to
 * v0.5.1): packages begin where it is. */
#define SS_PY_LAUNCHER "run_script"

/* Begins with the recipe's own file, whose text has to stay: SS_ERROR_INPUT with the line of what is not understood. */
ss_status ss_py_modules_begin(ss_py *py, const ss_source *source, ss_error *error);

/* A module by its name, which is read when it is first asked for; NULL: it is not there, or is no Python that is
 * read, which is said. */
ss_py_module *ss_py_module_named(ss_py *py, const char *name);

/* The module that a statement `from ... import` of another module names: its name. */
const char *ss_py_module_from(ss_py *py, const ss_py_module *module, const ss_py_node *from);

/* Where a module gives a name: a statement of it, and, of imports, what is imported. */
typedef struct ss_py_definition {
  const ss_py_node *statement; /* NULL: it does not */
  const ss_py_node *alias;
  bool is_open; /* branches give it several values, of which only a run knows one */
} ss_py_definition;

ss_py_definition ss_py_definition_of(const ss_py_module *module, const char *name);

/* The names that a module gives, as texts, without those of modules that all is imported of. */
ss_py_value *ss_py_module_names(ss_py *py, const ss_py_module *module);

/* Whether a text ends with another one. */
bool ss_py_ends_with(const char *text, const char *end);

/* Gives back the texts of files. */
void ss_py_modules_free(ss_py_module *modules);

#endif
