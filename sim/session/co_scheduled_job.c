#include "sim/session/co_scheduled_job.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/number.h"
#include "model/input/stack.h"
#include "model/input/workload.h"
#include "model/plan/check/workload_check.h"
#include "model/plan/job_setup.h"
#include "sim/io/io.h"
#include "sim/io/shipped.h"

/* Marks the domains that a job is in. */
static bool *taken_domains(const ss_job *job)
{
  const ss_machine *machine = job->machine;
  bool *taken = calloc((size_t)(machine->gpus / machine->domain_size), sizeof *taken);
  for (int64_t rank = 0; taken != NULL && rank < ss_workload_gpus(job->workload); ++rank)
    taken[job->placement.gpu[rank] / machine->domain_size] = true;
  return taken;
}

static ss_status refuse_shared(const ss_co_scheduled_job *co_scheduled, int64_t gpu, ss_error *error)
{
  const bool ranked = co_scheduled->places.ranks != NULL;
  return ss_workload_refuse(&co_scheduled->workload, ranked ? SS_AT_placement_ranks : SS_AT_placement_free, error,
                            "puts a rank on GPU %" PRId64
                            ", whose domain the other job is in; allowed: GPUs of domains that it leaves free",
                            gpu);
}

/* Moves the ranks: the first domain that the job uses becomes the first free one, and so on. Ranks stay where files put
 * them. */
static ss_status move(ss_co_scheduled_job *co_scheduled, const bool *taken, ss_error *error)
{
  const int64_t size = co_scheduled->job.machine->domain_size, ranks = ss_workload_gpus(&co_scheduled->workload);
  const int64_t segment = co_scheduled->job.placement.segment;
  const int64_t domains = co_scheduled->job.machine->gpus / size, needed = ss_divide_up(ranks, segment);
  const bool fixed = co_scheduled->places.ranks != NULL || co_scheduled->places.free.gpu != NULL;
  int64_t *target = malloc((size_t)domains * sizeof *target), free_domains = 0;
  if (target == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the domains");
  for (int64_t domain = 0; domain < domains; ++domain)
    if (!taken[domain]) target[free_domains++] = domain;
  ss_status status = SS_OK;
  if (!fixed && needed > free_domains)
    status = ss_error_set(error, SS_ERROR_INPUT, "--beside", 0,
                          "%s needs %" PRId64 " GPUs; allowed: at most %" PRId64
                          ", in the domains that the first job leaves free",
                          co_scheduled->workload.model.name, ranks, free_domains * segment);
  for (int64_t rank = 0; status == SS_OK && rank < ranks; ++rank) {
    int32_t *gpu = &co_scheduled->job.placement.gpu[rank];
    if (!fixed)
      *gpu = (int32_t)(target[*gpu / size] * size + *gpu % size);
    else if (taken[*gpu / size])
      status = refuse_shared(co_scheduled, *gpu, error);
  }
  free(target);
  return status;
}

static ss_status load(ss_co_scheduled_job *co_scheduled, const char *name, const ss_session *session, ss_error *error)
{
  ss_workload *workload = &co_scheduled->workload;
  char path[SS_PATH_SIZE];
  ss_status status = ss_shipped_find(SS_SHIPPED_WORKLOADS, name, path, error);
  if (status == SS_OK) status = ss_workload_load(path, workload, error);
  if (status != SS_OK) return status;
  ss_stack_complete(workload, session->machine.accelerator);
  status = ss_workload_check_values(workload, error);
  if (status == SS_OK) status = ss_workload_check(workload, error);
  if (status == SS_OK) status = ss_places_load(&co_scheduled->places, workload, &session->machine, error);
  ss_job_options options = ss_places_options(&co_scheduled->places, session->job.options.cost);
  options.trial = session->job.options.trial;
  return status == SS_OK ? ss_job_init(&co_scheduled->job, workload, &session->machine, options, error) : status;
}

ss_status ss_co_scheduled_job_open(ss_co_scheduled_job *co_scheduled, const char *name, const ss_session *session,
                                   ss_error *error)
{
  *co_scheduled = (ss_co_scheduled_job){.places = {.ranks = NULL}};
  ss_status status = load(co_scheduled, name, session, error);
  if (status != SS_OK) return status;
  bool *taken = taken_domains(&session->job);
  status = taken != NULL ? move(co_scheduled, taken, error)
                         : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for the domains");
  free(taken);
  return status;
}

void ss_co_scheduled_job_close(ss_co_scheduled_job *co_scheduled)
{
  ss_job_free(&co_scheduled->job);
  ss_places_free(&co_scheduled->places);
  *co_scheduled = (ss_co_scheduled_job){.places = {.ranks = NULL}};
}
