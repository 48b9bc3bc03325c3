/* Errors of groups, sweeps and the whole, worked out by hand. */
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {
#include "model/input/workload.h"
#include "model/measured/validation.h"
}

namespace
{

/* Measurements with predictions, without files. */
struct Fixture {
  ss_measured measured = {};
  ss_validation validation = {};

  ~Fixture()
  {
    ss_validation_free(&validation);
    ss_measured_free(&measured);
  }

  void group(ss_measured_kind kind, const char *id, double bound)
  {
    ss_measured_group *added = ss_measured_add_group(&measured);
    added->kind = kind;
    added->bound = bound;
    added->regret_bound = NAN;
    added->first = measured.points;
    std::snprintf(added->id, sizeof added->id, "%s", id);
  }

  void point(const char *sweep, double measured_s, bool used = true)
  {
    ss_measured_point *added = ss_measured_add_point(&measured);
    added->group = measured.groups - 1;
    added->measured_s = measured_s;
    added->memory_bytes = NAN;
    added->used = used;
    std::snprintf(added->sweep, sizeof added->sweep, "%s", sweep);
    measured.group[measured.groups - 1].count++;
  }

  /* A point of four GPUs, tp of which share a layer. */
  ss_workload &strategy(int64_t layers, int64_t tp, double measured_s)
  {
    point("", measured_s);
    auto *workload = static_cast<ss_workload *>(std::malloc(sizeof(ss_workload)));
    ss_workload_init(workload);
    workload->model.layers = layers;
    workload->training.global_batch = 8;
    workload->parallelism.tp = tp;
    workload->parallelism.dp = 4 / tp;
    measured.point[measured.points - 1].workload = workload;
    return *workload;
  }

  void predict(std::initializer_list<double> times)
  {
    ss_error error = {};
    ASSERT_EQ(ss_validation_init(&validation, &measured, &error), SS_OK);
    int64_t i = 0;
    for (const double time_s : times) {
      validation.predicted[i].time_s[SS_PREDICTOR_ESTIMATE] = time_s;
      validation.predicted[i].time_s[SS_PREDICTOR_SIMULATION] = measured.point[i].measured_s;
      ++i;
    }
    ASSERT_EQ(ss_validation_sum(&validation, &error), SS_OK);
  }
};

} // namespace

/* Of three points two are limits: 9 s are at most 10 s, and 11 s are not; only 1.1 s instead of 1 s is an error. */
TEST(Validation, LimitsAreKeptOrNot)
{
  Fixture f;
  f.group(SS_MEASURED_RUNS, "r", NAN);
  f.point("", 10);
  f.point("", 10);
  f.point("", 1);
  f.measured.point[0].limit = f.measured.point[1].limit = SS_LIMIT_AT_MOST;
  f.predict({9, 11, 1.1});
  const ss_validated &group = f.validation.group[0];
  EXPECT_EQ(group.limits, 2);
  EXPECT_EQ(group.kept[SS_PREDICTOR_ESTIMATE], 1);
  EXPECT_EQ(group.kept[SS_PREDICTOR_SIMULATION], 2);
  EXPECT_EQ(group.time[SS_PREDICTOR_ESTIMATE].count, 1);
  EXPECT_NEAR(group.time[SS_PREDICTOR_ESTIMATE].mean_absolute, 0.1, 1e-12);
  EXPECT_TRUE(std::isnan(ss_validation_error(&f.validation, 0, SS_PREDICTOR_ESTIMATE)));
  EXPECT_FALSE(ss_validation_keeps(&f.validation, 1, SS_PREDICTOR_ESTIMATE));
  f.measured.point[1].limit = SS_LIMIT_AT_LEAST;
  EXPECT_TRUE(ss_validation_keeps(&f.validation, 1, SS_PREDICTOR_ESTIMATE));
}

