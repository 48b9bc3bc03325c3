/* Fits: the files that say what is fitted, coordinates of constants, and errors of points. */
#include <cmath>
#include <filesystem>

#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/measured/fit.h"
}

using namespace stepsim;
namespace fs = std::filesystem;

namespace
{

ss_fit_constant constant(double from, double to)
{
  return {ss_machine_property("launch-overhead"), from, to, NAN, false, 1};
}

/* Groups with these numbers of points, in these files; every point took a second. */
struct Points {
  ss_measured measured = {};
  ss_fit_points points = {};
  ss_error error = {};

  explicit Points(const std::vector<std::pair<std::string, int>> &groups)
  {
    for (size_t i = 0; i < groups.size(); ++i) {
      ss_measured_group *group = ss_measured_add_group(&measured);
      std::snprintf(group->file, sizeof group->file, "%s", groups[i].first.c_str());
      std::snprintf(group->id, sizeof group->id, "group-%zu", i);
      for (int k = 0; k < groups[i].second; ++k) {
        ss_measured_point *point = ss_measured_add_point(&measured);
        point->group = static_cast<int64_t>(i);
        point->measured_s = 1.0;
        point->used = true;
      }
    }
  }
  ss_status list()
  {
    return ss_fit_points_init(&points, &measured, &error);
  }
  ~Points()
  {
    ss_fit_points_free(&points);
    ss_measured_free(&measured);
  }
  Points(const Points &) = delete;
  Points &operator=(const Points &) = delete;
};

std::string in_fit(const std::string &elements)
{
  return "<fit version=\"1\">\n" + elements + "</fit>\n";
}

const std::string kMeasured = "<measured file=\"m.xml\"/>\n";
const std::string kConstant = "<constant property=\"launch-overhead\" from=\"1us\" to=\"9us\"/>\n";

std::string load_fit(const std::string &text, ss_fit_plan *plan)
{
  const std::string path = write("fit.xml", text);
  ss_error error = {};
  const ss_status status = ss_fit_load(path.c_str(), plan, &error);
  return printed(status, error, path);
}

void expect_refusals(const std::vector<Case> &cases)
{
  ss_fit_plan plan;
  for (const Case &c : cases) EXPECT_EQ(load_fit(c.input, &plan), c.expected);
}

} /* namespace */

/* 1 to 9 is linear: 3 is a quarter of the way. 1 to 100 is ten times ten: 10 is halfway. From 0 there is no logarithm.
 */
TEST(Fit, CoordinatesAreLogarithmicWhereBoundsAreFarApart)
{
  const ss_fit_constant near = constant(1.0, 9.0), far = constant(1.0, 100.0), zero = constant(0.0, 100.0);
  EXPECT_DOUBLE_EQ(ss_fit_coordinate(&near, 3.0), 0.25);
  EXPECT_DOUBLE_EQ(ss_fit_coordinate(&far, 10.0), 0.5);
  EXPECT_DOUBLE_EQ(ss_fit_coordinate(&zero, 10.0), 0.1);
  for (const ss_fit_constant &c : {near, far, zero}) {
    EXPECT_EQ(ss_fit_value(&c, 0.0), c.from);
    EXPECT_EQ(ss_fit_value(&c, 1.0), c.to);
    EXPECT_EQ(ss_fit_value(&c, -1e-9), c.from);
    EXPECT_EQ(ss_fit_value(&c, 1.0 + 1e-9), c.to);
    EXPECT_NEAR(ss_fit_value(&c, ss_fit_coordinate(&c, 5.0)), 5.0, 1e-12);
  }
}

TEST(Fit, ConstantsAreSetAsOverridesAre)
{
  ss_machine set, overridden;
  ss_error error = {};
  ss_fit_plan plan = {};
  plan.constant[plan.constants++] = constant(1e-6, 9e-6);
  ss_machine_init(&set);
  overridden = set;
  const ss_fit_values values = {{5e-6}};
  ss_fit_apply(&plan, &values, &set);
  ASSERT_EQ(ss_override("platform.launch-overhead=5us", nullptr, &overridden, &error), SS_OK);
  EXPECT_EQ(set.launch_overhead_s, 5e-6);
  EXPECT_DOUBLE_EQ(overridden.launch_overhead_s, 5e-6);
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) EXPECT_EQ(set.line[i], overridden.line[i]) << i;
}

