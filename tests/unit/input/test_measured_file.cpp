/* Files of measurements: what is read, and what is refused with file, line and what is allowed. */
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/attributes.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/io/io.h"
}

namespace
{

struct Measured {
  ss_measured data = {};
  ss_error error = {};
  ss_status status = SS_OK;
  std::string path;

  explicit Measured(const std::string &body, const std::string &root = "<measured version=\"1\">")
  {
    static int number = 0;
    path = common_scratch().path("measured-" + std::to_string(number++) + ".xml");
    std::ofstream(path) << root << '\n' << body << "</measured>\n";
    status = ss_measured_load(path.c_str(), &data, &error);
  }
  ~Measured()
  {
    ss_measured_free(&data);
  }
  Measured(const Measured &) = delete;
  Measured &operator=(const Measured &) = delete;
};

const std::string kGroup = "<iterations id=\"g\" title=\"t\" source=\"s\" platform=\"p.xml\">\n";
const std::string kRuns =
    "<collectives id=\"c\" title=\"t\" source=\"s\" platform=\"p.xml\" op=\"all-gather\" least-bytes=\"1MiB\">\n";

/* The message of a refusal, with its line. */
void expect_refusal(const std::string &body, int line, const std::string &message)
{
  const Measured measured(body);
  EXPECT_EQ(measured.status, SS_ERROR_INPUT);
  EXPECT_EQ(measured.error.line, line);
  EXPECT_EQ(measured.error.message, message);
  EXPECT_EQ(measured.error.file, measured.path);
}

void expect_group_refusal(const std::string &body, int line, const std::string &message)
{
  expect_refusal(kGroup + body + "</iterations>", line, message);
}

void expect_run_refusal(const std::string &body, int line, const std::string &message)
{
  expect_refusal(kRuns + body + "</collectives>", line, message);
}

/* What is set for a point, with a blank behind each. */
std::string settings_of(const ss_measured &measured, int64_t point)
{
  std::string settings;
  const auto add = [](void *context, const char *setting) {
    *static_cast<std::string *>(context) += std::string(setting) + " ";
    return SS_OK;
  };
  EXPECT_EQ(ss_measured_apply(&measured, point, add, &settings), SS_OK);
  return settings;
}

} // namespace

/* The second asks what the first does; the others have another value, another platform, a value that is given though it
 * is the default, another setting, or another group. */
TEST(MeasuredFile, TwinsAskForTheSame)
{
  const std::string points =
      "<model layers=\"4\" hidden=\"64\"/><point id=\"a\" iteration=\"1s\"/><point id=\"b\" iteration=\"2s\"/>\n"
      "<point id=\"c\" iteration=\"1s\"><model layers=\"8\"/></point>\n"
      "<point id=\"d\" iteration=\"1s\" platform=\"/q.xml\"/>\n"
      "<point id=\"e\" iteration=\"1s\"><training dropout=\"yes\"/></point>\n"
      "<point id=\"f\" iteration=\"1s\"><set property=\"kernel-speed\" value=\"0.9\"/></point>\n"
      "<point id=\"g\" iteration=\"1s\"><set property=\"kernel-speed\" value=\"0.9\"/></point>\n</iterations>";
  const std::string other = "<iterations id=\"h\" title=\"t\" source=\"s\" platform=\"p.xml\">\n";
  const Measured m(kGroup + points + other + points);
  ASSERT_EQ(m.status, SS_OK) << m.error.message;
  std::vector<int64_t> twins;
  for (int64_t i = 0; i < m.data.points; ++i) twins.push_back(ss_measured_twin(&m.data, i));
  EXPECT_EQ(twins, (std::vector<int64_t>{0, 0, 2, 3, 4, 5, 5, 7, 7, 9, 10, 11, 12, 12}));
}

