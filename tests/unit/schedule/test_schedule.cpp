/* Pipeline schedules: the orders themselves, and what comes of them when all stages run theirs. */
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "tests/support/attributes.hpp"
#include "tests/support/pipeline_walk.hpp"

using namespace stepsim;

namespace
{

const double tolerance_s = 1e-9;

/* The numbers of chunks that a schedule is tried with. */
std::vector<int64_t> chunks_of(const ss_schedule *schedule)
{
  if (schedule->chunks != SS_CHUNKS_GIVEN) return {schedule->chunks};
  return {1, 2, 3, 4};
}

/* Every schedule with 1 to 8 stages, 1 to 20 micro-batches, and up to 4 chunks where it has them. */
void for_each_shape(const std::function<void(const ss_pipeline_shape &)> &check)
{
  for (const ss_pipeline schedule : all_of<ss_pipeline>)
    for (int64_t stages = 1; stages <= 8; stages++)
      for (int64_t micro_batches = 1; micro_batches <= 20; micro_batches++)
        for (const int64_t chunks : chunks_of(ss_schedule_of(schedule))) {
          const ss_pipeline_shape shape = pipeline_shape(schedule, stages, micro_batches, chunks);
          if (chunks > 1 && !shape.schedule->takes(&shape)) continue;
          SCOPED_TRACE("schedule " + std::to_string(schedule) + ", P " + std::to_string(stages) + ", M " +
                       std::to_string(micro_batches) + ", v " + std::to_string(chunks));
          check(shape);
        }
}

bool is(const ss_pipeline_shape &shape, ss_pipeline schedule)
{
  return shape.schedule == ss_schedule_of(schedule);
}

/* Times of forward, of the input and of the weight gradients: equal, weight gradients shorter than forward (attention
 * has none), and longer. */
const PassTimes some_times[] = {{1.0, 1.0, 1.0}, {1.0, 1.2, 0.8}, {1.0, 1.2, 0.5}, {1.0, 0.9, 0.8},
                                {0.7, 1.9, 0.7}, {1.0, 0.8, 1.2}, {0.5, 1.5, 1.0}};

/* What the passes of a schedule take: backward is all of it, unless it is split. */
PassTimes times_of(const ss_schedule *schedule, PassTimes times)
{
  if (!schedule->splits_backward) times[SS_PASS_BACKWARD] += times[SS_PASS_WEIGHT];
  return times;
}

/* The bubble as schedule.h has it. */
double bubble_s(const ss_pipeline_shape &shape, const PassTimes &times)
{
  return (double)(shape.stages - 1) * ss_schedule_fill_s(&shape, times_of(shape.schedule, times).data());
}

double busy_s(const ss_pipeline_shape &shape, const PassTimes &times)
{
  return (double)shape.micro_batches * (times[SS_PASS_FORWARD] + times[SS_PASS_BACKWARD] + times[SS_PASS_WEIGHT]);
}

} /* namespace */

TEST(Order, GPipeIsForwardThenBackward)
{
  for (int64_t stage = 0; stage < 2; stage++)
    EXPECT_EQ(order_text(pipeline_shape(SS_PIPELINE_GPIPE, 2, 3, 1), stage), "F0 F1 F2 B0 B1 B2");
}

