#include "model/measured/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"

#define BLANKS " \t\r\n"

static bool is_logarithmic(const ss_fit_constant *constant)
{
  const double wide = 10.0;
  return constant->from > 0.0 && constant->to > wide * constant->from;
}

double ss_fit_coordinate(const ss_fit_constant *constant, double value)
{
  if (is_logarithmic(constant)) return log(value / constant->from) / log(constant->to / constant->from);
  return (value - constant->from) / (constant->to - constant->from);
}

double ss_fit_value(const ss_fit_constant *constant, double coordinate)
{
  const double value = is_logarithmic(constant) ? constant->from * pow(constant->to / constant->from, coordinate)
                                                : constant->from + coordinate * (constant->to - constant->from);
  return fmin(fmax(value, constant->from), constant->to);
}

void ss_fit_apply(const ss_fit_plan *plan, const ss_fit_values *values, ss_machine *machine)
{
  for (int64_t i = 0; i < plan->constants; ++i) {
    const ss_property *row = plan->constant[i].property;
    memcpy((char *)machine + row->offset, &values->of[i], sizeof values->of[i]);
    machine->line[row - ss_machine_properties()] = SS_LINE_OVERRIDE;
  }
}

/* Whether a list of words, with blanks between, has `word` of `length`. */
static bool has_word(const char *list, const char *word, size_t length)
{
  for (list += strspn(list, BLANKS); *list != '\0'; list += strspn(list, BLANKS)) {
    const size_t size = strcspn(list, BLANKS);
    if (size == length && strncmp(list, word, length) == 0) return true;
    list += size;
  }
  return false;
}

/* What a point is chosen by. */
typedef enum chosen_by { BY_GROUP, BY_SWEEP } chosen_by;

static const char *list_of(const ss_fit_plan *plan, int64_t file, chosen_by by)
{
  return by == BY_GROUP ? plan->groups[file] : plan->sweeps[file];
}

static const char *name_of(const ss_measured *measured, const ss_measured_point *point, chosen_by by)
{
  return by == BY_GROUP ? measured->group[point->group].id : point->sweep;
}

static bool is_in_file(const ss_measured *measured, const ss_measured_point *point, const char *file)
{
  return strcmp(measured->group[point->group].file, file) == 0;
}

static bool file_has(const ss_measured *measured, const char *file, chosen_by by, const char *name, size_t length)
{
  for (int64_t i = 0; i < measured->points; ++i) {
    const ss_measured_point *point = &measured->point[i];
    const char *own = name_of(measured, point, by);
    if (is_in_file(measured, point, file) && strlen(own) == length && strncmp(own, name, length) == 0) return true;
  }
  return false;
}

static ss_status check_names(const ss_fit_plan *plan, int64_t index, chosen_by by, const ss_measured *measured,
                             ss_error *error)
{
  static const char *const words[] = {"groups", "sweeps"}, *const allowed[] = {"ids of its groups", "its sweeps"};
  const char *file = plan->measured[index], *list = list_of(plan, index, by);
  for (const char *name = list + strspn(list, BLANKS); *name != '\0'; name += strspn(name, BLANKS)) {
    const size_t length = strcspn(name, BLANKS);
    if (!file_has(measured, file, by, name, length))
      return ss_error_set(error, SS_ERROR_INPUT, plan->file, plan->measured_line[index],
                          "%s \"%s\": there is no %.*s in %s; allowed: %s", words[by], list, (int)length, name, file,
                          allowed[by]);
    name += length;
  }
  return SS_OK;
}

static ss_status choose(const ss_fit_plan *plan, int64_t file, chosen_by by, ss_measured *measured, ss_error *error)
{
  const char *list = list_of(plan, file, by);
  const ss_status status = check_names(plan, file, by, measured, error);
  for (int64_t i = 0; status == SS_OK && i < measured->points && list[0] != '\0'; ++i) {
    ss_measured_point *point = &measured->point[i];
    const char *name = name_of(measured, point, by);
    if (is_in_file(measured, point, plan->measured[file]) && !has_word(list, name, strlen(name))) point->used = false;
  }
  return status;
}

ss_status ss_fit_choose_points(const ss_fit_plan *plan, ss_measured *measured, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t k = 0; status == SS_OK && k < plan->measured_count; ++k) {
    status = choose(plan, k, BY_GROUP, measured, error);
    if (status == SS_OK) status = choose(plan, k, BY_SWEEP, measured, error);
  }
  return status;
}

static const ss_measured_group *group_of(const ss_fit_points *points, int64_t index)
{
  return &points->measured->group[points->measured->point[points->point[index]].group];
}

static bool are_of_one_file(const ss_fit_points *points)
{
  for (int64_t i = 1; i < points->count; ++i)
    if (strcmp(group_of(points, i)->file, group_of(points, 0)->file) != 0) return false;
  return true;
}

static bool are_of_one_source(const ss_fit_points *points, int64_t a, int64_t b)
{
  const ss_measured_group *first = group_of(points, a), *second = group_of(points, b);
  return points->by_group ? first == second : strcmp(first->file, second->file) == 0;
}

/* Points of a group follow one another, and so do those of a file. */
static void number_sources(ss_fit_points *points, bool by_group)
{
  points->by_group = by_group;
  points->sources = 0;
  for (int64_t i = 0; i < points->count; ++i) {
    if (i == 0 || !are_of_one_source(points, i - 1, i)) points->sources++;
    points->source[i] = points->sources - 1;
  }
}

