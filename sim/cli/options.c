#include "sim/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/option_values.h"

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
  KEY_FLOWS,
  KEY_FOLD,
  KEY_BESIDE,
  KEY_GPUS,
  KEY_GLOBAL_BATCH,
  KEY_TENSOR,
  KEY_KNOBS,
  KEY_TOP,
  KEY_REPLAY,
  KEY_OBJECTIVE,
  KEY_PARETO,
  KEY_BUDGET,
  KEY_BEST,
  KEY_FEWER,
  KEY_VARY,
  KEY_REPLAY_ALL,
  KEY_CSV,
  KEY_DB,
  KEY_SEED,
  KEY_TRIALS,
  KEY_MAX_SECONDS,
  KEY_MAX_MEMORY,
  KEY_LINKS,
  KEY_PLOT,
  KEY_SUMMARY,
  KEY_CHECK,
  KEY_REPLAY_FIT,
  KEY_QUICK,
  KEY_BUILD /* and those after it: SS_BUILD_LIST */
};

enum { DEFAULT_TOP = 10, MAX_TOP = 1000, DEFAULT_SEED = 1, MAX_TRIALS = 100000 };

#define ON(command)   (1u << (command))
#define PREDICTIONS   (ON(SS_COMMAND_RUN) | ON(SS_COMMAND_ESTIMATE))
#define WITH_PLATFORM (PREDICTIONS | ON(SS_COMMAND_SEARCH) | ON(SS_COMMAND_SWEEP))
#define REPLAYS       (ON(SS_COMMAND_RUN) | ON(SS_COMMAND_SEARCH) | ON(SS_COMMAND_SWEEP) | MEASURES)
#define VALIDATES     ON(SS_COMMAND_VALIDATE)
#define FITS          ON(SS_COMMAND_FIT)
#define MEASURES      (VALIDATES | FITS)
#define SEARCHES      (ON(SS_COMMAND_SEARCH) | ON(SS_COMMAND_SWEEP))
#define EVERY_COMMAND (WITH_PLATFORM | ON(SS_COMMAND_DESCRIBE))
#define WRITES        ON(SS_COMMAND_PLATFORM)

#define COST_HELP(id, word, help)      word ": " help "; "
#define FLOWS_HELP(id, word, help)     word ": " help "; "
#define OBJECTIVE_HELP(id, word, help) word ": " help "; "
#define BEST_HELP(id, word, help)      word ": " help "; "

#define BUILD_ROW(id, name, argument, help) {{name, KEY_BUILD + (id), argument, 0, help, 0}, WRITES},

