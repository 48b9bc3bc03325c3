/* Predictions beside measurements, as tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/report/report.h"
#include "sim/report/table.h"

#define SECONDS_PER_HOUR 3600.0
#define SECONDS_PER_DAY  86400.0

/* Widths of the name of a point, a row of errors, a sweep, and a kind of jobs; and where notes below a point begin. */
enum { LABEL = 19, PREDICTOR = 12, SWEEP = 26, KIND = 24, NOTES = 4 };

/* In 13 columns. */
static void print_time(FILE *stream, double time_s)
{
  if (time_s < 1e-3)
    (void)fprintf(stream, "%10.1f us", 1e6 * time_s);
  else if (time_s < 1.0)
    (void)fprintf(stream, "%10.3f ms", 1e3 * time_s);
  else if (time_s < SECONDS_PER_HOUR)
    (void)fprintf(stream, "%10.4f s ", time_s);
  else if (time_s < SECONDS_PER_DAY)
    (void)fprintf(stream, "%10.3f h ", time_s / SECONDS_PER_HOUR);
  else
    (void)fprintf(stream, "%10.3f d ", time_s / SECONDS_PER_DAY);
}

/* Begins a row with a name, which has a line of its own where it is too long. */
static void print_name(FILE *stream, int indent, int width, const char *name)
{
  const bool is_long = (int)strlen(name) > width;
  if (is_long) (void)fprintf(stream, "%*s%s\n", indent, "", name);
  (void)fprintf(stream, "%*s%-*s", indent, "", width, is_long ? "" : name);
}

/* A row below the times of a point: its memory, under what is measured, predicted and the error of that. */
static void print_memory(FILE *stream, const ss_validation *validation, int64_t index)
{
  const double measured_bytes = validation->measured->point[index].memory_bytes;
  if (isnan(measured_bytes)) return;
  (void)fprintf(stream, "  %-*s%9.2f GiB%9.2f GiB", LABEL, "  memory", measured_bytes / SS_GIB,
                validation->predicted[index].memory_bytes / SS_GIB);
  ss_table_print_error(stream, ss_validation_memory_error(validation, index));
  (void)fputc('\n', stream);
}

/* What else there is to say of a point, on lines of its own. */
static void print_notes(FILE *stream, const ss_validation *validation, int64_t index)
{
  const ss_measured_point *point = &validation->measured->point[index];
  const bool of_run = validation->measured->group[point->group].kind == SS_MEASURED_RUNS;
  const char *remarks[] = {of_run ? ss_run_figure_time(point->figure) : "",
                           point->limit != SS_LIMIT_NONE ? ss_limit_text(point->limit) : "",
                           validation->predicted[index].fits ? "" : "does not fit", point->notes};
  char text[1024];
  size_t used = 0;
  for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; ++i)
    if (remarks[i][0] != '\0' && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "; " : "", remarks[i]);
  if (used == 0) return;
  (void)fprintf(stream, "%*s", NOTES, "");
  ss_table_print_wrapped(stream, text, NOTES);
}

static void print_point(FILE *stream, const ss_validation *validation, int64_t index)
{
  const ss_measured_point *point = &validation->measured->point[index];
  print_name(stream, 2, LABEL, point->id);
  print_time(stream, point->measured_s);
  if (!point->used) {
    (void)fputs("  not used: ", stream);
    ss_table_print_wrapped(stream, point->why, 2 + LABEL + 13 + 12);
    return;
  }
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    print_time(stream, validation->predicted[index].time_s[predictor]);
    if (point->limit == SS_LIMIT_NONE)
      ss_table_print_error(stream, ss_validation_error(validation, index, (ss_predictor)predictor));
    else
      (void)fprintf(stream, "%10s",
                    ss_validation_keeps(validation, index, (ss_predictor)predictor) ? "kept" : "not kept");
  }
  (void)fputc('\n', stream);
  print_memory(stream, validation, index);
  print_notes(stream, validation, index);
}

