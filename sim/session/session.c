#include "sim/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/collective/given.h"
#include "model/estimate/estimate.h"
#include "model/fabric/forwarding.h"
#include "model/input/stack.h"
#include "model/input/stack_machine.h"
#include "model/input/workload.h"
#include "model/measured/confidence.h"
#include "model/plan/check/workload_check.h"
#include "model/plan/job_setup.h"
#include "model/run/tariff.h"
#include "sim/io/io.h"
#include "sim/session/used.h"

#define SECONDS_PER_DAY 86400.0

/* A machine for commands that only need tasks: enough GPUs, no property missing, and the ratio of matrix to vector rate
 * of an A100 (it counts softmax inside fused attention as matrix work). Its seconds mean nothing. */
static void assume_machine(const ss_workload *workload, ss_machine *machine)
{
  ss_machine_init(machine);
  machine->gpus = ss_workload_gpus(workload);
  machine->domain_size = machine->nics_per_domain = 1;
  machine->matrix_flop_per_s = 4.0;
  machine->vector_flop_per_s = 1.0;
  machine->fp8_flop_per_s = machine->mxfp8_flop_per_s = machine->nvfp4_flop_per_s = 8.0;
  machine->hbm_bytes_per_s = machine->nvlink_bytes_per_s = machine->fabric_bytes_per_s = 1.0;
  machine->nvlink_efficiency = machine->fabric_efficiency = 1.0;
  machine->offload_bytes = machine->offload_bytes_per_s = 1.0;
  machine->nvlink_reduces = machine->fabric_reduces = 1;
}

void ss_session_init(ss_session *session, const ss_workload *workload, const ss_machine *machine)
{
  session->workload = *workload;
  session->machine = *machine;
  session->places = (ss_places){.ranks = NULL};
  session->forwarding = NULL;
  session->job = (ss_job){0};
  session->stage_memory = NULL;
}

/* Refuses a chosen algorithm with the published costs, which know rings only. */
static ss_status check_methods(const ss_workload *workload, ss_cost cost, ss_error *error)
{
  for (int kind = 0; ss_cost_traits_of(cost).as_published && kind < SS_COLLECTIVE_COUNT; ++kind)
    if (ss_collective_given(workload, (ss_collective)kind) != SS_ALGORITHM_AUTO)
      return ss_workload_refuse(workload, ss_collective_attribute((ss_collective)kind), error,
                                "is fixed, but --cost %s has rings only; allowed: auto, or --cost %s",
                                ss_cost_word(cost), ss_cost_word(SS_COST_CALIBRATED));
  return SS_OK;
}

ss_status ss_session_check(ss_session *session, const ss_common_options *options, ss_error *error)
{
  ss_stack_complete(&session->workload, options->platform != NULL ? session->machine.accelerator : NULL);
  ss_status status = ss_workload_check_values(&session->workload, error);
  if (status == SS_OK) status = check_methods(&session->workload, options->cost, error);
  if (options->platform != NULL) ss_stack_apply_machine(&session->workload, &session->machine);
  if (status == SS_OK && options->platform != NULL)
    status = ss_used_with_cost(&session->workload, &session->machine, options->cost, error);
  return status == SS_OK && options->platform != NULL ? ss_machine_check(&session->machine, error) : status;
}

