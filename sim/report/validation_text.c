/* Predictions beside measurements, as tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/report/report.h"
#include "sim/report/table.h"

#define SECONDS_PER_HOUR 3600.0
#define SECONDS_PER_DAY  86400.0

enum { LABEL = 20, SWEEP = 28 };

static void print_time(FILE *stream, double time_s)
{
  if (time_s < 1e-3)
    (void)fprintf(stream, "%11.1f us", 1e6 * time_s);
  else if (time_s < 1.0)
    (void)fprintf(stream, "%11.3f ms", 1e3 * time_s);
  else if (time_s < SECONDS_PER_HOUR)
    (void)fprintf(stream, "%11.4f s ", time_s);
  else if (time_s < SECONDS_PER_DAY)
    (void)fprintf(stream, "%11.3f h ", time_s / SECONDS_PER_HOUR);
  else
    (void)fprintf(stream, "%11.3f d ", time_s / SECONDS_PER_DAY);
}

static void print_point(FILE *stream, const ss_validation *validation, int64_t index, bool has_memory)
{
  const ss_measured_point *point = &validation->measured->point[index];
  (void)fprintf(stream, "  %-*s", LABEL, point->id);
  print_time(stream, point->measured_s);
  if (!point->used) {
    (void)fprintf(stream, "  not used: %s\n", point->why);
    return;
  }
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    print_time(stream, validation->predicted[index].time_s[predictor]);
    ss_table_print_error(stream, ss_validation_error(validation, index, (ss_predictor)predictor));
  }
  if (has_memory) {
    if (isnan(point->memory_bytes))
      (void)fprintf(stream, "%11s", "-");
    else
      (void)fprintf(stream, "%11.2f", point->memory_bytes / SS_GIB);
    (void)fprintf(stream, "%11.2f", validation->predicted[index].memory_bytes / SS_GIB);
    ss_table_print_error(stream, ss_validation_memory_error(validation, index));
  }
  const bool of_run = validation->measured->group[point->group].kind == SS_MEASURED_RUNS;
  if (of_run) (void)fprintf(stream, "  %s", ss_run_figure_time(point->figure));
  if (!validation->predicted[index].fits) (void)fprintf(stream, "  (does not fit)");
  (void)fprintf(stream, "%s%s\n", point->notes[0] == '\0' ? "" : of_run ? "; " : "  ", point->notes);
}

static void print_group(FILE *stream, const ss_validation *validation, int64_t index)
{
  const ss_measured_group *group = &validation->measured->group[index];
  const bool has_memory = validation->group[index].memory.count > 0;
  (void)fprintf(stream, "%s: %s (%s)\n", group->id, group->title, group->source);
  (void)fprintf(stream, "  %-*s%14s%14s%10s%14s%10s", LABEL, "", "measured", "closed form", "error", "replay", "error");
  (void)fprintf(stream, has_memory ? "%11s%11s%10s\n" : "\n", "GiB", "predicted", "error");
  for (int64_t i = group->first; i < group->first + group->count; ++i) print_point(stream, validation, i, has_memory);
  (void)fputc('\n', stream);
}

static void print_summary(FILE *stream, const ss_error_summary *summary, const char *what, const char *worst)
{
  (void)fprintf(stream, "%-13s%6" PRId64, what, summary->count);
  ss_table_print_size(stream, summary->mean_absolute);
  ss_table_print_error(stream, summary->bias);
  ss_table_print_size(stream, summary->p90);
  ss_table_print_error(stream, summary->worst);
  (void)fprintf(stream, "%s%s\n", worst[0] != '\0' ? "  " : "", worst);
}

/* Begins a row with a name, which has a line of its own where it is too long. */
static void print_name(FILE *stream, const char *name)
{
  const bool is_long = strlen(name) >= LABEL;
  if (is_long) (void)fprintf(stream, "  %s\n", name);
  (void)fprintf(stream, "  %-*s", LABEL, is_long ? "" : name);
}

/* The errors of a group or of the whole: a row for each predictor. */
static void print_errors(FILE *stream, const ss_validation *validation, const char *name, const ss_validated *v)
{
  const ss_measured *measured = validation->measured;
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    char worst[2 * SS_NAME_SIZE + 2] = "";
    const ss_measured_point *point = v->worst[predictor] >= 0 ? &measured->point[v->worst[predictor]] : NULL;
    if (point != NULL && v->group >= 0)
      (void)snprintf(worst, sizeof worst, "%s", point->id);
    else if (point != NULL)
      (void)snprintf(worst, sizeof worst, "%s %s", measured->group[point->group].id, point->id);
    print_name(stream, predictor == 0 ? name : "");
    print_summary(stream, &v->time[predictor], ss_predictor_label((ss_predictor)predictor), worst);
  }
  if (v->memory.count == 0) return;
  (void)fprintf(stream, "  %-*s", LABEL, "");
  print_summary(stream, &v->memory, "memory", "");
}

