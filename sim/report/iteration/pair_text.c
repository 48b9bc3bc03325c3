/* Two predictions side by side: where the time of one goes that the other does not take. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/base/number.h"
#include "sim/report/iteration/title.h"
#include "sim/report/margin.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* Parts that the sentence names each way. */
enum { NAMED_PARTS = 3 };

/* A number in the columns of a time. */
enum { NUMBER = SS_TABLE_TIME };

/* A list of no parts. */
#define NOTHING "nothing"

typedef const ss_breakdown *(*time_of)(const ss_prediction *);

static const ss_breakdown *estimate_of(const ss_prediction *prediction)
{
  return &prediction->estimate;
}

static void print_side(FILE *stream, const char *name, const ss_prediction *prediction, ss_table_unit unit)
{
  ss_table_print_sentence(stream, "%s", name);
  ss_title_print(stream, prediction);
  if (prediction->simulated) ss_replay_notes_print(stream, prediction, unit);
}

/* What B changes, as far as there is room for it. */
static void list_changes(const ss_pair_report *report, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "B, with");
  for (int64_t i = 0; i < report->changes && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s %s", i > 0 ? "," : "", report->change[i]);
}

/* A row of times of A, of B, of their difference, and its share of the whole one. */
static void print_row(FILE *stream, ss_table_unit unit, const char *label, const double time_s[2], double whole_s)
{
  const double difference_s = time_s[1] - time_s[0];
  (void)fprintf(stream, "  %-*s", SS_TABLE_LABEL - 2, label);
  for (int side = 0; side < 2; ++side)
    (void)fprintf(stream, " %*.*f %-2s", NUMBER - 4, unit.decimals, time_s[side] * unit.per_s, unit.name);
  ss_table_print_difference(stream, unit, difference_s);
  if (!ss_table_is_zero(unit, whole_s))
    (void)fprintf(stream, "%*.1f %%", SS_TABLE_PERCENT - 2,
                  ss_table_is_zero(unit, difference_s) ? 0.0 : 100.0 * difference_s / whole_s);
  (void)fputc('\n', stream);
}

static void print_parts(FILE *stream, const ss_pair_report *report, ss_table_unit unit, const char *title, time_of of)
{
  const ss_breakdown *time[2] = {of(report->a), of(report->b)};
  const double whole_s = time[1]->iteration_s - time[0]->iteration_s;
  (void)fprintf(stream, "\n%-*s%*s%*s%*s", SS_TABLE_LABEL, title, NUMBER, "A", NUMBER, "B", NUMBER, "B - A");
  (void)fprintf(stream, "%s\n", ss_table_is_zero(unit, whole_s) ? "" : "    share");
  for (int part = 0; part < SS_PART_COUNT; ++part) {
    const double time_s[2] = {ss_breakdown_part(time[0], (ss_part)part), ss_breakdown_part(time[1], (ss_part)part)};
    if (ss_table_is_zero(unit, time_s[0]) && ss_table_is_zero(unit, time_s[1])) continue;
    print_row(stream, unit, ss_part_label((ss_part)part), time_s, whole_s);
  }
  print_row(stream, unit, "iteration", (const double[]){time[0]->iteration_s, time[1]->iteration_s}, whole_s);
}

/* A list of the parts in which B takes longest beyond A, with `sign` -1 those in which it takes least. */
static void name_parts(const ss_pair_report *report, double sign, ss_table_unit unit, char *list, size_t size)
{
  const ss_breakdown *a = ss_prediction_iteration(report->a), *b = ss_prediction_iteration(report->b);
  double excess_s[SS_PART_COUNT];
  for (int i = 0; i < SS_PART_COUNT; ++i)
    excess_s[i] = sign * (ss_breakdown_part(b, (ss_part)i) - ss_breakdown_part(a, (ss_part)i));
  size_t used = (size_t)snprintf(list, size, NOTHING);
  for (int named = 0; named < NAMED_PARTS; ++named) {
    int most = 0;
    for (int i = 1; i < SS_PART_COUNT; ++i)
      if (excess_s[i] > excess_s[most]) most = i;
    if (excess_s[most] <= 0.0 || ss_table_is_zero(unit, excess_s[most])) return;
    if (named == 0) used = 0;
    used +=
        (size_t)snprintf(list + used, size - used, "%s%s %+.*f %s", named > 0 ? ", " : "", ss_part_label((ss_part)most),
                         unit.decimals, sign * excess_s[most] * unit.per_s, unit.name);
    excess_s[most] = 0.0;
  }
}

