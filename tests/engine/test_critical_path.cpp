#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

extern "C" {
#include "sim/engine/observe/critical_path.h"
}
#include "tests/support/seed.hpp"

namespace
{

/* Stages of one or more replicas, replica = stage * replicas + replica, eight GPUs each. */
struct Pipeline {
  int64_t replicas;

  static ss_critical_path_place place(const void *self, int32_t replica)
  {
    const auto *pipeline = static_cast<const Pipeline *>(self);
    return {replica / pipeline->replicas, replica % pipeline->replicas, 8 * replica};
  }
};

class Path : public testing::Test
{
protected:
  ss_critical_path_log log{};
  Pipeline pipeline{1};
  ss_critical_path path{};

  void start(int64_t stage_replicas, int64_t replicas = 1)
  {
    pipeline.replicas = replicas;
    ASSERT_EQ(ss_critical_path_init(&log, stage_replicas), SS_OK);
  }
  void TearDown() override
  {
    ss_critical_path_free(&log);
  }

  int64_t message(int32_t from, int32_t to, double start_s, double end_s, double calls_s = 0.0)
  {
    const ss_critical_path_transfer transfer = {-1, from, to, SS_PATH_message_s, start_s, start_s, end_s, calls_s};
    return ss_critical_path_add_transfer(&log, &transfer);
  }
  void wait(int32_t replica, double start_s, double end_s, int64_t transfer, double calls_s = 0.0)
  {
    const ss_critical_path_pause pause = {replica, start_s, end_s, transfer, calls_s};
    ss_critical_path_add_wait(&log, &pause);
  }
  void find(int32_t replica, double end_s, double calls_s = 0.0, double begin_s = 0.0)
  {
    const ss_critical_path_end end = {replica, begin_s, end_s, calls_s};
    const ss_critical_path_places places = {&pipeline, Pipeline::place, nullptr};
    ASSERT_EQ(ss_critical_path_find(&log, &end, &places, &path), SS_OK);
    EXPECT_DOUBLE_EQ(sum(), end_s - begin_s);
  }
  double sum() const
  {
    double sum_s = 0.0;
#define ADD(field, label, help) sum_s += path.field;
    SS_PATH_LIST(ADD)
#undef ADD
    return sum_s;
  }
  void expect_leg(int64_t index, const ss_critical_path_leg &expected) const
  {
    ASSERT_LT(index, path.legs);
    const ss_critical_path_leg &leg = path.leg[index];
    EXPECT_EQ(leg.from_stage, expected.from_stage) << index;
    EXPECT_EQ(leg.to_stage, expected.to_stage) << index;
    EXPECT_EQ(leg.replica, expected.replica) << index;
    EXPECT_EQ(leg.gpu, expected.gpu) << index;
    EXPECT_DOUBLE_EQ(leg.time_s, expected.time_s) << index;
    EXPECT_EQ(leg.visits, expected.visits) << index;
  }
};

TEST_F(Path, NobodyWaited)
{
  start(1);
  find(0, 7.0, 2.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 5.0);
  EXPECT_DOUBLE_EQ(path.calls_s, 2.0);
  EXPECT_EQ(path.moves, 0);
  ASSERT_EQ(path.legs, 1);
  expect_leg(0, {0, 0, 0, 0, 7.0, 1});
}

/* Three stages, a forward pass of 4 s, 1 s of which are collectives, messages of 1 s:
 *   stage 0  works 0..4, sends 4..5
 *   stage 1  waits 0..5, works 5..9, sends 9..10
 *   stage 2  waits 0..10, works 10..14
 * The path is 3 passes and 2 messages: 9 s of kernels, 3 s of collectives, 2 s of messages. */
TEST_F(Path, FillOfAPipeline)
{
  start(3);
  wait(1, 0.0, 5.0, message(0, 1, 4.0, 5.0, 1.0));
  wait(2, 0.0, 10.0, message(1, 2, 9.0, 10.0, 1.0));
  find(2, 14.0, 1.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 9.0);
  EXPECT_DOUBLE_EQ(path.calls_s, 3.0);
  EXPECT_DOUBLE_EQ(path.message_s, 2.0);
  EXPECT_EQ(path.moves, 4);
  ASSERT_EQ(path.legs, 5);
  expect_leg(0, {0, 0, 0, 0, 4.0, 1});
  expect_leg(2, {2, 2, 0, 16, 4.0, 1});
  expect_leg(3, {0, 1, 0, 0, 1.0, 1});
  expect_leg(4, {1, 2, 0, 8, 1.0, 1});
}

/* There and back: stage 0 works 0..2, sends 2..3, stage 1 works 3..6, answers 6..8, stage 0 works 8..9. What stage 0
 * did between 2 and 7, beside its message, is not on the path, though it was longer than its last wait. */
TEST_F(Path, PlacesAreVisitedAgain)
{
  start(2);
  wait(1, 0.0, 3.0, message(0, 1, 2.0, 3.0, 0.5));
  wait(0, 7.0, 8.0, message(1, 0, 6.0, 8.0, 1.0), 2.5);
  find(0, 9.0, 2.75);
  EXPECT_DOUBLE_EQ(path.compute_s, 1.5 + 2.0 + 0.75);
  EXPECT_DOUBLE_EQ(path.calls_s, 0.5 + 1.0 + 0.25);
  EXPECT_DOUBLE_EQ(path.message_s, 3.0);
  EXPECT_EQ(path.moves, 4);
  ASSERT_EQ(path.legs, 4);
  expect_leg(0, {0, 0, 0, 0, 3.0, 2});
  expect_leg(1, {1, 1, 0, 8, 3.0, 1});
  expect_leg(2, {1, 0, 0, 8, 2.0, 1});
  expect_leg(3, {0, 1, 0, 0, 1.0, 1});
}

/* Stage 0 works 1 s for each of three messages, which take 3 s each: asked for at 1, 2, 3, they leave at 1, 4, 7. Stage
 * 1 works 0.5 s on each and ends at 10.5: the lane is what it depends on, not the passes of stage 0 after the first. */
TEST_F(Path, MessagesQueueOnALane)
{
  start(2);
  int64_t previous = -1;
  for (int i = 0; i < 3; ++i) {
    const double asked_s = 1.0 + i, start_s = 1.0 + 3.0 * i, end_s = start_s + 3.0;
    const ss_critical_path_transfer transfer = {previous, 0, 1, SS_PATH_message_s, asked_s, start_s, end_s, 0.0};
    previous = ss_critical_path_add_transfer(&log, &transfer);
    wait(1, i == 0 ? 0.0 : start_s + 0.5, end_s, previous);
  }
  find(1, 10.5);
  EXPECT_DOUBLE_EQ(path.message_s, 9.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 1.0 + 0.5);
  EXPECT_EQ(path.moves, 2);
  expect_leg(0, {0, 1, 0, 0, 9.0, 1});
  expect_leg(1, {0, 0, 0, 0, 1.0, 1});
  expect_leg(2, {1, 1, 0, 8, 0.5, 1});
}

/* A tie: the second message is asked for when the first has just left (both at 4). It did not wait, so that the path
 * goes back to the work of stage 0, 4 s, and not along the lane. */
TEST_F(Path, AFreeLaneIsNoReason)
{
  start(2);
  const ss_critical_path_transfer first = {-1, 0, 1, SS_PATH_message_s, 2.0, 2.0, 4.0, 0.0};
  const int64_t previous = ss_critical_path_add_transfer(&log, &first);
  wait(1, 0.0, 4.0, previous);
  const ss_critical_path_transfer second = {previous, 0, 1, SS_PATH_message_s, 4.0, 4.0, 6.0, 0.0};
  wait(1, 5.0, 6.0, ss_critical_path_add_transfer(&log, &second));
  find(1, 7.0);
  EXPECT_DOUBLE_EQ(path.message_s, 2.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 5.0);
  expect_leg(0, {0, 0, 0, 0, 4.0, 1});
}

/* Another tie: both waits of stage 1 are over at once, since what it waits for second was there already: at 5 the
 * message of 1 s that stage 0 sent at 4, not the one of stage 2 that it would have waited for. */
TEST_F(Path, AWaitOfNoLengthIsNoReason)
{
  start(3);
  wait(1, 0.0, 5.0, message(0, 1, 4.0, 5.0));
  wait(1, 5.0, 5.0, message(2, 1, 0.0, 5.0));
  find(1, 6.0);
  EXPECT_DOUBLE_EQ(path.message_s, 1.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 5.0);
  expect_leg(0, {0, 0, 0, 0, 4.0, 1});
}

/* Two replicas reduce gradients when the slower one is there: at 6, for 2 s. Both wait for that, the first since 5. */
TEST_F(Path, DataParallelismWaitsForTheLast)
{
  start(2, 2);
  const ss_critical_path_transfer reduction = {-1, 1, 0, SS_PATH_data_s, 6.0, 6.0, 8.0, 1.5};
  const int64_t index = ss_critical_path_add_transfer(&log, &reduction);
  wait(0, 5.0, 8.0, index, 1.0);
  wait(1, 6.0, 8.0, index, 1.5);
  find(0, 8.5, 1.0);
  EXPECT_DOUBLE_EQ(path.data_s, 2.0);
  EXPECT_DOUBLE_EQ(path.calls_s, 1.5);
  EXPECT_DOUBLE_EQ(path.compute_s, 4.5 + 0.5);
  ASSERT_EQ(path.legs, 3);
  expect_leg(0, {0, 0, 1, 8, 6.0, 1});
  expect_leg(1, {0, 0, SS_PATH_ALL_REPLICAS, 8, 2.0, 1});
  expect_leg(2, {0, 0, 0, 0, 0.5, 1});
}

/* A transfer that starts some time after it was asked for, though nothing was before it, takes that time itself. */
TEST_F(Path, StartUpBelongsToTheTransfer)
{
  start(2);
  const ss_critical_path_transfer late = {-1, 0, 1, SS_PATH_message_s, 3.0, 3.5, 4.0, 0.0};
  wait(1, 0.0, 4.0, ss_critical_path_add_transfer(&log, &late));
  find(1, 5.0);
  EXPECT_DOUBLE_EQ(path.message_s, 1.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 4.0);
}

/* The second memory tier is waited for from 2 to 3 and from 4 to 6. */
TEST_F(Path, OffloadStaysAtItsPlace)
{
  start(1);
  wait(0, 2.0, 3.0, -1, 0.5);
  wait(0, 4.0, 6.0, -1, 0.75);
  find(0, 10.0, 1.25);
  EXPECT_DOUBLE_EQ(path.offload_s, 3.0);
  EXPECT_DOUBLE_EQ(path.calls_s, 1.25);
  EXPECT_DOUBLE_EQ(path.compute_s, 5.75);
  EXPECT_EQ(path.moves, 0);
}

/* An all-to-all between the replicas of an expert-parallel group is a collective of a layer, at the one that waits. */
TEST_F(Path, ExpertsAreCollectivesOfLayers)
{
  start(2, 2);
  const ss_critical_path_transfer exchange = {-1, 1, 0, SS_PATH_calls_s, 3.0, 3.0, 4.0, 0.0};
  wait(0, 2.0, 4.0, ss_critical_path_add_transfer(&log, &exchange), 1.0);
  find(0, 5.0, 1.0);
  EXPECT_DOUBLE_EQ(path.calls_s, 1.0);
  EXPECT_DOUBLE_EQ(path.compute_s, 4.0);
  expect_leg(0, {0, 0, 1, 8, 3.0, 1});
  expect_leg(1, {0, 0, 0, 0, 2.0, 1});
}

/* The pipeline above from 2 on: stage 0 has 2 s of its 4 left, a quarter of which are collectives. */
TEST_F(Path, EndsWhereItIsToldTo)
{
  start(3);
  wait(1, 0.0, 5.0, message(0, 1, 4.0, 5.0, 1.0));
  wait(2, 0.0, 10.0, message(1, 2, 9.0, 10.0, 1.0));
  find(2, 14.0, 1.0, 2.0);
  EXPECT_DOUBLE_EQ(path.calls_s, 2.5);
  EXPECT_DOUBLE_EQ(path.message_s, 2.0);
  find(2, 14.0, 1.0, 9.25);
  EXPECT_DOUBLE_EQ(path.message_s, 0.75);
  EXPECT_DOUBLE_EQ(path.compute_s, 3.0);
}

/* 40 stages: 79 places, the longest are kept. Stage s works s + 1 seconds before it sends for 0.5 s. */
TEST_F(Path, TheLongestLegsAreKept)
{
  const int32_t stages = 40;
  start(stages);
  double time_s = 0.0;
  for (int32_t s = 0; s < stages; ++s) {
    time_s += s + 1.0;
    if (s + 1 == stages) break;
    wait(s + 1, 0.0, time_s + 0.5, message(s, s + 1, time_s, time_s + 0.5));
    time_s += 0.5;
  }
  find(stages - 1, time_s);
  EXPECT_DOUBLE_EQ(path.compute_s, 820.0);
  EXPECT_EQ(path.moves, 78);
  ASSERT_EQ(path.legs, SS_PATH_LEGS);
  for (int64_t i = 0; i < SS_PATH_LEGS; ++i) expect_leg(i, {39 - i, 39 - i, 0, 8 * (39 - i), 40.0 - (double)i, 1});
}

/* Random logs of replicas that wait for each other, as far as they can be real: the parts add up whatever happens. */
TEST_F(Path, PartsAddUp)
{
  const int32_t replicas = 7;
  start(replicas, 7);
  std::mt19937 generator(12345 + stepsim::seed);
  const auto random = [&generator](unsigned n) { return static_cast<int64_t>(generator() % n); };
  std::vector<double> now_s(replicas, 0.0);
  std::vector<int64_t> lane(replicas, -1);
  std::vector<double> free_s(replicas, 0.0);
  for (int i = 0; i < 5000; ++i) {
    const auto from = static_cast<int32_t>(random(replicas)), to = static_cast<int32_t>(random(replicas));
    now_s[from] += 0.1 * static_cast<double>(random(10));
    const double start_s = std::max(now_s[from], free_s[from]);
    const double end_s = start_s + 0.1 * static_cast<double>(random(20));
    const ss_critical_path_transfer transfer = {lane[from],  from,    to,    SS_PATH_message_s,
                                                now_s[from], start_s, end_s, 0.0};
    lane[from] = ss_critical_path_add_transfer(&log, &transfer);
    free_s[from] = end_s;
    if (now_s[to] < end_s) wait(to, now_s[to], end_s, lane[from]);
    now_s[to] = std::max(now_s[to], end_s);
  }
  for (int32_t replica = 0; replica < replicas; ++replica) {
    const ss_critical_path_end end = {replica, 0.0, now_s[replica], 0.0};
    const ss_critical_path_places places = {&pipeline, Pipeline::place, nullptr};
    ASSERT_EQ(ss_critical_path_find(&log, &end, &places, &path), SS_OK);
    EXPECT_NEAR(sum(), now_s[replica], 1e-9 * now_s[replica]);
  }
}

/* A transfer, or a wait that ended with the last transfer before it, of a random log. */
struct Entry {
  bool is_wait;
  ss_critical_path_transfer transfer;
  ss_critical_path_pause wait;
  double end_s, asked_s; /* asked_s: the first of all that follow */
};

/* Three replicas meet as soon as the last one comes, which takes no time, and work. */
void meet(int32_t first, double work_s, std::vector<double> &now_s, std::vector<Entry> &entries)
{
  const auto replicas = static_cast<int32_t>(now_s.size());
  int32_t last = first;
  for (int32_t i = 1; i < 3; ++i)
    if (now_s[(first + i) % replicas] > now_s[last]) last = (first + i) % replicas;
  const double met_s = now_s[last];
  entries.push_back({false, {-1, last, last, SS_PATH_calls_s, met_s, met_s, met_s, 0.0}, {}, met_s, 0.0});
  for (int32_t i = 0; i < 3; ++i) {
    double &own_s = now_s[(first + i) % replicas];
    if (own_s < met_s) entries.push_back({true, {}, {(first + i) % replicas, own_s, met_s, 0, 0.0}, met_s, 0.0});
    own_s = met_s + work_s;
  }
}

/* Replicas ask for messages one after the other, each on a lane of its own, and those that they go to may have to wait
 * for them or, now and then, for their hosts; some meet. In order of time, as a replay adds them. */
std::vector<Entry> random_entries(std::mt19937 &generator, int32_t replicas)
{
  const auto random = [&generator](unsigned n) { return static_cast<int64_t>(generator() % n); };
  std::vector<double> now_s(replicas, 0.0), free_s(replicas, 0.0);
  std::vector<Entry> entries;
  for (int i = 0; i < 2000; ++i) {
    const auto from = static_cast<int32_t>(random(replicas)), to = static_cast<int32_t>(random(replicas));
    now_s[from] += 0.1 * static_cast<double>(random(10));
    const double start_s = std::max(now_s[from], free_s[from]), end_s = start_s + 0.1 * (double)(1 + random(20));
    entries.push_back({false, {from, from, to, SS_PATH_message_s, now_s[from], start_s, end_s, 0.0}, {}, end_s, 0.0});
    free_s[from] = end_s;
    const bool of_host = random(10) == 0;
    const double until_s = of_host ? now_s[to] + 0.05 : end_s;
    if (now_s[to] < until_s)
      entries.push_back({true, {}, {to, now_s[to], until_s, of_host ? -2 : 0, 0.01 * i}, until_s, 0.0});
    now_s[to] = std::max(now_s[to], until_s);
    if (random(10) == 0) meet(from, 0.1 * (double)(1 + random(5)), now_s, entries);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.end_s < b.end_s; });
  double asked_s = INFINITY;
  for (size_t i = entries.size(); i-- > 0;) {
    entries[i].asked_s = asked_s;
    if (!entries[i].is_wait) asked_s = std::min(asked_s, entries[i].transfer.asked_s);
  }
  return entries;
}