static void print_correlation(FILE *stream, double correlation)
{
  if (isnan(correlation))
    (void)fprintf(stream, "%13s", "-");
  else
    (void)fprintf(stream, "%13.3f", correlation);
}

static void print_sweeps(FILE *stream, const ss_validation *validation)
{
  int64_t group = -1;
  if (validation->sweeps == 0) return;
  (void)fprintf(stream, "\nSweeps: mean absolute error, bias and rank correlation of predicted and measured times\n");
  (void)fprintf(stream, "  %-*s%6s%13s%11s%10s%13s%13s\n", SWEEP, "", "points", "closed form", "replay", "bias",
                "order: c. f.", "replay");
  for (int64_t i = 0; i < validation->sweeps; ++i) {
    const ss_validated *sweep = &validation->sweep[i];
    if (sweep->group != group) (void)fprintf(stream, "  %s\n", validation->measured->group[sweep->group].id);
    group = sweep->group;
    (void)fprintf(stream, "    %-*s%6" PRId64 "   ", SWEEP - 2, sweep->name, sweep->time[0].count);
    ss_table_print_size(stream, sweep->time[SS_PREDICTOR_ESTIMATE].mean_absolute);
    (void)fputc(' ', stream);
    ss_table_print_size(stream, sweep->time[SS_PREDICTOR_SIMULATION].mean_absolute);
    ss_table_print_error(stream, sweep->time[SS_PREDICTOR_SIMULATION].bias);
    for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor)
      print_correlation(stream, sweep->correlation[predictor]);
    (void)fputc('\n', stream);
  }
}

static void print_regret(FILE *stream, const ss_validation *validation, const char *name, const ss_regret *regret)
{
  const ss_measured *measured = validation->measured;
  const int64_t worst = regret->worst_rivals[SS_PREDICTOR_SIMULATION];
  if (regret->rivals == 0) return;
  const ss_rivals *rivals = &validation->regrets.rivals[worst];
  (void)fprintf(stream, "  %-*s%6" PRId64 "%12" PRId64, LABEL, name, regret->rivals, regret->strategies);
  for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
    ss_table_print_size(stream, regret->mean[predictor]);
    ss_table_print_size(stream, regret->worst[predictor]);
  }
  if (isnan(regret->correlation[SS_PREDICTOR_SIMULATION]))
    (void)fprintf(stream, "%8s", "-");
  else
    (void)fprintf(stream, "%8.3f", regret->correlation[SS_PREDICTOR_SIMULATION]);
  if (rivals->regret[SS_PREDICTOR_SIMULATION] > 0.0)
    (void)fprintf(stream, "  %s instead of %s", measured->point[rivals->chosen[SS_PREDICTOR_SIMULATION]].id,
                  measured->point[rivals->best].id);
  (void)fputc('\n', stream);
}

static void print_regrets(FILE *stream, const ss_validation *validation)
{
  const ss_regrets *regrets = &validation->regrets;
  if (regrets->count == 0) return;
  (void)fprintf(stream,
                "\nRegret: by how much the strategy with the best prediction was slower, as measured, than the best "
                "one measured.\nStrategies compete within a group for the same model, precision, batch, platform and "
                "GPUs; order: mean rank correlation.\n");
  (void)fprintf(stream, "  %-*s%6s%12s%10s%10s%10s%10s%8s\n", LABEL, "", "tasks", "strategies", "c. f.", "worst",
                "replay", "worst", "order");
  for (int64_t i = 0; i < validation->measured->groups; ++i)
    print_regret(stream, validation, validation->measured->group[i].id, &regrets->group[i]);
  print_regret(stream, validation, "all", &regrets->whole);
}

void ss_report_validation_text(FILE *stream, const ss_validation *validation, bool only_groups)
{
  const ss_measured *measured = validation->measured;
  for (int64_t i = 0; !only_groups && i < measured->groups; ++i) print_group(stream, validation, i);
  (void)fprintf(stream, "Errors of predicted times, (predicted - measured) / measured\n");
  (void)fprintf(stream, "  %-*s%-13s%6s%10s%10s%10s%10s\n", LABEL, "", "", "points", "mean abs.", "bias", "P90",
                "worst");
  for (int64_t i = 0; i < measured->groups; ++i)
    print_errors(stream, validation, measured->group[i].id, &validation->group[i]);
  for (int kind = 0; kind < SS_MEASURED_COUNT; ++kind) {
    char name[64];
    const ss_validated *whole = &validation->whole[kind];
    if (whole->time[0].count + whole->unused == 0) continue;
    (void)snprintf(name, sizeof name, "all %s", ss_measured_word((ss_measured_kind)kind));
    print_errors(stream, validation, name, whole);
    if (whole->unused > 0) (void)fprintf(stream, "  %-*snot used: %" PRId64 "\n", LABEL, "", whole->unused);
  }
  print_sweeps(stream, validation);
  print_regrets(stream, validation);
}
