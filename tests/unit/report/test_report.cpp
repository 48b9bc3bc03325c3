/* The report as text, against numbers that add up by hand. */
#include <algorithm>
#include <sstream>

#include "tests/support/predictions.hpp"

extern "C" {
#include "sim/report/report.h"
}

using namespace stepsim;

namespace
{

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
Iteration 10.5 s (80 % between 9.45 and 12.6 s: like 41 measured ones of 5
publishers on A100, 16-bit, dense).

                      closed form                 replay             difference
  compute               6.0000 s    60.0 %     6.0000 s    57.1 %      0.0000 s
  memory                0.5000 s     5.0 %     0.5000 s     4.8 %      0.0000 s
  tensor parallel       1.2500 s    12.5 %     1.2500 s    11.9 %      0.0000 s
  data parallel         0.7500 s     7.5 %     1.0000 s     9.5 %     +0.2500 s
  pipeline              0.2500 s     2.5 %     0.5000 s     4.8 %     +0.2500 s
  bubble                1.0000 s    10.0 %     1.0000 s     9.5 %      0.0000 s
  optimizer             0.1250 s     1.2 %     0.1250 s     1.2 %      0.0000 s
  other                 0.1250 s     1.2 %     0.1250 s     1.2 %      0.0000 s
  iteration            10.0000 s   100.0 %    10.5000 s   100.0 %     +0.5000 s
Replay: exposed times on the rank that finishes last, in stage 15 of replica 2.

Why they differ (% of the closed form)
  contention            +0.3750 s   +3.8 %  shared or slow links: replay on the
                                            fabric minus replay on private links
  overlap               -0.1250 s   -1.2 %  messages hidden more (-) or less (+)
                                            than the closed form assumes
  schedule              +0.2500 s   +2.5 %  order of work; groups faster than
                                            the slowest of their kind
  difference            +0.5000 s   +5.0 %

Memory on the fullest GPU (stage 0): fits in 64.00 GiB
  weights                4.00 GiB    6.2 %
  gradients              4.00 GiB    6.2 %
  optimizer states      12.00 GiB   18.8 %
  activations           28.00 GiB   43.8 %
  total                 48.00 GiB   75.0 %

Metrics of the replay
  parameters                        175 billion
  model flop utilisation (MFU)            43.8 %  of the 16-bit peak
  hardware flop utilisation (HFU)         50.0 %  of the 16-bit peak
  tokens per second per GPU              585.0
  model flop per iteration           3.277e+18
  whole training run                      34.5 days
)";
  EXPECT_EQ(text_of(simulated()), expected);
  expect_ascii_lines(text_of(simulated()));
}

