/* Schedules in a V (arXiv 2405.15362, section 3): two chunks per stage, down the stages and back up. */
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/support/pipeline_walk.hpp"

using namespace stepsim;

namespace
{

const double tolerance_s = 1e-9;

/* Passes of a chunk that take a second each: those of a stage take two. */
const PassTimes equal = {2.0, 2.0, 2.0};

ss_pipeline_shape v_shape(ss_pipeline schedule, int64_t stages, int64_t micro_batches)
{
  return pipeline_shape(schedule, stages, micro_batches, 2);
}

/* 2 to 12 stages, with at least two micro-batches for each. */
void for_each_size(const std::function<void(int64_t, int64_t)> &check)
{
  for (int64_t stages = 2; stages <= 12; stages++)
    for (int64_t micro_batches = 2 * stages; micro_batches <= 3 * stages + 1; micro_batches++) {
      SCOPED_TRACE("P " + std::to_string(stages) + ", M " + std::to_string(micro_batches));
      check(stages, micro_batches);
    }
}

/* Seconds beside the 6 M of the passes. */
double bubble_s(ss_pipeline schedule, int64_t stages, int64_t micro_batches)
{
  return PipelineWalk(v_shape(schedule, stages, micro_batches), equal).iteration_s() - 6.0 * (double)micro_batches;
}

/* The most chunks that any stage holds. */
int64_t most_held(ss_pipeline schedule, int64_t stages, int64_t micro_batches)
{
  int64_t most = 0;
  for (int64_t stage = 0; stage < stages; stage++) {
    const ss_pipeline_shape shape = v_shape(schedule, stages, micro_batches);
    const ss_in_flight held = ss_schedule_in_flight(&shape, stage);
    most = std::max(most, held.whole + held.halves);
  }
  return most;
}

} /* namespace */

/* Two stages, every pass a slot: forward of micro-batch 0 at 0 and 1, and back at 2 and 3; backward down at 4 and 5,
 * and back at 6 and 7; the next micro-batch 6 slots later. Stage 0 has F.0 at 0 and F.1 at 3, B.1 at 4 and B.0 at 7,
 * that is 1 of the next block, so that W.1 comes at 5 and W.0 at 8, that is 2. Stage 1 has F.0 at 1, F.1 at 2, B.1 at
 * 5, B.0 at 6, that is 0, W.1 at 9, that is 3, and W.0 at 10, that is 4. */
TEST(VOrder, MinOfTwoStages)
{
  const ss_pipeline_shape shape = v_shape(SS_PIPELINE_V_MIN, 2, 2);
  EXPECT_EQ(order_text(shape, 0), "F0.0 F0.1 B0.1 W0.1 F1.0 B0.0 W0.0 F1.1 B1.1 W1.1 B1.0 W1.0");
  EXPECT_EQ(order_text(shape, 1), "F0.0 F0.1 B0.1 B0.0 F1.0 F1.1 W0.1 W0.0 B1.1 B1.0 W1.1 W1.0");
}

/* Stage 0 of 2 has 2 forward passes of chunk 0 until the first comes back, and holds 4 from then on. */
TEST(VOrder, ZeroBubbleOfTwoStages)
{
  const ss_pipeline_shape shape = v_shape(SS_PIPELINE_V_ZB, 2, 4);
  EXPECT_EQ(order_text(shape, 0), "F0.0 F1.0 F2.0 F0.1 B0.1 W0.1 F1.1 B1.1 W1.1 F3.0 B0.0 W0.0 F2.1 "
                                  "B2.1 W2.1 B1.0 W1.0 F3.1 B3.1 W3.1 B2.0 W2.0 B3.0 W3.0");
}

/* The last pass of the last micro-batch is weight gradients of chunk 0 on stage 0: its backward is 4 (P - 1) slots of
 * the ways down and up and 3 turns behind the first pass, so that 4 P - 5 of all slots are waits: 2/3 of the 6 (P - 1)
 * of 1F1B. Where 3 divides P, two of the turns take two slots more, and the weight gradients come first in one place.
 */
TEST(VBubble, OfMinIsTwoThirds)
{
  for_each_size([](int64_t stages, int64_t micro_batches) {
    const double expected_s = 4.0 * (double)stages - (stages % 3 == 0 ? 4.0 : 5.0);
    EXPECT_NEAR(bubble_s(SS_PIPELINE_V_MIN, stages, micro_batches), expected_s, tolerance_s);
    EXPECT_LE(expected_s, 2.0 / 3.0 * 6.0 * (double)(stages - 1));
  });
}

TEST(VBubble, OfHalfIsHalf)
{
  for_each_size([](int64_t stages, int64_t micro_batches) {
    const double expected_s = 3.0 * (double)(stages - 1) - (stages % 2 == 0 ? 1.0 : 0.0);
    EXPECT_NEAR(bubble_s(SS_PIPELINE_V_HALF, stages, micro_batches), expected_s, tolerance_s);
  });
}

