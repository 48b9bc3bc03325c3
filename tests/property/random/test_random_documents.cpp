/* Random jobs whose sequences have several documents, which are drawn: what holds whatever they are. */
#include "tests/support/random_parts.hpp"

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 10;
#else
constexpr int kCases = 150;
#endif

/* The next workload that can have documents, with some. */
ss_workload with_documents(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    w.training.documents =
        pick(random, {SS_DOCUMENTS_FIXED, SS_DOCUMENTS_UNIFORM, SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_LOG_NORMAL});
    w.training.document_mean = pick(random, {100.0, 700.0, 3000.0});
    w.training.document_sigma = w.training.documents == SS_DOCUMENTS_LOG_NORMAL ? pick(random, {0.3, 1.2}) : 0.0;
    if (ss_workload_check(&w, nullptr) == SS_OK) return w;
  }
}

/* The same, packed or shared out in any way that the workload may have. */
ss_workload with_packed_documents(std::mt19937 &random)
{
  const ss_workload cut = with_documents(random);
  ss_workload w = cut;
  randomise_packing(random, w);
  return ss_workload_check(&w, nullptr) == SS_OK ? w : cut;
}

/* Sometimes with chunks, as far as the workload may have them. `random` is a copy. */
ss_workload in_chunks(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.model.chunk = pick(random, {100, 128});
  return coin(random) && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

ss_replay_options replay_options(ss_fold fold, ss_flow_mode flows, bool private_links)
{
  ss_replay_options options = {};
  options.fold = fold;
  options.flows = flows;
  options.private_links = private_links;
  return options;
}

} // namespace

/* Parts add up; the same seed draws the same; folding and flows change nothing without contention. */
TEST(RandomDocuments, ReplaysAddUpAndRepeat)
{
  std::mt19937 random(21 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const Job job(in_chunks(random, with_packed_documents(random)), random_machine(random), SS_COST_CALIBRATED);
    expect_adds_up(ss_estimate_time(job.get()));
    const ss_replay_options options = replay_options(SS_FOLD_AUTO, SS_FLOWS_SHARED, true);
    const ss_replay_result result = job.replay(options);
    expect_adds_up(result.breakdown);
    EXPECT_EQ(job.replay(options).breakdown.iteration_s, result.breakdown.iteration_s);
    const ss_replay_options unfolded = replay_options(SS_FOLD_NONE, SS_FLOWS_SHARED, true);
    expect_close(job.replay(unfolded).breakdown.iteration_s, result.breakdown.iteration_s, 1e-9);
  }
}

/* On the network, all flows take as long as those that meet others only, up to rounding. */
TEST(RandomDocuments, FlowsThatMeetNobodyTakeTheirTime)
{
  std::mt19937 random(22 + seed);
  for (int i = 0; i < kCases / 5; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const Job job(with_packed_documents(random), random_machine(random), SS_COST_CALIBRATED);
    const double some_s = job.replay(replay_options(SS_FOLD_NONE, SS_FLOWS_SHARED, false)).breakdown.iteration_s;
    const double all_s = job.replay(replay_options(SS_FOLD_NONE, SS_FLOWS_ALL, false)).breakdown.iteration_s;
    const double apart = std::abs(some_s / all_s - 1);
    if (apart > 1e-9) {
      EXPECT_LE(apart, rounding_of(job, SS_FLOWS_ALL));
    }
  }
}

/* Longer documents never take less, up to no documents at all, where links are not shared: a message that leaves later
 * may meet less. Memory is the same. Of documents the fullest rank along the sequence counts, without them the mean
 * one, which differ where a token attends to so many others at most. */
TEST(RandomDocuments, LongerDocumentsTakeLonger)
{
  std::mt19937 random(23 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = with_documents(random);
    const ss_machine machine = random_machine(random);
    ss_what_if equal = {};
    equal.equal_gpus = equal.own_links = true;
    double before_s = 0;
    for (double mean : {100.0, 500.0, 2500.0, 1e9}) {
      workload.training.document_mean = mean;
      const Job job(workload, machine, SS_COST_CALIBRATED, equal);
      const double iteration_s = ss_estimate_time(job.get()).iteration_s;
      EXPECT_GE(iteration_s, before_s * (1 - 1e-9)) << mean;
      before_s = iteration_s;
    }
    const double bytes = ss_estimate_memory(Job(workload, machine, SS_COST_CALIBRATED).get()).total_bytes;
    workload.training.documents = SS_DOCUMENTS_NONE;
    workload.training.document_mean = workload.training.document_sigma = 0;
    const Job none(workload, machine, SS_COST_CALIBRATED, equal);
    const bool differs = ss_workload_is_sparse(&workload) && workload.parallelism.cp > 1;
    expect_close(ss_estimate_time(none.get()).iteration_s, before_s, differs ? 1e-2 : 1e-3);
    EXPECT_EQ(ss_estimate_memory(none.get()).total_bytes, bytes);
  }
}
