/* Two jobs on one network: the other one over and over, for as long as the first one takes. */
#include "tests/support/random_jobs.hpp"

using namespace stepsim;

namespace
{

/* GPUs `first`, `first` + `step`, ... for the ranks of a job. */
std::vector<int32_t> gpus(int32_t first, int32_t step)
{
  std::vector<int32_t> list(32);
  for (int32_t &gpu : list) gpu = first + step * static_cast<int32_t>(&gpu - list.data());
  return list;
}

/* A replay, of which nothing is seen on standard error. */
ss_replay_result replay(const Job &job, const Job *beside, ss_flow_mode flows)
{
  ss_replay_options options = {};
  options.fold = SS_FOLD_NONE;
  options.flows = flows;
  options.co_scheduled = beside != nullptr ? beside->get() : nullptr;
  testing::internal::CaptureStderr();
  const ss_replay_result result = job.replay(options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return result;
}

ss_workload half_of_the_machine(std::mt19937 &random, int64_t layers)
{
  for (;;) {
    ss_workload workload = random_workload(random);
    workload.model.layers = layers;
    ss_error error = {};
    workload.training.recompute_layers = std::min(workload.training.recompute_layers, layers);
    if (ss_workload_gpus(&workload) <= 32 && ss_workload_check(&workload, &error) == SS_OK) return workload;
  }
}

} // namespace

/* Without a link in common, each job does what it does by itself, in every iteration, and ends in the middle of what
 * the other one sends. */
TEST(Beside, OnOtherLinksChangesNothing)
{
  std::mt19937 random(5 + seed);
  int several = 0;
  for (int i = 0; i < 48; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    PlatformSpec spec = random_platform(random);
    spec.topology = "";
    const ss_machine machine = able_machine(spec);
    const std::vector<int32_t> low = gpus(0, 1), high = gpus(32, 1);
    const ss_workload workload = half_of_the_machine(random, 12), smaller = half_of_the_machine(random, 4);
    const Job job(workload, machine, SS_COST_CALIBRATED, {}, low.data());
    const Job other(smaller, machine, SS_COST_CALIBRATED, {}, high.data());
    const ss_replay_result both = replay(job, &other, i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL);
    const ss_replay_result alone = replay(job, nullptr, i % 2 == 0 ? SS_FLOWS_SHARED : SS_FLOWS_ALL);
    expect_close(both.breakdown.iteration_s, alone.breakdown.iteration_s, 1e-9);
    EXPECT_EQ(both.flows, alone.flows);
    several += both.co_scheduled_iterations > 1;
    /* the iterations of this schedule run into one another, so that they end later than they take */
    if (both.co_scheduled_iterations == 0 || smaller.schedule.pipeline == SS_PIPELINE_ZERO_BUBBLE_2) continue;
    expect_close(both.co_scheduled_iteration_s, replay(other, nullptr, SS_FLOWS_SHARED).breakdown.iteration_s, 1e-9);
  }
  EXPECT_GT(several, 6);
}

/* Two jobs that are the same, a ring of two GPUs each, once there and back between two leaves with one cable up: half
 * the bandwidth each, all the time. */
TEST(Beside, TwoRingsShareAnUplink)
{
  PlatformSpec spec;
  spec.gpus = 4;
  spec.domain = spec.nics = 1;
  spec.nvlink_latency_s = spec.fabric_latency_s = 0;
  spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,1;1,1\"";
  ss_workload workload = make_workload();
  workload.parallelism.tp = 2;
  workload.parallelism.tp_redo = SS_NO; /* all of them are exposed */
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  const std::vector<int32_t> even = gpus(0, 2), odd = gpus(1, 2);
  const ss_machine machine = make_machine(spec);
  const Job job(workload, machine, SS_COST_CALIBRATED, {}, even.data());
  const Job other(workload, machine, SS_COST_CALIBRATED, {}, odd.data());
  const ss_replay_result alone = replay(job, nullptr, SS_FLOWS_SHARED), both = replay(job, &other, SS_FLOWS_SHARED);
  EXPECT_GT(alone.breakdown.tp_comm_s, 0);
  expect_close(both.breakdown.tp_comm_s, 2 * alone.breakdown.tp_comm_s, 1e-9);
  expect_close(both.exposed.shared_s, alone.breakdown.tp_comm_s, 1e-9);
}
