#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/base/number.h"
#include "model/profile/comparison.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* Columns of the table: a class, kernels, the sum of their times, and their part of the iteration; twice; the
 * difference. */
enum { LABEL = 18, KERNELS = 8, SUM = 9, PART = 9, DIFFERENCE = 10 };

/* Parts of the difference that the sentence names, layers that are listed; the least share that is worth a word, of the
 * largest difference that way, or of kernels of no rule in the iteration. */
enum { NAMED_PARTS = 4, LISTED_LAYERS = 4 };
#define WORTH_NAMING 0.01

/* A number behind a space, which a time longer than its column has as well. */
static void print_time(FILE *stream, ss_table_unit unit, int width, double time_s)
{
  (void)fprintf(stream, " %*.*f", width - 1, unit.decimals, time_s * unit.per_s);
}

static void print_trace(FILE *stream, const ss_compared_trace *trace, ss_table_unit unit)
{
#define FOUND_TEXT(id, text) text,
  static const char *const texts[] = {SS_FOUND_LIST(FOUND_TEXT)};
  const ss_measurement *measured = &trace->measured;
  (void)fprintf(stream, "  %s: rank %" PRId64, trace->path, trace->rank);
  if (measured->rank < 0) (void)fputs(" (by its place)", stream);
  if (measured->devices > 1)
    (void)fprintf(stream, ", device %" PRId64 " (one of %" PRId64 ")", measured->device, measured->devices);
  char step[256] = "";
  if (measured->step >= 0)
    (void)snprintf(step, sizeof step, " %" PRId64 "; of %" PRId64 " the shortest takes %.*f %s, the longest %.*f %s",
                   measured->step, measured->steps, unit.decimals, measured->shortest_s * unit.per_s, unit.name,
                   unit.decimals, measured->longest_s * unit.per_s, unit.name);
  char text[512];
  (void)snprintf(text, sizeof text, "%s%s", texts[measured->found], step);
  (void)fputs("\n    ", stream);
  ss_table_print_wrapped(stream, text, 4);
  if (measured->by_dependencies)
    (void)fputs("    it has no times: kernels start when what they depend on has ended, and what\n"
                "    is idle and hidden follows from that\n",
                stream);
}

static void print_side(FILE *stream, ss_table_unit unit, const ss_class_time *time)
{
  (void)fprintf(stream, " %*.0f", KERNELS - 1, time->kernels);
  print_time(stream, unit, SUM, time->sum_s);
  print_time(stream, unit, PART, time->alone_s);
}

static void print_difference(FILE *stream, ss_table_unit unit, double time_s)
{
  (void)fprintf(stream, " %+*.*f\n", DIFFERENCE - 1, unit.decimals,
                ss_table_is_zero(unit, time_s) ? 0.0 : time_s * unit.per_s);
}

/* A row without kernels: what is idle, and the whole. */
static void print_plain_row(FILE *stream, ss_table_unit unit, const char *label, double measured_s, double predicted_s)
{
  (void)fprintf(stream, "  %-*s%*s", LABEL - 2, label, KERNELS + SUM, "");
  print_time(stream, unit, PART, measured_s);
  (void)fprintf(stream, "%*s", KERNELS + SUM, "");
  print_time(stream, unit, PART, predicted_s);
  print_difference(stream, unit, measured_s - predicted_s);
}

static void print_part(FILE *stream, ss_table_unit unit, const ss_comparison *comparison, const ss_compared_part *part)
{
  const char *name = ss_compared_part_name(part->kind);
  if (part->kind == SS_CLASS_COUNT) {
    print_plain_row(stream, unit, name, part->measured_s, part->predicted_s);
    return;
  }
  (void)fprintf(stream, "  %-*s", LABEL - 2, name);
  print_side(stream, unit, &comparison->measured.of[part->kind]);
  print_side(stream, unit, &comparison->predicted.of[part->kind]);
  print_difference(stream, unit, part->measured_s - part->predicted_s);
}

