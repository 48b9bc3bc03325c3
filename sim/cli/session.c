#include "sim/cli/session.h"

#include <stdlib.h>

#include "model/estimate.h"
#include "sim/io/io.h"

static ss_status load(ss_session *session, const ss_options *options, ss_error *error)
{
  ss_status status = ss_workload_load(options->workload, &session->workload, error);
  if (status == SS_OK) status = ss_machine_load(options->platform, &session->machine, error);
  for (int64_t i = 0; status == SS_OK && i < options->override_count; ++i)
    status = ss_override(options->override[i], &session->workload, &session->machine, error);
  if (status != SS_OK) return status;
  ss_workload_derive(&session->workload);
  status = ss_workload_check(&session->workload, error);
  return status == SS_OK ? ss_machine_check(&session->machine, error) : status;
}

static ss_status load_ranks(ss_session *session, ss_error *error)
{
  const char *path = session->workload.placement.ranks;
  const int64_t ranks = ss_workload_gpus(&session->workload);
  if (path[0] == '\0' || ranks > session->machine.gpus) return SS_OK; /* too many ranks is refused with the placement */
  session->ranks = malloc((size_t)ranks * sizeof *session->ranks);
  if (session->ranks == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld ranks", (long long)ranks);
  return ss_ranks_load(path, ranks, session->machine.gpus, session->ranks, error);
}

ss_status ss_session_open(ss_session *session, const ss_options *options, ss_error *error)
{
  session->ranks = NULL;
  session->job = (ss_job){0};
  ss_status status = load(session, options, error);
  if (status == SS_OK) status = load_ranks(session, error);
  if (status == SS_OK)
    status = ss_job_init(&session->job, &session->workload, &session->machine,
                         (ss_job_options){.cost = options->cost, .ranks = session->ranks}, error);
  return status;
}

void ss_session_close(ss_session *session)
{
  ss_job_free(&session->job);
  free(session->ranks);
  session->ranks = NULL;
}

ss_prediction ss_session_estimate(const ss_session *session)
{
  ss_prediction prediction = {
      .workload = session->workload.model.name,
      .platform = session->machine.name,
      .gpus = ss_workload_gpus(&session->workload),
      .micro_batches = session->job.micro_batches,
      .estimate = ss_estimate_time(&session->job),
      .memory = ss_estimate_memory(&session->job),
  };
  prediction.metrics = ss_estimate_metrics(&session->job, prediction.estimate.iteration_s);
  return prediction;
}
