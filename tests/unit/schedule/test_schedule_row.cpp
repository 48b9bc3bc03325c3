/* What a row of schedules can say: layouts of the model over stages, private ones among them - a V and two copies of
 * the model from both ends - and orders of its own. */
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/pipeline_walk.hpp"

extern "C" {
#include "model/estimate/peaks.h"
#include "model/plan/layout.h"
#include "model/schedule/parts.h"
#include "model/schedule/plain.h"
}

using namespace stepsim;

namespace
{

/* All forward passes in the order of `chunk_of_turn`, then all backward passes, the chunks the other way round. */
bool take_one(ss_order *order, ss_turns *turns, int64_t chunk, int64_t micro_batch)
{
  const ss_pass pass =
      order->count[SS_PASS_FORWARD] < ss_shape_passes(&order->shape) ? SS_PASS_FORWARD : SS_PASS_BACKWARD;
  turns->count = turns->passes = 1;
  turns->work[0] = {pass, pass == SS_PASS_FORWARD ? chunk : 1 - chunk, micro_batch, false, false};
  order->count[pass]++;
  return true;
}

/* The next pass of either kind, counted from 0; -1 when all are done. */
int64_t next_pass(const ss_order *order)
{
  const int64_t passes = ss_shape_passes(&order->shape);
  if (order->count[SS_PASS_FORWARD] < passes) return order->count[SS_PASS_FORWARD];
  return order->count[SS_PASS_BACKWARD] < passes ? order->count[SS_PASS_BACKWARD] : -1;
}

/* Chunk by chunk. */
bool next_in_v(ss_order *order, ss_turns *turns)
{
  const int64_t pass = next_pass(order), micro_batches = order->shape.micro_batches;
  return pass >= 0 && take_one(order, turns, pass / micro_batches, pass % micro_batches);
}

/* A micro-batch of each copy in turn. */
bool next_of_two(ss_order *order, ss_turns *turns)
{
  const int64_t pass = next_pass(order);
  return pass >= 0 && take_one(order, turns, pass % 2, pass / 2);
}

int64_t no_rounds(const ss_pipeline_shape *)
{
  return 0;
}

ss_moments one_moment(const ss_pipeline_shape *, int64_t stage)
{
  ss_moments moments = {};
  moments.stage = stage;
  return moments;
}

bool all_held(const ss_pipeline_shape *, ss_moments *moments, ss_moment *moment)
{
  *moment = {};
  return moments->index++ == 0;
}

ss_in_flight held_all(const ss_pipeline_shape *shape, const ss_moment *, int64_t)
{
  return {ss_shape_passes(shape) / shape->chunks, 0};
}

const ss_order_methods v_order = {next_in_v, no_rounds, one_moment, all_held, held_all, true};
const ss_order_methods two_order = {next_of_two, no_rounds, one_moment, all_held, held_all, true};

ss_in_flight depth_of_all(const ss_pipeline_shape *shape, int64_t)
{
  return {ss_shape_passes(shape), 0};
}

bool takes_even(const ss_pipeline_shape *shape)
{
  return shape->micro_batches % 2 == 0;
}

ss_schedule row_of(const ss_part_layout *layout, const ss_order_methods *order)
{
  ss_schedule row = {};
  row.layout = layout;
  row.chunks = 2;
  row.order = order;
  row.needs_stages = true;
  row.takes = takes_even;
  row.depth = depth_of_all;
  row.fill_s = ss_plain_fill_s;
  row.wait_s = ss_plain_wait_s;
  return row;
}

const ss_schedule in_v = row_of(&ss_parts_v, &v_order), in_two = row_of(&ss_parts_both_ways, &two_order);

/* All schedules that there are, and the private ones. */
std::vector<const ss_schedule *> all_rows()
{
  std::vector<const ss_schedule *> rows = {&in_v, &in_two};
  for (const ss_pipeline schedule : all_of<ss_pipeline>) rows.push_back(ss_schedule_of(schedule));
  return rows;
}

void for_each_shape(const std::function<void(const ss_pipeline_shape &)> &check)
{
  const std::vector<const ss_schedule *> rows = all_rows();
  for (size_t row = 0; row < rows.size(); row++)
    for (int64_t stages = 1; stages <= 8; stages++)
      for (int64_t chunks = 1; chunks <= (rows[row]->chunks == SS_CHUNKS_GIVEN ? 4 : 1); chunks++) {
        SCOPED_TRACE("row " + std::to_string(row) + ", P " + std::to_string(stages) + ", v " + std::to_string(chunks));
        const ss_pipeline_shape shape = {
            rows[row], stages, 2 * stages, rows[row]->chunks == SS_CHUNKS_GIVEN ? chunks : rows[row]->chunks, 0, false};
        if (shape.chunks == 1 || rows[row]->takes(&shape)) check(shape);
      }
}

bool is_same(ss_chunk a, ss_chunk b)
{
  return a.stage == b.stage && a.index == b.index;
}

} /* namespace */

