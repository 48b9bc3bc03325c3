/* Functions of a program in Python. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_RUN_H
#define STEPSIM_SIM_IMPORT_PYTHON_RUN_H

#include "sim/import/python/python.h"

/* Begins an evaluation, which takes memory from `memory` and says in `error` why it has ended. */
void ss_py_begin(ss_py *py, ss_scratch *memory, const ss_py_asks *asks, ss_error *error);

/* Runs a function with arguments, as ss_py_call takes them. NULL where the evaluation has ended, or the program itself
 * ends what it does. */
ss_py_value *ss_py_run(ss_py *py, ss_py_value *function, ss_py_value *arguments, const ss_py_node *at);

#endif
