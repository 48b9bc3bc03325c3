#include "sim/session/trials.h"

#include <math.h>
#include <stdlib.h>

#include "model/plan/blame.h"
#include "model/plan/job_setup.h"
#include "sim/crew/crew.h"
#include "sim/session/progress.h"

/* Replays on better machines are not worth more than this: what one has to do is the passes and flows that it
 * simulates, some million a second. */
#define UPGRADE_WORK_MOST 6e5

/* The replays to run: items 0 to extra - 1 are trials 1 to extra, then come the slow parts, then the upgrades. */
typedef struct variant_work {
  const ss_variant_plan *plan;
  ss_variants *variants;
  ss_trial *trial; /* [extra + 1] owned */
  int64_t extra, upgrades;
} variant_work;

/* The jobs with a machine of their own, which they refer to. */
typedef struct variant {
  ss_machine machine;
  ss_job job, co_scheduled;
} variant;

static ss_status replay(const ss_variant_plan *plan, const ss_job *job, const ss_job *co_scheduled, int64_t trial,
                        ss_trial *outcome, ss_error *error)
{
  ss_replay_options options = ss_replay_options_of(&plan->options->replay);
  options.co_scheduled = co_scheduled;
  options.seed = ss_replay_seed(options.seed, trial);
  ss_replay_result result;
  const ss_status status = ss_replay(job, &options, &result, error);
  if (status == SS_OK) *outcome = (ss_trial){result.breakdown.iteration_s, result.path};
  return status;
}

static ss_status create(const ss_variant_plan *plan, variant **made, ss_error *error)
{
  variant *v = calloc(1, sizeof *v);
  *made = v;
  if (v == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  v->machine = plan->session->machine;
  return SS_OK;
}

/* The first trial again, on the machine of the variant, which it releases. The other job is the same on it. */
static ss_status replay_variant(const ss_variant_plan *plan, variant *v, ss_trial *outcome, ss_error *error)
{
  const ss_job *of = &plan->session->job;
  if (plan->co_scheduled != NULL) v->co_scheduled = *plan->co_scheduled;
  v->co_scheduled.machine = &v->machine;
  ss_status status = ss_job_init(&v->job, of->workload, &v->machine, of->options, error);
  if (status == SS_OK)
    status = replay(plan, &v->job, plan->co_scheduled != NULL ? &v->co_scheduled : NULL, 0, outcome, error);
  ss_job_free(&v->job);
  free(v);
  return status;
}

static ss_status replay_without(const ss_variant_plan *plan, const ss_slow_part *part, ss_trial *outcome,
                                ss_error *error)
{
  variant *v;
  const ss_status status = create(plan, &v, error);
  if (status != SS_OK) return status;
  ss_slow_part_remove(part, &v->machine);
  return replay_variant(plan, v, outcome, error);
}

/* No time where the budget is used up: nobody has asked for this replay. */
static ss_status replay_upgraded(const ss_variant_plan *plan, ss_upgrade upgrade, ss_trial *outcome, ss_error *error)
{
  variant *v;
  ss_status status = create(plan, &v, error);
  if (status != SS_OK) return status;
  ss_upgrade_change(upgrade, &v->machine);
  status = replay_variant(plan, v, outcome, error);
  if (status != SS_ERROR_BUDGET) return status;
  outcome->iteration_s = NAN;
  return SS_OK;
}

static ss_status work(void *context, int64_t item, void *outcome, ss_error *error)
{
  const variant_work *r = context;
  const ss_slow_parts *parts = &r->variants->slow_parts;
  if (item < r->extra) return replay(r->plan, &r->plan->session->job, r->plan->co_scheduled, item + 1, outcome, error);
  const int64_t part = item - r->extra;
  if (part < parts->count) return replay_without(r->plan, &parts->part[part], outcome, error);
  return replay_upgraded(r->plan, (ss_upgrade)(part - parts->count), outcome, error);
}

static ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  variant_work *r = context;
  ss_slow_parts *parts = &r->variants->slow_parts;
  const ss_trial *trial = outcome;
  const int64_t part = item - r->extra;
  (void)was_known;
  (void)error;
  if (part < 0)
    r->trial[item + 1] = *trial;
  else if (part < parts->count)
    parts->part[part].without_s = trial->iteration_s;
  else
    r->variants->upgraded_s[part - parts->count] = trial->iteration_s;
  return SS_OK;
}

