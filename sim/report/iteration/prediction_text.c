#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "sim/report/iteration/contention.h"
#include "sim/report/iteration/title.h"
#include "sim/report/iteration/trials.h"
#include "sim/report/margin.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* Columns of the metrics, whose labels are longer. */
#define METRIC_WIDTH 32
#define NUMBER_WIDTH 12
#define COUNT_WIDTH  13 /* "37.55 billion" */

/* The parts of a breakdown and of an explanation as tables, in the order in which they are printed. */
typedef struct table_row {
  size_t offset;
  const char *label, *help;
} table_row;

static const table_row parts[] = {
#define SS_PART_ROW(field, label, help) {offsetof(ss_breakdown, field), label, help},
    SS_PART_LIST(SS_PART_ROW)
#undef SS_PART_ROW
        {offsetof(ss_breakdown, iteration_s), "iteration", "all of it"},
};

static const table_row causes[] = {
#define SS_CAUSE_ROW(field, label, help) {offsetof(ss_explanation, field), label, help},
    SS_CAUSE_LIST(SS_CAUSE_ROW)
#undef SS_CAUSE_ROW
};

static const table_row memories[] = {
#define SS_MEMORY_ROW(field, label) {offsetof(ss_memory, field), label, ""},
    SS_MEMORY_LIST(SS_MEMORY_ROW)
#undef SS_MEMORY_ROW
        {offsetof(ss_memory, total_bytes), "total", ""},
};

static const table_row details[] = {
#define SS_MEMORY_ROW(field, label) {offsetof(ss_memory, field), label, ""},
    SS_MEMORY_DETAIL_LIST(SS_MEMORY_ROW)
#undef SS_MEMORY_ROW
};

#define ROWS(table) (sizeof(table) / sizeof(table)[0])

static double value_of(const void *record, const table_row *row)
{
  double value;
  memcpy(&value, (const char *)record + row->offset, sizeof value);
  return value;
}

static void print_breakdown(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  const ss_breakdown *estimate = &prediction->estimate, *simulation = &prediction->simulation;
  (void)fprintf(stream, "\n%*s", SS_TABLE_LABEL + SS_TABLE_TIME, "closed form");
  if (prediction->simulated) {
    (void)fprintf(stream, "%*s%*s", SS_TABLE_TIME + SS_TABLE_PERCENT, "replay", SS_TABLE_TIME + SS_TABLE_PERCENT,
                  "difference");
  }
  (void)fputc('\n', stream);
  for (size_t i = 0; i < ROWS(parts); i++) {
    const double estimate_s = value_of(estimate, &parts[i]);
    const double simulation_s = prediction->simulated ? value_of(simulation, &parts[i]) : 0.0;
    const bool total = i + 1 == ROWS(parts);
    if (!total && ss_table_is_zero(unit, estimate_s) && ss_table_is_zero(unit, simulation_s)) continue;
    (void)fprintf(stream, "  %-*s", SS_TABLE_LABEL - 2, parts[i].label);
    ss_table_print_time(stream, unit, estimate_s, estimate->iteration_s);
    if (prediction->simulated) {
      ss_table_print_time(stream, unit, simulation_s, simulation->iteration_s);
      ss_table_print_difference(stream, unit, simulation_s - estimate_s);
    }
    (void)fputc('\n', stream);
  }
  if (!prediction->simulated) return;
  ss_replay_notes_print(stream, prediction, unit);
}

static void print_cause(FILE *stream, const ss_prediction *prediction, ss_table_unit unit, const table_row *cause,
                        double time_s)
{
  (void)fprintf(stream, "  %-*s", SS_TABLE_LABEL - 2, cause->label);
  ss_table_print_difference(stream, unit, time_s);
  const double share = ss_table_percent(time_s, prediction->estimate.iteration_s);
  const bool zero = fabs(share) < 0.05;
  (void)fprintf(stream, zero ? "%*.1f %%" : "%+*.1f %%", SS_TABLE_PERCENT - 2, zero ? 0.0 : share);
  if (cause->help[0] != '\0') {
    (void)fprintf(stream, "  ");
    ss_table_print_wrapped(stream, cause->help, SS_TABLE_LABEL + SS_TABLE_TIME + SS_TABLE_PERCENT + 2);
  } else {
    (void)fputc('\n', stream);
  }
}

