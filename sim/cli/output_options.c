#include "sim/cli/output_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int64_t parse_index(struct argp_state *state, const ss_option *row, const char *list, const char *text,
                           char **end)
{
  errno = 0;
  const long long value = strtoll(text, end, 10);
  if (!isdigit((unsigned char)*text) || errno != 0)
    argp_error(state, "--%s \"%s\": is not a list of numbers; allowed: such as 0-511:32 or 0,4,8-15", row->name, list);
  return value;
}

/* Reads "0-63:4,128" into ranges. */
static void set_selection(struct argp_state *state, const ss_option *row, void *target, char *list)
{
  ss_selection *selection = target;
  char *end = list;
  *selection = (ss_selection){0};
  do {
    if (selection->count == SS_SELECTION_RANGES)
      argp_error(state, "--%s \"%s\": more than %d ranges", row->name, list, SS_SELECTION_RANGES);
    const char *text = end;
    int64_t first = parse_index(state, row, list, text, &end), last = first, step = 1;
    if (*end == '-') last = parse_index(state, row, list, end + 1, &end);
    if (*end == ':') step = parse_index(state, row, list, end + 1, &end);
    if ((*end != ',' && *end != '\0') || last < first || step < 1)
      argp_error(state, "--%s \"%s\": is not a list of ranges; allowed: such as 0-511:32 or 0,4,8-15", row->name, list);
    selection->range[selection->count].first = first;
    selection->range[selection->count].last = last;
    selection->range[selection->count++].step = step;
  } while (*end++ == ',');
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
     .help = "Ranks in the timeline, such as 0-511:32 or 0,4,8-15; default all",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_selection,
     .target = offsetof(ss_output_options, trace_ranks)},
    {.name = "trace-micro-batches",
     .argument = "LIST",
     .help = "Micro-batches in the timeline, such as 0-3,188-191; default all",
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
    {.name = "output",
     .argument = "FILE",
     .help = "File to write; default: standard output",
     .commands = SS_ON(SS_COMMAND_PLATFORM),
     PATH_AT(platform)},
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
  if (ss_option_is_standard_output(options->db))
    argp_error(state, "--db \"-\": is not a file; allowed: the path of one");
}
