#include "sim/cli/output_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/range.h"
#include "sim/cli/option_values.h"

bool ss_option_is_standard_output(const char *path)
{
  return path != NULL && strcmp(path, "-") == 0;
}

static void set_trace(struct argp_state *state, const ss_option *row, void *target, char *text)
{
  ss_output_options *options = target;
  ss_option_append(state, row->name, options->trace, &options->trace_count, SS_MAX_TRACES, text);
}

enum { ITEM_SIZE = 64 };

static void refuse_selection(struct argp_state *state, const ss_option *row, const char *list)
{
  argp_error(state, "--%s \"%s\": is not a list of whole numbers and ranges; allowed: such as 0..511+32 or 0,4,8..15",
             row->name, list);
}

static bool is_index(double number)
{
  return number >= 0.0 && number <= INT32_MAX && number == (double)(int64_t)number;
}

static void add_range(struct argp_state *state, const ss_option *row, const char *list, ss_selection *selection,
                      const ss_range *range)
{
  if (selection->count == SS_SELECTION_RANGES)
    argp_error(state, "--%s \"%s\": more than %d ranges", row->name, list, SS_SELECTION_RANGES);
  selection->range[selection->count].first = (int64_t)range->first;
  selection->range[selection->count].last = (int64_t)range->last;
  selection->range[selection->count++].step = (int64_t)range->by;
}

/* Adds "4", "0..63+4" or "1..64*2", of which each number is a range of its own. */
static void add_item(struct argp_state *state, const ss_option *row, const char *list, ss_selection *selection,
                     char *item)
{
  ss_range range = {.by = 1.0, .unit = ""};
  char *end = item;
  if (strstr(item, "..") != NULL) {
    if (!ss_range_read(item, &range)) refuse_selection(state, row, list);
  } else {
    range.first = range.last = strtod(item, &end);
    if (!isdigit((unsigned char)*item) || *end != '\0') refuse_selection(state, row, list);
  }
  if (range.unit[0] != '\0' || !is_index(range.first) || !is_index(range.last) || !is_index(range.by))
    refuse_selection(state, row, list);
  double number = range.first;
  for (long long i = 1; range.multiplies && ss_range_has(&range, number); ++i) {
    add_range(state, row, list, selection, &(ss_range){.first = number, .last = number, .by = 1.0});
    number = ss_range_next(&range, number, i);
  }
  if (!range.multiplies) add_range(state, row, list, selection, &range);
}

/* Reads "0..63+4,128" into ranges. */
static void set_selection(struct argp_state *state, const ss_option *row, void *target, char *list)
{
  ss_selection *selection = target;
  const char *next = list;
  *selection = (ss_selection){0};
  do {
    char item[ITEM_SIZE];
    const size_t length = strcspn(next, ",");
    if (length >= sizeof item) refuse_selection(state, row, list);
    memcpy(item, next, length);
    item[length] = '\0';
    add_item(state, row, list, selection, item);
    next += length;
  } while (*next++ == ',');
}

#define PATH_AT(field) .set = ss_option_set_text, .target = offsetof(ss_output_options, field)

const ss_option ss_output_option_rows[] = {
    {.name = "csv",
     .argument = "FILE",
     .help = "Write the points of a sweep, measurements or results as CSV; - writes to standard output instead of the "
             "table",
     .commands = SS_ON(SS_COMMAND_SWEEP) | SS_ON(SS_COMMAND_RESULTS) | SS_ON(SS_COMMAND_VALIDATE),
     PATH_AT(csv)},
    {.name = "json",
     .argument = "FILE",
     .help = "Write the result as JSON; - writes to standard output instead of the table",
     .commands = SS_ON_INPUTS | SS_ON(SS_COMMAND_RESULTS) | SS_ON_MEASUREMENTS,
     PATH_AT(json)},
    {.name = "db",
     .argument = "FILE",
     .help = "Store every result in a database as soon as it is known, and reuse the results already there",
     .commands = SS_ON_SEARCHES,
     PATH_AT(db)},
    {.name = "trace",
     .argument = "FILE",
     .help = "Write a timeline: .paje or .trace for Paje, .json for Perfetto; repeatable",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_trace,
     .repeats = true},
    {.name = "trace-ranks",
     .argument = "LIST",
     .help = "Ranks in the timeline, such as 0..511+32 or 0,4,8..15; default all",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_selection,
     .target = offsetof(ss_output_options, trace_ranks)},
    {.name = "trace-micro-batches",
     .argument = "LIST",
     .help = "Micro-batches in the timeline, such as 0..3,188..191; default all",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_selection,
     .target = offsetof(ss_output_options, trace_micro_batches)},
    {.name = "links",
     .argument = "FILE",
     .help = "Write what every link carried over time, as CSV; - writes to standard output instead of the table",
     .commands = SS_ON(SS_COMMAND_RUN),
     PATH_AT(links)},
    {.name = "plot",
     .argument = "FILE",
     .help = "Draw predicted against measured times, and errors by group, as SVG",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     PATH_AT(plot)},
    {.name = "residuals",
     .argument = "FILE",
     .help =
         "Write the residuals that intervals of predictions are from, as the source file model/measured/residuals.def; "
         "- writes to standard output instead of the table",
     .commands = SS_ON(SS_COMMAND_VALIDATE),
     PATH_AT(residuals)},
    {.name = "save",
     .argument = "FILE",
     .help = "Write the workload with the strategy that was predicted, or the best one found, as a workload file",
     .commands = SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE) | SS_ON(SS_COMMAND_SEARCH),
     PATH_AT(save)},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "File to write; default: standard output",
     .commands = SS_ON(SS_COMMAND_PLATFORM) | SS_ON(SS_COMMAND_IMPORT),
     PATH_AT(file)},
    {.name = NULL},
};

void ss_output_options_check(struct argp_state *state, const ss_output_options *options)
{
  if (ss_option_is_standard_output(options->json) && ss_option_is_standard_output(options->csv))
    argp_error(state, "--json and --csv cannot both be standard output");
  if (ss_option_is_standard_output(options->json) && ss_option_is_standard_output(options->links))
    argp_error(state, "--json and --links cannot both be standard output");
  if (ss_option_is_standard_output(options->plot))
    argp_error(state, "--plot \"-\": is not a file; allowed: the path of one");
  if (ss_option_is_standard_output(options->save))
    argp_error(state, "--save \"-\": is not a file; allowed: the path of one");
  if (ss_option_is_standard_output(options->db))
    argp_error(state, "--db \"-\": is not a file; allowed: the path of one");
}