static void print_group(FILE *stream, const ss_validation *validation, int64_t index)
{
  const ss_measured_group *group = &validation->measured->group[index];
  ss_table_print_sentence(stream, "%s: %s (%s)", group->id, group->title, group->source);
  (void)fprintf(stream, "  %-*s%13s%13s%10s%13s%10s\n", LABEL, "", "measured", "closed form", "error", "replay",
                "error");
  for (int64_t i = group->first; i < group->first + group->count; ++i) print_point(stream, validation, i);
  (void)fputc('\n', stream);
}

static void print_summary(FILE *stream, const ss_error_summary *summary, const char *what, const char *worst)
{
  (void)fprintf(stream, "    %-*s%6" PRId64, PREDICTOR, what, summary->count);
  ss_table_print_size(stream, summary->mean_absolute);
  ss_table_print_error(stream, summary->bias);
  ss_table_print_size(stream, summary->p90);
  ss_table_print_error(stream, summary->worst);
  (void)fprintf(stream, "%s%s\n", worst[0] != '\0' ? "  " : "", worst);
}

/* The errors of a group or of the whole: its name, and a row for each predictor. */
static void print_errors(FILE *stream, const ss_validation *validation, const char *name, const ss_validated *v)
{
  const ss_measured *measured = validation->measured;
  (void)fprintf(stream, "  %s\n", name);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    const ss_measured_point *worst = v->worst[predictor] >= 0 ? &measured->point[v->worst[predictor]] : NULL;
    const bool of_group = worst != NULL && v->group >= 0;
    print_summary(stream, &v->time[predictor], ss_predictor_label((ss_predictor)predictor), of_group ? worst->id : "");
    if (worst != NULL && !of_group)
      (void)fprintf(stream, "%*sworst: %s %s\n", 4 + PREDICTOR, "", measured->group[worst->group].id, worst->id);
  }
  if (v->memory.count > 0) print_summary(stream, &v->memory, "memory", "");
  if (v->limits == 0) return;
  (void)fprintf(stream, "    %-*s%6" PRId64 "  of these", PREDICTOR, "limits", v->limits);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor)
    (void)fprintf(stream, "%s %" PRId64 " kept by %s", predictor > 0 ? "," : "", v->kept[predictor],
                  ss_predictor_label((ss_predictor)predictor));
  (void)fputc('\n', stream);
}

static void print_correlation(FILE *stream, double correlation)
{
  if (isnan(correlation))
    (void)fprintf(stream, "%8s", "-");
  else
    (void)fprintf(stream, "%8.3f", correlation);
}

static void print_kinds(FILE *stream, const ss_validation *validation)
{
  if (validation->kinds < 2) return;
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream,
                          "Kinds of jobs: mean absolute error of closed form and replay, and bias, P90 and worst "
                          "of the replay");
  (void)fprintf(stream, "  %-*s%6s%10s%10s%10s%10s%10s\n", KIND, "", "points", "c. f.", "replay", "bias", "P90",
                "worst");
  for (int64_t i = 0; i < validation->kinds; ++i) {
    const ss_validated *kind = &validation->kind[i];
    const ss_error_summary *replay = &kind->time[SS_PREDICTOR_SIMULATION];
    print_name(stream, 2, KIND, kind->name);
    (void)fprintf(stream, "%6" PRId64, replay->count);
    ss_table_print_size(stream, kind->time[SS_PREDICTOR_ESTIMATE].mean_absolute);
    ss_table_print_size(stream, replay->mean_absolute);
    ss_table_print_error(stream, replay->bias);
    ss_table_print_size(stream, replay->p90);
    ss_table_print_error(stream, replay->worst);
    (void)fputc('\n', stream);
  }
}