/* A log that forgets, now and then, what no path can come to any more is shorter, and leads to the same paths. */
TEST_F(Path, WhatIsForgottenIsOnNoPath)
{
  const int32_t replicas = 7;
  std::mt19937 generator(54321 + stepsim::seed);
  for (int round = 0; round < 20; ++round) {
    ss_critical_path_log whole = {};
    start(replicas, replicas);
    ASSERT_EQ(ss_critical_path_init(&whole, replicas), SS_OK);
    std::vector<int64_t> lane(replicas, -1);
    int64_t last = -1, longest = 0;
    double end_s = 0.0;
    for (Entry &entry : random_entries(generator, replicas)) {
      end_s = entry.end_s;
      if (entry.is_wait) {
        if (entry.wait.transfer == 0) entry.wait.transfer = last;
        ss_critical_path_add_wait(&log, &entry.wait);
        ss_critical_path_add_wait(&whole, &entry.wait);
      } else {
        const bool is_meeting = entry.transfer.kind == SS_PATH_calls_s;
        int64_t &previous = lane[entry.transfer.replica];
        if (!is_meeting) entry.transfer.previous = previous;
        last = ss_critical_path_add_transfer(&log, &entry.transfer);
        if (!is_meeting) previous = last;
        ASSERT_EQ(ss_critical_path_add_transfer(&whole, &entry.transfer), last);
      }
      if (generator() % 50 == 0) ss_critical_path_forget(&log, std::min(entry.asked_s, end_s));
      longest = std::max(longest, log.waits + log.transfers);
    }
    EXPECT_FALSE(log.keeps_all);
    EXPECT_LT(longest, (whole.waits + whole.transfers) / 2);
    const ss_critical_path_places places = {&pipeline, Pipeline::place, nullptr};
    for (int32_t replica = 0; replica < replicas; ++replica) {
      const ss_critical_path_end end = {replica, 0.0, end_s, 1e6};
      ss_critical_path expected;
      ASSERT_EQ(ss_critical_path_find(&log, &end, &places, &path), SS_OK);
      ASSERT_EQ(ss_critical_path_find(&whole, &end, &places, &expected), SS_OK);
#define EXPECT_PART(field, label, help) EXPECT_EQ(path.field, expected.field);
      SS_PATH_LIST(EXPECT_PART)
#undef EXPECT_PART
      EXPECT_EQ(path.moves, expected.moves);
      ASSERT_EQ(path.legs, expected.legs);
      for (int64_t i = 0; i < path.legs; ++i) expect_leg(i, expected.leg[i]);
    }
    ss_critical_path_free(&whole);
    ss_critical_path_free(&log);
  }
}

/* Where those who have met at once meet again, a path may turn back: nothing is forgotten then. */
TEST_F(Path, NothingIsForgottenWhereMeetingsFollowAtOnce)
{
  start(3, 3);
  const auto meeting = [](int32_t last, double time_s) {
    return ss_critical_path_transfer{-1, last, last, SS_PATH_calls_s, time_s, time_s, time_s, 0.0};
  };
  const ss_critical_path_transfer first = meeting(0, 1.0), second = meeting(1, 1.0);
  const int64_t met = ss_critical_path_add_transfer(&log, &first);
  EXPECT_FALSE(log.keeps_all);
  wait(1, 0.5, 1.0, met);
  (void)ss_critical_path_add_transfer(&log, &second);
  EXPECT_TRUE(log.keeps_all);
}

} /* namespace */
