/* Operators of Python. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_OPERATORS_H
#define STEPSIM_SIM_IMPORT_PYTHON_OPERATORS_H

#include "sim/import/python/python.h"

/* A value, unknown where an operand is or Python would refuse it; NULL where the evaluation has ended. */
ss_py_value *ss_py_binary(ss_py *py, const ss_py_node *at, const char *sign, ss_py_value *a, ss_py_value *b);
ss_py_value *ss_py_unary(ss_py *py, const ss_py_node *at, const char *sign, ss_py_value *a);

/* One comparison: == != < > <= >= in, is, and what is not. */
ss_py_truth ss_py_compare(const char *sign, const ss_py_value *a, const ss_py_value *b);

/* Member `index` of a list, a text or a dict, and part `from` to `to`, of which NULL is an end. */
ss_py_value *ss_py_member(ss_py *py, const ss_py_node *at, ss_py_value *whole, const ss_py_value *index);
ss_py_value *ss_py_part(ss_py *py, const ss_py_node *at, ss_py_value *whole, const ss_py_value *from,
                        const ss_py_value *to);

#endif
