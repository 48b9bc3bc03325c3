/* Runs played event by event against their closed form. */
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <random>

extern "C" {
#include "model/run/spares.h"
#include "sim/campaign/campaign.h"
#include "sim/campaign/due.h"
}

using namespace stepsim;

/* A month of work that is interrupted every 20,000 s, with a checkpoint of a minute each half hour. */
static ss_whole_run month()
{
  ss_whole_run run = {};
  run.work_s = 30 * 86400.0;
  run.rhythm = {1800, 60, 0};
  run.breakage = {1 / 20000.0, 900, true, 0.5, 900};
  run.spares = 1000;
  run.repair_s = 86400;
  run.replicas = 128;
  run.replica_loss = 1.0 / 128;
  run.replica_nodes = 14;
  for (ss_slow &slow : run.slow) slow.speed = slow.off_speed = 1;
  run.slows = SS_SLOW_CABLE;
  run.slow[SS_SLOW_NIC].kind = SS_SLOW_NIC;
  return run;
}

/* Parts that become slow so often, the job at a speed for so long; taken out after `detection_s`, which takes
 * `exclusion_s`, or switched off with `off_speed`. */
static ss_slow slow_parts(ss_slow_kind kind, double rate_per_s, double speed, double mean_s, double detection_s = 0,
                          double exclusion_s = 0, double off_speed = 1)
{
  return {rate_per_s, speed, mean_s, detection_s, exclusion_s, kind, off_speed, 0, nullptr, nullptr};
}

static ss_campaign play(const ss_whole_run &run, int64_t trials = 10000)
{
  ss_campaign campaign;
  ss_error error = {};
  EXPECT_EQ(ss_campaign_play(&run, 1, trials, 1 + seed, &campaign, &error), SS_OK);
  return campaign;
}

/* Parts add up to the whole in both. */
static void expect_adds_up(const ss_whole_run_time &time)
{
  double sum = 0;
#define PART_SUM(field, label, help) sum += time.field;
  SS_WHOLE_RUN_PART_LIST(PART_SUM)
#undef PART_SUM
  EXPECT_NEAR(sum, time.total_s, 1e-9 * time.total_s);
}

static void expect_agree(const ss_whole_run &run, double tolerance)
{
  const ss_whole_run_time mean = ss_whole_run_mean(&run);
  const ss_campaign campaign = play(run);
  expect_adds_up(mean);
  expect_adds_up(campaign.mean);
  EXPECT_NEAR(campaign.mean.total_s, mean.total_s, tolerance * mean.total_s);
  EXPECT_NEAR(campaign.mean.interruptions, mean.interruptions, 0.01 * mean.interruptions);
  EXPECT_LT(campaign.total_s.p5, campaign.total_s.p50);
  EXPECT_LT(campaign.total_s.p50, campaign.total_s.p95);
}

/* As far as so many trials tell, where nothing breaks: what is left is that a run begins without slow parts. */
static void expect_agree_surely(const ss_whole_run &run, int64_t trials = 10000)
{
  const ss_whole_run_time mean = ss_whole_run_mean(&run);
  const ss_campaign campaign = play(run, trials);
  expect_adds_up(mean);
  expect_adds_up(campaign.mean);
  EXPECT_NEAR(campaign.mean.total_s, mean.total_s, 3.5 * campaign.error.slowed_s + 3e-4 * mean.total_s);
}

/* Adds a list of slow parts, by kind. */
static void add_slow(ss_whole_run &run, const ss_slow &slow)
{
  run.slow[run.slows++] = slow;
}

/* Exponential failures, and nothing breaks in a recovery: the closed form is exact, and 10,000 trials have a standard
 * error of 8e-5. */
TEST(Campaign, IsTheClosedFormWithQuietRecoveries)
{
  expect_agree(month(), 1e-3);
  EXPECT_EQ(play(month(), 100).mean.slowed_s, 0.0); /* and no part is what rounding leaves of nothing */
}

TEST(Campaign, IsTheClosedFormWithWritesBesideTheWork)
{
  ss_whole_run run = month();
  run.rhythm.write_s = 600;
  expect_agree(run, 1e-3);
}

TEST(Campaign, IsTheClosedFormWithRecoveriesThatFail)
{
  ss_whole_run run = month();
  run.breakage.quiet_recovery = false;
  run.breakage.recovery_s = run.breakage.node_recovery_s = 6000;
  expect_agree(run, 1e-3);
}

