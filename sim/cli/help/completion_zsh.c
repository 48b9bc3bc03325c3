#include <string.h>

#include "sim/cli/help/shell.h"

static const char head[] =
    "#compdef stepsim\n"
    "# Completion of stepsim, written by \"stepsim completion zsh\".\n"
    "_stepsim_names() {\n"
    "  local -a names\n"
    "  names=(${(f)\"$(stepsim list $1 --wide 2>/dev/null | sed 's/:/\\\\:/g; s/  */:/')\"})\n"
    "  _describe -t $1 $1 names\n"
    "  _files\n"
    "}\n"
    "_stepsim() {\n"
    "  local line state\n"
    "  _arguments -C '(- *)'{-\\?,--help}'[help]' '(- *)'{-V,--version}'[version]' '1:command:->command' "
    "'*::argument:->argument'\n"
    "  if [[ $state == command ]]; then\n"
    "    local -a commands\n"
    "    commands=(\n";

/* A text inside of single quotes in which a colon is a separator. */
static void write_text(FILE *stream, const char *text)
{
  for (; *text != '\0'; ++text) {
    if (*text == ':') (void)fputc('\\', stream);
    (void)fputc(*text, stream);
  }
}

static void write_words(FILE *stream, const char *const *words)
{
  (void)fputc('(', stream);
  for (int i = 0; words[i] != NULL; ++i) (void)fprintf(stream, "%s%s", i > 0 ? " " : "", words[i]);
  (void)fputc(')', stream);
}

static void write_option(FILE *stream, const ss_option *option)
{
  char brief[SS_BRIEF_SIZE];
  const bool takes = option->argument != NULL;
  ss_option_brief(option, brief);
  (void)fprintf(stream, " \\\n      '%s--%s%s[", option->repeats ? "*" : "", option->name,
                !takes                ? ""
                : option->is_optional ? "=-"
                                      : "=");
  write_text(stream, brief);
  (void)fputc(']', stream);
  if (takes) {
    (void)fputs(option->is_optional ? "::" : ":", stream);
    write_text(stream, option->argument);
    (void)fputc(':', stream);
    if (option->words != NULL)
      write_words(stream, option->words);
    else if (option->names != SS_SHIPPED_NONE)
      (void)fprintf(stream, " _stepsim_names %s", ss_shipped_word(option->names));
    else
      (void)fputs(ss_option_is_file(option) ? "_files" : " ", stream);
  }
  (void)fputc('\'', stream);
}

static void write_arguments(FILE *stream, ss_command command)
{
  const ss_command_row *row = ss_command_row_of(command);
  const char *const *words = ss_command_words(command);
  for (int64_t place = 1; place <= row->most && place <= 2; ++place) {
    const ss_shipped kind = ss_command_names(command, place - 1);
    (void)fputs(" \\\n      '", stream);
    if (row->most > 2)
      (void)fputc('*', stream);
    else
      (void)fprintf(stream, "%d", (int)place);
    (void)fputs(":argument:", stream);
    if (words != NULL)
      write_words(stream, words);
    else if (kind != SS_SHIPPED_NONE)
      (void)fprintf(stream, " _stepsim_names %s", ss_shipped_word(kind));
    else
      (void)fputs("_files", stream);
    (void)fputc('\'', stream);
    if (row->most > 2) break;
  }
}

void ss_complete_zsh(FILE *stream, const ss_option_table *table)
{
  (void)fputs(head, stream);
  for (int i = 0; i < SS_COMMAND_COUNT; ++i) {
    (void)fprintf(stream, "      '%s:", ss_command_row_of((ss_command)i)->name);
    write_text(stream, ss_command_row_of((ss_command)i)->help);
    (void)fputs("'\n", stream);
  }
  (void)fputs("    )\n    _describe -t commands command commands\n    return\n  fi\n  case $line[1] in\n", stream);
  for (int command = 0; command < SS_COMMAND_COUNT; ++command) {
    (void)fprintf(stream, "  %s)\n    _arguments '(- *)--help[help]'", ss_command_row_of((ss_command)command)->name);
    for (int i = 0; i < table->count; ++i)
      if ((table->option[i]->commands & SS_ON(command)) != 0) write_option(stream, table->option[i]);
    write_arguments(stream, (ss_command)command);
    (void)fputs("\n    ;;\n", stream);
  }
  (void)fputs("  esac\n}\n_stepsim \"$@\"\n", stream);
}
