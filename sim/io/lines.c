#include "sim/io/lines.h"

#include <string.h>

#include "sim/io/value.h"

char *ss_line_next(char **text)
{
  char *line = *text, *end = strchr(line, '\n');
  *text = end != NULL ? end + 1 : NULL;
  if (end != NULL) *end = '\0';
  line[strcspn(line, "#")] = '\0';
  while (ss_is_white(*line)) line++;
  size_t length = strlen(line);
  while (length > 0 && ss_is_white(line[length - 1])) line[--length] = '\0';
  return line;
}