/* The options, and the commands that take them. Two may have one name where no command takes both. */
static const struct {
  struct argp_option option;
  unsigned commands;
} rows[] = {
    {{"set", KEY_SET, "NAME=VALUE", 0, "Override ELEMENT.ATTRIBUTE of the workload or platform.PROPERTY; repeatable",
      0},
     EVERY_COMMAND | WRITES | MEASURES},
    {{"cost", KEY_COST, "MODEL", 0, "Cost model of operations - " SS_COST_LIST(COST_HELP) "default calibrated", 0},
     EVERY_COMMAND | MEASURES},
    {{"flows", KEY_FLOWS, "WHICH", 0, "What becomes flows - " SS_FLOWS_LIST(FLOWS_HELP) "default shared", 0}, REPLAYS},
    {{"fold", KEY_FOLD, "HOW", 0, "What the replay simulates - " SS_FOLD_LIST(FLOWS_HELP) "default auto", 0}, REPLAYS},
    {{"beside", KEY_BESIDE, "WORKLOAD", 0,
      "Another job on GPUs that this one leaves free, iteration after iteration, while this one runs", 0},
     ON(SS_COMMAND_RUN)},
    {{"gpus", KEY_GPUS, "LIST", 0,
      "GPUs to search for, such as 512,1024; default all of the platform. For a sweep one number: dp is what it leaves",
      0},
     SEARCHES},
    {{"budget", KEY_BUDGET, "DOLLARS", 0, "As many GPUs, in whole domains, as this buys at the platform's gpu-price",
      0},
     SEARCHES},
    {{"global-batch", KEY_GLOBAL_BATCH, "N", 0, "Short for --set training.global-batch=N", 0}, WITH_PLATFORM},
    {{"tensor", KEY_TENSOR, "LIST", 0, "Tensor layouts to try, of 1d,2d,summa; default that of the workload", 0},
     SEARCHES},
    {{"knobs", KEY_KNOBS, "LIST", 0, "What else to vary, such as recompute,schedule; a wrong one lists all", 0},
     SEARCHES},
    {{"top", KEY_TOP, "K", 0, "List the K best; default 10", 0}, ON(SS_COMMAND_SEARCH)},
    {{"pareto", KEY_PARETO, NULL, 0, "List all that no other beats in both time and memory", 0}, ON(SS_COMMAND_SEARCH)},
    {{"replay", KEY_REPLAY, "K", 0, "Replay the K best and rank them by that", 0}, ON(SS_COMMAND_SEARCH)},
    {{"objective", KEY_OBJECTIVE, "WHAT", 0, "What is best - " SS_OBJECTIVE_LIST(OBJECTIVE_HELP) "default time", 0},
     SEARCHES},
    {{"vary", KEY_VARY, "NAME=LIST", 0,
      "Values of ELEMENT.ATTRIBUTE, platform.PROPERTY, gpus or platform, such as parallelism.pp=1,2,4 or =1..64*2; "
      "once "
      "or twice",
      0},
     ON(SS_COMMAND_SWEEP)},
    {{"best", KEY_BEST, "WHAT", 0, "What is chosen at every point - " SS_BEST_LIST(BEST_HELP) "default nothing", 0},
     ON(SS_COMMAND_SWEEP)},
    {{"fewer", KEY_FEWER, NULL, 0, "With --best strategy, also try to leave domains over, one after the other", 0},
     ON(SS_COMMAND_SWEEP)},
    {{"replay", KEY_REPLAY_ALL, "K", OPTION_ARG_OPTIONAL,
      "Replay every point of a sweep; with --best its K best, and choose by that", 0},
     ON(SS_COMMAND_SWEEP)},
    {{"csv", KEY_CSV, "FILE", 0,
      "Write points of a sweep or of measurements, or results, as CSV; - is standard output, instead of the table", 0},
     ON(SS_COMMAND_SWEEP) | ON(SS_COMMAND_RESULTS) | VALIDATES},
    {{"json", KEY_JSON, "FILE", 0, "Write the result as JSON; - is standard output, instead of the table", 0},
     WITH_PLATFORM | ON(SS_COMMAND_RESULTS) | MEASURES},
    {{"db", KEY_DB, "FILE", 0, "Keep every result in a database as soon as it is done, and take what is there", 0},
     SEARCHES},
    {{"trace", KEY_TRACE, "FILE", 0, "Write a timeline: .paje or .trace for Paje, .json for Perfetto; repeatable", 0},
     ON(SS_COMMAND_RUN)},
    {{"trace-ranks", KEY_RANKS, "LIST", 0, "Ranks in the timeline, such as 0-511:32 or 0,4,8-15; default all", 0},
     ON(SS_COMMAND_RUN)},
    {{"trace-micro-batches", KEY_MICRO_BATCHES, "LIST", 0,
      "Micro-batches in the timeline, such as 0-3,188-191; default all", 0},
     ON(SS_COMMAND_RUN)},
    {{"links", KEY_LINKS, "FILE", 0,
      "Write what every link carried, in slices of the iteration, as CSV; - is standard output, instead of the table",
      0},
     ON(SS_COMMAND_RUN)},
    {{"seed", KEY_SEED, "S", 0, "Seed of the random numbers of kernel-noise and gpu-spread; default 1", 0},
     ON(SS_COMMAND_RUN)},
    {{"trials", KEY_TRIALS, "N", 0,
      "Replay N times, each with a seed of its own that follows from --seed; a timeline is of the first; default 1", 0},
     ON(SS_COMMAND_RUN)},
    {{"max-seconds", KEY_MAX_SECONDS, "S", 0, "Stop, and fail, when replays still run after this time", 0}, REPLAYS},
    {{"max-memory", KEY_MAX_MEMORY, "CAPACITY", 0, "Stop, and fail, when a replay has more in memory, such as 8GiB", 0},
     REPLAYS},
    {{"plot", KEY_PLOT, "FILE", 0, "Draw predicted against measured times, as SVG", 0}, VALIDATES},
    {{"summary", KEY_SUMMARY, NULL, 0, "Print the errors of groups and sweeps only", 0}, VALIDATES},
    {{"check", KEY_CHECK, NULL, 0, "Fail where the mean absolute error of a group exceeds its bound", 0}, VALIDATES},
    {{"replay", KEY_REPLAY_FIT, NULL, 0, "Fit the replay, not the closed form", 0}, FITS},
    {{"quick", KEY_QUICK, NULL, 0, "Do not fit again without each of the sources", 0}, FITS},
    {{"quiet", KEY_QUIET, NULL, 0, "No progress and no notes on standard error", 0}, EVERY_COMMAND | MEASURES},
    {{"verbose", KEY_VERBOSE, NULL, 0, "Print the settings of the network simulator", 0}, ON(SS_COMMAND_RUN)},
    SS_BUILD_LIST(BUILD_ROW)};
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