static void print_explanation(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  static const table_row rest = {0, "not explained", "the causes above do not add up to the difference"};
  static const table_row total = {0, "difference", ""};
  const double difference_s = prediction->simulation.iteration_s - prediction->estimate.iteration_s;
  double explained_s = 0.0;
  (void)fprintf(stream, "\nWhy they differ (%% of the closed form)\n");
  for (size_t i = 0; i < ROWS(causes); i++) {
    const double time_s = value_of(&prediction->explanation, &causes[i]);
    explained_s += time_s;
    if (!ss_table_is_zero(unit, time_s)) print_cause(stream, prediction, unit, &causes[i], time_s);
  }
  if (!ss_table_is_zero(unit, difference_s - explained_s)) {
    print_cause(stream, prediction, unit, &rest, difference_s - explained_s);
  }
  print_cause(stream, prediction, unit, &total, difference_s);
}

static const char *fit_text(double bytes, double capacity_bytes)
{
  return bytes <= capacity_bytes ? "fits" : "does NOT fit";
}

/* A label and bytes in percent of a capacity; the caller ends the line. */
static void print_bytes(FILE *stream, const char *label, double bytes, double capacity_bytes)
{
  (void)fprintf(stream, "  %-*s%*.2f GiB%*.1f %%", SS_TABLE_LABEL - 2, label, SS_TABLE_TIME - 4, bytes / SS_GIB,
                SS_TABLE_PERCENT - 2, ss_table_percent(bytes, capacity_bytes));
}

/* The parts that are worth a look, named on the right, as they are in the rows above already. */
static void print_details(FILE *stream, const ss_memory *memory)
{
  const char *label = "of that";
  for (size_t i = 0; i < ROWS(details); i++) {
    const double bytes = value_of(memory, &details[i]);
    if (bytes < 0.005 * SS_GIB) continue;
    print_bytes(stream, label, bytes, memory->capacity_bytes);
    (void)fprintf(stream, "  %s\n", details[i].label);
    label = "";
  }
}

static void print_memory(FILE *stream, const ss_memory *memory)
{
  (void)fprintf(stream, "\nMemory on the fullest GPU (stage %" PRId64 "): %s in %.2f GiB\n", memory->stage,
                fit_text(memory->total_bytes, memory->capacity_bytes), memory->capacity_bytes / SS_GIB);
  for (size_t i = 0; i < ROWS(memories); i++) {
    const double bytes = value_of(memory, &memories[i]);
    const bool total = i + 1 == ROWS(memories);
    if (!total && bytes == 0.0) continue;
    print_bytes(stream, memories[i].label, bytes, memory->capacity_bytes);
    (void)fputc('\n', stream);
  }
  print_details(stream, memory);
  ss_margin_print(stream, memory, "Memory");
}

/* A run of stages with the same memory, or with memory that changes by the same step from one to the next, as where a
 * stage holds one micro-batch less than the one before it. */
typedef struct stage_run {
  int64_t first, last;
  bool level; /* all of them have the same */
} stage_run;

static bool nearly_equal(double a_bytes, double b_bytes)
{
  return fabs(a_bytes - b_bytes) < 1e-4 * SS_GIB;
}

/* Stages from `first` on whose totals go on in steps of `step_bytes`: the last of them. */
static int64_t run_end(const ss_prediction *prediction, int64_t first, double step_bytes)
{
  const ss_memory *memory = prediction->stage_memory;
  int64_t last = first;
  while (last + 1 < prediction->stages && memory[last + 1].fits == memory[first].fits &&
         nearly_equal(memory[last + 1].total_bytes - memory[last].total_bytes, step_bytes))
    last++;
  return last;
}

/* The fullest stage is never hidden in a slope. */
static stage_run run_from(const ss_prediction *prediction, int64_t first)
{
  const ss_memory *memory = prediction->stage_memory;
  const int64_t level_end = run_end(prediction, first, 0.0), fullest = prediction->memory.stage;
  const int64_t shortest = 3;
  if (level_end > first || first == fullest || first + 1 == prediction->stages)
    return (stage_run){first, level_end, true};
  int64_t last = run_end(prediction, first, memory[first + 1].total_bytes - memory[first].total_bytes);
  if (first < fullest && fullest <= last) last = fullest - 1;
  if (last - first + 1 < shortest) return (stage_run){first, first, true};
  return (stage_run){first, last, false};
}

