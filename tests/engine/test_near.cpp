/* Replays that tell flows apart once only are hardly different from exact ones, and say where they may be. */
#include <cmath>

#include "tests/support/tight_jobs.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kJobs = 20;
#else
constexpr int kJobs = 200;
#endif

ss_replay_result replayed(const Job &job, ss_fold fold)
{
  ss_replay_options options = {};
  options.fold = fold;
  return job.replay(options);
}

/* Now and then with a slow GPU, a slow link, or both; experts mostly meet over the fabric. */
ss_machine uneven_machine(std::mt19937 &random, int index, const ss_workload &workload)
{
  ss_machine machine = index % 2 == 0 ? tight_machine(random, index) : able_machine(random_platform(random));
  const auto gpu = [&] { return static_cast<int>(random() % static_cast<unsigned>(ss_workload_gpus(&workload))); };
  const double speed = std::uniform_real_distribution<>(0.3, 0.99)(random);
  if (index % 4 != 0) std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%d:%g", gpu(), speed);
  if (index % 4 == 3) std::snprintf(machine.link_speed, sizeof machine.link_speed, "gpu-%d:%g", gpu(), speed);
  return machine;
}

} // namespace

/* Where nothing is presumed, they are exact; else they simulate no more, and are close. */
TEST(Near, IsNearlyExact)
{
  std::mt19937 random(2711 + seed);
  int presumed = 0;
  double sum = 0.0;
  for (int i = 0; i < kJobs; ++i) {
    const ss_workload workload = wide_workload(random);
    const Job job(workload, uneven_machine(random, i, workload), SS_COST_CALIBRATED);
    SCOPED_TRACE(testing::Message() << "job " << i);
    const ss_replay_result exact = replayed(job, SS_FOLD_EXACT), near = replayed(job, SS_FOLD_NEAR);
    EXPECT_EQ(exact.presumed.flows, 0);
    EXPECT_EQ(near.flows, exact.flows);
    const double apart = near.breakdown.iteration_s / exact.breakdown.iteration_s - 1;
    if (near.presumed.flows == 0) {
      EXPECT_LE(std::abs(apart), std::fmax(1e-9, std::abs(apart) > 1e-9 ? rounding_of(job, SS_FLOWS_SHARED) : 0.0));
    } else {
      std::printf("job %d: apart %.5f %% ahead %.5f %% replicas %ld %ld of %ld\n", i, 100 * apart, 100 * near.presumed.ahead_s / exact.breakdown.iteration_s, (long)near.simulated_stage_replicas, (long)exact.simulated_stage_replicas, (long)exact.stage_replicas);
      ++presumed;
      sum += std::abs(apart);
    }
  }
  std::printf("%d presumed, mean %.5f %%\n", presumed, 100 * sum / presumed);
}
