/* What evaluates a program in Python without running it: files, calls, and what only a run decides. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_PYTHON_H
#define STEPSIM_SIM_IMPORT_PYTHON_PYTHON_H

#include <jansson.h>

#include "sim/import/files/source.h"
#include "sim/import/python/value.h"

/* A file, and what its names stand for as far as somebody has asked. */
typedef struct ss_py_module {
  const char *name; /* with dots; of the recipe's own file, too, where it is in a tree of packages */
  const char *path;
  ss_source source;    /* owned; has to stay where the program is */
  ss_py_node *program; /* the first statement */
  ss_py_table globals;
  bool is_there; /* it could be read */
  struct ss_py_module *next;
} ss_py_module;

/* A function that runs. */
typedef struct ss_py_frame {
  ss_py_module *module;
  ss_py_table variables;
  ss_py_value *returned; /* NULL: nothing so far */
  int line;
  int depth;    /* of its outermost statements */
  int64_t born; /* as values are */
  struct ss_py_frame *caller;
} ss_py_frame;

/* What an entry of a table was, so that a branch that may not be taken can be undone. */
typedef struct ss_py_change {
  ss_py_table *table;
  const ss_py_value *key;
  ss_py_value *before; /* NULL: it was not there */
  ss_py_place place;
} ss_py_change;

/* Changes since a branch began that only a run takes or not. */
typedef struct ss_py_journal {
  ss_py_change *change; /* [count] */
  int64_t count, room;
  int64_t since; /* values that were there already */
  struct ss_py_journal *outer;
} ss_py_journal;

/* What evaluates asks of whoever knows settings and the model; `of` is passed on. */
typedef struct ss_py_asks {
  void *of;
  const json_t *config;                          /* the config.json of the model; NULL: there is none */
  int64_t gpus;                                  /* of the job; 0: nobody says */
  bool (*is_field)(void *of, const char *field); /* whether models have such a field */
  bool (*matters)(void *of, const char *field);  /* whether a field may change the time */
} ss_py_asks;

/* What is said beside the values. */
typedef enum ss_py_note_kind {
  SS_PY_NOTE_NAMED,     /* named and not read, so that what it sets is not known */
  SS_PY_NOTE_UNDECIDED, /* taken, though only a run decides */
  SS_PY_NOTE_WARNED     /* what the program itself warns of */
} ss_py_note_kind;

typedef struct ss_py_note {
  ss_py_note_kind kind;
  const char *text;
  struct ss_py_note *next;
} ss_py_note;

typedef struct ss_py {
  ss_scratch *memory;
  const ss_py_asks *asks;
  ss_status status; /* of what ended it */
  ss_error *error;
  bool raised; /* the program itself ends what it does */
  ss_py_place raised_at;
  const char *raised_text; /* what it says; empty: nothing that is known */
  int64_t steps, born;
  int depth;
  ss_py_frame *frame;
  ss_py_module *modules, *own; /* all, and that of the recipe */
  const char *root;            /* the folder that packages are in, with its slash; NULL: there is none */
  const char *library;         /* another one; NULL: there is none */
  ss_py_journal *journal;      /* of the innermost branch that may not be taken; NULL: all is decided */
  const char *gpu;             /* that the recipe is for, as its name has it; NULL: it does not say */
  const char *named_model;     /* of Hugging Face, which the recipe is for; NULL: none so far */
  bool is_quiet;               /* what is not known is what config.json says */
  ss_py_value *super;          /* what super() gives where a model is made; NULL elsewhere */
  ss_py_value *options;        /* of the command line that starts the recipe, by name; NULL: there is none */
  ss_py_value *started;        /* what is trained with them; NULL: nothing so far */
  ss_py_note *notes, **last_note;
  /* Runs a function of the program, and evaluates an expression of a module: for those that are further down. */
  ss_py_value *(*run)(struct ss_py *py, ss_py_value *function, ss_py_value *arguments, const ss_py_node *at);
  ss_py_value *(*evaluate)(struct ss_py *py, ss_py_module *module, const ss_py_node *at);
} ss_py;

/* Ends the evaluation at a line of the file that runs. Always NULL. */
ss_py_value *ss_py_stop(ss_py *py, const ss_py_node *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Counts a step; false where there are more than any configuration takes, or another end has come. */
bool ss_py_step(ss_py *py, const ss_py_node *at);

/* Ends what the program does, as an error of its own would: a try of it may go on. Always NULL. */
ss_py_value *ss_py_raise(ss_py *py, const ss_py_node *at, const char *text);

ss_py_place ss_py_place_at(const ss_py *py, const ss_py_node *at);

ss_py_value *ss_py_new(ss_py *py, ss_py_kind kind);
ss_py_value *ss_py_none(ss_py *py);
ss_py_value *ss_py_bool(ss_py *py, ss_py_truth truth, const ss_py_node *at); /* unknown where that is open */
ss_py_value *ss_py_integer(ss_py *py, double number);
ss_py_value *ss_py_text(ss_py *py, const char *text);

/* What only a run knows: the expression at a node. */
ss_py_value *ss_py_unknown(ss_py *py, const ss_py_node *at);

/* The text of an expression on one line, cut. */
const char *ss_py_excerpt(ss_py *py, const ss_py_node *at);

/* A value as text, or with `quotes` as a program has it; NULL: that is not known. */
const char *ss_py_shown(ss_py *py, const ss_py_value *value, bool quotes);

/* Texts one behind the other. */
const char *ss_py_join(ss_py *py, const char *first, const char *second, const char *third);

/* Gives a name or a key a value, so that a branch that is not taken can be undone. */
void ss_py_put(ss_py *py, ss_py_table *table, const ss_py_value *key, ss_py_value *value, ss_py_place place);
/* The same of a table that nobody has seen yet. */
void ss_py_give(ss_py *py, ss_py_table *table, const ss_py_value *key, ss_py_value *value, ss_py_place place);

void ss_py_put_named(ss_py *py, ss_py_table *table, const char *name, ss_py_value *value, ss_py_place place);

/* Says something once. */
void ss_py_say(ss_py *py, ss_py_note_kind kind, const char *text);

/* Says of what stands at a node, with its place. */
void ss_py_say_at(ss_py *py, ss_py_note_kind kind, const char *text, const ss_py_node *at);

#endif