/* A lost node is made up for within a minute, other interruptions take half an hour. */
TEST(Campaign, IsTheClosedFormWhereRecoveriesDiffer)
{
  for (const bool quiet : {true, false}) {
    ss_whole_run run = month();
    run.breakage = {1 / 20000.0, 1800, quiet, 0.7, 60};
    expect_agree(run, 1e-3);
  }
}

/* Ten of a hundred days are stalls, which are work that takes longer, but no work. */
TEST(Campaign, StallsArePartOfTheWork)
{
  ss_whole_run run = month();
  run.stalled_s = 0.1 * run.work_s;
  const ss_campaign campaign = play(run, 100);
  for (const ss_whole_run_time &time : {ss_whole_run_mean(&run), campaign.mean}) {
    expect_adds_up(time);
    EXPECT_DOUBLE_EQ(time.stalled_s, 0.1 * run.work_s);
    EXPECT_DOUBLE_EQ(time.work_s, 0.9 * run.work_s);
  }
}

/* Waiting for nodes, fewer replicas and slow GPUs are those of long runs in the closed form: a month is near. */
TEST(Campaign, IsNearTheClosedFormOfLongRuns)
{
  ss_whole_run waits = month(), shrinks = month(), slow = month();
  waits.breakage.quiet_recovery = shrinks.breakage.quiet_recovery = false;
  waits.spares = 4;
  expect_agree(waits, 0.01);
  shrinks.spares = 1;
  shrinks.shrinks = true;
  shrinks.growth_s = 400;
  expect_agree(shrinks, 2e-3);
  slow.slow[SS_SLOW_GPU] = slow_parts(SS_SLOW_GPU, 1 / 86400.0, 0.7, 7200, 1200, 300);
  expect_agree(slow, 2e-3);
  slow.slow[SS_SLOW_NIC] = slow_parts(SS_SLOW_NIC, 1 / 43200.0, 0.9, 3600, 0, 300);
  expect_agree(slow, 2e-3);
}

/* Of two replicas of two nodes one goes on without the other, and nothing without both: with three nodes in repair the
 * job waits. Of many nodes that are hardly ever repaired none is left either. */
TEST(Campaign, WaitsWithoutAReplica)
{
  ss_whole_run run = month();
  run.work_s *= 4;
  run.shrinks = true;
  run.spares = 0;
  run.replicas = 2;
  run.replica_nodes = 2;
  run.replica_loss = 0.5;
  run.breakage.quiet_recovery = false;
  EXPECT_EQ(ss_whole_run_most_away(&run), 2);
  EXPECT_EQ(ss_whole_run_speed(&run, 1), 0.5);
  EXPECT_EQ(ss_whole_run_speed(&run, 2), 0);
  EXPECT_GT(ss_whole_run_mean(&run).waiting_s, 0.2 * ss_whole_run_mean(&run).total_s);
  expect_agree(run, 0.02);
  ss_whole_run single = run;
  single.replicas = 1;
  EXPECT_EQ(ss_whole_run_most_away(&single), 0);
  single.replica_loss = 1;
  expect_agree(single, 0.02);
  EXPECT_DOUBLE_EQ(ss_whole_run_mean(&single).waiting_s / ss_whole_run_mean(&single).total_s,
                   ss_spares_waiting(0, 0.5 / 20000 * 86400));
}

/* Slow GPUs that are taken out are nodes in repair: one in two hours, each for a day, are 12 in the mean, less what
 * taking out takes, in which none is found. Ten spares are too few, as Erlang says. */
TEST(Campaign, SlowGpusThatAreTakenOutTakeSpares)
{
  ss_whole_run run = month();
  run.breakage.rate_per_s = 0;
  run.spares = 10;
  run.slow[SS_SLOW_GPU] = slow_parts(SS_SLOW_GPU, 1 / 7200.0, 0.7, 1e9, 60, 100);
  run.work_s *= 10;
  const ss_whole_run_time mean = ss_whole_run_mean(&run);
  EXPECT_NEAR(mean.waiting_s / mean.total_s, ss_spares_waiting(10, 12 / (1 + 100 / 7200.0)), 1e-6);
  const ss_campaign campaign = play(run, 200);
  EXPECT_NEAR(campaign.mean.waiting_s, mean.waiting_s, 0.03 * mean.waiting_s);
  EXPECT_NEAR(campaign.mean.total_s, mean.total_s, 0.01 * mean.total_s);
}

