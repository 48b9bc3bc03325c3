/* What timelines are made of: selections, names, loads of ports, arguments of slices. */
#include <gtest/gtest.h>

#include <set>

extern "C" {
#include "model/result/timeline.h"
#include "sim/report/report.h"
#include "sim/report/timelines/line.h"
}
#include "tests/support/scratch.hpp"
#include "tests/support/timeline_driver.hpp"
#include "tests/support/trace_reader.hpp"

namespace
{

TEST(Selection, HasTheUnionOfItsRanges)
{
  ss_selection selection{};
  EXPECT_TRUE(ss_selection_has(&selection, 0));
  EXPECT_TRUE(ss_selection_has(&selection, 12345));
  selection.count = 2;
  selection.range[0] = {2, 8, 3}; /* 2, 5, 8 */
  selection.range[1] = {5, 6, 1}; /* 5, 6 */
  std::vector<int64_t> had;
  for (int64_t i = -1; i < 12; i++) {
    if (ss_selection_has(&selection, i)) had.push_back(i);
  }
  EXPECT_EQ(had, (std::vector<int64_t>{2, 5, 6, 8}));
}

TEST(Activity, TablesAgree)
{
  std::set<std::string> names;
  for (int i = 0; i < SS_ACTIVITY_COUNT; i++) {
    const ss_activity activity = static_cast<ss_activity>(i);
    EXPECT_TRUE(names.insert(ss_activity_name(activity)).second) << ss_activity_name(activity);
    EXPECT_LT(ss_activity_category(activity), SS_CATEGORY_COUNT);
  }
  EXPECT_STREQ(ss_activity_name(SS_WAIT_DATA), "wait for data");
  EXPECT_EQ(ss_activity_category(SS_OP_FC2), SS_CATEGORY_MATRIX);
  EXPECT_STREQ(ss_category_name(SS_CATEGORY_WAIT), "wait");
  EXPECT_EQ(ss_category_colour(SS_CATEGORY_COLLECTIVE)[1], 0.50);
  EXPECT_STREQ(ss_stream_name(SS_STREAM_RECEIVE_GRADIENTS), "receive gradients");
  EXPECT_STREQ(ss_port_name(SS_PORT_NIC_IN), "NIC in");
}

/* A port that is busy for half of each of 20,000 stretches of time is written some hundred times, with its mean, and is
 * exactly idle behind them. One that changes rarely is written when it does. */
TEST(Loads, OfAPortAreSomeHundred)
{
  Scratch scratch;
  const std::string path = scratch.path("x.json");
  Timeline t(path);
  Job job(1, 1);
  job.job.expected_s = 1.0;
  t.open(job);
  constexpr int stretches = 20000;
  const double bytes_per_s = job.job.port_bytes_per_s[SS_PORT_NIC_OUT];
  for (int i = 0; i < stretches; i++) {
    const double start_s = static_cast<double>(i) / stretches;
    t.traffic(0, SS_PORT_NIC_OUT, start_s, start_s + 0.5 / stretches, bytes_per_s * 0.5 / stretches);
    t.advance(start_s);
  }
  t.traffic(0, SS_PORT_NIC_IN, 1.125, 1.25, job.job.port_bytes_per_s[SS_PORT_NIC_IN] / 32.0);
  ASSERT_EQ(t.close(2.0), SS_OK);
  const trace::Trace read = trace::read_chrome(path);
  const trace::Steps &out = read.percent.at({0, "NIC out"}), &in = read.percent.at({0, "NIC in"});
  EXPECT_GT(out.size(), 250u);
  EXPECT_LT(out.size(), 650u);
  for (const double time_s : {0.1, 0.5, 0.9}) EXPECT_NEAR(trace::value_at(out, time_s), 50.0, 1.0);
  EXPECT_EQ(out.back().second, 0.0);
  EXPECT_NEAR(out.back().first, 1.0, 0.01);
  EXPECT_EQ(in, (trace::Steps{{0.0, 0.0}, {1.125, 25.0}, {1.25, 0.0}}));
}

/* The line of a slice, as scripts read it: starts a quarter of a nanosecond later, takes half a one less. */
TEST(Chrome, SlicesSayWhatTheyMove)
{
  Scratch scratch;
  const std::string path = scratch.path("x.json");
  Timeline t(path);
  t.open(Job(2, 1));
  const ss_slice kernel = {1, SS_STREAM_COMPUTE, SS_OP_QKV, true, 2, 0, 7, 0.5, 3e12, 1.5e9, nullptr, 0};
  const ss_slice gather = {
      1, SS_STREAM_TENSOR, SS_COMM_ALL_GATHER, false, 2, SS_NO_INDEX, SS_NO_INDEX, 0.25, 0.0, 0.5, "tp", 4};
  t.timeline.begin(t.timeline.self, &gather);
  t.end(1, SS_STREAM_TENSOR, 0.375);
  t.timeline.begin(t.timeline.self, &kernel);
  t.end(1, SS_STREAM_COMPUTE, 0.5 + 1e-6);
  ASSERT_EQ(t.close(1.0), SS_OK);
  std::vector<std::string> slices;
  for (const std::string &line : read_lines(path))
    if (line.find("\"X\"") != std::string::npos) slices.push_back(line.substr(line.find("\"ts\"")));
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0], "\"ts\":250000.00025,\"dur\":124999.99950,\"name\":\"all-gather\",\"cat\":\"collective\","
                       "\"args\":{\"direction\":\"forward\",\"micro_batch\":2,\"bytes\":0.5,\"group\":\"tp\","
                       "\"group_ranks\":4}},");
  EXPECT_EQ(slices[1], "\"ts\":500000.00025,\"dur\":0.99950,\"name\":\"qkv\",\"cat\":\"matrix\",\"args\":{"
                       "\"direction\":\"backward\",\"micro_batch\":2,\"chunk\":0,\"layer\":7,\"flop\":3000000000000,"
                       "\"bytes\":1500000000}}");
}

TEST(Line, PrintsNumbers)
{
  ss_text_line line = {};
  for (const int64_t number : {int64_t{0}, int64_t{7}, int64_t{-120}, INT64_MIN}) {
    ss_line_integer(&line, number);
    ss_line_text(&line, " ");
  }
  for (const int64_t number : {0, 5, 12345, 1200000}) {
    ss_line_decimal(&line, number, 5);
    ss_line_text(&line, " ");
  }
  for (const double quantity : {0.25, -3.0, 1e15, 1e20}) {
    ss_line_quantity(&line, quantity);
    ss_line_text(&line, " ");
  }
  EXPECT_EQ(std::string(line.text, line.length),
            "0 7 -120 -9223372036854775808 0.00000 0.00005 0.12345 12.00000 0.25 -3 1000000000000000 1e+20 ");
}

} /* namespace */
