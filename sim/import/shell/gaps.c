#include "sim/import/shell/gaps.h"

#include <string.h>

void ss_shell_names_add(ss_shell_names *names, const char *name, size_t length)
{
  char *at = names->text;
  while (*at != '\0') {
    const size_t other = strcspn(at, "\n");
    if (other == length && memcmp(at, name, length) == 0) return;
    at += other + (at[other] == '\n');
  }
  const size_t used = strlen(names->text), apart = used > 0;
  if (used + apart + length >= sizeof names->text) {
    ++names->more;
    return;
  }
  if (apart) names->text[used] = '\n';
  memcpy(names->text + used + apart, name, length);
  names->text[used + apart + length] = '\0';
}