/* By hand: a NIC is slow every 9000 s for 1000 s, so that none is with exp(-1/9) = 0.8948; the job has half of its
 * speed then, 0.9474 in the mean. A GPU is every 4000 s for 2000 s: exp(-1/2) = 0.6065, and 0.25 of the speed, 0.7049.
 * Both: 0.6678. A NIC that is found after 500 s stays 1000 (1 - exp(-1/2)) = 393.5 s: exp(-393.5/9000) = 0.9572, so
 * 0.9786; one in 9000 exp(1/2) = 14838 s is taken out, for 100 s: 0.674 %. */
TEST(Campaign, SlowPartsOfTwoKinds)
{
  ss_whole_run run = month();
  run.breakage.rate_per_s = 0;
  run.rhythm = {run.work_s, 0, 0};
  run.slow[SS_SLOW_NIC] = slow_parts(SS_SLOW_NIC, 1 / 9000.0, 0.5, 1000, 0, 100);
  EXPECT_NEAR(run.work_s / ss_whole_run_mean(&run).total_s, 0.9474, 1e-4);
  run.slow[SS_SLOW_GPU] = slow_parts(SS_SLOW_GPU, 1 / 4000.0, 0.25, 2000, 0, 100);
  EXPECT_NEAR(run.work_s / ss_whole_run_mean(&run).total_s, 0.6678, 1e-4);
  EXPECT_NEAR(ss_whole_run_slow_per_s(&run), 1 / 9000.0 + 1 / 4000.0, 1e-12);
  expect_agree(run, 2e-3);
  run.slow[SS_SLOW_GPU].rate_per_s = 0;
  run.slow[SS_SLOW_NIC].detection_s = 500;
  EXPECT_NEAR(ss_slow_stays_s(&run.slow[SS_SLOW_NIC]), 393.5, 0.1);
  EXPECT_NEAR(run.work_s / ss_whole_run_mean(&run).total_s, 0.9786 / 1.00674, 1e-4);
  EXPECT_NEAR(ss_whole_run_lost_per_s(&run), 1 / 14838.0, 1e-8);
  expect_agree(run, 2e-3);
}

/* By hand: cables of two places, slow every 9000 s for 1000 s and every 4000 s for 2000 s, and the job at 0.5 and 0.25
 * of its speed. None of the second is slow with exp(-1/2) = 0.6065, none of the first with exp(-1/9) = 0.8948; the
 * slowest counts: 0.3935 x 0.25 + 0.6065 (0.1052 x 0.5 + 0.8948) = 0.6730. A switch multiplies that: every 3000 s for
 * 1000 s, at 0.8: exp(-1/3) = 0.7165, so 0.9433, and 0.6348 of both. */
TEST(Campaign, SlowPartsOfTheFabric)
{
  ss_whole_run run = month();
  run.breakage.rate_per_s = 0;
  run.rhythm = {run.work_s, 0, 0};
  add_slow(run, slow_parts(SS_SLOW_CABLE, 1 / 9000.0, 0.5, 1000, 0, 0, 0.5));
  add_slow(run, slow_parts(SS_SLOW_CABLE, 1 / 4000.0, 0.25, 2000, 0, 0, 0.25));
  EXPECT_NEAR(run.work_s / ss_whole_run_mean(&run).total_s, 0.6730, 1e-4);
  expect_agree_surely(run, 3000);
  add_slow(run, slow_parts(SS_SLOW_SWITCH, 1 / 3000.0, 0.8, 1000, 0, 0, 0.8));
  EXPECT_NEAR(run.work_s / ss_whole_run_mean(&run).total_s, 0.6348, 1e-4);
  EXPECT_EQ(ss_whole_run_lost_per_s(&run), 0);
  expect_agree_surely(run, 3000);
}

/* A cable is slow every 9000 s and mended after 1000 s, switched off after 500 s if it is not. It stays slow for 393.5
 * s, as a NIC above, and is off for the other 606.5 s: exp(-393.5/9000) = 0.9572 and exp(-606.5/9000) = 0.9348. The job
 * has 0.5 of its speed, then 0.75: 0.0428 x 0.5 + 0.9572 (0.0652 x 0.75 + 0.9348) = 0.9630. No node goes into repair.
 */
