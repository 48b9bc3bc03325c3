#include "sim/cli/command_line.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/exit_status.h"
#include "sim/cli/option_checks.h"
#include "sim/cli/version.h"

static void print_version(FILE *stream, struct argp_state *state)
{
  (void)state;
  (void)fprintf(stream, "stepsim %s\n", ss_version);
}

void (*argp_program_version_hook)(FILE *, struct argp_state *) = print_version;

enum { FIRST_KEY = 256, DEFAULT_SEED = 1, MAX_ROWS = 64 };

/* The tables of options, and where in all options the values of each are. */
static const struct {
  const ss_option *rows;
  size_t offset;
} concerns[] = {
#define CONCERN_ROW(field, type, rows) {rows, offsetof(ss_options, field)},
    SS_CONCERN_LIST(CONCERN_ROW)
#undef CONCERN_ROW
};

static const struct {
  const char *name, *arguments;
  int64_t least, most;
} commands[SS_COMMAND_COUNT] = {
#define COMMAND_ROW(id, name, arguments, least, most, help, function) {name, arguments, least, most},
    SS_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
};

/* One of all options. */
typedef struct table_row {
  const ss_option *option;
  void *target; /* of its value */
  int key;
  bool is_given;
} table_row;

/* What has been read so far. */
typedef struct reading {
  ss_options *options;
  bool has_command;
  table_row row[MAX_ROWS]; /* [rows] */
  int rows;
} reading;

/* All options, in the order of the concerns. */
static void list_options(reading *r)
{
  for (size_t i = 0; i < sizeof concerns / sizeof concerns[0]; ++i)
    for (const ss_option *option = concerns[i].rows; option->name != NULL; ++option) {
      SS_ASSERT(r->rows < MAX_ROWS);
      r->row[r->rows] = (table_row){.option = option,
                                    .target = (char *)r->options + concerns[i].offset + option->target,
                                    .key = option->letter != 0 ? option->letter : FIRST_KEY + r->rows};
      ++r->rows;
    }
}

/* The first word that is a command: of options with one name, its own are to be found. */
static unsigned command_on(int argc, char **argv)
{
  for (int i = 1; i < argc; ++i)
    for (int command = 0; command < SS_COMMAND_COUNT; ++command)
      if (strcmp(argv[i], commands[command].name) == 0) return SS_ON(command);
  return 0;
}

/* The options of the command before the others. */
static void fill_table(const reading *r, unsigned on, struct argp_option table[MAX_ROWS + 1])
{
  int used = 0;
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < r->rows; ++i) {
      const ss_option *option = r->row[i].option;
      if (((option->commands & on) == 0) != (turn != 0)) continue;
      table[used++] = (struct argp_option){.name = option->name,
                                           .key = r->row[i].key,
                                           .arg = option->argument,
                                           .flags = option->is_optional ? OPTION_ARG_OPTIONAL : 0,
                                           .doc = option->help};
    }
  table[used] = (struct argp_option){0};
}

static void parse_command(struct argp_state *state, reading *r, const char *text)
{
  for (int i = 0; i < SS_COMMAND_COUNT; ++i)
    if (strcmp(text, commands[i].name) == 0) {
      r->options->command = (ss_command)i;
      r->has_command = true;
      return;
    }
#define COMMAND_WORD(id, name, arguments, least, most, help, function) " " name
  argp_error(state, "unknown command \"%s\"; allowed:" SS_COMMAND_LIST(COMMAND_WORD), text);
#undef COMMAND_WORD
}

static void parse_argument(struct argp_state *state, reading *r, const char *text)
{
  ss_options *options = r->options;
  if (!r->has_command)
    parse_command(state, r, text);
  else if (options->argument_count < commands[options->command].most)
    options->argument[options->argument_count++] = text;
  else
    argp_error(state, "one argument too many: \"%s\"; expected: stepsim %s %s", text, commands[options->command].name,
               commands[options->command].arguments);
}

/* Whether all is there that the command cannot do without. */
static bool is_complete(const ss_options *options)
{
  if (options->command == SS_COMMAND_PLATFORM && options->platform.build[SS_BUILD_GPUS] == NULL) return false;
  return options->argument_count >= commands[options->command].least;
}

static void finish(struct argp_state *state, const reading *r)
{
  ss_options *options = r->options;
  if (!r->has_command) argp_error(state, "no command given");
  if (!is_complete(options))
    argp_error(state, "expected: stepsim %s %s", commands[options->command].name, commands[options->command].arguments);
  for (int i = 0; i < r->rows; ++i)
    if (r->row[i].is_given && !(r->row[i].option->commands & SS_ON(options->command)))
      argp_error(state, "--%s does not apply to %s", r->row[i].option->name, commands[options->command].name);
  ss_options_check(state, options);
  if ((SS_ON(options->command) & SS_ON_TASKS) == 0) return;
  options->common.workload = options->argument[0];
  options->common.platform = options->argument_count > 1 ? options->argument[1] : NULL;
}

/* What an option says can be said once, but for those that make a list. */
static void set_option(struct argp_state *state, table_row *row, char *text)
{
  const ss_option *option = row->option;
  if (row->is_given && option->argument != NULL && !option->repeats)
    argp_error(state, "--%s occurs again; allowed: once", option->name);
  row->is_given = true;
  option->set(state, option, row->target, text);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  reading *r = state->input;
  if (key == ARGP_KEY_ARG) parse_argument(state, r, text);
  if (key == ARGP_KEY_END) finish(state, r);
  if (key == ARGP_KEY_ARG || key == ARGP_KEY_END) return 0;
  for (int i = 0; i < r->rows; ++i) {
    if (r->row[i].key != key) continue;
    set_option(state, &r->row[i], text);
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

bool ss_command_line_is_shared(int argc, char **argv)
{
  return (command_on(argc, argv) & SS_ON_REPLAYS) != 0;
}

#define COMMAND_HELP(id, name, arguments, least, most, help, function) "  " name " " arguments "\n      " help "\n"

void ss_command_line_parse(int argc, char **argv, ss_options *options)
{
  struct argp_option table[MAX_ROWS + 1];
  reading r = {.options = options};
  *options = (ss_options){.line_count = argc,
                          .line = argv,
                          .common = {.cost = SS_COST_CALIBRATED},
                          .replay = {.seed = DEFAULT_SEED, .budget = ss_budget_from_now(0.0, 0.0)},
                          .run = {.trials = 1}};
  list_options(&r);
  fill_table(&r, command_on(argc, argv), table);
  const struct argp argp = {
      .options = table,
      .parser = parse,
      .args_doc = "COMMAND WORKLOAD PLATFORM",
      .doc = "Predicts one training iteration of a transformer on a GPU cluster.\n\nCommands:\n" SS_COMMAND_LIST(
          COMMAND_HELP) "\nOptions:\v"
                        "Results go to standard output, everything else to standard error.\n"
                        "Exit status: 0 done, 1 the run failed, 2 bad usage or input, 3 the workload does not fit in "
                        "memory, or nothing that a search tried does."};
  argp_err_exit_status = SS_EXIT_USAGE;
  (void)argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &r);
}
