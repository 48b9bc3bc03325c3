#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

#include <jansson.h>

extern "C" {
#include "model/input/slow_parts.h"
#include "model/result/prediction.h"
#include "model/result/trials.h"
#include "sim/report/report.h"
}
#include "tests/support/scratch.hpp"

namespace
{

/* An iteration of 10 s by the closed form and 10.5 s by the replay; every column adds up:
 *   closed form  6 + 0.5 + 1.25 + 0.75 + 0.25 + 1 + 0.125 + 0.125 = 10
 *   replay       6 + 0.5 + 1.25 + 1    + 0.5  + 1 + 0.125 + 0.125 = 10.5
 *   causes       0.375 - 0.125 + 0.25 = 0.5 = 10.5 - 10 */
ss_prediction simulated()
{
  ss_prediction p{};
  p.workload = "gpt3-175b";
  p.platform = "perlmutter";
  p.gpus = 512;
  p.micro_batches = 48;
  p.estimate.compute_s = 6.0;
  p.estimate.memory_s = 0.5;
  p.estimate.tp_comm_s = 1.25;
  p.estimate.dp_comm_s = 0.75;
  p.estimate.pp_comm_s = 0.25;
  p.estimate.bubble_s = 1.0;
  p.estimate.optimizer_s = 0.125;
  p.estimate.other_s = 0.125;
  p.estimate.iteration_s = 10.0;
  p.simulation = p.estimate;
  p.simulation.dp_comm_s = 1.0;
  p.simulation.pp_comm_s = 0.5;
  p.simulation.iteration_s = 10.5;
  p.simulated = true;
  p.explanation.contention_s = 0.375;
  p.explanation.overlap_s = -0.125;
  p.explanation.schedule_s = 0.25;
  p.critical_stage = 15;
  p.critical_replica = 2;
  /* 4 + 4 + 12 + 28 = 48 GiB of 64 GiB: 6.25, 6.25, 18.75, 43.75 and 75 %. */
  const double gib = 1073741824.0;
  p.memory.weights_bytes = 4.0 * gib;
  p.memory.gradients_bytes = 4.0 * gib;
  p.memory.optimizer_bytes = 12.0 * gib;
  p.memory.activations_bytes = 28.0 * gib;
  p.memory.total_bytes = 48.0 * gib;
  p.memory.capacity_bytes = 64.0 * gib;
  p.memory.fits = true;
  p.metrics = {3.2768e18, 0.4375, 0.5, 585.0, 34.5, 312e12, 0.0};
  return p;
}

/* Two trials of 10.5 and 11.5 s: mean 11 s, a deviation of sqrt(0.5) s, quantiles at 5, 50 and 95 % of the second
 * between; GPU 60 has 4 and 7 s of the longest chains, a mean of 5.5 s, half of 11 s. One slow GPU costs 2.1 of 10.5 s.
 */
struct Variants {
  ss_trials trials = {};
  ss_slow_parts parts = {};
  Variants()
  {
    ss_trial trial[2] = {};
    for (int i = 0; i < 2; ++i) {
      trial[i].iteration_s = 10.5 + i;
      trial[i].path.legs = 1;
      trial[i].path.leg[0] = {15, 15, 2, 60, 4.0 + 3 * i, 7};
    }
    EXPECT_EQ(ss_trials_init(&trials, trial, 2), SS_OK);
    trials.seed = 3;
    parts.count = 1;
    parts.total = 40;
    parts.part[0].property = ss_machine_property("gpu-speed");
    std::snprintf(parts.part[0].entry, sizeof parts.part[0].entry, "5:0.%s", std::string(100, '9').c_str());
    parts.part[0].without_s = 8.4;
    parts.part[0].cost_s = 2.1;
  }
  ~Variants()
  {
    ss_trials_free(&trials);
  }
};

std::string text_of(const ss_prediction &prediction)
{
  char *buffer = nullptr;
  size_t size = 0;
  FILE *stream = open_memstream(&buffer, &size);
  ss_report_text(stream, &prediction);
  fclose(stream);
  const std::string text(buffer, size);
  free(buffer);
  return text;
}

void expect_ascii_lines(const std::string &text)
{
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
  }
}

TEST(Breakdown, SumsItsParts)
{
  const ss_prediction prediction = simulated();
  EXPECT_EQ(ss_breakdown_sum(&prediction.estimate), 10.0);
  EXPECT_EQ(ss_breakdown_sum(&prediction.simulation), 10.5);
  ss_breakdown breakdown{};
  double expected_s = 0.0, part_s = 1.0;
#define SET_PART(field, label, help)                                                                                   \
  breakdown.field = part_s;                                                                                            \
  expected_s += part_s;                                                                                                \
  part_s *= 2.0;
  SS_PART_LIST(SET_PART)
#undef SET_PART
  breakdown.iteration_s = 1e9;
  EXPECT_EQ(ss_breakdown_sum(&breakdown), expected_s);
}

