#include "sim/cli/shared/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sim/report/table.h"

#define BOLD_RED "\033[1;31m"
#define PLAIN    "\033[0m"
#define PROGRAM  "stepsim:"

enum { MOST_COLUMNS = 10000 };

/* Characters of a line of a file that is a terminal; 0 of another one. */
static int columns_of(int file)
{
  struct winsize size;
  return isatty(file) && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int ss_terminal_columns(const ss_common_options *options)
{
  const char *text = getenv("COLUMNS");
  const long given = text != NULL ? strtol(text, NULL, 10) : 0;
  if (options->wide) return 0;
  if (given > 0 && given <= MOST_COLUMNS) return (int)given;
  const int columns = columns_of(STDOUT_FILENO);
  return columns > 0 ? columns : SS_TABLE_COLUMNS;
}

bool ss_terminal_has_colours(FILE *stream)
{
  const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
  if (unwanted != NULL && unwanted[0] != '\0') return false;
  return terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(fileno(stream));
}

void ss_terminal_print_error(const char *text)
{
  const bool colours = ss_terminal_has_colours(stderr);
  const size_t columns = (size_t)columns_of(STDERR_FILENO);
  size_t column = strlen(PROGRAM);
  (void)fprintf(stderr, "%s" PROGRAM "%s", colours ? BOLD_RED : "", colours ? PLAIN : "");
  while (*text != '\0') {
    const size_t length = strcspn(text, " ");
    const bool fits = columns == 0 || column + 1 + length <= columns;
    (void)fprintf(stderr, "%s%.*s", fits ? " " : "\n  ", (int)length, text);
    column = fits ? column + 1 + length : 2 + length;
    text += length + (text[length] == ' ');
  }
  (void)fputc('\n', stderr);
}
