/* Embedding and output layer with one table: what the two ends of a pipeline exchange, against numbers derived by hand.
 */
#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

/* GPT with a vocabulary of 32000 on two stages; the gradient of a table of 32000 x 1024 in fp32. */
constexpr double kTable = 32000.0 * 1024, kTableBytes = 4 * kTable;

ss_workload make_tied(int stages, int tp, int dp)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 32000;
  workload.model.tied_embeddings = SS_YES;
  workload.parallelism.pp = stages;
  workload.parallelism.tp = tp;
  workload.parallelism.dp = dp;
  workload.training.global_batch = 8 * dp;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  return workload;
}

ss_workload untied(ss_workload workload)
{
  workload.model.tied_embeddings = SS_NO;
  return workload;
}

ss_breakdown replay(const Job &job, bool private_links = false)
{
  ss_replay_options options = {};
  options.private_links = private_links;
  return job.replay(options).breakdown;
}

/* The first stage ends last. With a shared table both ends step when it has reduced its gradients and the two have
 * exchanged theirs: the last stage, which steps a final norm more, ends last. */
void expect_exchange(const ss_workload &workload, const ss_machine &machine, double closed_form_s, double replay_s)
{
  const Job tied(workload, machine, SS_COST_CALIBRATED), plain(untied(workload), machine, SS_COST_CALIBRATED);
  const double step_s =
      ss_job_optimizer(tied.get(), tied->stages - 1).optimizer_s - ss_job_optimizer(tied.get(), 0).optimizer_s;
  EXPECT_GT(step_s, 0);
  const auto longer_s = [&](auto time_s) { return time_s(tied) - time_s(plain); };
  EXPECT_NEAR(longer_s([](const Job &job) { return ss_estimate_time(job.get()).iteration_s; }), closed_form_s + step_s,
              1e-12);
  EXPECT_NEAR(longer_s([](const Job &job) { return replay(job, true).iteration_s; }), closed_form_s + step_s, 1e-12);
  EXPECT_NEAR(longer_s([](const Job &job) { return replay(job).iteration_s; }), replay_s + step_s, 1e-10);
}

} // namespace

/* A ring of two: half of the table twice, 300 GB/s x 0.7 inside a domain; its start-up is that of one step (arXiv
 * 2410.00273), 2.5 us. */
TEST(Tied, ExchangesTheTableInsideADomain)
{
  const double exchange_s = 2.5e-6 + kTableBytes / (0.7 * 300e9);
  expect_exchange(make_tied(2, 1, 1), make_machine({}), exchange_s, exchange_s);
}

/* Each of four tensor-parallel ranks has a quarter of the table, and a NIC of its own: 25 GB/s x 0.7 and 5 us. With one
 * NIC for all four it takes four times as long, which the closed form does not see. */
TEST(Tied, ExchangesSharesOverTheFabric)
{
  const double start_s = 5e-6, share_s = kTableBytes / 4 / (0.7 * 25e9);
  expect_exchange(make_tied(2, 4, 1), make_machine({}), start_s + share_s, start_s + share_s);
}

TEST(Tied, ExchangesContendForNics)
{
  PlatformSpec spec;
  spec.nics = 1;
  const Job tied(make_tied(2, 4, 1), make_machine(spec), SS_COST_CALIBRATED);
  const Job plain(untied(make_tied(2, 4, 1)), make_machine(spec), SS_COST_CALIBRATED);
  const double step_s = ss_job_optimizer(tied.get(), 1).optimizer_s - ss_job_optimizer(tied.get(), 0).optimizer_s;
  EXPECT_NEAR(replay(tied).iteration_s - replay(plain).iteration_s, 5e-6 + kTableBytes / (0.7 * 25e9) + step_s, 1e-10);
}