/* arXiv 2104.04473 figure 4, with 3 stages: P - stage - 1 forward passes, then in turn. */
TEST(Order, OneForwardOneBackward)
{
  const ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_1F1B, 3, 4, 1);
  EXPECT_EQ(order_text(shape, 0), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(order_text(shape, 1), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(order_text(shape, 2), "F0 B0 F1 B1 F2 B2 F3 B3");
  EXPECT_EQ(order_text(pipeline_shape(SS_PIPELINE_1F1B, 3, 2, 1), 0), "F0 F1 B0 B1");
}

/* arXiv 2211.05322, with 3 stages: 2 (P - stage - 1) + 1 = 5, 3 and 1 forward passes, then in turn. */
TEST(Order, EagerOneForwardOneBackward)
{
  const ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_EAGER_1F1B, 3, 6, 1);
  EXPECT_EQ(order_text(shape, 0), "F0 F1 F2 F3 F4 B0 F5 B1 B2 B3 B4 B5");
  EXPECT_EQ(order_text(shape, 1), "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  EXPECT_EQ(order_text(shape, 2), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
  EXPECT_EQ(order_text(pipeline_shape(SS_PIPELINE_EAGER_1F1B, 3, 4, 1), 0), "F0 F1 F2 F3 B0 B1 B2 B3");
}

/* Warm-up of 2 (P - stage - 1) + (v - 1) P = 4 and 2 passes; groups of P = 2 micro-batches, chunk after chunk. */
TEST(Order, InterleavedAsMegatronDoesIt)
{
  const ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_INTERLEAVED, 2, 4, 2);
  EXPECT_EQ(order_text(shape, 0), "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
  EXPECT_EQ(order_text(shape, 1), "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
}

TEST(Order, InterleavedRunsForwardFirstWithOneMicroBatchPerStage)
{
  EXPECT_EQ(order_text(pipeline_shape(SS_PIPELINE_INTERLEAVED, 2, 2, 2), 1), "F0.0 F1.0 F0.1 F1.1 B0.1 B1.1 B0.0 B1.0");
}

TEST(Order, InterleavedOfOneChunkIsOneForwardOneBackward)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    if (!is(shape, SS_PIPELINE_INTERLEAVED) || shape.chunks > 1) return;
    const ss_pipeline_shape plain = pipeline_shape(SS_PIPELINE_1F1B, shape.stages, shape.micro_batches, 1);
    for (int64_t stage = 0; stage < shape.stages; stage++)
      EXPECT_EQ(order_text(shape, stage), order_text(plain, stage));
  });
}

/* 3 micro-batches held at most: the first stage has them from the start, the others wait with their weight passes. */
TEST(Order, ZeroBubble1)
{
  const ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_1, 3, 5, 1);
  EXPECT_EQ(order_text(shape, 0), "F0 F1 F2 B0 W0 F3 B1 W1 F4 B2 W2 B3 W3 B4 W4");
  EXPECT_EQ(order_text(shape, 1), "F0 F1 B0 F2 B1 W0 F3 B2 W1 F4 B3 W2 B4 W3 W4");
  EXPECT_EQ(order_text(shape, 2), "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 F4 B4 W2 W3 W4");
}

/* The same with 3 stages and 5 micro-batches held. */
TEST(Order, ZeroBubble2)
{
  const ss_pipeline_shape shape = pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_2, 3, 6, 1);
  EXPECT_EQ(order_text(shape, 0), "F0 F1 F2 F3 F4 B0 W0 F5 B1 W1 B2 W2 B3 W3 B4 W4 B5 W5");
  EXPECT_EQ(order_text(shape, 1), "F0 F1 F2 B0 F3 B1 F4 B2 W0 F5 B3 W1 B4 W2 B5 W3 W4 W5");
  EXPECT_EQ(order_text(shape, 2), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 W0 F5 B5 W1 W2 W3 W4 W5");
}

TEST(Order, HasEveryPassOnce)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    const bool splits_backward = shape.schedule->splits_backward;
    for (int64_t stage = 0; stage < shape.stages; stage++) {
      std::set<std::tuple<ss_pass, int64_t, int64_t>> passes;
      for (const ss_work &work : pipeline_order(shape, stage)) {
        EXPECT_LT(work.pass, splits_backward ? SS_PASSES : SS_PASS_WEIGHT);
        EXPECT_TRUE(work.chunk >= 0 && work.chunk < shape.chunks);
        EXPECT_TRUE(work.micro_batch >= 0 && work.micro_batch < shape.micro_batches);
        passes.insert({work.pass, work.chunk, work.micro_batch});
      }
      const int64_t each = shape.micro_batches * shape.chunks / shape.schedule->layout->copies;
      EXPECT_EQ((int64_t)passes.size(), (splits_backward ? 3 : 2) * each);
    }
  });
}

TEST(Order, NeverDeadlocks)
{
  for_each_shape([](const ss_pipeline_shape &shape) { EXPECT_FALSE(PipelineWalk(shape, some_times[0]).deadlock); });
}

/* Counted along the order, what is held most is what is said, and `halves` are those beside the most of `whole`: one
 * more right after a backward pass. */
