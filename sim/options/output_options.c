#include "sim/options/output_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/range.h"
#include "sim/options/option_values.h"

bool ss_option_is_standard_output(const char *path)
{
  return path != NULL && strcmp(path, "-") == 0;
}

static ss_status set_trace(const ss_option *row, void *target, char *text, ss_error *error)
{
  ss_output_options *options = target;
  return ss_option_append(row->name, options->trace, &options->trace_count, SS_MAX_TRACES, text, error);
}

enum { ITEM_SIZE = 64 };

/* A list of ranges that is being read. */
typedef struct selecting {
  const char *name, *list; /* of the option, and all of what it says */
  ss_selection *selection;
  ss_error *error;
} selecting;

static ss_status refuse_selection(const selecting *s)
{
  return ss_option_refuse(
      s->error, "--%s \"%s\": is not a list of whole numbers and ranges; allowed: such as 0..511+32, 0,4,8..15 or all",
      s->name, s->list);
}

static bool is_index(double number)
{
  return number >= 0.0 && number <= INT32_MAX && number == (double)(int64_t)number;
}

static ss_status add_range(const selecting *s, const ss_range *range)
{
  ss_selection *selection = s->selection;
  if (selection->count == SS_SELECTION_RANGES)
    return ss_option_refuse(s->error, "--%s \"%s\": more than %d ranges", s->name, s->list, SS_SELECTION_RANGES);
  selection->range[selection->count].first = (int64_t)range->first;
  selection->range[selection->count].last = (int64_t)range->last;
  selection->range[selection->count++].step = (int64_t)range->by;
  return SS_OK;
}

/* Adds "4", "0..63+4" or "1..64*2", of which each number is a range of its own. */
static ss_status add_item(const selecting *s, char *item)
{
  ss_range range = {.by = 1.0, .unit = ""};
  char *end = item;
  if (strstr(item, "..") != NULL) {
    if (!ss_range_read(item, &range)) return refuse_selection(s);
  } else {
    range.first = range.last = strtod(item, &end);
    if (!isdigit((unsigned char)*item) || *end != '\0') return refuse_selection(s);
  }
  if (range.unit[0] != '\0' || !is_index(range.first) || !is_index(range.last) || !is_index(range.by))
    return refuse_selection(s);
  if (!range.multiplies) return add_range(s, &range);
  ss_status status = SS_OK;
  double number = range.first;
  for (long long i = 1; status == SS_OK && ss_range_has(&range, number); ++i) {
    status = add_range(s, &(ss_range){.first = number, .last = number, .by = 1.0});
    number = ss_range_next(&range, number, i);
  }
  return status;
}

/* Reads "0..63+4,128" into ranges; "all" is one without an end. */
static ss_status set_selection(const ss_option *row, void *target, char *list, ss_error *error)
{
  const selecting s = {.name = row->name, .list = list, .selection = target, .error = error};
  const char *next = list;
  ss_status status = SS_OK;
  *s.selection = (ss_selection){.count = 1, .range = {{0, SS_SELECTION_END, 1}}};
  if (strcmp(list, "all") == 0) return SS_OK;
  s.selection->count = 0;
  do {
    char item[ITEM_SIZE];
    const size_t length = strcspn(next, ",");
    if (length >= sizeof item) return refuse_selection(&s);
    memcpy(item, next, length);
    item[length] = '\0';
    status = add_item(&s, item);
    next += length;
  } while (status == SS_OK && *next++ == ',');
  return status;
}

#define SIZE_WORD(id, word, width, shown, scale, help) word,
#define SIZE_HELP(id, word, width, shown, scale, help) word ": " help "; "
#define SS_ON_FIGURES                                  (SS_ON(SS_COMMAND_RUN) | SS_ON_CHOICES | SS_ON_MEASUREMENTS)

static const char *const size_words[] = {SS_PLOT_SIZE_LIST(SIZE_WORD) NULL};

#define PATH_AT(field) .set = ss_option_set_text, .target = offsetof(ss_output_options, field)