/* Where the next argument of the command belongs; NULL where it takes no more. */
static const char **free_slot(ss_options *options)
{
  if (ON(options->command) & MEASURES) {
    const int64_t most = options->command == SS_COMMAND_FIT ? 1 : SS_MAX_FILES;
    return options->file_count < most ? &options->file[options->file_count++] : NULL;
  }
  const bool lists = options->command == SS_COMMAND_RESULTS;
  if (options->command == SS_COMMAND_PLATFORM) return NULL;
  const char **slots[] = {lists ? &options->database : &options->workload, lists ? NULL : &options->platform};
  for (int i = 0; i < 2; ++i)
    if (slots[i] != NULL && *slots[i] == NULL) return slots[i];
  return NULL;
}

/* Whether all arguments are there that the command needs. */
static bool has_arguments(const ss_options *options)
{
  if (options->command == SS_COMMAND_RESULTS) return options->database != NULL;
  if (options->command == SS_COMMAND_PLATFORM) return options->build[SS_BUILD_GPUS] != NULL;
  if (options->command == SS_COMMAND_VALIDATE) return true;
  if (options->command == SS_COMMAND_FIT) return options->file_count == 1;
  const bool needs_platform = ON(options->command) & WITH_PLATFORM;
  return options->workload != NULL && (!needs_platform || options->platform != NULL);
}

static void parse_argument(struct argp_state *state, reading *r, const char *text)
{
  ss_options *options = r->options;
  const char **slot = r->has_command ? free_slot(options) : NULL;
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
  } else if (slot != NULL) {
    *slot = text;
  } else {
    argp_error(state, "one argument too many: \"%s\"; expected: stepsim %s %s", text, commands[options->command].name,
               commands[options->command].arguments);
  }
}

/* What only a choice can do something with. */
static void check_best(struct argp_state *state, const reading *r)
{
  const ss_options *options = r->options;
  const bool chooses = options->best != SS_BEST_NOTHING;
  if (options->best != SS_BEST_STRATEGY && (options->tensors != 0 || options->knobs != 0))
    argp_error(state, "--%s needs --best strategy", options->tensors != 0 ? "tensor" : "knobs");
  if (options->best != SS_BEST_STRATEGY && options->fewer) argp_error(state, "--fewer needs --best strategy");
  if (!chooses && options->objective != SS_OBJECTIVE_TIME) argp_error(state, "--objective needs --best");
  if (!chooses && options->replay > 1)
    argp_error(state, "--replay=%lld: there is one strategy at a point; allowed: 1, or more with --best",
               (long long)options->replay);
}