TEST(Text, SideBySide)
{
  const std::string expected = R"(gpt3-175b on perlmutter, 512 GPUs, 48 micro-batches per replica

                       closed form                  replay              difference
  compute                6.0000 s    60.0 %      6.0000 s    57.1 %       0.0000 s
  memory                 0.5000 s     5.0 %      0.5000 s     4.8 %       0.0000 s
  tensor parallel        1.2500 s    12.5 %      1.2500 s    11.9 %       0.0000 s
  data parallel          0.7500 s     7.5 %      1.0000 s     9.5 %      +0.2500 s
  pipeline               0.2500 s     2.5 %      0.5000 s     4.8 %      +0.2500 s
  bubble                 1.0000 s    10.0 %      1.0000 s     9.5 %       0.0000 s
  optimizer              0.1250 s     1.2 %      0.1250 s     1.2 %       0.0000 s
  other                  0.1250 s     1.2 %      0.1250 s     1.2 %       0.0000 s
  iteration             10.0000 s   100.0 %     10.5000 s   100.0 %      +0.5000 s
Replay: exposed times on the rank that finishes last, in stage 15 of replica 2.

Why they differ (% of the closed form)
  contention             +0.3750 s   +3.8 %  shared or slow links: replay on the fabric minus replay
                                             on private links
  overlap                -0.1250 s   -1.2 %  messages hidden more (-) or less (+) than the closed
                                             form assumes
  schedule               +0.2500 s   +2.5 %  waits due to the exact order of work
  difference             +0.5000 s   +5.0 %

Memory on the fullest GPU (stage 0): fits in 64.00 GiB
  weights                 4.00 GiB    6.2 %
  gradients               4.00 GiB    6.2 %
  optimizer states       12.00 GiB   18.8 %
  activations            28.00 GiB   43.8 %
  total                  48.00 GiB   75.0 %

Metrics of the replay
  model flop utilisation (MFU)            43.8 %  of the 16-bit peak
  hardware flop utilisation (HFU)         50.0 %  of the 16-bit peak
  tokens per second per GPU              585.0
  model flop per iteration           3.277e+18
  whole training run                      34.5 days
)";
  EXPECT_EQ(text_of(simulated()), expected);
  expect_ascii_lines(text_of(simulated()));
}

