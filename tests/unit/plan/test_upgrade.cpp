/* What better machines would do. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/estimate/upgrade.h"
}

using namespace stepsim;

namespace
{

double upgraded_s(const Job &job, ss_upgrade upgrade)
{
  double iteration_s = 0.0;
  ss_error error = {};
  EXPECT_EQ(ss_upgrade_estimate(job.get(), upgrade, &iteration_s, &error), SS_OK) << error.message;
  return iteration_s;
}

} // namespace

/* Each change is that of the machine by hand. */
TEST(Upgrade, IsTheClosedFormOnTheBetterMachine)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.dp = 4;
  workload.training.global_batch = 8;
  const ss_machine machine = machine_of(8, 2);
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double before_s = ss_estimate_time(job.get()).iteration_s;
  ss_machine better[SS_UPGRADES] = {machine, machine, machine, machine, machine};
  better[SS_UPGRADE_MATRIX].matrix_flop_per_s *= 2;
  better[SS_UPGRADE_HBM].hbm_bytes_per_s *= 2;
  better[SS_UPGRADE_NVLINK].nvlink_bytes_per_s *= 2;
  better[SS_UPGRADE_NICS].fabric_bytes_per_s *= 2;
  better[SS_UPGRADE_LAUNCHES].launch_overhead_s = 0;
  for (int i = 0; i < SS_UPGRADES; ++i) {
    const Job changed(workload, better[i], SS_COST_CALIBRATED);
    EXPECT_DOUBLE_EQ(upgraded_s(job, static_cast<ss_upgrade>(i)), ss_estimate_time(changed.get()).iteration_s);
    EXPECT_LT(upgraded_s(job, static_cast<ss_upgrade>(i)), before_s) << ss_upgrade_word(static_cast<ss_upgrade>(i));
  }
}
