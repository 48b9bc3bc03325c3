/* completion: what a shell reads to complete command lines. Names of files are asked of `stepsim list` as they are
 * needed. */
#include <string.h>

#include "model/base/spelling.h"
#include "sim/cli/help/shell.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"

int ss_command_completion(const ss_options *options)
{
  static const struct {
    const char *word;
    void (*write)(FILE *stream, const ss_option_table *table);
  } shells[] = {
#define SHELL_ROW(id, word, function) {word, function},
      SS_SHELL_LIST(SHELL_ROW)
#undef SHELL_ROW
  };
  const char *text = options->argument[0];
  ss_option_table table;
  ss_error error;
  ss_option_table_init(&table);
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; ++i)
    if (strcmp(shells[i].word, text) == 0) {
      shells[i].write(stdout, &table);
      return SS_EXIT_DONE;
    }
#define SHELL_WORD(id, word, function) " " word
  (void)ss_error_set(&error, SS_ERROR_INPUT, NULL, 0,
                     "completion \"%s\": unknown%s; allowed:" SS_SHELL_LIST(SHELL_WORD), text,
                     ss_hint_of(text, ss_command_words(SS_COMMAND_COMPLETION)).text);
#undef SHELL_WORD
  return ss_fail(&error);
}
