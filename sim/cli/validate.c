/* validate: predictions against published measurements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/estimate.h"
#include "model/lone_collective.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/crew/crew.h"
#include "sim/io/io.h"
#include "sim/report/report.h"

#ifndef SS_VALIDATION_DIR
#error "SS_VALIDATION_DIR is the folder with the measurements that are shipped, defined by the build"
#endif

/* The measurements, and which of them are predicted. */
typedef struct validate {
  const ss_options *options;
  ss_measured measured;
  ss_validation validation;
  int64_t *item; /* [items] points that are used; owned */
  int64_t items;
} validate;

/* The platform of a point, with what its group and the command line change in it. */
static ss_status load_machine(const validate *v, const ss_measured_point *point, ss_machine *machine, ss_error *error)
{
  const ss_measured_group *group = &v->measured.group[point->group];
  ss_status status = ss_machine_load(point->platform, machine, error);
  for (int64_t i = 0; status == SS_OK && i < group->settings; ++i)
    status = ss_override(group->setting[i].text, NULL, machine, error);
  for (int64_t i = 0; status == SS_OK && i < v->options->override_count; ++i)
    status = ss_override(v->options->override[i], NULL, machine, error);
  return status;
}

static ss_status replay(const validate *v, const ss_job *job, ss_flows flows, ss_breakdown *breakdown, ss_error *error)
{
  const ss_options *o = v->options;
  ss_replay_options options = ss_option_replay(o);
  options.flows = flows;
  ss_replay_result result;
  const ss_status status = ss_replay(job, &options, &result, error);
  if (status == SS_OK) *breakdown = result.breakdown;
  return status;
}

