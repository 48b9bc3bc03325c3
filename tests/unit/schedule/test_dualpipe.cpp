/* DualPipe (arXiv 2412.19437, section 3.2.1 and table 2): two copies of the model, fed from both ends of the pipeline.
 */
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/support/pipeline_walk.hpp"

using namespace stepsim;

namespace
{

const double tolerance_s = 1e-9;

ss_pipeline_shape shape_of(int64_t stages, int64_t micro_batches, bool pairs)
{
  ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_DUALPIPE, stages, micro_batches, 2);
  shape.pairs = pairs;
  return shape;
}

/* 2 to 16 stages, with at least two micro-batches for each. */
void for_each_size(const std::function<void(int64_t, int64_t)> &check)
{
  for (int64_t stages = 2; stages <= 16; stages += 2)
    for (int64_t micro_batches = 2 * stages; micro_batches <= 3 * stages + 2; micro_batches += 2) {
      SCOPED_TRACE("P " + std::to_string(stages) + ", M " + std::to_string(micro_batches));
      check(stages, micro_batches);
    }
}

} /* namespace */

/* The eight steps of dualpipe/dualpipe.py, with P = 4 and four micro-batches each way. Stage 0, half_rank 0: 2 F0; F0
 * F1; B1 W1 F1; F0 B1, F1 B0; B1, F1 B0; B1, B0 without its weights; W B0 without; W. Stage 1, half_rank 1: no steps 1,
 * 3, 5 and 7; two of steps 2, 4 and 6, the second of which leaves both weights to step 8. */
TEST(DualPipe, HasThePublishedSteps)
{
  const ss_pipeline_shape shape = shape_of(4, 8, false);
  const std::string outer = "F0.0 F1.0 F2.0 F0.1 B0.1 W0.1 F1.1 F3.0 B1.1 W1.1 F2.1 B0.0 W0.0 "
                            "B2.1 W2.1 F3.1 B1.0 W1.0 B3.1 W3.1 B2.0 W2.0 B3.0 W3.0",
                    inner = "F0.0 F0.1 F1.0 F1.1 F2.0 B0.1 W0.1 F2.1 B0.0 W0.0 F3.0 B1.1 W1.1 F3.1 B1.0 W1.0 "
                            "B2.1 W2.1 B2.0 W2.0 B3.1 B3.0 W3.1 W3.0";
  EXPECT_EQ(order_text(shape, 0), outer);
  EXPECT_EQ(order_text(shape, 3), outer);
  EXPECT_EQ(order_text(shape, 1), inner);
  EXPECT_EQ(order_text(shape, 2), inner);
}

/* Step 4 twice for each of M / 2 - P + own micro-batches, but for the first of a middle stage, whose passes follow one
 * another; step 5 once for each stage up to the middle. */
TEST(DualPipe, PairsItsPasses)
{
  for_each_size([](int64_t stages, int64_t micro_batches) {
    const ss_pipeline_shape shape = shape_of(stages, micro_batches, true);
    for (int64_t stage = 0; stage < stages; stage++) {
      const std::vector<ss_work> order = pipeline_order(shape, stage);
      const int64_t own = std::min(stage, stages - 1 - stage) + 1, after = stages / 2 - own;
      int64_t pairs = 0;
      for (size_t i = 0; i < order.size(); i++) {
        if (!order[i].paired) continue;
        ++pairs;
        EXPECT_TRUE(order[i].pass == SS_PASS_BACKWARD && order[i].whole);
        EXPECT_TRUE(order[i + 1].pass == SS_PASS_FORWARD && order[i + 1].chunk == 1 - order[i].chunk);
      }
      EXPECT_EQ(pairs, 2 * (micro_batches / 2 - stages + own) + after - (after == 0 ? 1 : 0));
    }
  });
}

/* (P / 2 - 1) (F&B + B - 3 W), with B = b + w all of backward and F&B = f + b + w less what is hidden, on the middle
 * stages, which hide most; f = b. By hand, P = 4, M = 8 and f = b = w = 1, which is 2: stage 1 starts at 1, when stage
 * 0 has sent, and has 20 seconds of work until 21; its next pass waits for the last gradients of the other copy, from
 * stage 0. That is done with three F0 and F1 at 4, with B1 W1 F1 at 7 and F0&B1 at 10, waits a second for gradients of
 * stage 1, is done with F1&B0 and B1 at 16, waits again, and is done with F1&B0 and its last B1 at 22. */
TEST(DualPipe, BubbleIsAsPublished)
{
  for (const double w : {1.0, 0.5})
    for (const double hidden_s : {0.0, 0.3})
      for_each_size([&](int64_t stages, int64_t micro_batches) {
        const PipelineWalk walk(shape_of(stages, micro_batches, true), {1.0, 1.0, w}, hidden_s);
        EXPECT_FALSE(walk.deadlock);
        const double whole = 1.0 + w, pair = 1.0 + whole - hidden_s, half = (double)stages / 2;
        for (const int64_t middle : {stages / 2 - 1, stages / 2})
          EXPECT_NEAR(walk.iteration_s() - walk.busy_s[(size_t)middle], (half - 1.0) * (pair + whole - 3.0 * w),
                      tolerance_s);
      });
}

/* Activations of P + 1 micro-batches in a part each, reached by every stage; 1F1B has P on its first one. */
TEST(DualPipe, HoldsOneMoreThanStages)
{
  for_each_size([](int64_t stages, int64_t micro_batches) {
    for (const bool pairs : {false, true})
      for (int64_t stage = 0; stage < stages; stage++) {
        const ss_pipeline_shape shape = shape_of(stages, micro_batches, pairs);
        const ss_in_flight held = ss_schedule_in_flight(&shape, stage);
        EXPECT_EQ(held.whole + held.halves, stages + 1);
      }
  });
}

TEST(DualPipe, TakesEvenNumbers)
{
  const auto takes = [](int64_t stages, int64_t micro_batches) {
    const ss_pipeline_shape shape = shape_of(stages, micro_batches, false);
    return shape.schedule->takes(&shape);
  };
  EXPECT_TRUE(takes(4, 8) && takes(4, 10) && takes(2, 4));
  EXPECT_FALSE(takes(4, 6) || takes(4, 9) || takes(3, 6) || takes(5, 12));
}
