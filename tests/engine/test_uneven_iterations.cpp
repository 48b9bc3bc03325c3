/* Trials differ as iterations of the machine do: a factor of the iteration, and stalls. */
#include <vector>

#include "tests/support/fixtures.hpp"
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
double trial_s(const Job &job, uint64_t seed)
{
  ss_job trial = *job.get(); /* borrows all */
  trial.options.trial = true;
  ss_replay_options options = {};
  options.private_links = true;
  options.seed = seed;
  ss_replay_result result = {};
  ss_error error = {};
  EXPECT_EQ(ss_replay(&trial, &options, &result, &error), SS_OK) << error.message;
  return result.breakdown.iteration_s;
}

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

} // namespace