/* 43.75 % and 50 % of a peak are half of that of one twice as high. */
TEST(Text, UtilisationOfBothPeaks)
{
  ss_prediction p = simulated();
  p.metrics.fp8_peak_flop_per_s = 2.0 * p.metrics.peak_flop_per_s;
  const std::string text = text_of(p);
  EXPECT_NE(text.find("(MFU)            43.8 %  of the 16-bit peak, 21.9 % of the fp8 peak\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("(HFU)         50.0 %  of the 16-bit peak, 25.0 % of the fp8 peak\n"), std::string::npos) << text;
}

TEST(Text, ClosedFormOnly)
{
  ss_prediction p = simulated();
  p.simulated = false;
  p.gpus = p.micro_batches = 1;
  p.memory.capacity_bytes = 0.5 * p.memory.total_bytes;
  p.memory.fits = false;
  p.memory.stage = 3;
  p.metrics.days = 0.0;
  const std::string expected = R"(gpt3-175b on perlmutter, 1 GPU, 1 micro-batch per replica

                       closed form
  compute                6.0000 s    60.0 %
  memory                 0.5000 s     5.0 %
  tensor parallel        1.2500 s    12.5 %
  data parallel          0.7500 s     7.5 %
  pipeline               0.2500 s     2.5 %
  bubble                 1.0000 s    10.0 %
  optimizer              0.1250 s     1.2 %
  other                  0.1250 s     1.2 %
  iteration             10.0000 s   100.0 %

Memory on the fullest GPU (stage 3): does NOT fit in 24.00 GiB
  weights                 4.00 GiB   16.7 %
  gradients               4.00 GiB   16.7 %
  optimizer states       12.00 GiB   50.0 %
  activations            28.00 GiB  116.7 %
  total                  48.00 GiB  200.0 %

Metrics of the closed form
  model flop utilisation (MFU)            43.8 %  of the 16-bit peak
  hardware flop utilisation (HFU)         50.0 %  of the 16-bit peak
  tokens per second per GPU              585.0
  model flop per iteration           3.277e+18
)";
  EXPECT_EQ(text_of(p), expected);
}

/* Times of a report have one unit, the largest that leaves a digit before the point. */
TEST(Text, UnitFollowsTheIteration)
{
  ss_prediction p = simulated();
#define SCALE(field, label, help) p.estimate.field *= 1e-3;
  SS_PART_LIST(SCALE)
#undef SCALE
  p.estimate.iteration_s = 10e-3;
  p.simulated = false;
  EXPECT_NE(text_of(p).find("  iteration              10.000 ms  100.0 %\n"), std::string::npos) << text_of(p);
  p.estimate.iteration_s = 0.99e-3;
  EXPECT_NE(text_of(p).find("  iteration              990.00 us  100.0 %\n"), std::string::npos) << text_of(p);
  p.estimate.iteration_s = 0.0;
  EXPECT_NE(text_of(p).find("  iteration                0.00 us    0.0 %\n"), std::string::npos) << text_of(p);
}

TEST(Text, WhatRoundsToZeroHasNoSign)
{
  ss_prediction p = simulated();
  p.explanation.overlap_s = -0.004; /* of 10 s */
  EXPECT_NE(text_of(p).find("  overlap                -0.0040 s    0.0 %  messages"), std::string::npos) << text_of(p);
}

/* What the causes leave open is said, not hidden. */
TEST(Text, CausesThatDoNotAddUp)
{
  ss_prediction p = simulated();
  p.explanation.schedule_s = 0.0;
  const std::string text = text_of(p);
  EXPECT_EQ(text.find("  schedule "), std::string::npos) << text;
  EXPECT_NE(text.find("  not explained          +0.2500 s   +2.5 %  the causes above"), std::string::npos) << text;
}

/* The section that follows a title, up to the next empty line. */
std::string section_of(const ss_prediction &prediction, const std::string &title)
{
  const std::string text = text_of(prediction);
  expect_ascii_lines(text);
  const size_t from = text.find("\n" + title);
  if (from == std::string::npos) return "";
  return text.substr(from + 1, text.find("\n\n", from + 1) - from);
}

/* Parts of parts, as far as they show at two decimals. */
TEST(Text, DetailsOfTheMemory)
{
  const double gib = 1073741824.0;
  ss_prediction p = simulated();
  EXPECT_EQ(text_of(p).find("of that"), std::string::npos);
  p.memory.gathered_bytes = 16.0 * gib;
  p.memory.logits_bytes = 0.25 * gib;
  p.memory.messages_bytes = 0.004 * gib;
  EXPECT_EQ(section_of(p, "Memory on the fullest"), R"(Memory on the fullest GPU (stage 0): fits in 64.00 GiB
  weights                 4.00 GiB    6.2 %
  gradients               4.00 GiB    6.2 %
  optimizer states       12.00 GiB   18.8 %
  activations            28.00 GiB   43.8 %
  total                  48.00 GiB   75.0 %
  of that                16.00 GiB   25.0 %  weights gathered by FSDP
                          0.25 GiB    0.4 %  logits
)");
}

/* Stages with so many GiB of 64; what is over that does not fit. */
class Stages
{
public:
  ss_prediction prediction = simulated();

  explicit Stages(const std::vector<double> &total_gib)
  {
    for (const double gib : total_gib) {
      ss_memory memory{};
      memory.stage = static_cast<int64_t>(memories.size());
      memory.total_bytes = gib * 1073741824.0;
      memory.capacity_bytes = 64.0 * 1073741824.0;
      memory.fits = gib <= 64.0;
      memories.push_back(memory);
      if (memories.size() == 1 || memory.total_bytes > prediction.memory.total_bytes) prediction.memory = memory;
    }
    prediction.stage_memory = memories.data();
    prediction.stages = static_cast<int64_t>(memories.size());
  }

  std::string section() const
  {
    return section_of(prediction, "Memory per stage");
  }

private:
  std::vector<ss_memory> memories;
};

TEST(Text, OneStageIsTheFullest)
{
  EXPECT_EQ(Stages({16.0}).section(), "");
}

TEST(Text, EqualStagesAreOneLine)
{
  EXPECT_EQ(Stages({32.0, 16.0, 16.0, 16.0, 24.0}).section(), R"(Memory per stage
  stage 0                32.00 GiB   50.0 %  fullest
  stages 1-3             16.00 GiB   25.0 %
  stage 4                24.00 GiB   37.5 %
)");
  EXPECT_EQ(Stages({72.0, 72.0, 80.0, 16.0}).section(), R"(Memory per stage
  stages 0-1             72.00 GiB  112.5 %  does NOT fit
  stage 2                80.00 GiB  125.0 %  fullest  does NOT fit
  stage 3                16.00 GiB   25.0 %
)");
}

/* 1f1b: every stage holds one micro-batch less than the one before it. What does not fit starts a line of its own, and
 * so does the fullest. */
TEST(Text, EvenlyFallingStagesAreOneLine)
{
  EXPECT_EQ(Stages({32.0, 28.0, 24.0, 20.0, 16.0, 8.0}).section(), R"(Memory per stage
  stage 0                32.00 GiB   50.0 %  fullest
  stages 1-4             28.00 GiB   43.8 %  to 16.00 GiB, 25.0 %
  stage 5                 8.00 GiB   12.5 %
)");
  EXPECT_EQ(Stages({96.0, 88.0, 80.0, 72.0, 64.0, 56.0, 48.0}).section(), R"(Memory per stage
  stage 0                96.00 GiB  150.0 %  fullest  does NOT fit
  stages 1-3             88.00 GiB  137.5 %  to 72.00 GiB, 112.5 %  does NOT fit
  stages 4-6             64.00 GiB  100.0 %  to 48.00 GiB, 75.0 %
)");
  EXPECT_EQ(Stages({8.0, 16.0, 24.0, 32.0}).section(), R"(Memory per stage
  stages 0-2              8.00 GiB   12.5 %  to 24.00 GiB, 37.5 %
  stage 3                32.00 GiB   50.0 %  fullest
)");
}

ss_prediction offloading()
{
  const double gib = 1073741824.0;
  ss_prediction p = simulated();
  p.memory.offloaded_bytes = 96.0 * gib;
  p.memory.offload_capacity_bytes = 128.0 * gib;
  p.offload = {20.0 * gib, 12.0 * gib, 8e9, 0, 32e9};
  return p;
}

TEST(Text, OffloadHasItsOwnSection)
{
  EXPECT_EQ(section_of(simulated(), "Second memory tier"), "");
  ss_prediction p = offloading();
  EXPECT_EQ(section_of(p, "Second memory tier"), R"(Second memory tier of that GPU: fits in 128.00 GiB
  kept there             96.00 GiB   75.0 %
  read                   20.00 GiB an iteration
  written                12.00 GiB an iteration
  needed                  8.00 GB/s each way to hide it behind the passes
  available              32.00 GB/s each way
)");
  p.memory.offload_capacity_bytes *= 0.5;
  p.memory.fits = false;
  EXPECT_NE(text_of(p).find("(stage 0): fits in 64.00 GiB\n"), std::string::npos) << text_of(p);
  EXPECT_NE(text_of(p).find("that GPU: does NOT fit in 64.00 GiB\n"), std::string::npos) << text_of(p);
}

TEST(Text, TrialsAndSlowParts)
{
  const Variants variants;
  ss_prediction p = simulated();
  p.trials = &variants.trials;
  p.slow_parts = &variants.parts;
  const std::string text = text_of(p), bar(SS_TRIALS_BARS - 2, ' ');
  EXPECT_NE(text.find("\n2 trials from seed 3 (% of the mean); the first is the replay above\n"
                      "  mean                  11.0000 s   100.0 %\n"
                      "  std deviation          0.7071 s     6.4 %\n"
                      "  shortest              10.5000 s    95.5 %\n"
                      "  5th percentile        10.5500 s    95.9 %\n"
                      "  median                11.0000 s   100.0 %\n"
                      "  95th percentile       11.4500 s   104.1 %\n"
                      "  longest               11.5000 s   104.5 %\n"
                      "  shortest - longest     |@" +
                      bar +
                      "@|\n"
                      "\nWhere the longest chain of work is, mean of the trials\n"
                      "  GPU 60                 5.5000 s    50.0 %  stage 15 of replica 2, most in 2 trials\n"
                      "\nSlow parts (time that each adds to the iteration, % of the replay)\n"
                      "  gpu-speed              +2.1000 s   20.0 %  5:0." +
                      std::string(46, '9') + "\n  the first 1 of 40\n\nMemory"),
            std::string::npos)
      << text;
  expect_ascii_lines(text);
}

/* What a replay of 10.5 s saw: 0.042 + 0.63 + 0.21 s are 0.4, 6 and 2 %; links that carry 40, 25 and 10 % of what they
 * can; a path of 6.3 + 2.1 + 1.05 + 1.05 = 10.5 s: 60, 20, 10 and 10 %. */
ss_prediction contended()
{
  ss_prediction p = simulated();
  p.exposed = {0.042, 0.63, 0.21};
  p.flows = 1000;
  p.stage_replicas = 128;
  p.simulated_stage_replicas = 16;
  p.links.used = 3000;
  p.links.total = 4096;
  p.links.count = 3;
  p.links.link[0] = {"leaf-2:up-5", 1, 25e9, 1.05e11, 0.4, 1.0};
  p.links.link[1] = {"nic-0:out", 256, 12.5e9, 3.28125e10, 0.25, 0.75};
  p.links.link[2] = {"gpu-0:in", 512, 300e9, 3.15e11, 0.1, 0.2};
  p.path.compute_s = 6.3;
  p.path.calls_s = 2.1;
  p.path.data_s = 1.05;
  p.path.message_s = 1.05;
  p.path.moves = 7;
  p.path.legs = 4;
  p.path.leg[0] = {3, 3, 0, 24, 8.4, 3};
  p.path.leg[1] = {3, 3, SS_PATH_ALL_REPLICAS, 24, 1.05, 1};
  p.path.leg[2] = {3, 4, 0, 24, 0.84, 2};
  p.path.leg[3] = {4, 3, 0, 32, 0.21, 2};
  return p;
}

TEST(Text, ExposedCommunicationBySource)
{
  const char *const title = "Exposed communication of the rank";
  EXPECT_EQ(section_of(simulated(), title), "");
  EXPECT_EQ(section_of(contended(), title),
            R"(Exposed communication of the rank that finishes last (% of the iteration)
  latency                0.0420 s     0.4 %  start-up of messages and of collective steps
  own bandwidth          0.6300 s     6.0 %  bytes over unshared links at full speed
  contention             0.2100 s     2.0 %  added by links that were shared or slow
)");
  ss_prediction p = contended();
  p.exposed.shared_s = 0.005; /* 0.048 % */
  EXPECT_EQ(section_of(p, title).find("contention"), std::string::npos);
  p.simulated = false;
  EXPECT_EQ(section_of(p, title), "");
}

/* Those that are at least half as busy as the first, but no more than eight. */
TEST(Text, BusiestLinks)
{
  EXPECT_EQ(section_of(simulated(), "Busiest links"), "");
  EXPECT_EQ(section_of(contended(), "Busiest links"),
            R"(Busiest links                                  capacity   utilisation   at its peak
  leaf-2:up-5                                25.00 GB/s        40.0 %       100.0 %
  nic-0:out and 255 alike                    12.50 GB/s        25.0 %        75.0 %
)");
  ss_prediction p = contended();
  p.links.count = SS_BUSY_LINKS;
  for (int64_t i = 1; i < p.links.count; ++i) p.links.link[i] = p.links.link[0];
  const std::string section = section_of(p, "Busiest links");
  EXPECT_EQ(std::count(section.begin(), section.end(), '\n'), 9);
}

TEST(Text, CriticalPath)
{
  const char *const title = "Critical path";
  EXPECT_EQ(section_of(simulated(), title), "");
  EXPECT_EQ(section_of(contended(), title),
            R"(Critical path, traced back from the end of the iteration (% of the iteration)
  kernels                6.3000 s    60.0 %  passes and optimizer steps
  layer collectives      2.1000 s    20.0 %  tensor, context and expert parallel, inside passes
  data parallel          1.0500 s    10.0 %  gathers and reductions that delayed other work
  pipeline messages      1.0500 s    10.0 %  from stage to stage
  longest                8.4000 s    80.0 %  stage 3 of replica 0 (GPU 24), 3 times
                         1.0500 s    10.0 %  stage 3, data parallel
)");
  ss_prediction p = contended();
  p.path.leg[0] = p.path.leg[2];
  EXPECT_NE(section_of(p, title).find("  stage 3 -> 4 of replica 0, 2 times\n"), std::string::npos);
  p.path.legs = 1; /* one place is all of it */
  EXPECT_EQ(section_of(p, title).find("longest"), std::string::npos);
}

TEST(Text, LongNamesKeepTheirOwnLine)
{
  ss_prediction p = simulated();
  const std::string workload(70, 'w');
  p.workload = workload.c_str();
  EXPECT_EQ(text_of(p).rfind(workload + " on perlmutter\n512 GPUs, 48 micro-batches per replica\n", 0), 0u);
  expect_ascii_lines(text_of(p));
}

/* ---- JSON */

std::vector<std::string> keys_of(json_t *object)
{
  std::vector<std::string> keys;
  const char *key = nullptr;
  json_t *value = nullptr;
  json_object_foreach(object, key, value) keys.push_back(key);
  return keys;
}

double number(json_t *root, const char *object, const char *key)
{
  return json_number_value(json_object_get(json_object_get(root, object), key));
}

class Json : public testing::Test
{
protected:
  Scratch scratch;
  std::string path = scratch.path("prediction.json");
  ss_error error{};
  json_t *root = nullptr;

  void write(const ss_prediction &prediction)
  {
    ASSERT_EQ(ss_report_json(path.c_str(), &prediction, &error), SS_OK) << error.message;
    root = json_load_file(path.c_str(), JSON_REJECT_DUPLICATES, nullptr);
    ASSERT_NE(root, nullptr);
  }
  void TearDown() override
  {
    json_decref(root);
  }
};

const std::vector<std::string> breakdown_keys = {"iteration_s", "compute_s",   "memory_s",  "tp_comm_s",
                                                 "cp_comm_s",   "ep_comm_s",   "dp_comm_s", "pp_comm_s",
                                                 "bubble_s",    "optimizer_s", "offload_s", "other_s"};

const std::vector<std::string> memory_keys = {"stage",
                                              "weights_bytes",
                                              "gradients_bytes",
                                              "optimizer_bytes",
                                              "activations_bytes",
                                              "gathered_bytes",
                                              "unreduced_bytes",
                                              "placeholders_bytes",
                                              "recompute_bytes",
                                              "logits_bytes",
                                              "messages_bytes",
                                              "total_bytes",
                                              "capacity_bytes",
                                              "offloaded_bytes",
                                              "offload_capacity_bytes",
                                              "fits"};

TEST_F(Json, KeysAreThoseOfTheContract)
{
  write(simulated());
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_of(root), (Keys{"stepsim", "workload", "platform", "calibration", "gpus", "micro_batches", "estimate",
                                 "simulation", "explanation", "critical", "replay", "memory", "metrics"}));
  EXPECT_EQ(keys_of(json_object_get(root, "estimate")), breakdown_keys);
  EXPECT_EQ(keys_of(json_object_get(root, "simulation")), breakdown_keys);
  EXPECT_EQ(keys_of(json_object_get(root, "explanation")),
            (Keys{"contention_s", "slowed_s", "latency_s", "stages_s", "overlap_s", "schedule_s"}));
  EXPECT_EQ(keys_of(json_object_get(root, "critical")), (Keys{"stage", "replica"}));
  Keys with_stages = memory_keys;
  with_stages.push_back("stages");
  EXPECT_EQ(keys_of(json_object_get(root, "memory")), with_stages);
  EXPECT_EQ(keys_of(json_object_get(root, "metrics")),
            (Keys{"model_flop_per_iteration", "mfu", "hfu", "tokens_per_s_per_gpu", "days", "peak_flop_per_s",
                  "fp8_peak_flop_per_s"}));
}

