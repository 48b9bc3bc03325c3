#include "sim/cli/measured/measurements.h"

#include <stdlib.h>

#include "model/base/number.h"
#include "model/estimate/estimate.h"
#include "model/fabric/forwarding.h"
#include "model/input/workload.h"
#include "model/measured/collective_job.h"
#include "sim/cli/measured/measured_run.h"
#include "sim/io/io.h"
#include "sim/io/shipped.h"
#include "sim/session/outputs.h"

ss_status ss_measurements_check_overrides(const ss_options *options, ss_error *error)
{
  ss_machine *machine = malloc(sizeof *machine);
  if (machine == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform");
  ss_machine_init(machine);
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < options->common.override_count; ++i)
    status = ss_override(options->common.override[i], NULL, machine, error);
  free(machine);
  return status;
}

static ss_status load_shipped(ss_measured *measured, ss_error *error)
{
  char folder[SS_PATH_SIZE];
  const ss_status status = ss_shipped_folder(SS_SHIPPED_MEASUREMENTS, folder, error);
  return status == SS_OK ? ss_measured_load_folder(folder, measured, error) : status;
}

ss_status ss_measurements_check_platforms(const ss_options *options, const ss_measured *measured, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < measured->points; ++i)
    status = ss_outputs_check_input(&options->output, measured->point[i].platform, error);
  return status;
}

ss_status ss_measurements_load(const ss_options *options, const char *const *file, int64_t files, ss_measured *measured,
                               ss_error *error)
{
  ss_status status = ss_measurements_check_overrides(options, error);
  if (status == SS_OK && files == 0) status = load_shipped(measured, error);
  for (int64_t i = 0; status == SS_OK && i < files; ++i) {
    status = ss_measured_load(file[i], measured, error);
    if (status == SS_OK) status = ss_outputs_check_input(&options->output, file[i], error);
  }
  return status == SS_OK ? ss_measurements_check_platforms(options, measured, error) : status;
}

/* A refusal says which measurement cannot be predicted. */
static ss_status blame(const ss_measured *measured, int64_t index, ss_status status, ss_error *error)
{
  const ss_measured_point *point = &measured->point[index];
  const ss_measured_group *group = &measured->group[point->group];
  char text[SS_ERROR_TEXT_SIZE];
  if (status == SS_OK) return status;
  ss_error_text(error, text);
  return ss_error_set(error, status, group->file, point->line, "%s of %s: %s", point->id, group->id, text);
}

/* What a platform is overridden with, and where it is said why not. */
typedef struct override_target {
  ss_machine *machine;
  ss_error *error;
} override_target;

static ss_status override_platform(void *context, const char *setting)
{
  const override_target *target = context;
  return ss_override(setting, NULL, target->machine, target->error);
}

ss_status ss_measurements_machine(const ss_options *options, const ss_measured *measured, int64_t point,
                                  ss_machine *machine, ss_error *error)
{
  override_target target = {machine, error};
  ss_status status = ss_machine_load(measured->point[point].platform, machine, error);
  if (status == SS_OK) status = ss_measured_apply(measured, point, override_platform, &target);
  for (int64_t i = 0; status == SS_OK && i < options->common.override_count; ++i)
    status = ss_override(options->common.override[i], NULL, machine, error);
  return blame(measured, point, status, error);
}

static bool asks(const ss_measurements_question *question, ss_predictor predictor)
{
  return (question->predictors & SS_PREDICTOR_BIT(predictor)) != 0;
}

static ss_status replay(const ss_replay_choice *choice, const ss_job *job, ss_flow_mode flows, ss_breakdown *breakdown,
                        ss_error *error)
{
  ss_replay_options replay_options = ss_replay_options_of(choice);
  replay_options.flows = flows;
  ss_replay_result result;
  const ss_status status = ss_replay(job, &replay_options, &result, error);
  if (status == SS_OK) *breakdown = result.breakdown;
  return status;
}

/* Times of what was measured, by the iterations that are predicted. */
static ss_status take_times(const ss_measurements_question *question, const ss_session *session,
                            ss_predicted *predicted, ss_error *error)
{
  const ss_measured_point *point = &question->measured->point[question->point];
  const bool of_run = question->measured->group[point->group].kind == SS_MEASURED_RUNS;
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && i < SS_PREDICTORS; ++i) {
    predicted->time_s[i] = predicted->parts[i].iteration_s;
    if (of_run && asks(question, (ss_predictor)i))
      status = ss_measured_run_s(session, point->figure, &predicted->parts[i], &predicted->time_s[i], error);
  }
  return status;
}

/* The job of an iteration on its machine; NULL, with an error, without memory. Close and free it in any case. */
static ss_session *open_iteration(const ss_measurements_question *question, ss_status *status, ss_error *error)
{
  const ss_measured_point *point = &question->measured->point[question->point];
  ss_common_options options = question->options->common;
  ss_session *session = calloc(1, sizeof *session);
  if (session == NULL) {
    *status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a prediction");
    return NULL;
  }
  options.platform = point->platform;
  ss_session_init(session, point->workload, question->machine);
  *status = ss_session_complete(session, &options, error);
  return session;
}

