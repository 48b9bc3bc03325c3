#include "sim/cli/trials.h"

#include <stdlib.h>

#include "sim/cli/progress.h"
#include "sim/crew/crew.h"

/* The replays that are to be run: items 0 to extra - 1 are trials 1 to extra, then come the slow parts. */
typedef struct variant_work {
  const ss_session *session;
  const ss_options *options;
  ss_slow_parts *slow_parts;
  ss_trial *trial; /* [extra + 1] owned */
  int64_t extra;
} variant_work;

static ss_status replay(const variant_work *r, const ss_job *job, int64_t trial, ss_trial *outcome, ss_error *error)
{
  const ss_replay_options options = {.flows = r->options->flows,
                                     .seed = ss_replay_seed((uint64_t)r->options->seed, trial),
                                     .budget = r->options->replay_budget};
  ss_replay_result result;
  const ss_status status = ss_replay(job, &options, &result, error);
  if (status == SS_OK) *outcome = (ss_trial){result.breakdown.iteration_s, result.path};
  return status;
}

/* The first trial again, on a machine that is to lose one of its slow parts. */
static ss_status replay_on(const variant_work *r, const ss_slow_part *part, ss_machine *machine, ss_trial *outcome,
                           ss_error *error)
{
  const ss_job *of = &r->session->job;
  ss_job *job = calloc(1, sizeof *job);
  if (job == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  ss_slow_part_remove(part, machine);
  ss_status status = ss_job_init(job, of->workload, machine, of->options, error);
  if (status == SS_OK) status = replay(r, job, 0, outcome, error);
  ss_job_free(job);
  free(job);
  return status;
}

static ss_status replay_without(const variant_work *r, const ss_slow_part *part, ss_trial *outcome, ss_error *error)
{
  ss_machine *machine = malloc(sizeof *machine);
  if (machine == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  *machine = r->session->machine;
  const ss_status status = replay_on(r, part, machine, outcome, error);
  free(machine);
  return status;
}

static ss_status work(void *context, int64_t item, void *outcome, ss_error *error)
{
  const variant_work *r = context;
  if (item < r->extra) return replay(r, &r->session->job, item + 1, outcome, error);
  return replay_without(r, &r->slow_parts->part[item - r->extra], outcome, error);
}

static ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  variant_work *r = context;
  const ss_trial *trial = outcome;
  (void)was_known;
  (void)error;
  if (item < r->extra)
    r->trial[item + 1] = *trial;
  else
    r->slow_parts->part[item - r->extra].without_s = trial->iteration_s;
  return SS_OK;
}

static ss_status run_all(variant_work *r, ss_error *error)
{
  const ss_crew_work all = {.count = r->extra + r->slow_parts->count,
                            .outcome_size = sizeof(ss_trial),
                            .work = work,
                            .done = done,
                            .context = r,
                            .progress = ss_progress_of(r->options)};
  const ss_status status = ss_crew_run(&all, error);
  ss_progress_clear(r->options);
  for (int64_t i = 0; status == SS_OK && i < r->slow_parts->count; ++i)
    r->slow_parts->part[i].cost_s = r->trial[0].iteration_s - r->slow_parts->part[i].without_s;
  ss_slow_parts_sort(r->slow_parts);
  return status;
}

ss_status ss_variants_check(const ss_session *session, const ss_options *options, ss_error *error)
{
  if (options->trials == 1 || ss_machine_has_chance(&session->machine)) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--trials", 0,
                      "\"%lld\": nothing is drawn on %s, all of them are the same; allowed: 1, or a platform with "
                      "kernel-noise or gpu-spread above 0",
                      (long long)options->trials, session->machine.name);
}

ss_status ss_variants_run(ss_variants *variants, const ss_session *session, const ss_options *options,
                          const ss_replay_result *first, ss_prediction *prediction, ss_error *error)
{
  variant_work r = {
      .session = session, .options = options, .slow_parts = &variants->slow_parts, .extra = options->trials - 1};
  ss_slow_parts_list(&variants->slow_parts, &session->machine);
  r.trial = calloc((size_t)options->trials, sizeof *r.trial);
  if (r.trial == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for trials");
  r.trial[0] = (ss_trial){first->breakdown.iteration_s, first->path};
  ss_status status = run_all(&r, error);
  if (status == SS_OK && r.extra > 0) {
    status = ss_trials_init(&variants->trials, r.trial, options->trials);
    if (status != SS_OK) (void)ss_error_set(error, status, NULL, 0, "out of memory for trials");
    variants->trials.seed = options->seed;
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
