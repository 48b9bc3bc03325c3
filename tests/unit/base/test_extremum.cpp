/* Where curves turn, and the values of a sweep: by hand. */
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "model/search/sweep.h"
}

namespace
{

/* A point of compute and bubble; the iteration is their sum. */
ss_breakdown point(double compute_s, double bubble_s)
{
  ss_breakdown b{};
  b.compute_s = compute_s;
  b.bubble_s = bubble_s;
  b.iteration_s = ss_breakdown_sum(&b);
  return b;
}

std::vector<ss_extremum> extrema(const std::vector<const ss_breakdown *> &curve)
{
  std::vector<ss_extremum> found(curve.size());
  found.resize((size_t)ss_extrema_find(curve.data(), (int64_t)curve.size(), found.data()));
  return found;
}

std::vector<ss_extremum> extrema(const std::vector<ss_breakdown> &points)
{
  std::vector<const ss_breakdown *> curve;
  for (const ss_breakdown &p : points) curve.push_back(&p);
  return extrema(curve);
}

/* Times of compute only. */
std::vector<ss_extremum> extrema(const std::vector<double> &times_s)
{
  std::vector<ss_breakdown> points;
  for (double time_s : times_s) points.push_back(point(time_s, 0.0));
  return extrema(points);
}

void expect_extremum(const ss_extremum &extremum, int64_t first, int64_t last, bool maximum)
{
  EXPECT_EQ(extremum.first, first);
  EXPECT_EQ(extremum.last, last);
  EXPECT_EQ(extremum.maximum, maximum);
}

std::vector<std::string> values(const char *text)
{
  ss_sweep_axis axis;
  ss_error error{};
  EXPECT_EQ(ss_sweep_axis_parse(text, &axis, &error), SS_OK) << error.message;
  std::vector<std::string> list(axis.value, axis.value + axis.count);
  ss_sweep_axis_free(&axis);
  return list;
}

std::string refusal(const char *text)
{
  ss_sweep_axis axis;
  ss_error error{};
  EXPECT_EQ(ss_sweep_axis_parse(text, &axis, &error), SS_ERROR_INPUT) << text;
  ss_sweep_axis_free(&axis);
  return error.message;
}

} /* namespace */

/* Neither ends nor steps on the way turn. */
TEST(Extremum, MonotoneCurvesDoNotTurn)
{
  EXPECT_TRUE(extrema(std::vector<double>{}).empty());
  EXPECT_TRUE(extrema(std::vector<double>{1}).empty());
  EXPECT_TRUE(extrema(std::vector<double>{1, 2}).empty());
  EXPECT_TRUE(extrema(std::vector<double>{3, 2, 2, 1}).empty());
  EXPECT_TRUE(extrema(std::vector<double>{1, 1, 2, 3, 3}).empty());
  EXPECT_TRUE(extrema(std::vector<double>{2, 2, 2}).empty());
}

TEST(Extremum, FindsMinimaAndMaximaInOrder)
{
  const auto found = extrema(std::vector<double>{5, 3, 4, 2, 6});
  ASSERT_EQ(found.size(), 3u);
  expect_extremum(found[0], 1, 1, false);
  expect_extremum(found[1], 2, 2, true);
  expect_extremum(found[2], 3, 3, false);
}

/* 5, 3, 4, 2, 6: from 3 it is 2 up to the end before it and 1 to the maximum behind it; from 4, 1 and 2; from 2, 2 and
 * 4. What has no time does not count. */
TEST(Extremum, IsAsDeepAsTheTimeChangesUntilItTurns)
{
  const auto found = extrema(std::vector<double>{5, 3, 4, 2, 6});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_DOUBLE_EQ(found[0].depth_s, 1.0);
  EXPECT_DOUBLE_EQ(found[1].depth_s, 1.0);
  EXPECT_DOUBLE_EQ(found[2].depth_s, 2.0);
  const ss_breakdown a = point(4, 0), b = point(1, 0), c = point(2, 0), d = point(3, 0);
  const auto gaps = extrema(std::vector<const ss_breakdown *>{nullptr, &a, &b, nullptr, &c, &d, nullptr});
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_DOUBLE_EQ(gaps[0].depth_s, 2.0);
}