static bool is_worth_it(const ss_job *job, const ss_replay_result *result)
{
  const double share = (double)result->simulated_stage_replicas / (double)result->stage_replicas;
  const double passes =
      (double)result->simulated_stage_replicas * (double)(SS_PASSES * job->chunks * job->micro_batches);
  return passes + share * (double)result->flows <= UPGRADE_WORK_MOST;
}

/* All processes count the same: the first one, which draws and has replayed, says. */
static ss_status count_upgrades(variant_work *r, ss_error *error)
{
  if (r->plan->upgrades && is_worth_it(&r->plan->session->job, r->plan->first)) r->upgrades = SS_UPGRADES;
  return ss_crew_share(&r->upgrades, sizeof r->upgrades, error);
}

static ss_status run_all(variant_work *r, ss_error *error)
{
  ss_slow_parts *parts = &r->variants->slow_parts;
  const ss_crew_work all = {.count = r->extra + parts->count + r->upgrades,
                            .outcome_size = sizeof(ss_trial),
                            .work = work,
                            .done = done,
                            .context = r,
                            .progress = ss_progress_of(&r->plan->options->common)};
  const ss_status status = ss_crew_run(&all, error);
  ss_progress_clear(&r->plan->options->common);
  for (int64_t i = 0; status == SS_OK && i < parts->count; ++i) {
    parts->part[i].cost_s = r->trial[0].iteration_s - parts->part[i].without_s;
    ss_blame_tell(&r->plan->session->job, &parts->part[i]);
  }
  ss_slow_parts_sort(parts);
  r->variants->upgraded = r->upgrades > 0;
  for (int64_t i = 0; i < r->upgrades; ++i)
    r->variants->upgraded = r->variants->upgraded && !isnan(r->variants->upgraded_s[i]);
  return status;
}

ss_status ss_variants_check(const ss_session *session, const ss_options *options, ss_error *error)
{
  const bool asks = options->run.trials > 1 || (options->replay.has_seed && options->run.beside == NULL);
  if (!asks || ss_machine_has_chance(&session->machine) || ss_job_has_unlike_batches(&session->job)) return SS_OK;
  if (ss_job_has_uneven_iterations(&session->job)) return SS_OK;
  if (options->run.trials == 1)
    return ss_error_set(error, SS_ERROR_INPUT, "--seed", 0,
                        "\"%lld\": %s has neither kernel-noise nor gpu-spread, so all seeds are the same; allowed: a "
                        "platform with one of them above 0, or training.documents of several lengths",
                        (long long)options->replay.seed, session->machine.name);
  return ss_error_set(error, SS_ERROR_INPUT, "--trials", 0,
                      "\"%lld\": of %s no distribution of iterations is known (iteration-noise, stall-rate), and "
                      "neither kernel-noise nor gpu-spread is given, so all trials would be the same; allowed: 1, a "
                      "platform with one of them above 0, or training.documents of several lengths",
                      (long long)options->run.trials, session->machine.name);
}

ss_status ss_variants_run(ss_variants *variants, const ss_variant_plan *plan, ss_prediction *prediction,
                          ss_error *error)
{
  const ss_options *options = plan->options;
  const ss_replay_result *first = plan->first;
  variant_work r = {.plan = plan, .variants = variants, .extra = options->run.trials - 1};
  ss_slow_parts_list(&variants->slow_parts, &plan->session->machine);
  r.trial = calloc((size_t)options->run.trials, sizeof *r.trial);
  if (r.trial == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for trials");
  r.trial[0] = (ss_trial){first->breakdown.iteration_s, first->path};
  ss_status status = count_upgrades(&r, error);
  if (status == SS_OK) status = run_all(&r, error);
  if (status == SS_OK && r.extra > 0) {
    status = ss_trials_init(&variants->trials, r.trial, options->run.trials);
    if (status != SS_OK) (void)ss_error_set(error, status, NULL, 0, "out of memory for trials");
    variants->trials.seed = options->replay.seed;
    prediction->trials = &variants->trials;
  }
  if (variants->slow_parts.count > 0) prediction->slow_parts = &variants->slow_parts;
  free(r.trial);
  return status;
}

void ss_variants_free(ss_variants *variants)
{
  ss_trials_free(&variants->trials);
}
