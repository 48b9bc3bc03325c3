/* A program in Python as a tree, as far as configurations are written in it. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_NODE_H
#define STEPSIM_SIM_IMPORT_PYTHON_NODE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ss_py_node_kind {
  /* expressions */
  SS_PY_CONSTANT,  /* `text` is True, False or None */
  SS_PY_INTEGER,   /* `number` */
  SS_PY_FLOAT,     /* `number` */
  SS_PY_TEXT,      /* `text`, without quotes */
  SS_PY_FORMAT,    /* a text with parts in braces: `body`; NULL: its value is not known */
  SS_PY_READ,      /* the name `text` */
  SS_PY_FIELD,     /* `text` of `a` */
  SS_PY_CALL,      /* `a` with arguments `first`, of which those with `text` are named */
  SS_PY_INDEX,     /* `a` [`b`] */
  SS_PY_SLICE,     /* a part of a list: `a` to `b` */
  SS_PY_LIST,      /* of `first` and those behind it */
  SS_PY_TUPLE,     /* likewise */
  SS_PY_SET,       /* likewise */
  SS_PY_DICT,      /* of pairs, `a`: `b`; `a` NULL: all of `b` */
  SS_PY_PAIR,      /* one of them; an argument; a part of a comparison, whose operator is `text` */
  SS_PY_STAR,      /* all of `a` */
  SS_PY_UNARY,     /* `text` of `a`: -, +, ~, not */
  SS_PY_BINARY,    /* `a` `text` `b`: + - * / // % ** | & ^ << >> */
  SS_PY_BOTH,      /* and, or: `a` `text` `b` */
  SS_PY_COMPARE,   /* `a` and pairs of an operator and what is compared */
  SS_PY_CHOICE,    /* `a` if `b` else `c` */
  SS_PY_EACH,      /* a comprehension: `a` for `first` in `b` if `c`; `text` is [, {, ( or : with pairs */
  SS_PY_FUNCTION_, /* lambda, which nobody calls */
  /* statements */
  SS_PY_EVALUATE, /* `a` */
  SS_PY_ASSIGN,   /* `a`, or nothing, to `first` and those behind it */
  SS_PY_AUGMENT,  /* `a` `text` `b` to `a` */
  SS_PY_DECLARE,  /* a field: name `a` of a type, `b` or NULL */
  SS_PY_RETURN,   /* `a` or NULL */
  SS_PY_RAISE,    /* `a` or NULL */
  SS_PY_ASSERT,   /* `a` */
  SS_PY_PASS,
  SS_PY_OTHER, /* `text`, which is not understood */
  SS_PY_BREAK,
  SS_PY_CONTINUE,
  SS_PY_IF,       /* `a`: `body`, else `other` */
  SS_PY_FOR,      /* `first` in `a`: `body` */
  SS_PY_TRY,      /* `body`; where that fails `other`; in any case `last` */
  SS_PY_DEF,      /* function `text` with parameters `first`: `body` */
  SS_PY_CLASS,    /* `text` of classes `first`: `body` */
  SS_PY_IMPORT,   /* modules `first`: `text` as `other` */
  SS_PY_FROM,     /* names `first` of module `text`, from `number` folders up */
  SS_PY_ALIAS,    /* one of them: `text`, known as `alias` */
  SS_PY_PARAMETER /* `text` with default `b` or NULL; `number` 1: all others, 2: all others that are named, 3: from here
                     on by name only */
} ss_py_node_kind;

typedef struct ss_py_node ss_py_node;

struct ss_py_node {
  ss_py_node_kind kind;
  int line;
  const char *text, *alias;
  double number;
  ss_py_node *a, *b, *c;
  ss_py_node *first;               /* of a list of expressions, names or parameters */
  ss_py_node *body, *other, *last; /* first statements */
  ss_py_node *decorator;           /* of a function or a class */
  ss_py_node *next;                /* in the list that the node is of */
  const char *from;                /* of an expression: its text in the source, */
  int length;                      /* so long */
};

/* The first node of a list, a parameter or an argument, whose `text` is a name. NULL: there is none. */
const ss_py_node *ss_py_node_named(const ss_py_node *list, const char *name);

/* What a call gives an argument by its name. NULL: it does not. */
const ss_py_node *ss_py_node_argument(const ss_py_node *call, const char *name);

#endif