/* In 16 bits half as much; of gradients that are sharded, each rank of four has a quarter. */
TEST(Tied, ExchangesWhatARankKeeps)
{
  ss_workload workload = make_tied(2, 1, 1);
  EXPECT_DOUBLE_EQ(Job(workload, make_machine({}), SS_COST_CALIBRATED)->tied_bytes, kTableBytes);
  workload.training.gradients = SS_GRADIENTS_16BIT;
  EXPECT_DOUBLE_EQ(Job(workload, make_machine({}), SS_COST_CALIBRATED)->tied_bytes, kTableBytes / 2);
  workload = make_tied(2, 1, 4);
  for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_GRADIENTS}) {
    workload.parallelism.sharding = sharding;
    EXPECT_DOUBLE_EQ(Job(workload, make_machine({}), SS_COST_CALIBRATED)->tied_bytes,
                     kTableBytes / (sharding == SS_SHARDING_GRADIENTS ? 4 : 1));
  }
  EXPECT_EQ(Job(workload, make_machine({}), SS_COST_SC24)->tied_bytes, 0); /* no ends of the model */
  EXPECT_EQ(Job(make_tied(1, 1, 1), make_machine({}), SS_COST_CALIBRATED)->tied_bytes, 0);
}

/* One stage: the same kernels, but one table to reduce and to step. Gradients are reduced when all else is over, in a
 * ring of four: 3/2 of the bytes. */
TEST(Tied, OneStageHasOneTable)
{
  ss_workload workload = make_tied(1, 1, 4);
  workload.schedule.overlap_dp = SS_NO;
  const Job tied(workload, make_machine({}), SS_COST_CALIBRATED);
  const Job plain(untied(workload), make_machine({}), SS_COST_CALIBRATED);
  const ss_breakdown with = ss_estimate_time(tied.get()), without = ss_estimate_time(plain.get());
  EXPECT_DOUBLE_EQ(ss_job_stage_parameters(plain.get(), 0, SS_WEIGHTS_DENSE) -
                       ss_job_stage_parameters(tied.get(), 0, SS_WEIGHTS_DENSE),
                   kTable);
  EXPECT_NEAR(without.dp_comm_s - with.dp_comm_s, 1.5 * kTableBytes / (0.7 * 300e9), 1e-12);
  EXPECT_LT(with.optimizer_s, without.optimizer_s);
  EXPECT_DOUBLE_EQ(with.compute_s, without.compute_s);
  EXPECT_DOUBLE_EQ(with.memory_s, without.memory_s);
  expect_close(replay(tied).iteration_s, with.iteration_s, 1e-9);
}

/* The other schedules in which the first stage ends last; over links of 1e18 B/s x 0.7. */
TEST(Tied, WaitsForTheFirstStage)
{
  const double exchange_s = kTableBytes / 0.7e18;
  for (ss_pipeline pipeline : {SS_PIPELINE_GPIPE, SS_PIPELINE_INTERLEAVED}) {
    SCOPED_TRACE(testing::Message() << "schedule " << pipeline);
    ss_workload workload = make_tied(4, 1, 1);
    workload.schedule.pipeline = pipeline;
    workload.parallelism.interleave = pipeline == SS_PIPELINE_INTERLEAVED ? 2 : 1;
    expect_exchange(workload, make_machine(instant_messages()), exchange_s, exchange_s);
  }
}

/* Zero-bubble 2 lets every stage begin when its work comes, and end as much later than the first. That now waits for
 * the last, which begins after three forward passes of 200 layers each and that of the embedding, and takes a little
 * less by itself than the one that takes longest. */
TEST(Tied, WaitsForTheLastStageThatRunsIntoTheNextIteration)
{
  ss_workload workload = make_tied(4, 1, 1);
  workload.model.layers = 800;
  workload.schedule.pipeline = SS_PIPELINE_ZERO_BUBBLE_2;
  const Job tied(workload, make_machine(instant_messages()), SS_COST_CALIBRATED);
  const Job plain(untied(workload), make_machine(instant_messages()), SS_COST_CALIBRATED);
  const double lead_s =
      600 * tied.layer_s(SS_PASS_FORWARD) + ss_duration_sum(tied->pass[SS_BLOCK_EMBEDDING][SS_PASS_FORWARD]);
  const double longer_s = ss_estimate_time(tied.get()).iteration_s - ss_estimate_time(plain.get()).iteration_s;
  EXPECT_LT(longer_s, lead_s);
  EXPECT_GT(longer_s, 0.9 * lead_s);
  for (const Job *job : {&tied, &plain})
    expect_close(replay(*job).iteration_s, ss_estimate_time(job->get()).iteration_s, 1e-6);
}