/* Files are sources where there are several, and groups where there is one; what has no point is none. */
TEST(Fit, SourcesAreFilesOrGroups)
{
  Points files({{"x/a.xml", 2}, {"x/a.xml", 1}, {"empty.xml", 0}, {"b.xml", 1}});
  ASSERT_EQ(files.list(), SS_OK);
  EXPECT_EQ(files.points.sources, 2);
  EXPECT_EQ(std::vector<int64_t>(files.points.source, files.points.source + 4), (std::vector<int64_t>{0, 0, 0, 1}));
  EXPECT_STREQ(ss_fit_source_name(&files.points, 0), "a.xml");
  EXPECT_STREQ(ss_fit_source_name(&files.points, 1), "b.xml");
  Points groups({{"a.xml", 2}, {"a.xml", 1}});
  ASSERT_EQ(groups.list(), SS_OK);
  EXPECT_EQ(groups.points.sources, 2);
  EXPECT_STREQ(ss_fit_source_name(&groups.points, 1), "group-1");
  Points one({{"a.xml", 2}});
  ASSERT_EQ(one.list(), SS_OK);
  EXPECT_EQ(one.points.sources, 1);
}

TEST(Fit, LeavesOutPointsThatAreNotUsed)
{
  Points p({{"a.xml", 3}});
  p.measured.point[1].used = false;
  ASSERT_EQ(p.list(), SS_OK);
  ASSERT_EQ(p.points.count, 2);
  EXPECT_EQ(p.points.point[1], 2);
}

/* e times too long and e times too short are both 1, their relative errors e - 1 and 1/e - 1. */
TEST(Fit, ObjectiveIsSymmetric)
{
  Points p({{"a.xml", 2}, {"b.xml", 1}});
  ASSERT_EQ(p.list(), SS_OK);
  const double e = std::exp(1.0), predicted_s[] = {e, 1.0 / e, std::exp(4.0)};
  EXPECT_DOUBLE_EQ(ss_fit_objective(&p.points, predicted_s, SS_FIT_ALL), 2.0);
  EXPECT_DOUBLE_EQ(ss_fit_objective(&p.points, predicted_s, 1), 1.0);
  EXPECT_DOUBLE_EQ(ss_fit_objective(&p.points, predicted_s, 0), 4.0);
  ss_error_summary summary;
  ASSERT_EQ(ss_fit_summarise(&p.points, predicted_s, {0, SS_FIT_ALL}, &summary, &p.error), SS_OK);
  EXPECT_EQ(summary.count, 2);
  EXPECT_DOUBLE_EQ(summary.mean_absolute, (e - 1.0 / e) / 2.0);
  EXPECT_DOUBLE_EQ(summary.bias, (e + 1.0 / e - 2.0) / 2.0);
  ASSERT_EQ(ss_fit_summarise(&p.points, predicted_s, {SS_FIT_ALL, 1}, &summary, &p.error), SS_OK);
  EXPECT_EQ(summary.count, 1);
  EXPECT_DOUBLE_EQ(summary.bias, std::exp(4.0) - 1.0);
}