TEST(Campaign, SlowCablesAreSwitchedOff)
{
  ss_whole_run run = month();
  run.breakage.rate_per_s = 0;
  run.rhythm = {run.work_s, 0, 0};
  add_slow(run, slow_parts(SS_SLOW_CABLE, 1 / 9000.0, 0.5, 1000, 500, 0, 0.75));
  EXPECT_NEAR(run.work_s / ss_whole_run_mean(&run).total_s, 0.9630, 1e-4);
  EXPECT_EQ(ss_whole_run_lost_per_s(&run), 0);
  expect_agree_surely(run);
  ss_whole_run stays = run, sooner = run;
  stays.slow[SS_SLOW_CABLE].detection_s = 0;
  sooner.slow[SS_SLOW_CABLE].detection_s = 50;
  EXPECT_GT(ss_whole_run_mean(&stays).total_s, ss_whole_run_mean(&run).total_s);
  EXPECT_LT(ss_whole_run_mean(&sooner).total_s, ss_whole_run_mean(&run).total_s);
  run.breakage.rate_per_s = 1 / 20000.0;
  run.rhythm = {1800, 60, 0};
  add_slow(run, slow_parts(SS_SLOW_SWITCH, 1 / 50000.0, 0.7, 20000, 1000, 0, 0.9));
  expect_agree(run, 1e-3);
}

/* The same of random fabrics: rare and frequent slow parts, of some places, some of which are switched off. */
TEST(Campaign, RandomSlowFabricsAgree)
{
  std::mt19937 random(11 + seed);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int i = 0; i < 12; ++i) {
    ss_whole_run run = month();
    run.breakage.rate_per_s = 0;
    run.rhythm = {run.work_s, 0, 0};
    for (int place = 0; place <= i % 4; ++place) {
      const double speed = draw(0.1, 1);
      const ss_slow_kind kind = place < 2 ? SS_SLOW_CABLE : SS_SLOW_SWITCH;
      add_slow(run, slow_parts(kind, 1 / draw(1e3, 1e5), speed, draw(100, 3000), place % 2 == 0 ? draw(10, 3000) : 0, 0,
                               draw(speed, 1)));
    }
    expect_agree_surely(run, 1000);
  }
}

/* Parts that are never slow, or with which the job is as fast, change nothing, to the bit, of closed form and trials.
 */
TEST(Campaign, PartsOfTheFabricThatDoNotMatter)
{
  ss_whole_run run = month();
  run.slow[SS_SLOW_GPU] = slow_parts(SS_SLOW_GPU, 1 / 86400.0, 0.7, 7200, 1200, 300);
  ss_whole_run never = run, fast = run;
  for (const ss_slow_kind kind : {SS_SLOW_CABLE, SS_SLOW_SWITCH}) {
    add_slow(never, slow_parts(kind, 0, 0.5, 3600, 600, 0, 0.75));
    add_slow(fast, slow_parts(kind, 1 / 3600.0, 1, 3600, 600, 0, 1));
  }
  const ss_campaign plain = play(run, 200);
  for (const ss_whole_run &same : {never, fast}) {
    const ss_campaign campaign = play(same, 200);
    EXPECT_EQ(ss_whole_run_mean(&same).total_s, ss_whole_run_mean(&run).total_s);
    EXPECT_EQ(campaign.mean.total_s, plain.mean.total_s);
    EXPECT_EQ(campaign.total_s.p95, plain.total_s.p95);
  }
}

/* While a slow GPU is taken out, none becomes slow: else more would in that time than before, without an end. */
TEST(Campaign, TakingOutEnds)
{
  ss_whole_run run = month();
  run.breakage.rate_per_s = 0;
  run.work_s = 86400;
  run.repair_s = 1;
  run.slow[SS_SLOW_GPU] = slow_parts(SS_SLOW_GPU, 1 / 200.0, 0.7, 1e9, 1, 1000);
  expect_agree(run, 0.02);
}

/* Without failures every trial is the sum, whatever the number of pieces. */
TEST(Campaign, WithoutFailuresIsASum)
{
  for (const double work_s : {1.0, 1800.0, 1801.0, 86400.0, 12345.678}) {
    ss_whole_run run = month();
    run.work_s = work_s;
    run.breakage.rate_per_s = 0;
    run.rhythm.write_s = 100;
    const ss_campaign campaign = play(run, 3);
    EXPECT_NEAR(campaign.mean.total_s, ss_whole_run_mean(&run).total_s, 1e-9 * work_s);
    EXPECT_EQ(campaign.mean.interruptions, 0);
    EXPECT_EQ(ss_whole_run_mean(&run).lost_s, 0.0);
    EXPECT_EQ(campaign.mean.slowed_s, 0.0);
  }
}