/* Group a: -10 %, +30 %, and one that is not used; group b: +20 %; collectives: -50 %. */
TEST(Validation, SumsGroupsSweepsAndTheWhole)
{
  Fixture f;
  f.group(SS_MEASURED_ITERATIONS, "a", 0.2);
  f.point("s", 10.0);
  f.point("s", 20.0);
  f.point("s", 30.0, false);
  f.group(SS_MEASURED_ITERATIONS, "b", NAN);
  f.point("", 5.0);
  f.group(SS_MEASURED_COLLECTIVES, "c", 0.4);
  f.point("1MiB", 2.0);
  f.measured.point[1].memory_bytes = 100.0;
  f.predict({9.0, 26.0, 0.0, 6.0, 1.0});
  const ss_validation &v = f.validation;
  EXPECT_DOUBLE_EQ(v.group[0].time[SS_PREDICTOR_ESTIMATE].mean_absolute, 0.2);
  EXPECT_DOUBLE_EQ(v.group[0].time[SS_PREDICTOR_ESTIMATE].bias, 0.1);
  EXPECT_EQ(v.group[0].worst[SS_PREDICTOR_ESTIMATE], 1);
  EXPECT_EQ(v.group[0].unused, 1);
  EXPECT_DOUBLE_EQ(v.group[0].correlation[SS_PREDICTOR_ESTIMATE], 1.0);
  EXPECT_DOUBLE_EQ(v.group[1].time[SS_PREDICTOR_ESTIMATE].mean_absolute, 0.2);
  const ss_validated &iterations = v.whole[SS_MEASURED_ITERATIONS];
  EXPECT_EQ(iterations.time[SS_PREDICTOR_ESTIMATE].count, 3);
  EXPECT_DOUBLE_EQ(iterations.time[SS_PREDICTOR_ESTIMATE].mean_absolute, 0.2);
  EXPECT_DOUBLE_EQ(iterations.time[SS_PREDICTOR_ESTIMATE].bias, 0.4 / 3.0);
  EXPECT_DOUBLE_EQ(v.whole[SS_MEASURED_COLLECTIVES].time[SS_PREDICTOR_ESTIMATE].worst, -0.5);
  EXPECT_DOUBLE_EQ(iterations.time[SS_PREDICTOR_SIMULATION].mean_absolute, 0.0);
  EXPECT_EQ(iterations.memory.count, 1);
  EXPECT_DOUBLE_EQ(iterations.memory.worst, -1.0); /* nothing was predicted */
  ASSERT_EQ(v.sweeps, 1);                          /* one point is no sweep */
  EXPECT_STREQ(v.sweep[0].name, "s");
  EXPECT_EQ(v.sweep[0].time[SS_PREDICTOR_ESTIMATE].count, 2);
}

/* Jobs on H100 and H200 are of one kind, +10 % and -30 %; those with experts of another, with +50 %; collectives are of
 * none, nor is what is not used. */
