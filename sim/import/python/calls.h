/* Calls of Python, but those of functions of the program. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_CALLS_H
#define STEPSIM_SIM_IMPORT_PYTHON_CALLS_H

#include "sim/import/python/python.h"

/* What a call gives: positional arguments are the members of `arguments`, named ones its table, and with is_call there
 * are others that only a run knows. NULL where the evaluation has ended. */
ss_py_value *ss_py_call(ss_py *py, const ss_py_node *at, ss_py_value *called, ss_py_value *arguments);

#endif
