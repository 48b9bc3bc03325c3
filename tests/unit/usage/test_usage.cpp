#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

extern "C" {
#include "sim/engine/observe/usage.h"
}

/* A fabric of links in groups of ten, named by group and number; the third group is one where no flow disturbs another.
 * Only what a usage asks of a fabric is there. */
struct ss_fabric {
  double bytes_per_s;
};

extern "C" {
double ss_fabric_bytes_per_s(const ss_fabric *fabric, int64_t link)
{
  return link < 10 ? fabric->bytes_per_s : 2.0 * fabric->bytes_per_s;
}

void ss_fabric_name(const ss_fabric *, int64_t link, char name[SS_LINK_NAME_SIZE])
{
  static const char *const groups[] = {"nic-%d:out", "leaf-%d:up", "wide-%d"};
  (void)snprintf(name, SS_LINK_NAME_SIZE, groups[link / 10], (int)(link % 10));
}
}

namespace
{

const ss_fabric fabric = {100.0};

/* What a writer is told. */
struct Told {
  std::vector<double> boundary_s;
  std::vector<ss_busy_link> links;
  std::vector<std::vector<double>> utilisation;
  int closed = 0;
};

void open(void *self, const double *boundary_s, int64_t slices)
{
  static_cast<Told *>(self)->boundary_s.assign(boundary_s, boundary_s + slices + 1);
}

void tell(void *self, const ss_busy_link *link, const double *utilisation, int64_t slices)
{
  static_cast<Told *>(self)->links.push_back(*link);
  static_cast<Told *>(self)->utilisation.emplace_back(utilisation, utilisation + slices);
}

ss_status close(void *self, ss_error *)
{
  static_cast<Told *>(self)->closed++;
  return SS_OK;
}

class Usage : public testing::Test
{
protected:
  ss_usage usage{};
  ss_busy_links busy{};

