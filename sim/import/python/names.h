/* What the names of a module stand for. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_NAMES_H
#define STEPSIM_SIM_IMPORT_PYTHON_NAMES_H

#include "sim/import/python/python.h"

/* What a module has by a name, worked out when it is first asked for. NULL: nothing, or the evaluation has ended. */
ss_py_value *ss_py_global(ss_py *py, ss_py_module *module, const char *name);

/* A module by its name, or what is in it: unknown names are of modules that are not read. NULL where the evaluation has
 * ended. */
ss_py_value *ss_py_dotted(ss_py *py, const char *name);

/* What a name of an import stands for. NULL where the evaluation has ended. */
ss_py_value *ss_py_imported(ss_py *py, const ss_py_module *module, const ss_py_node *statement,
                            const ss_py_node *alias);

/* A function or a class as a value. */
ss_py_value *ss_py_defined(ss_py *py, ss_py_module *module, const ss_py_node *statement);

/* A name of what is not read. */
ss_py_value *ss_py_outside(ss_py *py, const char *name);

#endif
