#include "sim/cli/options.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef SS_VERSION
#error "SS_VERSION is the version of the program, defined by the build"
#endif

const char *argp_program_version = "stepsim " SS_VERSION;

enum {
  KEY_SET = 's',
  KEY_QUIET = 'q',
  KEY_VERBOSE = 'v',
  KEY_JSON = 256,
  KEY_TRACE,
  KEY_RANKS,
  KEY_MICRO_BATCHES,
  KEY_COST,
  KEY_FLOWS
};

#define ON(command)   (1u << (command))
#define PREDICTIONS   (ON(SS_COMMAND_RUN) | ON(SS_COMMAND_ESTIMATE))
#define EVERY_COMMAND (PREDICTIONS | ON(SS_COMMAND_DESCRIBE))

#define COST_HELP(id, word, help)  word ": " help "; "
#define FLOWS_HELP(id, word, help) word ": " help "; "

/* The options, and the commands that take them. */
static const struct {
  struct argp_option option;
  unsigned commands;
} rows[] = {
    {{"set", KEY_SET, "NAME=VALUE", 0, "Override ELEMENT.ATTRIBUTE of the workload or platform.PROPERTY; repeatable",
      0},
     EVERY_COMMAND},
    {{"cost", KEY_COST, "MODEL", 0, "Cost model of operations - " SS_COST_LIST(COST_HELP) "default calibrated", 0},
     EVERY_COMMAND},
    {{"flows", KEY_FLOWS, "WHICH", 0, "What becomes flows - " SS_FLOWS_LIST(FLOWS_HELP) "default shared", 0},
     ON(SS_COMMAND_RUN)},
    {{"json", KEY_JSON, "FILE", 0, "Write the prediction as JSON; - is standard output, instead of the table", 0},
     PREDICTIONS},
    {{"trace", KEY_TRACE, "FILE", 0, "Write a timeline: .paje or .trace for Paje, .json for Perfetto; repeatable", 0},
     ON(SS_COMMAND_RUN)},
    {{"trace-ranks", KEY_RANKS, "LIST", 0, "Ranks in the timeline, such as 0-511:32 or 0,4,8-15; default all", 0},
     ON(SS_COMMAND_RUN)},
    {{"trace-micro-batches", KEY_MICRO_BATCHES, "LIST", 0,
      "Micro-batches in the timeline, such as 0-3,188-191; default all", 0},
     ON(SS_COMMAND_RUN)},
    {{"quiet", KEY_QUIET, NULL, 0, "No progress and no notes on standard error", 0}, EVERY_COMMAND},
    {{"verbose", KEY_VERBOSE, NULL, 0, "Print the settings of the network simulator", 0}, ON(SS_COMMAND_RUN)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct {
  const char *name, *arguments;
} commands[SS_COMMAND_COUNT] = {
#define COMMAND_ROW(id, name, arguments, help, function) {name, arguments},
    SS_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
};

/* What has been read so far. */
typedef struct reading {
  ss_options *options;
  bool has_command;
  unsigned given[ROWS]; /* which options were there */
} reading;

static int64_t parse_index(struct argp_state *state, const char *what, const char *list, const char *text, char **end)
{
  errno = 0;
  const long long value = strtoll(text, end, 10);
  if (!isdigit((unsigned char)*text) || errno != 0)
    argp_error(state, "%s \"%s\": not a list of numbers; allowed: such as 0-511:32 or 0,4,8-15", what, list);
  return value;
}

/* Reads "0-63:4,128" into ranges. */
static void parse_selection(struct argp_state *state, const char *what, const char *list, ss_selection *selection)
{
  char *end = (char *)(uintptr_t)list;
  *selection = (ss_selection){0};
  do {
    if (selection->count == SS_SELECTION_RANGES)
      argp_error(state, "%s \"%s\": more than %d ranges", what, list, SS_SELECTION_RANGES);
    const char *text = end;
    int64_t first = parse_index(state, what, list, text, &end), last = first, step = 1;
    if (*end == '-') last = parse_index(state, what, list, end + 1, &end);
    if (*end == ':') step = parse_index(state, what, list, end + 1, &end);
    if ((*end != ',' && *end != '\0') || last < first || step < 1)
      argp_error(state, "%s \"%s\": not a list of ranges; allowed: such as 0-511:32 or 0,4,8-15", what, list);
    selection->range[selection->count].first = first;
    selection->range[selection->count].last = last;
    selection->range[selection->count++].step = step;
  } while (*end++ == ',');
}

static void parse_cost(struct argp_state *state, const char *word, ss_options *options)
{
#define COST_WORD(id, name, help) " " name
  if (!ss_cost_find(word, &options->cost))
    argp_error(state, "--cost \"%s\": unknown; allowed:" SS_COST_LIST(COST_WORD), word);
#undef COST_WORD
}

static void parse_flows(struct argp_state *state, const char *word, ss_options *options)
{
  static const char *const words[] = {
#define FLOWS_WORD(id, name, help) name,
      SS_FLOWS_LIST(FLOWS_WORD)
#undef FLOWS_WORD
  };
  for (int i = 0; i < SS_FLOWS_COUNT; ++i)
    if (strcmp(word, words[i]) == 0) {
      options->flows = (ss_flows)i;
      return;
    }
#define FLOWS_WORD(id, name, help) " " name
  argp_error(state, "--flows \"%s\": unknown; allowed:" SS_FLOWS_LIST(FLOWS_WORD), word);
#undef FLOWS_WORD
}

static void parse_argument(struct argp_state *state, reading *r, const char *text)
{
  ss_options *options = r->options;
  if (!r->has_command) {
    for (int i = 0; i < SS_COMMAND_COUNT; ++i)
      if (strcmp(text, commands[i].name) == 0) {
        options->command = (ss_command)i;
        r->has_command = true;
        return;
      }
#define COMMAND_WORD(id, name, arguments, help, function) " " name
    argp_error(state, "unknown command \"%s\"; allowed:" SS_COMMAND_LIST(COMMAND_WORD), text);
#undef COMMAND_WORD
  } else if (options->workload == NULL) {
    options->workload = text;
  } else if (options->platform == NULL) {
    options->platform = text;
  } else {
    argp_error(state, "one argument too many: \"%s\"; expected: stepsim %s %s", text, commands[options->command].name,
               commands[options->command].arguments);
  }
}

static void check_complete(struct argp_state *state, const reading *r)
{
  const ss_options *options = r->options;
  if (!r->has_command) argp_error(state, "no command given");
  const bool needs_platform = ON(options->command) & PREDICTIONS;
  if (options->workload == NULL || (needs_platform && options->platform == NULL))
    argp_error(state, "expected: stepsim %s %s", commands[options->command].name, commands[options->command].arguments);
  for (int i = 0; i < ROWS; ++i)
    if (r->given[i] && !(rows[i].commands & ON(options->command)))
      argp_error(state, "--%s does not apply to %s", rows[i].option.name, commands[options->command].name);
  if (options->trace_count == 0 && (options->trace_ranks.count > 0 || options->trace_micro_batches.count > 0))
    argp_error(state, "--trace-ranks and --trace-micro-batches need --trace");
}

static void keep(struct argp_state *state, const char **list, int64_t *count, int64_t capacity, const char *name,
                 const char *text)
{
  if (*count == capacity) argp_error(state, "more than %lld times --%s", (long long)capacity, name);
  list[(*count)++] = text;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  reading *r = state->input;
  ss_options *options = r->options;
  for (int i = 0; i < ROWS; ++i) r->given[i] |= rows[i].option.key == key;
  switch (key) {
  case KEY_SET: keep(state, options->override, &options->override_count, SS_MAX_OVERRIDES, "set", text); return 0;
  case KEY_TRACE: keep(state, options->trace, &options->trace_count, SS_MAX_TRACES, "trace", text); return 0;
  case KEY_RANKS: parse_selection(state, "--trace-ranks", text, &options->trace_ranks); return 0;
  case KEY_MICRO_BATCHES:
    parse_selection(state, "--trace-micro-batches", text, &options->trace_micro_batches);
    return 0;
  case KEY_JSON: options->json = text; return 0;
  case KEY_COST: parse_cost(state, text, options); return 0;
  case KEY_FLOWS: parse_flows(state, text, options); return 0;
  case KEY_QUIET: options->quiet = true; return 0;
  case KEY_VERBOSE: options->verbose = true; return 0;
  case ARGP_KEY_ARG: parse_argument(state, r, text); return 0;
  case ARGP_KEY_END: check_complete(state, r); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

#define COMMAND_HELP(id, name, arguments, help, function) "  " name " " arguments "\n      " help "\n"

void ss_options_parse(int argc, char **argv, ss_options *options)
{
  struct argp_option table[ROWS + 1];
  for (int i = 0; i < ROWS; ++i) table[i] = rows[i].option;
  table[ROWS] = (struct argp_option){0};
  const struct argp argp = {
      .options = table,
      .parser = parse,
      .args_doc = "COMMAND WORKLOAD PLATFORM",
      .doc = "Predicts one training iteration of a transformer on a GPU cluster.\n\nCommands:\n" SS_COMMAND_LIST(
          COMMAND_HELP) "\nOptions:\v"
                        "Results go to standard output, everything else to standard error.\n"
                        "Exit status: 0 done, 1 the run failed, 2 bad usage or input, 3 the workload does not fit in "
                        "memory."};
  *options = (ss_options){.cost = SS_COST_CALIBRATED};
  reading r = {.options = options};
  argp_err_exit_status = SS_EXIT_USAGE;
  (void)argp_parse(&argp, argc, argv, 0, NULL, &r);
}