TEST(MeasuredFile, PointsStartFromTheirGroup)
{
  const Measured m(
      "<iterations id=\"g\" title=\"t\" source=\"s\" platform=\"../p.xml\" sweep=\"all\" bound=\"12.5\" regret=\"5\">\n"
      "<note name=\"n\" text=\"whatever\"/><set property=\"hbm-capacity\" value=\"40GB\"/>\n"
      "<model layers=\"4\" hidden=\"64\"/><training micro-batch=\"2\"/>\n"
      "<point id=\"a\" iteration=\"1.5s\"/>\n"
      "<point id=\"b\" iteration=\"20ms\" memory=\"2GiB\" sweep=\"own\" platform=\"/q.xml\">\n"
      "<model layers=\"8\"/><note name=\"x\" text=\"1\"/><note name=\"y\" text=\"2\"/>"
      "<set property=\"kernel-speed\" value=\"0.9\"/></point>\n"
      "<point id=\"c\" iteration=\"1s\" use=\"no\" why=\"because\"/>\n"
      "</iterations>");
  ASSERT_EQ(m.status, SS_OK) << m.error.message;
  ASSERT_EQ(m.data.groups, 1);
  ASSERT_EQ(m.data.points, 3);
  EXPECT_DOUBLE_EQ(m.data.group[0].bound, 0.125);
  EXPECT_DOUBLE_EQ(m.data.group[0].regret_bound, 0.05);
  EXPECT_EQ(m.data.group[0].count, 3);
  ASSERT_EQ(m.data.group[0].settings.count, 1);
  EXPECT_STREQ(m.data.group[0].settings.setting[0].text, "platform.hbm-capacity=40GB");
  EXPECT_EQ(settings_of(m.data, 0), "platform.hbm-capacity=40GB ");
  EXPECT_EQ(settings_of(m.data, 1), "platform.hbm-capacity=40GB platform.kernel-speed=0.9 ");
  EXPECT_EQ(ss_measured_setter(&m.data, "hbm-capacity"), 0);
  EXPECT_EQ(ss_measured_setter(&m.data, "kernel-speed"), 1);
  EXPECT_EQ(ss_measured_setter(&m.data, "hbm"), -1);
  const ss_measured_point &a = m.data.point[0], &b = m.data.point[1], &c = m.data.point[2];
  EXPECT_EQ(a.measured_s, 1.5);
  EXPECT_TRUE(std::isnan(a.memory_bytes));
  EXPECT_STREQ(a.sweep, "all");
  EXPECT_EQ(a.platform, m.path.substr(0, m.path.rfind('/')) + "/../p.xml");
  EXPECT_EQ(a.workload->model.layers, 4);
  EXPECT_EQ(a.workload->training.micro_batch, 2);
  EXPECT_EQ(b.measured_s, 0.02);
  EXPECT_EQ(b.memory_bytes, 2.0 * 1024 * 1024 * 1024);
  EXPECT_STREQ(b.sweep, "own");
  EXPECT_STREQ(b.platform, "/q.xml");
  EXPECT_STREQ(b.notes, "x, y");
  EXPECT_EQ(b.workload->model.layers, 8);
  EXPECT_EQ(b.workload->model.hidden, 64);
  EXPECT_TRUE(a.used && b.used && !c.used);
  EXPECT_STREQ(c.why, "because");
}

TEST(MeasuredFile, TimesOfRunsArePoints)
{
  const Measured m(kRuns + "<run nodes=\"2\" gpus-per-node=\"4\"><time bytes=\"512KiB\" out=\"20us\" in=\"19us\"/>\n"
                           "<time bytes=\"1MiB\" out=\"37.5us\"/></run>\n"
                           "<run nodes=\"8\" gpus-per-node=\"1\" platform=\"/q.xml\" use=\"no\" why=\"small\"><time "
                           "bytes=\"1MiB\" out=\"1ms\"/></run>\n"
                           "</collectives>");
  ASSERT_EQ(m.status, SS_OK) << m.error.message;
  ASSERT_EQ(m.data.points, 3);
  EXPECT_EQ(m.data.group[0].collective, SS_ALL_GATHER);
  EXPECT_TRUE(std::isnan(m.data.group[0].bound));
  EXPECT_TRUE(std::isnan(m.data.group[0].regret_bound));
  EXPECT_FALSE(m.data.point[0].used);
  EXPECT_STREQ(m.data.point[0].why, "smaller than the group's least-bytes");
  const ss_measured_point &point = m.data.point[1];
  EXPECT_TRUE(point.used);
  EXPECT_STREQ(point.id, "2x4 1MiB");
  EXPECT_STREQ(point.sweep, "1MiB");
  EXPECT_EQ(point.nodes, 2);
  EXPECT_EQ(point.gpus_per_node, 4);
  EXPECT_EQ(point.volume_bytes, 1048576.0);
  EXPECT_DOUBLE_EQ(point.measured_s, 37.5e-6);
  EXPECT_EQ(point.workload, nullptr);
  EXPECT_STREQ(m.data.point[2].platform, "/q.xml");
  EXPECT_STREQ(m.data.point[2].why, "small");
}

