#include "sim/cli/help/shell.h"

#define NAMES "(stepsim list %s --wide 2>/dev/null | string replace -r '  +' '\\t')"

static void write_words(FILE *stream, const char *const *words)
{
  (void)fputs(" -x -a '", stream);
  for (int i = 0; words[i] != NULL; ++i) (void)fprintf(stream, "%s%s", i > 0 ? " " : "", words[i]);
  (void)fputc('\'', stream);
}

static void write_command(FILE *stream, ss_command command)
{
  const ss_command_row *row = ss_command_row_of(command);
  const char *const *words = ss_command_words(command);
  (void)fprintf(stream, "complete -c stepsim -n __fish_use_subcommand -f -a %s -d '%s'\n", row->name, row->help);
  if (words != NULL) {
    (void)fprintf(stream, "complete -c stepsim -n '__fish_seen_subcommand_from %s'", row->name);
    write_words(stream, words);
    (void)fputc('\n', stream);
  }
  for (int64_t place = 0; place < 2; ++place) {
    const ss_shipped kind = ss_command_names(command, place);
    if (kind == SS_SHIPPED_NONE || (place > 0 && kind == row->first)) continue;
    (void)fprintf(stream, "complete -c stepsim -n '__fish_seen_subcommand_from %s' -a \"" NAMES "\"\n", row->name,
                  ss_shipped_word(kind));
  }
}

static void write_option(FILE *stream, const ss_option *option, ss_command command)
{
  char brief[SS_BRIEF_SIZE];
  ss_option_brief(option, brief);
  (void)fprintf(stream, "complete -c stepsim -n '__fish_seen_subcommand_from %s' -l %s",
                ss_command_row_of(command)->name, option->name);
  if (option->letter != 0) (void)fprintf(stream, " -s %c", option->letter);
  if (option->words != NULL)
    write_words(stream, option->words);
  else if (option->names != SS_SHIPPED_NONE)
    (void)fprintf(stream, " -r -a \"" NAMES "\"", ss_shipped_word(option->names));
  else if (option->argument != NULL && !option->is_optional)
    (void)fputs(ss_option_is_file(option) ? " -r" : " -x", stream);
  (void)fprintf(stream, " -d '%s'\n", brief);
}

void ss_complete_fish(FILE *stream, const ss_option_table *table)
{
  (void)fputs("# Completion of stepsim, written by \"stepsim completion fish\".\n", stream);
  for (int command = 0; command < SS_COMMAND_COUNT; ++command) {
    write_command(stream, (ss_command)command);
    for (int i = 0; i < table->count; ++i)
      if ((table->option[i]->commands & SS_ON(command)) != 0)
        write_option(stream, table->option[i], (ss_command)command);
  }
  (void)fputs("complete -c stepsim -l help -d 'Help'\ncomplete -c stepsim -l version -d 'Version'\n", stream);
}
