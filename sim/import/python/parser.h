/* What reads the words of a program one after the other. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_PARSER_H
#define STEPSIM_SIM_IMPORT_PYTHON_PARSER_H

#include "sim/import/python/node.h"
#include "sim/import/python/token.h"

typedef struct ss_py_parser {
  const ss_source *source;
  ss_scratch *memory;
  const ss_py_token *at; /* the next word */
  int depth;             /* of what is nested */
  ss_status status;
  ss_error *error;
} ss_py_parser;

/* Whether the next word is a keyword or an operator. */
bool ss_py_is(const ss_py_parser *p, const char *word);

/* Passes the next word if it is the one. */
bool ss_py_accept(ss_py_parser *p, const char *word);

/* Passes the next word, which has to be the one; false where it is not, which is refused. */
bool ss_py_expect(ss_py_parser *p, const char *word);

/* Passes a name that is no keyword and returns it; NULL where there is none, which is refused. */
const char *ss_py_expect_name(ss_py_parser *p);

/* Refuses what stands at the next word. Always NULL. */
ss_py_node *ss_py_refuse(ss_py_parser *p, const char *problem);

/* A node at the line of the next word. */
ss_py_node *ss_py_node_new(ss_py_parser *p, ss_py_node_kind kind);

/* Enters what is nested; false where that is too deep, which is refused. */
bool ss_py_enter(ss_py_parser *p);

/* A copy of a text of the source. */
const char *ss_py_copy(ss_scratch *memory, const char *text, size_t length);

#endif
