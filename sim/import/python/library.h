/* Functions of Python's own modules that configurations call. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_LIBRARY_H
#define STEPSIM_SIM_IMPORT_PYTHON_LIBRARY_H

#include "sim/import/python/python.h"

/* What a function of a name with dots gives; NULL with `is_known` false: it is none that is known here. NULL where the
 * evaluation has ended, or the program itself ends what it does. */
ss_py_value *ss_py_library_call(ss_py *py, const ss_py_node *at, const char *name, ss_py_value *arguments,
                                bool *is_known);

/* Says what a program that starts a recipe logs as a warning or as an error. */
void ss_py_log(ss_py *py, const ss_py_value *logger, const char *level, const ss_py_value *arguments);

#endif