ss_status ss_measurements_check_peak(const ss_measurements_question *question, ss_error *error)
{
  const ss_measured_point *point = &question->measured->point[question->point];
  if (!ss_measured_is_iteration(question->measured, question->point)) return SS_OK;
  ss_status status;
  ss_session *session = open_iteration(question, &status, error);
  if (session == NULL) return status;
  if (status == SS_OK) {
    const ss_metrics metrics = ss_estimate_metrics(&session->job, point->measured_s);
    const double peak_flop_per_s = ss_max(metrics.peak_flop_per_s, metrics.products_peak_flop_per_s);
    const double share = metrics.hfu * metrics.peak_flop_per_s / peak_flop_per_s;
    if (share > 1.0)
      status = ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                            "took %.4g s, but the products of the job take %.4g s where each of its %lld GPUs computes "
                            "at its peak of %.4g Tflop/s all the time; allowed: a longer time, or the sizes, GPUs and "
                            "platform that it is of",
                            point->measured_s, share * point->measured_s,
                            (long long)ss_workload_gpus(&session->workload), 1e-12 * peak_flop_per_s);
  }
  ss_session_close(session);
  free(session);
  return blame(question->measured, question->point, status, error);
}

static ss_status predict_iteration(const ss_measurements_question *question, ss_predicted *predicted, ss_error *error)
{
  const ss_measured_point *point = &question->measured->point[question->point];
  const ss_replay_choice *choice = &question->options->replay;
  ss_breakdown *parts = predicted->parts;
  ss_status status;
  ss_session *session = open_iteration(question, &status, error);
  if (session == NULL) return status;
  if (status == SS_OK) {
    const ss_memory memory = ss_estimate_memory(&session->job);
    predicted->memory_bytes = memory.total_bytes;
    predicted->fits = memory.fits;
    predicted->likeness = ss_likeness_of(&session->workload, &session->machine, ss_workload_gpus(&session->workload),
                                         question->measured->group[point->group].software);
    predicted->sustains_own = session->machine.line[SS_PROPERTY_matrix_sustained] == SS_LINE_OVERRIDE;
    if (asks(question, SS_PREDICTOR_ESTIMATE)) parts[SS_PREDICTOR_ESTIMATE] = ss_estimate_time(&session->job);
    if (asks(question, SS_PREDICTOR_SIMULATION))
      status = replay(choice, &session->job, choice->flows, &parts[SS_PREDICTOR_SIMULATION], error);
    if (status == SS_OK) status = take_times(question, session, predicted, error);
  }
  ss_session_close(session);
  free(session);
  return status;
}

/* Replays the flows of the collective even where the default mode knows their time without. */
static ss_status predict_collective(const ss_measurements_question *question, ss_predicted *predicted, ss_error *error)
{
  const ss_options *options = question->options;
  const ss_measured_point *point = &question->measured->point[question->point];
  const ss_collective_case collective = {.kind = question->measured->group[point->group].collective,
                                         .nodes = point->nodes,
                                         .gpus_per_node = point->gpus_per_node,
                                         .volume_bytes = point->volume_bytes};
  const ss_replay_choice *choice = &options->replay;
  const ss_flow_mode flows = choice->flows == SS_FLOWS_SHARED ? SS_FLOWS_ALL : choice->flows;
  ss_breakdown breakdown = {.dp_comm_s = 0.0};
  ss_forwarding *forwarding = NULL;
  ss_collective_job *single = calloc(1, sizeof *single);
  if (single == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a prediction");
  ss_machine machine = *question->machine;
  ss_status status = ss_machine_check(&machine, error);
  if (status == SS_OK) status = ss_routes_load(&machine, &forwarding, error);
  machine.forwarding = forwarding;
  if (status == SS_OK) status = ss_collective_job_init(single, &collective, &machine, options->common.cost, error);
  if (status == SS_OK) {
    predicted->fits = true;
    if (asks(question, SS_PREDICTOR_ESTIMATE))
      predicted->time_s[SS_PREDICTOR_ESTIMATE] = ss_collective_job_estimate_s(single);
    if (asks(question, SS_PREDICTOR_SIMULATION)) status = replay(choice, &single->job, flows, &breakdown, error);
    predicted->time_s[SS_PREDICTOR_SIMULATION] = breakdown.dp_comm_s;
  }
  ss_collective_job_free(single);
  ss_forwarding_destroy(forwarding);
  free(single);
  return status;
}

ss_status ss_measurements_predict(const ss_measurements_question *question, ss_predicted *predicted, ss_error *error)
{
  const bool iteration = question->measured->point[question->point].workload != NULL;
  const ss_status status =
      iteration ? predict_iteration(question, predicted, error) : predict_collective(question, predicted, error);
  return blame(question->measured, question->point, status, error);
}