/* A plateau turns once, as a whole, unless it is at an end; times that differ by rounding are one plateau. */
TEST(Extremum, PlateausAreOnePlace)
{
  const auto found = extrema(std::vector<double>{3, 3, 2, 2 * (1 + 1e-15), 2, 4, 4, 1, 1});
  ASSERT_EQ(found.size(), 2u);
  expect_extremum(found[0], 2, 4, false);
  expect_extremum(found[1], 5, 6, true);
}

/* 4, (none), 1, (none), 2: a minimum at index 2; without its right neighbour it would be an end. */
TEST(Extremum, PointsWithoutTimeAreLeftOut)
{
  const ss_breakdown a = point(4, 0), b = point(1, 0), c = point(2, 0);
  const auto found = extrema(std::vector<const ss_breakdown *>{nullptr, &a, nullptr, &b, nullptr, &c, nullptr});
  ASSERT_EQ(found.size(), 1u);
  expect_extremum(found[0], 3, 3, false);
  EXPECT_TRUE(extrema(std::vector<const ss_breakdown *>{&a, &b, nullptr}).empty());
}

/* 11, 8, 9: compute 10, 6, 4 falls less after the turn than before it, (10 - 6) + (4 - 6) = 2; bubble 1, 2, 5 rises
 * more, (1 - 2) + (5 - 2) = 2. Of equals compute, the first; with bubble 1, 2, 6 it is 3 and the bubble. */
TEST(Extremum, NamesThePartThatTurnsMost)
{
  const auto equal = extrema(std::vector<ss_breakdown>{point(10, 1), point(6, 2), point(4, 5)});
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_EQ(equal[0].part, SS_PART_compute_s);
  const auto bubble = extrema(std::vector<ss_breakdown>{point(10, 1), point(6, 2), point(4, 6)});
  ASSERT_EQ(bubble.size(), 1u);
  EXPECT_EQ(bubble[0].part, SS_PART_bubble_s);
  /* A maximum 6, 9, 8: compute 5, 5, 6 bends up, (5 - 5) + (6 - 5) = 1; bubble 1, 4, 2 bends down, -3 - 2 = -5. */
  const auto maximum = extrema(std::vector<ss_breakdown>{point(5, 1), point(5, 4), point(6, 2)});
  ASSERT_EQ(maximum.size(), 1u);
  EXPECT_TRUE(maximum[0].maximum);
  EXPECT_EQ(maximum[0].part, SS_PART_bubble_s);
}

TEST(Parts, HaveNamesAndValues)
{
  const ss_breakdown b = point(3, 7);
  EXPECT_EQ(ss_breakdown_part(&b, SS_PART_compute_s), 3.0);
  EXPECT_EQ(ss_breakdown_part(&b, SS_PART_bubble_s), 7.0);
  EXPECT_STREQ(ss_part_field(SS_PART_bubble_s), "bubble_s");
  EXPECT_STREQ(ss_part_label(SS_PART_tp_comm_s), "tensor parallel");
}

