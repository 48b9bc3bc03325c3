/* Figures of trials, lists of slow GPUs, and machines without one of their slow parts. */
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "model/input/gpu_speed.h"
#include "model/input/slow_parts.h"
#include "model/result/trials.h"
}

namespace
{

bool reads(const std::string &entry)
{
  ss_gpu_speed speed;
  return ss_gpu_speed_read(entry.c_str(), (int)entry.size(), &speed);
}

ss_critical_path_leg make_leg(int64_t from_stage, int64_t to_stage, int64_t gpu, double time_s)
{
  ss_critical_path_leg leg = {};
  leg.from_stage = from_stage;
  leg.to_stage = to_stage;
  leg.replica = gpu / 2;
  leg.gpu = gpu;
  leg.time_s = time_s;
  return leg;
}

ss_trial make_trial(double iteration_s, const std::vector<ss_critical_path_leg> &legs = {})
{
  ss_trial trial = {};
  trial.iteration_s = iteration_s;
  for (const ss_critical_path_leg &leg : legs) trial.path.leg[trial.path.legs++] = leg;
  return trial;
}

} // namespace

TEST(GpuSpeed, ReadsEntries)
{
  ss_gpu_speed speed;
  const char *text = " 17:0.8  64-71:1";
  int length;
  const char *entry = ss_list_entry(text, &length);
  ASSERT_TRUE(ss_gpu_speed_read(entry, length, &speed));
  EXPECT_EQ(speed.first, 17);
  EXPECT_EQ(speed.last, 17);
  EXPECT_EQ(speed.factor, 0.8);
  ASSERT_TRUE(ss_gpu_speed_read("gpu-17:0.8", 10, &speed)); /* as links are called */
  EXPECT_EQ(speed.last, 17);
  ASSERT_TRUE(ss_gpu_speed_read("0..3:0.9", 8, &speed));
  EXPECT_EQ(speed.first, 0);
  EXPECT_EQ(speed.last, 3);
  ASSERT_TRUE(ss_gpu_speed_read(entry, length, &speed));
  entry = ss_list_entry(speed.end, &length);
  ASSERT_TRUE(ss_gpu_speed_read(entry, length, &speed));
  EXPECT_EQ(speed.first, 64);
  EXPECT_EQ(speed.last, 71);
  EXPECT_EQ(speed.factor, 1.0);
  (void)ss_list_entry(speed.end, &length);
  EXPECT_EQ(length, 0);
}

TEST(GpuSpeed, RefusesWhatIsNoEntry)
{
  for (const char *good : {"0:1", "3:1e-3", "0-0:0.5", "5-7:.5", "5..7:.5", "gpu_5:1", "gpu-5..gpu-7:1"})
    EXPECT_TRUE(reads(good)) << good;
  for (const char *bad : {"",
                          "5",
                          "5:",
                          ":0.5",
                          "a:0.5",
                          "5:0",
                          "5:-1",
                          "5:1.01",
                          "5:nan",
                          "5:inf",
                          "5:0x1p-1",
                          "5:0.5x",
                          "7-5:0.5",
                          "5-:0.5",
                          "-5:0.5",
                          "5-6-7:0.5",
                          "99999999999999999999:0.5",
                          "5:0.5:0.5",
                          "5:1e400",
                          "5: 0.5",
                          "+5:0.5"})
    EXPECT_FALSE(reads(bad)) << bad;
  EXPECT_FALSE(reads("5:0." + std::string(100, '0') + "1"));
}

TEST(GpuSpeed, OfEveryGpu)
{
  double factor[6];
  ss_gpu_speeds("4:0.5 1-2:0.25", 6, factor);
  const double expected[6] = {1, 0.25, 0.25, 1, 0.5, 1};
  for (int gpu = 0; gpu < 6; ++gpu) EXPECT_EQ(factor[gpu], expected[gpu]) << gpu;
}

TEST(SlowParts, AreTheEntriesOfTheirList)
{
  ss_machine machine;
  ss_slow_parts parts;
  ss_machine_init(&machine);
  ss_slow_parts_list(&parts, &machine);
  EXPECT_EQ(parts.total, 0);
  std::strcpy(machine.gpu_speed, "17:0.8  64-71:0.95 3:1");
  ss_slow_parts_list(&parts, &machine);
  ASSERT_EQ(parts.count, 3);
  EXPECT_STREQ(parts.part[1].entry, "64-71:0.95");
  EXPECT_STREQ(parts.part[1].property->name, "gpu-speed");
  ss_machine without = machine;
  ss_slow_part_remove(&parts.part[1], &without);
  double factor[72];
  ss_gpu_speeds(without.gpu_speed, 72, factor);
  EXPECT_EQ(factor[17], 0.8);
  EXPECT_EQ(factor[64], 1.0);
  without = machine;
  ss_slow_part_remove(&parts.part[2], &without);
  ss_gpu_speeds(without.gpu_speed, 72, factor);
  EXPECT_EQ(factor[64], 0.95);
}

