/* The search for a minimum: where it ends, where it looks, and what it does with errors. */
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

extern "C" {
#include "sim/solver/minimum.h"
}

namespace
{

using Function = std::function<double(const double *)>;

struct Search {
  Function function;
  int64_t count = 1, limit = 200, fails_at = -1;
  std::vector<std::vector<double>> places = {};
  std::vector<double> at = {};
  ss_minimum minimum = {};
  ss_error error = {};

  ss_status run(std::vector<double> start)
  {
    const ss_minimum_search search = {count, evaluate, this, limit, 1e-3};
    at = std::move(start);
    places.clear();
    return ss_minimum_find(&search, at.data(), &minimum, &error);
  }

  static ss_status evaluate(void *context, const double *at, double *value, ss_error *error)
  {
    Search *s = static_cast<Search *>(context);
    s->places.emplace_back(at, at + s->count);
    if (s->fails_at == static_cast<int64_t>(s->places.size()))
      return ss_error_set(error, SS_ERROR_ENGINE, nullptr, 0, "no more");
    *value = s->function(at);
    return SS_OK;
  }
};

} // namespace

TEST(Minimum, OfAParabola)
{
  Search s = {[](const double *x) { return (x[0] - 0.3) * (x[0] - 0.3) + 2.0; }};
  ASSERT_EQ(s.run({0.9}), SS_OK);
  EXPECT_NEAR(s.at[0], 0.3, 2e-3);
  EXPECT_NEAR(s.minimum.value, 2.0, 1e-5);
  EXPECT_EQ(s.minimum.evaluations, static_cast<int64_t>(s.places.size()));
}

/* What fits have: a mean of absolute values, with a kink along every point's own line. The three lines meet in (0.7,
 * 0.2), where all are 0. */
TEST(Minimum, OfKinksThatCross)
{
  Search s = {[](const double *x) {
    const double a = x[0] - 0.7, b = x[1] - 0.2;
    return std::fabs(a + b) + std::fabs(a - 2.0 * b) + std::fabs(3.0 * a + b);
  }};
  s.count = 2;
  for (const std::vector<double> &start : {std::vector<double>{0.1, 0.9}, {0.7, 0.9}, {0.0, 0.0}, {1.0, 1.0}}) {
    ASSERT_EQ(s.run(start), SS_OK);
    EXPECT_NEAR(s.at[0], 0.7, 1e-2);
    EXPECT_NEAR(s.at[1], 0.2, 1e-2);
  }
}

TEST(Minimum, OnABound)
{
  Search s = {[](const double *x) { return x[0] - x[1]; }};
  s.count = 2;
  ASSERT_EQ(s.run({0.5, 0.5}), SS_OK);
  EXPECT_NEAR(s.at[0], 0.0, 1e-3);
  EXPECT_NEAR(s.at[1], 1.0, 1e-3);
  for (const std::vector<double> &place : s.places)
    for (const double x : place) EXPECT_TRUE(x >= 0.0 && x <= 1.0) << x;
}

TEST(Minimum, OfAConstantIsWhereItBegins)
{
  Search s = {[](const double *) { return 1.0; }};
  ASSERT_EQ(s.run({0.25}), SS_OK);
  EXPECT_EQ(s.at[0], 0.25);
}

/* The best place that was looked at, not the last one. */
TEST(Minimum, StopsAtItsLimit)
{
  Search s = {[](const double *x) { return std::fabs(x[0] - 0.123) + std::fabs(x[1] - 0.456); }};
  s.count = 2;
  s.limit = 7;
  ASSERT_EQ(s.run({0.9, 0.9}), SS_OK);
  ASSERT_EQ(s.places.size(), 7u);
  double best = INFINITY;
  for (const std::vector<double> &place : s.places) best = std::fmin(best, s.function(place.data()));
  EXPECT_EQ(s.minimum.value, best);
  EXPECT_EQ(s.function(s.at.data()), best);
}

TEST(Minimum, GoesTheSameWayEachTime)
{
  Search s = {[](const double *x) { return std::fabs(std::sin(9.0 * x[0]) - x[1]) + x[0] * x[1]; }};
  s.count = 2;
  ASSERT_EQ(s.run({0.4, 0.6}), SS_OK);
  const std::vector<std::vector<double>> places = s.places;
  ASSERT_EQ(s.run({0.4, 0.6}), SS_OK);
  EXPECT_EQ(s.places, places);
}

TEST(Minimum, EndsWithAnErrorOfTheFunction)
{
  Search s = {[](const double *x) { return x[0]; }};
  for (const int64_t fails_at : {1, 2, 5}) {
    s.fails_at = fails_at;
    EXPECT_EQ(s.run({0.5}), SS_ERROR_ENGINE);
    EXPECT_STREQ(s.error.message, "no more");
    EXPECT_EQ(static_cast<int64_t>(s.places.size()), fails_at);
  }
}