static void print_sentence(FILE *stream, const ss_pair_report *report, ss_table_unit unit)
{
  const double a_s = ss_prediction_iteration(report->a)->iteration_s;
  const double b_s = ss_prediction_iteration(report->b)->iteration_s;
  char slower[256], faster[256], whole[96];
  name_parts(report, 1.0, unit, slower, sizeof slower);
  name_parts(report, -1.0, unit, faster, sizeof faster);
  (void)snprintf(whole, sizeof whole, "%.*f %s (%.1f %%) %s", unit.decimals, fabs(b_s - a_s) * unit.per_s, unit.name,
                 ss_table_percent(fabs(b_s - a_s), a_s), b_s > a_s ? "longer than" : "less than");
  if (ss_table_is_zero(unit, b_s - a_s)) (void)snprintf(whole, sizeof whole, "as long as");
  if (strcmp(slower, NOTHING) == 0 && strcmp(faster, NOTHING) == 0)
    ss_table_print_sentence(stream, "B takes %s A, in every part.", whole);
  else
    ss_table_print_sentence(stream, "B takes %s A. Slower: %s. Faster: %s.", whole, slower, faster);
}

/* Tokens of an iteration. */
static double tokens(const ss_prediction *prediction)
{
  return prediction->metrics.tokens_per_s_per_gpu * (double)prediction->gpus *
         ss_prediction_iteration(prediction)->iteration_s;
}

/* What makes the difference say less than it seems to. */
static void print_limits(FILE *stream, const ss_pair_report *report)
{
  const ss_prediction *a = report->a, *b = report->b;
  const double presumed_s = a->shortcuts.presumed.ahead_s + b->shortcuts.presumed.ahead_s;
  const double difference_s = fabs(ss_prediction_iteration(b)->iteration_s - ss_prediction_iteration(a)->iteration_s);
  const ss_table_unit unit = ss_table_unit_for(presumed_s);
  char of_a[SS_TABLE_SCALED_SIZE], of_b[SS_TABLE_SCALED_SIZE];
  if (a->simulated && presumed_s > 0.0 && presumed_s >= difference_s)
    ss_table_print_sentence(stream,
                            "The replays took flows for others, which adds up to %.2g %s and is more than they differ "
                            "by: which of them is faster only --fold exact tells.",
                            presumed_s * unit.per_s, unit.name);
  if (fabs(tokens(a) - tokens(b)) < 1e-6 * tokens(a)) return;
  ss_table_count(tokens(a), of_a);
  ss_table_count(tokens(b), of_b);
  ss_table_print_sentence(stream, "An iteration of A has %s tokens, one of B %s: tokens per second compare them.", of_a,
                          of_b);
}

/* A row of bytes of A, of B, and of their difference. */
static void print_bytes(FILE *stream, const char *label, double a_bytes, double b_bytes)
{
  if (a_bytes == 0.0 && b_bytes == 0.0) return;
  const double difference = (b_bytes - a_bytes) / SS_GIB;
  (void)fprintf(stream, "  %-*s%*.2f GiB%*.2f GiB", SS_TABLE_LABEL - 2, label, NUMBER - 4, a_bytes / SS_GIB, NUMBER - 4,
                b_bytes / SS_GIB);
  (void)fprintf(stream, fabs(difference) < 0.005 ? "%*.2f GiB\n" : "%+*.2f GiB\n", NUMBER - 4,
                fabs(difference) < 0.005 ? 0.0 : difference);
}