/* Random runs: more failures, longer recoveries, and slow parts that are more, slower or slow for longer never give
 * more goodput. */
TEST(Campaign, WorseIsNeverBetter)
{
  std::mt19937 random(7 + seed);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int i = 0; i < 200; ++i) {
    ss_whole_run run = month();
    run.rhythm = {draw(100, 5000), draw(0, 100), draw(0, 100)};
    run.breakage = {1 / draw(5000, 1e6), draw(0, 3000), i % 2 == 0, 0.5, draw(0, 3000)};
    run.spares = i % 7;
    run.shrinks = i % 3 == 0;
    for (const ss_slow_kind kind : {SS_SLOW_CABLE, SS_SLOW_CABLE, SS_SLOW_SWITCH})
      add_slow(run, slow_parts(kind, 0, 1, 0));
    for (int list = 0; list < run.slows; ++list) {
      const ss_slow_kind kind = run.slow[list].kind;
      const double speed = draw(0.3, 1);
      run.slow[list] =
          slow_parts(kind, 1 / draw(1e5, 1e7), speed, draw(100, 1e4), draw(0, 1000), draw(0, 500), draw(speed, 1));
    }
    ss_whole_run often = run, longer = run;
    often.breakage.rate_per_s *= 2;
    longer.breakage.recovery_s *= 2;
    longer.breakage.node_recovery_s *= 2;
    const double total_s = ss_whole_run_mean(&run).total_s;
    EXPECT_GE(ss_whole_run_mean(&often).total_s, total_s);
    EXPECT_GE(ss_whole_run_mean(&longer).total_s, total_s);
    for (int list = 0; list < run.slows; ++list) {
      ss_whole_run more = run, slower = run, lasting = run, without = run;
      more.slow[list].rate_per_s *= 2;
      slower.slow[list].speed *= 0.5;
      lasting.slow[list].mean_s *= 2;
      without.slow[list].off_speed = without.slow[list].speed;
      for (const ss_whole_run &worse : {more, slower, lasting, without})
        EXPECT_GE(ss_whole_run_mean(&worse).total_s, total_s * (1 - 1e-12));
    }
    EXPECT_GE(play(often, 100).mean.total_s, play(run, 100).mean.total_s * (1 - 1e-9));
  }
}

/* The same of whole plans, in which the job takes as many spares as it needs and the best interval: what breaks twice
 * as often, or is slow twice as often, never pays by a spare more. A millionth is for the last piece of work, of which
 * the best interval knows nothing. */
TEST(Campaign, WorseIsNeverBetterWithAutomaticSpares)
{
  std::mt19937 random(9 + seed);
  const auto draw = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  for (int i = 0; i < 300; ++i) {
    ss_machine machine = make_machine({});
    ss_workload workload = make_workload();
    workload.parallelism.dp = workload.training.global_batch = 16;
    workload.run.recovery = static_cast<ss_recovery>(i % 3);
    workload.run.checkpoint = i % 2 == 0 ? SS_CHECKPOINT_SYNCHRONOUS : SS_CHECKPOINT_ASYNCHRONOUS;
    workload.run.detection_s = draw(1, 1e4);
    workload.run.restart_s = draw(1, 1e4);
    workload.run.repair_s = draw(1e3, 1e7);
    workload.run.software_failures = draw(1e-3, 100);
    machine.gpu_failures = draw(1e-3, 100);
    machine.node_failures = draw(1e-3, 100);
    machine.slow_rate = i % 4 == 0 ? draw(1e-3, 100) : 0;
    machine.slow_nic_rate = i % 5 == 0 ? draw(1e-3, 100) : 0;
    machine.slow_cable_rate = i % 6 == 0 ? draw(1e-3, 100) : 0;
    machine.slow_switch_rate = i % 7 == 0 ? draw(1e-3, 100) : 0;
    workload.run.slow_cable_detection_s = i % 12 == 0 ? draw(10, 1e4) : 0;
    const ss_slow_fabric fabric = {{{SS_SLOW_CABLE, "above level 1", "", 64, 0.8, 0.9},
                                    {SS_SLOW_CABLE, "above level 2", "", 16, 0.7, 0.7},
                                    {SS_SLOW_SWITCH, "in level 1", "", 4, 0.6, 0.6}},
                                   3};
    workload.run.slow_detection_s = i % 8 == 0 ? draw(10, 1e4) : 0;
    workload.run.slow_nic_detection_s = i % 10 == 0 ? draw(10, 1e4) : 0;
    const Job job(workload, machine);
    const ss_breakdown iteration = ss_estimate_time(job.get());
    const double iterations = draw(1e4, 1e9) / iteration.iteration_s;
    double total_s = 0;
    for (int doubling = 0; doubling < 8; ++doubling) {
      const ss_whole_run_question question = {job.get(),  &workload,    &machine, &iteration,
                                              iterations, 1 - 1.0 / 16, 0.9,      &fabric};
      const ss_whole_run_parts parts = ss_whole_run_of(&question);
      const double now_s = ss_whole_run_mean(&parts.run).total_s;
      EXPECT_GE(now_s, total_s * (1 - 1e-6)) << i << " " << doubling << " " << parts.run.spares;
      total_s = now_s;
      machine.gpu_failures *= 2;
      machine.node_failures *= 2;
      machine.slow_rate *= 2;
      machine.slow_nic_rate *= 2;
      machine.slow_cable_rate *= 2;
      machine.slow_switch_rate *= 2;
      workload.run.software_failures *= 2;
    }
  }
}