/* What is written is read as the same collectives; iterations are left out. */
TEST(MeasuredFile, CollectivesAreReadAsWritten)
{
  const Measured m(kRuns + "<run nodes=\"2\" gpus-per-node=\"4\"><time bytes=\"1MiB\" out=\"37.51us\"/><time "
                           "bytes=\"1048580B\" out=\"38us\"/></run>\n<run nodes=\"8\" gpus-per-node=\"1\"><time "
                           "bytes=\"1GiB\" out=\"1.2345ms\"/></run>\n</collectives>");
  ASSERT_EQ(m.status, SS_OK) << m.error.message;
  char *text = nullptr;
  ss_error error = {};
  ASSERT_EQ(ss_measured_write(&m.data, "of a test", &text, &error), SS_OK) << error.message;
  ss_measured again = {};
  const std::string path = common_scratch().path("again.xml");
  std::ofstream(path) << text;
  ASSERT_EQ(ss_measured_load(path.c_str(), &again, &error), SS_OK) << error.message;
  free(text);
  ASSERT_EQ(again.points, m.data.points);
  EXPECT_STREQ(again.group[0].id, m.data.group[0].id);
  EXPECT_EQ(again.group[0].collective, m.data.group[0].collective);
  for (int64_t i = 0; i < again.points; ++i) {
    EXPECT_EQ(again.point[i].nodes, m.data.point[i].nodes);
    EXPECT_EQ(again.point[i].gpus_per_node, m.data.point[i].gpus_per_node);
    EXPECT_EQ(again.point[i].volume_bytes, m.data.point[i].volume_bytes);
    EXPECT_EQ(again.point[i].measured_s, m.data.point[i].measured_s);
    EXPECT_STREQ(again.point[i].platform, m.data.point[i].platform);
  }
  ss_measured_free(&again);
  EXPECT_EQ(ss_measured_write(&m.data, "a -- b", &text, &error), SS_ERROR_INPUT);
}

/* A day has 86,400 s: 3 of them with 2 interruptions; 6 GPU-hours of the 2 GPUs of a job are 3 hours; of work that is
 * 0.8 of the time each second takes 1.25. 6 kWh are 3 hours of 1 kW of each of two GPUs, 4 kg of CO2 2000 s of 1 g/s.
 * What a run says of failures is part of it, as of no iteration. */
TEST(MeasuredFile, FiguresOfRunsAreTimes)
{
  const Measured measured(
      "<runs id=\"r\" title=\"t\" source=\"s\" platform=\"p.xml\"><parallelism dp=\"2\"/>"
      "<run detection=\"5\"/>"
      "<point id=\"a\" days=\"3\"/><point id=\"b\" interruptions=\"2\" days=\"3\"/>"
      "<point id=\"c\" gpu-hours=\"6\"/><point id=\"d\" goodput=\"0.8\"><run detection=\"7\"/></point>"
      "<point id=\"e\" gpu-kwh=\"6\"/><point id=\"f\" kwh=\"8\"/><point id=\"g\" co2-kg=\"4\"/>"
      "</runs>");
  ASSERT_EQ(measured.status, SS_OK) << measured.error.message;
  ASSERT_EQ(measured.data.points, 7);
  const ss_measured_point *point = measured.data.point;
  EXPECT_DOUBLE_EQ(point[0].measured_s, 3 * 86400.0);
  EXPECT_DOUBLE_EQ(point[1].measured_s, 1.5 * 86400.0);
  EXPECT_DOUBLE_EQ(point[2].measured_s, 3 * 3600.0);
  EXPECT_DOUBLE_EQ(point[3].measured_s, 1.25);
  EXPECT_DOUBLE_EQ(point[4].measured_s, 3 * 3600.0);
  EXPECT_DOUBLE_EQ(point[5].measured_s, 4 * 3600.0);
  EXPECT_DOUBLE_EQ(point[6].measured_s, 2000.0);
  EXPECT_EQ(point[1].figure, SS_RUN_INTERRUPTIONS);
  EXPECT_STREQ(ss_run_figure_time(point[3].figure), "for a second of work");
  EXPECT_EQ(point[0].workload->run.detection_s, 5);
  EXPECT_EQ(point[3].workload->run.detection_s, 7);
  EXPECT_FALSE(ss_measured_is_iteration(&measured.data, 0));
}

/* At least 0.8 of the time is work: a second of work takes 1.25 at most; at least 2 interruptions in 3 days: at
 * most 1.5 days between two. At least 3 days are so many. */
