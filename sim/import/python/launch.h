/* The program that starts recipes: what it makes of one, as its command line would have it. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_LAUNCH_H
#define STEPSIM_SIM_IMPORT_PYTHON_LAUNCH_H

#include "sim/import/python/python.h"

/* Whether the file of the recipe is of those that such a program starts. */
bool ss_py_is_launched(ss_py *py);

/* What is trained where the program starts a recipe with arguments, which are those of the recipe or options of the
 * program; `gpus` are those of the job, or those that the recipe is for. The variables of the environment that it runs
 * in are env_vars of it. NULL where the evaluation has ended, or the program itself ends what it does. */
ss_py_value *ss_py_launch(ss_py *py, ss_py_value *function, const ss_py_value *arguments, int64_t *gpus);

#endif
