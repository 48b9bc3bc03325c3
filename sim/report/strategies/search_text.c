#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "model/input/workload.h"
#include "model/plan/check/refusal_row.h"
#include "model/search/knob.h"
#include "model/search/space.h"
#include "model/search/varied.h"
#include "sim/report/calibration.h"
#include "sim/report/ignored.h"
#include "sim/report/interval.h"
#include "sim/report/margin.h"
#include "sim/report/report.h"
#include "sim/report/strategies/listing.h"
#include "sim/report/strategies/shortcuts.h"

/* Of the number that a line begins with. */
enum { FIRST_WIDTH = 6 };

static ss_listing listing_of(const ss_search_report *report)
{
  ss_listing listing = {.chosen = true,
                        .priced = report->priced,
                        .powered = report->objective == SS_OBJECTIVE_ENERGY,
                        .costed = report->tariff.is_priced,
                        .objective = report->objective,
                        .strategy = ss_strategy_columns_of(report->workload->parallelism.tensor, report->knobs)};
  for (int64_t i = 0; i < report->count; ++i) {
    const ss_search *search = report->findings[i].search;
    listing.replayed = listing.replayed || report->findings[i].replayed > 0;
    for (int64_t j = 0; j < search->count; ++j) ss_strategy_columns_see(&listing.strategy, &search->top[j].candidate);
  }
  return listing;
}

static void print_header(FILE *stream, const ss_listing *listing, const char *first)
{
  (void)fprintf(stream, "%*s", FIRST_WIDTH, first);
  ss_listing_print_header(stream, SS_SEARCH_TEXT, listing);
  (void)fputc('\n', stream);
}

/* The line of one of the best that a search has found. */
static ss_line line_of(const ss_listing *listing, const ss_search_report *report, const ss_search *search,
                       int64_t number)
{
  return (ss_line){
      .listing = listing, .strategy = &search->top[number], .tariff = &report->tariff, .gpus = search->gpus};
}

static void print_strategy(FILE *stream, int64_t first, const ss_line *line)
{
  (void)fprintf(stream, "%*" PRId64, FIRST_WIDTH, first);
  ss_listing_print(stream, SS_SEARCH_TEXT, line);
  (void)fputc('\n', stream);
  ss_strategy_print_folded(stream, &line->listing->strategy, &line->strategy->candidate, FIRST_WIDTH + 2);
}

/* Whether a row refuses most of a search, or of one that finds nothing, since the file gives what the search does not
 * vary. */
static bool is_in_the_way(const ss_search *search, const ss_search_report *report, ss_refusal_index index)
{
  const ss_attribute_index blamed = ss_refusals()[index].blamed;
  bool varied = false;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i)
    varied = varied || ((report->knobs & SS_KNOB_BIT(i)) != 0 && ss_knobs()[i].attribute == blamed);
  return (2 * search->refused[index] > search->candidates || search->feasible == 0) &&
         report->workload->line[blamed] > 0 && !varied && ss_size_of(blamed) == 0 &&
         ss_workload_attributes()[blamed].fallback != SS_REQUIRED;
}

/* Prints what is wrong with refused candidates: a problem of the table of refusals; what is allowed
 * where none is left that is not refused; and how to leave out what of the file is in the way of most. */
static void print_problem(FILE *stream, const ss_refusal *row, bool says_allowed, bool in_the_way)
{
  const ss_attribute *blamed = &ss_workload_attributes()[row->blamed];
  char problem[768], text[1024];
  ss_refusal_problem(row, problem, sizeof problem);
  size_t used = (size_t)snprintf(text, sizeof text, "refused: %s.%s %s", blamed->element, blamed->name, problem);
  if (says_allowed && row->otherwise[0] != '\0')
    used += (size_t)snprintf(text + used, sizeof text - used, "; allowed: %s", row->otherwise);
  if (in_the_way && used < sizeof text)
    (void)snprintf(text + used, sizeof text - used, "; without that of the file: --set %s.%s=default", blamed->element,
                   blamed->name);
  ss_table_print_wrapped(stream, text, 10);
}

/* What there is no candidate for, and what may be one. */
static void print_nothing(FILE *stream, const ss_search_report *report)
{
  const bool equal = (report->knobs & SS_KNOB_BIT(SS_KNOB_layout)) == 0;
  (void)fprintf(stream, "  nothing divides that many GPUs, the global batch and %sdomains of %" PRId64 " evenly\n",
                report->workload->placement.free[0] != '\0' ? "what is free of " : "", report->machine->domain_size);
  if (equal) (void)fputs("  (stages have as many layers each: --knobs uneven-stages tries others)\n", stream);
}

