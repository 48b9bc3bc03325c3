/* Which constants measurements tell, from sensitivities written down by hand. */
#include <algorithm>
#include <cstdio>
#include <vector>

#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/input/origin.h"
#include "model/measured/sensitivity.h"
}

using namespace stepsim;

namespace
{

enum { MATRIX, FP8, MXFP8, NVFP4, VECTOR, NVLINK, FABRIC, POINTS = 4 };

/* A platform with all of the first constants, four points, and no sensitivity to anything. */
struct Choice {
  ss_machine machine = {};
  ss_free_constant list[SS_FREE_CONSTANTS] = {};
  std::vector<double> sensitivity = std::vector<double>(SS_FREE_CONSTANTS * POINTS);
  std::vector<double> scratch = std::vector<double>(SS_FREE_CONSTANTS * POINTS);
  double weight[POINTS] = {1, 1, 1, 1};
  ss_fit_points points = {};

  Choice()
  {
    ss_error error = {};
    EXPECT_EQ(ss_machine_load(source_path("platforms/dgx-h100.xml").c_str(), &machine, &error), SS_OK);
    ss_free_constants_of(&machine, list);
    for (int i = 0; i < SS_FREE_CONSTANTS; ++i) list[i].sensitivity = &sensitivity[(size_t)i * POINTS];
    points.count = POINTS;
    points.weight = weight;
  }

  void set(int constant, const std::vector<double> &values)
  {
    std::copy(values.begin(), values.end(), list[constant].sensitivity);
  }

  ss_fate fate(int constant)
  {
    ss_free_constants_choose(list, &points, scratch.data());
    return list[constant].fate;
  }
};

} // namespace

TEST(Sensitivity, ConstantsOfThePlatform)
{
  Choice c;
  EXPECT_EQ(c.list[MATRIX].fate, SS_FATE_IDLE);
  EXPECT_EQ(c.list[MATRIX].constant.start, 0.84);
  EXPECT_EQ(c.list[MATRIX].constant.to, 1.0);
  EXPECT_EQ(c.list[FP8].constant.start, 0.89);
  for (const ss_free_constant &constant : c.list) {
    const std::string name = constant.constant.property->name;
    const bool replaced = name == "nvlink-latency" || name == "fabric-latency";  /* by the steps of a protocol */
    const bool foreign = name == "mxfp8-sustained" || name == "nvfp4-sustained"; /* formats that it lacks */
    EXPECT_EQ(constant.fate == SS_FATE_ABSENT, replaced || foreign) << name;
    EXPECT_EQ(name == "simple-nvlink-step", constant.constant.to == 5 * 7e-6) << name;
  }
  c.machine.fp8_sustained = 0; /* as matrix-sustained */
  c.machine.line[SS_PROPERTY_nvlink_efficiency] = SS_LINE_OVERRIDE;
  ss_free_constants_of(&c.machine, c.list);
  EXPECT_EQ(c.list[FP8].fate, SS_FATE_ABSENT);
  EXPECT_EQ(c.list[NVLINK].fate, SS_FATE_SET);
}

TEST(Sensitivity, NothingDependsOnIt)
{
  Choice c;
  EXPECT_EQ(c.fate(MATRIX), SS_FATE_IDLE);
}

/* The mean of |S| is 0.0075, below a hundredth; that of the other is 0.5. */
TEST(Sensitivity, WeakOnesAreKept)
{
  Choice c;
  c.set(MATRIX, {0.0, -0.03, 0.0, 0.0});
  c.set(VECTOR, {-0.5, -0.5, -0.5, -0.5});
  EXPECT_EQ(c.fate(MATRIX), SS_FATE_WEAK);
  EXPECT_EQ(c.list[VECTOR].fate, SS_FATE_FITTED);
}

/* (1 1 1 1) and (0.5 0.5 0.5 0.51): the second less half of the first is about (0 0 0 0.01), 1 % of it. */
TEST(Sensitivity, AlikeOnesAreOne)
{
  Choice c;
  c.set(MATRIX, {-1, -1, -1, -1});
  c.set(VECTOR, {-0.5, -0.5, -0.5, -0.51});
  c.set(NVLINK, {0, 0, -0.5, 0.5});
  EXPECT_EQ(c.fate(VECTOR), SS_FATE_ALIKE);
  EXPECT_EQ(c.list[VECTOR].like, MATRIX);
  EXPECT_EQ(c.list[MATRIX].fate, SS_FATE_FITTED);
  EXPECT_EQ(c.list[NVLINK].fate, SS_FATE_FITTED);
}

/* Points of weight 0 tell nothing. */
TEST(Sensitivity, WeightsCount)
{
  Choice c;
  c.set(MATRIX, {-1, 0, 0, 0});
  c.set(VECTOR, {0, -1, -1, -1});
  c.weight[0] = 0.0;
  EXPECT_EQ(c.fate(MATRIX), SS_FATE_IDLE);
  EXPECT_EQ(c.list[VECTOR].fate, SS_FATE_FITTED);
}

/* Four points tell at most three constants. */
TEST(Sensitivity, FewerConstantsThanPoints)
{
  Choice c;
  c.set(MATRIX, {-1, 0, 0, 0});
  c.set(VECTOR, {0, -0.9, 0, 0});
  c.set(NVLINK, {0, 0, -0.8, 0});
  c.set(FABRIC, {0, 0, 0, -0.7});
  EXPECT_EQ(c.fate(FABRIC), SS_FATE_MANY);
  EXPECT_EQ(c.list[NVLINK].fate, SS_FATE_FITTED);
}

/* Iterations and collectives weigh the same in all, and so do groups of collectives: 2 iterations, one of them twice,
 * and groups of 1 and 2 collectives. */
TEST(Sensitivity, KindsAreBalanced)
{
  ss_measured measured = {};
  ss_error error = {};
  for (const ss_measured_kind kind : {SS_MEASURED_ITERATIONS, SS_MEASURED_COLLECTIVES, SS_MEASURED_COLLECTIVES})
    ss_measured_add_group(&measured)->kind = kind;
  const double own[] = {1, 2, 1, 1, 1};
  for (const int64_t group : {0, 0, 1, 2, 2}) {
    ss_measured_point *point = ss_measured_add_point(&measured);
    point->group = group;
    point->used = true;
  }
  ss_fit_points points = {};
  ASSERT_EQ(ss_fit_points_init(&points, &measured, &error), SS_OK);
  EXPECT_EQ(points.weight[4], 1.0);
  ss_fit_points_balance(&points, own);
  const double expected[] = {1.0 / 3, 2.0 / 3, 0.5, 0.25, 0.25};
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(points.weight[i], expected[i]) << i;
  std::snprintf(measured.group[1].file, sizeof measured.group[1].file, "other");
  std::snprintf(measured.group[2].file, sizeof measured.group[2].file, "other");
  ss_fit_points_split(&points);
  EXPECT_EQ(points.sources, 3); /* two files, three groups */
  ss_fit_points_free(&points);
  ss_measured_free(&measured);
}
