#include "sim/cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_COLUMNS = 10000 };

int ss_terminal_columns(const ss_common_options *options)
{
  struct winsize size;
  const char *text = getenv("COLUMNS");
  const long given = text != NULL ? strtol(text, NULL, 10) : 0;
  if (options->wide) return 0;
  if (given > 0 && given <= MOST_COLUMNS) return (int)given;
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
