/* A fit as tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/report/report.h"
#include "sim/report/table.h"

enum { LABEL = 30, VALUE = 12, COUNT = 6 };

/* A quantity as files have it. */
typedef struct quantity_text {
  char text[SS_NAME_SIZE];
} quantity_text;

static quantity_text text_of(const ss_fit_report *report, int64_t constant, double value)
{
  quantity_text text;
  report->write(value, report->fit->plan->constant[constant].property->unit, text.text);
  return text;
}

static const char *name_of(const ss_fit_report *report, int64_t constant)
{
  return report->fit->plan->constant[constant].property->name;
}

static void print_value(FILE *stream, const ss_fit_report *report, int64_t constant, double value)
{
  (void)fprintf(stream, "%*s", VALUE, text_of(report, constant, value).text);
}

/* What the numbers of a row do not show; NULL: nothing. */
static const char *remark(const ss_fit *fit, int64_t constant)
{
  if (ss_fit_is_idle(fit, constant)) return "changes nothing";
  for (int way = 0; way < SS_FIT_WAYS; ++way)
    if (ss_fit_is_on_bound(fit, constant, way)) return "on its bound";
  return NULL;
}

static void print_constants(FILE *stream, const ss_fit_report *report)
{
  const ss_fit *fit = report->fit;
  const ss_fit_points *points = fit->points;
  (void)fprintf(stream, "Platform constants, fitted to %" PRId64 " points by the %s\n", points->count,
                ss_predictor_label(fit->replayed ? SS_PREDICTOR_SIMULATION : SS_PREDICTOR_ESTIMATE));
  (void)fprintf(stream, "  %-*s%*s%*s%*s%*s\n", LABEL - 2, "", VALUE, "start", VALUE, "fitted", VALUE, "from", VALUE,
                "to");
  for (int64_t i = 0; i < fit->plan->constants; ++i) {
    const ss_fit_constant *constant = &fit->plan->constant[i];
    (void)fprintf(stream, "  %-*s", LABEL - 2, name_of(report, i));
    for (int stage = 0; stage < SS_FIT_STAGES; ++stage) print_value(stream, report, i, fit->values[stage].of[i]);
    print_value(stream, report, i, constant->from);
    print_value(stream, report, i, constant->to);
    (void)fputc('\n', stream);
    if (remark(fit, i) != NULL) (void)fprintf(stream, "    %s\n", remark(fit, i));
  }
  (void)fprintf(stream, "  %-*s%*.4f%*.4f\n", LABEL - 2, "mean |ln(predicted/measured)|", VALUE,
                fit->objective[SS_FIT_START], VALUE, fit->objective[SS_FIT_FITTED]);
  (void)fprintf(stream, "    after %" PRId64 " evaluations%s\n", fit->evaluations, fit->limited ? ", the limit" : "");
}

static void print_changes(FILE *stream, const ss_fit_report *report)
{
  static const char *const words[SS_FIT_WAYS] = {"lower", "higher"};
  const ss_fit *fit = report->fit;
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream,
                          "One constant 10 %% lower or higher: change of the mean error and the bias of all points");
  (void)fprintf(stream, "  %-*s%8s%*s%10s%10s\n", LABEL - 2, "", "", VALUE, "value", "mean abs.", "bias");
  for (int64_t i = 0; i < fit->plan->constants; ++i)
    for (int way = 0; way < SS_FIT_WAYS; ++way) {
      const ss_fit_change *change = &fit->change[i][way];
      (void)fprintf(stream, "  %-*s%8s", LABEL - 2, way == 0 ? name_of(report, i) : "", words[way]);
      print_value(stream, report, i, change->value);
      ss_table_print_error(stream, change->mean_absolute);
      ss_table_print_error(stream, change->bias);
      (void)fputc('\n', stream);
    }
}

/* A name and two summaries side by side. */
static void print_errors(FILE *stream, const char *name, const ss_error_summary *a, const ss_error_summary *b)
{
  const bool is_long = strlen(name) > LABEL - 2;
  if (is_long) (void)fprintf(stream, "  %s\n", name);
  (void)fprintf(stream, "  %-*s%*" PRId64, LABEL - 2, is_long ? "" : name, COUNT, a->count);
  ss_table_print_size(stream, a->mean_absolute);
  ss_table_print_error(stream, a->bias);
  ss_table_print_size(stream, b->mean_absolute);
  ss_table_print_error(stream, b->bias);
  (void)fputc('\n', stream);
}

static void print_heading(FILE *stream, const char *a, const char *b)
{
  (void)fprintf(stream, "  %-*s%*s%20s%20s\n", LABEL - 2, "", COUNT, "", a, b);
  (void)fprintf(stream, "  %-*s%*s%10s%10s%10s%10s\n", LABEL - 2, "", COUNT, "points", "mean abs.", "bias", "mean abs.",
                "bias");
}

static void print_groups(FILE *stream, const ss_fit *fit)
{
  const ss_measured *measured = fit->points->measured;
  (void)fprintf(stream, "\nErrors of predicted times, (predicted - measured) / measured\n");
  print_heading(stream, "start", "fitted");
  for (int64_t i = 0; i < measured->groups; ++i) /* those that are used */
    if (fit->group[SS_FIT_START][i].count > 0)
      print_errors(stream, measured->group[i].id, &fit->group[SS_FIT_START][i], &fit->group[SS_FIT_FITTED][i]);
  print_errors(stream, "all", &fit->whole[SS_FIT_START], &fit->whole[SS_FIT_FITTED]);
}