TEST_F(Json, WhatTheReplaySaw)
{
  using Keys = std::vector<std::string>;
  write(contended());
  json_t *replay = json_object_get(root, "replay");
  EXPECT_EQ(keys_of(replay),
            (Keys{"flows", "folded", "exposed", "links", "links_used", "links_total", "critical_path"}));
  EXPECT_EQ(json_integer_value(json_object_get(replay, "flows")), 1000);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(replay, "folded"), "cells")), 128);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(replay, "folded"), "simulated")), 16);
  EXPECT_EQ(keys_of(json_object_get(replay, "exposed")), (Keys{"latency_s", "bandwidth_s", "shared_s"}));
  EXPECT_EQ(number(replay, "exposed", "shared_s"), 0.21);
  json_t *links = json_object_get(replay, "links");
  ASSERT_EQ(json_array_size(links), 3u);
  json_t *link = json_array_get(links, 1);
  EXPECT_EQ(keys_of(link), (Keys{"name", "alike", "bytes_per_s", "bytes", "utilisation", "peak"}));
  EXPECT_STREQ(json_string_value(json_object_get(link, "name")), "nic-0:out");
  EXPECT_EQ(json_integer_value(json_object_get(link, "alike")), 256);
  EXPECT_EQ(json_number_value(json_object_get(link, "peak")), 0.75);
  json_t *found = json_object_get(replay, "critical_path");
  EXPECT_EQ(keys_of(found), (Keys{"compute_s", "calls_s", "data_s", "message_s", "offload_s", "moves", "legs"}));
  json_t *legs = json_object_get(found, "legs");
  ASSERT_EQ(json_array_size(legs), 4u);
  json_t *leg = json_array_get(legs, 2);
  EXPECT_EQ(keys_of(leg), (Keys{"from_stage", "to_stage", "replica", "gpu", "time_s", "visits"}));
  EXPECT_EQ(json_integer_value(json_object_get(leg, "to_stage")), 4);
  EXPECT_EQ(json_number_value(json_object_get(leg, "time_s")), 0.84);
  EXPECT_TRUE(json_is_null(json_object_get(json_array_get(legs, 1), "replica")));
}