const ss_option ss_output_option_rows[] = {
    {.name = "csv",
     .argument = "FILE",
     .help = "Write the points of a sweep, measurements, results or a plan as CSV; - writes to standard output instead "
             "of the "
             "table",
     .commands =
         SS_ON(SS_COMMAND_SWEEP) | SS_ON(SS_COMMAND_RESULTS) | SS_ON(SS_COMMAND_VALIDATE) | SS_ON(SS_COMMAND_PLAN),
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
     .help = "Write a timeline: .paje or .trace for Paje, .json or .json.gz for Perfetto; repeatable",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_trace,
     .repeats = true},
    {.name = "trace-ranks",
     .argument = "LIST",
     .help =
         "Ranks in the timeline, such as 0..511+32, 0,4,8..15 or all; default: one of each stage of the first replica",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_selection,
     .target = offsetof(ss_output_options, trace_ranks)},
    {.name = "trace-micro-batches",
     .argument = "LIST",
     .help =
         "Micro-batches in the timeline, such as 0..3,188..191 or all; default all, or as many of the first and the "
         "last as make a file of about 6 MiB",
     .commands = SS_ON(SS_COMMAND_RUN),
     .set = set_selection,
     .target = offsetof(ss_output_options, trace_micro_batches)},
    {.name = "chakra",
     .argument = "PREFIX",
     .help = "Write the iteration as execution traces of Chakra, PREFIX.RANK.et for the first rank of every stage, and "
             "PREFIX.groups.json",
     .commands = SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE),
     PATH_AT(chakra)},
    {.name = "chakra-ranks",
     .argument = "LIST",
     .help = "Ranks with an execution trace, such as 0..63; default the first one of every stage",
     .commands = SS_ON(SS_COMMAND_RUN) | SS_ON(SS_COMMAND_ESTIMATE),
     .set = set_selection,
     .target = offsetof(ss_output_options, chakra_ranks)},
    {.name = "links",
     .argument = "FILE",
     .help = "Write what every link carried over time, as CSV; - writes to standard output instead of the table",
     .commands = SS_ON(SS_COMMAND_RUN),
     PATH_AT(links)},
    {.name = "report",
     .argument = "FILE",
     .help = "Write a page with figures of the result, which any browser shows without a network",
     .commands = SS_ON_FIGURES,
     PATH_AT(report)},
    {.name = "plot",
     .argument = "FILE",
     .help = "Draw one of these figures, as SVG or PNG by the extension",
     .commands = SS_ON_FIGURES,
     PATH_AT(plot.path)},
    {.name = "figure",
     .argument = "NAME",
     .help = "Which figure --plot draws; default: the first that shows something",
     .commands = SS_ON_FIGURES,
     .set = ss_option_set_text,
     .target = offsetof(ss_output_options, plot.figure)},
    {.name = "plot-size",
     .argument = "SIZE",
     .help = "What --plot is for - " SS_PLOT_SIZE_LIST(SIZE_HELP) "default slide",
     .commands = SS_ON_FIGURES,
     .set = ss_option_set_word,
     .words = size_words,
     .target = offsetof(ss_output_options, plot.size)},
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
    {.name = "nodes",
     .argument = "FILE",
     .help = "Write which domains the job of a list of hosts has, or all nodes, as placement.free takes it",
     .commands = SS_ON(SS_COMMAND_CLUSTER),
     PATH_AT(nodes)},
    {.name = "routes",
     .argument = "FILE",
     .help = "Write the routes of forwarding tables, where they are not by destination; the platform names this file",
     .commands = SS_ON(SS_COMMAND_CLUSTER),
     PATH_AT(routes)},
    {.name = "measured",
     .argument = "FILE",
     .help = "Write the collectives of nccl-tests as measurements, which validate and fit read",
     .commands = SS_ON(SS_COMMAND_CALIBRATE),
     PATH_AT(measured)},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "File to write; default: standard output",
     .commands = SS_ON_NEW | SS_ON(SS_COMMAND_IMPORT),
     PATH_AT(file)},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "Platform file to write; default: none",
     .commands = SS_ON(SS_COMMAND_CALIBRATE),
     PATH_AT(file)},
    {.name = NULL},
};

/* Refuses a second output to standard output, where neither could be read. `emits`: so does --emit, to there only. */
static ss_status check_standard_output(const ss_output_options *options, bool emits, ss_error *error)
{
  const struct {
    const char *path, *name;
  } writers[] = {{options->json, "json"},           {options->csv, "csv"},     {options->links, "links"},
                 {options->residuals, "residuals"}, {options->file, "output"}, {emits ? "-" : NULL, "emit"}};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof writers / sizeof writers[0]; ++i) {
    if (!ss_option_is_standard_output(writers[i].path)) continue;
    if (first != NULL)
      return ss_option_refuse(error, "--%s and --%s cannot both be standard output", first, writers[i].name);
    first = writers[i].name;
  }
  return SS_OK;
}

ss_status ss_output_options_check(const ss_output_options *options, bool emits, ss_error *error)
{
  const struct {
    const char *path, *name;
  } files[] = {{options->plot.path, "plot"}, {options->report, "report"}, {options->save, "save"},
               {options->db, "db"},          {options->chakra, "chakra"}, {options->measured, "measured"},
               {options->nodes, "nodes"},    {options->routes, "routes"}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    if (ss_option_is_standard_output(files[i].path))
      return ss_option_refuse(error, "--%s \"-\": is not a file; allowed: the path of one", files[i].name);
  if (options->chakra != NULL && options->chakra[0] == '\0')
    return ss_option_refuse(error, "--chakra \"\": is empty; allowed: what names of files begin with");
  return check_standard_output(options, emits, error);
}