ss_status ss_fit_points_init(ss_fit_points *points, const ss_measured *measured, ss_error *error)
{
  const size_t room = (size_t)measured->points + 1;
  *points = (ss_fit_points){.measured = measured,
                            .point = malloc(room * sizeof *points->point),
                            .source = malloc(room * sizeof *points->source),
                            .weight = malloc(room * sizeof *points->weight)};
  if (points->point == NULL || points->source == NULL || points->weight == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for points");
  for (int64_t i = 0; i < measured->points; ++i)
    if (measured->point[i].used) points->point[points->count++] = i;
  for (int64_t i = 0; i < points->count; ++i) points->weight[i] = 1.0;
  number_sources(points, are_of_one_file(points));
  return SS_OK;
}

void ss_fit_points_split(ss_fit_points *points)
{
  number_sources(points, true);
}

/* How many points of a group are used. */
static int64_t used_of(const ss_fit_points *points, int64_t group)
{
  int64_t count = 0;
  for (int64_t i = 0; i < points->count; ++i) count += points->measured->point[points->point[i]].group == group;
  return count;
}

void ss_fit_points_balance(ss_fit_points *points, const double *own)
{
  double sum[SS_MEASURED_COUNT] = {0.0};
  for (int64_t i = 0; i < points->count; ++i) {
    const ss_measured_group *group = group_of(points, i);
    const bool iterates = group->kind == SS_MEASURED_ITERATIONS;
    points->weight[i] =
        iterates ? own[points->point[i]] : 1.0 / (double)used_of(points, group - points->measured->group);
    sum[group->kind] += points->weight[i];
  }
  for (int64_t i = 0; i < points->count; ++i)
    if (sum[group_of(points, i)->kind] > 0.0) points->weight[i] /= sum[group_of(points, i)->kind];
}

void ss_fit_points_free(ss_fit_points *points)
{
  free(points->point);
  free(points->source);
  free(points->weight);
  *points = (ss_fit_points){.measured = NULL};
}

const char *ss_fit_source_name(const ss_fit_points *points, int64_t source)
{
  int64_t i = 0;
  while (points->source[i] != source) ++i;
  const ss_measured_group *group = group_of(points, i);
  const char *slash = strrchr(group->file, '/');
  if (points->by_group) return group->id;
  return slash != NULL ? slash + 1 : group->file;
}

static double measured_s(const ss_fit_points *points, int64_t index)
{
  return points->measured->point[points->point[index]].measured_s;
}

double ss_fit_objective(const ss_fit_points *points, const double *predicted_s, int64_t without)
{
  double sum = 0.0, weight = 0.0;
  for (int64_t i = 0; i < points->count; ++i) {
    if (points->source[i] == without) continue;
    sum += points->weight[i] * fabs(log(predicted_s[i] / measured_s(points, i)));
    weight += points->weight[i];
  }
  return sum / weight;
}

static bool is_in(const ss_fit_points *points, int64_t index, ss_fit_part part)
{
  const bool group = part.group == SS_FIT_ALL || points->measured->point[points->point[index]].group == part.group;
  return group && (part.source == SS_FIT_ALL || points->source[index] == part.source);
}

ss_status ss_fit_summarise(const ss_fit_points *points, const double *predicted_s, ss_fit_part part,
                           ss_error_summary *summary, ss_error *error)
{
  int64_t count = 0;
  ss_status status = SS_ERROR_MEMORY;
  double *errors = malloc(((size_t)points->count + 1) * sizeof *errors);
  if (errors != NULL) {
    for (int64_t i = 0; i < points->count; ++i)
      if (is_in(points, i, part)) errors[count++] = ss_relative_error(predicted_s[i], measured_s(points, i));
    status = ss_error_summarise(errors, count, summary);
  }
  free(errors);
  if (status == SS_OK) return status;
  return ss_error_set(error, status, NULL, 0, "out of memory for statistics");
}

ss_status ss_fit_init(ss_fit *fit, const ss_fit_plan *plan, const ss_fit_points *points, ss_error *error)
{
  const size_t groups = (size_t)points->measured->groups + 1;
  *fit = (ss_fit){.plan = plan, .points = points};
  fit->left_out = calloc((size_t)points->sources + 1, sizeof *fit->left_out);
  bool complete = fit->left_out != NULL;
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage) {
    fit->group[stage] = calloc(groups, sizeof *fit->group[stage]);
    complete = complete && fit->group[stage] != NULL;
  }
  return complete ? SS_OK : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fit");
}

void ss_fit_free(ss_fit *fit)
{
  for (int stage = 0; stage < SS_FIT_STAGES; ++stage) free(fit->group[stage]);
  free(fit->left_out);
  *fit = (ss_fit){.plan = NULL};
}

bool ss_fit_is_on_bound(const ss_fit *fit, int64_t constant, int way)
{
  const double at = ss_fit_coordinate(&fit->plan->constant[constant], fit->values[SS_FIT_FITTED].of[constant]);
  return way == SS_FIT_LOWER ? at <= SS_FIT_TOLERANCE : at >= 1.0 - SS_FIT_TOLERANCE;
}

bool ss_fit_is_idle(const ss_fit *fit, int64_t constant)
{
  bool changed = false;
  for (int way = 0; way < SS_FIT_WAYS; ++way) {
    const ss_fit_change *change = &fit->change[constant][way];
    if (isnan(change->bias)) continue;
    changed = true;
    if (change->bias != 0.0 || change->mean_absolute != 0.0) return false;
  }
  return changed;
}
