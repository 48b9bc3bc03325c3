#include "sim/import/files/unknown.h"

#include <stdio.h>
#include <string.h>

void ss_unknown_add(ss_unknown *unknown, const char *name, int line)
{
  const size_t used = strlen(unknown->names);
  if (used == 0) unknown->line = line;
  if (unknown->more > 0 || used + strlen(name) + 3 > sizeof unknown->names)
    ++unknown->more;
  else
    (void)snprintf(unknown->names + used, sizeof unknown->names - used, "%s%s", used > 0 ? ", " : "", name);
}

ss_status ss_unknown_check(const ss_unknown *unknown, const char *path, const char *of, ss_error *error)
{
  char more[32] = "";
  if (unknown->names[0] == '\0' && unknown->more == 0) return SS_OK;
  if (unknown->more > 0) (void)snprintf(more, sizeof more, " and %d more", unknown->more);
  return ss_error_set(error, SS_ERROR_INPUT, path, unknown->line,
                      "not known of %s, and may matter: %s%s; allowed: the file without those that have no influence "
                      "on time",
                      of, unknown->names, more);
}
