/* What a program in Python has put together, as settings. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_FLATTEN_H
#define STEPSIM_SIM_IMPORT_PYTHON_FLATTEN_H

#include "sim/import/files/settings.h"
#include "sim/import/python/python.h"

/* Adds the fields of an object as YAML of Megatron-Bridge has them: NAME.NAME with scalars and lists of them, and the
 * class or the function that an object is of as NAME._target_. What only a run knows is a setting that is not known.
 * Texts are those of the evaluation. SS_ERROR_INPUT for names that are too long, values in values that are too deep,
 * and more settings than any configuration has; SS_ERROR_MEMORY. */
ss_status ss_py_flatten(ss_py *py, const ss_py_value *object, ss_settings *settings, ss_error *error);

#endif
