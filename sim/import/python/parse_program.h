/* Statements of Python. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_PARSE_PROGRAM_H
#define STEPSIM_SIM_IMPORT_PYTHON_PARSE_PROGRAM_H

#include "sim/import/python/node.h"
#include "sim/import/python/token.h"

/* Reads a file, whose text has to stay, into a list of statements in `memory`; NULL for none. Statements that are
 * not understood are there as such. SS_ERROR_INPUT with the line of what no program has. */
ss_status ss_py_parse(const ss_source *source, ss_scratch *memory, ss_py_node **program, ss_error *error);

#endif
