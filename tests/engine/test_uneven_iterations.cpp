/* Trials differ as iterations of the machine do: a factor of the iteration, and stalls. */
#include <vector>

#include "tests/support/random_jobs.hpp"
#include "tests/support/sample.hpp"

using namespace stepsim;

namespace
{

double alone_s(const Job &job)
{
  ss_replay_options options = {};
  options.private_links = true;
  return job.replay(options).breakdown.iteration_s;
}

/* The iteration as a trial of several. */
ss_replay_result trial(const Job &job, ss_replay_options options)
{
  ss_job of_several = *job.get(); /* borrows all */
  of_several.options.trial = true;
  ss_replay_result result = {};
  ss_error error = {};
  EXPECT_EQ(ss_replay(&of_several, &options, &result, &error), SS_OK) << error.message;
  return result;
}

double trial_s(const Job &job, uint64_t seed)
{
  ss_replay_options options = {};
  options.private_links = true;
  options.seed = seed;
  return trial(job, options).breakdown.iteration_s;
}

/* GPUs of a machine that stall so often in an iteration of a workload, all together, for a tenth of it. */
ss_machine stalling(ss_machine machine, const ss_workload &workload, double times)
{
  const double nominal_s = alone_s(Job(workload, machine, SS_COST_CALIBRATED));
  machine.stall_rate_per_s = times / (static_cast<double>(ss_workload_gpus(&workload)) * nominal_s);
  machine.stall_time_s = nominal_s / 10;
  return machine;
}

/* A trial is the same whether replicas that do not stall are folded or not. */
ss_replay_result folded_trial(const Job &job, uint64_t seed)
{
  ss_replay_options options = {};
  options.seed = seed;
  const ss_replay_result some = trial(job, options);
  options.fold = SS_FOLD_NONE;
  const ss_replay_result all = trial(job, options);
  expect_close(some.breakdown.iteration_s, all.breakdown.iteration_s, 1e-9);
  EXPECT_EQ(some.flows, all.flows);
  return some;
}

} // namespace

/* One GPU that stalls twice in an iteration, for a tenth of it each time: the sum of as many exponential times as a
 * Poisson number of mean n has n times their mean, and the variance 2 n mean^2. A replay alone has none. */
TEST(UnevenIterations, StallsAddTheirTimes)
{
  ss_machine machine = make_machine({});
  const double nominal_s = alone_s(Job(make_workload(), machine));
  const double n = 2, mean_s = nominal_s / 10;
  machine.stall_rate_per_s = n / nominal_s;
  machine.stall_time_s = mean_s;
  const Job job(make_workload(), machine);
  EXPECT_EQ(alone_s(job), nominal_s);
  std::vector<double> draws;
  const int count = 1000;
  for (int seed = 1; seed <= count; ++seed) draws.push_back(trial_s(job, (uint64_t)seed) - nominal_s);
  const double expected = std::sqrt(2 * n) * mean_s;
  EXPECT_NEAR(mean(draws), n * mean_s, 5 * expected / std::sqrt(count));
  EXPECT_NEAR(deviation(draws), expected, 0.15 * expected); /* the fourth moment of so few stalls is large */
}

/* All GPUs have a factor in common: ranks do not wait for each other, and replicas stay alike. */
TEST(UnevenIterations, IterationsDifferAlikeOnAllGpus)
{
  ss_machine machine = make_machine(instant_messages());
  machine.iteration_noise = 0.02;
  ss_workload workload = make_workload();
  workload.parallelism.dp = workload.training.global_batch = 2;
  const Job alone(make_workload(), machine), both(workload, machine);
  std::vector<double> factors;
  const int count = 400;
  for (int seed = 1; seed <= count; ++seed) {
    factors.push_back(trial_s(alone, (uint64_t)seed) / alone_s(alone));
    expect_close(trial_s(both, (uint64_t)seed), trial_s(alone, (uint64_t)seed) * alone_s(both) / alone_s(alone), 1e-6);
  }
  EXPECT_NEAR(mean(factors), 1, 5 * 0.02 / std::sqrt(count));
  EXPECT_NEAR(deviation(factors), 0.02, 5 * 0.02 / std::sqrt(2.0 * count));
}

/* A longer iteration is explained by what its kernels lose, and by nothing that was shared. */
TEST(UnevenIterations, AreNoContention)
{
  ss_machine machine = make_machine(instant_messages());
  machine.iteration_noise = 0.02;
  const Job job(make_workload(), machine);
  ss_job of_several = *job.get(); /* borrows all */
  of_several.options.trial = true;
  ss_replay_options options = {};
  options.seed = 3;
  const double replay_s = trial(job, options).breakdown.iteration_s;
  ss_explanation why = {};
  ss_error error = {};
  ASSERT_EQ(ss_explain(&of_several, &options, replay_s, &why, &error), SS_OK) << error.message;
  EXPECT_NEAR(why.contention_s, 0, 1e-9 * replay_s);
  expect_close(why.slowed_s, replay_s - job.replay().breakdown.iteration_s, 1e-6);
}

/* Of 64 replicas of four stages some eight stall. Those without a stall stay alike, but for what waits for one. */
TEST(UnevenIterations, ReplicasThatDoNotStallAreAlike)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.pp = 4;
  workload.parallelism.dp = 64;
  workload.training.global_batch = 6 * 64;
  workload.schedule.pipeline = SS_PIPELINE_1F1B;
  PlatformSpec spec;
  spec.gpus = static_cast<int>(ss_workload_gpus(&workload));
  const Job job(workload, stalling(make_machine(spec), workload, 8), SS_COST_CALIBRATED);
  for (uint64_t seed = 1; seed <= 3; ++seed) EXPECT_LT(folded_trial(job, seed).simulated_stage_replicas, 4 * 24);
}

TEST(UnevenIterations, FoldedIsUnfolded)
{
  enum { kJobs = 40 };
  std::mt19937 random(26112 + seed);
  int folded = 0;
  for (int i = 0; i < kJobs; ++i) {
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_workload workload = random_workload(random);
    ss_machine machine = stalling(random_machine(random), workload, i % 4);
    machine.iteration_noise = 0.02;
    const ss_replay_result result = folded_trial(Job(workload, machine, SS_COST_CALIBRATED), (uint64_t)i);
    folded += result.simulated_stage_replicas < result.stage_replicas;
  }
  EXPECT_GT(folded, kJobs / 3);
}
