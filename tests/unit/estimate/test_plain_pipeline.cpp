/* The formula of 1F1B pipelines against the walk through all of their passes. */
#include <algorithm>
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/estimate/pipeline_walk.h"
#include "model/estimate/plain_pipeline.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 200;
#else
constexpr int kCases = 4000;
#endif

/* A workload of 1F1B with messages between passes, otherwise random, as far as it may be. */
ss_workload random_plain_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.schedule.pipeline = SS_PIPELINE_1F1B;
    w.schedule.overlap_pp = SS_NO;
    w.parallelism.interleave = 1;
    w.placement.segment = 0;
    w.parallelism.pp = pick(random, {2, 4, 8});
    if (w.parallelism.sharding == SS_SHARDING_PARAMETERS) w.parallelism.sharding = SS_SHARDING_OPTIMIZER;
    w.training.offload_weights = w.training.offload_activations = SS_NO;
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 2, 3, 5, 8, 32, 200});
    if (coin(random)) {
      const std::string layout = random_layout(random, w.parallelism.pp, w.model.mtp_modules, &w.model.layers);
      std::snprintf(w.parallelism.layout, sizeof w.parallelism.layout, "%s", layout.c_str());
    }
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* From the beginning of an iteration until a stage has its gradients. */
double until_step_s(const ss_job *job, const ss_course &course, const ss_stage_time *t)
{
  const ss_exposure &e = course.exposed;
  return (double)job->copy_batches * t->alone_s + course.bubble_s + course.messages_s + e.data_s + e.slowed_s +
         e.offload_s + e.tail_s;
}

/* True if there is a formula: its stages are then done when those of the walk are, and those that it leaves out, as
 * they are like the one before, no later than that. */
bool is_as_walked(const ss_job *job)
{
  std::vector<ss_course> formula((size_t)job->stages), walked((size_t)job->stages);
  ss_stage_runs runs = ss_stage_runs_list(job, false);
  const bool exact = ss_plain_pipeline_is(job) && ss_plain_pipeline_courses(job, &runs, formula.data());
  if (exact) ss_pipeline_walk(job, walked.data());
  double latest_s = 0.0;
  for (int64_t i = 0; exact && i < runs.count; ++i) {
    const ss_stage_run &run = runs.run[i];
    for (int64_t stage = run.first; stage < run.end; ++stage) {
      SCOPED_TRACE(testing::Message() << "stage " << stage);
      const double end_s = until_step_s(job, walked[(size_t)stage], run.time);
      if (stage > run.first || run.like_before) {
        EXPECT_LE(end_s, latest_s * (1 + 1e-9));
        continue;
      }
      latest_s = until_step_s(job, formula[(size_t)i], run.time);
      expect_close(latest_s, end_s, 1e-9);
    }
  }
  ss_stage_runs_free(job, &runs);
  return exact;
}

/* No pipeline is done earlier than its longest chain. */
void expect_no_earlier(const ss_job *job)
{
  ss_stage_runs runs = ss_stage_runs_list(job, false);
  const double least_s = ss_plain_pipeline_least_s(job, &runs);
  ss_stage_runs_free(job, &runs);
  EXPECT_GE(ss_estimate_time(job).iteration_s, least_s * (1 - 1e-9));
}

} // namespace

/* With unequal stages, few or many micro-batches, and ends of any length. */
TEST(PlainPipeline, FormulaIsTheWalk)
{
  std::mt19937 random(71 + seed);
  int plain = 0, exact = 0;
  for (int i = 0; i < kCases; ++i) {
    const Job job(random_plain_workload(random), random_machine(random, coin(random)), SS_COST_CALIBRATED);
    if (!ss_plain_pipeline_is(job.get())) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    ++plain;
    exact += is_as_walked(job.get());
    expect_no_earlier(job.get());
  }
  EXPECT_GT(plain, kCases / 8);
  EXPECT_GT(exact, kCases / 20);
}