TEST(InFlight, IsWhatTheOrderHolds)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    const bool splits_backward = shape.schedule->splits_backward;
    for (int64_t stage = 0; stage < shape.stages; stage++) {
      int64_t whole = 0, halves = 0, most_whole = 0, most_halves = 0, most = 0;
      for (const ss_work &work : pipeline_order(shape, stage)) {
        whole += work.pass == SS_PASS_FORWARD ? 1 : work.pass == SS_PASS_BACKWARD ? -1 : 0;
        if (splits_backward) halves += work.pass == SS_PASS_BACKWARD ? 1 : work.pass == SS_PASS_WEIGHT ? -1 : 0;
        most_whole = std::max(most_whole, whole);
        most_halves = std::max(most_halves, halves);
        most = std::max(most, whole + halves);
      }
      const ss_in_flight said = ss_schedule_in_flight(&shape, stage);
      EXPECT_EQ(most_whole, said.whole);
      EXPECT_EQ(most, said.whole + said.halves);
      if (shape.schedule->order->by_depth) {
        EXPECT_EQ(most_halves, said.halves + (splits_backward ? 1 : 0));
      }
    }
  });
}

TEST(InFlight, IsAsPublished)
{
  const auto check = [](ss_pipeline_shape shape, int64_t stage, int64_t whole, int64_t halves) {
    const ss_in_flight said = ss_schedule_in_flight(&shape, stage);
    EXPECT_EQ(said.whole, whole);
    EXPECT_EQ(said.halves, halves);
  };
  check(pipeline_shape(SS_PIPELINE_GPIPE, 4, 9, 1), 1, 9, 0);
  check(pipeline_shape(SS_PIPELINE_1F1B, 4, 9, 1), 1, 3, 0);
  check(pipeline_shape(SS_PIPELINE_1F1B, 4, 2, 1), 1, 2, 0);
  check(pipeline_shape(SS_PIPELINE_EAGER_1F1B, 4, 9, 1), 1, 5, 0);
  check(pipeline_shape(SS_PIPELINE_EAGER_1F1B, 4, 4, 1), 1, 4, 0);
  check(pipeline_shape(SS_PIPELINE_INTERLEAVED, 4, 8, 3), 1, 2 * 2 + 2 * 4 + 1, 0);
  check(pipeline_shape(SS_PIPELINE_INTERLEAVED, 4, 4, 3), 3, 12, 0);
  check(pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_1, 4, 9, 1), 1, 3, 1);
  check(pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_2, 4, 9, 1), 1, 5, 2);
  check(pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_2, 4, 6, 1), 1, 5, 1);
  check(pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_2, 4, 4, 1), 1, 4, 0);
  check(pipeline_shape(SS_PIPELINE_V_MIN, 4, 9, 2), 1, 4, 0);
  check(pipeline_shape(SS_PIPELINE_V_HALF, 4, 9, 2), 1, 5, 2);
  check(pipeline_shape(SS_PIPELINE_V_ZB, 4, 9, 2), 1, 8, 0);
  check(pipeline_shape(SS_PIPELINE_DUALPIPE_V, 4, 9, 2), 1, 9, 0);
  check(pipeline_shape(SS_PIPELINE_DUALPIPE, 4, 8, 2), 1, 5, 0);
}

/* (M + P - 1) (tf + tb), and with chunks only (P - 1) / v of a bubble: whatever M and the times are. */
TEST(Bubble, IsExactWithoutSplitBackward)
{
  for (const PassTimes &times : some_times)
    for_each_shape([&times](const ss_pipeline_shape &shape) {
      if (shape.schedule->splits_backward) return;
      const PipelineWalk walk(shape, times_of(shape.schedule, times));
      EXPECT_NEAR(walk.iteration_s(), busy_s(shape, times) + bubble_s(shape, times), tolerance_s);
    });
}

/* Never more than of 1F1B, however few the micro-batches and whatever the times. But v-min and v-half repeat a turn
 * that is laid out for passes of equal length, and have no other micro-batches to do meanwhile: passes of other lengths
 * leave a wait in every turn, which adds up to more than any bubble as micro-batches go on. */