TEST(Row, HasEveryMethod)
{
  for (const ss_schedule *row : all_rows()) {
    ASSERT_TRUE(row != nullptr && row->layout != nullptr && row->order != nullptr);
    EXPECT_TRUE(row->layout->copies > 0 && row->layout->part_of != nullptr && row->layout->chunk_of != nullptr);
    EXPECT_TRUE(row->order->next != nullptr && row->order->round != nullptr);
    EXPECT_TRUE(row->order->moments != nullptr && row->order->held != nullptr);
    EXPECT_TRUE(row->takes != nullptr && row->depth != nullptr);
    EXPECT_TRUE(row->walks || (row->fill_s != nullptr && row->wait_s != nullptr));
  }
}

/* Every part of every copy is one chunk, and that chunk is the part. */
TEST(Row, PartAndChunkAreInverse)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    const int64_t copies = shape.schedule->layout->copies, parts = ss_shape_parts(&shape);
    EXPECT_EQ(copies * parts, shape.stages * shape.chunks);
    for (int64_t stage = 0; stage < shape.stages; stage++)
      for (int64_t index = 0; index < shape.chunks; index++) {
        const ss_model_part part = ss_schedule_part(&shape, {stage, index});
        EXPECT_TRUE(part.copy >= 0 && part.copy < copies && part.index >= 0 && part.index < parts);
        EXPECT_TRUE(is_same(ss_schedule_chunk(&shape, part), {stage, index}));
      }
  });
}

/* Stages that hold copies of the same weights hold them chunk by chunk. */
TEST(Row, HoldersHaveTheSameChunks)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    const int64_t copies = shape.schedule->layout->copies;
    if (shape.stages % copies != 0) return;
    for (int64_t stage = 0; stage < shape.stages; stage++) {
      std::set<int64_t> holders;
      for (int64_t copy = 0; copy < copies; copy++) {
        const int64_t holder = ss_schedule_holder(&shape, stage, copy);
        holders.insert(holder);
        EXPECT_EQ(ss_schedule_holder(&shape, holder, copy), holder);
        for (int64_t index = 0; index < shape.chunks; index++)
          EXPECT_EQ(ss_schedule_part(&shape, {holder, index}).index, ss_schedule_part(&shape, {stage, index}).index);
      }
      EXPECT_EQ((int64_t)holders.size(), copies);
      EXPECT_EQ(holders.count(stage), 1U);
    }
  });
}

/* Activations go to the next part of the same copy, gradients to the one before; whoever receives knows the sender. */
TEST(Row, ReceiverIsTheNextPart)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    for (int64_t stage = 0; stage < shape.stages; stage++)
      for (int64_t index = 0; index < shape.chunks; index++)
        for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
          const ss_chunk chunk = {stage, index};
          const ss_model_part part = ss_schedule_part(&shape, chunk);
          const int64_t end = pass == SS_PASS_FORWARD ? ss_shape_parts(&shape) - 1 : 0;
          ss_chunk receiver = {-1, -1}, sender = {-1, -1};
          const bool sends = ss_schedule_receiver(&shape, chunk, pass, &receiver);
          ASSERT_EQ(sends, part.index != end);
          if (!sends) continue;
          const ss_model_part next = ss_schedule_part(&shape, receiver);
          EXPECT_EQ(next.copy, part.copy);
          EXPECT_EQ(next.index, part.index + (pass == SS_PASS_FORWARD ? 1 : -1));
          EXPECT_TRUE(ss_schedule_sender(&shape, receiver, pass, &sender) && is_same(sender, chunk));
        }
  });
}

TEST(Row, WeightPassesSendNothing)
{
  const ss_pipeline_shape shape = {&in_v, 4, 8, 2, 0, false};
  ss_chunk other = {-1, -1};
  EXPECT_FALSE(ss_schedule_receiver(&shape, {1, 0}, SS_PASS_WEIGHT, &other));
  EXPECT_FALSE(ss_schedule_sender(&shape, {1, 0}, SS_PASS_WEIGHT, &other));
}

