/* What an expression of Python comes to, as far as that is known without a run. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_VALUE_H
#define STEPSIM_SIM_IMPORT_PYTHON_VALUE_H

#include "model/base/scratch.h"
#include "sim/import/python/node.h"

typedef struct ss_py_value ss_py_value;
struct ss_py_module;

typedef enum ss_py_kind {
  SS_PY_IS_UNKNOWN, /* only a run knows it; `text` is the expression */
  SS_PY_IS_NONE,
  SS_PY_IS_BOOL,
  SS_PY_IS_INTEGER,
  SS_PY_IS_FLOAT,
  SS_PY_IS_TEXT,
  SS_PY_IS_LIST,
  SS_PY_IS_TUPLE,
  SS_PY_IS_SET,
  SS_PY_IS_DICT,
  SS_PY_IS_OBJECT,   /* of the class, or from the call, that `text` names, with fields */
  SS_PY_IS_FUNCTION, /* `node` of `module` */
  SS_PY_IS_CLASS,    /* likewise; `text` is its name with that of its module */
  SS_PY_IS_MODULE,   /* `module` */
  SS_PY_IS_NAME,     /* `text`, of a module that is not read */
  SS_PY_IS_METHOD    /* `text` of `self` */
} ss_py_kind;

/* Where something was said: a line of a file, and the line of the recipe's own file that led there. */
typedef struct ss_py_place {
  const char *path;
  int line, own_line;
} ss_py_place;

/* A name, or another key, with a value. */
typedef struct ss_py_entry {
  const ss_py_value *key; /* of kind text for names */
  ss_py_value *value;
  ss_py_place place;
} ss_py_entry;

typedef struct ss_py_table {
  ss_py_entry *entry; /* [count], in the order in which they came */
  int64_t count, room;
} ss_py_table;

struct ss_py_value {
  ss_py_kind kind;
  double number;
  const char *text;
  ss_py_place place;
  ss_py_value **item; /* [count], of a list and of arguments that a call outside was given */
  int64_t count, room;
  ss_py_table table; /* fields of an object, or pairs of a dict */
  const ss_py_node *node;
  struct ss_py_module *module;
  ss_py_value *self;  /* of a method; the class of an object where it is known */
  ss_py_value *maker; /* of a model: the class that makes it of config.json; NULL: it is not known */
  ss_py_value *open;  /* of a model: names of fields that config.json may give; NULL: those that `maker` maps */
  int64_t born;       /* which of the values it is */
  bool is_call;       /* an object that a call of what is not read has made */
  bool is_model;      /* an object that has what config.json says */
  bool is_whole;      /* an object that has no field beside those that it was given, where that is asked */
};

/* What may be false, true or unknown. */
typedef enum ss_py_truth { SS_PY_NO, SS_PY_YES, SS_PY_OPEN } ss_py_truth;

ss_py_value *ss_py_text_value(ss_scratch *memory, const char *text);

/* The entry of a key; NULL: there is none. */
ss_py_entry *ss_py_table_find(const ss_py_table *table, const ss_py_value *key);
ss_py_entry *ss_py_table_named(const ss_py_table *table, const char *name);

/* Adds an entry that is not there yet. */
ss_py_entry *ss_py_table_add(ss_scratch *memory, ss_py_table *table, const ss_py_value *key, ss_py_value *value);

/* Adds all entries of a table, none of which is there yet. */
void ss_py_table_copy(ss_scratch *memory, ss_py_table *to, const ss_py_table *from);

/* Takes an entry of a table out of it. */
void ss_py_table_take_out(ss_py_table *table, ss_py_entry *entry);

/* Adds a member of a list. */
void ss_py_append(ss_scratch *memory, ss_py_value *list, ss_py_value *member);

ss_py_truth ss_py_truth_of(const ss_py_value *value);
ss_py_truth ss_py_not(ss_py_truth truth);

/* Whether two values are equal. */
ss_py_truth ss_py_equal(const ss_py_value *a, const ss_py_value *b);

/* Whether two are the same, as far as what follows from them is: equal, or one object. */
bool ss_py_same(const ss_py_value *a, const ss_py_value *b);

/* By its name a class, which begins with a capital letter; names may have dots. */
bool ss_py_is_class_name(const char *dotted);

/* The value where it is unknown, or a member of a list that is; NULL: all is known. */
const ss_py_value *ss_py_open_part(const ss_py_value *value);

bool ss_py_is_number(const ss_py_value *value); /* truth values, too */
bool ss_py_is_list(const ss_py_value *value);   /* or a tuple, or a set */

#endif