static ss_status predict_iteration(const validate *v, const ss_measured_point *point, ss_predicted *predicted,
                                   ss_error *error)
{
  ss_options options = *v->options;
  ss_breakdown *parts = predicted->parts;
  ss_session *session = calloc(1, sizeof *session);
  if (session == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a prediction");
  options.platform = point->platform;
  session->workload = *point->workload;
  ss_status status = load_machine(v, point, &session->machine, error);
  if (status == SS_OK) status = ss_session_complete(session, &options, error);
  if (status == SS_OK) {
    parts[SS_PREDICTOR_ESTIMATE] = ss_estimate_time(&session->job);
    const ss_memory memory = ss_estimate_memory(&session->job);
    predicted->memory_bytes = memory.total_bytes;
    predicted->fits = memory.fits;
    status = replay(v, &session->job, options.flows, &parts[SS_PREDICTOR_SIMULATION], error);
    for (int i = 0; i < SS_PREDICTORS; ++i) predicted->time_s[i] = parts[i].iteration_s;
  }
  ss_session_close(session);
  free(session);
  return status;
}

/* A machine and a job on it, which is one collective. */
typedef struct lone {
  ss_machine machine;
  ss_lone_job job;
} lone;

/* Its flows are replayed also where their time is known without: that is what there is to see. */
static ss_status predict_collective(const validate *v, const ss_measured_point *point, ss_predicted *predicted,
                                    ss_error *error)
{
  const ss_lone_collective collective = {.kind = v->measured.group[point->group].collective,
                                         .nodes = point->nodes,
                                         .gpus_per_node = point->gpus_per_node,
                                         .volume_bytes = point->volume_bytes};
  const ss_flows flows = v->options->flows == SS_FLOWS_SHARED ? SS_FLOWS_ALL : v->options->flows;
  ss_breakdown breakdown = {.dp_comm_s = 0.0};
  lone *l = calloc(1, sizeof *l);
  if (l == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a prediction");
  ss_status status = load_machine(v, point, &l->machine, error);
  if (status == SS_OK) status = ss_machine_check(&l->machine, error);
  if (status == SS_OK) status = ss_lone_job_init(&l->job, &collective, &l->machine, v->options->cost, error);
  if (status == SS_OK) {
    predicted->fits = true;
    predicted->time_s[SS_PREDICTOR_ESTIMATE] = ss_lone_job_estimate_s(&l->job);
    status = replay(v, &l->job.job, flows, &breakdown, error);
    predicted->time_s[SS_PREDICTOR_SIMULATION] = breakdown.dp_comm_s;
  }
  ss_lone_job_free(&l->job);
  free(l);
  return status;
}

/* A refusal says which measurement cannot be predicted. */
static ss_status work(void *context, int64_t item, void *outcome, ss_error *error)
{
  const validate *v = context;
  const ss_measured_point *point = &v->measured.point[v->item[item]];
  const ss_measured_group *group = &v->measured.group[point->group];
  const ss_status status = point->workload != NULL ? predict_iteration(v, point, outcome, error)
                                                   : predict_collective(v, point, outcome, error);
  if (status == SS_OK) return status;
  char text[SS_ERROR_TEXT_SIZE];
  ss_error_text(error, text);
  return ss_error_set(error, status, group->file, point->line, "%s of %s: %s", point->id, group->id, text);
}

static ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  validate *v = context;
  (void)was_known;
  (void)error;
  memcpy(&v->validation.predicted[v->item[item]], outcome, sizeof(ss_predicted));
  return SS_OK;
}

/* What is overridden is tried once, so that a wrong one is not blamed on a measurement. */
static ss_status check_overrides(const ss_options *options, ss_error *error)
{
  ss_machine *machine = malloc(sizeof *machine);
  if (machine == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform");
  ss_machine_init(machine);
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < options->override_count; ++i)
    status = ss_override(options->override[i], NULL, machine, error);
  free(machine);
  return status;
}

static ss_status load(validate *v, ss_error *error)
{
  const ss_options *options = v->options;
  ss_status status = check_overrides(options, error);
  if (status == SS_OK && options->file_count == 0)
    status = ss_measured_load_folder(SS_VALIDATION_DIR, &v->measured, error);
  for (int64_t i = 0; status == SS_OK && i < options->file_count; ++i) {
    status = ss_measured_load(options->file[i], &v->measured, error);
    if (status == SS_OK) status = ss_outputs_check_input(options, options->file[i], error);
  }
  for (int64_t i = 0; status == SS_OK && i < v->measured.points; ++i)
    status = ss_outputs_check_input(options, v->measured.point[i].platform, error);
  return status;
}

static ss_status predict_all(validate *v, ss_error *error)
{
  ss_status status = ss_validation_init(&v->validation, &v->measured, error);
  if (status != SS_OK) return status;
  v->item = malloc(((size_t)v->measured.points + 1) * sizeof *v->item);
  if (v->item == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for predictions");
  for (int64_t i = 0; i < v->measured.points; ++i)
    if (v->measured.point[i].used) v->item[v->items++] = i;
  const ss_crew_work all = {.count = v->items,
                            .outcome_size = sizeof(ss_predicted),
                            .work = work,
                            .done = done,
                            .context = v,
                            .progress = ss_progress_of(v->options)};
  status = ss_crew_run(&all, error);
  ss_progress_clear(v->options);
  return status == SS_OK ? ss_validation_sum(&v->validation, error) : status;
}

static ss_status report(const validate *v, ss_error *error)
{
  const ss_options *o = v->options;
  const bool instead = ss_option_is_standard_output(o->json) || ss_option_is_standard_output(o->csv);
  ss_status status = o->json != NULL ? ss_report_validation_json(o->json, &v->validation, error) : SS_OK;
  if (status == SS_OK && o->csv != NULL) status = ss_report_validation_csv(o->csv, &v->validation, error);
  if (status == SS_OK && o->plot != NULL) status = ss_report_validation_svg(o->plot, &v->validation, error);
  if (status == SS_OK && !instead) ss_report_validation_text(stdout, &v->validation, o->summary);
  return status;
}

/* Failed where a group exceeds its bound, each of which is named. */
static int check_bounds(const validate *v)
{
  int status = SS_EXIT_DONE;
  for (int64_t i = 0; i < v->measured.groups; ++i)
    for (int predictor = 0; predictor < SS_PREDICTORS; ++predictor) {
      if (!ss_validation_exceeds(&v->validation, i, (ss_predictor)predictor)) continue;
      (void)fprintf(stderr, "stepsim: %s: the mean absolute error of the %s is %.2f %%; bound: %.4g %%\n",
                    v->measured.group[i].id, ss_predictor_label((ss_predictor)predictor),
                    100.0 * v->validation.group[i].time[predictor].mean_absolute, 100.0 * v->measured.group[i].bound);
      status = SS_EXIT_FAILED;
    }
  return status;
}

int ss_command_validate(const ss_options *options)
{
  validate v = {.options = options};
  ss_error error = {0};
  ss_status status = ss_outputs_check(options, NULL, 0, &error);
  if (status == SS_OK) status = load(&v, &error);
  if (status == SS_OK) status = predict_all(&v, &error);
  if (status == SS_OK && ss_crew_is_first()) status = report(&v, &error);
  const bool checks = status == SS_OK && options->check && ss_crew_is_first();
  const int done_status = checks ? check_bounds(&v) : SS_EXIT_DONE;
  ss_validation_free(&v.validation);
  ss_measured_free(&v.measured);
  free(v.item);
  return status == SS_OK ? done_status : ss_fail(&error);
}
