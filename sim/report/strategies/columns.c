/* The columns of all listings: a row and, for a number, a function that says its value. */
#include <math.h>

#include "sim/report/strategies/blocks.h"
#include "sim/report/strategies/cell.h"
#include "sim/report/strategies/column.h"

#define SECONDS_PER_HOUR 3600.0

static bool is_chosen(const ss_listing *listing)
{
  return listing->chosen;
}

static bool is_replayed(const ss_listing *listing)
{
  return listing->replayed;
}

static bool is_priced(const ss_listing *listing)
{
  return listing->priced;
}

/* What strategies are chosen by has a column of its own, which stays where others go. */
static bool is_of_gpu_hours(const ss_listing *listing)
{
  return listing->objective == SS_OBJECTIVE_GPU_HOURS;
}

static bool is_not_of_gpu_hours(const ss_listing *listing)
{
  return listing->objective != SS_OBJECTIVE_GPU_HOURS;
}

static bool is_cheapest(const ss_listing *listing)
{
  return listing->costed && listing->objective == SS_OBJECTIVE_COST;
}

static bool is_costed_beside(const ss_listing *listing)
{
  return listing->costed && listing->objective != SS_OBJECTIVE_COST;
}

static bool is_costed(const ss_listing *listing)
{
  return listing->costed;
}

static bool is_powered(const ss_listing *listing)
{
  return listing->powered;
}

static bool is_contest(const ss_listing *listing)
{
  return listing->contest > 1;
}

static bool gpus_vary(const ss_listing *listing)
{
  return listing->gpus_vary;
}

static bool gpus_are_news(const ss_listing *listing)
{
  return !listing->gpus_said;
}

static bool gpus_do_not_vary(const ss_listing *listing)
{
  return !listing->gpus_vary;
}

static double gpus(const ss_line *line)
{
  return (double)line->gpus;
}

static double system_dollars(const ss_line *line)
{
  return line->system_dollars;
}

static double estimate_s(const ss_line *line)
{
  return line->strategy->estimate.iteration_s;
}

static double simulation_s(const ss_line *line)
{
  return line->strategy->simulated ? line->strategy->simulation.iteration_s : NAN;
}

static double presumed_ahead_s(const ss_line *line)
{
  return line->strategy->simulated ? line->strategy->shortcuts.presumed.ahead_s : NAN;
}

static double crowded_links(const ss_line *line)
{
  return line->strategy->simulated ? (double)line->strategy->shortcuts.crowded_links : NAN;
}

/* By the replay where there is one. */
static double iteration_s(const ss_line *line)
{
  return ss_strategy_time_s(line->strategy);
}

/* The ends of the interval. */
static double low_s(const ss_line *line)
{
  return iteration_s(line) * line->interval->low;
}

static double high_s(const ss_line *line)
{
  return iteration_s(line) * line->interval->high;
}

static double gpu_seconds(const ss_line *line)
{
  return iteration_s(line) * (double)line->gpus;
}

static double gpu_hours(const ss_line *line)
{
  return gpu_seconds(line) / SECONDS_PER_HOUR;
}

/* By the replay where there is one. */
static const ss_breakdown *iteration(const ss_line *line)
{
  return line->strategy->simulated ? &line->strategy->simulation : &line->strategy->estimate;
}

static double energy_j(const ss_line *line)
{
  const bool is_known = line->tariff != NULL && line->tariff->least_w > 0.0;
  return is_known ? ss_tariff_j(line->tariff, line->gpus, iteration(line)) : NAN;
}

static double dollars(const ss_line *line)
{
  return line->tariff != NULL ? ss_tariff_iteration_dollars(line->tariff, line->gpus, iteration(line)) : NAN;
}

/* As `run` and `estimate` say it. */
static double mfu(const ss_line *line)
{
  return line->strategy->model_flop / (line->strategy->peak_flop_per_s * iteration_s(line));
}

static double parameters(const ss_line *line)
{
  return line->strategy->parameters;
}

static double tokens_per_s_per_gpu(const ss_line *line)
{
  return line->strategy->tokens / gpu_seconds(line);
}

static double memory_bytes(const ss_line *line)
{
  return line->strategy->memory.total_bytes;
}

static double fits(const ss_line *line)
{
  return line->strategy->memory.fits;
}

/* Whether the constants of the machine are fitted. */
static double fitted(const ss_line *line)
{
  return line->fitted;
}