static void print_run(FILE *stream, const ss_prediction *prediction, stage_run run)
{
  const ss_memory *first = &prediction->stage_memory[run.first], *last = &prediction->stage_memory[run.last];
  const int64_t fullest = prediction->memory.stage;
  char label[64];
  if (run.first == run.last)
    (void)snprintf(label, sizeof label, "stage %" PRId64, run.first);
  else
    (void)snprintf(label, sizeof label, "stages %" PRId64 "-%" PRId64, run.first, run.last);
  print_bytes(stream, label, first->total_bytes, first->capacity_bytes);
  if (!run.level)
    (void)fprintf(stream, "  to %.2f GiB, %.1f %%", last->total_bytes / SS_GIB,
                  ss_table_percent(last->total_bytes, last->capacity_bytes));
  if (run.first <= fullest && fullest <= run.last) (void)fprintf(stream, "  fullest");
  if (!first->fits) (void)fprintf(stream, "  does NOT fit");
  (void)fputc('\n', stream);
}

static void print_stages(FILE *stream, const ss_prediction *prediction)
{
  (void)fprintf(stream, "\nMemory per stage\n");
  stage_run run = {.last = -1};
  while (run.last + 1 < prediction->stages) {
    run = run_from(prediction, run.last + 1);
    print_run(stream, prediction, run);
  }
}

static void print_amount(FILE *stream, const char *label, double amount, const char *unit)
{
  (void)fprintf(stream, "  %-*s%*.2f %s\n", SS_TABLE_LABEL - 2, label, SS_TABLE_TIME - 4, amount, unit);
}

static void print_offload(FILE *stream, const ss_prediction *prediction)
{
  const ss_memory *memory = &prediction->memory;
  const ss_offload *offload = &prediction->offload;
  (void)fprintf(stream, "\nSecond memory tier of that GPU: %s in %.2f GiB\n",
                fit_text(memory->offloaded_bytes, memory->offload_capacity_bytes),
                memory->offload_capacity_bytes / SS_GIB);
  print_bytes(stream, "kept there", memory->offloaded_bytes, memory->offload_capacity_bytes);
  (void)fputc('\n', stream);
  print_amount(stream, "read", offload->read_bytes / SS_GIB, "GiB an iteration");
  print_amount(stream, "written", offload->written_bytes / SS_GIB, "GiB an iteration");
  if (offload->needed_bytes_per_s > 0.0)
    print_amount(stream, "needed", offload->needed_bytes_per_s / 1e9, "GB/s each way to hide it behind the passes");
  if (offload->optimizer_bytes_per_s > 0.0)
    print_amount(stream, "needed at the end", offload->optimizer_bytes_per_s / 1e9,
                 "GB/s each way to hide it behind the optimizer step");
  print_amount(stream, "available", offload->available_bytes_per_s / 1e9, "GB/s each way");
}

/* A share of the 16-bit peak; where products of layers take fewer bits, the same work as a share of their peak, too. */
static void print_utilisation(FILE *stream, const char *label, double share, const ss_metrics *metrics)
{
  (void)fprintf(stream, "  %-*s%*.1f %%  of the 16-bit peak", METRIC_WIDTH, label, NUMBER_WIDTH, 100.0 * share);
  if (metrics->products != SS_ENGINE_MATRIX)
    (void)fprintf(stream, "\n  %*.1f %%  of the %s peak", METRIC_WIDTH + NUMBER_WIDTH,
                  100.0 * share * metrics->peak_flop_per_s / metrics->products_peak_flop_per_s,
                  ss_engine_name(metrics->products));
  (void)fputc('\n', stream);
}

static void print_parameters(FILE *stream, const ss_metrics *metrics)
{
  char all[SS_TABLE_SCALED_SIZE], active[SS_TABLE_SCALED_SIZE];
  ss_table_count(metrics->parameters, all);
  ss_table_count(metrics->active_parameters, active);
  (void)fprintf(stream, "  %-*s%*s\n", METRIC_WIDTH, "parameters", COUNT_WIDTH, all);
  if (metrics->active_parameters < metrics->parameters)
    (void)fprintf(stream, "  %-*s%*s\n", METRIC_WIDTH, "of them for a token", COUNT_WIDTH, active);
}