TEST(SweepAxis, ListsAndRanges)
{
  using list = std::vector<std::string>;
  EXPECT_EQ(values("parallelism.pp=1,2,4"), (list{"1", "2", "4"}));
  EXPECT_EQ(values("parallelism.pp=1..10*2,12"), (list{"1", "2", "4", "8", "12"}));
  EXPECT_EQ(values("a.b=0..1+0.25"), (list{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(values("a.b=0.1..0.3+0.1"), (list{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(values("platform.x=25GBps..100*2"), (list{"25GBps", "50GBps", "100GBps"}));
  EXPECT_EQ(values("platform.x=100GBps..300GBps+100GBps"), (list{"100GBps", "200GBps", "300GBps"}));
  EXPECT_EQ(values("platform.x=1us..3us+1"), (list{"1us", "2us", "3us"}));
  EXPECT_EQ(values("placement.order=tp,cp,dp,pp;tp,pp,dp,cp"), (list{"tp,cp,dp,pp", "tp,pp,dp,cp"}));
  EXPECT_EQ(values("placement.ranks=../a,../b"), (list{"../a", "../b"}));
  EXPECT_EQ(values("placement.domain=tp=4"), (list{"tp=4"}));
  EXPECT_EQ(values("a.b=1..4"), (list{"1", "2", "3", "4"}));
}

TEST(SweepAxis, RefusesWhatIsNoList)
{
  for (const char *text : {"parallelism.pp", "=1", ""})
    EXPECT_NE(refusal(text).find("is not a list of values"), std::string::npos) << text;
  for (const char *text : {"a.b=1,,2", "a.b=", "a.b=1,"})
    EXPECT_NE(refusal(text).find("is empty"), std::string::npos) << text;
  for (const char *text : {"a.b=4..1", "a.b=1s..4s", "a.b=4..1*2", "a.b=1..4*1", "a.b=1..4+0", "a.b=0..4*2",
                           "a.b=1s..4ms+1", "a.b=1..x*2", "a.b=1..4*2s", "a.b=1..4*"})
    EXPECT_NE(refusal(text).find("is not a range"), std::string::npos) << text;
  EXPECT_NE(refusal("a.b=1..4097+1").find("is more than 4096 values"), std::string::npos);
  EXPECT_EQ(values("a.b=1..4096+1").size(), 4096u);
  EXPECT_NE(refusal("a.b=1..4096+1,1").find("is more than 4096 values"), std::string::npos);
  for (const char *text : {"a.b/c.d=1", "a.b/c.d=1/2/3", "a.b/c.d=1..4*2"})
    EXPECT_NE(refusal(text).find("needs a part for each name"), std::string::npos) << text;
}

/* Names that are varied together have parts of one value; a slash in the value of one name is its own. */
TEST(SweepAxis, SetsSeveralNames)
{
  ss_sweep_axis axis;
  ss_error error{};
  ASSERT_EQ(ss_sweep_axis_parse("a.b/c.d=1/64,2/32GB", &axis, &error), SS_OK);
  EXPECT_EQ(axis.names, 2);
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 0).name, "a.b");
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 0).value, "2");
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 1).name, "c.d");
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 1).value, "32GB");
  ss_sweep_axis_free(&axis);
  ASSERT_EQ(ss_sweep_axis_parse("platform=x/a.xml,x/b.xml", &axis, &error), SS_OK);
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 0).value, "x/b.xml");
  ss_sweep_axis_free(&axis);
}

/* No text is too long: 20 names of 30 bytes varied together, and a path of 3000 bytes. */
TEST(SweepAxis, NamesAndValuesOfAnyLength)
{
  std::string names, one, two;
  for (int i = 0; i < 20; ++i) {
    const std::string slash = i > 0 ? "/" : "";
    names += slash + "parallelism.first-stage-layer" + std::to_string(i % 10);
    one += slash + std::to_string(i);
    two += slash + std::to_string(100 + i);
  }
  ss_sweep_axis axis;
  ss_error error{};
  ASSERT_EQ(ss_sweep_axis_parse((names + "=" + one + "," + two).c_str(), &axis, &error), SS_OK) << error.message;
  EXPECT_EQ(axis.names, 20);
  EXPECT_EQ(axis.name, names);
  EXPECT_EQ(axis.value[1], two);
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 19).name, "parallelism.first-stage-layer9");
  EXPECT_STREQ(ss_sweep_setting_of(&axis, 1, 19).value, "119");
  ss_sweep_axis_free(&axis);
  const std::string path = std::string(2996, 'p') + ".xml";
  EXPECT_EQ(values(("platform=" + path + ",b.xml").c_str()), (std::vector<std::string>{path, "b.xml"}));
  EXPECT_NE(refusal(std::string(3000, 'x').c_str()).find("is not a list of values"), std::string::npos);
  EXPECT_NE(refusal(("a.b=" + std::string(3000, '1') + "..2").c_str()).find("is not a range"), std::string::npos);
}

