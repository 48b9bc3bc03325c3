#include <string.h>

#include "sim/cli/help/shell.h"

/* bash splits --cost=sc24 at the sign, which is then a word of its own. */
static const char head[] = "# Completion of stepsim, written by \"stepsim completion bash\".\n"
                           "_stepsim() {\n"
                           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                           "  local command= options= words= kind= files= waits= place=0 i word\n";

static const char scan[] =
    "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "  [[ $takes == *\" $prev \"* ]] && waits=$prev\n"
    "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
    "    word=${COMP_WORDS[i]}\n"
    "    if [[ $word == = ]]; then\n"
    "      ((++i))\n"
    "    elif [[ $word == -* ]]; then\n"
    "      [[ $takes == *\" $word \"* && ${COMP_WORDS[i+1]} != = ]] && ((++i))\n"
    "    elif [[ -z $command ]]; then\n"
    "      command=$word\n"
    "    else\n"
    "      ((++place))\n"
    "    fi\n"
    "  done\n"
    "  case $command in\n"
    "  '') words=$commands options='--help --version' ;;\n";

static const char tail[] =
    "  esac\n"
    "  [[ $cur == -* && -z $waits ]] && words=$options kind= files=\n"
    "  [[ -n $kind ]] && words=\"$words $(stepsim list \"$kind\" 2>/dev/null | cut -d' ' -f1)\"\n"
    "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "  [[ -n $files$kind ]] && COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
    "  return 0\n"
    "}\n"
    "complete -o filenames -F _stepsim stepsim\n";

static void write_words(FILE *stream, const char *const *words)
{
  for (int i = 0; words[i] != NULL; ++i) (void)fprintf(stream, "%s%s", i > 0 ? " " : "", words[i]);
}

/* The options that have a value behind them. */
static void write_takes(FILE *stream, const ss_option_table *table)
{
  (void)fputs("  local takes=' -s", stream);
  for (int i = 0; i < table->count; ++i)
    if (table->option[i]->argument != NULL && !table->option[i]->is_optional)
      (void)fprintf(stream, " --%s", table->option[i]->name);
  (void)fputs(" '\n  local commands='", stream);
  for (int i = 0; i < SS_COMMAND_COUNT; ++i)
    (void)fprintf(stream, "%s%s", i > 0 ? " " : "", ss_command_row_of((ss_command)i)->name);
  (void)fputs("'\n", stream);
}

/* What the arguments of a command are, where the word before is no option that waits for its value. */
static void write_arguments(FILE *stream, ss_command command)
{
  const ss_command_row *row = ss_command_row_of(command);
  const char *const *words = ss_command_words(command);
  (void)fputs("    '')\n", stream);
  if (words != NULL) {
    (void)fputs("      words='", stream);
    write_words(stream, words);
    (void)fputs("'\n", stream);
  }
  if (row->first != SS_SHIPPED_NONE)
    (void)fprintf(stream, "      ((place == 0)) && kind=%s\n", ss_shipped_word(row->first));
  if (row->rest != SS_SHIPPED_NONE)
    (void)fprintf(stream, "      ((place > 0%s)) && kind=%s\n",
                  ss_command_names(command, 2) == SS_SHIPPED_NONE ? " && place < 2" : "", ss_shipped_word(row->rest));
  if (row->most > 2 && row->rest != SS_SHIPPED_NONE && ss_command_names(command, 2) == SS_SHIPPED_NONE)
    (void)fputs("      ((place > 1)) && files=yes\n", stream);
  if (row->most > 0 && words == NULL && row->first == SS_SHIPPED_NONE) (void)fputs("      files=yes\n", stream);
  (void)fputs("      ;;\n", stream);
}

/* The values of an option: words, names, or files; nothing is known of others. */
static void write_value(FILE *stream, const ss_option *option)
{
  const bool is_file = ss_option_is_file(option);
  if (option->words == NULL && option->names == SS_SHIPPED_NONE && !is_file) return;
  (void)fprintf(stream, "    --%s) ", option->name);
  if (option->words != NULL) {
    (void)fputs("words='", stream);
    write_words(stream, option->words);
    (void)fputc('\'', stream);
  } else if (option->names != SS_SHIPPED_NONE) {
    (void)fprintf(stream, "kind=%s", ss_shipped_word(option->names));
  } else {
    (void)fputs("files=yes", stream);
  }
  (void)fputs(" ;;\n", stream);
}

static void write_command(FILE *stream, const ss_option_table *table, ss_command command)
{
  (void)fprintf(stream, "  %s)\n    options='--help", ss_command_row_of(command)->name);
  for (int i = 0; i < table->count; ++i)
    if ((table->option[i]->commands & SS_ON(command)) != 0) (void)fprintf(stream, " --%s", table->option[i]->name);
  (void)fputs("'\n    case $waits in\n", stream);
  write_arguments(stream, command);
  for (int i = 0; i < table->count; ++i)
    if ((table->option[i]->commands & SS_ON(command)) != 0) write_value(stream, table->option[i]);
  (void)fputs("    esac\n    ;;\n", stream);
}

void ss_complete_bash(FILE *stream, const ss_option_table *table)
{
  (void)fputs(head, stream);
  write_takes(stream, table);
  (void)fputs(scan, stream);
  for (int command = 0; command < SS_COMMAND_COUNT; ++command) write_command(stream, table, (ss_command)command);
  (void)fputs(tail, stream);
}
