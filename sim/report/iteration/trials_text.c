#include <inttypes.h>

#include "model/base/number.h"
#include "model/input/slow_parts.h"
#include "model/result/trials.h"
#include "sim/report/iteration/trials.h"

/* Heights of a bar, of a tenth of the highest each. */
static const char heights[] = " .:-=+*#%@";

/* Of an entry of a list, so that a line has no more than SS_TABLE_COLUMNS. */
enum { ENTRY_WIDTH = SS_TABLE_COLUMNS - SS_TABLE_LABEL - SS_TABLE_TIME - SS_TABLE_PERCENT - 2 };

static void print_label(FILE *stream, const char *label)
{
  (void)fprintf(stream, "  %-*s", SS_TABLE_LABEL - 2, label);
}

static void print_histogram(FILE *stream, const ss_trials *trials)
{
  enum { HEIGHTS = sizeof heights - 2 };
  int64_t most = 0;
  for (int i = 0; i < SS_TRIALS_BARS; ++i) most = trials->bar[i] > most ? trials->bar[i] : most;
  print_label(stream, "shortest - longest");
  (void)fprintf(stream, "     |");
  for (int i = 0; i < SS_TRIALS_BARS; ++i) (void)fputc(heights[ss_divide_up(trials->bar[i] * HEIGHTS, most)], stream);
  (void)fprintf(stream, "|\n");
}

static void print_pacers(FILE *stream, const ss_trials *trials, ss_table_unit unit)
{
  double all_s = 0.0;
  for (int64_t i = 0; i < trials->count; ++i) all_s += trials->iteration_s[i];
  if (trials->pacers == 0) return;
  (void)fprintf(stream, "\nWhere the longest chain of work is, mean of the trials\n");
  for (int64_t i = 0; i < trials->pacers; ++i) {
    const ss_pacer *pacer = &trials->pacer[i];
    char label[64];
    (void)snprintf(label, sizeof label, "GPU %" PRId64, pacer->gpu);
    print_label(stream, label);
    ss_table_print_time(stream, unit, pacer->time_s / (double)trials->count, all_s / (double)trials->count);
    char text[128];
    (void)snprintf(text, sizeof text, "stage %" PRId64 " of replica %" PRId64 ", most in %" PRId64 " trial%s",
                   pacer->stage, pacer->replica, pacer->trials, pacer->trials == 1 ? "" : "s");
    (void)fputs("  ", stream);
    ss_table_print_wrapped(stream, text, SS_TABLE_LABEL + SS_TABLE_TIME + SS_TABLE_PERCENT + 2);
  }
}

static void print_trials(FILE *stream, const ss_trials *trials, ss_table_unit unit)
{
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream,
                          "%" PRId64 " trials from seed %" PRId64 " (%% of the mean); the first is the replay above",
                          trials->count, trials->seed);
#define PRINT_FIGURE(field, label)                                                                                     \
  print_label(stream, label);                                                                                          \
  ss_table_print_time(stream, unit, trials->field, trials->mean_s);                                                    \
  (void)fputc('\n', stream);
  SS_TRIALS_LIST(PRINT_FIGURE)
#undef PRINT_FIGURE
  if (trials->max_s > trials->min_s) print_histogram(stream, trials);
  print_pacers(stream, trials, unit);
}

static void print_slow_parts(FILE *stream, const ss_slow_parts *parts, const ss_prediction *prediction,
                             ss_table_unit unit)
{
  (void)fprintf(stream, "\nSlow parts (time that each adds to the iteration, %% of the replay)\n");
  for (int64_t i = 0; i < parts->count; ++i) {
    const ss_slow_part *part = &parts->part[i];
    print_label(stream, part->property->name);
    ss_table_print_difference(stream, unit, part->cost_s);
    (void)fprintf(stream, "%*.1f %%  %.*s\n", SS_TABLE_PERCENT - 2,
                  ss_table_percent(part->cost_s, prediction->simulation.iteration_s), ENTRY_WIDTH, part->entry);
  }
  if (parts->total > parts->count)
    (void)fprintf(stream, "  the first %" PRId64 " of %" PRId64 "\n", parts->count, parts->total);
}

void ss_report_blame(FILE *stream, const ss_prediction *prediction)
{
  const ss_slow_parts *parts = prediction->slow_parts;
  const int64_t told = parts != NULL ? ss_slow_parts_told(parts, prediction->simulation.iteration_s) : 0;
  for (int64_t i = 0; i < told; ++i) {
    char sentence[SS_BLAME_SIZE + 1];
    (void)snprintf(sentence, sizeof sentence, "%s.", parts->part[i].sentence);
    ss_table_print_wrapped(stream, sentence, 0);
  }
}

void ss_report_trials_text(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  if (prediction->trials != NULL) print_trials(stream, prediction->trials, unit);
  if (prediction->slow_parts != NULL) print_slow_parts(stream, prediction->slow_parts, prediction, unit);
}