/* Where whole documents leave padding. */
static void print_useful(FILE *stream, const ss_metrics *metrics)
{
  if (metrics->useful >= 1.0) return;
  (void)fprintf(stream, "  %-*s%*.1f\n", METRIC_WIDTH, "  of them, useful ones", NUMBER_WIDTH,
                metrics->useful_tokens_per_s_per_gpu);
  (void)fprintf(stream, "  %-*s%*.2f %%, the rest is padding\n", METRIC_WIDTH, "  fill of sequences", NUMBER_WIDTH,
                100.0 * metrics->useful);
}

/* Where the platform has prices. */
static void print_outlay(FILE *stream, const ss_outlay *outlay)
{
  char run[SS_TABLE_SCALED_SIZE];
  if (outlay->iteration_dollars <= 0.0) return;
  (void)fprintf(stream, "  %-*s%*.4g\n", METRIC_WIDTH, "dollars per iteration", NUMBER_WIDTH,
                outlay->iteration_dollars);
  if (outlay->run_dollars <= 0.0) return;
  ss_table_count(outlay->run_dollars, run);
  (void)fprintf(stream, "  %-*s%*s\n", METRIC_WIDTH, "dollars of the whole run", COUNT_WIDTH, run);
}

/* What the model asks for, and does not run, where that makes HFU the lower one. Frameworks count dropped tokens, too:
 * num_floating_point_operations of Megatron-LM has all tokens of a batch, whatever the capacity of experts. */
static void print_less_runs(FILE *stream, const ss_metrics *metrics)
{
  char text[192];
  if (metrics->hfu >= metrics->mfu) return;
  if (metrics->dropped <= 0.0) {
    (void)fprintf(stream, "  (below MFU, which counts causal attention in full; about half of it runs)\n");
    return;
  }
  (void)snprintf(
      text, sizeof text,
      "(below MFU, which as in Megatron-LM counts all tokens of a batch, also the %.0f %% that experts drop, "
      "and causal attention in full; about half of that runs)",
      100.0 * metrics->dropped);
  (void)fputs("  ", stream);
  ss_table_print_wrapped(stream, text, 2);
}

static void print_metrics(FILE *stream, const ss_prediction *prediction)
{
  const ss_metrics *metrics = &prediction->metrics;
  (void)fprintf(stream, "\nMetrics of the %s\n", prediction->simulated ? "replay" : "closed form");
  print_parameters(stream, metrics);
  print_utilisation(stream, "model flop utilisation (MFU)", metrics->mfu, metrics);
  print_utilisation(stream, "hardware flop utilisation (HFU)", metrics->hfu, metrics);
  print_less_runs(stream, metrics);
  (void)fprintf(stream, "  %-*s%*.1f\n", METRIC_WIDTH, "tokens per second per GPU", NUMBER_WIDTH,
                metrics->tokens_per_s_per_gpu);
  print_useful(stream, metrics);
  (void)fprintf(stream, "  %-*s%*.4g\n", METRIC_WIDTH, "model flop per iteration", NUMBER_WIDTH,
                metrics->model_flop_per_iteration);
  if (metrics->days > 0.0)
    (void)fprintf(stream, "  %-*s%*.1f days\n", METRIC_WIDTH, "whole training run", NUMBER_WIDTH, metrics->days);
  print_outlay(stream, &prediction->outlay);
}

void ss_report_text(FILE *stream, const ss_prediction *prediction)
{
  const ss_table_unit unit = ss_table_unit_for(prediction->estimate.iteration_s);
  ss_title_print(stream, prediction);
  print_breakdown(stream, prediction, unit);
  if (prediction->simulated) print_explanation(stream, prediction, unit);
  if (prediction->simulated) ss_contention_print(stream, prediction, unit);
  ss_report_trials_text(stream, prediction, unit);
  print_memory(stream, &prediction->memory);
  if (prediction->stages > 1) print_stages(stream, prediction);
  if (prediction->offload.available_bytes_per_s > 0.0) print_offload(stream, prediction);
  print_metrics(stream, prediction);
}
