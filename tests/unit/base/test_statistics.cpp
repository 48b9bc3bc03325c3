/* Statistics of errors against numbers worked out by hand. */
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

extern "C" {
#include "model/base/statistics.h"
}

namespace
{

ss_error_summary summarise(const std::vector<double> &errors)
{
  ss_error_summary summary;
  EXPECT_EQ(ss_error_summarise(errors.data(), static_cast<int64_t>(errors.size()), &summary), SS_OK);
  return summary;
}

double correlation(const std::vector<double> &a, const std::vector<double> &b)
{
  return ss_rank_correlation(a.data(), b.data(), static_cast<int64_t>(a.size()));
}

} // namespace

TEST(Statistics, ErrorsAreRelativeToWhatWasMeasured)
{
  EXPECT_DOUBLE_EQ(ss_relative_error(9.0, 10.0), -0.1);
  EXPECT_DOUBLE_EQ(ss_relative_error(12.0, 10.0), 0.2);
}

/* |.| = 0.1 0.3 0.2: mean 0.6 / 3; with signs (0.1 - 0.3 + 0.2) / 3 = 0. Rank of 90 %: ceil(2.7) = 3, the largest. */
TEST(Statistics, OfThreeErrors)
{
  const ss_error_summary summary = summarise({0.1, -0.3, 0.2});
  EXPECT_EQ(summary.count, 3);
  EXPECT_DOUBLE_EQ(summary.mean_absolute, 0.2);
  EXPECT_NEAR(summary.bias, 0.0, 1e-16);
  EXPECT_DOUBLE_EQ(summary.p90, 0.3);
  EXPECT_DOUBLE_EQ(summary.worst, -0.3);
  EXPECT_EQ(summary.worst_index, 1);
}

/* Ten: the ninth is what nine of ten do not exceed, though 0.9 * 10 is a little more than 9 in binary. Eleven:
 * ceil(9.9) = 10. */
TEST(Statistics, PercentilesAreNearestRanks)
{
  std::vector<double> values = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
  EXPECT_EQ(ss_percentile(values.data(), 10, 0.9), 9.0);
  EXPECT_EQ(ss_percentile(values.data(), 10, 0.5), 5.0);
  EXPECT_EQ(ss_percentile(values.data(), 10, 1.0), 10.0);
  EXPECT_EQ(ss_percentile(values.data(), 10, 0.01), 1.0);
  values.push_back(11);
  EXPECT_EQ(ss_percentile(values.data(), 11, 0.9), 10.0);
}

TEST(Statistics, OfEqualErrorsTheFirstIsTheWorst)
{
  EXPECT_EQ(summarise({0.1, 0.2, -0.2}).worst_index, 1);
}

TEST(Statistics, OfNothingIsNoNumber)
{
  const ss_error_summary summary = summarise({});
  EXPECT_EQ(summary.count, 0);
  EXPECT_TRUE(std::isnan(summary.mean_absolute));
  EXPECT_TRUE(std::isnan(summary.bias));
  EXPECT_TRUE(std::isnan(summary.p90));
  EXPECT_TRUE(std::isnan(summary.worst));
}

TEST(Statistics, RankCorrelationLooksAtOrderOnly)
{
  EXPECT_DOUBLE_EQ(correlation({1, 2, 3}, {10, 1000, 1001}), 1.0);
  EXPECT_DOUBLE_EQ(correlation({1, 2, 3}, {3, 2, -7}), -1.0);
  /* Differences of the ranks 0 1 1 0: 1 - 6 * 2 / (4 * 15) = 0.8. */
  EXPECT_DOUBLE_EQ(correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8);
}

/* Ranks of the first 1 2.5 2.5 4, of the second 1 2 3 4; about their mean 2.5 the product is 2.25 + 0 + 0 + 2.25 = 4.5,
 * the squares 4.5 and 5: 4.5 / sqrt(22.5). */
TEST(Statistics, EqualValuesShareTheirRanks)
{
  EXPECT_DOUBLE_EQ(correlation({1, 5, 5, 7}, {1, 2, 3, 4}), 4.5 / std::sqrt(22.5));
}

TEST(Statistics, ThereIsNoOrderOfEquals)
{
  EXPECT_TRUE(std::isnan(correlation({1, 2}, {3, 3})));
  EXPECT_TRUE(std::isnan(correlation({1}, {3})));
  EXPECT_TRUE(std::isnan(correlation({}, {})));
}

/* Of two normals the largest has the mean 1 / sqrt(pi) and the variance 1 - 1 / pi, which factors near 1 follow; of a
 * single one, what is given. Cut at 1.5, none of many is above. */
TEST(Largest, OfFactors)
{
  const double pi = 3.14159265358979323846, small = 1e-4;
  const ss_largest two = ss_largest_of(2, {small, 1e9});
  EXPECT_NEAR((two.mean - 1) / small, 1 / std::sqrt(pi), 1e-3);
  EXPECT_NEAR(two.deviation / small, std::sqrt(1 - 1 / pi), 1e-3);
  EXPECT_EQ(ss_largest_of(1, {0.3, 2}).mean, 1);
  EXPECT_EQ(ss_largest_of(1, {0.3, 2}).deviation, 0.3);
  EXPECT_NEAR(ss_largest_of(1e6, {0.5, 1.5}).mean, 1.5, 1e-9);
  EXPECT_NEAR(ss_largest_of(7, {0, 1}).mean, 1, 1e-12);
}

/* The largest of 1000 normals has the mean 3.2414 (H. L. Harter, Expected values of normal order statistics, 1961). */
TEST(Largest, OfAThousandNormals)
{
  EXPECT_NEAR((ss_largest_of(1000, {1e-5, 1e9}).mean - 1) / 1e-5, 3.2414, 1e-3);
}
