#include "sim/options/option.h"

#include <string.h>

void ss_option_brief(const ss_option *option, char brief[SS_BRIEF_SIZE])
{
  static const char *const details[] = {" - ", "; ", ": ", ", such as", ". "};
  size_t length = strlen(option->help), used = 0;
  for (size_t i = 0; i < sizeof details / sizeof details[0]; ++i) {
    const char *detail = strstr(option->help, details[i]);
    if (detail != NULL && (size_t)(detail - option->help) < length) length = (size_t)(detail - option->help);
  }
  for (size_t i = 0; i < length && used + 1 < SS_BRIEF_SIZE; ++i)
    if (strchr("'\"[]`$\\", option->help[i]) == NULL) brief[used++] = option->help[i];
  const bool is_cut = used + 1 == SS_BRIEF_SIZE; /* but for words */
  while (is_cut && used > 0 && brief[used - 1] != ' ') --used;
  if (is_cut && used > 0) --used;
  brief[used] = '\0';
}

bool ss_option_is_file(const ss_option *option)
{
  return option->argument != NULL && strcmp(option->argument, "FILE") == 0;
}