TEST(Validation, SumsKindsOfJobs)
{
  Fixture f;
  f.group(SS_MEASURED_ITERATIONS, "a", NAN);
  for (int i = 0; i < 3; ++i) f.strategy(4, 1, 10.0);
  f.group(SS_MEASURED_ITERATIONS, "b", NAN);
  f.strategy(4, 1, 10.0);
  f.strategy(4, 1, 10.0);
  f.measured.point[4].used = false;
  f.group(SS_MEASURED_COLLECTIVES, "c", NAN);
  f.point("", 10.0);
  f.predict({11.0, 15.0, 15.0, 7.0, 1.0, 1.0});
  for (int64_t i = 0; i < 5; ++i) {
    const bool experts = i == 1 || i == 2;
    f.validation.predicted[i].likeness = {"H100",
                                          16,
                                          experts ? SS_FAMILY_EXPERTS : SS_FAMILY_DENSE,
                                          SS_FRAMEWORK_ANY,
                                          SS_SCALE_MANY,
                                          SS_LAUNCHER_GRAPHS,
                                          SS_LENGTH_SHORT};
  }
  std::snprintf(f.validation.predicted[3].likeness.gpu, SS_GPU_MODEL_SIZE, "H200");
  ss_error error = {};
  ASSERT_EQ(ss_validation_sum(&f.validation, &error), SS_OK);
  ASSERT_EQ(f.validation.kinds, 2);
  const ss_validated *kind = f.validation.kind;
  EXPECT_STREQ(kind[0].name, "dense on Hopper, more than 8 GPUs");
  EXPECT_STREQ(kind[1].name, "with experts on Hopper, more than 8 GPUs");
  EXPECT_EQ(kind[0].time[SS_PREDICTOR_ESTIMATE].count, 2);
  EXPECT_NEAR(kind[0].time[SS_PREDICTOR_ESTIMATE].mean_absolute, 0.2, 1e-12);
  EXPECT_NEAR(kind[0].time[SS_PREDICTOR_ESTIMATE].bias, -0.1, 1e-12);
  EXPECT_EQ(kind[0].worst[SS_PREDICTOR_ESTIMATE], 3);
  EXPECT_NEAR(kind[1].time[SS_PREDICTOR_ESTIMATE].bias, 0.5, 1e-12);
  EXPECT_TRUE(ss_validated_has(&f.validation, &kind[0], SS_MEASURED_ITERATIONS, 0));
  EXPECT_FALSE(ss_validated_has(&f.validation, &kind[0], SS_MEASURED_ITERATIONS, 4));
}

/* A mean of 20 % keeps a bound of 21 % and exceeds one of 19 %; what has no bound keeps it. */
TEST(Validation, HoldsGroupsToTheirBounds)
{
  Fixture f;
  for (const double bound : {0.21, 0.19, static_cast<double>(NAN)}) {
    f.group(SS_MEASURED_ITERATIONS, std::to_string(bound).c_str(), bound);
    f.point("", 10.0);
  }
  f.group(SS_MEASURED_ITERATIONS, "empty", 0.0);
  f.predict({8.0, 8.0, 8.0});
  EXPECT_FALSE(ss_validation_exceeds(&f.validation, 0, SS_PREDICTOR_ESTIMATE));
  EXPECT_TRUE(ss_validation_exceeds(&f.validation, 1, SS_PREDICTOR_ESTIMATE));
  EXPECT_FALSE(ss_validation_exceeds(&f.validation, 1, SS_PREDICTOR_SIMULATION));
  EXPECT_FALSE(ss_validation_exceeds(&f.validation, 2, SS_PREDICTOR_ESTIMATE));
  EXPECT_FALSE(ss_validation_exceeds(&f.validation, 3, SS_PREDICTOR_ESTIMATE));
}

/* Four layers: tp 1 was measured twice, in 10 s and 12 s, which is 11 s; tp 2 and 4 in 12 s and 14 s are predicted
 * alike to be the best, so that one takes 13 s: the regret is 2 / 11. Ranks of predictions are 3, 1.5, 1.5, those of
 * measurements 1, 2, 3: their correlation is -1.5 / sqrt(1.5 * 2) = -sqrt(3) / 2. Eight layers are in the right order.
 * Another precision, batch, platform, software or number of GPUs is another task, another name is not. */
