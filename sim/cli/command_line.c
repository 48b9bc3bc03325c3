#include "sim/cli/command_line.h"

#include <argp.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/stepsim.h"
#include "model/base/spelling.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/cli/shared/terminal.h"
#include "sim/io/io.h"
#include "sim/options/option_checks.h"
#include "sim/options/option_table.h"

static void print_version(FILE *stream, struct argp_state *state)
{
  (void)state;
  (void)fprintf(stream, "stepsim %s\n", stepsim_version());
}

void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

enum { FIRST_KEY = 256, TEXT_SIZE = 4096 };

/* What has been read so far. */
typedef struct reading {
  ss_options *options;
  ss_command command; /* that the help is about; SS_COMMAND_COUNT for all */
  bool has_command;
  ss_option_table table;
} reading;

/* The first word that is a command: of options with one name, its own are to be found. */
static ss_command command_on(int argc, char **argv)
{
  for (int i = 1; i < argc; ++i)
    if (ss_command_of(argv[i]) != SS_COMMAND_COUNT) return ss_command_of(argv[i]);
  return SS_COMMAND_COUNT;
}

static bool applies(const ss_option *option, ss_command command)
{
  return command != SS_COMMAND_COUNT && (option->commands & SS_ON(command)) != 0;
}

static int key_of(const reading *r, int row)
{
  const char letter = r->table.option[row]->letter;
  return letter != 0 ? letter : FIRST_KEY + row;
}

/* Whether a list of options, which ends with a name of NULL, has one of that name. */
static bool has_name(const struct argp_option *rows, const char *name)
{
  while (rows->name != NULL && strcmp(rows->name, name) != 0) ++rows;
  return rows->name != NULL;
}

/* The options of the command before the others, which help does not show; each name once, so that a name may be cut
 * short where no other one begins like it. */
static void fill_table(const reading *r, struct argp_option rows[SS_MAX_OPTIONS + 1])
{
  int used = 0;
  rows[0] = (struct argp_option){0};
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < r->table.count; ++i) {
      const ss_option *option = r->table.option[i];
      if (applies(option, r->command) != (turn == 0) || has_name(rows, option->name)) continue;
      rows[used++] = (struct argp_option){.name = option->name,
                                          .key = key_of(r, i),
                                          .arg = option->argument,
                                          .flags = (option->is_optional ? OPTION_ARG_OPTIONAL : 0) |
                                                   (turn == 1 ? OPTION_HIDDEN : 0),
                                          .doc = option->help};
      rows[used] = (struct argp_option){0};
    }
}

/* Options of argp's own. */
static const char *const own_options[] = {"help", "usage", "version", NULL};

/* Whether a text begins the name of one of argp's own options, as all of it or as a short form. */
static bool begins_own(const char *text, size_t length)
{
  int i = 0;
  while (own_options[i] != NULL && strncmp(own_options[i], text, length) != 0) ++i;
  return own_options[i] != NULL;
}

/* The option whose name a text is, or else begins; of those with one name that of the command. NULL where there is
 * none. */
static const ss_option *option_on(const reading *r, const char *text, size_t length)
{
  const ss_option *found = NULL;
  int best = -1;
  for (int i = 0; i < r->table.count; ++i) {
    const ss_option *option = r->table.option[i];
    const int rank = (strlen(option->name) == length ? 2 : 0) + applies(option, r->command);
    if (strncmp(option->name, text, length) != 0 || rank <= best) continue;
    found = option;
    best = rank;
  }
  return found;
}

