#include "sim/io/workload/synonyms.h"

#include <stddef.h>
#include <string.h>

#include "model/base/spelling.h"

const char *ss_synonym(const char *name)
{
  static const struct {
    const char *name, *meant;
  } rows[] = {
#define SYNONYM_ROW(name, meant) {name, meant},
      SS_SYNONYM_LIST(SYNONYM_ROW)
#undef SYNONYM_ROW
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (ss_spells(name, strlen(name), rows[i].name)) return rows[i].meant;
  return NULL;
}