static void print_table(FILE *stream, const ss_comparison *comparison, ss_table_unit unit)
{
  ss_compared_part part[SS_COMPARED_PARTS];
  const int count = ss_comparison_parts(comparison, part);
  char text[64];
  (void)snprintf(text, sizeof text, "Time in %s", unit.name);
  (void)fprintf(stream, "\n%-*s%*s%*s\n", LABEL, text, KERNELS + SUM + PART, "measured", KERNELS + SUM + PART,
                "predicted");
  (void)fprintf(stream, "%*s", LABEL, "");
  for (int side = 0; side < 2; ++side) (void)fprintf(stream, "%*s%*s%*s", KERNELS, "kernels", SUM, "sum", PART, "part");
  (void)fprintf(stream, "%*s\n", DIFFERENCE, "excess");
  for (int i = 0; i < count; ++i) print_part(stream, unit, comparison, &part[i]);
  print_plain_row(stream, unit, "iteration", comparison->measured.iteration_s, comparison->predicted.iteration_s);
}

/* What runs beside compute, and how much of it does. */
static void print_hidden(FILE *stream, const char *side, const ss_profile *profile, ss_table_unit unit)
{
  (void)fprintf(stream, "  %-*s", LABEL - 2, side);
  print_time(stream, unit, SUM, profile->beside_s);
  (void)fprintf(stream, " %s, %.*f %s (%.1f %%) hidden; idle in %.0f gaps\n", unit.name, unit.decimals,
                profile->hidden_s * unit.per_s, unit.name, ss_table_percent(profile->hidden_s, profile->beside_s),
                profile->gaps);
}

/* The layers that differ most, the slowest first; those before `last_s` have been listed. */
static int64_t next_layer(const ss_comparison *comparison, double last_s, int64_t last)
{
  int64_t best = -1;
  double best_s = -HUGE_VAL;
  for (int64_t i = 0; i < comparison->measured.layers && i < comparison->predicted.layers; ++i) {
    if (comparison->measured.layer[i].kernels <= 0.0 || comparison->predicted.layer[i].kernels <= 0.0) continue;
    const double excess_s = comparison->measured.layer[i].sum_s - comparison->predicted.layer[i].sum_s;
    const bool is_listed = excess_s > last_s || (excess_s == last_s && i <= last);
    if (is_listed || excess_s <= best_s) continue;
    best = i;
    best_s = excess_s;
  }
  return best;
}

/* Whether no part differs. */
static bool is_same(const ss_comparison *comparison)
{
  ss_compared_part part[SS_COMPARED_PARTS];
  const int count = ss_comparison_parts(comparison, part);
  for (int i = 0; i < count; ++i)
    if (part[i].excess_s != 0.0) return false;
  return true;
}

static void print_layers(FILE *stream, const ss_comparison *comparison, ss_table_unit unit)
{
  double last_s = HUGE_VAL;
  int64_t layer = next_layer(comparison, last_s, -1);
  bool by_range = false;
  for (int64_t i = 0; i < comparison->count; ++i) by_range = by_range || comparison->trace[i].measured.layers_by_range;
  if (layer < 0 || is_same(comparison)) return;
  (void)fputc('\n', stream);
  ss_table_print_sentence(
      stream, "Layers, kernels without communication in %s, those first that take longest beyond what is predicted%s",
      unit.name, by_range ? "; measured is what annotations hold, often forward passes alone" : "");
  for (int i = 0; i < LISTED_LAYERS && layer >= 0; ++i) {
    const double measured_s = comparison->measured.layer[layer].sum_s;
    const double predicted_s = comparison->predicted.layer[layer].sum_s;
    char label[32];
    (void)snprintf(label, sizeof label, "layer %" PRId64, layer);
    print_plain_row(stream, unit, label, measured_s, predicted_s);
    last_s = measured_s - predicted_s;
    layer = next_layer(comparison, last_s, layer);
  }
}