TEST(SlowParts, AreSortedByCostAndNoMoreThanFit)
{
  ss_machine machine;
  ss_slow_parts parts;
  ss_machine_init(&machine);
  std::string text;
  for (int gpu = 0; gpu < SS_SLOW_PARTS + 8; ++gpu) text += std::to_string(gpu) + ":0.5 ";
  std::strcpy(machine.gpu_speed, text.c_str());
  ss_slow_parts_list(&parts, &machine);
  EXPECT_EQ(parts.count, SS_SLOW_PARTS);
  EXPECT_EQ(parts.total, SS_SLOW_PARTS + 8);
  parts.part[3].cost_s = 2;
  parts.part[5].cost_s = 3;
  parts.part[6].cost_s = -1;
  ss_slow_parts_sort(&parts);
  EXPECT_STREQ(parts.part[0].entry, "5:0.5");
  EXPECT_STREQ(parts.part[1].entry, "3:0.5");
  EXPECT_STREQ(parts.part[2].entry, "0:0.5"); /* equal ones stay in order */
  EXPECT_STREQ(parts.part[SS_SLOW_PARTS - 1].entry, "6:0.5");
}

/* Three at most, of which each costs a thousandth of the iteration and somebody waits for it. */
TEST(SlowParts, TheDearestAreToldOf)
{
  ss_slow_parts parts = {};
  parts.count = 5;
  for (int i = 0; i < 5; ++i) {
    parts.part[i].cost_s = 5 - i; /* 5 4 3 2 1 */
    std::strcpy(parts.part[i].sentence, "GPUs 1-3 wait");
  }
  EXPECT_EQ(ss_slow_parts_told(&parts, 100), 3);
  EXPECT_EQ(ss_slow_parts_told(&parts, 4000), 2);
  EXPECT_EQ(ss_slow_parts_told(&parts, 5001), 0);
  parts.part[1].sentence[0] = '\0';
  EXPECT_EQ(ss_slow_parts_told(&parts, 100), 1);
}

/* 3 1 2 5 4: mean 3, squares of deviations 0 4 1 4 1 over 4; the 5 % quantile is at 0.05 x 4 = 0.2 of the way from 1 to
 * 2, the 95 % one at 0.8 from 4 to 5. A bar is a 40th of 4 s: 0, 10, 20, 30 and the last. */
TEST(Trials, FiguresAreThoseOfTheSample)
{
  const ss_trial sample[] = {make_trial(3), make_trial(1), make_trial(2), make_trial(5), make_trial(4)};
  ss_trials trials;
  ASSERT_EQ(ss_trials_init(&trials, sample, 5), SS_OK);
  EXPECT_EQ(trials.count, 5);
  EXPECT_EQ(trials.iteration_s[0], 3.0);
  EXPECT_EQ(trials.iteration_s[4], 4.0);
  EXPECT_DOUBLE_EQ(trials.mean_s, 3.0);
  EXPECT_DOUBLE_EQ(trials.std_s, std::sqrt(10.0 / 4));
  EXPECT_EQ(trials.min_s, 1.0);
  EXPECT_EQ(trials.max_s, 5.0);
  EXPECT_DOUBLE_EQ(trials.p5_s, 1.2);
  EXPECT_DOUBLE_EQ(trials.p50_s, 3.0);
  EXPECT_DOUBLE_EQ(trials.p95_s, 4.8);
  for (int bar = 0; bar < SS_TRIALS_BARS; ++bar)
    EXPECT_EQ(trials.bar[bar], bar % 10 == 0 || bar == SS_TRIALS_BARS - 1) << bar;
  EXPECT_EQ(trials.pacers, 0);
  ss_trials_free(&trials);
}

TEST(Trials, EqualTimesHaveNoDeviation)
{
  const ss_trial sample[] = {make_trial(0.1), make_trial(0.1), make_trial(0.1)};
  ss_trials trials;
  ASSERT_EQ(ss_trials_init(&trials, sample, 3), SS_OK);
  EXPECT_EQ(trials.mean_s, 0.1);
  EXPECT_EQ(trials.std_s, 0.0);
  EXPECT_EQ(trials.p95_s, 0.1);
  ss_trials_free(&trials);
  ASSERT_EQ(ss_trials_init(&trials, sample, 1), SS_OK);
  EXPECT_EQ(trials.std_s, 0.0);
  EXPECT_EQ(trials.p5_s, 0.1);
  ss_trials_free(&trials);
}

/* GPU 4 has 3 + 1 s, GPU 8 has 2 + 3 s and the longest leg of the second trial; hops between stages belong to nobody.
 */
TEST(Trials, PacersAreThePlacesOfTheLongestChains)
{
  const ss_trial sample[] = {
      make_trial(9, {make_leg(0, 0, 4, 3), make_leg(0, 1, 4, 7), make_leg(1, 1, 8, 2)}),
      make_trial(9, {make_leg(0, 0, 4, 1), make_leg(1, 1, 8, 3), make_leg(2, 2, 12, 1)}),
  };
  ss_trials trials;
  ASSERT_EQ(ss_trials_init(&trials, sample, 2), SS_OK);
  ASSERT_EQ(trials.pacers, 3);
  EXPECT_EQ(trials.pacer[0].gpu, 8);
  EXPECT_EQ(trials.pacer[0].stage, 1);
  EXPECT_EQ(trials.pacer[0].replica, 4);
  EXPECT_EQ(trials.pacer[0].time_s, 5.0);
  EXPECT_EQ(trials.pacer[0].trials, 1);
  EXPECT_EQ(trials.pacer[1].gpu, 4);
  EXPECT_EQ(trials.pacer[1].time_s, 4.0);
  EXPECT_EQ(trials.pacer[1].trials, 1);
  EXPECT_EQ(trials.pacer[2].gpu, 12);
  EXPECT_EQ(trials.pacer[2].trials, 0);
  ss_trials_free(&trials);
}