TEST(Validation, RegretsTheStrategyThatItTakes)
{
  Fixture f;
  f.group(SS_MEASURED_ITERATIONS, "a", NAN);
  f.strategy(4, 1, 10.0);
  f.strategy(4, 2, 12.0);
  f.strategy(4, 4, 14.0);
  std::snprintf(f.strategy(4, 1, 12.0).model.name, SS_TEXT_SIZE, "again");
  f.strategy(4, 2, 1.0).training.precision = SS_PRECISION_FP8;
  f.strategy(4, 2, 1.0).training.global_batch = 16;
  f.strategy(4, 2, 1.0).parallelism.dp = 4;
  f.strategy(4, 2, 1.0);
  std::snprintf(f.measured.point[7].platform, SS_PATH_SIZE, "other");
  f.strategy(8, 1, 3.0);
  f.strategy(8, 2, 4.0);
  f.strategy(8, 4, 2.0);
  f.measured.point[10].used = false;
  f.strategy(8, 4, 2.0);
  auto *software = static_cast<ss_measured_settings *>(std::calloc(1, sizeof(ss_measured_settings)));
  std::snprintf(software->setting[software->count++].text, SS_TEXT_SIZE, "platform.kernel-speed=0.9");
  f.measured.point[11].own = software;
  f.group(SS_MEASURED_ITERATIONS, "b", NAN);
  f.strategy(4, 2, 1.0);
  f.predict({9.0, 8.0, 8.0, 9.0, 1.0, 1.0, 1.0, 1.0, 5.0, 6.0, 1.0, 1.0, 1.0});
  const ss_regrets &regrets = f.validation.regrets;
  const ss_regret &sum = regrets.group[0];
  ASSERT_EQ(regrets.count, 2);
  EXPECT_EQ(regrets.rivals[0].strategies, 3);
  EXPECT_EQ(regrets.rivals[0].best, 0);
  EXPECT_EQ(regrets.rivals[0].chosen[SS_PREDICTOR_ESTIMATE], 1);
  EXPECT_DOUBLE_EQ(regrets.rivals[0].regret[SS_PREDICTOR_ESTIMATE], 2.0 / 11.0);
  EXPECT_DOUBLE_EQ(regrets.rivals[0].regret[SS_PREDICTOR_SIMULATION], 0.0);
  EXPECT_DOUBLE_EQ(regrets.rivals[1].regret[SS_PREDICTOR_ESTIMATE], 0.0);
  EXPECT_EQ(sum.rivals, 2);
  EXPECT_EQ(sum.strategies, 5);
  EXPECT_DOUBLE_EQ(sum.mean[SS_PREDICTOR_ESTIMATE], 1.0 / 11.0);
  EXPECT_DOUBLE_EQ(sum.worst[SS_PREDICTOR_ESTIMATE], 2.0 / 11.0);
  EXPECT_EQ(sum.worst_rivals[SS_PREDICTOR_ESTIMATE], 0);
  EXPECT_NEAR(sum.correlation[SS_PREDICTOR_ESTIMATE], 0.5 - std::sqrt(3.0) / 4.0, 1e-15);
  EXPECT_EQ(regrets.group[1].rivals, 0);
  EXPECT_TRUE(std::isnan(regrets.group[1].mean[SS_PREDICTOR_ESTIMATE]));
  EXPECT_DOUBLE_EQ(regrets.whole.mean[SS_PREDICTOR_ESTIMATE], 1.0 / 11.0);
  EXPECT_FALSE(ss_validation_regrets(&f.validation, 0, SS_PREDICTOR_ESTIMATE)); /* no bound */
  f.measured.group[0].regret_bound = 0.1;
  EXPECT_FALSE(ss_validation_regrets(&f.validation, 0, SS_PREDICTOR_ESTIMATE));
  f.measured.group[0].regret_bound = 0.09;
  EXPECT_TRUE(ss_validation_regrets(&f.validation, 0, SS_PREDICTOR_ESTIMATE));
  EXPECT_FALSE(ss_validation_regrets(&f.validation, 0, SS_PREDICTOR_SIMULATION));
  f.measured.group[1].regret_bound = 0.0;
  EXPECT_FALSE(ss_validation_regrets(&f.validation, 1, SS_PREDICTOR_ESTIMATE)); /* no rivals */
}

/* A point more than before, over and over: a list that is too short by one breaks the heap where the next begins. */
TEST(Validation, HasRoomForEveryPoint)
{
  for (int points = 1; points <= 40; ++points) {
    Fixture f;
    f.group(SS_MEASURED_ITERATIONS, "all", NAN);
    for (int i = 0; i < points; ++i) f.point("s", 10.0);
    f.predict({});
    EXPECT_EQ(f.validation.group[0].time[SS_PREDICTOR_ESTIMATE].count, points);
  }
}
