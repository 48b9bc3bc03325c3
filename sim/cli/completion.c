/* completion: what a shell reads to complete command lines. Names of files are asked of `stepsim list` as they are
 * needed. */
#include <string.h>

#include "model/base/spelling.h"
#include "sim/cli/commands.h"
#include "sim/cli/exit_status.h"
#include "sim/cli/shell.h"

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
  brief[used] = '\0';
}

bool ss_option_is_file(const ss_option *option)
{
  return option->argument != NULL && strcmp(option->argument, "FILE") == 0;
}

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