TEST(Fit, SaysWhatIsOnABoundAndWhatIsIdle)
{
  ss_fit fit = {};
  ss_fit_plan plan = {};
  plan.constant[plan.constants++] = constant(1.0, 9.0);
  fit.plan = &plan;
  fit.values[SS_FIT_FITTED].of[0] = 1.007; /* 0.0009 of the way */
  EXPECT_TRUE(ss_fit_is_on_bound(&fit, 0, SS_FIT_LOWER));
  EXPECT_FALSE(ss_fit_is_on_bound(&fit, 0, SS_FIT_HIGHER));
  fit.values[SS_FIT_FITTED].of[0] = 1.02;
  EXPECT_FALSE(ss_fit_is_on_bound(&fit, 0, SS_FIT_LOWER));
  fit.change[0][SS_FIT_LOWER] = {1.0, NAN, NAN};
  EXPECT_TRUE(ss_fit_is_idle(&fit, 0));
  fit.change[0][SS_FIT_HIGHER].bias = 1e-9;
  EXPECT_FALSE(ss_fit_is_idle(&fit, 0));
  fit.change[0][SS_FIT_LOWER] = fit.change[0][SS_FIT_HIGHER] = {0.0, NAN, NAN}; /* a tenth of 0 is 0 */
  EXPECT_FALSE(ss_fit_is_idle(&fit, 0));
}

/* The value is that of the text with these digits, which is not the double that is nearest to it. */
TEST(Fit, QuantitiesAreRoundedToWhatIsPrinted)
{
  char text[SS_QUANTITY_SIZE];
  const struct {
    double value;
    ss_unit unit;
    const char *expected;
  } cases[] = {{2.34567e-6, SS_UNIT_SECONDS, "2346ns"},
               {0.535040000001, SS_UNIT_NONE, "0.535"},
               {2.1234567e10, SS_UNIT_BYTES_PER_S, "21230MBps"},
               {3.12e14, SS_UNIT_FLOP_PER_S, "312Tf"},
               {0.0, SS_UNIT_SECONDS, "0s"}};
  for (const auto &c : cases) {
    ss_quantity_format(ss_quantity_round(c.value, c.unit, 4), c.unit, text);
    EXPECT_STREQ(text, c.expected);
  }
}

TEST(FitFile, SaysFilesAndConstants)
{
  ss_fit_plan plan;
  const std::string path =
      write("fit.xml", in_fit("<measured file=\"../a.xml\"/><measured file=\"/b.xml\"/>\n" + kConstant +
                              "<constant property=\"nvlink-efficiency\" from=\"0.5\" to=\"1\" "
                              "start=\"0.7\"/>"));
  ss_error error = {};
  ASSERT_EQ(ss_fit_load(path.c_str(), &plan, &error), SS_OK) << error.message;
  ASSERT_EQ(plan.measured_count, 2);
  EXPECT_EQ(plan.measured[0], fs::path(path).parent_path().string() + "/../a.xml");
  EXPECT_STREQ(plan.measured[1], "/b.xml");
  ASSERT_EQ(plan.constants, 2);
  EXPECT_STREQ(plan.constant[0].property->name, "launch-overhead");
  EXPECT_EQ(plan.constant[0].line, 3);
  EXPECT_DOUBLE_EQ(plan.constant[0].from, 1e-6);
  EXPECT_DOUBLE_EQ(plan.constant[0].to, 9e-6);
  EXPECT_TRUE(std::isnan(plan.constant[0].start));
  EXPECT_DOUBLE_EQ(plan.constant[1].start, 0.7);
}

TEST(FitFile, RefusesWhatIsNotThere)
{
  expect_refusals({
      {"<fit version=\"2\"/>", "PATH:1: fit.version=\"2\": is an unknown version; allowed: 1"},
      {in_fit(""), "PATH:1: has no <constant>; allowed: one or more"},
      {in_fit(kMeasured), "PATH:1: has no <constant>; allowed: one or more"},
      {in_fit(kConstant), "PATH:1: has no <measured>; allowed: one or more"},
      {in_fit("<measured/>"), "PATH:2: measured.file is missing"},
      {in_fit("<constant from=\"1us\" to=\"2us\"/>"), "PATH:2: constant.property is missing"},
      {in_fit("<constant property=\"launch-overhead\" to=\"2us\"/>"), "PATH:2: constant.from is missing"},
      {in_fit("<constant property=\"launch-overhead\" from=\"2us\"/>"), "PATH:2: constant.to is missing"},
      {in_fit("<point/>"), "PATH:2: unknown element <point>; allowed: <measured>, <constant>"},
      {in_fit("<measured file=\"a\"><set/></measured>"), "PATH:2: unknown element <set>; allowed: no elements here"},
      {in_fit("<measured name=\"a\"/>"),
       "PATH:2: unknown attribute measured.name=\"a\"; allowed: file, groups, sweeps, platform"},
  });
}

