#include "sim/cli/shared/exit_status.h"

#include "sim/cli/shared/terminal.h"

int ss_fail(const ss_error *error)
{
  char text[SS_ERROR_TEXT_SIZE];
  ss_error_text(error, text);
  ss_terminal_print_error(text);
  return error->code == SS_ERROR_INPUT ? SS_EXIT_USAGE : SS_EXIT_FAILED;
}
