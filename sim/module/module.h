/* Modules: parts of the program that are loaded when they are needed, since the libraries behind them take long to
 * load. A module is a shared library of its own, beside the program or where it was installed; it has its own copy of
 * what little it needs of the model and exports one row of functions. */
#ifndef STEPSIM_SIM_MODULE_MODULE_H
#define STEPSIM_SIM_MODULE_MODULE_H

#include "model/base/error.h"

/* Marks the row, which is all that others see of a module. */
#define SS_MODULE_ROW __attribute__((visibility("default")))

/* Loads the module `name` (stepsim_NAME.so), unless that was done before, and returns its row (ss_NAME_module). It
 * stays until the program ends; processes forked from now on have it, too. NULL and an SS_ERROR_MODULE that names the
 * file. */
const void *ss_module_load(const char *name, ss_error *error);

/* What a name stands for in a module, or in the program where `module` is NULL, and in the libraries behind it: a
 * function or a variable, for questions about libraries. NULL where there is none. */
void *ss_module_symbol(const char *module, const char *name);

#endif
