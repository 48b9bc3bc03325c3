/* Properties of jobs whose host launches kernels, on random ones. */
#include <cmath>

#include "tests/support/alike.hpp"
#include "tests/support/random_parts.hpp"
#include "tests/support/timelines.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 20;
#else
constexpr int kCases = 300;
#endif

ss_workload random_launched(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    randomise_host(random, w);
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 3, 8, 24});
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

ss_machine random_host(std::mt19937 &random)
{
  ss_machine machine = random_machine(random);
  machine.host_forward_s = pick(random, {0.0, 5e-6, 50e-6, 500e-6});
  machine.host_backward_s = pick(random, {0.0, 5e-6, 50e-6, 500e-6});
  machine.host_collective_s = pick(random, {0.0, 20e-6, 100e-6});
  return machine;
}

ss_machine without_host(ss_machine machine)
{
  machine.host_forward_s = machine.host_backward_s = machine.host_collective_s = 0;
  return machine;
}

ss_breakdown replay_of(const Job &job, bool folds)
{
  ss_replay_options options = {};
  options.private_links = true;
  options.fold = folds ? SS_FOLD_AUTO : SS_FOLD_NONE;
  return job.replay(options).breakdown;
}

bool is_close(double a, double b)
{
  return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} /* namespace */

/* The closed form walks through all stages with the clocks of their hosts: that is the replay where nobody shares
 * links, if it is so without hosts and groups lie alike (the closed form takes the slowest). One replica stands for all
 * that do the same. */
TEST(RandomHost, ClosedFormIsTheReplay)
{
  std::mt19937 random(47 + seed);
  int compared = 0;
  for (int i = 0; i < kCases; ++i) {
    const ss_workload workload = random_launched(random);
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_machine machine = random_host(random);
    const Job job(workload, machine, SS_COST_CALIBRATED, own_links()),
        free(workload, without_host(machine), SS_COST_CALIBRATED, own_links());
    const ss_breakdown closed = ss_estimate_time(job.get()), replay = replay_of(job, true);
    EXPECT_LE(ss_estimate_least_s(job.get(), false), closed.iteration_s);
    expect_close(replay_of(job, false).iteration_s, replay.iteration_s, 1e-9);
    if (!groups_lie_alike(job)) continue;
    const ss_breakdown free_closed = ss_estimate_time(free.get()), free_replay = replay_of(free, true);
    if (!is_close(free_closed.iteration_s, free_replay.iteration_s) ||
        !is_close(free_closed.tp_comm_s, free_replay.tp_comm_s))
      continue;
    expect_close(closed.iteration_s, replay.iteration_s, 1e-9);
    ++compared;
  }
  EXPECT_GT(compared, kCases / 2);
}

/* Where kernels take what documents and slow GPUs make of them, launches wait for these kernels: task by task, as a
 * timeline shows them, or in one go. */
TEST(RandomHost, TimelinesChangeNothing)
{
  std::mt19937 random(49 + seed);
  for (int i = 0; i < kCases; ++i) {
    ss_workload workload = random_launched(random), with_documents = workload;
    with_documents.training.documents = SS_DOCUMENTS_EXPONENTIAL;
    with_documents.training.document_mean = pick(random, {50.0, 300.0});
    if (ss_workload_check(&with_documents, nullptr) == SS_OK) workload = with_documents;
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_machine machine = random_host(random);
    std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%s", pick(random, {"", "0:0.5", "3:0.2 8-15:0.9"}));
    const Job job(workload, machine, SS_COST_CALIBRATED, own_links());
    const ss_breakdown plain = replay_of(job, true), shown = replay_heard(job, silent_timeline()).breakdown;
    expect_close(shown.iteration_s, plain.iteration_s, 1e-9);
    EXPECT_NEAR(shown.host_s, plain.host_s, 1e-9 * plain.iteration_s);
  }
}

/* A host that takes no time is no host, and one that takes longer never makes an iteration shorter; where a schedule
 * runs into the next one, a stage counts from its own first pass, which a slower host may begin later. */
TEST(RandomHost, TakesTime)
{
  std::mt19937 random(48 + seed);
  for (int i = 0; i < kCases; ++i) {
    ss_workload workload = random_launched(random);
    workload.training.loss_metrics = 0; /* what they gather takes kernels that no graph has */
    const ss_machine machine = random_host(random);
    ss_machine slow = machine;
    SCOPED_TRACE(testing::Message() << "case " << i);
    slow.host_forward_s *= 2;
    slow.host_backward_s *= 2;
    slow.host_collective_s *= 2;
    const auto replayed_s = [&](const ss_machine &on) {
      return replay_of(Job(workload, on, SS_COST_CALIBRATED), true).iteration_s;
    };
    const double free_s = replayed_s(without_host(machine));
    if (!ss_schedule_of(workload.schedule.pipeline)->runs_into_next) {
      EXPECT_LE(replayed_s(machine), replayed_s(slow) * (1 + 1e-9));
      EXPECT_LE(free_s, replayed_s(machine) * (1 + 1e-9));
    }
    workload.training.host = SS_HOST_GRAPHS;
    workload.training.graphs = 0;
    expect_close(free_s, replayed_s(machine), 1e-9);
  }
}
