/* Replays of sequences of several documents: micro-batches differ, and their mean is what the closed form says. */
#include <vector>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/block/packing.h"
#include "sim/engine/perturbation/document_draws.h"
}

using namespace stepsim;

namespace
{

/* One layer after the other on one GPU or several replicas, whose messages take no time. */
ss_workload packed(int64_t dp = 1, ss_documents documents = SS_DOCUMENTS_LOG_NORMAL)
{
  ss_workload workload = make_workload();
  workload.model.sequence = 8192;
  workload.training.documents = documents;
  workload.training.document_mean = documents == SS_DOCUMENTS_NONE ? 0 : 1200;
  workload.training.document_sigma = documents == SS_DOCUMENTS_LOG_NORMAL ? 1.1 : 0.0;
  workload.parallelism.dp = dp;
  workload.training.global_batch = 8 * dp;
  return workload;
}

ss_replay_result replayed(const Job &job, uint64_t seed, ss_fold fold = SS_FOLD_AUTO)
{
  ss_replay_options options = {};
  options.private_links = true;
  options.seed = seed;
  options.fold = fold;
  return job.replay(options);
}

struct Trials {
  double mean_s, error_s; /* of the mean */
};

Trials trials_of(const Job &job, int n)
{
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double iteration_s = replayed(job, ss_replay_seed(1, i)).breakdown.iteration_s;
    sum += iteration_s;
    squares += iteration_s * iteration_s;
  }
  return {sum / n, std::sqrt((squares / n - sum / n * (sum / n)) / (n - 1))};
}

/* Factors of attention over all that a job draws. */
std::vector<double> factors(const Job &job, uint64_t seed, ss_block_kind kind = SS_BLOCK_LAYER)
{
  ss_document_draws *draws = nullptr;
  std::vector<double> found;
  EXPECT_EQ(ss_document_draws_create(&draws, job.get(), seed), SS_OK);
  for (int64_t replica = 0; draws != nullptr && replica < job->replicas; ++replica)
    for (int64_t batch = 0; batch < job->micro_batches; ++batch)
      found.push_back(ss_document_draws_factor(draws, replica, batch, kind));
  ss_document_draws_destroy(draws);
  return found;
}

} // namespace

/* Of n draws the mean is off by the deviation / sqrt(n), five times that at most; the deviation is near what is said.
 */
TEST(Documents, FactorsHaveMeanOne)
{
  for (ss_documents documents :
       {SS_DOCUMENTS_LOG_NORMAL, SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_UNIFORM, SS_DOCUMENTS_FIXED}) {
    ss_workload workload = packed(16, documents);
    workload.training.global_batch = 16 * 1000;
    const Job job(workload, make_machine(instant_messages()), SS_COST_CALIBRATED);
    const std::vector<double> all = factors(job, 3);
    ASSERT_EQ(all.size(), 16000u);
    double sum = 0, squares = 0;
    for (double factor : all) sum += factor;
    for (double factor : all) squares += (factor - sum / 16000) * (factor - sum / 16000);
    const double deviation = std::sqrt(squares / 16000), said = ss_attention_spread(&workload).deviation;
    EXPECT_NEAR(sum / 16000, 1, 5 * deviation / std::sqrt(16000)) << documents;
    if (documents != SS_DOCUMENTS_FIXED) {
      EXPECT_NEAR(deviation, said, 0.1 * said) << documents;
    }
  }
}

/* How replicas share the sequences out changes none of them. */
TEST(Documents, SequencesDoNotDependOnReplicas)
{
  ss_workload one = packed(1), eight = packed(8);
  one.training.global_batch = eight.training.global_batch;
  const ss_machine machine = make_machine(instant_messages());
  EXPECT_EQ(factors(Job(one, machine, SS_COST_CALIBRATED), 5), factors(Job(eight, machine, SS_COST_CALIBRATED), 5));
}

/* One replica of one stage takes the sum of its micro-batches: in the mean what the closed form says, which expects
 * nothing to wait for. */
