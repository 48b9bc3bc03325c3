#include "sim/session/plan/phases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/estimate/estimate.h"
#include "model/plan/check/workload_check.h"
#include "model/plan/job_setup.h"
#include "model/run/power.h"
#include "sim/io/io.h"
#include "sim/session/plan/slow_fabric.h"
#include "sim/session/plan/slow_nic.h"
#include "sim/session/plan/strategy.h"
#include "sim/session/used.h"

/* Tokens of phases add up to all tokens but for this share. */
#define ROUNDING 1e-9

static ss_status refuse(const ss_workload *workload, const char *phase, const char *problem, ss_error *error)
{
  return ss_workload_refuse(workload, SS_AT_run_phases, error,
                            "has \"%s\", %s; allowed: TOKENS:NAME=VALUE,NAME=VALUE with `;` between phases", phase,
                            problem);
}

/* Cuts off what is in front of a mark, without blanks around it; the rest is NULL behind the last. */
static char *cut(char **rest, char mark)
{
  char *text = *rest + strspn(*rest, " ");
  char *end = strchr(text, mark);
  *rest = end != NULL ? end + 1 : NULL;
  if (end == NULL) end = text + strlen(text);
  while (end > text && end[-1] == ' ') --end;
  *end = '\0';
  return text;
}