TEST_F(Json, ValuesReadBackToTheLastBit)
{
  ss_prediction p = simulated();
  p.workload = "a \"quoted\" n\303\266me";
  p.estimate.iteration_s = 0.1 + 0.2;
  p.simulation.pp_comm_s = 1.0 / 3.0;
  p.metrics.model_flop_per_iteration = 1e18 / 7.0;
  write(p);
  EXPECT_STREQ(json_string_value(json_object_get(root, "stepsim")), SS_VERSION);
  EXPECT_STREQ(json_string_value(json_object_get(root, "workload")), p.workload);
  EXPECT_STREQ(json_string_value(json_object_get(root, "platform")), "perlmutter");
  EXPECT_EQ(json_integer_value(json_object_get(root, "gpus")), 512);
  EXPECT_EQ(json_integer_value(json_object_get(root, "micro_batches")), 48);
  EXPECT_EQ(number(root, "estimate", "iteration_s"), 0.1 + 0.2);
  EXPECT_EQ(number(root, "simulation", "pp_comm_s"), 1.0 / 3.0);
  EXPECT_EQ(number(root, "explanation", "overlap_s"), -0.125);
  EXPECT_EQ(number(root, "critical", "stage"), 15);
  EXPECT_EQ(number(root, "critical", "replica"), 2);
  EXPECT_EQ(number(root, "memory", "optimizer_bytes"), 12.0 * 1073741824.0);
  EXPECT_TRUE(json_is_true(json_object_get(json_object_get(root, "memory"), "fits")));
  EXPECT_EQ(number(root, "metrics", "model_flop_per_iteration"), 1e18 / 7.0);
  EXPECT_EQ(number(root, "metrics", "days"), 34.5);
  EXPECT_EQ(read_file(path).substr(read_file(path).size() - 2), "}\n");
  EXPECT_EQ(scratch.entries(), std::vector<std::string>{"prediction.json"});
}