static void print_counts(FILE *stream, const ss_search *search, const ss_search_report *report)
{
  const ss_machine *machine = report->machine;
  (void)fprintf(stream, "\n%" PRId64 " GPU%s: %" PRId64 " candidates, %" PRId64 " can be used\n", search->gpus,
                search->gpus == 1 ? "" : "s", search->candidates, search->feasible);
  if (search->stopped)
    (void)fprintf(stream, "  stopped: %" PRId64 " of %" PRId64 " sizes of groups are done; the rest may be better\n",
                  search->sizes_done, search->sizes);
  else if (search->candidates == 0)
    print_nothing(stream, report);
  if (search->too_large > 0)
    (void)fprintf(stream, "%8" PRId64 "  do not fit in %.2f GiB\n", search->too_large,
                  ss_machine_tensor_bytes(machine) / SS_GIB);
  for (int i = 0; i < SS_REFUSAL_TOTAL; ++i) {
    if (search->refused[i] == 0) continue;
    (void)fprintf(stream, "%8" PRId64 "  ", search->refused[i]);
    print_problem(stream, &ss_refusals()[i], search->feasible == 0, is_in_the_way(search, report, (ss_refusal_index)i));
  }
}

static void print_replays(FILE *stream, const ss_findings *findings)
{
  if (findings->replayed > 1)
    ss_table_print_sentence(
        stream, "Replay of %" PRId64 ": the closed form's favourite takes %.2f %% longer than the best of them.",
        findings->replayed, 100.0 * findings->regret);
  else
    (void)fprintf(stream, "Replay of %" PRId64 ".\n", findings->replayed);
  if (findings->open > 0)
    ss_table_print_sentence(stream,
                            "%" PRId64 " or more that were not replayed are faster than that by the closed form: a "
                            "larger --replay tells.",
                            findings->open);
  else
    (void)fputs("None that was not replayed is faster than that by the closed form.\n", stream);
}

/* The names of the knobs that are varied, or of those that are not. */
static void print_knobs(FILE *stream, const char *before, ss_knob_set knobs, bool varied)
{
  char text[2048] = "";
  size_t used = 0;
  for (int i = 0; i < SS_KNOB_TOTAL; ++i) {
    const char *name = ss_knob_listed(knobs, i, varied);
    if (name == NULL) continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", name);
    SS_ASSERT(used < sizeof text);
  }
  (void)fputs(before, stream);
  ss_table_print_wrapped(stream, used > 0 ? text : "none", strlen(before));
}

/* A best strategy is poor below this MFU: half of the 40 to 50 % that published jobs reach (validation/README.md). */
#define POOR_MFU 0.2

/* Says of a poor one what it takes longest for, and over how many domains its tensor-parallel groups go. */
static void print_poor(FILE *stream, const ss_strategy *best)
{
  const ss_candidate *c = &best->candidate;
  const ss_breakdown *time = best->simulated ? &best->simulation : &best->estimate;
  const double mfu = best->model_flop / (best->peak_flop_per_s * time->iteration_s);
  const int64_t domains = c->tp / c->inside.tp;
  int most = 0;
  if (mfu >= POOR_MFU) return;
  for (int i = 1; i < SS_PART_COUNT; ++i)
    if (ss_breakdown_part(time, (ss_part)i) > ss_breakdown_part(time, (ss_part)most)) most = i;
  char wide[64] = "";
  if (domains > 1) (void)snprintf(wide, sizeof wide, "; tp %" PRId64 " goes over %" PRId64 " domains", c->tp, domains);
  ss_table_print_sentence(stream,
                          "Poor: the best takes %.0f times as long as its flop at the peak, %.0f %% of it for %s%s. "
                          "More knobs, another batch or number of GPUs may do better.",
                          1.0 / mfu, 100.0 * ss_breakdown_part(time, (ss_part)most) / time->iteration_s,
                          ss_part_label((ss_part)most), wide);
}

/* The closed form meets on average what GPUs send at the same time, and published costs not at all. */
static void print_unshared(FILE *stream, const ss_search *search, const ss_machine *machine)
{
  if (search->top[0].simulated || search->gpus <= machine->domain_size) return;
  ss_table_print_sentence(stream, "The closed form counts links that are shared on average, if at all; --replay 10 "
                                  "ranks by what they share.");
}

static void print_shortcuts(FILE *stream, const ss_search *search)
{
  ss_shortcut_bound bound = {0};
  for (int64_t i = 0; i < search->count; ++i) ss_shortcut_bound_see(&bound, &search->top[i]);
  ss_shortcut_bound_print(stream, &bound);
}