/* The last stage starts P - 1 slots late, and then nobody waits any longer than that. */
TEST(VBubble, OfZeroBubbleIsTheWayToTheLastStage)
{
  for_each_size([](int64_t stages, int64_t micro_batches) {
    EXPECT_NEAR(bubble_s(SS_PIPELINE_V_ZB, stages, micro_batches), (double)(stages - 1), tolerance_s);
  });
}

/* The table in the README of github.com/deepseek-ai/DualPipe, with 2 P parts on P devices: (2 P / 2 - 1) (F&B + B - 3
 * W). F&B is F + B less what is hidden, and B has its weight gradients: f + 2 b - w where nothing is, as long as these
 * are no longer than forward; b = f. That is the bubble of the last stage, which hides most. */
TEST(VBubble, OfDualPipeVIsAsPublished)
{
  for (const double w : {1.0, 0.5})
    for (const double hidden_s : {0.0, 0.3})
      for_each_size([&](int64_t stages, int64_t micro_batches) {
        ss_pipeline_shape shape = v_shape(SS_PIPELINE_DUALPIPE_V, stages, micro_batches);
        shape.pairs = true;
        const double whole = 1.0 + w, pair = 1.0 + whole - hidden_s;
        const PipelineWalk walk(shape, {2.0, 2.0, 2.0 * w}, hidden_s);
        EXPECT_FALSE(walk.deadlock);
        const double bubble_s = (double)(stages - 1) * (pair + whole - 3.0 * w);
        EXPECT_NEAR(walk.iteration_s() - walk.busy_s.back(), bubble_s, tolerance_s);
      });
}

/* Longer backward passes: no more than that. */
TEST(VBubble, OfDualPipeVIsNoMoreThanPublished)
{
  const double f = 1.0, b = 1.4, w = 0.9;
  for_each_size([&](int64_t stages, int64_t micro_batches) {
    ss_pipeline_shape shape = v_shape(SS_PIPELINE_DUALPIPE_V, stages, micro_batches);
    shape.pairs = true;
    const PipelineWalk walk(shape, {2.0 * f, 2.0 * b, 2.0 * w});
    EXPECT_LE(walk.iteration_s() - walk.busy_s.back(), (double)(stages - 1) * (f + 2.0 * b - w) + tolerance_s);
  });
}

/* Pairs of backward through one chunk and forward through the other; every pass once; 2 P + 1 chunks held, "PP + 1" of
 * the same table, as forward begins before backward of its pair lets go. */
TEST(VOrder, DualPipeVPairsItsPasses)
{
  for_each_size([&](int64_t stages, int64_t micro_batches) {
    ss_pipeline_shape shape = v_shape(SS_PIPELINE_DUALPIPE_V, stages, micro_batches);
    shape.pairs = true;
    int64_t pairs = 0;
    for (int64_t stage = 0; stage < stages; stage++) {
      const std::vector<ss_work> order = pipeline_order(shape, stage);
      for (size_t i = 0; i < order.size(); i++) {
        if (!order[i].paired) continue;
        ++pairs;
        EXPECT_EQ(order[i].pass, SS_PASS_BACKWARD);
        EXPECT_EQ(order[i + 1].pass, SS_PASS_FORWARD);
        EXPECT_EQ(order[i + 1].chunk, 1 - order[i].chunk);
        EXPECT_EQ(order[i + 2].pass, SS_PASS_WEIGHT);
      }
      const ss_in_flight held = ss_schedule_in_flight(&shape, stage);
      EXPECT_LE(held.whole + held.halves, 2 * stages + 1);
    }
    /* two for each of M - 2 P + own micro-batches, and one for each stage after it: own and those after add up to P
     * (P + 1) / 2 and P (P - 1) / 2; less the first of the last stage, whose passes follow one another */
    EXPECT_EQ(pairs, 2 * stages * (micro_batches - 2 * stages) + stages * (stages + 1) + stages * (stages - 1) / 2 - 1);
  });
}

/* 1F1B holds P micro-batches on its first stage, which are 2 P chunks. A block of V-Min is 4 (P - 1) slots long, of 6
 * for each micro-batch: 2 P / 3 chunks and up to 2 more; one of V-Half 6 P. */
TEST(VMemory, IsAThirdAHalfAndAllOf1F1B)
{
  for_each_size([](int64_t stages, int64_t micro_batches) {
    EXPECT_EQ(most_held(SS_PIPELINE_V_MIN, stages, micro_batches), 2 * ((stages + 1) / 3 + 1));
    EXPECT_EQ(most_held(SS_PIPELINE_V_HALF, stages, micro_batches), stages + 3);
    EXPECT_EQ(most_held(SS_PIPELINE_V_ZB, stages, micro_batches), 2 * stages);
    EXPECT_EQ(most_held(SS_PIPELINE_DUALPIPE_V, stages, micro_batches), 2 * stages + 1);
  });
}
