/* Functions that Python has. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_BUILTINS_H
#define STEPSIM_SIM_IMPORT_PYTHON_BUILTINS_H

#include "sim/import/python/python.h"

/* Whether a name is one of Python's own. */
bool ss_py_is_builtin(const char *name);

/* What a function of Python gives, unknown where that is not known here; NULL where the evaluation has ended. */
ss_py_value *ss_py_builtin(ss_py *py, const ss_py_node *at, const char *name, ss_py_value *arguments);

#endif
