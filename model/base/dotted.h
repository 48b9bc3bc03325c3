/* Names with dots between their parts: keys of tables in tables, fields of objects, classes of modules. */
#ifndef STEPSIM_MODEL_BASE_DOTTED_H
#define STEPSIM_MODEL_BASE_DOTTED_H

#include <string.h>

/* What stands behind the last dot of a name; all of it where it has none. */
static inline const char *ss_last_name(const char *dotted)
{
  const char *dot = strrchr(dotted, '.');
  return dot != NULL ? dot + 1 : dotted;
}

#endif
