/* Why closed form and replay differ: take one cause after the other away from both. */
#include <stdlib.h>

#include "model/estimate/estimate.h"
#include "model/plan/job_setup.h"
#include "sim/engine/perturbation/perturbation.h"
#include "sim/engine/play.h"
#include "sim/engine/replay.h"

/* Both predictions of a changed job, without contention: the closed form does not count what shares a NIC either. */
typedef struct pair {
  double estimate_s, replay_s;
} pair;

/* What-ifs of a job, one after the other. A replay that is put together for one of them serves the next, where that is
 * put together alike. */
typedef struct series {
  const ss_job *of;
  ss_replay_options options;
  ss_prepared *prepared; /* of the last one that was not perturbed; NULL: none; owned */
  ss_job job[2];         /* that one, freed, and the next one */
  int next;
} series;

static void replay_next(series *s, ss_outcome *out)
{
  const ss_job *job = &s->job[s->next];
  if (s->prepared == NULL || !ss_play_next(s->prepared, job, out)) {
    ss_play_free(s->prepared);
    s->prepared = ss_play_prepare(job, &s->options, out);
    if (s->prepared != NULL) ss_play_prepared(s->prepared, &(ss_known){0}, SS_TO_REPLAY, out);
    ss_known_free(&out->known);
  }
  s->next = 1 - s->next;
}

static ss_status replay(series *s, const ss_job *job, ss_replay_result *result, ss_error *error)
{
  if (ss_job_is_perturbed(job)) return ss_replay(job, &s->options, result, error);
  ss_outcome out = {.status = SS_OK};
  replay_next(s, &out);
  *result = out.result;
  if (out.status != SS_OK && error != NULL) *error = out.error;
  return out.status;
}

static ss_status predict_what_if(series *s, ss_what_if what_if, pair *out, ss_error *error)
{
  ss_job *changed = &s->job[s->next];
  const ss_job *job = s->of;
  const ss_job_options options = {.cost = job->options.cost,
                                  .what_if = what_if,
                                  .ranks = job->options.ranks,
                                  .free_gpus = job->options.free_gpus,
                                  .trial = job->options.trial};
  ss_status status = ss_job_init(changed, job->workload, job->machine, options, error);
  if (status != SS_OK) return status;
  ss_replay_result result;
  out->estimate_s = ss_estimate_time(changed).iteration_s;
  status = replay(s, changed, &result, error);
  ss_job_free(changed);
  out->replay_s = result.breakdown.iteration_s;
  return status;
}

static double gap_s(pair p)
{
  return p.replay_s - p.estimate_s;
}

ss_status ss_explain(const ss_job *job, const ss_replay_options *options, double simulation_s,
                     ss_explanation *explanation, ss_error *error)
{
  static const ss_what_if steps[] = {
      {.own_links = true, .equal_gpus = true, .no_latency = true},
      {.own_links = true, .equal_gpus = true, .no_latency = true, .equal_stages = true},
      {.own_links = true, .equal_gpus = true, .no_latency = true, .equal_stages = true, .free_messages = true},
  };
  enum { STEPS = sizeof steps / sizeof steps[0] };
  pair before, equal, after[STEPS];
  series *s = calloc(1, sizeof *s);
  if (s == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a replay");
  s->of = job;
  s->options =
      (ss_replay_options){.private_links = true, .only_time = true, .seed = options->seed, .budget = options->budget};
  ss_status status = predict_what_if(s, (ss_what_if){.own_links = true}, &before, error);
  equal = before;
  if (status == SS_OK && ss_job_is_perturbed(job))
    status = predict_what_if(s, (ss_what_if){.own_links = true, .equal_gpus = true}, &equal, error);
  for (int i = 0; status == SS_OK && i < STEPS; ++i) status = predict_what_if(s, steps[i], &after[i], error);
  ss_play_free(s->prepared);
  free(s);
  if (status != SS_OK) return status;
  *explanation = (ss_explanation){
      .contention_s = simulation_s - before.replay_s - (ss_estimate_time(job).iteration_s - before.estimate_s),
      .slowed_s = gap_s(before) - gap_s(equal),
      .latency_s = gap_s(equal) - gap_s(after[0]),
      .stages_s = gap_s(after[0]) - gap_s(after[1]),
      .overlap_s = gap_s(after[1]) - gap_s(after[2]),
      .schedule_s = gap_s(after[2]),
  };
  return SS_OK;
}