/* 2 x 3 points, the second axis fastest:   6 5 7    a minimum along the second axis at (0, 1) and a maximum at (1, 1);
 *                                          1 9 2    two values along the first have no inside.
 * The replay of the first line rises instead, that of the second is not there. */
TEST(Sweep, TurnsAlongBothAxes)
{
  const char *const text[] = {"a.b=x,y", "c.d=1,2,3"};
  ss_sweep sweep;
  ss_error error{};
  ASSERT_EQ(ss_sweep_init(&sweep, text, 2, &error), SS_OK);
  ASSERT_EQ(sweep.count, 6);
  EXPECT_STREQ(ss_sweep_value(&sweep, 4, 0), "y");
  EXPECT_STREQ(ss_sweep_value(&sweep, 4, 1), "2");
  const double times_s[] = {6, 5, 7, 1, 9, 2};
  for (int i = 0; i < 6; ++i) {
    sweep.point[i].count = 1;
    sweep.point[i].top = (ss_strategy *)calloc(1, sizeof(ss_strategy));
    sweep.point[i].top->estimate = point(times_s[i], 0.0);
    sweep.point[i].top->simulation = point(i, 0.0);
    sweep.point[i].top->simulated = i < 3;
  }
  ASSERT_EQ(ss_sweep_turn(&sweep, &error), SS_OK);
  ASSERT_EQ(sweep.extrema, 2);
  EXPECT_EQ(sweep.extremum[0].axis, 1);
  EXPECT_EQ(sweep.extremum[0].first, 1);
  EXPECT_FALSE(sweep.extremum[0].maximum);
  EXPECT_EQ(sweep.extremum[1].last, 4);
  EXPECT_TRUE(sweep.extremum[1].maximum);
  EXPECT_FALSE(sweep.extremum[1].simulated);
  ss_sweep_free(&sweep);
}

/* 3 1 2 turns, but platforms have no order. */
TEST(Sweep, PlatformsDoNotTurn)
{
  for (const bool platforms : {false, true}) {
    const char *const text[] = {platforms ? "platform=x,y,z" : "gpus=1,2,3"};
    ss_sweep sweep;
    ss_error error{};
    ASSERT_EQ(ss_sweep_init(&sweep, text, 1, &error), SS_OK);
    const double times_s[] = {3, 1, 2};
    for (int i = 0; i < 3; ++i) {
      sweep.point[i].count = 1;
      sweep.point[i].top = (ss_strategy *)calloc(1, sizeof(ss_strategy));
      sweep.point[i].top->estimate = point(times_s[i], 0.0);
    }
    ASSERT_EQ(ss_sweep_turn(&sweep, &error), SS_OK);
    EXPECT_EQ(sweep.extrema, platforms ? 0 : 1);
    ss_sweep_free(&sweep);
  }
}

TEST(Sweep, RefusesOneAxisTwice)
{
  for (const char *other : {"a.b=2", "c.d/a.b=2/3"}) {
    const char *const text[] = {"a.b=1", other};
    ss_sweep sweep;
    ss_error error{};
    EXPECT_EQ(ss_sweep_init(&sweep, text, 2, &error), SS_ERROR_INPUT);
    ss_sweep_free(&sweep);
  }
}

/* The replay may find another of the best to be faster: each curve has its own. */
TEST(Sweep, TimesOfTheFavouriteAndOfTheBest)
{
  ss_strategy top[2] = {};
  ss_sweep_point p = {};
  EXPECT_EQ(ss_sweep_best(&p), nullptr);
  EXPECT_EQ(ss_sweep_time(&p, false), nullptr);
  p.top = top;
  p.count = 2;
  EXPECT_EQ(ss_sweep_time(&p, false), &top[0].estimate);
  EXPECT_EQ(ss_sweep_time(&p, true), nullptr);
  top[0].simulated = top[1].simulated = true;
  p.best = 1;
  EXPECT_EQ(ss_sweep_best(&p), &top[1]);
  EXPECT_EQ(ss_sweep_time(&p, false), &top[0].estimate);
  EXPECT_EQ(ss_sweep_time(&p, true), &top[1].simulation);
}