/* Adds a part to a list, as far as there is room; not one that differs by less than is printed. */
static void say(char *list, size_t size, const ss_compared_part *part, ss_table_unit unit)
{
  const size_t used = strlen(list);
  if (ss_table_is_zero(unit, part->excess_s)) return;
  (void)snprintf(list + used, size - used, "%s%s %+.*f %s", used > 0 ? ", " : "", ss_compared_part_name(part->kind),
                 unit.decimals, part->excess_s * unit.per_s, unit.name);
}

static void print_sentence(FILE *stream, const ss_comparison *comparison, ss_table_unit unit)
{
  ss_compared_part part[SS_COMPARED_PARTS];
  char sentence[1024] = "", slower[400] = "", faster[400] = "";
  const int count = ss_comparison_parts(comparison, part);
  const double measured_s = comparison->measured.iteration_s, predicted_s = comparison->predicted.iteration_s;
  const double excess_s = measured_s - predicted_s;
  const double most_s = part[0].excess_s, least_s = part[count - 1].excess_s;
  for (int i = 0; i < count && i < NAMED_PARTS; ++i)
    if (part[i].excess_s > 0.0 && part[i].excess_s >= WORTH_NAMING * most_s) say(slower, sizeof slower, &part[i], unit);
  for (int i = count - 1; i >= 0 && i >= count - NAMED_PARTS; --i)
    if (part[i].excess_s < 0.0 && part[i].excess_s <= WORTH_NAMING * least_s)
      say(faster, sizeof faster, &part[i], unit);
  if (is_same(comparison))
    (void)snprintf(sentence, sizeof sentence, "What was measured is what is predicted, in every part.");
  else
    (void)snprintf(sentence, sizeof sentence,
                   "The iteration takes %.*f %s (%.1f %%) %s than predicted. Slower: %s. Faster: %s.", unit.decimals,
                   fabs(excess_s) * unit.per_s, unit.name, ss_table_percent(fabs(excess_s), predicted_s),
                   excess_s >= 0.0 ? "longer" : "less", slower[0] != '\0' ? slower : "nothing",
                   faster[0] != '\0' ? faster : "nothing");
  (void)fputc('\n', stream);
  ss_table_print_wrapped(stream, sentence, 0);
}

static void print_unknown(FILE *stream, const ss_compared_trace *trace, ss_table_unit unit)
{
  const double other_s = trace->measured.profile.of[SS_CLASS_OTHER].sum_s;
  if (other_s < WORTH_NAMING * trace->measured.profile.iteration_s) return;
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream, "The longest kernels of %s that no rule knows (--rules), over all of the trace",
                          trace->path);
  for (int i = 0; i < SS_UNKNOWN_KERNELS && trace->measured.unknown[i].sum_s > 0.0; ++i) {
    print_time(stream, unit, SUM, trace->measured.unknown[i].sum_s);
    (void)fprintf(stream, " %s  %.*s\n", unit.name, SS_TABLE_COLUMNS - SUM - 6, trace->measured.unknown[i].name);
  }
}

void ss_report_comparison_text(FILE *stream, const ss_comparison *comparison)
{
  const ss_table_unit unit =
      ss_table_unit_for(ss_max(comparison->measured.iteration_s, comparison->predicted.iteration_s));
  (void)fprintf(stream, "%s on %s, %" PRId64 " GPU%s: %" PRId64 " trace%s beside the replay\n", comparison->workload,
                comparison->platform, comparison->gpus, comparison->gpus == 1 ? "" : "s", comparison->count,
                comparison->count == 1 ? "" : "s");
  for (int64_t i = 0; i < comparison->count; ++i) print_trace(stream, &comparison->trace[i], unit);
  print_table(stream, comparison, unit);
  (void)fputs("\nCommunication and copies\n", stream);
  print_hidden(stream, "measured", &comparison->measured, unit);
  print_hidden(stream, "predicted", &comparison->predicted, unit);
  print_layers(stream, comparison, unit);
  for (int64_t i = 0; i < comparison->count; ++i) print_unknown(stream, &comparison->trace[i], unit);
  print_sentence(stream, comparison, unit);
}
