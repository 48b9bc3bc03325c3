#include "model/estimate/document_waits.h"

#include <math.h>

#include "model/base/number.h"
#include "model/base/statistics.h"
#include "model/input/workload.h"
#include "model/plan/placement/expert_ranks.h"

/* Attention of a micro-batch on a stage, and how it differs. */
typedef struct load {
  double attention_s;
  ss_factors spread;
} load;

/* Layers of several windows are taken to differ together. Copies of the model have micro-batches of their own. */
static load stage_load(const ss_job *job, int64_t stage)
{
  load sum = {0.0, {0.0, 0.0}};
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const double attention_s = (double)job->counts[stage].of[kind] * job->attention_s[kind][pass];
      sum.attention_s += attention_s;
      sum.spread.deviation += attention_s * job->spread[kind].deviation;
      sum.spread.most += attention_s * job->spread[kind].most;
    }
  }
  if (sum.attention_s <= 0.0) return sum;
  sum.spread.deviation /= sum.attention_s;
  sum.spread.most /= sum.attention_s;
  sum.attention_s *= (double)job->copy_batches / (double)job->micro_batches;
  return sum;
}

static load widest_load(const ss_job *job)
{
  load widest = {0.0, {0.0, 0.0}};
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    const load of = stage_load(job, stage);
    if (of.attention_s * of.spread.deviation > widest.attention_s * widest.spread.deviation) widest = of;
  }
  return widest;
}

/* Replicas whose experts exchange tokens. */
static double exchanging(const ss_job *job)
{
  const ss_expert_ranks ranks = ss_expert_ranks_of(job->workload);
  const double width = (double)(job->tensor * job->context);
  double replicas = 1.0;
  for (int i = 0; i < SS_EXPERT_DIGITS; ++i) {
    const ss_expert_digit *digit = &ranks.digit[i];
    const double reached = ceil((double)(digit->size * digit->stride) / width);
    if (digit->axis == SS_EXPERT_AXIS_EP) replicas *= ss_min((double)digit->size, reached);
  }
  return replicas;
}

static double gathering(const ss_job *job)
{
  return job->data.gathers_each_pass ? (double)ss_job_shards(job, SS_WEIGHTS_DENSE) / (double)job->context : 1.0;
}

double ss_document_waits_s(const ss_job *job)
{
  if (job->replicas == 1 || !ss_job_has_unlike_batches(job)) return 0.0;
  const double replicas = (double)job->replicas, batches = (double)job->micro_batches;
  const double met = ss_max(ss_workload_has_experts(job->workload) ? exchanging(job) : 1.0, gathering(job));
  const double group = ss_min(ss_max(met, 1.0), replicas);
  const load of = widest_load(job);
  const ss_largest inside = ss_largest_of(group, of.spread);
  const ss_factors sums = {inside.deviation / (inside.mean * sqrt(batches)), of.spread.most / inside.mean};
  return batches * of.attention_s * (inside.mean * ss_largest_of(replicas / group, sums).mean - 1.0);
}