static void print_left_out(FILE *stream, const ss_fit_report *report)
{
  const ss_fit *fit = report->fit;
  const ss_fit_points *points = fit->points;
  (void)fprintf(stream, "\nEach %s left out of the fit: its errors, and the constants without it\n",
                points->by_group ? "group" : "file");
  print_heading(stream, "in the fit", "left out");
  for (int64_t i = 0; i < points->sources; ++i) {
    char constants[SS_FIT_CONSTANTS * 2 * SS_NAME_SIZE] = "";
    const ss_fit_left_out *left = &fit->left_out[i];
    print_errors(stream, ss_fit_source_name(points, i), &left->within, &left->without);
    for (int64_t k = 0; k < fit->plan->constants; ++k) {
      const size_t used = strlen(constants);
      (void)snprintf(constants + used, sizeof constants - used, "%s%s %s", k > 0 ? ", " : "", name_of(report, k),
                     text_of(report, k, left->values.of[k]).text);
    }
    (void)fprintf(stream, "    ");
    ss_table_print_wrapped(stream, constants, 4);
  }
  print_errors(stream, "all", &fit->whole[SS_FIT_FITTED], &fit->left_whole);
}

/* From where to where a fitted constant goes as one source after the other is left out. */
static void find_span(const ss_fit *fit, int64_t constant, double span[2])
{
  span[0] = span[1] = fit->values[SS_FIT_FITTED].of[constant];
  for (int64_t i = 0; fit->crossed && i < fit->points->sources; ++i) {
    span[0] = fmin(span[0], fit->left_out[i].values.of[constant]);
    span[1] = fmax(span[1], fit->left_out[i].values.of[constant]);
  }
}

/* Why a constant is as it was. */
static void print_kept(FILE *stream, const ss_fit_report *report, const ss_free_constant *kept)
{
  char value[SS_NAME_SIZE];
  report->write(kept->constant.start, kept->constant.property->unit, value);
  char why[2 * SS_NAME_SIZE];
  (void)snprintf(why, sizeof why, "%s%s%s", ss_fate_text(kept->fate), kept->fate == SS_FATE_ALIKE ? " " : "",
                 kept->fate == SS_FATE_ALIKE ? report->free[kept->like].constant.property->name : "");
  (void)fprintf(stream, "  %-*s%*s  ", LABEL - 2, kept->constant.property->name, VALUE, value);
  ss_table_print_wrapped(stream, why, LABEL + VALUE + 2);
}

static void print_all_kept(FILE *stream, const ss_fit_report *report)
{
  (void)fprintf(stream, "\nNot fitted: as the platform has them\n");
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i)
    if (report->free[i].fate != SS_FATE_FITTED && report->free[i].fate != SS_FATE_ABSENT)
      print_kept(stream, report, &report->free[i]);
}

/* What would tell the constants that are not fitted, and those that one source decides. */
static void print_next(FILE *stream, const ss_fit_report *report)
{
  const double wide = 0.1;
  bool any = false;
  int64_t fitted = 0;
  (void)fprintf(stream, "\nWhat to measure next\n");
  for (int i = 0; i < SS_FREE_CONSTANTS; ++i) {
    const ss_free_constant *constant = &report->free[i];
    double span[2] = {0.0, 0.0};
    const bool is_fitted = constant->fate == SS_FATE_FITTED;
    if (is_fitted) find_span(report->fit, fitted++, span);
    if (constant->fate == SS_FATE_ABSENT || constant->fate == SS_FATE_SET) continue;
    if (is_fitted && span[1] - span[0] <= wide * span[1]) continue;
    char line[2 * SS_MESSAGE_SIZE], low[SS_NAME_SIZE], high[SS_NAME_SIZE];
    report->write(span[0], constant->constant.property->unit, low);
    report->write(span[1], constant->constant.property->unit, high);
    (void)snprintf(line, sizeof line, "%s%s%s%s%s%s: %s", constant->constant.property->name, is_fitted ? ", " : "",
                   is_fitted ? low : "", is_fitted ? " to " : "", is_fitted ? high : "",
                   is_fitted ? " without one source" : "", constant->tells);
    (void)fprintf(stream, "  ");
    ss_table_print_wrapped(stream, line, 4);
    any = true;
  }
  if (!any) (void)fprintf(stream, "  nothing: every constant is told, whichever source is left out\n");
}

static void print_use(FILE *stream, const ss_fit_report *report)
{
  const ss_fit *fit = report->fit;
  if (report->written != NULL) {
    (void)fprintf(stream, "\nWritten with these constants: %s\n", report->written);
    return;
  }
  (void)fprintf(stream, "\nNo platform is changed. To use the constants, %s, or pass\n",
                report->free != NULL ? "give --output FILE" : "write them into the files");
  for (int64_t i = 0; i < fit->plan->constants; ++i)
    (void)fprintf(stream, "  --set platform.%s=%s\n", name_of(report, i),
                  text_of(report, i, fit->values[SS_FIT_FITTED].of[i]).text);
  if (report->fitted_to != NULL) (void)fprintf(stream, "  --set 'platform.fitted-to=%s'\n", report->fitted_to);
}

void ss_report_fit_text(FILE *stream, const ss_fit_report *report)
{
  const ss_fit *fit = report->fit;
  print_constants(stream, report);
  if (report->free != NULL) print_all_kept(stream, report);
  print_changes(stream, report);
  print_groups(stream, fit);
  if (fit->crossed)
    print_left_out(stream, report);
  else if (fit->points->sources == 1)
    (void)fputs("\nAll points belong to one group, so none can be left out: how good the constants\nare elsewhere is "
                "unknown.\n",
                stream);
  if (report->free != NULL) print_next(stream, report);
  print_use(stream, report);
}