static void print_sweeps(FILE *stream, const ss_validation *validation)
{
  int64_t group = -1;
  if (validation->sweeps == 0) return;
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream, "Sweeps: mean absolute error of closed form and replay, bias of the replay, and rank "
                                  "correlation of what both predict with what is measured");
  (void)fprintf(stream, "  %-*s%6s%10s%10s%10s%8s%8s\n", SWEEP, "", "points", "c. f.", "replay", "bias", "c. f.",
                "replay");
  for (int64_t i = 0; i < validation->sweeps; ++i) {
    const ss_validated *sweep = &validation->sweep[i];
    if (sweep->group != group) (void)fprintf(stream, "  %s\n", validation->measured->group[sweep->group].id);
    group = sweep->group;
    print_name(stream, 4, SWEEP - 2, sweep->name);
    (void)fprintf(stream, "%6" PRId64, sweep->time[0].count);
    ss_table_print_size(stream, sweep->time[SS_PREDICTOR_ESTIMATE].mean_absolute);
    ss_table_print_size(stream, sweep->time[SS_PREDICTOR_SIMULATION].mean_absolute);
    ss_table_print_error(stream, sweep->time[SS_PREDICTOR_SIMULATION].bias);
    for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor)
      print_correlation(stream, sweep->correlation[predictor]);
    (void)fputc('\n', stream);
  }
}

/* A name, with what is chosen instead of the best where that is worst, and a row of numbers. */
static void print_regret(FILE *stream, const ss_validation *validation, const char *name, const ss_regret *regret)
{
  const ss_measured *measured = validation->measured;
  const int64_t worst = regret->worst_rivals[SS_PREDICTOR_SIMULATION];
  if (regret->rivals == 0) return;
  const ss_rivals *rivals = &validation->regrets.rivals[worst];
  (void)fprintf(stream, "  %s", name);
  if (rivals->regret[SS_PREDICTOR_SIMULATION] > 0.0)
    (void)fprintf(stream, ": worst %s instead of %s", measured->point[rivals->chosen[SS_PREDICTOR_SIMULATION]].id,
                  measured->point[rivals->best].id);
  (void)fprintf(stream, "\n  %8" PRId64 "%12" PRId64, regret->rivals, regret->strategies);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    ss_table_print_size(stream, regret->mean[predictor]);
    ss_table_print_size(stream, regret->worst[predictor]);
  }
  print_correlation(stream, regret->correlation[SS_PREDICTOR_SIMULATION]);
  (void)fputc('\n', stream);
}

static void print_regrets(FILE *stream, const ss_validation *validation)
{
  const ss_regrets *regrets = &validation->regrets;
  if (regrets->count == 0) return;
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream,
                          "Regret: by how much the strategy with the best prediction was slower, as measured, "
                          "than the best one measured. Strategies compete within a group for the same model, "
                          "precision, batch, platform, with its software, and GPUs; order: mean rank correlation.");
  (void)fprintf(stream, "  %8s%12s%10s%10s%10s%10s%8s\n", "tasks", "strategies", "c. f.", "worst", "replay", "worst",
                "order");
  for (int64_t i = 0; i < validation->measured->groups; ++i)
    print_regret(stream, validation, validation->measured->group[i].id, &regrets->group[i]);
  print_regret(stream, validation, "all", &regrets->whole);
}

void ss_report_validation_text(FILE *stream, const ss_validation *validation, bool only_groups)
{
  const ss_measured *measured = validation->measured;
  for (int64_t i = 0; !only_groups && i < measured->groups; ++i) print_group(stream, validation, i);
  (void)fprintf(stream, "Errors of predicted times, (predicted - measured) / measured\n");
  (void)fprintf(stream, "    %-*s%6s%10s%10s%10s%10s\n", PREDICTOR, "", "points", "mean abs.", "bias", "P90", "worst");
  for (int64_t i = 0; i < measured->groups; ++i)
    print_errors(stream, validation, measured->group[i].id, &validation->group[i]);
  for (int kind = 0; kind < SS_MEASURED_COUNT; ++kind) {
    char name[64];
    const ss_validated *whole = &validation->whole[kind];
    if (whole->time[0].count + whole->unused == 0) continue;
    (void)snprintf(name, sizeof name, "all %s", ss_measured_word((ss_measured_kind)kind));
    print_errors(stream, validation, name, whole);
    if (whole->unused > 0) (void)fprintf(stream, "    not used: %" PRId64 "\n", whole->unused);
  }
  print_kinds(stream, validation);
  print_sweeps(stream, validation);
  print_regrets(stream, validation);
}
