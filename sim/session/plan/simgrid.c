#include "sim/session/plan/simgrid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/campaign/campaign.h"
#include "sim/engine/failures.h"

/* Checkpoints and interruptions that SimGrid plays, some million in a second. */
#define MOST_EVENTS 1e8

/* What hosts that fail do not have; false where a run has none of it. */
static bool find_left_out(const ss_whole_run *run, char text[64])
{
  for (int i = 0; i < run->slows; ++i) {
    const ss_slow_kind kind = run->slow[i].kind;
    if (run->slow[i].rate_per_s == 0.0) continue;
    (void)snprintf(text, 64, "slow %s (platform.%s)", ss_slow_label(kind), ss_slow_property(kind));
    return true;
  }
  (void)snprintf(text, 64, "fewer replicas (run.recovery=shrink)");
  return run->shrinks;
}

ss_status ss_plan_simgrid_check(const ss_plan *plan, int64_t trials, ss_error *error)
{
  double events = 0.0;
  for (int64_t i = 0; i < plan->phases && trials > 0; ++i) {
    const ss_plan_phase *phase = &plan->phase[i];
    char lacks[64];
    if (find_left_out(&phase->parts.run, lacks))
      return ss_error_set(
          error, SS_ERROR_INPUT, "--simgrid-trials", 0,
          "hosts that fail play no %s; allowed: runs without slow parts that recover by restart or swap", lacks);
    events += phase->mean.total_s / phase->parts.run.rhythm.interval_s + phase->mean.interruptions;
  }
  if (events * (double)trials <= MOST_EVENTS) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--simgrid-trials", 0,
                      "\"%" PRId64
                      "\": of a run with %.3g checkpoints and interruptions are too many to play; allowed: "
                      "%g in all, by fewer trials, or by a longer run.interval",
                      trials, events, MOST_EVENTS);
}

/* A host for each phase of each trial, and how long the trials take without SimGrid. */
static ss_status prepare(const ss_plan *plan, int64_t trials, int64_t seed, ss_failing_host *host, double *own_s,
                         ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < trials * plan->phases; ++i) {
    const ss_campaign_part part = {.seed = seed, .trial = i / plan->phases, .phase = i % plan->phases};
    const ss_whole_run *run = &plan->phase[part.phase].parts.run;
    double total_s;
    host[i] = (ss_failing_host){.work_s = run->work_s, .rhythm = run->rhythm};
    status = ss_campaign_outages(run, part, &total_s, &host[i].outages, error);
    own_s[part.trial] += total_s;
  }
  return status;
}

ss_status ss_plan_simgrid_play(ss_plan *plan, const ss_plan_options *options, ss_error *error)
{
  const int64_t trials = options->simgrid_trials, hosts = trials * plan->phases;
  if (trials == 0) return SS_OK;
  ss_failing_host *host = calloc((size_t)hosts, sizeof *host);
  double *own_s = calloc((size_t)trials, sizeof *own_s), *total_s = calloc((size_t)trials, sizeof *total_s);
  ss_status status = host != NULL && own_s != NULL && total_s != NULL ? SS_OK : SS_ERROR_MEMORY;
  if (status != SS_OK) (void)ss_error_set(error, status, NULL, 0, "out of memory for trials on SimGrid");
  if (status == SS_OK) status = prepare(plan, trials, ss_plan_seed(options), host, own_s, error);
  if (status == SS_OK) status = ss_play_failures(host, hosts, error);
  for (int64_t i = 0; status == SS_OK && i < hosts; ++i) total_s[i / plan->phases] += host[i].end_s;
  if (status == SS_OK) plan->simgrid = ss_campaign_of_simgrid(total_s, own_s, trials);
  for (int64_t i = 0; host != NULL && i < hosts; ++i) ss_outages_free(&host[i].outages);
  free(host);
  free(own_s);
  free(total_s);
  return status;
}