/* How much longer the favourite of the closed form takes than the best replay. */
static double favourite(const ss_line *line)
{
  return line->favourite->simulation.iteration_s / line->strategy->simulation.iteration_s - 1.0;
}

/* The order of the rows is that of every place; a column that comes earlier in one place than in another, or is written
 * otherwise, has a row for each. */
static const ss_column columns[] = {
    {.key = "gpus",
     .header = "GPUs",
     .width = 7,
     .places = SS_SWEEP_TEXT,
     .is_shown = gpus_are_news,
     .value = gpus,
     .write = ss_cell_count},
    {.key = "gpus", .places = SS_SWEEP_JSON, .value = gpus, .is_count = true},
    {.key = "gpus", .places = SS_SWEEP_CSV, .is_shown = gpus_do_not_vary, .value = gpus, .is_count = true},
    {.key = "used.gpus", .places = SS_SWEEP_CSV, .is_shown = gpus_vary, .value = gpus, .is_count = true},
    {.key = "gpus",
     .header = "GPUs",
     .width = 8,
     .places = SS_RESULTS_TEXT | SS_RESULTS_JSON | SS_RESULTS_CSV,
     .value = gpus,
     .write = ss_cell_count,
     .is_count = true},
    {.key = "system_dollars",
     .header = "M$",
     .width = 9,
     .rank = 2,
     .places = SS_SWEEP_TEXT | SS_SWEEP_JSON | SS_SWEEP_CSV,
     .is_shown = is_priced,
     .value = system_dollars,
     .write = ss_cell_millions},
    {.places = SS_IN_SEARCH | SS_KEPT_JSON, .is_shown = is_chosen, .block = &ss_strategy_block},
    {.key = "strategy", .places = SS_IN_SWEEP, .is_shown = is_chosen, .block = &ss_strategy_block},
    {.key = "fits", .places = SS_RESULTS_JSON | SS_RESULTS_CSV, .value = fits, .is_count = true},
    {.header = "closed form", .width = 14, .places = SS_SWEEP_TEXT, .value = estimate_s, .write = ss_cell_common_time},
    {.key = "estimate_s",
     .header = "closed form",
     .width = 13,
     .places = SS_SEARCH_TEXT | SS_RESULTS_TEXT | SS_RESULTS_JSON | SS_RESULTS_CSV,
     .value = estimate_s,
     .write = ss_cell_time},
    {.key = "estimate",
     .header = "parts of the time",
     .rank = 4,
     .places = SS_SEARCH_JSON | SS_IN_SWEEP | SS_KEPT_JSON,
     .block = &ss_estimate_block},
    {.key = "simulation_s", .places = SS_RESULTS_JSON | SS_RESULTS_CSV, .value = simulation_s},
    {.header = "replay",
     .width = 14,
     .places = SS_SEARCH_TEXT,
     .is_shown = is_replayed,
     .value = simulation_s,
     .write = ss_cell_time},
    {.key = "simulation_s",
     .header = "replay",
     .width = 14,
     .rank = 2,
     .places = SS_RESULTS_TEXT,
     .value = simulation_s,
     .write = ss_cell_time},
    {.key = "simulation",
     .places = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_FAVOURITE_JSON | SS_KEPT_JSON,
     .block = &ss_simulation_block},
    {.key = "simulation", .places = SS_SWEEP_CSV, .is_shown = is_replayed, .block = &ss_simulation_block},
    {.key = "presumed_ahead_s",
     .places = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_FAVOURITE_JSON | SS_KEPT_JSON,
     .value = presumed_ahead_s},
    {.key = "presumed_ahead_s", .places = SS_SWEEP_CSV, .is_shown = is_replayed, .value = presumed_ahead_s},
    {.key = "crowded_links",
     .places = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_FAVOURITE_JSON | SS_KEPT_JSON,
     .value = crowded_links,
     .is_count = true},
    {.key = "crowded_links", .places = SS_SWEEP_CSV, .is_shown = is_replayed, .value = crowded_links, .is_count = true},
    {.header = "GPU hours",
     .width = 12,
     .places = SS_SEARCH_TEXT,
     .is_shown = is_of_gpu_hours,
     .value = gpu_hours,
     .write = ss_cell_five_digits,
     .of_replay = true},
    {.header = "GPU hours",
     .width = 12,
     .rank = 6,
     .places = SS_SEARCH_TEXT,
     .is_shown = is_not_of_gpu_hours,
     .value = gpu_hours,
     .write = ss_cell_five_digits,
     .of_replay = true},
    {.key = "mfu",
     .header = "MFU",
     .width = 10,
     .rank = 5,
     .places = SS_IN_SEARCH | SS_IN_SWEEP | SS_IN_RESULTS,
     .value = mfu,
     .write = ss_cell_percent,
     .of_replay = true},
    {.key = "parameters", .places = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_SWEEP_CSV, .value = parameters},
    {.key = "tokens_per_s_per_gpu",
     .header = "tok/s/GPU",
     .width = 11,
     .rank = 3,
     .places = SS_IN_SEARCH | SS_IN_SWEEP | SS_IN_RESULTS,
     .value = tokens_per_s_per_gpu,
     .write = ss_cell_five_digits,
     .of_replay = true},
    {.key = "memory",
     .places = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_SWEEP_CSV | SS_FAVOURITE_JSON | SS_KEPT_JSON,
     .block = &ss_memory_block},
    {.key = "dollars",
     .header = "dollars",
     .width = 12,
     .places = SS_SEARCH_TEXT | SS_SWEEP_TEXT,
     .is_shown = is_cheapest,
     .value = dollars,
     .write = ss_cell_five_digits,
     .of_replay = true},
    {.key = "dollars",
     .header = "dollars",
     .width = 12,
     .rank = 6,
     .places = SS_SEARCH_TEXT | SS_SWEEP_TEXT | SS_RESULTS_TEXT,
     .is_shown = is_costed_beside,
     .value = dollars,
     .write = ss_cell_five_digits,
     .of_replay = true},
    {.key = "dollars",
     .places = SS_SEARCH_JSON | SS_SWEEP_JSON | SS_SWEEP_CSV | SS_FAVOURITE_JSON | SS_RESULTS_JSON | SS_RESULTS_CSV |
               SS_KEPT_JSON,
     .is_shown = is_costed,
     .value = dollars},
    {.key = "energy_j",
     .header = "joules",
     .width = 12,
     .places = SS_IN_SEARCH | SS_IN_SWEEP,
     .is_shown = is_powered,
     .value = energy_j,
     .write = ss_cell_five_digits,
     .of_replay = true},
    {.key = "memory_bytes",
     .header = "memory",
     .width = 11,
     .rank = 1,
     .places = SS_SEARCH_TEXT | SS_RESULTS_TEXT | SS_RESULTS_JSON | SS_RESULTS_CSV,
     .value = memory_bytes,
     .write = ss_cell_bytes},
    {.header = "memory", .width = 12, .places = SS_SWEEP_TEXT, .value = memory_bytes, .write = ss_cell_bytes},
    {.header = "fits", .width = 6, .places = SS_SWEEP_TEXT, .value = fits, .write = ss_cell_answer},
    {.key = "fits",
     .header = "fits",
     .width = 4,
     .places = SS_RESULTS_TEXT,
     .value = fits,
     .write = ss_cell_answer,
     .is_left = true},
    {.header = "replay",
     .width = 12,
     .places = SS_SWEEP_TEXT,
     .is_shown = is_replayed,
     .value = simulation_s,
     .write = ss_cell_common_time},
    {.header = "favourite",
     .width = 12,
     .rank = 2,
     .places = SS_SWEEP_TEXT,
     .is_shown = is_contest,
     .value = favourite,
     .write = ss_cell_percent,
     .is_signed = true},
    {.key = "fitted", .places = SS_SWEEP_JSON | SS_SWEEP_CSV, .value = fitted, .is_count = true},
    {.key = "low_s", .places = SS_SWEEP_CSV, .value = low_s},
    {.key = "high_s", .places = SS_SWEEP_CSV, .value = high_s},
};

_Static_assert(sizeof columns / sizeof columns[0] <= 64, "a bit of ss_listing.left_out for each");

const ss_column *ss_columns(size_t *count)
{
  *count = sizeof columns / sizeof columns[0];
  return columns;
}

bool ss_column_occurs(const ss_column *column, unsigned place, const ss_listing *listing)
{
  return (column->places & place) != 0 && (listing->left_out >> (column - columns) & 1) == 0 &&
         (column->is_shown == NULL || column->is_shown(listing));
}
