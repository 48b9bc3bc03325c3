/* Interleaved chunks that take turns after N micro-batches: order, what is held, and which N there are. */
#include <string>
#include <vector>

#include "tests/support/layouts.hpp"
#include "tests/support/pipeline_walk.hpp"

using namespace stepsim;

namespace
{

ss_pipeline_shape grouped_shape(int64_t stages, int64_t micro_batches, int64_t chunks, int64_t group)
{
  ss_pipeline_shape shape = {};
  shape.schedule = ss_schedule_of(SS_PIPELINE_INTERLEAVED);
  shape.stages = stages;
  shape.micro_batches = micro_batches;
  shape.chunks = chunks;
  shape.group = group;
  return shape;
}

/* What a stage holds at most when a micro-batch in chunk c weighs `weight[c]`, pass by pass. */
int64_t most_held(const ss_pipeline_shape &shape, int64_t stage, const std::vector<int64_t> &weight)
{
  int64_t held = 0, most = 0;
  for (const ss_work &work : pipeline_order(shape, stage)) {
    held += (work.pass == SS_PASS_FORWARD ? 1 : -1) * weight[static_cast<size_t>(work.chunk)];
    most = std::max(most, held);
  }
  return most;
}

int64_t most_at_moments(const ss_pipeline_shape &shape, int64_t stage, const std::vector<int64_t> &weight)
{
  int64_t most = 0;
  ss_moments moments = ss_schedule_moments(&shape, stage);
  for (ss_moment moment; ss_schedule_moment(&shape, &moments, &moment);) {
    int64_t held = 0;
    for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
      held += ss_schedule_held(&shape, &moment, chunk).whole * weight[static_cast<size_t>(chunk)];
    most = std::max(most, held);
  }
  return most;
}

template <typename F> void for_each_group(F test)
{
  for (int64_t stages : {2, 3, 4})
    for (int64_t chunks : {2, 3})
      for (int64_t micro_batches = stages; micro_batches <= 6 * stages; ++micro_batches)
        for (int64_t group = stages; group <= micro_batches; ++group) {
          const ss_pipeline_shape shape = grouped_shape(stages, micro_batches, chunks, group);
          if (shape.schedule->takes(&shape)) test(shape);
        }
}

} /* namespace */

/* get_schedule_table and get_pp_rank_microbatches of Megatron-LM: warm-up of 2 (P - stage - 1) + (v - 1) N = 5 and 3
 * passes, and one with the first backward pass; groups of 3 micro-batches, chunk after chunk. */
TEST(InterleaveGroup, OrderAsMegatronDoesIt)
{
  const ss_pipeline_shape shape = grouped_shape(2, 6, 2, 3);
  EXPECT_EQ(order_text(shape, 0), "F0.0 F1.0 F2.0 F0.1 F1.1 F2.1 B0.1 F3.0 B1.1 F4.0 B2.1 F5.0 "
                                  "B0.0 F3.1 B1.0 F4.1 B2.0 F5.1 B3.1 B4.1 B5.1 B3.0 B4.0 B5.0");
  EXPECT_EQ(order_text(shape, 1), "F0.0 F1.0 F2.0 F0.1 B0.1 F1.1 B1.1 F2.1 B2.1 F3.0 B0.0 F4.0 "
                                  "B1.0 F5.0 B2.0 F3.1 B3.1 F4.1 B4.1 F5.1 B5.1 B3.0 B4.0 B5.0");
}

/* The last group has the two that are left. */
TEST(InterleaveGroup, TheLastGroupIsSmaller)
{
  EXPECT_EQ(order_text(grouped_shape(2, 5, 2, 3), 0),
            "F0.0 F1.0 F2.0 F0.1 F1.1 F2.1 B0.1 F3.0 B1.1 F4.0 B2.1 F3.1 B0.0 F4.1 B1.0 B2.0 B3.1 B4.1 B3.0 B4.0");
}

TEST(InterleaveGroup, OneForEachStageIsTheDefault)
{
  for (int64_t stage = 0; stage < 4; ++stage)
    EXPECT_EQ(order_text(grouped_shape(4, 8, 2, 4), stage), order_text(grouped_shape(4, 8, 2, 0), stage));
}

/* Groups of P or more, the last one too. */
TEST(InterleaveGroup, HasAMicroBatchForEachStage)
{
  const auto takes = [](int64_t micro_batches, int64_t group) {
    const ss_pipeline_shape shape = grouped_shape(4, micro_batches, 2, group);
    return shape.schedule->takes(&shape);
  };
  EXPECT_TRUE(takes(8, 4) && takes(8, 8) && takes(10, 6) && takes(10, 5));
  EXPECT_FALSE(takes(8, 3) || takes(8, 9) || takes(10, 4) || takes(10, 7));
}

/* Nobody waits for somebody who waits, and what is held at the moments is the most that is ever held, whatever the
 * chunks weigh. */
TEST(InterleaveGroup, HoldsWhatTheMomentsSay)
{
  for_each_group([](const ss_pipeline_shape &shape) {
    SCOPED_TRACE(testing::Message() << shape.stages << " " << shape.micro_batches << " " << shape.chunks << " "
                                    << shape.group);
    ASSERT_FALSE(PipelineWalk(shape, {1.0, 2.0, 0.0}).deadlock);
    for (int64_t stage = 0; stage < shape.stages; ++stage)
      for (const std::vector<int64_t> &weight : std::vector<std::vector<int64_t>>{{1, 1, 1}, {3, 1, 0}, {0, 1, 5}})
        EXPECT_EQ(most_at_moments(shape, stage, weight), most_held(shape, stage, weight));
  });
}

/* 2 (P - stage - 1) + (v - 1) N + 1 micro-batches in chunks: 6 + 16 + 1 on the first of 4 stages with 3 chunks. */
TEST(InterleaveGroup, HoldsMoreInLargerGroups)
{
  ss_workload workload = make_pipeline(12, 4, 3);
  workload.training.global_batch = 16;
  workload.schedule.interleave_group = 8;
  const Job job(workload, make_machine({}), SS_COST_SC24);
  const ss_memory memory = ss_estimate_stage_memory(job.get(), 0);
  EXPECT_DOUBLE_EQ(memory.activations_bytes - memory.recompute_bytes, 23 * job->block[SS_BLOCK_LAYER].stored_bytes);
}