/* Ends the program as argp_error does, but names the command whose help there is. */
static _Noreturn void complain(const struct argp_state *state, const reading *r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static _Noreturn void complain(const struct argp_state *state, const reading *r, const char *format, ...)
{
  const bool known = r->command != SS_COMMAND_COUNT;
  char message[TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  ss_terminal_print_error(message);
  (void)fprintf(state->err_stream, "Try `%s%s%s --help' for more information.\n", state->name, known ? " " : "",
                known ? ss_command_row_of(r->command)->name : "");
  exit(argp_err_exit_status);
}

/* Refuses the name of an attribute, which is not an option, with what sets it; `value` is what follows. */
static void refuse_attribute(struct argp_state *state, const reading *r, const char *name, const char *value)
{
  char full[SS_TEXT_SIZE];
  if (!ss_override_named(name, strlen(name), full)) return;
  const bool has_value = value != NULL && value[0] != '\0' && value[0] != '-';
  complain(state, r, "unknown option --%s; allowed: --set %s=%s", name, full, has_value ? value : "VALUE");
}

static _Noreturn void refuse_option(struct argp_state *state, const reading *r, char *name, const char *next)
{
  const size_t length = strcspn(name, "=");
  const bool has_equals = name[length] == '=';
  name[length] = '\0';
  refuse_attribute(state, r, name, has_equals ? name + length + 1 : next);
  ss_near near = ss_near_to(name);
  near.prefix = "--";
  for (int i = 0; own_options[i] != NULL; ++i) ss_near_offer(&near, own_options[i]);
  for (int i = 0; i < r->table.count; ++i)
    if (r->command == SS_COMMAND_COUNT || applies(r->table.option[i], r->command))
      ss_near_offer(&near, r->table.option[i]->name);
  const bool known = r->command != SS_COMMAND_COUNT;
  complain(state, r, "unknown option --%s%s; allowed: those of stepsim %s%s--help", name, ss_near_hint(&near).text,
           known ? ss_command_row_of(r->command)->name : "", known ? " " : "");
}

/* Refuses an option of other commands, which it names: every row with its name has some. */
static void refuse_other(struct argp_state *state, const reading *r, const ss_option *given, ss_command taken)
{
  const char *command = ss_command_row_of(taken)->name;
  char takers[TEXT_SIZE] = "";
  size_t used = 0;
  unsigned commands = 0;
  for (int i = 0; i < r->table.count; ++i)
    if (strcmp(r->table.option[i]->name, given->name) == 0) commands |= r->table.option[i]->commands;
  for (int i = 0; i < SS_COMMAND_COUNT && used < sizeof takers; ++i)
    if ((commands & SS_ON(i)) != 0)
      used += (size_t)snprintf(takers + used, sizeof takers - used, "%s%s", used > 0 ? ", " : "",
                               ss_command_row_of((ss_command)i)->name);
  complain(state, r, "--%s does not apply to %s, but to %s; allowed: those of stepsim %s --help", given->name, command,
           takers, command);
}

/* Names of options that a text begins, as a message lists them. */
typedef struct candidates {
  char list[TEXT_SIZE];
  size_t used;
  int count;
} candidates;

/* Adds a name, once. */
static void add_candidate(candidates *all, const char *name)
{
  char item[SS_NAME_SIZE];
  (void)snprintf(item, sizeof item, " --%s,", name);
  if (all->used >= TEXT_SIZE || strstr(all->list, item) != NULL) return;
  all->used += (size_t)snprintf(all->list + all->used, TEXT_SIZE - all->used, "%s", item);
  ++all->count;
}

/* Refuses what is short for more than one option; names those of the command, where it has any. */
static void refuse_ambiguous(struct argp_state *state, const reading *r, const char *text, size_t length)
{
  candidates own = {.count = 0}, all = {.count = 0};
  bool is_whole = false;
  for (int i = 0; own_options[i] != NULL; ++i) {
    if (strncmp(own_options[i], text, length) != 0) continue;
    is_whole = is_whole || strlen(own_options[i]) == length;
    add_candidate(&own, own_options[i]);
    add_candidate(&all, own_options[i]);
  }
  for (int i = 0; i < r->table.count; ++i) {
    const char *name = r->table.option[i]->name;
    if (strncmp(name, text, length) != 0) continue;
    is_whole = is_whole || strlen(name) == length;
    if (applies(r->table.option[i], r->command)) add_candidate(&own, name);
    add_candidate(&all, name);
  }
  if (is_whole || all.count < 2) return;
  candidates *shown = own.count > 0 ? &own : &all;
  shown->list[strlen(shown->list) - 1] = '\0';
  complain(state, r, "--%.*s: is short for more than one option; allowed:%s", (int)length, text, shown->list);
}

/* Names of options as the table has them, with '-' for '_'; refuses those that it does not have. */
static void spell_options(struct argp_state *state, const reading *r)
{
  state->name = "stepsim"; /* argp has not got there */
  for (int i = 1; i < state->argc && strcmp(state->argv[i], "--") != 0; ++i) {
    char *name = state->argv[i] + 2;
    if (strncmp(state->argv[i], "--", 2) != 0) continue;
    const size_t length = strcspn(name, "=");
    for (size_t c = 0; c < length; ++c)
      if (name[c] == '_') name[c] = '-';
    if (begins_own(name, length)) {
      refuse_ambiguous(state, r, name, length);
      continue;
    }
    const ss_option *option = option_on(r, name, length);
    if (option == NULL) refuse_option(state, r, name, state->argv[i + 1]);
    refuse_ambiguous(state, r, name, length);
    if (option->argument == NULL || option->is_optional || name[length] != '\0') continue;
    if (i + 1 == state->argc && r->command != SS_COMMAND_COUNT && !applies(option, r->command))
      refuse_other(state, r, option, r->command);
    if (++i == state->argc) /* what follows is its value */
      complain(state, r, "--%s has no value; allowed: --%s=%s", option->name, option->name, option->argument);
  }
}

static void parse_command(struct argp_state *state, reading *r, const char *text)
{
  r->options->command = ss_command_of(text);
  r->has_command = true;
  if (r->options->command != SS_COMMAND_COUNT) return;
#define COMMAND_NAME(id, name, arguments, least, most, first, rest, help, example, function) name,
#define COMMAND_WORD(id, name, arguments, least, most, first, rest, help, example, function) " " name
  static const char *const names[] = {SS_COMMAND_LIST(COMMAND_NAME) NULL};
  complain(state, r, "unknown command \"%s\"%s; allowed:" SS_COMMAND_LIST(COMMAND_WORD), text,
           ss_hint_of(text, names).text);
#undef COMMAND_NAME
#undef COMMAND_WORD
}

static void parse_argument(struct argp_state *state, reading *r, const char *text)
{
  ss_options *options = r->options;
  if (!r->has_command) {
    parse_command(state, r, text);
    return;
  }
  const ss_command_row *row = ss_command_row_of(options->command);
  if (options->argument_count < row->most)
    options->argument[options->argument_count++] = text;
  else
    complain(state, r, "one argument too many: \"%s\"; expected: stepsim %s%s%s", text, row->name,
             row->arguments[0] != '\0' ? " " : "", row->arguments);
}

/* Whether all is there that the command cannot do without. */
static bool is_complete(const ss_options *options)
{
  if (options->command == SS_COMMAND_PLATFORM && options->platform.build[SS_BUILD_GPUS] == NULL) return false;
  return options->argument_count >= ss_command_row_of(options->command)->least;
}

/* Ends the program where options are not usable. */
static void refuse(struct argp_state *state, const reading *r, ss_status status, const ss_error *error)
{
  if (status != SS_OK) complain(state, r, "%s", error->message);
}

static void finish(struct argp_state *state, const reading *r)
{
  ss_error error;
  ss_options *options = r->options;
  if (!r->has_command) complain(state, r, "no command given");
  const ss_command_row *row = ss_command_row_of(options->command);
  if (!is_complete(options)) complain(state, r, "expected: stepsim %s %s", row->name, row->arguments);
  for (int i = 0; i < r->table.count; ++i)
    if (r->table.is_given[i] && !applies(r->table.option[i], options->command))
      refuse_other(state, r, r->table.option[i], options->command);
  refuse(state, r, ss_options_check(options, &r->table, &error), &error);
}

/* The row with a key: of those with one letter that of the command. -1 where there is none. */
static int row_of(const reading *r, int key)
{
  int found = -1;
  for (int i = 0; i < r->table.count; ++i)
    if (key_of(r, i) == key && (found < 0 || applies(r->table.option[i], r->command))) found = i;
  return found;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  reading *r = state->input;
  ss_error error;
  if (key == ARGP_KEY_INIT) spell_options(state, r);
  if (key == ARGP_KEY_ARG) parse_argument(state, r, text);
  if (key == ARGP_KEY_END) finish(state, r);
  if (key == ARGP_KEY_INIT || key == ARGP_KEY_ARG || key == ARGP_KEY_END) return 0;
  const int row = row_of(r, key);
  if (row < 0) return ARGP_ERR_UNKNOWN;
  refuse(state, r, ss_option_table_set(&r->table, row, r->options, text, &error), &error);
  return 0;
}

bool ss_command_line_is_shared(int argc, char **argv)
{
  const ss_command command = command_on(argc, argv);
  return command != SS_COMMAND_COUNT && (SS_ON(command) & SS_ON_REPLAYS) != 0;
}

/* What help says before its options and, behind \v, after them: of one command, or of all. */
static void write_doc(ss_command command, char text[TEXT_SIZE])
{
  size_t used = 0;
  if (command != SS_COMMAND_COUNT) {
    const ss_command_row *row = ss_command_row_of(command);
    (void)snprintf(text, TEXT_SIZE, "%c%s.\n\nExample:\n  stepsim %s %s\n\nOptions:", toupper(row->help[0]),
                   row->help + 1, row->name, row->example);
    return;
  }
  used += (size_t)snprintf(text, TEXT_SIZE, "Predicts one training iteration of a transformer on a GPU cluster.\n\n");
  for (int i = 0; i < SS_COMMAND_COUNT && used < TEXT_SIZE; ++i)
    used += (size_t)snprintf(text + used, TEXT_SIZE - used, "  %-10s %s\n", ss_command_row_of((ss_command)i)->name,
                             ss_command_row_of((ss_command)i)->help);
  if (used < TEXT_SIZE)
    (void)snprintf(text + used, TEXT_SIZE - used,
                   "\nstepsim COMMAND --help lists the options of a command, with an example.\n\vExit status: 0 done, "
                   "1 failed, 2 bad usage or input, 3 does not fit in memory.");
}

/* The arguments that usage shows. */
static void write_arguments(ss_command command, char text[TEXT_SIZE])
{
  if (command == SS_COMMAND_COUNT)
    (void)snprintf(text, TEXT_SIZE, "COMMAND ...");
  else
    (void)snprintf(text, TEXT_SIZE, "%s%s%s", ss_command_row_of(command)->name,
                   ss_command_row_of(command)->arguments[0] != '\0' ? " " : "", ss_command_row_of(command)->arguments);
}

/* "help COMMAND" as "COMMAND --help", and "help" as "--help". */
static void take_help(int argc, char **argv)
{
  static char option[] = "--help";
  if (argc < 2 || strcmp(argv[1], "help") != 0) return;
  if (argc > 2) argv[1] = argv[2];
  argv[argc > 2 ? 2 : 1] = option;
}

void ss_command_line_parse(int argc, char **argv, ss_options *options)
{
  take_help(argc, argv);
  struct argp_option rows[SS_MAX_OPTIONS + 1];
  char doc[TEXT_SIZE], arguments[TEXT_SIZE];
  reading r = {.options = options, .command = command_on(argc, argv)};
  ss_options_init(options);
  options->line_count = argc;
  options->line = argv;
  ss_option_table_init(&r.table);
  fill_table(&r, rows);
  write_doc(r.command, doc);
  write_arguments(r.command, arguments);
  const struct argp argp = {.options = rows, .parser = parse, .args_doc = arguments, .doc = doc};
  argp_err_exit_status = SS_EXIT_USAGE;
  (void)argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &r);
}