TEST(Documents, OneReplicaTakesTheMean)
{
  for (ss_documents documents : {SS_DOCUMENTS_LOG_NORMAL, SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_UNIFORM}) {
    const Job job(packed(1, documents), make_machine(instant_messages()), SS_COST_CALIBRATED);
    const Trials trials = trials_of(job, 400);
    EXPECT_NEAR(trials.mean_s, ss_estimate_time(job.get()).iteration_s, 5 * trials.error_s) << documents;
  }
}

/* Replicas wait for the slowest of them: the closed form is within a tenth of what that takes, and 1 % of the whole. */
TEST(Documents, ReplicasWaitForTheSlowest)
{
  for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
    ss_workload workload = packed(16), alike = packed(16);
    workload.parallelism.sharding = alike.parallelism.sharding = sharding;
    const ss_machine machine = make_machine(instant_messages());
    const Job job(workload, machine, SS_COST_CALIBRATED);
    ss_what_if equal = {};
    equal.equal_gpus = true;
    const Job without(alike, machine, SS_COST_CALIBRATED, equal);
    const double waits_s = ss_estimate_time(job.get()).iteration_s - ss_estimate_time(without.get()).iteration_s;
    const double replayed_s = trials_of(job, 100).mean_s - ss_estimate_time(without.get()).iteration_s;
    EXPECT_GT(waits_s, 0);
    EXPECT_NEAR(waits_s, replayed_s, 0.15 * replayed_s) << sharding;
  }
}

/* Forward and backward of a micro-batch have the same documents: on one stage, an iteration is the sum of both, in
 * proportion to the factors. */
TEST(Documents, BothPassesHaveTheSameFactor)
{
  const ss_workload workload = packed(1);
  const Job job(workload, make_machine(instant_messages()), SS_COST_CALIBRATED);
  ss_what_if equal = {};
  equal.equal_gpus = true;
  const Job alike(workload, make_machine(instant_messages()), SS_COST_CALIBRATED, equal);
  double excess = 0;
  for (double factor : factors(job, 9)) excess += factor - 1;
  const double attention_s =
      job->attention_s[SS_BLOCK_LAYER][SS_PASS_FORWARD] + job->attention_s[SS_BLOCK_LAYER][SS_PASS_BACKWARD];
  const double layers = (double)workload.model.layers;
  expect_close(replayed(job, 9).breakdown.iteration_s,
               replayed(alike, 9).breakdown.iteration_s + layers * attention_s * excess, 1e-9);
}

/* Documents that fill sequences make no difference between replicas, which are folded; others do. */
TEST(Documents, OnlyThoseThatDifferUnfold)
{
  ss_workload fills = packed(8, SS_DOCUMENTS_FIXED), differs = fills;
  fills.training.document_mean = 2048;
  const ss_machine machine = make_machine(instant_messages());
  EXPECT_EQ(replayed(Job(fills, machine, SS_COST_CALIBRATED), 1).simulated_stage_replicas, 1);
  EXPECT_EQ(replayed(Job(differs, machine, SS_COST_CALIBRATED), 1).simulated_stage_replicas, 8);
}

/* A sequence of one document is a sequence. */
TEST(Documents, OneDocumentIsNone)
{
  ss_workload one = packed(4, SS_DOCUMENTS_FIXED), none = packed(4, SS_DOCUMENTS_NONE);
  one.training.document_mean = 8192;
  const ss_machine machine = make_machine({});
  const Job a(one, machine, SS_COST_CALIBRATED), b(none, machine, SS_COST_CALIBRATED);
  EXPECT_EQ(ss_estimate_time(a.get()).iteration_s, ss_estimate_time(b.get()).iteration_s);
  EXPECT_EQ(a.replay().breakdown.iteration_s, b.replay().breakdown.iteration_s);
  EXPECT_EQ(ss_estimate_metrics(a.get(), 1).hfu, ss_estimate_metrics(b.get(), 1).hfu);
  EXPECT_EQ(ss_estimate_memory(a.get()).total_bytes, ss_estimate_memory(b.get()).total_bytes);
}