static void print_memory(FILE *stream, const ss_pair_report *report)
{
  const ss_memory *a = &report->a->memory, *b = &report->b->memory;
  (void)fprintf(stream, "\n%-*s%*s%*s%*s\n", SS_TABLE_LABEL, "Memory, fullest GPU", NUMBER, "A", NUMBER, "B", NUMBER,
                "B - A");
#define PRINT_MEMORY(field, label) print_bytes(stream, label, a->field, b->field);
  SS_MEMORY_LIST(PRINT_MEMORY)
#undef PRINT_MEMORY
  print_bytes(stream, "total", a->total_bytes, b->total_bytes);
  print_bytes(stream, "of", a->capacity_bytes, b->capacity_bytes);
  print_bytes(stream, "second tier", a->offloaded_bytes, b->offloaded_bytes);
  (void)fprintf(stream, "  %-*s%*" PRId64 "%*" PRId64 "\n", SS_TABLE_LABEL - 2, "stage", NUMBER, a->stage, NUMBER,
                b->stage);
  (void)fprintf(stream, "  %-*s%*s%*s\n", SS_TABLE_LABEL - 2, "fits", NUMBER,
                ss_prediction_fits(report->a) ? "yes" : "NO", NUMBER, ss_prediction_fits(report->b) ? "yes" : "NO");
  ss_margin_print(stream, a, "Memory of A");
  ss_margin_print(stream, b, "Memory of B");
}

/* A number above 0, or a dash where there is none. */
static void print_known(FILE *stream, double value, int decimals)
{
  if (value > 0.0)
    (void)fprintf(stream, "%*.*f", NUMBER, decimals, value);
  else
    (void)fprintf(stream, "%*s", NUMBER, "-");
}

/* A row of numbers, and their difference where both are there; nothing where neither is. */
static void print_number(FILE *stream, const char *label, double a, double b, int decimals)
{
  if (a <= 0.0 && b <= 0.0) return;
  (void)fprintf(stream, "  %-*s", SS_TABLE_LABEL - 2, label);
  print_known(stream, a, decimals);
  print_known(stream, b, decimals);
  if (a > 0.0 && b > 0.0) (void)fprintf(stream, a == b ? "%*.*f" : "%+*.*f", NUMBER, decimals, b - a);
  (void)fputc('\n', stream);
}

static void print_metrics(FILE *stream, const ss_pair_report *report)
{
  const ss_prediction *a = report->a, *b = report->b;
  const ss_metrics *of_a = &a->metrics, *of_b = &b->metrics;
  (void)fprintf(stream, "\n%-*s%*s%*s%*s\n", SS_TABLE_LABEL, "Metrics", NUMBER, "A", NUMBER, "B", NUMBER, "B - A");
  print_number(stream, "GPUs", (double)a->gpus, (double)b->gpus, 0);
  print_number(stream, "MFU, %", 100.0 * of_a->mfu, 100.0 * of_b->mfu, 1);
  print_number(stream, "HFU, %", 100.0 * of_a->hfu, 100.0 * of_b->hfu, 1);
  print_number(stream, "tokens/s", of_a->tokens_per_s_per_gpu * (double)a->gpus,
               of_b->tokens_per_s_per_gpu * (double)b->gpus, 0);
  print_number(stream, "tokens/s/GPU", of_a->tokens_per_s_per_gpu, of_b->tokens_per_s_per_gpu, 1);
  print_number(stream, "days", of_a->days, of_b->days, 1);
  print_number(stream, "dollars", a->outlay.iteration_dollars, b->outlay.iteration_dollars, 3);
}

void ss_report_pair_text(FILE *stream, const ss_pair_report *report)
{
  const ss_prediction *a = report->a, *b = report->b;
  const ss_table_unit unit = ss_table_unit_for(ss_max(a->estimate.iteration_s, b->estimate.iteration_s));
  char changes[900];
  list_changes(report, changes, sizeof changes);
  print_side(stream, "A", a, unit);
  (void)fputc('\n', stream);
  print_side(stream, changes, b, unit);
  if (a->simulated) print_parts(stream, report, unit, "Replay", ss_prediction_iteration);
  print_parts(stream, report, unit, "Closed form", estimate_of);
  (void)fputc('\n', stream);
  print_sentence(stream, report, unit);
  print_limits(stream, report);
  print_memory(stream, report);
  print_metrics(stream, report);
}
