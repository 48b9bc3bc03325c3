#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

extern "C" {
#include "model/result/timeline.h"
#include "sim/report/report.h"
#include "sim/report/timelines/writer.h"
}
#include "tests/support/scratch.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/timeline_driver.hpp"
#include "tests/support/trace_reader.hpp"

namespace
{

/* Paje has picoseconds; Chrome has nanoseconds, and messages leave and arrive a few of them inside their slices. */
double rounding_s(const std::string &path)
{
  return trace::is_chrome(path) ? 3e-9 : 2e-12;
}

/* All formats, since all promises hold for all. */
class Formats : public testing::TestWithParam<const char *>
{
protected:
  Scratch scratch;
  std::string path = scratch.path(std::string("trace") + GetParam());
};

INSTANTIATE_TEST_SUITE_P(Timeline, Formats, testing::Values(".paje", ".json", ".json.gz"), [](const auto &format) {
  std::string name = format.param + 1;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

/* Two stages, one micro-batch. Stage 0 computes a forward pass with one layer in [0, 1], sends in [1, 1.5]; stage 1
 * receives in [1, 1.5] and computes in [1.5, 2]. Its end is reported before the message, the message before the
 * sender's end, as the interface allows. */
void drive_pipeline(Timeline &t)
{
  t.begin(0, SS_STREAM_COMPUTE, SS_FORWARD, 0.0);
  t.begin(0, SS_STREAM_COMPUTE, SS_LAYER, 0.0, 0, 3);
  t.begin(0, SS_STREAM_COMPUTE, SS_OP_QKV, 0.25, 0, 3);
  t.end(0, SS_STREAM_COMPUTE, 0.5);
  t.end(0, SS_STREAM_COMPUTE, 1.0);
  t.end(0, SS_STREAM_COMPUTE, 1.0);
  t.begin(0, SS_STREAM_SEND_ACTIVATIONS, SS_COMM_SEND, 1.0);
  t.advance(0.75);
  t.begin(1, SS_STREAM_RECEIVE_ACTIVATIONS, SS_COMM_RECEIVE, 1.0);
  t.end(1, SS_STREAM_RECEIVE_ACTIVATIONS, 1.5);
  t.begin(1, SS_STREAM_COMPUTE, SS_FORWARD, 1.5, 0, SS_NO_INDEX, true);
  t.end(1, SS_STREAM_COMPUTE, 2.0);
  t.arrow(0, 1, false, 0, 1.0, 1.5);
  t.end(0, SS_STREAM_SEND_ACTIVATIONS, 1.5);
}

TEST(Paje, DumpsEveryField)
{
  Scratch scratch;
  const std::string path = scratch.path("pipeline.paje");
  Timeline t(path);
  const Job job(2, 1);
  t.open(job);
  drive_pipeline(t);
  /* 0.75 GB in [1, 1.5] of the 3 GB/s of an outgoing NIC: 50 %; 0.1875 GB in [1.25, 1.5] besides: 25 % more. */
  t.traffic(0, SS_PORT_NIC_OUT, 1.0, 1.5, 0.75e9);
  t.traffic(0, SS_PORT_NIC_OUT, 1.25, 1.5, 0.1875e9);
  EXPECT_EQ(t.close(2.5), SS_OK) << t.error.message;

  const std::vector<std::string> all = trace::pj_dump(path, "-u -l 6");
  const std::set<std::string> lines(all.begin(), all.end());
  const std::string named =
      "tiny; on 'two' n??des # 1"; /* neither quotes nor commas nor letters outside ASCII exist in Paje */
  for (const std::string &line : {
           "Container, 0, Job, 0, 2.5, 2.5, " + named,
           "Container, " + named + ", Node, 0, 2.5, 2.5, node 1",
           std::string("Container, node 1, GPU, 0, 2.5, 2.5, GPU 1 (rank 1 of stage 1)"),
           std::string("Container, GPU 1 (rank 1 of stage 1), Stream, 0, 2.5, 2.5, send gradients rank 1"),
           std::string(
               "State, compute rank 0, Activity, 0.000000, 1.000000, 1.000000, 0.000000, forward, 0, -1, -1, forward"),
           std::string(
               "State, compute rank 0, Activity, 0.000000, 1.000000, 1.000000, 1.000000, layer, 0, -1, 3, forward"),
           std::string(
               "State, compute rank 0, Activity, 0.250000, 0.500000, 0.250000, 2.000000, qkv, 0, -1, 3, forward"),
           std::string(
               "State, compute rank 1, Activity, 1.500000, 2.000000, 0.500000, 0.000000, forward, 0, -1, -1, backward"),
           "Link, " + named +
               ", Message, 1.000000, 1.500000, 0.500000, activations, send activations rank 0, receive "
               "activations rank 1, k0, 0, -1, 0, -1",
           std::string("Variable, GPU 0 (rank 0 of stage 0), NIC out (%), 0.000000, 1.000000, 1.000000, 0.000000"),
           std::string("Variable, GPU 0 (rank 0 of stage 0), NIC out (%), 1.000000, 1.250000, 0.250000, 50.000000"),
           std::string("Variable, GPU 0 (rank 0 of stage 0), NIC out (%), 1.250000, 1.500000, 0.250000, 75.000000"),
           std::string("Variable, GPU 0 (rank 0 of stage 0), NIC out (%), 1.500000, 2.500000, 1.000000, 0.000000"),
       }) {
    EXPECT_EQ(lines.count(line), 1u) << line;
  }
  /* 1 root, 1 job, 2 nodes, 2 GPUs, their streams; 6 states, 1 link; 8 variables, one of them with four values. */
  EXPECT_EQ(all.size(), 6u + 2u * SS_STREAM_COUNT + 6u + 1u + 11u);
}

TEST(Paje, IsInOrderOfTime)
{
  Scratch scratch;
  const std::string path = scratch.path("pipeline.trace");
  Timeline t(path);
  t.open(Job(2, 1));
  drive_pipeline(t);
  ASSERT_EQ(t.close(2.0), SS_OK);
  double last_s = 0.0;
  for (const std::string &line : read_lines(path)) {
    int event = -1;
    double time_s = 0.0;
    if (line[0] == '%' || std::sscanf(line.c_str(), "%d %lf", &event, &time_s) != 2 || event < 5) continue;
    EXPECT_GE(time_s, last_s) << line;
    last_s = time_s;
  }
  EXPECT_EQ(last_s, 2.0);
}

/* The reader that pj_dump has besides its own gives the same; it once did not return from a letter outside ASCII. */
TEST(Paje, IsReadByFlexToo)
{
  Scratch scratch;
  const std::string path = scratch.path("pipeline.paje");
  Timeline t(path);
  t.open(Job(2, 1));
  drive_pipeline(t);
  ASSERT_EQ(t.close(2.0), SS_OK);
  EXPECT_EQ(trace::pj_dump(path, "-f -u").size(), trace::pj_dump(path, "-u").size());
}

TEST_P(Formats, DrawsAPipelineMessageInsideItsSlices)
{
  Timeline t(path);
  t.open(Job(2, 1));
  drive_pipeline(t);
  ASSERT_EQ(t.close(2.0), SS_OK);
  const trace::Trace read = trace::read(path);
  ASSERT_EQ(read.links.size(), 1u);
  EXPECT_EQ(read.links[0].from, trace::Track(0, "send activations"));
  EXPECT_EQ(read.links[0].to, trace::Track(1, "receive activations"));
  EXPECT_EQ(read.gpus.size(), 2u);
  if (trace::is_chrome(path)) {
    EXPECT_EQ(read.links[0].inside_from, "send");
    EXPECT_EQ(read.links[0].inside_to, "receive");
  }
}

TEST_P(Formats, AMessageThatTakesNoTimeLeavesBeforeItArrives)
{
  Timeline t(path);
  t.open(Job(2, 1));
  t.arrow(0, 1, true, 5, 1.0, 1.0);
  t.arrow(1, 0, true, 6, 1.0, 1.0);
  ASSERT_EQ(t.close(2.0), SS_OK);
  EXPECT_EQ(trace::read(path).links.size(), 2u);
}

/* Chunks of a stage send the same micro-batch over the same hop: each message keeps its own ends and its chunk. */
TEST_P(Formats, MessagesOfChunksAreToldApart)
{
  Timeline t(path);
  t.open(Job(2, 1));
  t.arrow(0, 1, false, 3, 1.0, 2.0, 0);
  t.arrow(0, 1, false, 3, 1.5, 2.5, 1);
  ASSERT_EQ(t.close(3.0), SS_OK);
  trace::Trace read = trace::read(path);
  ASSERT_EQ(read.links.size(), 2u);
  std::sort(read.links.begin(), read.links.end(), [](const auto &a, const auto &b) { return a.chunk < b.chunk; });
  for (size_t chunk = 0; chunk < 2; chunk++) {
    const double later_s = 0.5 * static_cast<double>(chunk);
    EXPECT_EQ(read.links[chunk].chunk, static_cast<long>(chunk));
    EXPECT_EQ(read.links[chunk].micro_batch, 3);
    EXPECT_NEAR(read.links[chunk].start_s, 1.0 + later_s, rounding_s(path));
    EXPECT_NEAR(read.links[chunk].end_s, 2.0 + later_s, rounding_s(path));
  }
}

/* Ten flows of a tenth each: sums of 0.1 are not exact, and one that ends as the next begins must not show as a dip. */
TEST_P(Formats, UtilisationIsExactlyZeroWhenNothingFlows)
{
  Timeline t(path);
  t.open(Job(1, 1));
  for (int i = 0; i < 10; i++) t.traffic(0, SS_PORT_NVLINK_OUT, 0.1 * i, 0.1 * (i + 1), 0.01e9);
  for (int i = 0; i < 10; i++) t.traffic(0, SS_PORT_NVLINK_OUT, 2.0, 3.0 + i, 0.1e9);
  t.traffic(0, SS_PORT_NVLINK_OUT, 5.0, 5.0, 1e9);
  t.traffic(0, SS_PORT_NVLINK_OUT, 5.0, 6.0, 0.0);
  ASSERT_EQ(t.close(20.0), SS_OK);
  const trace::Trace read = trace::read(path);
  const trace::Steps &steps = read.percent.at({0, "NVLink out"});
  trace::expect_percentages_sane(read);
  EXPECT_NEAR(trace::value_at(steps, 0.55), 10.0, 1e-6);
  EXPECT_NEAR(trace::value_at(steps, 1.0), 0.0, 1e-6);
  size_t during = 0;
  for (const auto &step : steps) during += step.first > 0.05 && step.first < 0.95;
  EXPECT_EQ(during, 0u) << "equal flows that follow each other are one step";
}

TEST_P(Formats, DrawsTheSelectedRanksOnly)
{
  Timeline t(path);
  t.timeline.ranks.count = 1;
  t.timeline.ranks.range[0] = {1, 7, 3}; /* 1, 4, 7 */
  t.open(Job(9, 3));
  t.begin(4, SS_STREAM_COMPUTE, SS_FORWARD, 0.0);
  t.end(4, SS_STREAM_COMPUTE, 1.0);
  t.arrow(4, 7, false, 0, 0.0, 1.0);
  t.arrow(4, 5, false, 0, 0.0, 1.0); /* has no track to arrive on */
  ASSERT_EQ(t.close(1.0), SS_OK);
  const trace::Trace read = trace::read(path);
  const std::set<std::string> gpus(read.gpus.begin(), read.gpus.end());
  EXPECT_EQ(gpus, (std::set<std::string>{"GPU 1 (rank 1 of stage 1)", "GPU 4 (rank 4 of stage 4)",
                                         "GPU 7 (rank 7 of stage 7)"}));
  EXPECT_EQ(read.links.size(), 1u);
}

TEST_P(Formats, ASelectionWithoutRanksIsAnEmptyTrace)
{
  Timeline t(path);
  t.timeline.ranks.count = 1;
  t.timeline.ranks.range[0] = {5, 9, 1};
  t.open(Job(2, 1, ""));
  t.advance(1.0);
  ASSERT_EQ(t.close(1.0), SS_OK);
  EXPECT_TRUE(trace::read(path).gpus.empty());
}

TEST_P(Formats, SlicesLeftOpenEndWithTheTrace)
{
  Timeline t(path);
  t.open(Job(1, 1));
  t.begin(0, SS_STREAM_COMPUTE, SS_FORWARD, 0.5);
  t.begin(0, SS_STREAM_COMPUTE, SS_LAYER, 0.75, 0, 1);
  ASSERT_EQ(t.close(2.0), SS_OK);
  const trace::Trace read = trace::read(path);
  ASSERT_EQ(read.slices.size(), 2u);
  for (const trace::Slice &slice : read.slices) EXPECT_NEAR(slice.end_s, 2.0, 1e-12);
}

/* ---- random timelines, compared with what was put in */

/* Chrome's slices that take no whole nanosecond are not written. */
std::vector<trace::Slice> written(std::vector<trace::Slice> truth, const std::string &path)
{
  if (trace::is_chrome(path))
    truth.erase(std::remove_if(truth.begin(), truth.end(),
                               [](const trace::Slice &slice) {
                                 return std::llround(1e9 * slice.begin_s) == std::llround(1e9 * slice.end_s);
                               }),
                truth.end());
  return truth;
}

void expect_slices(std::vector<trace::Slice> truth, std::vector<trace::Slice> read, double rounding_s)
{
  const auto by_number = [](const trace::Slice &a, const trace::Slice &b) { return a.micro_batch < b.micro_batch; };
  std::sort(truth.begin(), truth.end(), by_number);
  std::sort(read.begin(), read.end(), by_number);
  ASSERT_EQ(read.size(), truth.size());
  for (size_t i = 0; i < truth.size(); i++) {
    EXPECT_EQ(read[i].track, truth[i].track);
    EXPECT_EQ(read[i].micro_batch, truth[i].micro_batch);
    EXPECT_EQ(read[i].name, truth[i].name);
    EXPECT_EQ(read[i].direction, truth[i].direction);
    EXPECT_EQ(read[i].chunk, truth[i].chunk);
    EXPECT_EQ(read[i].layer, truth[i].layer);
    EXPECT_EQ(read[i].depth, truth[i].depth);
    EXPECT_NEAR(read[i].begin_s, truth[i].begin_s, rounding_s);
    EXPECT_NEAR(read[i].end_s, truth[i].end_s, rounding_s);
  }
}

void expect_links(std::vector<trace::Link> truth, std::vector<trace::Link> read, double rounding_s)
{
  const auto by_number = [](const trace::Link &a, const trace::Link &b) { return a.micro_batch < b.micro_batch; };
  std::sort(truth.begin(), truth.end(), by_number);
  std::sort(read.begin(), read.end(), by_number);
  ASSERT_EQ(read.size(), truth.size());
  for (size_t i = 0; i < truth.size(); i++) {
    EXPECT_EQ(read[i].from, truth[i].from);
    EXPECT_EQ(read[i].to, truth[i].to);
    EXPECT_EQ(read[i].name, truth[i].name);
    EXPECT_EQ(read[i].micro_batch, truth[i].micro_batch);
    EXPECT_EQ(read[i].chunk, truth[i].chunk);
    EXPECT_NEAR(read[i].start_s, truth[i].start_s, rounding_s);
    EXPECT_NEAR(read[i].end_s, truth[i].end_s, rounding_s);
  }
}

/* Between any two times at which a flow begins or ends, the percentage is the sum of what flows, but never over 100. */
void expect_utilisation(const Truth &truth, const Job &job, const trace::Trace &read)
{
  for (const auto &entry : read.percent) {
    std::vector<ss_traffic> here;
    std::vector<double> times{0.0, truth.end_s};
    for (const ss_traffic &flow : truth.traffic) {
      if (flow.rank != entry.first.first || ss_port_name(flow.port) != entry.first.second) continue;
      here.push_back(flow);
      times.insert(times.end(), {flow.start_s, flow.end_s});
    }
    std::sort(times.begin(), times.end());
    for (size_t i = 1; i < times.size(); i++) {
      if (times[i] - times[i - 1] < 1e-9) continue;
      const double middle_s = (times[i] + times[i - 1]) / 2.0;
      double percent = 0.0;
      for (const ss_traffic &flow : here) {
        if (flow.start_s > middle_s || flow.end_s < middle_s) continue;
        percent += 100.0 * flow.bytes / (flow.end_s - flow.start_s) / job.job.port_bytes_per_s[flow.port];
      }
      percent = std::min(percent, 100.0);
      EXPECT_NEAR(trace::value_at(entry.second, middle_s), percent, 1e-6 + 1e-6 * percent);
    }
  }
}

TEST_P(Formats, RandomReplaysReadBackAsTheyWere)
{
  for (unsigned draw = 1; draw <= 12; draw++) {
    SCOPED_TRACE(testing::Message() << "draw " << draw);
    const int64_t ranks = 1 + draw % 5;
    const Job job(ranks, 1 + draw % 3);
    Timeline t(path);
    t.open(job);
    const Truth truth = RandomReplay(12 * stepsim::seed + draw, ranks, 12).drive(t);
    ASSERT_EQ(t.close(truth.end_s), SS_OK) << t.error.message;
    const trace::Trace read = trace::read(path);
    expect_slices(written(truth.trace.slices, path), read.slices, rounding_s(path));
    expect_links(truth.trace.links, read.links, rounding_s(path));
    trace::expect_percentages_sane(read);
    EXPECT_EQ(read.percent.size(), static_cast<size_t>(ranks * SS_PORT_COUNT));
    expect_utilisation(truth, job, read);
  }
}

/* 200,000 events, four per step. An advance to the beginning of a step leaves its four events and the two of the step
 * before that end then; four more come before the next advance. */
TEST_P(Formats, MemoryDependsOnWhatIsInFlight)
{
  Timeline t(path);
  t.open(Job(2, 2));
  for (int i = 0; i < 50000; i++) {
    const double time_s = 1e-3 * i;
    t.begin(0, SS_STREAM_COMPUTE, SS_LAYER, time_s, i);
    t.end(0, SS_STREAM_COMPUTE, time_s + 1e-3);
    t.traffic(1, SS_PORT_NIC_IN, time_s, time_s + 1e-3, 1e5);
    t.advance(time_s);
  }
  EXPECT_EQ(ss_timeline_peak_events(&t.timeline), 10);
  EXPECT_EQ(t.close(50.0), SS_OK);
}

/* ---- files and errors */

/* Until then it has another one, or none where the file system has files without. */
TEST_P(Formats, NothingHasTheNameBeforeClose)
{
  Timeline t(path);
  t.open(Job(2, 1));
  drive_pipeline(t);
  EXPECT_LE(scratch.entries().size(), 1u);
  for (const std::string &entry : scratch.entries())
    EXPECT_EQ(entry.rfind(std::string("trace") + GetParam() + ".tmp.", 0), 0u);
  ASSERT_EQ(t.close(2.0), SS_OK);
  EXPECT_EQ(scratch.entries(), std::vector<std::string>{std::string("trace") + GetParam()});
}

TEST_P(Formats, DestroyWithoutCloseLeavesNothing)
{
  {
    Timeline unused(path);
    Timeline t(path);
    t.open(Job(2, 1));
    drive_pipeline(t);
  }
  EXPECT_TRUE(scratch.entries().empty());
}

TEST_P(Formats, AForkedChildWritesAndItsParentReleases)
{
  {
    Timeline t(path);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      t.open(Job(2, 1));
      drive_pipeline(t);
      _exit(t.close(2.0) == SS_OK ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    Timeline next(path); /* may get the name that the child's file had */
    ss_timeline_destroy(&t.timeline);
    EXPECT_GE(scratch.entries().size(), 1u);
  }
  EXPECT_EQ(scratch.entries(), std::vector<std::string>{std::string("trace") + GetParam()});
  EXPECT_EQ(trace::read(path).links.size(), 1u);
}

/* A replay starts again where a link was crowded: what the first one has written is gone. */
TEST_P(Formats, AnotherChildBeginsAnew)
{
  Timeline t(path);
  for (int last = 0; last < 2; ++last) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      t.open(Job(2, 1));
      for (int i = 0; last == 0 && i < 5000; ++i) { /* enough to leave all buffers */
        t.begin(0, SS_STREAM_COMPUTE, SS_FORWARD, i, i);
        t.end(0, SS_STREAM_COMPUTE, i + 1.0);
        t.advance(i);
      }
      if (last == 0) _exit(0);
      drive_pipeline(t);
      _exit(t.close(2.0) == SS_OK ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  EXPECT_EQ(trace::read(path).links.size(), 1u);
  EXPECT_EQ(trace::read(path).slices.size(), 6u);
}

TEST_P(Formats, AChildThatDiesLeavesItsFileToTheParent)
{
  {
    Timeline t(path);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      t.open(Job(2, 1));
      drive_pipeline(t);
      _exit(3);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
  }
  EXPECT_TRUE(scratch.entries().empty());
}

TEST_P(Formats, AFullDiskIsReportedByClose)
{
  std::filesystem::create_symlink("/dev/full", path);
  Timeline t(path);
  t.open(Job(2, 1));
  drive_pipeline(t);
  EXPECT_EQ(t.close(2.0), SS_ERROR_OUTPUT);
  EXPECT_EQ(std::string(t.error.message), "cannot write \"" + path + "\": No space left on device");
  EXPECT_TRUE(std::filesystem::is_symlink(path));
}

TEST_P(Formats, AMissingDirectoryIsReportedByCreate)
{
  Timeline t;
  const std::string missing = scratch.path("none/trace") + GetParam();
  EXPECT_EQ(t.create(missing), SS_ERROR_OUTPUT);
  EXPECT_EQ(std::string(t.error.message), "cannot write \"" + missing + "\": No such file or directory");
}

TEST_P(Formats, ADirectoryIsNotReplaced)
{
  std::filesystem::create_directory(path);
  Timeline t;
  EXPECT_EQ(t.create(path), SS_ERROR_OUTPUT);
  EXPECT_EQ(std::string(t.error.message), "cannot write \"" + path + "\": Is a directory");
}

TEST(Timeline, UnknownExtensionsAreRefusedByName)
{
  for (const char *path : {"x.foo", "x", "paje", "x.gz", "x.paje.gz", "json.gz", "a.paje/x", "-"}) {
    Timeline t;
    EXPECT_EQ(t.create(path), SS_ERROR_INPUT) << path;
    EXPECT_EQ(std::string(t.error.message),
              "trace file \"" + std::string(path) + "\": unknown extension; allowed: .paje, .trace, .json, .json.gz");
  }
}

TEST(Timeline, ReportsAgainstThePromiseAbort)
{
  Scratch scratch;
  Timeline t(scratch.path("x.json"));
  t.open(Job(1, 1));
  t.advance(1.0);
  EXPECT_DEATH(t.begin(0, SS_STREAM_COMPUTE, SS_FORWARD, 0.5), "does not hold");
  EXPECT_DEATH(t.begin(1, SS_STREAM_COMPUTE, SS_FORWARD, 1.5), "does not hold");
  EXPECT_DEATH(t.end(0, SS_STREAM_COMPUTE, 1.5), "does not hold");
}

} /* namespace */