/* The V begins and ends on the first stage, and turns on the last: that message stays there. */
TEST(Row, VTurnsOnTheLastStage)
{
  const ss_pipeline_shape shape = {&in_v, 4, 8, 2, 0, false};
  ss_chunk other = {-1, -1};
  EXPECT_EQ(ss_schedule_chunk(&shape, {0, 0}).stage, 0);
  EXPECT_EQ(ss_schedule_chunk(&shape, {0, 7}).stage, 0);
  EXPECT_TRUE(ss_schedule_receiver(&shape, {3, 0}, SS_PASS_FORWARD, &other) && is_same(other, {3, 1}));
  EXPECT_TRUE(ss_schedule_receiver(&shape, {3, 1}, SS_PASS_FORWARD, &other) && is_same(other, {2, 1}));
  EXPECT_TRUE(ss_schedule_receiver(&shape, {3, 1}, SS_PASS_BACKWARD, &other) && is_same(other, {3, 0}));
}

/* Every pass once; nobody waits for somebody who waits. M forward and backward passes of each chunk in the V; half as
 * many where each copy has half of the micro-batches. */
TEST(Row, OrdersOfItsOwn)
{
  for (const ss_schedule *row : {&in_v, &in_two})
    for (int64_t stages = 2; stages <= 6; stages++) {
      const ss_pipeline_shape shape = {row, stages, 8, 2, 0, false};
      const int64_t passes = 8 * 2 / row->layout->copies;
      EXPECT_EQ(ss_schedule_length(&shape), 2 * passes);
      EXPECT_FALSE(PipelineWalk(shape, {1.0, 2.0, 0.0}).deadlock);
      for (int64_t stage = 0; stage < stages; stage++) {
        std::set<std::tuple<ss_pass, int64_t, int64_t>> seen;
        for (const ss_work &work : pipeline_order(shape, stage)) seen.insert({work.pass, work.chunk, work.micro_batch});
        EXPECT_EQ((int64_t)seen.size(), 2 * passes);
        EXPECT_EQ(ss_schedule_in_flight(&shape, stage).whole, passes);
      }
    }
}

/* What all chunks of a stage hold at the moments is what it holds at most: by depth at all of them, else at one. */
TEST(Row, MomentsHoldWhatIsInFlight)
{
  for_each_shape([](const ss_pipeline_shape &shape) {
    for (int64_t stage = 0; stage < shape.stages; stage++) {
      const ss_in_flight most = ss_schedule_in_flight(&shape, stage);
      ss_moments moments = ss_schedule_moments(&shape, stage);
      ss_in_flight reached = {0, 0};
      for (ss_moment moment; ss_schedule_moment(&shape, &moments, &moment);) {
        ss_in_flight all = {0, 0};
        for (int64_t index = 0; index < shape.chunks; index++) {
          const ss_in_flight held = ss_schedule_held(&shape, &moment, index);
          EXPECT_TRUE(held.whole >= 0 && held.halves >= 0);
          all = {all.whole + held.whole, all.halves + held.halves};
        }
        if (shape.schedule->order->by_depth) {
          EXPECT_EQ(all.whole, most.whole);
          EXPECT_EQ(all.halves, most.halves);
        }
        reached = {std::max(reached.whole, all.whole), std::max(reached.halves, all.whole + all.halves)};
      }
      EXPECT_EQ(reached.whole, most.whole);
      EXPECT_EQ(reached.halves, most.whole + most.halves);
    }
  });
}

namespace
{

/* Bytes that chunks hold at a moment, each of them and each half its own. */
double held_bytes(const ss_pipeline_shape &shape, const ss_moment &moment)
{
  double bytes = 0.0;
  for (int64_t index = 0; index < shape.chunks; index++) {
    const ss_in_flight held = ss_schedule_held(&shape, &moment, index);
    bytes += (3.0 + (double)index) * (double)held.whole + (1.5 - 0.5 * (double)index) * (double)held.halves;
  }
  return bytes;
}

} /* namespace */

/* The peaks are moments, fewer of them, and one of them is the first when a stage holds most. */
TEST(Row, PeaksHoldTheMost)
{
  ss_peak_cache *cache = ss_peak_cache_create();
  ASSERT_NE(cache, nullptr);
  for_each_shape([cache](const ss_pipeline_shape &shape) {
    if (shape.schedule->order->by_depth) return;
    for (int64_t stage = 0; stage < shape.stages; stage++) {
      const ss_peaks *peaks = ss_peak_cache_of(cache, &shape, stage);
      ss_moments moments = ss_schedule_moments(&shape, stage);
      double most = 0.0, peak = 0.0;
      int64_t count = 0;
      for (ss_moment moment; ss_schedule_moment(&shape, &moments, &moment); count++)
        most = std::max(most, held_bytes(shape, moment));
      for (int64_t i = 0; i < peaks->count; i++) peak = std::max(peak, held_bytes(shape, peaks->moment[i]));
      EXPECT_EQ(peak, most);
      EXPECT_LE(peaks->count, count);
      EXPECT_EQ(ss_peak_cache_of(cache, &shape, stage), peaks);
    }
  });
  ss_peak_cache_destroy(cache);
}

