/* What expressions of Python come to. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_EVALUATE_H
#define STEPSIM_SIM_IMPORT_PYTHON_EVALUATE_H

#include "sim/import/python/python.h"

/* The value of an expression in the function that runs; NULL where the evaluation has ended. */
ss_py_value *ss_py_evaluate(ss_py *py, const ss_py_node *at);

/* Whether a condition holds; where the evaluation has ended, that is open. */
ss_py_truth ss_py_decide(ss_py *py, const ss_py_node *at);

/* What a name stands for in the function that runs. NULL where the evaluation has ended. */
ss_py_value *ss_py_read(ss_py *py, const ss_py_node *at);

/* Gives a target a value; several have a list of as many. False where the evaluation has ended. */
bool ss_py_assign(ss_py *py, const ss_py_node *target, ss_py_value *value);

#endif