static bool is_given(const reading *r, int key)
{
  for (int i = 0; i < ROWS; ++i)
    if (rows[i].option.key == key) return r->given[i];
  return false;
}

static void check_search(struct argp_state *state, const reading *r)
{
  const ss_options *options = r->options;
  if (options->pareto && (is_given(r, KEY_TOP) || is_given(r, KEY_OBJECTIVE)))
    argp_error(state, "--pareto lists all of the front: --top and --objective do not apply");
  if (!options->pareto && options->replay > options->top)
    argp_error(state, "--replay %lld: more than are listed; allowed: 1 to %lld, or a larger --top",
               (long long)options->replay, (long long)options->top);
}

static void check_sweep(struct argp_state *state, const reading *r)
{
  const ss_options *options = r->options;
  if (options->vary_count == 0) argp_error(state, "sweep needs --vary NAME=VALUE,VALUE,...");
  if (options->gpus_count > 1)
    argp_error(state, "--gpus: a sweep takes one number; allowed: one, or --vary " SS_SWEEP_GPUS "=LIST");
  check_best(state, r);
}

static void check_complete(struct argp_state *state, const reading *r)
{
  const ss_options *options = r->options;
  if (!r->has_command) argp_error(state, "no command given");
  if (!has_arguments(options))
    argp_error(state, "expected: stepsim %s %s", commands[options->command].name, commands[options->command].arguments);
  for (int i = 0; i < ROWS; ++i)
    if (r->given[i] && !(rows[i].commands & ON(options->command)))
      argp_error(state, "--%s does not apply to %s", rows[i].option.name, commands[options->command].name);
  if (options->command == SS_COMMAND_SWEEP) check_sweep(state, r);
  if (ss_option_is_standard_output(options->json) && ss_option_is_standard_output(options->csv))
    argp_error(state, "--json and --csv cannot both be standard output");
  if (ss_option_is_standard_output(options->json) && ss_option_is_standard_output(options->links))
    argp_error(state, "--json and --links cannot both be standard output");
  if (ss_option_is_standard_output(options->plot))
    argp_error(state, "--plot \"-\": is no file; allowed: the path of one");
  if (ss_option_is_standard_output(options->db)) argp_error(state, "--db \"-\": is no file; allowed: the path of one");
  if (options->budget > 0.0 && options->gpus_count > 0)
    argp_error(state, "--budget and --gpus: allowed: one of the two");
  if (options->trace_count == 0 && (options->trace_ranks.count > 0 || options->trace_micro_batches.count > 0))
    argp_error(state, "--trace-ranks and --trace-micro-batches need --trace");
  if (options->command == SS_COMMAND_SEARCH) check_search(state, r);
  if (options->replay > 0 && options->objective == SS_OBJECTIVE_MEMORY)
    argp_error(state, "--replay does not apply to --objective memory, which it does not change");
}

static void keep(struct argp_state *state, const char **list, int64_t *count, int64_t capacity, const char *name,
                 const char *text)
{
  if (*count == capacity) argp_error(state, "more than %lld times --%s", (long long)capacity, name);
  list[(*count)++] = text;
}

static void keep_global_batch(struct argp_state *state, const char *text, ss_options *options)
{
  const char *const attribute = "training.global-batch=";
  if (strlen(attribute) + strlen(text) >= sizeof options->global_batch)
    argp_error(state, "--global-batch \"%s\": is not a number of sequences", text);
  (void)snprintf(options->global_batch, sizeof options->global_batch, "%s%s", attribute, text);
  keep(state, options->override, &options->override_count, SS_MAX_OVERRIDES, "set", options->global_batch);
}

