/* Fields of objects: those that they were given, those of their classes, and those that config.json says. */
#ifndef STEPSIM_SIM_IMPORT_PYTHON_FIELDS_H
#define STEPSIM_SIM_IMPORT_PYTHON_FIELDS_H

#include "sim/import/python/python.h"

/* What a field of a class stands at: the statement, and whose module it is of. */
typedef struct ss_py_member_of {
  const ss_py_node *statement; /* NULL: the class has none of that name */
  struct ss_py_module *module;
  bool is_open; /* it has none, but is of classes that are not read, which may have one */
} ss_py_member_of;

/* A field or a function of a class, or of those that it is of. */
ss_py_member_of ss_py_class_member(ss_py *py, ss_py_value *class_value, const char *name);

/* Whether a function, or a class, has a decorator of a name. */
bool ss_py_is_decorated(const ss_py_node *function, const char *name);

/* A function of a class; NULL: the member is none. */
ss_py_value *ss_py_member_function(ss_py *py, const ss_py_member_of *member);

/* The class, or the classes that it is of, have the name of one: the name without its module. */
ss_py_truth ss_py_is_of_class(ss_py *py, ss_py_value *class_value, const char *name);

/* What config.json says of models, for a class that makes them of it: pairs of its keys and of fields, all of them
 * texts. NULL: that is not known. */
const ss_py_value *ss_py_mapping(ss_py *py, ss_py_value *maker);

/* A field of a value. Unknown where only a run knows it; NULL where the value has none, or the evaluation has ended. */
ss_py_value *ss_py_field(ss_py *py, const ss_py_node *at, ss_py_value *value, const char *name);

/* Whether a value has a field. */
ss_py_truth ss_py_has_field(ss_py *py, ss_py_value *value, const char *name);

/* Gives an object the fields that its class has where nobody says, as far as they are known here. */
void ss_py_fill_fields(ss_py *py, ss_py_value *object);

/* An object whose fields are to be set: where a field was not given, or only a run knows it, one without fields comes
 * in its place. NULL where it can be none, which is refused. */
ss_py_value *ss_py_field_to_set(ss_py *py, const ss_py_node *at, ss_py_value *value, const char *name);

#endif
