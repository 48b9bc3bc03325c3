/* stepsim: reads the command line, calls the command and ends the program. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/cli/command_line.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/inputs.h"
#include "sim/crew/crew.h"

/* Of the processes of a job, the first one writes the files and has the exit status; the others help. */
static void become_helper(ss_output_options *output)
{
  output->json = output->csv = output->db = output->residuals = output->save = NULL;
  output->report = output->plot.path = NULL;
  output->trace_count = 0;
}

/* At the end of the program, also where argp ends it behind --help and --version. */
static void check_standard_output(void)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return;
  (void)fprintf(stderr, "stepsim: cannot write standard output\n");
  _exit(SS_EXIT_FAILED);
}

int main(int argc, char **argv)
{
  static int (*const functions[SS_COMMAND_COUNT])(const ss_options *) = {
#define COMMAND_FUNCTION(id, name, arguments, least, most, first, rest, help, example, function) [id] = function,
      SS_COMMAND_LIST(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION
  };
  (void)atexit(check_standard_output);
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow (ulimit -f) is one that cannot be written */
  ss_options options;
  ss_error error = {0};
  if (ss_command_line_is_shared(argc, argv) && ss_crew_join(&error) != SS_OK) return ss_fail(&error);
  ss_command_line_parse(argc, argv, &options);
  if (!ss_crew_is_first()) become_helper(&options.output);
  const bool found = ss_inputs_find(&options, &error) == SS_OK;
  const int status = found ? functions[options.command](&options) : ss_fail(&error);
  return ss_crew_is_first() ? status : SS_EXIT_DONE;
}