TEST_F(Json, HasNoSimulationWithoutOne)
{
  ss_prediction p = simulated();
  p.simulated = false;
  p.metrics.mfu = std::numeric_limits<double>::infinity();
  write(p);
  for (const char *key : {"simulation", "explanation", "critical", "offload"})
    EXPECT_EQ(json_object_get(root, key), nullptr);
  EXPECT_TRUE(json_is_null(json_object_get(json_object_get(root, "metrics"), "mfu")));
}

TEST_F(Json, MemoryOfEveryStage)
{
  const Stages stages({16.0, 80.0});
  write(stages.prediction);
  json_t *memory = json_object_get(root, "memory"), *list = json_object_get(memory, "stages");
  EXPECT_EQ(number(root, "memory", "stage"), 1);
  EXPECT_EQ(number(root, "memory", "total_bytes"), 80.0 * 1073741824.0);
  ASSERT_EQ(json_array_size(list), 2u);
  for (size_t stage = 0; stage < 2; stage++) {
    json_t *entry = json_array_get(list, stage);
    EXPECT_EQ(keys_of(entry), memory_keys);
    EXPECT_EQ(json_integer_value(json_object_get(entry, "stage")), static_cast<json_int_t>(stage));
    EXPECT_EQ(json_is_true(json_object_get(entry, "fits")), stage == 0);
  }
}