/* An interval that does not hold its prediction says why; one of a platform without a fit says what it is around. */
TEST(Text, PredictionOutsideOfItsInterval)
{
  const auto said = [](double low, double high, double middle) {
    ss_prediction p = simulated();
    p.interval.low = low;
    p.interval.high = high;
    p.interval.middle = middle;
    std::string text = text_of(p);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  const std::string faster =
      "dense). The prediction is outside, since most of them were faster than predicted, by 4.0 % at";
  const std::string slower =
      "dense). The prediction is outside, since most of them were slower than predicted, by 8.0 % at";
  EXPECT_NE(said(0.92, 0.99, 0.96).find(faster), std::string::npos) << said(0.92, 0.99, 0.96);
  EXPECT_NE(said(1.02, 1.2, 1.08).find(slower), std::string::npos) << said(1.02, 1.2, 1.08);
  EXPECT_EQ(said(0.92, 1.01, 0.96).find("outside"), std::string::npos);
  EXPECT_EQ(said(1.02, 1.2, 0).find("outside"), std::string::npos);
}

/* Waits in collectives for other replicas are named where they are to be seen; the interval is for one draw of
 * documents. */
TEST(Text, WaitsAndDraws)
{
  ss_prediction p = simulated();
  EXPECT_EQ(text_of(p).find("waits in"), std::string::npos);
  EXPECT_EQ(text_of(p).find("--trials"), std::string::npos);
  p.behind_s = 0.125;
  p.draws_documents = true;
  EXPECT_NE(text_of(p).find("Of other, 0.1250 s are waits in collectives for replicas"), std::string::npos);
  EXPECT_NE(text_of(p).find("That is for the documents of one draw (--seed)"), std::string::npos);
  expect_ascii_lines(text_of(p));
}

/* Of tokens that experts drop, MFU counts what HFU does not. */
TEST(Text, DroppedTokens)
{
  ss_prediction p = simulated();
  p.metrics.hfu = 0.3; /* of 0.4375 */
  EXPECT_NE(text_of(p).find("(below MFU, which counts causal attention in full"), std::string::npos);
  p.metrics.dropped = 0.5;
  EXPECT_NE(text_of(p).find(
                "(below MFU, which as in Megatron-LM counts all tokens of a batch, also the 50\n  % that experts"),
            std::string::npos)
      << text_of(p);
  expect_ascii_lines(text_of(p));
}

/* 43.75 % and 50 % of a peak are half of that of one twice as high. */
TEST(Text, UtilisationOfBothPeaks)
{
  ss_prediction p = simulated();
  p.metrics.products = SS_ENGINE_FP8;
  p.metrics.products_peak_flop_per_s = 2.0 * p.metrics.peak_flop_per_s;
  const std::string text = text_of(p);
  EXPECT_NE(
      text.find("(MFU)            43.8 %  of the 16-bit peak\n" + std::string(42, ' ') + "21.9 %  of the fp8 peak\n"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find("(HFU)         50.0 %  of the 16-bit peak\n" + std::string(42, ' ') + "25.0 %  of the fp8 peak\n"),
      std::string::npos)
      << text;
}

/* Where the platform has prices, and for the whole run where its tokens are known. */
TEST(Text, Dollars)
{
  ss_prediction p = simulated();
  EXPECT_EQ(text_of(p).find("dollars"), std::string::npos);
  p.outlay.iteration_dollars = 12.34;
  EXPECT_NE(text_of(p).find("  dollars per iteration                  12.34\n"), std::string::npos) << text_of(p);
  EXPECT_EQ(text_of(p).find("whole run "), std::string::npos);
  p.outlay.run_dollars = 5.432e6;
  EXPECT_NE(text_of(p).find("  dollars of the whole run        5.432 million\n"), std::string::npos) << text_of(p);
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
Iteration 10 s (80 % between 9 and 12 s: like 41 measured ones of 5 publishers
on A100, 16-bit, dense).

                      closed form
  compute               6.0000 s    60.0 %
  memory                0.5000 s     5.0 %
  tensor parallel       1.2500 s    12.5 %
  data parallel         0.7500 s     7.5 %
  pipeline              0.2500 s     2.5 %
  bubble                1.0000 s    10.0 %
  optimizer             0.1250 s     1.2 %
  other                 0.1250 s     1.2 %
  iteration            10.0000 s   100.0 %

Memory on the fullest GPU (stage 3): does NOT fit in 24.00 GiB
  weights                4.00 GiB   16.7 %
  gradients              4.00 GiB   16.7 %
  optimizer states      12.00 GiB   50.0 %
  activations           28.00 GiB  116.7 %
  total                 48.00 GiB  200.0 %

Metrics of the closed form
  parameters                        175 billion
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
  EXPECT_NE(text_of(p).find("  iteration             10.000 ms  100.0 %\n"), std::string::npos) << text_of(p);
  p.estimate.iteration_s = 0.99e-3;
  EXPECT_NE(text_of(p).find("  iteration             990.00 us  100.0 %\n"), std::string::npos) << text_of(p);
  p.estimate.iteration_s = 0.0;
  EXPECT_NE(text_of(p).find("  iteration               0.00 us    0.0 %\n"), std::string::npos) << text_of(p);
}

TEST(Text, WhatRoundsToZeroHasNoSign)
{
  ss_prediction p = simulated();
  p.explanation.overlap_s = -0.004; /* of 10 s */
  EXPECT_NE(text_of(p).find("  overlap               -0.0040 s    0.0 %  messages"), std::string::npos) << text_of(p);
}

/* What the causes leave open is said, not hidden. */
TEST(Text, CausesThatDoNotAddUp)
{
  ss_prediction p = simulated();
  p.explanation.schedule_s = 0.0;
  const std::string text = text_of(p);
  EXPECT_EQ(text.find("  schedule "), std::string::npos) << text;
  EXPECT_NE(text.find("  not explained         +0.2500 s   +2.5 %  the causes above"), std::string::npos) << text;
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
  weights                4.00 GiB    6.2 %
  gradients              4.00 GiB    6.2 %
  optimizer states      12.00 GiB   18.8 %
  activations           28.00 GiB   43.8 %
  total                 48.00 GiB   75.0 %
  of that               16.00 GiB   25.0 %  weights gathered by FSDP
                         0.25 GiB    0.4 %  logits
)");
}

std::string section_of_stages(const std::vector<double> &total_gib)
{
  return section_of(Stages(total_gib).prediction, "Memory per stage");
}

TEST(Text, OneStageIsTheFullest)
{
  EXPECT_EQ(section_of_stages({16.0}), "");
}

TEST(Text, EqualStagesAreOneLine)
{
  EXPECT_EQ(section_of_stages({32.0, 16.0, 16.0, 16.0, 24.0}), R"(Memory per stage
  stage 0               32.00 GiB   50.0 %  fullest
  stages 1-3            16.00 GiB   25.0 %
  stage 4               24.00 GiB   37.5 %
)");
  EXPECT_EQ(section_of_stages({72.0, 72.0, 80.0, 16.0}), R"(Memory per stage
  stages 0-1            72.00 GiB  112.5 %  does NOT fit
  stage 2               80.00 GiB  125.0 %  fullest  does NOT fit
  stage 3               16.00 GiB   25.0 %
)");
}

/* 1f1b: every stage holds one micro-batch less than the one before it. What does not fit starts a line of its own, and
 * so does the fullest. */
TEST(Text, EvenlyFallingStagesAreOneLine)
{
  EXPECT_EQ(section_of_stages({32.0, 28.0, 24.0, 20.0, 16.0, 8.0}), R"(Memory per stage
  stage 0               32.00 GiB   50.0 %  fullest
  stages 1-4            28.00 GiB   43.8 %  to 16.00 GiB, 25.0 %
  stage 5                8.00 GiB   12.5 %
)");
  EXPECT_EQ(section_of_stages({96.0, 88.0, 80.0, 72.0, 64.0, 56.0, 48.0}), R"(Memory per stage
  stage 0               96.00 GiB  150.0 %  fullest  does NOT fit
  stages 1-3            88.00 GiB  137.5 %  to 72.00 GiB, 112.5 %  does NOT fit
  stages 4-6            64.00 GiB  100.0 %  to 48.00 GiB, 75.0 %
)");
  EXPECT_EQ(section_of_stages({8.0, 16.0, 24.0, 32.0}), R"(Memory per stage
  stages 0-2             8.00 GiB   12.5 %  to 24.00 GiB, 37.5 %
  stage 3               32.00 GiB   50.0 %  fullest
)");
}

TEST(Text, OffloadHasItsOwnSection)
{
  EXPECT_EQ(section_of(simulated(), "Second memory tier"), "");
  ss_prediction p = offloading();
  EXPECT_EQ(section_of(p, "Second memory tier"), R"(Second memory tier of that GPU: fits in 128.00 GiB
  kept there            96.00 GiB   75.0 %
  read                  20.00 GiB an iteration
  written               12.00 GiB an iteration
  needed                 8.00 GB/s each way to hide it behind the passes
  available             32.00 GB/s each way
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
                      "  mean                 11.0000 s   100.0 %\n"
                      "  std deviation         0.7071 s     6.4 %\n"
                      "  shortest             10.5000 s    95.5 %\n"
                      "  5th percentile       10.5500 s    95.9 %\n"
                      "  median               11.0000 s   100.0 %\n"
                      "  95th percentile      11.4500 s   104.1 %\n"
                      "  longest              11.5000 s   104.5 %\n"
                      "  shortest - longest     |@" +
                      bar +
                      "@|\n"
                      "\nWhere the longest chain of work is, mean of the trials\n"
                      "  GPU 60                5.5000 s    50.0 %  stage 15 of replica 2, most in 2\n"
                      "                                            trials\n"
                      "\nSlow parts (time that each adds to the iteration, % of the replay)\n"
                      "  gpu-speed             +2.1000 s   20.0 %  5:0." +
                      std::string(32, '9') + "\n  the first 1 of 40\n\nMemory"),
            std::string::npos)
      << text;
  expect_ascii_lines(text);
}

TEST(Text, ExposedCommunicationBySource)
{
  const char *const title = "Exposed communication of the rank";
  EXPECT_EQ(section_of(simulated(), title), "");
  EXPECT_EQ(section_of(contended(), title),
            R"(Exposed communication of the rank that finishes last (% of the iteration)
  latency               0.0420 s     0.4 %  start-up of messages and of
                                            collective steps
  own bandwidth         0.6300 s     6.0 %  bytes over unshared links at full
                                            speed
  contention            0.2100 s     2.0 %  added by links that were shared or
                                            slow
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
            R"(Busiest links                              capacity   utilisation   at its peak
  leaf-2:up-5                            25.00 GB/s        40.0 %       100.0 %
  nic-0:out and 255 alike                12.50 GB/s        25.0 %        75.0 %
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
  kernels               6.3000 s    60.0 %  passes and optimizer steps
  layer collectives     2.1000 s    20.0 %  tensor, context and expert parallel,
                                            inside passes
  data parallel         1.0500 s    10.0 %  gathers and reductions that delayed
                                            other work
  pipeline messages     1.0500 s    10.0 %  from stage to stage
  longest               8.4000 s    80.0 %  stage 3 of replica 0 (GPU 24), 3
                                            times
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

} /* namespace */