TEST(MeasuredFile, LimitsOfRunsAreThoseOfTimes)
{
  const Measured measured("<runs id=\"r\" title=\"t\" source=\"s\" platform=\"p.xml\">"
                          "<point id=\"a\" goodput=\"0.8\" limit=\"at-least\"/>"
                          "<point id=\"b\" interruptions=\"2\" days=\"3\" limit=\"at-least\"/>"
                          "<point id=\"c\" days=\"3\" limit=\"at-least\"/>"
                          "<point id=\"d\" gpu-hours=\"3\" limit=\"at-most\"/><point id=\"e\" days=\"3\"/></runs>");
  ASSERT_EQ(measured.status, SS_OK) << measured.error.message;
  const std::vector<ss_limit> limits = {SS_LIMIT_AT_MOST, SS_LIMIT_AT_MOST, SS_LIMIT_AT_LEAST, SS_LIMIT_AT_MOST,
                                        SS_LIMIT_NONE};
  for (size_t i = 0; i < limits.size(); ++i) EXPECT_EQ(measured.data.point[i].limit, limits[i]) << i;
  EXPECT_STREQ(ss_limit_word(SS_LIMIT_AT_MOST), "at-most");
  expect_refusal("<runs id=\"r\" title=\"t\" source=\"s\" platform=\"p.xml\"><point id=\"a\" days=\"2\" "
                 "limit=\"over\"/></runs>",
                 2, "point.limit=\"over\": is unknown; allowed: at-least, at-most");
}

TEST(MeasuredFile, RefusesRunsWithoutAFigure)
{
  const std::string refusal =
      "element <point> does not say what is measured of a run; allowed: one of days, gpu-hours, "
      "goodput, gpu-kwh, kwh and co2-kg, or interruptions with the days that they are counted in";
  for (const std::string figures :
       {"", "interruptions=\"2\"", "days=\"2\" goodput=\"0.5\"", "gpu-hours=\"2\" interruptions=\"5\"",
        "days=\"1\" interruptions=\"1\" goodput=\"1\""})
    expect_refusal("<runs id=\"r\" title=\"t\" source=\"s\" platform=\"p.xml\">\n<point id=\"a\" " + figures +
                       "/></runs>",
                   3, refusal);
  expect_refusal("<runs id=\"r\" title=\"t\" source=\"s\" platform=\"p.xml\"><point id=\"a\" goodput=\"2\"/></runs>", 2,
                 "point.goodput=\"2\": is out of range; allowed: 1e-09 to 1");
}

TEST(MeasuredFile, RefusesUnknownAttributesAndElements)
{
  expect_refusal("<other/>", 2, "unknown element <other>; allowed: <iterations>, <collectives>, <runs>");
  expect_group_refusal(
      "<point id=\"a\" iteration=\"1s\" colour=\"red\"/>", 3,
      "unknown attribute point.colour=\"red\"; allowed: id, platform, use, why, iteration, memory, sweep, "
      "where, basis, completeness");
  expect_group_refusal(
      "<point id=\"a\" iteration=\"1s\">\n<model size=\"4\"/></point>", 4,
      "unknown attribute model.size=\"4\" (did you mean head-size, value-head-size or rope-size?); allowed: " +
          stepsim::names_of("model"));
  expect_group_refusal("<run/>", 3,
                       "unknown element <run>; allowed: <model>, <training>, <parallelism>, <schedule>, <placement>, "
                       "<note>, <set>, <point>");
  expect_run_refusal("<point/>", 3, "unknown element <point>; allowed: <note>, <set>, <run>");
  expect_run_refusal("<run nodes=\"1\" gpus-per-node=\"2\">\n<point/></run>", 4,
                     "unknown element <point>; allowed: <time>");
}