/* Stages of two ranks in domains of four GPUs: of three stages the first two share a domain, the last is in another; of
 * two stages both are in one. */
TEST(Tied, ExchangesFromTheLastStageToTheFirst)
{
  ss_workload workload = make_tied(3, 2, 1);
  workload.model.layers = 6;
  const Job three(workload, make_machine({}), SS_COST_CALIBRATED),
      two(make_tied(2, 2, 1), make_machine({}), SS_COST_CALIBRATED);
  EXPECT_FALSE(ss_placement_crosses(&three->placement, 1, 0));
  const ss_span across = ss_job_tied_span(three.get()), inside = ss_job_tied_span(two.get());
  EXPECT_EQ(across.size, 2);
  EXPECT_EQ(across.domains, 2);
  EXPECT_EQ(across.per_domain, 1);
  EXPECT_EQ(inside.size, 2);
  EXPECT_EQ(inside.domains, 1);
  EXPECT_EQ(inside.per_domain, 2);
}

/* FSDP on one stage: the table is gathered with forward and reduced with backward of each of 8 micro-batches, once.
 * With nothing beside compute, and no layer to gather beside it, that is all that an untied model does but for its own
 * table: there the output layer and the embedding gather theirs twice each, and reduce it. On one GPU of two the table
 * is there in whole, with its gradient, and no second time. */
TEST(Tied, FsdpGathersTheTableOnce)
{
  ss_workload workload = make_tied(1, 1, 2);
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.schedule.overlap_dp = SS_NO;
  const ss_machine machine = make_machine({});
  const Job tied(workload, machine, SS_COST_CALIBRATED), plain(untied(workload), machine, SS_COST_CALIBRATED);
  const auto moved_s = [](const Job &job, ss_collective kind, double bytes) {
    return ss_comm_time_sum(ss_job_data_time(job.get(), kind, job->data_span[SS_WEIGHTS_DENSE][0], bytes));
  };
  const double norm = 2 * 1024; /* of the output layer: scale and shift */
  const double gather_s = moved_s(plain, SS_ALL_GATHER, 2 * kTable),
               reduce_s = moved_s(plain, SS_REDUCE_SCATTER, kTableBytes);
  const double head_gather_s =
      moved_s(plain, SS_ALL_GATHER, 2 * (kTable + norm)) - moved_s(plain, SS_ALL_GATHER, 2 * norm);
  const double head_reduce_s =
      moved_s(plain, SS_REDUCE_SCATTER, 4 * (kTable + norm)) - moved_s(plain, SS_REDUCE_SCATTER, 4 * norm);
  const double less_s = 8 * (gather_s + 2 * head_gather_s + head_reduce_s);
  const ss_breakdown tied_parts = ss_estimate_time(tied.get()), plain_parts = ss_estimate_time(plain.get());
  expect_close(plain_parts.dp_comm_s - tied_parts.dp_comm_s, less_s, 1e-9);
  EXPECT_GT(tied_parts.dp_comm_s, 8 * (gather_s + reduce_s));
  expect_close(replay(tied).iteration_s, tied_parts.iteration_s, 1e-9);
  const ss_memory memory = ss_estimate_stage_memory(tied.get(), 0);
  const double layer = tied->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE];
  EXPECT_DOUBLE_EQ(memory.gathered_bytes, 2 * (kTable + 2 * layer)); /* and a layer, and the one fetched ahead */
  EXPECT_DOUBLE_EQ(memory.unreduced_bytes, kTableBytes + 4 * layer);
}