/* The options of a search. */
static bool parse_search(int key, char *text, struct argp_state *state, ss_options *options)
{
  switch (key) {
  case KEY_GPUS: ss_parse_gpus(state, text, options); return true;
  case KEY_GLOBAL_BATCH: keep_global_batch(state, text, options); return true;
  case KEY_TENSOR: ss_parse_tensor(state, text, options); return true;
  case KEY_KNOBS: ss_parse_knobs(state, text, options); return true;
  case KEY_TOP: options->top = ss_parse_one_count(state, "--top", text, MAX_TOP); return true;
  case KEY_REPLAY: options->replay = ss_parse_one_count(state, "--replay", text, MAX_TOP); return true;
  case KEY_OBJECTIVE: ss_parse_objective(state, text, options); return true;
  case KEY_BUDGET: ss_parse_budget(state, text, options); return true;
  case KEY_PARETO: options->pareto = true; return true;
  case KEY_DB: options->db = text; return true;
  default: return false;
  }
}

/* The options of replays. */
static bool parse_replays(int key, char *text, struct argp_state *state, ss_options *options)
{
  ss_budget *budget = &options->replay_budget;
  switch (key) {
  case KEY_SEED: options->seed = ss_parse_one_count(state, "--seed", text, INT64_MAX); return true;
  case KEY_TRIALS: options->trials = ss_parse_one_count(state, "--trials", text, MAX_TRIALS); return true;
  case KEY_MAX_SECONDS: budget->max_s = ss_parse_limit(state, "--max-seconds", text, SS_UNIT_NONE); return true;
  case KEY_MAX_MEMORY: budget->max_bytes = ss_parse_limit(state, "--max-memory", text, SS_UNIT_BYTES); return true;
  default: return false;
  }
}

/* The options of what is held to measurements. */
static bool parse_measures(int key, char *text, ss_options *options)
{
  switch (key) {
  case KEY_PLOT: options->plot = text; return true;
  case KEY_SUMMARY: options->summary = true; return true;
  case KEY_CHECK: options->check = true; return true;
  case KEY_REPLAY_FIT: options->replay = 1; return true;
  case KEY_QUICK: options->quick = true; return true;
  default: return false;
  }
}

/* The options of a sweep. */
static bool parse_sweep(int key, char *text, struct argp_state *state, ss_options *options)
{
  switch (key) {
  case KEY_VARY: keep(state, options->vary, &options->vary_count, SS_SWEEP_AXES, "vary", text); return true;
  case KEY_BEST: ss_parse_best(state, text, options); return true;
  case KEY_FEWER: options->fewer = true; return true;
  case KEY_REPLAY_ALL:
    options->replay = text != NULL ? ss_parse_one_count(state, "--replay", text, MAX_TOP) : 1;
    return true;
  case KEY_CSV: options->csv = text; return true;
  default: return false;
  }
}