TEST(Bubble, ShrinksWithSplitBackward)
{
  for (const PassTimes &times : some_times)
    for_each_shape([&times](const ss_pipeline_shape &shape) {
      const bool is_tight = is(shape, SS_PIPELINE_V_MIN) || is(shape, SS_PIPELINE_V_HALF);
      if (!shape.schedule->splits_backward || (is_tight && times != some_times[0])) return;
      const ss_pipeline_shape plain = pipeline_shape(SS_PIPELINE_1F1B, shape.stages, shape.micro_batches, 1);
      EXPECT_LE(PipelineWalk(shape, times).iteration_s(), busy_s(plain, times) + bubble_s(plain, times) + tolerance_s);
    });
}

/* With M >= P the last finish comes (P - 1) max(f, b, f + b - w) after M (f + b + w): the last stage starts (P - 1) f
 * late, and the first one has nothing to do for (P - 1) b before its first backward pass. */
TEST(Bubble, OfZeroBubble1)
{
  for (const PassTimes &times : some_times)
    for_each_shape([&times](const ss_pipeline_shape &shape) {
      if (!is(shape, SS_PIPELINE_ZERO_BUBBLE_1) || shape.micro_batches < shape.stages) return;
      const double f = times[SS_PASS_FORWARD], b = times[SS_PASS_BACKWARD], w = times[SS_PASS_WEIGHT];
      const double waiting_s = PipelineWalk(shape, times).iteration_s() - busy_s(shape, times);
      EXPECT_NEAR(waiting_s, (double)(shape.stages - 1) * std::max({f, b, f + b - w}), tolerance_s);
    });
}

/* With M >= 2 P - 1 no stage takes longer than M (f + b + w) + (P - 1) max(0, b - f, f + b - 2 w) from its own start,
 * one f after the stage before: the first one has 2 P - 1 forward passes to fill the time until its first backward
 * pass, which comes after P f + (P - 1) b. */
TEST(Bubble, OfZeroBubble2)
{
  for (const PassTimes &times : some_times)
    for_each_shape([&times](const ss_pipeline_shape &shape) {
      if (!is(shape, SS_PIPELINE_ZERO_BUBBLE_2) || shape.micro_batches < 2 * shape.stages - 1) return;
      const double f = times[SS_PASS_FORWARD], b = times[SS_PASS_BACKWARD], w = times[SS_PASS_WEIGHT];
      const PipelineWalk walk(shape, times);
      const double waiting_s = walk.stage_s() - busy_s(shape, times);
      EXPECT_NEAR(waiting_s, (double)(shape.stages - 1) * std::max({0.0, b - f, f + b - 2.0 * w}), tolerance_s);
      for (int64_t stage = 0; stage < shape.stages; stage++)
        EXPECT_NEAR(walk.start_s[(size_t)stage], (double)stage * f, tolerance_s);
    });
}

/* Equal times: H1 keeps a third of the bubble of 1F1B, H2 nothing, on any stage. */
TEST(Bubble, OfEqualPasses)
{
  const PassTimes times = {1.0, 1.0, 1.0};
  EXPECT_NEAR(PipelineWalk(pipeline_shape(SS_PIPELINE_1F1B, 4, 10, 1), {1.0, 2.0, 0.0}).iteration_s(), 39.0,
              tolerance_s);
  EXPECT_NEAR(PipelineWalk(pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_1, 4, 10, 1), times).iteration_s(), 33.0,
              tolerance_s);
  const PipelineWalk walk(pipeline_shape(SS_PIPELINE_ZERO_BUBBLE_2, 4, 10, 1), times);
  for (size_t stage = 0; stage < 4; stage++) EXPECT_NEAR(walk.finish_s[stage] - walk.start_s[stage], 30.0, tolerance_s);
}

TEST(Shape, IsThatOfTheWorkload)
{
  ss_workload workload = {};
  workload.training.global_batch = 96;
  workload.training.micro_batch = 2;
  workload.parallelism.dp = 3;
  workload.parallelism.pp = 4;
  workload.parallelism.interleave = 5;
  workload.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  const ss_pipeline_shape shape = ss_pipeline_shape_of(&workload);
  EXPECT_TRUE(is(shape, SS_PIPELINE_INTERLEAVED));
  EXPECT_EQ(shape.stages, 4);
  EXPECT_EQ(shape.micro_batches, 16);
  EXPECT_EQ(shape.chunks, 5);
}
