/* Walks through pipelines with and without skipped beats. */
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/estimate/pipeline_walk.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 150;
#else
constexpr int kCases = 3000;
#endif

/* A random workload with a pipeline and many micro-batches. */
ss_workload random_long_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.parallelism.pp = pick(random, {2, 4, 8, 16});
    w.placement.segment = 0;
    w.training.offload_weights = w.training.offload_activations = SS_NO;
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {32, 64, 160});
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

std::vector<ss_course> walk(const ss_job *job)
{
  std::vector<ss_course> course((size_t)job->stages);
  ss_pipeline_walk(job, course.data());
  return course;
}

/* Where gradients go to the second tier, nothing is skipped; without bytes, that takes no time. */
std::vector<ss_course> walk_all(const ss_job *job)
{
  ss_job all = *job;
  all.offload.gradients = true;
  return walk(&all);
}

double sum_s(const ss_course &c)
{
  const ss_exposure &e = c.exposed;
  return c.start_s + c.bubble_s + c.messages_s + e.data_s + e.slowed_s + e.tail_s;
}

} // namespace

/* All parts, not only their sum: what is skipped adds to each as if it were walked through. */
TEST(PipelineDrift, SkipsAreLikeTheirBeats)
{
  std::mt19937 random(91 + seed);
  for (int i = 0; i < kCases; ++i) {
    const Job job(random_long_workload(random), random_machine(random, coin(random)), SS_COST_CALIBRATED);
    if (job.get()->host.active || job.get()->offload.active) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    const std::vector<ss_course> skipped = walk(job.get()), all = walk_all(job.get());
    const double tolerance_s = 1e-9 * ss_estimate_time(job.get()).iteration_s;
    for (size_t stage = 0; stage < all.size(); ++stage) {
      SCOPED_TRACE(testing::Message() << "stage " << stage);
      EXPECT_NEAR(skipped[stage].bubble_s, all[stage].bubble_s, tolerance_s);
      EXPECT_NEAR(skipped[stage].messages_s, all[stage].messages_s, tolerance_s);
      EXPECT_NEAR(skipped[stage].hidden_s, all[stage].hidden_s, tolerance_s);
      EXPECT_NEAR(sum_s(skipped[stage]), sum_s(all[stage]), tolerance_s);
    }
  }
}