  void SetUp() override
  {
    ASSERT_EQ(ss_usage_init(&usage, 30, 0), SS_OK);
  }
  void TearDown() override
  {
    ss_usage_free(&usage);
  }
  void look(double end_s, const int64_t *alike = nullptr)
  {
    const ss_usage_view view = {&usage, &fabric, alike, end_s};
    ASSERT_EQ(ss_usage_busiest(&view, &busy), SS_OK);
  }
  Told told(double end_s, const int64_t *alike = nullptr)
  {
    Told out;
    ss_link_writer writer = {&out, open, tell, close};
    const ss_usage_view view = {&usage, &fabric, alike, end_s};
    EXPECT_EQ(ss_usage_write(&view, &writer, nullptr), SS_OK);
    EXPECT_EQ(out.closed, 1);
    return out;
  }
  void expect(int64_t index, const char *name, const std::vector<double> &numbers) const
  {
    ASSERT_LT(index, busy.count);
    const ss_busy_link &link = busy.link[index];
    EXPECT_STREQ(link.name, name);
    const std::vector<double> actual = {static_cast<double>(link.alike), link.bytes_per_s, link.bytes, link.utilisation,
                                        link.peak};
    for (size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(actual[i], numbers[i], 1e-12 * numbers[i]) << i;
  }
};

TEST_F(Usage, NothingWasCarried)
{
  look(1.0);
  EXPECT_EQ(busy.count, 0);
  EXPECT_EQ(busy.used, 0);
  EXPECT_EQ(busy.total, 30);
  look(0.0);
  EXPECT_EQ(busy.count, 0);
  EXPECT_TRUE(told(1.0).links.empty());
}

/* 50 bytes evenly over the first half of 16 s on a link of 100 bytes/s, and 400 over the last quarter: 450 of 1600
 * bytes, at most at full speed. */
TEST_F(Usage, SharesOfTheIterationAndOfItsBusiestSlice)
{
  ss_usage_add(&usage, 3, 0.0, 8.0, 50.0);
  ss_usage_add(&usage, 3, 12.0, 16.0, 400.0);
  look(16.0);
  EXPECT_EQ(busy.used, 1);
  ASSERT_EQ(busy.count, 1);
  expect(0, "nic-3:out", {1, 100.0, 450.0, 450.0 / 1600.0, 1.0});
  const Told out = told(16.0);
  ASSERT_EQ(out.links.size(), 1u);
  ASSERT_EQ(out.boundary_s.size(), out.utilisation[0].size() + 1);
  EXPECT_EQ(out.boundary_s.front(), 0.0);
  EXPECT_EQ(out.boundary_s.back(), 16.0);
  for (size_t i = 0; i < out.utilisation[0].size(); ++i) {
    const double from_s = out.boundary_s[i];
    EXPECT_NEAR(out.utilisation[0][i], from_s < 8.0 ? 0.0625 : from_s < 12.0 ? 0.0 : 1.0, 1e-12) << i;
  }
}

/* What is told early, when slices are short, is where it would be had the length been known from the beginning. A
 * thousand intervals of 10 ms with pauses as long: half of the time at full speed. */
TEST_F(Usage, SlicesGrowWithTime)
{
  for (int i = 0; i < 1000; ++i) ss_usage_add(&usage, 0, 0.02 * i, 0.02 * i + 0.01, 1.0);
  ss_usage_add(&usage, 1, 0.0, 20.0, 1000.0);
  look(20.0);
  ASSERT_EQ(busy.count, 1);
  EXPECT_EQ(busy.link[0].alike, 2);
  const Told out = told(20.0);
  ASSERT_EQ(out.links.size(), 2u);
  EXPECT_GE(out.utilisation[0].size(), 33u);
  EXPECT_LE(out.utilisation[0].size(), 64u);
  double difference = 0.0;
  for (size_t i = 0; i < out.utilisation[0].size(); ++i)
    difference = std::max(difference, std::abs(out.utilisation[0][i] - out.utilisation[1][i]));
  EXPECT_LT(difference, 0.02); /* a slice of 0.3 s has 15 periods, and a part of one */
}

TEST_F(Usage, ManyOrdersOfMagnitude)
{
  ss_usage_add(&usage, 0, 1e-9, 2e-9, 1.0);
  ss_usage_add(&usage, 0, 1e6, 2e6, 1e7);
  ss_usage_add(&usage, 0, 5e-7, 5e-7, 1.0);
  look(2e6);
  expect(0, "nic-0:out", {1, 100.0, 1e7 + 2.0, (1e7 + 2.0) / 2e8});
  EXPECT_NEAR(busy.link[0].peak, 0.1, 1e-12);
}

/* A point in time at the very end, and one on the boundary of two slices. */
TEST_F(Usage, PointsInTime)
{
  ss_usage_add(&usage, 0, 64.0, 64.0, 10.0);
  ss_usage_add(&usage, 0, 32.0, 32.0, 20.0);
  look(64.0);
  expect(0, "nic-0:out", {1, 100.0, 30.0, 30.0 / 6400.0, 0.1}); /* 20 bytes in a slice of 2 s */
}

/* The iteration goes on for long after the last bytes: the slices are as many as ever. */
TEST_F(Usage, AQuietEnd)
{
  ss_usage_add(&usage, 0, 0.0, 1.0, 100.0);
  const Told out = told(1000.0);
  EXPECT_LE(out.utilisation[0].size(), 64u);
  EXPECT_GE(out.utilisation[0].size(), 32u);
  EXPECT_NEAR(out.utilisation[0][0], 1.0 / out.boundary_s[1], 1e-12);
  look(1000.0);
  EXPECT_NEAR(busy.link[0].utilisation, 1e-3, 1e-15);
}

/* Flows whose mean rates overlap for a while cannot make a link faster than it is. */
TEST_F(Usage, NoSharedLinkCarriesMoreThanItCan)
{
  ss_usage_add(&usage, 0, 0.0, 4.0, 300.0);
  ss_usage_add(&usage, 0, 2.0, 8.0, 500.0);
  look(8.0);
  expect(0, "nic-0:out", {1, 100.0, 800.0, 1.0, 1.0});
}

/* Sorted by utilisation, then by number; equal links of one kind are one entry, even if they are busy at other times
 * and differ in rounding. leaf-0 is as busy, but of another kind and capacity. */
TEST_F(Usage, LinksThatCarryTheSameAreOneEntry)
{
  for (int64_t i = 0; i < 4; ++i) ss_usage_add(&usage, 5 - i, 0.1 * (double)i, 0.1 * (double)i + 0.7, 30.0);
  ss_usage_add(&usage, 4, 0.8, 0.9, 1e-12);
  ss_usage_add(&usage, 9, 0.0, 1.0, 31.0);
  ss_usage_add(&usage, 10, 0.0, 1.0, 60.0);
  ss_usage_add(&usage, 0, 0.0, 1.0, 1.0);
  look(1.0);
  EXPECT_EQ(busy.used, 7);
  ASSERT_EQ(busy.count, 4);
  expect(0, "nic-9:out", {1, 100.0, 31.0, 0.31, 0.31});
  expect(1, "nic-2:out", {4, 100.0, 30.0, 0.3});
  EXPECT_NEAR(busy.link[1].peak, 30.0 / 70.0, 0.01);
  expect(2, "leaf-0:up", {1, 200.0, 60.0, 0.3, 0.3});
  expect(3, "nic-0:out", {1, 100.0, 1.0, 0.01, 0.01});
}

/* A link can stand for others that were not simulated. */
TEST_F(Usage, LinksThatStandForOthers)
{
  std::vector<int64_t> alike(30, 1);
  alike[0] = 4;
  alike[1] = alike[2] = alike[3] = 0;
  ss_usage_add(&usage, 0, 0.0, 1.0, 10.0);
  ss_usage_add(&usage, 1, 0.0, 1.0, 90.0);
  ss_usage_add(&usage, 4, 0.0, 1.0, 10.0);
  look(1.0, alike.data());
  EXPECT_EQ(busy.used, 5);
  ASSERT_EQ(busy.count, 1);
  expect(0, "nic-0:out", {5, 100.0, 10.0, 0.1, 0.1});
  const Told out = told(1.0, alike.data());
  ASSERT_EQ(out.links.size(), 2u);
  EXPECT_EQ(out.links[0].alike, 4);
  EXPECT_EQ(out.links[1].alike, 1);
}

/* More links than are listed, each different: the busiest are. */
TEST_F(Usage, TheListIsShort)
{
  for (int64_t i = 0; i < 20; ++i) ss_usage_add(&usage, i, 0.0, 1.0, 1.0 + static_cast<double>(i % 10));
  look(1.0);
  EXPECT_EQ(busy.used, 20);
  ASSERT_EQ(busy.count, SS_BUSY_LINKS);
  expect(0, "nic-9:out", {1, 100.0, 10.0, 0.1});
  expect(1, "nic-8:out", {1, 100.0, 9.0, 0.09});
  for (int64_t i = 1; i < busy.count; ++i) EXPECT_LE(busy.link[i].utilisation, busy.link[i - 1].utilisation + 1e-9);
}

} /* namespace */