/* What an option says can be said once, but for those that make a list. */
static void note_given(struct argp_state *state, reading *r, int key)
{
  const bool lists = key == KEY_SET || key == KEY_TRACE || key == KEY_VARY;
  for (int i = 0; i < ROWS; ++i) {
    if (rows[i].option.key != key) continue;
    if (r->given[i] && rows[i].option.arg != NULL && !lists)
      argp_error(state, "--%s occurs again; allowed: once", rows[i].option.name);
    r->given[i] = 1;
  }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  reading *r = state->input;
  ss_options *options = r->options;
  note_given(state, r, key);
  if (parse_search(key, text, state, options) || parse_sweep(key, text, state, options) ||
      parse_replays(key, text, state, options) || parse_measures(key, text, options))
    return 0;
  if (key >= KEY_BUILD && key < KEY_BUILD + SS_BUILD_COUNT) {
    options->build[key - KEY_BUILD] = text;
    return 0;
  }
  switch (key) {
  case KEY_SET: keep(state, options->override, &options->override_count, SS_MAX_OVERRIDES, "set", text); return 0;
  case KEY_TRACE: keep(state, options->trace, &options->trace_count, SS_MAX_TRACES, "trace", text); return 0;
  case KEY_RANKS: ss_parse_selection(state, "--trace-ranks", text, &options->trace_ranks); return 0;
  case KEY_MICRO_BATCHES:
    ss_parse_selection(state, "--trace-micro-batches", text, &options->trace_micro_batches);
    return 0;
  case KEY_LINKS: options->links = text; return 0;
  case KEY_JSON: options->json = text; return 0;
  case KEY_COST: ss_parse_cost(state, text, options); return 0;
  case KEY_FLOWS: ss_parse_flows(state, text, options); return 0;
  case KEY_BESIDE: options->beside = text; return 0;
  case KEY_FOLD: ss_parse_fold(state, text, options); return 0;
  case KEY_QUIET: options->quiet = true; return 0;
  case KEY_VERBOSE: options->verbose = true; return 0;
  case ARGP_KEY_ARG: parse_argument(state, r, text); return 0;
  case ARGP_KEY_END: check_complete(state, r); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

#define COMMAND_HELP(id, name, arguments, help, function) "  " name " " arguments "\n      " help "\n"

/* The first word that is a command: of options with one name, its own are to be found. */
static unsigned command_on(int argc, char **argv)
{
  for (int i = 1; i < argc; ++i)
    for (int command = 0; command < SS_COMMAND_COUNT; ++command)
      if (strcmp(argv[i], commands[command].name) == 0) return ON(command);
  return 0;
}

/* The options of the command before the others. */
static void fill_table(unsigned on, struct argp_option table[ROWS + 1])
{
  int used = 0;
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 0; i < ROWS; ++i)
      if (((rows[i].commands & on) == 0) == (turn != 0)) table[used++] = rows[i].option;
  table[used] = (struct argp_option){0};
}

bool ss_option_asks_prices(const ss_options *options)
{
  return options->budget > 0.0 || options->objective == SS_OBJECTIVE_COST;
}

ss_replay_options ss_option_replay(const ss_options *options)
{
  return (ss_replay_options){.flows = options->flows,
                             .fold = options->fold,
                             .seed = (uint64_t)options->seed,
                             .budget = options->replay_budget};
}

bool ss_option_is_standard_output(const char *path)
{
  return path != NULL && strcmp(path, "-") == 0;
}

bool ss_options_name_shared(int argc, char **argv)
{
  return (command_on(argc, argv) & REPLAYS) != 0;
}

void ss_options_parse(int argc, char **argv, ss_options *options)
{
  struct argp_option table[ROWS + 1];
  fill_table(command_on(argc, argv), table);
  const struct argp argp = {
      .options = table,
      .parser = parse,
      .args_doc = "COMMAND WORKLOAD PLATFORM",
      .doc = "Predicts one training iteration of a transformer on a GPU cluster.\n\nCommands:\n" SS_COMMAND_LIST(
          COMMAND_HELP) "\nOptions:\v"
                        "Results go to standard output, everything else to standard error.\n"
                        "Exit status: 0 done, 1 the run failed, 2 bad usage or input, 3 the workload does not fit in "
                        "memory, or nothing that a search tried."};
  *options = (ss_options){.cost = SS_COST_CALIBRATED,
                          .top = DEFAULT_TOP,
                          .seed = DEFAULT_SEED,
                          .trials = 1,
                          .argument_count = argc,
                          .argument = argv,
                          .replay_budget = ss_budget_from_now(0.0, 0.0)};
  reading r = {.options = options};
  argp_err_exit_status = SS_EXIT_USAGE;
  (void)argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &r);
}
