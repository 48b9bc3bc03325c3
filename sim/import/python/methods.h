/* Methods of texts, lists and dicts. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_METHODS_H
#define STEPSIM_SIM_IMPORT_PYTHON_METHODS_H

#include "sim/import/python/python.h"

/* What a function of a text, a list or a dict gives; NULL with `is_known` false: it has none that is known. */
ss_py_value *ss_py_method(ss_py *py, const ss_py_node *at, const ss_py_value *method, ss_py_value *arguments,
                          bool *is_known);

#endif