/* Whatever the order in which times are added, the soonest comes first; equal ones each once. */
TEST(Due, SoonestFirst)
{
  std::mt19937 random(3 + seed);
  std::vector<double> times(100);
  ss_due due = {};
  EXPECT_TRUE(std::isinf(ss_due_first_s(&due)));
  for (double &time_s : times) ASSERT_TRUE(ss_due_add(&due, time_s = static_cast<double>(random() % 50)));
  std::sort(times.begin(), times.end());
  for (const double time_s : times) {
    EXPECT_EQ(ss_due_first_s(&due), time_s);
    ss_due_drop(&due);
  }
  EXPECT_EQ(due.count, 0);
  ss_due_free(&due);
}

/* On one thread as on several, to the bit; another seed is another run. */
TEST(Campaign, DoesNotDependOnThreads)
{
  ss_whole_run run = month();
  run.slow[SS_SLOW_GPU] = slow_parts(SS_SLOW_GPU, 1 / 86400.0, 0.7, 7200, 1200, 300);
  const ss_campaign several = play(run, 500);
#ifdef _OPENMP
  omp_set_num_threads(1);
#endif
  const ss_campaign one = play(run, 500);
  EXPECT_EQ(several.mean.total_s, one.mean.total_s);
  EXPECT_EQ(several.total_s.p95, one.total_s.p95);
  ss_campaign other;
  ss_error error = {};
  ASSERT_EQ(ss_campaign_play(&run, 1, 500, 77, &other, &error), SS_OK);
  EXPECT_NE(other.mean.total_s, one.mean.total_s);
}

/* Steps without stalls are log-normal; with ten stalls of 0.1 s in the mean in a step, the longest has the mean
 * 0.1 (ln 10 + 0.5772) = 0.288 s, and is below 0.1 ln(10 / ln 2) = 0.267 s in half of the steps: of 1 + 0.288. */
TEST(Campaign, StepsAreDrawn)
{
  ss_machine machine = make_machine({});
  ss_campaign campaign = {};
  ss_error error = {};
  ss_breakdown iteration = {};
  iteration.compute_s = iteration.iteration_s = 1;
  ASSERT_EQ(ss_campaign_draw_steps(&machine, 16, &iteration, &campaign, &error), SS_OK);
  EXPECT_FALSE(campaign.uneven);
  machine.iteration_noise = 0.02;
  ASSERT_EQ(ss_campaign_draw_steps(&machine, 16, &iteration, &campaign, &error), SS_OK);
  EXPECT_NEAR(campaign.step_mean, 1, 5e-4);
  EXPECT_NEAR(campaign.step_std, 0.02, 5e-4);
  EXPECT_NEAR(campaign.step.p95, std::exp(1.645 * 0.02), 2e-3);
  machine.iteration_noise = 0;
  machine.stall_rate_per_s = 10.0 / 16;
  machine.stall_time_s = 0.1;
  ASSERT_EQ(ss_campaign_draw_steps(&machine, 16, &iteration, &campaign, &error), SS_OK);
  EXPECT_NEAR(campaign.step_mean, 1.288, 3e-3);
  EXPECT_NEAR(campaign.step.p50, 1.2666 / 1.288, 2e-3);
}