static ss_status add_phase(ss_run_phases *phases, ss_run_phase **phase, ss_error *error)
{
  *phase = calloc(1, sizeof **phase);
  if (*phase == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a phase");
  phases->phase[phases->count++] = *phase;
  return SS_OK;
}

/* TOKENS:SETTINGS, where the tokens of the last one may be what is left. */
static ss_status read_phase(ss_run_phases *phases, char *text, bool last, const ss_workload *workload, double *left,
                            ss_error *error)
{
  ss_run_phase *phase;
  char copy[SS_TEXT_SIZE];
  (void)snprintf(copy, sizeof copy, "%s", text);
  if (phases->count == SS_PHASES_MAX) return refuse(workload, copy, "which is one more than 16", error);
  const ss_status status = add_phase(phases, &phase, error);
  if (status != SS_OK) return status;
  const char *tokens = cut(&text, ':');
  (void)snprintf(phase->settings, sizeof phase->settings, "%s", text != NULL ? cut(&text, '\0') : "");
  if (tokens[0] == '\0' && last)
    phase->tokens = *left;
  else if (ss_quantity_parse(tokens, SS_UNIT_NONE, &phase->tokens) != 0 || !(phase->tokens > 0.0))
    return refuse(workload, copy, "which does not begin with its tokens", error);
  *left -= phase->tokens;
  return *left >= -ROUNDING * workload->training.tokens || workload->training.tokens == 0.0
             ? SS_OK
             : refuse(workload, copy, "with which there are more than training.tokens", error);
}

static ss_status read_phases(ss_run_phases *phases, const ss_workload *workload, ss_error *error)
{
  char text[SS_TEXT_SIZE], *rest = text;
  double left = workload->training.tokens;
  (void)snprintf(text, sizeof text, "%s", workload->run.phases[0] != '\0' ? workload->run.phases : ":");
  ss_status status = SS_OK;
  while (status == SS_OK && rest != NULL) {
    char *one = cut(&rest, ';');
    status = read_phase(phases, one, rest == NULL, workload, &left, error);
  }
  if (status == SS_OK && left > ROUNDING * workload->training.tokens)
    return refuse(workload, workload->run.phases, "with which there are less than training.tokens", error);
  if (status == SS_OK && !(phases->phase[phases->count - 1]->tokens > 0.0))
    return ss_workload_refuse(
        workload, SS_AT_training_tokens, error,
        "is what a run is planned for; allowed: more than 0, and than phases ahead of the last take");
  return status;
}

/* Refuses a setting of a phase in the words of what refused it, which knows of no file. */
static ss_status blame(const ss_workload *workload, ss_status status, ss_error *error)
{
  char text[SS_MESSAGE_SIZE];
  if (status != SS_ERROR_INPUT) return status;
  memcpy(text, error->message, sizeof text);
  return ss_workload_refuse(workload, SS_AT_run_phases, error, "%s", text);
}

/* Settings of a phase, on top of those of the command line. */
static ss_status set(ss_run_phase *phase, ss_error *error)
{
  char text[SS_TEXT_SIZE], *rest = text;
  ss_status status = SS_OK;
  (void)snprintf(text, sizeof text, "%s", phase->settings);
  while (status == SS_OK && rest != NULL) {
    const char *one = cut(&rest, ',');
    if (one[0] != '\0') status = ss_override(one, &phase->session.workload, &phase->session.machine, error);
  }
  return blame(&phase->session.workload, status, error);
}

/* What a job without a replica is: a batch as much smaller, and a strategy of its own where one is searched for. False
 * where that is no job. */
static bool without_replica(const ss_run_phase *phase, const ss_options *options, bool searched, ss_workload *workload)
{
  char words[SS_TEXT_SIZE];
  ss_error error = {0};
  const int64_t dp = workload->parallelism.dp, gpus = ss_workload_gpus(workload) / dp * (dp - 1);
  if (dp == 1 || workload->training.global_batch % dp != 0) return false;
  workload->parallelism.dp = dp - 1;
  workload->training.global_batch = workload->training.global_batch / dp * (dp - 1);
  if (!searched || workload->run.recovery != SS_RECOVERY_SHRINK) return true;
  ss_workload other = *workload;
  if (ss_plan_strategy(options, &phase->session.machine, gpus, &other, words, &error) == SS_OK) *workload = other;
  return true;
}

/* The speed of a job, in tokens, with a replica less; by its share of replicas where that is no job. */
static double speed_without_replica(const ss_run_phase *phase, const ss_options *options, bool searched)
{
  ss_workload workload = phase->session.workload;
  ss_job job = {0};
  ss_error error = {0};
  const int64_t dp = workload.parallelism.dp;
  const double share = (double)(dp - 1) / (double)dp;
  double speed = share;
  if (!without_replica(phase, options, searched, &workload)) return share;
  ss_job_options job_options = phase->session.job.options;
  job_options.ranks = NULL;
  job_options.estimate_only = true;
  ss_workload_derive(&workload);
  if (ss_workload_check(&workload, &error) == SS_OK &&
      ss_job_init(&job, &workload, &phase->session.machine, job_options, &error) == SS_OK)
    speed = share * phase->prediction.estimate.iteration_s / ss_estimate_time(&job).iteration_s;
  ss_job_free(&job);
  return speed;
}

static ss_status replay(ss_run_phase *phase, const ss_options *options, ss_error *error)
{
  ss_replay_options replay_options = ss_replay_options_of(&options->replay);
  ss_replay_result result;
  replay_options.history = &phase->history;
  const ss_status status = ss_replay(&phase->session.job, &replay_options, &result, error);
  if (status != SS_OK) return status;
  phase->iteration = result.breakdown;
  phase->prediction.only_replayed = 0;
  return SS_OK;
}

/* A phase is an iteration long at least, which a job has only complete. */
static ss_status check_length(const ss_run_phase *phase, ss_error *error)
{
  const ss_workload *workload = &phase->session.workload;
  const double iteration = (double)(workload->training.global_batch * workload->model.sequence);
  if (phase->tokens >= iteration) return SS_OK;
  return ss_workload_refuse(workload, phase->settings[0] != '\0' ? SS_AT_run_phases : SS_AT_training_tokens, error,
                            "leaves %.6g tokens, which are less than an iteration of the run; allowed: at least %.0f, "
                            "which are global-batch x sequence",
                            phase->tokens, iteration);
}

static ss_status open_phase(ss_run_phase *phase, const ss_session *base, const ss_options *options, int64_t gpus,
                            ss_error *error)
{
  const bool searched = gpus > 0 || options->sweep.best == SS_BEST_STRATEGY;
  ss_session *session = &phase->session;
  *session = *base;
  ss_status status = set(phase, error);
  if (status == SS_OK && searched)
    status = ss_plan_strategy(options, &session->machine, gpus > 0 ? gpus : ss_workload_gpus(&session->workload),
                              &session->workload, phase->strategy, error);
  if (status == SS_OK && options->sweep.replay == 0)
    status = ss_used_without_replay(&session->machine, "--replay", error);
  if (status == SS_OK) status = ss_session_complete(session, &options->common, error);
  if (status != SS_OK) return status;
  status = check_length(phase, error);
  if (status != SS_OK) return status;
  phase->prediction = ss_session_estimate(session);
  phase->iteration = phase->prediction.estimate;
  phase->replica_speed = fmin(1.0, speed_without_replica(phase, options, searched));
  if (options->sweep.replay > 0) status = replay(phase, options, error);
  if (status != SS_OK) return status;
  const ss_slowed_job slowed = {session, options, phase->iteration.iteration_s};
  status = ss_plan_nic_speed(&slowed, &phase->nic_speed, error);
  return status == SS_OK ? ss_plan_slow_fabric(&slowed, &phase->history, &phase->slow_fabric, error) : status;
}

ss_status ss_run_phases_open(ss_run_phases *phases, const ss_session *base, const ss_options *options, int64_t gpus,
                             ss_error *error)
{
  *phases = (ss_run_phases){.count = 0};
  ss_status status = read_phases(phases, &base->workload, error);
  for (int64_t i = 0; status == SS_OK && i < phases->count; ++i)
    status = open_phase(phases->phase[i], base, options, gpus, error);
  return status;
}

void ss_run_phases_close(ss_run_phases *phases)
{
  for (int64_t i = 0; i < phases->count; ++i) {
    ss_session_close(&phases->phase[i]->session);
    ss_history_free(&phases->phase[i]->history);
    free(phases->phase[i]);
  }
  phases->count = 0;
}