namespace
{

/* A job that is laid out by a private row, 16 layers on 4 stages. */
class LaidOut
{
public:
  explicit LaidOut(const ss_schedule *row)
  {
    workload_.model.layers = 16;
    workload_.model.vocabulary = 32000;
    workload_.parallelism.pp = 4;
    job_.workload = &workload_;
    job_.shape = {row, 4, 8, 2, 0, false};
    job_.stages = 4;
    job_.chunks = 2;
    job_.has_ends = true;
    EXPECT_EQ(ss_layout_init(&job_, 8, row->layout->copies), SS_OK);
  }
  ~LaidOut()
  {
    ss_layout_free(&job_);
  }
  LaidOut(const LaidOut &) = delete;
  LaidOut &operator=(const LaidOut &) = delete;

  /* "e 0 1 h": embedding, numbers of the layers, output layer. */
  std::string blocks(ss_chunk chunk) const
  {
    std::string text;
    for (int64_t i = 0; i < ss_job_block_count(&job_, chunk); i++) {
      const ss_block_kind kind = ss_job_block_kind(&job_, chunk, i);
      const std::string layer = std::to_string(ss_job_block_layer(&job_, chunk, i));
      text += (i > 0 ? " " : "") + (kind == SS_BLOCK_EMBEDDING ? "e" : kind == SS_BLOCK_HEAD ? "h" : layer);
    }
    return text;
  }

  const ss_job *get() const
  {
    return &job_;
  }

private:
  ss_workload workload_ = make_workload();
  ss_job job_ = {};
};

} /* namespace */

TEST(Row, LaysOutAV)
{
  const LaidOut job(&in_v);
  EXPECT_EQ(job.blocks({0, 0}), "e 0 1");
  EXPECT_EQ(job.blocks({3, 0}), "6 7");
  EXPECT_EQ(job.blocks({3, 1}), "8 9");
  EXPECT_EQ(job.blocks({0, 1}), "14 15 h");
  ss_chunk other = {-1, -1};
  EXPECT_TRUE(ss_job_receiver(job.get(), {3, 0}, SS_PASS_FORWARD, &other) && is_same(other, {3, 1}));
  EXPECT_TRUE(ss_job_sender(job.get(), {2, 1}, SS_PASS_FORWARD, &other) && is_same(other, {3, 1}));
  EXPECT_FALSE(ss_job_receiver(job.get(), {0, 1}, SS_PASS_FORWARD, &other));
}

TEST(Row, LaysOutTwoCopies)
{
  const LaidOut job(&in_two);
  EXPECT_EQ(job.blocks({0, 0}), "e 0 1 2 3");
  EXPECT_EQ(job.blocks({0, 1}), "12 13 14 15 h");
  EXPECT_EQ(job.blocks({1, 0}), "4 5 6 7");
  EXPECT_EQ(job.blocks({1, 1}), "8 9 10 11");
  for (int64_t chunk = 0; chunk < 2; chunk++)
    for (int64_t stage = 0; stage < 2; stage++) EXPECT_EQ(job.blocks({3 - stage, chunk}), job.blocks({stage, chunk}));
  ss_chunk other = {-1, -1};
  EXPECT_TRUE(ss_job_receiver(job.get(), {3, 0}, SS_PASS_FORWARD, &other) && is_same(other, {2, 0}));
  EXPECT_TRUE(ss_job_receiver(job.get(), {2, 0}, SS_PASS_FORWARD, &other) && is_same(other, {1, 1}));
  EXPECT_FALSE(ss_job_receiver(job.get(), {3, 1}, SS_PASS_FORWARD, &other));
}

/* 4 stages on 2 domains: of the 3 hops down and the 3 up, one each crosses. */
TEST(Row, SlowHopsOfAV)
{
  ss_placement placement = {};
  placement.tp = placement.cp = placement.dp = 1;
  placement.pp = 4;
  placement.domain_size = 2;
  placement.even = true;
  placement.inside = {1, 1, 1, 2};
  const ss_pipeline_shape v = {&in_v, 4, 8, 2, 0, false};
  EXPECT_DOUBLE_EQ(ss_placement_slow_hops(&placement, &v), 2.0 / 6);
}
