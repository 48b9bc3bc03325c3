/* Statements of Python, one after the other. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_EXECUTE_H
#define STEPSIM_SIM_IMPORT_PYTHON_EXECUTE_H

#include "sim/import/python/python.h"

/* How a list of statements ends. */
typedef enum ss_py_flow {
  SS_PY_GOES_ON,
  SS_PY_RETURNS, /* the function has its value */
  SS_PY_BREAKS,
  SS_PY_CONTINUES,
  SS_PY_ENDS /* the evaluation has ended, or the program ends what it does */
} ss_py_flow;

/* Executes a list of statements in the function that runs. */
ss_py_flow ss_py_execute(ss_py *py, const ss_py_node *first);

#endif
