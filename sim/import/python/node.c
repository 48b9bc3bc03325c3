#include "sim/import/python/node.h"

#include <string.h>

const ss_py_node *ss_py_node_named(const ss_py_node *list, const char *name)
{
  while (list != NULL && (list->text == NULL || strcmp(list->text, name) != 0)) list = list->next;
  return list;
}

const ss_py_node *ss_py_node_argument(const ss_py_node *call, const char *name)
{
  const ss_py_node *named = ss_py_node_named(call->first, name);
  return named != NULL ? named->a : NULL;
}