static ss_status load_ranks(ss_places *places, const ss_workload *workload, const ss_machine *machine, ss_error *error)
{
  const int64_t ranks = ss_workload_gpus(workload);
  places->ranks = malloc((size_t)ranks * sizeof *places->ranks);
  if (places->ranks == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld ranks", (long long)ranks);
  return ss_ranks_load(workload->placement.ranks, ranks, machine->gpus, places->ranks, error);
}

/* A file that is not there is the attribute's mistake, at its line. */
static ss_status check_files(const ss_workload *workload, ss_error *error)
{
  const struct {
    ss_attribute_index attribute;
    const char *path;
  } files[] = {{SS_AT_placement_ranks, workload->placement.ranks},
               {SS_AT_placement_free, workload->placement.free},
               {SS_AT_training_document_lengths, workload->training.document_lengths}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    if (files[i].path[0] != '\0' && access(files[i].path, R_OK) != 0)
      return ss_workload_refuse(workload, files[i].attribute, error, "cannot be read: %s; allowed: a file",
                                strerror(errno));
  return SS_OK;
}

ss_status ss_places_load(ss_places *places, ss_workload *workload, const ss_machine *machine, ss_error *error)
{
  *places = (ss_places){.ranks = NULL};
  const bool has_gpus = ss_workload_gpus(workload) <= machine->gpus; /* or the placement refuses too many ranks */
  ss_status status = check_files(workload, error);
  if (status == SS_OK && has_gpus && workload->placement.ranks[0] != '\0')
    status = load_ranks(places, workload, machine, error);
  if (status == SS_OK && workload->placement.free[0] != '\0')
    status = ss_free_gpus_load(workload->placement.free, machine, &places->free, error);
  if (status == SS_OK && workload->training.document_lengths[0] != '\0')
    status = ss_documents_load(workload->training.document_lengths, &places->documents, error);
  workload->document_list = places->documents;
  return status;
}

void ss_places_free(ss_places *places)
{
  free(places->ranks);
  ss_free_gpus_free(&places->free);
  ss_document_list_destroy(places->documents);
  places->ranks = NULL;
  places->documents = NULL;
}

ss_status ss_session_load_files(ss_session *session, ss_error *error)
{
  ss_status status = ss_places_load(&session->places, &session->workload, &session->machine, error);
  if (status == SS_OK) status = ss_routes_load(&session->machine, &session->forwarding, error);
  session->machine.forwarding = session->forwarding;
  return status;
}

const ss_free_gpus *ss_places_free_gpus(const ss_places *places)
{
  return places->free.gpu != NULL ? &places->free : NULL;
}

ss_job_options ss_places_options(const ss_places *places, ss_cost cost)
{
  return (ss_job_options){.cost = cost, .ranks = places->ranks, .free_gpus = ss_places_free_gpus(places)};
}

static ss_status fill_stages(ss_session *session, ss_error *error)
{
  const int64_t stages = session->job.stages;
  session->stage_memory = malloc((size_t)stages * sizeof *session->stage_memory);
  if (session->stage_memory == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld stages", (long long)stages);
  for (int64_t stage = 0; stage < stages; ++stage)
    session->stage_memory[stage] = ss_estimate_stage_memory(&session->job, stage);
  return SS_OK;
}

ss_status ss_session_complete(ss_session *session, const ss_common_options *options, ss_error *error)
{
  ss_status status = ss_session_check(session, options, error);
  if (status == SS_OK) status = ss_workload_check(&session->workload, error);
  if (status == SS_OK && options->platform == NULL) assume_machine(&session->workload, &session->machine);
  if (status == SS_OK) status = ss_session_load_files(session, error);
  if (status == SS_OK)
    status = ss_job_init(&session->job, &session->workload, &session->machine,
                         ss_places_options(&session->places, options->cost), error);
  return status == SS_OK ? fill_stages(session, error) : status;
}

void ss_session_close(ss_session *session)
{
  ss_job_free(&session->job);
  ss_places_free(&session->places);
  ss_forwarding_destroy(session->forwarding);
  free(session->stage_memory);
  session->stage_memory = NULL;
}

ss_status ss_session_check_unplaced(const ss_session *session, const char *who, ss_error *error)
{
  static const ss_attribute_index places[] = {SS_AT_placement_domain, SS_AT_placement_order};
  const ss_workload *workload = &session->workload;
  if (workload->placement.ranks[0] != '\0')
    return ss_workload_refuse(workload, SS_AT_placement_ranks, error, "places the ranks, which %s does; allowed: none",
                              who);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
    if (workload->line[places[i]] == SS_LINE_OVERRIDE)
      return ss_workload_refuse(workload, places[i], error, "places the ranks, which %s does; allowed: not to set it",
                                who);
  return SS_OK;
}

int64_t ss_session_gpus(const ss_session *session)
{
  const ss_machine *machine = &session->machine;
  const ss_free_gpus *free_gpus = ss_places_free_gpus(&session->places);
  return free_gpus != NULL ? free_gpus->first[machine->gpus / machine->domain_size] : machine->gpus;
}

static ss_status check_powered(const ss_session *session, ss_error *error)
{
  if (session->machine.gpu_power_w > 0.0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, session->machine.file, 0,
                      "gpu-power is missing, so energy is unknown; allowed: a platform that has it, or --set "
                      "platform.gpu-power=WATTS");
}

static ss_status check_costed(const ss_session *session, ss_error *error)
{
  return session->machine.gpu_hour_dollars > 0.0 ? SS_OK : ss_session_check_priced(session, error);
}

ss_status ss_session_check_objective(const ss_session *session, ss_objective objective, ss_error *error)
{
  switch (objective) {
  case SS_OBJECTIVE_COST: return check_costed(session, error);
  case SS_OBJECTIVE_ENERGY: return check_powered(session, error);
  default: return SS_OK;
  }
}

ss_status ss_session_check_priced(const ss_session *session, ss_error *error)
{
  if (session->machine.gpu_price.count > 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, session->machine.file, 0,
                      "gpu-price is missing, so cost is unknown; allowed: a platform that has it, or --set "
                      "platform.gpu-price=DOLLARS");
}

ss_status ss_session_afford(const ss_session *session, double dollars, int64_t *gpus, ss_error *error)
{
  const ss_machine *machine = &session->machine;
  const ss_status status = ss_session_check_priced(session, error);
  if (status != SS_OK) return status;
  *gpus = ss_machine_gpus_for(machine, dollars);
  const double price = ss_machine_gpu_dollars(machine);
  const int64_t most = ss_session_gpus(session);
  if (*gpus >= machine->domain_size && *gpus <= most) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--budget", 0,
                      "%.12g dollars buy %lld GPUs of %s; allowed: what buys %lld to %lld, at %.12g each", dollars,
                      (long long)*gpus, machine->name, (long long)machine->domain_size, (long long)most, price);
}

ss_interval ss_session_interval(const ss_session *session, int64_t gpus)
{
  const ss_workload *workload = &session->workload;
  const ss_likeness job =
      ss_likeness_of(workload, &session->machine, gpus, ss_word(SS_AT_training_stack, (int)workload->training.stack));
  int64_t count;
  const ss_residuals *known = ss_residuals_known(&count);
  return ss_interval_of(known, count, &job, ss_calibration_of(&session->machine).kernels);
}

/* Whether a machine states anything of what its host takes to launch. */
static bool states_host(const ss_machine *machine)
{
  return machine->line[SS_PROPERTY_host_forward_s] != SS_LINE_DEFAULT ||
         machine->line[SS_PROPERTY_host_backward_s] != SS_LINE_DEFAULT ||
         machine->line[SS_PROPERTY_host_collective_s] != SS_LINE_DEFAULT;
}

/* What the closed form says with an eager host; 0 where there is one already, or the machine states nothing of it. */
static double eager_host_s(const ss_session *session)
{
  const ss_cost cost = session->job.options.cost;
  ss_workload eager = session->workload;
  ss_job job;
  if (!states_host(&session->machine) || eager.training.host != SS_HOST_GRAPHS || ss_cost_traits_of(cost).as_published)
    return 0.0;
  eager.training.host = SS_HOST_EAGER;
  if (ss_workload_check(&eager, NULL) != SS_OK) return 0.0;
  if (ss_job_init(&job, &eager, &session->machine, ss_places_options(&session->places, cost), NULL) != SS_OK)
    return 0.0;
  const double iteration_s = ss_estimate_time(&job).iteration_s;
  ss_job_free(&job);
  return iteration_s;
}

void ss_session_measure(const ss_session *session, const ss_breakdown *iteration, ss_prediction *prediction)
{
  const ss_tariff tariff = ss_tariff_of(&session->machine);
  const ss_metrics metrics = ss_estimate_metrics(&session->job, iteration->iteration_s);
  const double dollars = ss_tariff_iteration_dollars(&tariff, prediction->gpus, iteration);
  const double iterations = metrics.days * SECONDS_PER_DAY / iteration->iteration_s;
  prediction->metrics = metrics;
  prediction->outlay = (ss_outlay){.iteration_dollars = 0.0};
  if (tariff.is_priced) prediction->outlay = (ss_outlay){dollars, dollars * iterations};
}

ss_prediction ss_session_estimate(const ss_session *session)
{
  const ss_stack stack = session->workload.training.stack;
  ss_prediction prediction = {
      .workload = session->workload.model.name,
      .stack = stack != SS_STACK_NONE ? ss_word(SS_AT_training_stack, (int)stack) : NULL,
      .platform = session->machine.name,
      .calibration = ss_calibration_of(&session->machine),
      .only_replayed = ss_replayed_of(&session->machine),
      .as_published = ss_cost_traits_of(session->job.options.cost).as_published,
      .recomputes_nothing = ss_workload_selects_nothing(&session->workload),
      .draws_documents = ss_job_has_unlike_batches(&session->job),
      .gpus = ss_workload_gpus(&session->workload),
      .micro_batches = session->job.micro_batches,
      .segment = session->job.placement.segment,
      .domain_size = session->machine.domain_size,
      .estimate = ss_estimate_time(&session->job),
      .memory = ss_estimate_memory(&session->job),
      .stage_memory = session->stage_memory,
      .stages = session->job.stages,
  };
  const double eager_s = eager_host_s(session);
  if (eager_s > SS_SLOW_HOST * prediction.estimate.iteration_s) prediction.eager_host_s = eager_s;
  prediction.interval = ss_session_interval(session, ss_workload_gpus(&session->workload));
  prediction.offload = ss_estimate_offload(&session->job, prediction.memory.stage);
  ss_session_measure(session, &prediction.estimate, &prediction);
  return prediction;
}
