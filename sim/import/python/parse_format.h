/* Texts of Python with parts in braces. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_PARSE_FORMAT_H
#define STEPSIM_SIM_IMPORT_PYTHON_PARSE_FORMAT_H

#include "sim/import/python/parser.h"

/* The parts of a text that was read, behind one another: texts, and pairs of an expression `a`, which `parse` reads,
 * and `text`, what stands ahead of its value; `number` is 1 where the value is shown as a program has it. NULL: some
 * part is not understood, or there is none. */
ss_py_node *ss_py_parse_parts(ss_py_parser *p, const char *text, ss_py_node *(*parse)(ss_py_parser *));

#endif