TEST_F(Json, OffloadIsThereWhenItHappens)
{
  write(offloading());
  EXPECT_EQ(keys_of(json_object_get(root, "offload")),
            (std::vector<std::string>{"read_bytes", "written_bytes", "needed_bytes_per_s", "optimizer_bytes_per_s",
                                      "available_bytes_per_s"}));
  EXPECT_EQ(number(root, "offload", "needed_bytes_per_s"), 8e9);
  EXPECT_EQ(number(root, "memory", "offloaded_bytes"), 96.0 * 1073741824.0);
}

TEST_F(Json, TrialsAndSlowParts)
{
  const Variants variants;
  ss_prediction p = simulated();
  p.trials = &variants.trials;
  p.slow_parts = &variants.parts;
  write(p);
  using Keys = std::vector<std::string>;
  json_t *trials = json_object_get(root, "trials"), *part = json_array_get(json_object_get(root, "slow_parts"), 0);
  EXPECT_EQ(keys_of(trials), (Keys{"seed", "n", "mean_s", "std_s", "min_s", "p5_s", "p50_s", "p95_s", "max_s",
                                   "iteration_s", "longest_chain"}));
  EXPECT_EQ(json_real_value(json_array_get(json_object_get(trials, "iteration_s"), 1)), 11.5);
  json_t *pacer = json_array_get(json_object_get(trials, "longest_chain"), 0);
  EXPECT_EQ(keys_of(pacer), (Keys{"gpu", "stage", "replica", "mean_s", "most_in_trials"}));
  EXPECT_EQ(json_integer_value(json_object_get(pacer, "gpu")), 60);
  EXPECT_EQ(json_real_value(json_object_get(pacer, "mean_s")), 5.5);
  EXPECT_EQ(keys_of(part), (Keys{"property", "entry", "without_s", "cost_s"}));
  EXPECT_EQ(json_real_value(json_object_get(part, "cost_s")), 2.1);
}

