/* Properties of pipelines with any number of layers in each virtual stage, on random ones. */
#include "tests/support/alike.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/random_jobs.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 20;
#else
constexpr int kCases = 300;
#endif

/* A workload with a pipeline that is laid out by chance. */
ss_workload random_laid_out(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.parallelism.pp = pick(random, {2, 4, 8}); /* stages that lie alike in domains */
    if (ss_schedule_of(w.schedule.pipeline)->chunks == SS_CHUNKS_GIVEN)
      w.parallelism.interleave = pick(random, {1, 2, 3});
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 3, 8, 24});
    if (w.parallelism.interleave > 1 && coin(random))
      w.schedule.interleave_group = w.parallelism.pp + static_cast<int64_t>(random() % 6);
    w.parallelism.account_for_embedding = w.parallelism.account_for_loss = SS_NO;
    w.model.dense_layers = 0;
    const ss_pipeline_shape shape = ss_pipeline_shape_of(&w);
    const std::string layout = random_layout(random, ss_shape_parts(&shape), w.model.mtp_modules, &w.model.layers);
    set_layout(w, layout);
    w.placement.segment = SS_DERIVED; /* that was of another number of GPUs */
    w = with_segment(random, w);
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

} /* namespace */

/* Where stages have no pace in common, the closed form walks through all of them: that is the replay where nobody
 * shares links and groups lie alike. Memory adds up, and the fullest stage is one of them. */
TEST(RandomLayouts, ClosedFormIsTheReplay)
{
  std::mt19937 random(31 + seed);
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_laid_out(random);
    SCOPED_TRACE(testing::Message() << "case " << i << " " << workload.parallelism.layout);
    const Job job(workload, random_machine(random),
                  pick(random, {SS_COST_CALIBRATED, SS_COST_CALIBRATED, SS_COST_SC24}), own_links());
    ss_replay_options options = {};
    options.private_links = true;
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = job.replay(options).breakdown;
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
    const ss_memory fullest = ss_estimate_memory(job.get());
    for (int64_t stage = 0; stage < job->stages; ++stage)
      EXPECT_LE(ss_estimate_stage_memory(job.get(), stage).total_bytes, fullest.total_bytes);
    const bool in_turns = ss_shape_group(&job->shape) == job->stages;
    if ((!job->uneven && in_turns) || job->options.cost != SS_COST_CALIBRATED || !groups_lie_alike(job)) continue;
    expect_close(closed.iteration_s, replay.iteration_s, 1e-9);
  }
}
