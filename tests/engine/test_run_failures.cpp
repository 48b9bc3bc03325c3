/* Runs on hosts of SimGrid that fail, against sums by hand, the trials of a run, and its closed form. */
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

extern "C" {
#include "model/run/whole_run.h"
#include "sim/campaign/campaign.h"
#include "sim/engine/failures.h"
}

using namespace stepsim;

namespace
{

using Outages = std::vector<ss_outage>;

/* When a run ends that stands in some outages. */
double end_s(double work_s, ss_rhythm rhythm, Outages outages)
{
  ss_failing_host host = {work_s, rhythm, {}, 0};
  ss_error error = {};
  for (const ss_outage &outage : outages) EXPECT_TRUE(ss_outages_add(&host.outages, outage));
  EXPECT_EQ(ss_play_failures(&host, 1, &error), SS_OK) << error.message;
  ss_outages_free(&host.outages);
  return host.end_s;
}

/* Three days of work that are interrupted every 20,000 s, with a checkpoint of a minute each half hour. */
ss_whole_run three_days()
{
  ss_whole_run run = {};
  run.work_s = 3 * 86400.0;
  run.rhythm = {1800, 60, 0};
  run.breakage = {1 / 20000.0, 900, true, 0, 0};
  run.spares = 1000;
  run.replicas = 128;
  run.replica_loss = 1.0 / 128;
  run.replica_nodes = 1;
  for (ss_slow &slow : run.slow) slow.speed = 1;
  run.slows = SS_SLOW_CABLE;
  return run;
}

/* What trials come to with SimGrid, and the same without. */
ss_simgrid_campaign play(const ss_whole_run &run, int64_t trials)
{
  std::vector<ss_failing_host> host(static_cast<size_t>(trials), {run.work_s, run.rhythm, {}, 0});
  std::vector<double> own_s(host.size()), total_s;
  ss_error error = {};
  for (size_t i = 0; i < host.size(); ++i)
    EXPECT_EQ(ss_campaign_outages(&run, {1 + seed, static_cast<int64_t>(i), 0}, &own_s[i], &host[i].outages, &error),
              SS_OK);
  EXPECT_EQ(ss_play_failures(host.data(), trials, &error), SS_OK) << error.message;
  for (ss_failing_host &one : host) {
    total_s.push_back(one.end_s);
    ss_outages_free(&one.outages);
  }
  return ss_campaign_of_simgrid(total_s.data(), own_s.data(), trials);
}

} // namespace

/* 100 s of work in pieces of 30, 30, 30 and 10 s, each with a pause of 5 s. */
TEST(RunFailures, TakeBackToTheLastCheckpoint)
{
  const ss_rhythm rhythm = {30, 5, 0};
  EXPECT_NEAR(end_s(100, rhythm, {}), 120, 1e-6);
  EXPECT_NEAR(end_s(100, rhythm, {{50, 60}}), 60 + 2 * 35 + 15, 1e-6);             /* 30 s are kept */
  EXPECT_NEAR(end_s(100, rhythm, {{34, 40}}), 40 + 120, 1e-6);                     /* the pause is not over */
  EXPECT_NEAR(end_s(100, rhythm, {{50, 60}, {100, 110}}), 110 + 35 + 15, 1e-6);    /* 60 s at 95 s */
  EXPECT_NEAR(end_s(100, rhythm, {{50, 60}, {60.5, 70}}), 70 + 2 * 35 + 15, 1e-6); /* no progress between */
}

/* The first checkpoint is written at 55 s, beside the second piece; the last write has nothing beside it. */
TEST(RunFailures, CountCheckpointsThatAreWritten)
{
  const ss_rhythm rhythm = {30, 5, 20};
  EXPECT_NEAR(end_s(100, rhythm, {}), 120 + 20, 1e-6);
  EXPECT_NEAR(end_s(100, rhythm, {{50, 60}}), 60 + 120 + 20, 1e-6);
  EXPECT_NEAR(end_s(100, rhythm, {{56, 66}}), 66 + 2 * 35 + 15 + 20, 1e-6);
  /* The write that begins at 105 s takes longer than the last piece, which ends at 120 s: neither is there at 130. */
  EXPECT_NEAR(end_s(100, rhythm, {{130, 140}}), 140 + 35 + 15 + 20, 1e-6);
}

/* All that breaks a run without slow parts and fewer replicas: recoveries that fail, of two lengths, writes beside the
 * work, and nodes that are waited for. */
TEST(RunFailures, AreThoseOfTheTrials)
{
  ss_whole_run writes = three_days(), fails = three_days(), waits = three_days();
  writes.rhythm.write_s = 600;
  fails.breakage = {1 / 20000.0, 6000, false, 0.5, 900};
  waits.breakage = {1 / 20000.0, 900, false, 0.5, 900};
  waits.spares = 1;
  waits.repair_s = 40000;
  for (const ss_whole_run &run : {three_days(), writes, fails, waits}) {
    const ss_simgrid_campaign campaign = play(run, 40);
    EXPECT_GT(campaign.error_s, 0);
    EXPECT_LT(campaign.apart_s, 1e-9 * campaign.mean_s);
  }
}

/* A run takes 3.3 days with 13 failures, each of which costs half an interval and a recovery, 1830 s: by chance 6600 s,
 * or 2.3 %, so that 400 runs have a mean within 0.4 %, three and a half times their standard error. */
TEST(RunFailures, AreThoseOfTheClosedForm)
{
  const ss_whole_run run = three_days();
  const double mean_s = ss_whole_run_mean(&run).total_s;
  const ss_simgrid_campaign campaign = play(run, 400);
  EXPECT_NEAR(campaign.error_s, 0.023 * mean_s / 20, 0.15 * 0.023 * mean_s / 20);
  EXPECT_NEAR(campaign.mean_s, mean_s, 3.5 * campaign.error_s);
  EXPECT_NEAR(campaign.mean_s, mean_s, 4e-3 * mean_s);
}

/* Many runs side by side, of which each has outages of its own. */
TEST(RunFailures, AreOfOneHostEach)
{
  std::vector<ss_failing_host> host(3, {100, {30, 5, 0}, {}, 0});
  ss_error error = {};
  EXPECT_TRUE(ss_outages_add(&host[1].outages, {50, 60}));
  EXPECT_EQ(ss_play_failures(host.data(), 3, &error), SS_OK);
  EXPECT_NEAR(host[0].end_s, 120, 1e-6);
  EXPECT_NEAR(host[1].end_s, 145, 1e-6);
  EXPECT_NEAR(host[2].end_s, 120, 1e-6);
  ss_outages_free(&host[1].outages);
}