TEST(FitFile, RefusesConstantsThatCannotBeFitted)
{
  const std::string before = "<constant property=\"launch-overhead\" ";
  expect_refusals({
      {in_fit("<constant property=\"domain-size\" from=\"1\" to=\"2\"/>"),
       "PATH:2: constant.property=\"domain-size\": is not a quantity; allowed: a property that is a number with its "
       "unit"},
      {in_fit("<constant property=\"matrix-efficiency\" from=\"0.1\" to=\"0.2\"/>"),
       "PATH:2: constant.property=\"matrix-efficiency\": is not a quantity; allowed: a property that is a number with "
       "its "
       "unit"},
      {in_fit(kConstant + kConstant),
       "PATH:3: constant.property=\"launch-overhead\": occurs again, after line 2; allowed: once"},
      {in_fit(before + "from=\"2\" to=\"3us\"/>"),
       "PATH:2: constant.from=\"2\": has no unit; allowed: a time such as 2.5us (s, ms, us, ns)"},
      {in_fit(before + "from=\"2us\" to=\"3h\"/>"),
       "PATH:2: constant.to=\"3h\": is not a number and a unit; allowed: a time such as 2.5us (s, ms, us, ns)"},
      {in_fit(before + "from=\"2us\" to=\"3s\"/>"), "PATH:2: constant.to=\"3s\": is out of range; allowed: 0s to 1s"},
      {in_fit(before + "from=\"2us\" to=\"2us\"/>"),
       "PATH:2: constant.to=\"2us\": is not above from=\"2us\"; allowed: a larger one"},
      {in_fit(before + "from=\"2us\" to=\"4us\" start=\"5us\"/>"),
       "PATH:2: constant.start=\"5us\": is outside of the bounds; allowed: 2us to 4us"},
      {in_fit(before + "from=\"2us\" to=\"4us\" start=\"1us\"/>"),
       "PATH:2: constant.start=\"1us\": is outside of the bounds; allowed: 2us to 4us"},
  });
  ss_fit_plan plan;
  EXPECT_EQ(load_fit(in_fit("<constant property=\"warp\" from=\"1\" to=\"2\"/>"), &plan)
                .rfind("PATH:2: unknown property constant.property=\"warp\"; allowed: accelerator, fitted-to, "
                       "idealised, matrix-flops",
                       0),
            0u);
}

TEST(FitFile, RefusesMoreThanThereIsRoomFor)
{
  std::string files, constants = kMeasured;
  int line = 2;
  for (int i = 0; i <= SS_FIT_FILES; ++i) files += kMeasured;
  expect_refusals({{in_fit(files), "PATH:" + std::to_string(2 + SS_FIT_FILES) + ": more than 64 <measured>"}});
  for (int i = 0; i < SS_PROPERTY_TOTAL && line < 3 + SS_FIT_CONSTANTS; ++i) {
    const ss_property &row = ss_machine_properties()[i];
    char from[SS_QUANTITY_SIZE], to[SS_QUANTITY_SIZE];
    if (row.type != SS_PROPERTY_QUANTITY) continue;
    ss_quantity_format(row.minimum, row.unit, from);
    ss_quantity_format(row.maximum, row.unit, to);
    constants += "<constant property=\"" + std::string(row.name) + "\" from=\"" + from + "\" to=\"" + to + "\"/>\n";
    ++line;
  }
  expect_refusals({{in_fit(constants), "PATH:" + std::to_string(3 + SS_FIT_CONSTANTS) + ": more than 16 <constant>"}});
}

