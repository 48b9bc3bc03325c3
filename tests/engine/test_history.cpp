/* What a replay tells of itself for drawings. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/fabric/slow_links.h"
}

using namespace stepsim;

namespace
{

/* A replay with its history, released with the object. */
struct Recorded {
  Recorded(const Job &job, ss_fold fold = SS_FOLD_AUTO)
  {
    ss_replay_options options = {};
    options.fold = fold;
    options.history = &history;
    ss_error error = {};
    EXPECT_EQ(ss_replay(job.get(), &options, &result, &error), SS_OK) << error.message;
  }
  Recorded(const Recorded &) = delete;
  Recorded &operator=(const Recorded &) = delete;
  ~Recorded()
  {
    ss_history_free(&history);
  }
  int64_t count(ss_activity activity, int32_t stage) const
  {
    int64_t found = 0;
    for (int64_t i = 0; i < history.pass_count; ++i)
      found += history.pass[i].activity == activity && history.pass[i].stage == stage;
    return found;
  }
  ss_history history = {};
  ss_replay_result result = {};
};

ss_workload make_pipeline(int64_t stages, int64_t replicas, int64_t micro_batches)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.parallelism.pp = stages;
  workload.parallelism.dp = replicas;
  workload.training.global_batch = replicas * micro_batches;
  return workload;
}

} // namespace

/* Each stage has every micro-batch forward and backward once, one pass after the other, and the optimizer step. */
TEST(History, HasAllPassesOfAReplica)
{
  for (const ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
    const Job job(make_pipeline(4, 4, 6), machine_of(16, 4), SS_COST_CALIBRATED);
    const Recorded run(job, fold);
    for (int32_t stage = 0; stage < 4; ++stage) {
      EXPECT_EQ(run.count(SS_FORWARD, stage), 6);
      EXPECT_EQ(run.count(SS_BACKWARD, stage), 6);
      EXPECT_EQ(run.count(SS_OP_OPTIMIZER, stage), 1);
      double end_s = 0.0;
      for (int64_t i = 0; i < run.history.pass_count; ++i) {
        const ss_history_pass &pass = run.history.pass[i];
        if (pass.stage != stage) continue;
        EXPECT_GE(pass.start_s, end_s);
        EXPECT_GT(pass.end_s, pass.start_s);
        end_s = pass.end_s;
      }
      EXPECT_LE(end_s, run.history.end_s);
    }
    EXPECT_DOUBLE_EQ(run.history.end_s, run.result.breakdown.iteration_s);
    EXPECT_EQ(run.history.replica, run.result.critical_replica);
  }
}

/* A wait that a transfer has ended is over when that arrives; a stage gets a message for each wait but the last. */
TEST(History, WaitsEndWithTheirTransfers)
{
  const Job job(make_pipeline(4, 2, 6), machine_of(8, 4), SS_COST_CALIBRATED);
  const Recorded run(job);
  std::vector<int64_t> number;
  for (int64_t i = 0; i < run.history.transfer_count; ++i) {
    number.push_back(run.history.transfer[i].number);
  }
  EXPECT_TRUE(std::is_sorted(number.begin(), number.end()));
  int64_t ended = 0;
  for (int64_t i = 0; i < run.history.wait_count; ++i) {
    const ss_history_wait &wait = run.history.wait[i];
    const auto found = std::lower_bound(number.begin(), number.end(), wait.transfer);
    if (found == number.end() || *found != wait.transfer) continue;
    EXPECT_NEAR(run.history.transfer[found - number.begin()].end_s, wait.end_s, 1e-12);
    ++ended;
  }
  EXPECT_GT(ended, 4);
}

/* The steps of the critical path follow one another from the end of the iteration to its begin. */
TEST(History, HasTheCriticalPath)
{
  const Job job(make_pipeline(4, 2, 6), machine_of(8, 4), SS_COST_CALIBRATED);
  const Recorded run(job);
  double at_s = run.result.breakdown.iteration_s;
  ASSERT_GT(run.history.step_count, 0);
  for (int64_t i = 0; i < run.history.step_count; ++i) {
    EXPECT_NEAR(run.history.step[i].end_s, at_s, 1e-12);
    at_s = run.history.step[i].start_s;
  }
  EXPECT_NEAR(at_s, 0.0, 1e-12);
}

/* The links are those of the result, and the mean of their slices is their utilisation. */
TEST(History, HasTheBusiestLinks)
{
  const Job job(make_pipeline(2, 4, 4), machine_of(8, 2), SS_COST_CALIBRATED);
  const Recorded run(job);
  ASSERT_EQ(run.history.link_count, run.result.links.count);
  for (int64_t i = 0; i < run.history.link_count; ++i) {
    const ss_history_link &link = run.history.link[i];
    double sum_s = 0.0;
    for (int64_t slice = 0; slice < run.history.slices; ++slice)
      sum_s += link.utilisation[slice] * (run.history.boundary_s[slice + 1] - run.history.boundary_s[slice]);
    const double clipped = 0.01; /* of slices where mean rates of flows add up to more than the link has */
    EXPECT_LE(sum_s / run.history.end_s, link.link.utilisation + 1e-9);
    EXPECT_GE(sum_s / run.history.end_s, link.link.utilisation - clipped);
  }
}

/* Each link that carried something is there, by itself or by one that carried the same; the busiest carried what is
 * said of them. */
TEST(History, HasAllCarriers)
{
  for (const ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE}) {
    const Job job(make_pipeline(2, 4, 4), machine_of(8, 2), SS_COST_CALIBRATED);
    const Recorded run(job, fold);
    int64_t links = 0;
    for (int64_t i = 0; i < run.history.carrier_count; ++i) {
      const ss_history_carrier &carrier = run.history.carrier[i];
      links += carrier.alike;
      for (int64_t j = 0; j < run.result.links.count; ++j) {
        const ss_busy_link &busy = run.result.links.link[j];
        if (busy.number == carrier.link) {
          EXPECT_EQ(busy.bytes, carrier.bytes) << busy.name;
        }
      }
    }
    EXPECT_EQ(links, run.result.links.used);
  }
}

/* Slow links of a what-if make the replay that the same links of link-speed do. */
TEST(History, IsThatOfSlowLinks)
{
  ss_machine named = machine_of(8, 2), listed = named;
  std::snprintf(named.link_speed, sizeof named.link_speed, "nic-1:0.25");
  const Job plain(make_pipeline(2, 4, 4), listed, SS_COST_CALIBRATED);
  const Recorded before(plain);
  int32_t link[] = {16 + 2, 16 + 3};
  const ss_slow_links slow = {0.25, 2, link};
  listed.slow_links = &slow;
  const Recorded by_name(Job(make_pipeline(2, 4, 4), named, SS_COST_CALIBRATED));
  const Recorded by_list(Job(make_pipeline(2, 4, 4), listed, SS_COST_CALIBRATED));
  EXPECT_EQ(by_list.result.breakdown.iteration_s, by_name.result.breakdown.iteration_s);
  EXPECT_GT(by_list.result.breakdown.iteration_s, before.result.breakdown.iteration_s);
}

/* It changes nothing. */
TEST(History, IsFree)
{
  const Job job(make_pipeline(4, 4, 6), machine_of(16, 4), SS_COST_CALIBRATED);
  const ss_replay_options options = {};
  ss_replay_result plain;
  ASSERT_EQ(ss_replay(job.get(), &options, &plain, nullptr), SS_OK);
  EXPECT_EQ(plain.breakdown.iteration_s, Recorded(job).result.breakdown.iteration_s);
}
