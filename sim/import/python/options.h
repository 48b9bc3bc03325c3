/* Options of command lines, as argparse has them. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_OPTIONS_H
#define STEPSIM_SIM_IMPORT_PYTHON_OPTIONS_H

#include "sim/import/python/python.h"

/* Whether a value is a parser of options. */
bool ss_py_is_option_parser(const ss_py_value *value);

/* What a function of a parser gives: options that a program adds have their defaults, or the values of `options` of the
 * evaluation. NULL where the evaluation has ended, or the program itself ends what it does. */
ss_py_value *ss_py_option_method(ss_py *py, const ss_py_node *at, ss_py_value *parser, const char *name,
                                 ss_py_value *arguments);

#endif