/* Those that are shipped, with the files that they name. */
TEST(FitFile, OfTheTreeCanBeRead)
{
  int count = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(source_path("validation/fit"))) {
    if (entry.path().extension() != ".xml") continue;
    ss_fit_plan plan;
    ss_measured measured = {};
    ss_error error = {};
    ASSERT_EQ(ss_fit_load(entry.path().c_str(), &plan, &error), SS_OK) << error.message;
    for (int64_t i = 0; i < plan.measured_count; ++i)
      EXPECT_EQ(ss_measured_load(plan.measured[i], &measured, &error), SS_OK) << error.file << ": " << error.message;
    ss_measured_free(&measured);
    ++count;
  }
  EXPECT_GE(count, 3);
}

/* Of a file with two groups and one with a third: those that are named, and all of the other file. An id that a file
 * has not is refused, where the plan says it. */
TEST(Fit, TakesGroups)
{
  Points points({{"a.xml", 2}, {"a.xml", 3}, {"b.xml", 1}});
  ss_fit_plan plan = {};
  std::snprintf(plan.file, sizeof plan.file, "fit.xml");
  plan.measured_count = 2;
  std::snprintf(plan.measured[0], sizeof plan.measured[0], "a.xml");
  std::snprintf(plan.measured[1], sizeof plan.measured[1], "b.xml");
  std::snprintf(plan.groups[0], sizeof plan.groups[0], " group-1\n");
  plan.measured_line[0] = 7;
  ASSERT_EQ(ss_fit_choose_points(&plan, &points.measured, &points.error), SS_OK);
  ASSERT_EQ(points.list(), SS_OK);
  EXPECT_EQ(points.points.count, 3 + 1);
  EXPECT_EQ(points.points.point[0], 2);
  std::snprintf(plan.groups[0], sizeof plan.groups[0], "group-1 group-2");
  EXPECT_EQ(ss_fit_choose_points(&plan, &points.measured, &points.error), SS_ERROR_INPUT);
  EXPECT_STREQ(points.error.message,
               "groups \"group-1 group-2\": there is no group-2 in a.xml; allowed: ids of its groups");
  EXPECT_EQ(points.error.line, 7);
}

/* Of two files with sweeps old, new and none: of the first the points of one sweep, in both of its groups; of the other
 * all. With a group as well, those of the sweep in it. */
TEST(Fit, TakesSweeps)
{
  Points points({{"a.xml", 3}, {"a.xml", 2}, {"b.xml", 2}});
  const char *const sweeps[] = {"old", "new", "", "new", "old", "old", "new"};
  for (int i = 0; i < 7; ++i)
    std::snprintf(points.measured.point[i].sweep, sizeof points.measured.point[i].sweep, "%s", sweeps[i]);
  ss_fit_plan plan = {};
  std::snprintf(plan.file, sizeof plan.file, "fit.xml");
  plan.measured_count = 2;
  std::snprintf(plan.measured[0], sizeof plan.measured[0], "a.xml");
  std::snprintf(plan.measured[1], sizeof plan.measured[1], "b.xml");
  std::snprintf(plan.sweeps[0], sizeof plan.sweeps[0], "new");
  plan.measured_line[0] = 7;
  ASSERT_EQ(ss_fit_choose_points(&plan, &points.measured, &points.error), SS_OK);
  const bool used[] = {false, true, false, true, false, true, true};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(points.measured.point[i].used, used[i]) << i;
  std::snprintf(plan.groups[0], sizeof plan.groups[0], "group-1");
  ASSERT_EQ(ss_fit_choose_points(&plan, &points.measured, &points.error), SS_OK);
  EXPECT_FALSE(points.measured.point[1].used);
  EXPECT_TRUE(points.measured.point[3].used);
  std::snprintf(plan.sweeps[0], sizeof plan.sweeps[0], "new newest");
  EXPECT_EQ(ss_fit_choose_points(&plan, &points.measured, &points.error), SS_ERROR_INPUT);
  EXPECT_STREQ(points.error.message, "sweeps \"new newest\": there is no newest in a.xml; allowed: its sweeps");
  EXPECT_EQ(points.error.line, 7);
}
