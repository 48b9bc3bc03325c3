/* manual: the pages for man, of all and of each command, from the tables of commands and options. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/options/option_table.h"

static const char about[] =
    ".SH DESCRIPTION\n"
    "stepsim predicts one training iteration of a transformer on a GPU cluster: with a closed form, in microseconds, "
    "and "
    "with a replay\nin which every rank follows its schedule and every message crosses the links of the fabric. Where "
    "the "
    "two differ, it says why.\n.PP\n"
    "Workloads, platforms, measurements and fits are XML files. An argument is the path of one, with or without .xml, "
    "or the name of\none that is shipped:\n.B stepsim list\nlists them.\n";

static const char rest[] =
    ".SH ENVIRONMENT\n.TP\n.B STEPSIM_PATH\n"
    "Folders, with colons between them, that are searched for files by name before those that are shipped. A file lies "
    "in the folder,\nor in workloads, platforms, validation or validation/fit there.\n"
    ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe run failed\n.TP\n.B 2\nbad usage or input\n.TP\n.B 3\n"
    "the workload does not fit in memory, or nothing that a search tried does\n"
    ".SH NOTES\nResults go to standard output, everything else to standard error. The same input gives the same "
    "bytes.\n";

/* A text as roff takes it: dashes are those of a keyboard, and no line begins with a request. */
static void print_text(const char *text)
{
  if (*text == '.' || *text == '\'') (void)fputs("\\&", stdout);
  for (; *text != '\0'; ++text) switch (*text) {
    case '-': (void)fputs("\\-", stdout); break;
    case '\\': (void)fputs("\\e", stdout); break;
    default: (void)putchar(*text); break;
    }
}

static void print_command(ss_command command)
{
  const ss_command_row *row = ss_command_row_of(command);
  printf(".TP\n.B stepsim %s ", row->name);
  print_text(row->arguments);
  printf("\n%c", toupper((unsigned char)row->help[0]));
  print_text(row->help + 1);
  printf(".\n.br\nExample: stepsim %s ", row->name);
  print_text(row->example);
  (void)putchar('\n');
}

/* The commands that take an option. */
static void print_takers(const ss_option *option)
{
  const char *before = "";
  (void)putchar('(');
  for (int command = 0; command < SS_COMMAND_COUNT; ++command) {
    if ((option->commands & SS_ON(command)) == 0) continue;
    printf("%s%s", before, ss_command_row_of((ss_command)command)->name);
    before = ", ";
  }
  printf(")\n");
}

static void print_option(const ss_option *option, bool takers)
{
  printf(".TP\n");
  if (option->letter != 0) printf("\\fB\\-%c\\fR, ", option->letter);
  printf("\\fB\\-\\-");
  print_text(option->name);
  printf("\\fR");
  if (option->argument != NULL) {
    printf("%s=\\fI", option->is_optional ? "[" : "");
    print_text(option->argument);
    printf("\\fR%s", option->is_optional ? "]" : "");
  }
  (void)putchar('\n');
  print_text(option->help);
  printf("\n");
  if (!takers) return;
  printf(".br\n");
  print_takers(option);
}

/* The page of one command. */
static void print_page(ss_command command, const ss_option_table *table)
{
  const ss_command_row *row = ss_command_row_of(command);
  printf(".TH STEPSIM-");
  for (const char *at = row->name; *at != '\0'; ++at) (void)putchar(toupper((unsigned char)*at));
  printf(" 1 \"\" \"stepsim " SS_VERSION "\" \"User Commands\"\n.SH NAME\nstepsim\\-%s \\- ", row->name);
  print_text(row->help);
  printf("\n.SH SYNOPSIS\n.B stepsim %s\n[\\fIOPTION\\fR...] ", row->name);
  print_text(row->arguments);
  printf("\n.SH EXAMPLE\n.nf\nstepsim %s ", row->name);
  print_text(row->example);
  printf("\n.fi\n.SH OPTIONS\n");
  for (int i = 0; i < table->count; ++i)
    if ((table->option[i]->commands & SS_ON(command)) != 0) print_option(table->option[i], false);
  printf(".TP\n\\fB\\-\\-help\\fR\nGive a list of these\n");
  (void)fputs(rest, stdout);
  printf(".SH SEE ALSO\n.BR stepsim (1)\n");
}

static int refuse(const char *text)
{
  ss_error error;
  (void)ss_error_set(&error, SS_ERROR_INPUT, NULL, 0,
                     "manual \"%s\": is no command%s; allowed: those of stepsim --help, or none of them for all", text,
                     ss_hint_of(text, ss_command_words(SS_COMMAND_MANUAL)).text);
  return ss_fail(&error);
}

static void print_whole(const ss_option_table *table)
{
  printf(".TH STEPSIM 1 \"\" \"stepsim " SS_VERSION "\" \"User Commands\"\n"
         ".SH NAME\nstepsim \\- predicts one training iteration of a transformer on a GPU cluster\n"
         ".SH SYNOPSIS\n.B stepsim\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n%s.SH COMMANDS\n",
         about);
  for (int command = 0; command < SS_COMMAND_COUNT; ++command) print_command((ss_command)command);
  printf(".SH OPTIONS\nAfter each option, the commands that take it. Of all: \\fB\\-\\-help\\fR, "
         "\\fB\\-\\-version\\fR.\n");
  for (int i = 0; i < table->count; ++i) print_option(table->option[i], true);
  (void)fputs(rest, stdout);
}

int ss_command_manual(const ss_options *options)
{
  ss_option_table table;
  const ss_command command = options->argument_count > 0 ? ss_command_of(options->argument[0]) : SS_COMMAND_COUNT;
  if (options->argument_count > 0 && command == SS_COMMAND_COUNT) return refuse(options->argument[0]);
  ss_option_table_init(&table);
  if (command == SS_COMMAND_COUNT)
    print_whole(&table);
  else
    print_page(command, &table);
  return SS_EXIT_DONE;
}
