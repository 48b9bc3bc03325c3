/* stepsim: the only place that prints errors and ends the program. */
#include <stdio.h>

#include "sim/cli/options.h"

int ss_fail(const ss_error *error)
{
  char text[SS_ERROR_TEXT_SIZE];
  ss_error_text(error, text);
  (void)fprintf(stderr, "stepsim: %s\n", text);
  return error->code == SS_ERROR_INPUT ? SS_EXIT_USAGE : SS_EXIT_FAILED;
}

int main(int argc, char **argv)
{
  static int (*const functions[SS_COMMAND_COUNT])(const ss_options *) = {
#define COMMAND_FUNCTION(id, name, arguments, help, function) [id] = function,
      SS_COMMAND_LIST(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
  };
  ss_options options;
  ss_options_parse(argc, argv, &options);
  const int status = functions[options.command](&options);
  if ((fflush(stdout) != 0 || ferror(stdout)) && status == SS_EXIT_DONE) {
    (void)fprintf(stderr, "stepsim: cannot write standard output\n");
    return SS_EXIT_FAILED;
  }
  return status;
}
