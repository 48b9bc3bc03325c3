/* Expressions of Python. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_PARSE_EXPRESSION_H
#define STEPSIM_SIM_IMPORT_PYTHON_PARSE_EXPRESSION_H

#include "sim/import/python/parser.h"

/* The expression at the next word. NULL where there is none, or it is none that is read: the parser says why. */
ss_py_node *ss_py_parse_expression(ss_py_parser *p);

/* The same, or several with commas between them, which are a tuple. */
ss_py_node *ss_py_parse_expressions(ss_py_parser *p);

/* Targets of a loop: names, with commas between them. */
ss_py_node *ss_py_parse_targets(ss_py_parser *p);

/* Arguments up to the bracket that closes, the opening one is passed: a list of pairs. */
ss_py_node *ss_py_parse_arguments(ss_py_parser *p);

#endif
