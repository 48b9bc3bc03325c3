#include "sim/import/files/printed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/printable.h"

#define BLANKS " \t\r\v\f"

ss_printed ss_printed_of(const ss_source *source)
{
  return (ss_printed){.source = source, .rest = source->text};
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static char *skip_digits(char *at)
{
  while (is_digit(*at)) ++at;
  return at;
}

/* What follows "[1,0]<stdout>:" or "[1,0]<stderr>:" of mpirun, or "12:" of srun; else the line. */
static char *skip_rank(char *line)
{
  char *at = line;
  if (*at == '[') {
    at = skip_digits(at + 1);
    if (*at++ != ',') return line;
    at = skip_digits(at);
    if (strncmp(at, "]<std", 5) != 0) return line;
    at = strchr(at, ':');
    return at != NULL ? at + 1 : line;
  }
  at = skip_digits(at);
  return at > line && *at == ':' && (at[1] == ' ' || at[1] == '#' || at[1] == '\0') ? at + 1 : line;
}

/* What colours a terminal here: ESC [ digits m, whose ESC is lost where text was pasted. Its length; 0: nothing does.
 */
static size_t colour_length(const char *at)
{
  const size_t escape = at[0] == 0x1b;
  if (at[escape] != '[') return 0;
  const size_t digits = strspn(at + escape + 1, "0123456789;");
  return at[escape + 1 + digits] == 'm' && (escape > 0 || digits > 0) ? escape + digits + 2 : 0;
}

/* Takes out colours. */
static void strip_colours(char *line)
{
  char *to = line;
  for (const char *at = line; *at != '\0';) {
    const size_t length = colour_length(at);
    at += length;
    if (length == 0) *to++ = *at++;
  }
  *to = '\0';
}

char *ss_printed_next(ss_printed *printed)
{
  char *line = printed->rest;
  if (line == NULL) return NULL;
  char *end = strchr(line, '\n');
  printed->rest = end != NULL ? end + 1 : NULL;
  if (end != NULL) *end = '\0';
  printed->line++;
  strip_colours(line);
  line += strspn(line, BLANKS);
  line = skip_rank(line);
  line += strspn(line, BLANKS);
  for (size_t length = strlen(line); length > 0 && strchr(BLANKS, line[length - 1]) != NULL;) line[--length] = '\0';
  return line;
}

ss_status ss_printed_refuse(const ss_printed *printed, ss_error *error, const char *format, ...)
{
  char problem[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  return ss_error_set(error, SS_ERROR_INPUT, printed->source->path, printed->line, "%s", problem);
}

int ss_printed_words(char *line, char **word, int most)
{
  int count = 0;
  for (char *at = line + strspn(line, BLANKS); *at != '\0'; at += strspn(at, BLANKS)) {
    if (count == most) return most + 1;
    word[count++] = at;
    at += strcspn(at, BLANKS);
    if (*at == '\0') break;
    *at++ = '\0';
  }
  return count;
}

bool ss_printed_count(const char *text, int64_t most, int64_t *count)
{
  int64_t value = 0;
  const char *at = text;
  for (; is_digit(*at); ++at) {
    if (value > (most - (*at - '0')) / 10) return false;
    value = 10 * value + (*at - '0');
  }
  *count = value;
  return at > text && *at == '\0';
}

bool ss_printed_real(const char *text, double *real)
{
  char *end;
  if (!is_digit(*text) && *text != '.') return false;
  *real = strtod(text, &end);
  return end > text && *end == '\0' && isfinite(*real) && *real >= 0.0;
}

const char *ss_printed_copy(char *copy, size_t size, const char *text)
{
  (void)snprintf(copy, size, "%s", text);
  return ss_printable(copy);
}
