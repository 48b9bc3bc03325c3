/* Why closed form and replay differ: take one cause after the other away from both. */
#include "model/estimate/estimate.h"
#include "model/plan/job_setup.h"
#include "sim/engine/perturbation/perturbation.h"
#include "sim/engine/replay.h"

/* Both predictions of a changed job, without contention: the closed form does not count what shares a NIC either. */
typedef struct pair {
  double estimate_s, replay_s;
} pair;

static ss_status predict(const ss_job *job, const ss_replay_options *of, pair *out, ss_error *error)
{
  const ss_replay_options options = {.private_links = true, .only_time = true, .seed = of->seed, .budget = of->budget};
  ss_replay_result result;
  const ss_status status = ss_replay(job, &options, &result, error);
  *out = (pair){ss_estimate_time(job).iteration_s, result.breakdown.iteration_s};
  return status;
}

static ss_status predict_what_if(const ss_job *job, const ss_replay_options *of, ss_what_if what_if, pair *out,
                                 ss_error *error)
{
  ss_job changed;
  const ss_job_options options = {.cost = job->options.cost,
                                  .what_if = what_if,
                                  .ranks = job->options.ranks,
                                  .free_gpus = job->options.free_gpus,
                                  .trial = job->options.trial};
  ss_status status = ss_job_init(&changed, job->workload, job->machine, options, error);
  if (status != SS_OK) return status;
  status = predict(&changed, of, out, error);
  ss_job_free(&changed);
  return status;
}

static double gap_s(pair p)
{
  return p.replay_s - p.estimate_s;
}

/* The same of the job as it is. */
static ss_status predict_alone(const ss_job *job, const ss_replay_options *of, pair *out, ss_error *error)
{
  return predict_what_if(job, of, (ss_what_if){.own_links = true}, out, error);
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
  ss_status status = predict_alone(job, options, &before, error);
  equal = before;
  if (status == SS_OK && ss_job_is_perturbed(job))
    status = predict_what_if(job, options, (ss_what_if){.own_links = true, .equal_gpus = true}, &equal, error);
  for (int i = 0; status == SS_OK && i < STEPS; ++i) status = predict_what_if(job, options, steps[i], &after[i], error);
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
