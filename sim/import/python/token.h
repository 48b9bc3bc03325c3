/* The words of a program in Python, with the lines and blocks that they stand in. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_TOKEN_H
#define STEPSIM_SIM_IMPORT_PYTHON_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/scratch.h"
#include "sim/import/files/source.h"

typedef enum ss_py_token_kind {
  SS_PY_NAME, /* keywords, too */
  SS_PY_NUMBER,
  SS_PY_STRING,
  SS_PY_OPERATOR,
  SS_PY_NEWLINE, /* the end of a statement */
  SS_PY_INDENT,
  SS_PY_DEDENT,
  SS_PY_END
} ss_py_token_kind;

typedef struct ss_py_token {
  ss_py_token_kind kind;
  int line;
  int length;       /* of its text */
  const char *text; /* in the source; of a string without its quotes; not terminated */
  bool is_raw;      /* of a string: backslashes stand for themselves */
  bool has_parts;   /* of a string: names in braces are replaced */
} ss_py_token;

typedef struct ss_py_tokens {
  ss_py_token *token; /* [count], of which the last is the end; owned by the memory they were made in */
  int64_t count, room;
} ss_py_tokens;

/* Splits a file, whose text has to stay. SS_ERROR_INPUT with the line of what no program has, and for a file larger
 * than any configuration. */
ss_status ss_py_tokenize(const ss_source *source, ss_scratch *memory, ss_py_tokens *tokens, ss_error *error);

#endif