TEST(MeasuredFile, RefusesWhatIsMissingOrOutOfRange)
{
  expect_refusal("<iterations title=\"t\" source=\"s\"/>", 2, "iterations.id is missing");
  expect_refusal("<iterations id=\"g\" title=\"t\"/>", 2, "iterations.source is missing");
  expect_group_refusal("<point iteration=\"1s\"/>", 3, "point.id is missing");
  expect_group_refusal("<point id=\"a\"/>", 3, "point.iteration is missing");
  expect_group_refusal("<point id=\"a\" iteration=\"1s\" use=\"no\"/>", 3, "point.why is missing");
  expect_group_refusal("<point id=\"a\" iteration=\"1s\" why=\"x\"/>", 3,
                       "point.why=\"x\": belongs to a point that is used; allowed: only with use=\"no\"");
  expect_group_refusal("<point id=\"a\" iteration=\"1s\" use=\"perhaps\"/>", 3,
                       "point.use=\"perhaps\": is unknown; allowed: no, yes");
  expect_group_refusal("<point id=\"a\" iteration=\"5\"/>", 3,
                       "point.iteration=\"5\": has no unit; allowed: a time such as 2.5us (s, ms, us, ns)");
  expect_refusal("<iterations id=\"g\" title=\"t\" source=\"s\">\n<point id=\"a\" iteration=\"1s\"/></iterations>", 3,
                 "point.platform is missing");
  expect_refusal("<collectives id=\"c\" title=\"t\" source=\"s\" op=\"all-gather\"/>", 2,
                 "collectives.platform is missing");
  expect_refusal("<collectives id=\"c\" title=\"t\" source=\"s\" platform=\"p\" op=\"gossip\"/>", 2,
                 "collectives.op=\"gossip\": is unknown; allowed: all-gather, reduce-scatter, all-reduce, all-to-all, "
                 "broadcast, reduce, send-receive");
  expect_run_refusal("<run nodes=\"0\" gpus-per-node=\"2\"/>", 3,
                     "run.nodes=\"0\": is out of range; allowed: 1 to 1000000");
  expect_run_refusal("<run nodes=\"1\" gpus-per-node=\"2\"><time out=\"1us\"/></run>", 3, "time.bytes is missing");
}

TEST(MeasuredFile, RefusesPropertiesByLine)
{
  expect_group_refusal("<set property=\"hbm-capacity\" value=\"5\"/>", 3,
                       "hbm-capacity=\"5\": has no unit; allowed: a capacity such as 80GB or 80GiB");
  expect_group_refusal("<set value=\"5\"/>", 3, "set.property is missing");
  const Measured unknown(kGroup + "<set property=\"speed\" value=\"5\"/></iterations>");
  EXPECT_EQ(unknown.status, SS_ERROR_INPUT);
  EXPECT_EQ(std::string(unknown.error.message).substr(0, 53),
            "unknown property speed=\"5\" (did you mean link-speed, ");
}

TEST(MeasuredFile, RefusesWhatOccursAgain)
{
  const std::string point = "<point id=\"a\" iteration=\"1s\"/>\n";
  expect_group_refusal(point + point, 4, "point.id=\"a\": is in this group already, at line 3");
  expect_group_refusal("<model/>\n<model/>", 4, "element <model> occurs again, after line 3; allowed: once");
  expect_group_refusal(point + "<model/>", 4, "element <model> comes after a <point>; allowed: before the first");
  const std::string group = "<iterations id=\"g\" title=\"t\" source=\"s\"/>\n";
  const Measured twice(group + group);
  EXPECT_EQ(twice.error.message, "iterations.id=\"g\": is the id of another group, at " + twice.path + ":2");
}

TEST(MeasuredFile, RefusesRankFilesAndOtherVersions)
{
  expect_group_refusal(
      "<placement ranks=\"r.txt\"/><point id=\"a\" iteration=\"1s\"/>", 3,
      "placement.ranks=\"r.txt\": places the ranks of a measurement; allowed: order, domain and segment");
  const Measured version("", "<measured version=\"2\">");
  EXPECT_STREQ(version.error.message, "measured.version=\"2\": is an unknown version; allowed: 1");
}

/* What is shipped: the counts say that nothing is left out on the way. */
TEST(MeasuredFile, ShippedMeasurementsLoad)
{
  ss_measured measured = {};
  ss_error error = {};
  ASSERT_EQ(ss_measured_load_folder(stepsim::source_path("validation").c_str(), &measured, &error), SS_OK)
      << error.message;
  int64_t points[SS_MEASURED_COUNT] = {};
  for (int64_t i = 0; i < measured.points; ++i) ++points[measured.group[measured.point[i].group].kind];
  EXPECT_EQ(points[SS_MEASURED_ITERATIONS], 1342);
  EXPECT_EQ(points[SS_MEASURED_COLLECTIVES], 876);
  EXPECT_EQ(points[SS_MEASURED_RUNS], 27);
  ss_measured_free(&measured);
}

TEST(MeasuredFile, RefusesFoldersWithoutMeasurements)
{
  ss_measured measured = {};
  ss_error error = {};
  EXPECT_EQ(ss_measured_load_folder("/nonexistent", &measured, &error), SS_ERROR_INPUT);
  EXPECT_STREQ(error.message,
               "has no measurements; allowed: a folder with files measured-*.xml, or files as arguments");
}
