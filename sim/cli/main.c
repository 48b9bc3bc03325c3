/* stepsim: the only place that prints errors and ends the program. */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/crew/crew.h"

int ss_fail(const ss_error *error)
{
  char text[SS_ERROR_TEXT_SIZE];
  ss_error_text(error, text);
  (void)fprintf(stderr, "stepsim: %s\n", text);
  return error->code == SS_ERROR_INPUT ? SS_EXIT_USAGE : SS_EXIT_FAILED;
}

/* Of the processes of a job, the first one writes the files and has the exit status; the others help. */
static void become_helper(ss_options *options)
{
  options->json = options->csv = options->db = options->plot = NULL;
  options->trace_count = 0;
}

int main(int argc, char **argv)
{
  static int (*const functions[SS_COMMAND_COUNT])(const ss_options *) = {
#define COMMAND_FUNCTION(id, name, arguments, help, function) [id] = function,
      SS_COMMAND_LIST(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
  };
  ss_options options;
  if (ss_options_name_shared(argc, argv)) ss_crew_join();
  ss_options_parse(argc, argv, &options);
  if (!ss_crew_is_first()) become_helper(&options);
  const int status = functions[options.command](&options);
  if ((fflush(stdout) != 0 || ferror(stdout)) && status == SS_EXIT_DONE) {
    (void)fprintf(stderr, "stepsim: cannot write standard output\n");
    return SS_EXIT_FAILED;
  }
  return ss_crew_is_first() ? status : SS_EXIT_DONE;
}
