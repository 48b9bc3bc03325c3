/* Two predictions side by side: rows, shares, and what is said of the difference. The times are chosen by hand. */
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <jansson.h>

extern "C" {
#include "sim/report/report.h"
}

namespace
{

constexpr double GIB = 1024.0 * 1024.0 * 1024.0;

/* A prediction of 2 GPUs, all of it compute and bubble, whose replay takes 0.5 s more than its closed form. */
ss_prediction predicted(double compute_s, double bubble_s, bool simulated)
{
  ss_prediction p = {};
  p.workload = "job";
  p.platform = "machine";
  p.as_published = true;
  p.gpus = 2;
  p.estimate.compute_s = compute_s;
  p.estimate.bubble_s = bubble_s;
  p.estimate.iteration_s = compute_s + bubble_s;
  p.simulated = simulated;
  p.simulation = p.estimate;
  p.simulation.bubble_s += 0.5;
  p.simulation.iteration_s += 0.5;
  p.memory.weights_bytes = p.memory.total_bytes = 2.0 * GIB;
  p.memory.capacity_bytes = 8.0 * GIB;
  p.memory.fits = true;
  p.stages = 1;
  p.stage_memory = &p.memory;
  p.metrics.tokens_per_s_per_gpu = 50.0 / ss_prediction_iteration(&p)->iteration_s; /* 100 tokens an iteration */
  return p;
}

const char *const change[] = {"parallelism.tp=4"};

std::string text_of(ss_prediction a, ss_prediction b)
{
  char *text = nullptr;
  size_t size = 0;
  a.stage_memory = &a.memory;
  b.stage_memory = &b.memory;
  const ss_pair_report report = {&a, &b, change, 1};
  std::FILE *stream = open_memstream(&text, &size);
  ss_report_pair_text(stream, &report);
  (void)std::fclose(stream);
  std::string result(text, size);
  std::free(text);
  return result;
}

bool has(const std::string &text, const char *part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

/* From 4 + 1 s to 6 + 0.5 s: 1.5 s more, of which compute is 2/1.5 and the bubble -0.5/1.5. */
TEST(Against, SharesOfTheDifferenceAddUp)
{
  const std::string text = text_of(predicted(4.0, 1.0, false), predicted(6.0, 0.5, false));
  EXPECT_TRUE(has(text, "  compute               4.0000 s      6.0000 s      +2.0000 s  133.3 %\n")) << text;
  EXPECT_TRUE(has(text, "  bubble                1.0000 s      0.5000 s      -0.5000 s  -33.3 %\n")) << text;
  EXPECT_TRUE(has(text, "  iteration             5.0000 s      6.5000 s      +1.5000 s  100.0 %\n")) << text;
  EXPECT_TRUE(
      has(text, "B takes 1.5000 s (30.0 %) longer than A. Slower: compute +2.0000 s. Faster:\nbubble -0.5000 s.\n"))
      << text;
  EXPECT_TRUE(has(text, "B, with parallelism.tp=4\n")) << text;
  EXPECT_FALSE(has(text, "Replay")) << text;
}

TEST(Against, OfTheSameSaysSo)
{
  const ss_prediction same = predicted(4.0, 1.0, true);
  const std::string text = text_of(same, same);
  EXPECT_TRUE(has(text, "B takes as long as A, in every part.\n")) << text;
  EXPECT_TRUE(has(text, "  iteration             5.5000 s      5.5000 s       0.0000 s\n")) << text;
}

/* Parts that differ the same amount each way. */
TEST(Against, OfOneTimeNamesWhatDiffers)
{
  const std::string text = text_of(predicted(4.0, 1.0, false), predicted(3.0, 2.0, false));
  EXPECT_TRUE(has(text, "B takes as long as A. Slower: bubble +1.0000 s. Faster: compute -1.0000 s.\n")) << text;
}

/* Replays that took flows for others tell nothing of a difference that is smaller: 0.01 + 0.02 s against 0.025 s. */
TEST(Against, OfNearReplaysSaysWhatTheyCannotTell)
{
  ss_prediction a = predicted(4.0, 1.0, true), b = predicted(4.025, 1.0, true);
  a.shortcuts.presumed = {7, 0.01};
  EXPECT_FALSE(has(text_of(a, b), "only --fold exact tells"));
  b.shortcuts.presumed = {9, 0.02};
  const std::string text = text_of(a, b);
  EXPECT_TRUE(has(text, "which adds up to 30 ms")) << text;
  EXPECT_TRUE(has(text, "only --fold exact tells")) << text;
}

/* 100 tokens and 200: seconds of an iteration are not compared without a word. */
TEST(Against, OfOtherWorkSaysSo)
{
  ss_prediction b = predicted(8.0, 1.0, false);
  b.metrics.tokens_per_s_per_gpu *= 2.0;
  const std::string text = text_of(predicted(4.0, 1.0, false), b);
  EXPECT_TRUE(has(text, "An iteration of A has 100 tokens, one of B 200")) << text;
}

TEST(Against, OfMemoryHasTheDifferenceAndWhatFits)
{
  ss_prediction b = predicted(4.0, 1.0, false);
  b.memory.activations_bytes = 7.0 * GIB;
  b.memory.total_bytes = 9.0 * GIB;
  b.memory.fits = false;
  const std::string text = text_of(predicted(4.0, 1.0, false), b);
  EXPECT_TRUE(has(text, "  activations            0.00 GiB      7.00 GiB     +7.00 GiB\n")) << text;
  EXPECT_TRUE(has(text, "  fits                        yes            NO\n")) << text;
}

TEST(Against, AsJsonHasBothAndTheirDifference)
{
  ss_prediction a = predicted(4.0, 1.0, true), b = predicted(6.0, 0.5, true);
  a.stage_memory = &a.memory;
  b.stage_memory = &b.memory;
  b.memory.weights_bytes = b.memory.total_bytes = 3.0 * GIB;
  const ss_pair_report report = {&a, &b, change, 1};
  char *text = nullptr;
  ASSERT_EQ(ss_report_pair_json_text(&report, &text, nullptr), SS_OK);
  json_t *all = json_loads(text, 0, nullptr), *difference = json_object_get(all, "difference");
  double estimate_s = 0.0, compute_s = 0.0, iteration_s = 0.0, weights = 0.0;
  EXPECT_EQ(json_unpack(difference, "{s:{s:F}, s:{s:F, s:F}, s:{s:F}}", "estimate", "iteration_s", &estimate_s,
                        "simulation", "compute_s", &compute_s, "iteration_s", &iteration_s, "memory", "weights_bytes",
                        &weights),
            0);
  EXPECT_DOUBLE_EQ(estimate_s, 1.5);
  EXPECT_DOUBLE_EQ(compute_s, 2.0);
  EXPECT_DOUBLE_EQ(iteration_s, 1.5);
  EXPECT_DOUBLE_EQ(weights, GIB);
  EXPECT_STREQ(json_string_value(json_array_get(json_object_get(all, "against"), 0)), "parallelism.tp=4");
  EXPECT_NE(json_object_get(json_object_get(all, "b"), "simulation"), nullptr);
  json_decref(all);
  std::free(text);
}