static void print_size(FILE *stream, const ss_listing *listing, const ss_search_report *report,
                       const ss_findings *findings)
{
  const ss_search *search = findings->search;
  print_counts(stream, search, report);
  if (search->count == 0) return;
  (void)fputc('\n', stream);
  ss_strategy_print_common(stream, &listing->strategy);
  print_header(stream, listing, "");
  for (int64_t i = 0; i < search->count; ++i) {
    const ss_line line = line_of(listing, report, search, i);
    print_strategy(stream, i + 1, &line);
  }
  ss_listing_print_basis(stream, SS_SEARCH_TEXT, listing);
  ss_listing_print_peak(stream, SS_SEARCH_TEXT, listing, report->workload->training.precision);
  if (findings->cut) (void)fputs("Stopped before all were replayed that were to be.\n", stream);
  if (findings->replayed > 0) print_replays(stream, findings);
  print_shortcuts(stream, search);
  if (!ss_cost_traits_of(report->cost).as_published) {
    ss_interval_print(stream, &findings->interval, "The first:", ss_strategy_time_s(&search->top[0]));
    if (ss_workload_draws_documents(report->workload))
      ss_interval_print_draws(stream, search->top[0].simulated, "which run --trials 20 shows");
    print_unshared(stream, search, report->machine);
  }
  ss_margin_print(stream, &search->top[0].memory, "The first");
  if (!report->pareto && report->objective != SS_OBJECTIVE_MEMORY) print_poor(stream, &search->top[0]);
  (void)fprintf(stream, "To run the first one:\n ");
  ss_strategy_print_options(stream, report, &search->top[0].candidate);
  (void)fputc('\n', stream);
}

/* Whether another number of GPUs is no larger and, by the closed form, no slower, or this one has no strategy; of
 * equals the first is not beaten. */
static bool is_beaten(const ss_search_report *report, int64_t index)
{
  const ss_search *own = report->findings[index].search;
  bool beaten = own->count == 0;
  for (int64_t i = 0; !beaten && i < report->count; ++i) {
    const ss_search *other = report->findings[i].search;
    if (i == index || other->count == 0 || other->gpus > own->gpus) continue;
    const double own_s = own->top[0].estimate.iteration_s, other_s = other->top[0].estimate.iteration_s;
    beaten = other_s < own_s || (other_s == own_s && (other->gpus < own->gpus || i < index));
  }
  return beaten;
}

/* The best of every number of GPUs, one below the other; or those of them that are on the front of time and GPUs. */
static void print_sizes(FILE *stream, const ss_listing *listing, const ss_search_report *report)
{
  (void)fprintf(stream, report->pareto ? "\nFront of time and GPUs\n" : "\nThe best of each number of GPUs\n");
  print_header(stream, listing, "GPUs");
  for (int64_t i = 0; i < report->count; ++i) {
    const ss_search *search = report->findings[i].search;
    if (report->pareto && is_beaten(report, i)) continue;
    if (search->count > 0) {
      const ss_line line = line_of(listing, report, search, 0);
      print_strategy(stream, search->gpus, &line);
    } else
      (void)fprintf(stream, "%*" PRId64 "  none\n", FIRST_WIDTH, search->gpus);
  }
}

/* Of the model; 0 where no strategy was found. */
static double parameters_of(const ss_search_report *report)
{
  for (int64_t i = 0; i < report->count; ++i)
    if (report->findings[i].search->count > 0) return report->findings[i].search->top[0].parameters;
  return 0.0;
}

/* Whether the best have been simulated. */
static bool is_replayed(const ss_search_report *report)
{
  for (int64_t i = 0; i < report->count; ++i)
    if (report->findings[i].replayed > 0) return true;
  return false;
}

void ss_report_search_text(FILE *stream, const ss_search_report *report)
{
  ss_listing listing = listing_of(report);
  ss_listing_narrow(&listing, SS_SEARCH_TEXT, FIRST_WIDTH, report->columns);
  char model[2 * SS_TEXT_SIZE];
  ss_table_model(report->workload->model.name, parameters_of(report), model, sizeof model);
  ss_table_print_sentence(stream, "%s on %s, global batch %" PRId64 ", %s costs: %s%s", model, report->machine->name,
                          report->workload->training.global_batch, ss_cost_word(report->cost),
                          report->pareto ? "" : "least ",
                          report->pareto ? "front of time and memory" : ss_objective_word(report->objective));
  const ss_calibrated platform = {report->machine->name, ss_calibration_of(report->machine)};
  if (!ss_cost_traits_of(report->cost).as_published) ss_calibration_print(stream, &platform, 1);
  if (!is_replayed(report)) ss_ignored_print(stream, ss_replayed_of(report->machine));
  print_knobs(stream, "Knobs varied: ", report->knobs, true);
  print_knobs(stream, "Not varied: ", report->knobs, false);
  int64_t found = 0;
  for (int64_t i = 0; i < report->count; ++i) {
    print_size(stream, &listing, report, &report->findings[i]);
    found += report->findings[i].search->count;
  }
  if (report->count > 1) print_sizes(stream, &listing, report);
  if (found > 0) ss_listing_print_left_out(stream, &listing);
}