TEST_F(Json, ReplacesAnOlderFile)
{
  std::ofstream(path) << "older";
  write(simulated());
  EXPECT_EQ(scratch.entries(), std::vector<std::string>{"prediction.json"});
}

TEST_F(Json, NamesWhatCannotBeWritten)
{
  const ss_prediction p = simulated();
  EXPECT_EQ(ss_report_json("/dev/full", &p, &error), SS_ERROR_OUTPUT);
  EXPECT_EQ(error.code, SS_ERROR_OUTPUT);
  EXPECT_STREQ(error.message, "cannot write \"/dev/full\": No space left on device");
  const std::string missing = scratch.path("none/x.json");
  EXPECT_EQ(ss_report_json(missing.c_str(), &p, &error), SS_ERROR_OUTPUT);
  EXPECT_EQ(std::string(error.message), "cannot write \"" + missing + "\": No such file or directory");
  EXPECT_TRUE(scratch.entries().empty());
}

TEST_F(Json, WritesToStandardOutput)
{
  testing::internal::CaptureStdout();
  const ss_prediction p = simulated();
  EXPECT_EQ(ss_report_json("-", &p, &error), SS_OK);
  const std::string printed = testing::internal::GetCapturedStdout();
  root = json_loads(printed.c_str(), 0, nullptr);
  ASSERT_NE(root, nullptr) << printed;
  EXPECT_EQ(number(root, "estimate", "compute_s"), 6.0);
}

TEST_F(Json, AFullStandardOutputIsAnError)
{
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (freopen("/dev/full", "w", stdout) == nullptr) _exit(2);
    const ss_prediction p = simulated();
    _exit(ss_report_json("-", &p, &error) == SS_ERROR_OUTPUT ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/* ---- what links carried, as CSV */

class Links : public testing::Test
{
protected:
  Scratch scratch;
  std::string path = scratch.path("links.csv");
  ss_error error{};
  ss_link_writer writer{};

  void TearDown() override
  {
    ss_link_writer_destroy(&writer);
  }
  void tell()
  {
    const double boundary_s[] = {0.0, 0.5, 1.25}, utilisation[] = {1.0, 1.0 / 3.0};
    const ss_busy_link link = {"leaf-2:up-5", 4, 25e9, 1.5625e10, 0.5, 1.0};
    writer.open(writer.self, boundary_s, 2);
    writer.link(writer.self, &link, utilisation, 2);
  }
};

TEST_F(Links, AreRowsWithAColumnPerSlice)
{
  ASSERT_EQ(ss_link_writer_create(path.c_str(), &writer, &error), SS_OK) << error.message;
  tell();
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_EQ(writer.close(writer.self, &error), SS_OK) << error.message;
  EXPECT_EQ(read_file(path), "link,alike,bytes_per_s,bytes,utilisation,peak,0..0.5,0.5..1.25\n"
                             "leaf-2:up-5,4,25000000000,15625000000,0.5,1,1,0.333333\n");
}

TEST_F(Links, LeaveNothingBehindWithoutAnEnd)
{
  ASSERT_EQ(ss_link_writer_create(path.c_str(), &writer, &error), SS_OK) << error.message;
  tell();
  ss_link_writer_destroy(&writer);
  EXPECT_TRUE(scratch.entries().empty());
}

TEST_F(Links, NameWhatCannotBeWritten)
{
  EXPECT_EQ(ss_link_writer_create(scratch.path("none/links.csv").c_str(), &writer, &error), SS_ERROR_OUTPUT);
  EXPECT_NE(std::string(error.message).find("none/links.csv"), std::string::npos) << error.message;
  ASSERT_EQ(ss_link_writer_create("/dev/full", &writer, &error), SS_OK) << error.message;
  tell();
  EXPECT_EQ(writer.close(writer.self, &error), SS_ERROR_OUTPUT);
  EXPECT_NE(std::string(error.message).find("/dev/full"), std::string::npos) << error.message;
}

} /* namespace */
