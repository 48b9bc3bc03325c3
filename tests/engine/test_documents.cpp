/* Replays of sequences of several documents: micro-batches differ, and their mean is what the closed form says. */
#include <vector>

#include "tests/support/packed.hpp"
#include "tests/support/random_jobs.hpp"

extern "C" {
#include "sim/engine/perturbation/document_draws.h"
}

using namespace stepsim;

namespace
{

/* One layer after the other on one GPU or several replicas, whose messages take no time. */
ss_workload replicas_of(int64_t dp = 1, ss_documents documents = SS_DOCUMENTS_LOG_NORMAL)
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

const std::vector<ss_packing> kWhole = {SS_PACKING_NEXT_FIT, SS_PACKING_FIRST_FIT, SS_PACKING_FIRST_FIT_DECREASING};

/* Sequences that are listed: of whole documents, or cut ones that two ranks share out as they are. */
std::vector<ss_workload> listed(int64_t dp = 1)
{
  std::vector<ss_workload> workloads;
  for (const ss_packing packing : kWhole) {
    workloads.push_back(replicas_of(dp));
    workloads.back().training.packing = packing;
  }
  for (const ss_packing packing : {SS_PACKING_CUT, SS_PACKING_FIRST_FIT}) {
    workloads.push_back(replicas_of(dp));
    workloads.back().training.packing = packing;
    workloads.back().parallelism.cp = 2;
    workloads.back().parallelism.cp_split = SS_CP_SPLIT_SEQUENCE;
  }
  return workloads;
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
    ss_workload workload = replicas_of(16, documents);
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

/* The same of sequences that are listed, whose deviation is known, but for the error of 16,000 draws. */
TEST(Documents, FactorsOfListedSequencesHaveMeanOne)
{
  for (ss_workload workload : listed(8)) {
    workload.training.global_batch = 8 * 2000;
    const Job job(workload, make_machine(instant_messages()), SS_COST_CALIBRATED);
    const std::vector<double> all = factors(job, 3);
    ASSERT_EQ(all.size(), 16000u);
    double sum = 0, squares = 0, most = 0;
    for (double factor : all) {
      sum += factor;
      squares += (factor - 1) * (factor - 1);
      most = std::max(most, factor);
    }
    const ss_factors said = ss_attention_spread(&workload);
    EXPECT_NEAR(sum / 16000, 1, 5 * said.deviation / std::sqrt(16000));
    EXPECT_NEAR(std::sqrt(squares / 16000), said.deviation, 0.05 * said.deviation);
    EXPECT_LE(most, said.most * (1 + 1e-12));
  }
}

/* How replicas share the sequences out changes none of them. */
TEST(Documents, SequencesDoNotDependOnReplicas)
{
  ss_workload one = replicas_of(1), eight = replicas_of(8);
  one.training.global_batch = eight.training.global_batch;
  const ss_machine machine = make_machine(instant_messages());
  EXPECT_EQ(factors(Job(one, machine, SS_COST_CALIBRATED), 5), factors(Job(eight, machine, SS_COST_CALIBRATED), 5));
}

/* One replica of one stage takes the sum of its micro-batches: in the mean what the closed form says, which expects
 * nothing to wait for. */
TEST(Documents, OneReplicaTakesTheMean)
{
  for (ss_documents documents : {SS_DOCUMENTS_LOG_NORMAL, SS_DOCUMENTS_EXPONENTIAL, SS_DOCUMENTS_UNIFORM}) {
    const Job job(replicas_of(1, documents), make_machine(instant_messages()), SS_COST_CALIBRATED);
    const Trials trials = trials_of(job, 400);
    EXPECT_NEAR(trials.mean_s, ss_estimate_time(job.get()).iteration_s, 5 * trials.error_s) << documents;
  }
  for (const ss_workload &workload : listed()) {
    const Job job(workload, make_machine(instant_messages()), SS_COST_CALIBRATED);
    const Trials trials = trials_of(job, 400);
    EXPECT_NEAR(trials.mean_s, ss_estimate_time(job.get()).iteration_s, 5 * trials.error_s);
    expect_adds_up(replayed(job, 1).breakdown);
  }
}

/* Whole documents that are alike make no difference between micro-batches: closed form and replay say the same. */
TEST(Documents, AlikeWholeDocumentsAreTheClosedForm)
{
  for (const ss_packing packing : kWhole)
    for (const int64_t cp : {1, 2}) {
      ss_workload workload = replicas_of(2, SS_DOCUMENTS_FIXED);
      workload.training.packing = packing;
      workload.parallelism.cp = cp;
      const Job job(workload, make_machine({}), SS_COST_CALIBRATED, own_links());
      EXPECT_FALSE(ss_job_has_unlike_batches(job.get()));
      const ss_breakdown closed = ss_estimate_time(job.get());
      expect_close(replayed(job, 1).breakdown.iteration_s, closed.iteration_s, 1e-9);
      expect_adds_up(closed);
    }
}

/* Documents of 1536 and 512 of 2048 tokens on two ranks: that with most computes 16/20 in place of 1/2
 * (WholeDocuments), and all else is the same, so that an iteration takes as much longer as attention does, in closed
 * form and replay. */
TEST(Documents, RanksWaitForTheOneWithMost)
{
  const Listed listed({{1536, 1}, {512, 1}}, 2048, SS_PACKING_FIRST_FIT_DECREASING);
  ss_workload document = listed.workload;
  document.training.global_batch = 4;
  document.parallelism.cp = 2;
  document.parallelism.cp_exchange = SS_CP_GATHER; /* nothing beside attention */
  ss_workload sequence = document;
  sequence.parallelism.cp_split = SS_CP_SPLIT_SEQUENCE;
  const ss_machine machine = make_machine({});
  const Job a(document, machine, SS_COST_CALIBRATED, own_links()),
      b(sequence, machine, SS_COST_CALIBRATED, own_links());
  const double more_s = ss_estimate_time(b.get()).iteration_s - ss_estimate_time(a.get()).iteration_s;
  double attention_s = 0, longer_s = 0;
  for (int pass = 0; pass < SS_PASSES; ++pass) {
    attention_s += 8 * 4 * a->attention_s[SS_BLOCK_LAYER][pass];
    longer_s += 8 * 4 * b->attention_s[SS_BLOCK_LAYER][pass];
  }
  expect_close(more_s, longer_s - attention_s, 1e-9);
  EXPECT_NEAR(longer_s / attention_s, 1.6, 0.02);
  EXPECT_FALSE(ss_job_has_unlike_batches(b.get()));
  expect_close(replayed(b, 1).breakdown.iteration_s, ss_estimate_time(b.get()).iteration_s, 1e-9);
}

/* Two whole documents of 3000 tokens in 8192, padded to 4096: what a step asks of the model is what it asks of twice
 * the sequences of 3000 tokens; what runs is that, and the products of the padding. Memory is that of 8192 tokens. */
TEST(Documents, PaddingIsNotAskedFor)
{
  ss_workload whole = replicas_of(1, SS_DOCUMENTS_FIXED), none = replicas_of(1, SS_DOCUMENTS_NONE), full = none;
  whole.training.document_mean = 3000;
  whole.training.packing = SS_PACKING_FIRST_FIT;
  whole.training.document_padding = 4096;
  whole.training.tokens = none.training.tokens = 1e9;
  none.model.sequence = 3000;
  none.training.global_batch *= 2;
  const ss_machine machine = make_machine({});
  const Job a(whole, machine, SS_COST_CALIBRATED), b(none, machine, SS_COST_CALIBRATED);
  const ss_metrics padded = ss_estimate_metrics(a.get(), 2), useful = ss_estimate_metrics(b.get(), 2);
  expect_close(padded.model_flop_per_iteration, useful.model_flop_per_iteration, 1e-12);
  expect_close(padded.mfu, useful.mfu, 1e-12);
  expect_close(padded.useful, 6000.0 / 8192, 1e-12);
  expect_close(padded.tokens_per_s_per_gpu, 8 * 8192 / 2.0, 1e-12);
  expect_close(padded.useful_tokens_per_s_per_gpu, useful.tokens_per_s_per_gpu, 1e-12);
  expect_close(padded.days, useful.days, 1e-12);
  EXPECT_EQ(useful.useful, 1);
  EXPECT_EQ(useful.useful_tokens_per_s_per_gpu, useful.tokens_per_s_per_gpu);
  EXPECT_GT(padded.hfu, useful.hfu);
  EXPECT_EQ(ss_estimate_memory(a.get()).total_bytes,
            ss_estimate_memory(Job(full, machine, SS_COST_CALIBRATED).get()).total_bytes);
}

/* Replicas wait for the slowest of them: the closed form is within a tenth of what that takes, and 1 % of the whole. */
TEST(Documents, ReplicasWaitForTheSlowest)
{
  for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
    ss_workload workload = replicas_of(16), alike = replicas_of(16);
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

/* Collectives take what they take where documents are alike, and what a replica waits in them for one with longer
 * documents is no communication: it is in the last part, and not exposed. Replica 0 of 16, which the parts are of, has
 * its documents by chance. */
TEST(Documents, WaitsForOthersAreNoCommunication)
{
  ss_workload dense = replicas_of(16), experts = dense;
  experts.model.experts = 8;
  experts.model.top_k = 2;
  experts.model.expert_ffn = experts.model.ffn;
  experts.parallelism.ep = 8;
  for (ss_workload workload : {dense, experts}) {
    workload.parallelism.sharding = SS_SHARDING_OPTIMIZER;
    workload.schedule.overlap_dp = SS_NO;
    const ss_machine machine = make_machine({});
    ss_what_if equal = {};
    equal.equal_gpus = true;
    const ss_replay_result drawn = Job(workload, machine, SS_COST_CALIBRATED).replay();
    const ss_replay_result alike = Job(workload, machine, SS_COST_CALIBRATED, equal).replay();
    SCOPED_TRACE(workload.model.experts);
    EXPECT_GT(drawn.behind_s, 0.01 * drawn.breakdown.iteration_s);
    EXPECT_EQ(alike.behind_s, 0);
    expect_close(drawn.breakdown.dp_comm_s, alike.breakdown.dp_comm_s, 1e-6);
    expect_close(drawn.breakdown.ep_comm_s, alike.breakdown.ep_comm_s, 1e-6);
    EXPECT_GE(drawn.breakdown.other_s, drawn.behind_s);
    expect_close(ss_breakdown_sum(&drawn.breakdown), drawn.breakdown.iteration_s, 1e-9);
    expect_close(drawn.exposed.latency_s, alike.exposed.latency_s, 1e-6);
    expect_close(drawn.exposed.bandwidth_s, alike.exposed.bandwidth_s, 1e-6);
  }
}

/* Forward and backward of a micro-batch have the same documents: on one stage, an iteration is the sum of both, in
 * proportion to the factors. */
TEST(Documents, BothPassesHaveTheSameFactor)
{
  const ss_workload workload = replicas_of(1);
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
  ss_workload fills = replicas_of(8, SS_DOCUMENTS_FIXED), differs = fills;
  fills.training.document_mean = 2048;
  const ss_machine machine = make_machine(instant_messages());
  EXPECT_EQ(replayed(Job(fills, machine, SS_COST_CALIBRATED), 1).simulated_stage_replicas, 1);
  EXPECT_EQ(replayed(Job(differs, machine, SS_COST_CALIBRATED), 1).simulated_stage_replicas, 8);
}

/* A sequence of one document is a sequence. */
TEST(Documents, OneDocumentIsNone)
{
  ss_workload one = replicas_of(4, SS_DOCUMENTS_FIXED), none = replicas_of(4, SS_DOCUMENTS_NONE);
  one.training.document_mean = 8192;
  const ss_machine machine = make_machine({});
  const Job a(one, machine, SS_COST_CALIBRATED), b(none, machine, SS_COST_CALIBRATED);
  EXPECT_EQ(ss_estimate_time(a.get()).iteration_s, ss_estimate_time(b.get()).iteration_s);
  EXPECT_EQ(a.replay().breakdown.iteration_s, b.replay().breakdown.iteration_s);
  EXPECT_EQ(ss_estimate_metrics(a.get(), 1).hfu, ss_estimate_metrics(b.get(), 1).hfu);
  EXPECT_EQ(ss_estimate_memory(a.get()).total_bytes, ss_estimate_memory(b.get()).total_bytes);
}
