/* Multi-token-prediction modules on the stages of a pipeline: what they take, send, hold and share, by hand. */
#include "tests/support/layouts.hpp"

extern "C" {
#include "model/plan/stage_ops.h"
}

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512, v = 32000;

ss_workload make_predicting(const std::string &layout, int64_t layers, int64_t stages, int64_t modules)
{
  ss_workload workload = make_pipeline(layers, stages, 1);
  workload.model.vocabulary = 32000;
  workload.model.mtp_modules = modules;
  workload.training.global_batch = 1;
  set_layout(workload, layout);
  return workload;
}

double pass_s(const Job &job, ss_block_kind kind)
{
  return ss_duration_sum(job->pass[kind][SS_PASS_FORWARD]) + ss_duration_sum(job->pass[kind][SS_PASS_BACKWARD]);
}

std::vector<int64_t> stages_with_tables(const ss_workload &workload)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(&workload);
  const ss_tables tables = ss_tables_of(&workload, &shape);
  return std::vector<int64_t>(tables.stage, tables.stage + tables.count);
}

double parameters_of(const Job &job)
{
  double sum = 0;
  for (int64_t stage = 0; stage < job->stages; ++stage)
    sum += ss_job_stage_parameters(job.get(), stage, SS_WEIGHTS_DENSE);
  return sum;
}

} /* namespace */

/* One micro-batch goes through two layers, two modules by themselves and the output layer, and back: on the way to the
 * output layer the states of the modules are with those of the model, three times as many bytes. Then three stages with
 * a table, if the output layer uses it too, or two, sum its gradient in fp32. */
TEST(Modules, SendTheirStatesOn)
{
  for (ss_switch tied : {SS_NO, SS_YES}) {
    ss_workload workload = make_predicting("Ett|mm|L", 2, 3, 2);
    workload.model.tied_embeddings = tied;
    const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
    const double blocks_s = pass_s(job, SS_BLOCK_EMBEDDING) + 2 * pass_s(job, SS_BLOCK_LAYER) +
                            pass_s(job, SS_BLOCK_NEXT) + 2 * pass_s(job, SS_BLOCK_MODULE) + pass_s(job, SS_BLOCK_HEAD);
    const double narrow_s = 2.5e-6 + 2 * l * e / (0.7 * 300e9), wide_s = 2.5e-6 + 3 * 2 * l * e / (0.7 * 300e9);
    const double ranks = tied == SS_YES ? 3 : 2, exchange_s = 2 * (ranks - 1) / ranks * 4 * v * e / (0.7 * 300e9);
    const ss_breakdown parts = ss_estimate_time(job.get());
    const double exchanged_s = parts.iteration_s - parts.optimizer_s - blocks_s - 2 * narrow_s - 2 * wide_s;
    EXPECT_GT(exchanged_s, exchange_s);
    EXPECT_LT(exchanged_s, exchange_s + 30e-6); /* start-up of at most four steps and more */
    ss_replay_options options = {};
    options.private_links = true;
    expect_close(job.replay(options).breakdown.iteration_s, parts.iteration_s, 1e-9);
    expect_close(job.replay().breakdown.iteration_s, parts.iteration_s, 1e-9);
  }
}

TEST(Modules, LieBeforeTheOutputLayer)
{
  const ss_workload workload = make_predicting("", 4, 2, 1), laid_out = make_predicting("Ett|ttmL", 4, 2, 1);
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED), same(laid_out, make_machine({}), SS_COST_CALIBRATED);
  const ss_chunk last = {1, 0};
  const ss_block_kind kinds[] = {SS_BLOCK_LAYER, SS_BLOCK_LAYER, SS_BLOCK_NEXT, SS_BLOCK_MODULE, SS_BLOCK_HEAD};
  ASSERT_EQ(ss_job_block_count(job.get(), last), 5);
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(ss_job_block_kind(job.get(), last, i), kinds[i]);
  EXPECT_EQ(ss_job_block_layer(job.get(), last, 3), 4);
  EXPECT_EQ(ss_estimate_time(job.get()).iteration_s, ss_estimate_time(same.get()).iteration_s);
}

/* Where they have no stage with the embedding, modules have a table of their own, one for all of them; with the output
 * layer they share it, if that is tied. */
TEST(Modules, CountEachTableOnce)
{
  const double table = v * e;
  const auto parameters = [](const std::string &layout, int64_t stages, ss_switch tied) {
    ss_workload workload = make_predicting(layout, 4, stages, 2);
    workload.model.tied_embeddings = tied;
    return parameters_of(Job(workload, make_machine({}), SS_COST_CALIBRATED));
  };
  const double one = parameters("", 1, SS_YES);
  EXPECT_DOUBLE_EQ(parameters("", 1, SS_NO), one + table);
  EXPECT_DOUBLE_EQ(parameters("", 2, SS_YES), one + table);
  EXPECT_DOUBLE_EQ(parameters("", 2, SS_NO), one + 2 * table);
  EXPECT_DOUBLE_EQ(parameters("Etttt|mm|L", 3, SS_YES), one + 2 * table);
  EXPECT_DOUBLE_EQ(parameters("Ettttmm|L", 2, SS_YES), one + table);
}

TEST(Modules, ShareTheTableOfTheEmbedding)
{
  ss_workload workload = make_predicting("Ett|m|L", 2, 3, 1);
  EXPECT_EQ(stages_with_tables(workload), (std::vector<int64_t>{0, 1}));
  workload.model.tied_embeddings = SS_YES;
  EXPECT_EQ(stages_with_tables(workload), (std::vector<int64_t>{0, 1, 2}));
  set_layout(workload, "Et|t|mL");
  EXPECT_EQ(stages_with_tables(workload), (std::vector<int64_t>{0, 2}));
  workload.model.mtp_modules = 0;
  set_layout(workload, "");
  EXPECT_EQ(stages_with_tables(workload), (std::vector<int64_t>{0, 2}));
  workload.model.mtp_modules = 1;
  workload.schedule.pipeline = SS_PIPELINE_V_HALF; /* the ends of the model are on the first stage */
  EXPECT_EQ(stages_with_tables(workload), (std::vector<int64_t>{0}));
}

/* Forward 2 l (attention 4 e^2 + feed-forward 8 e^2 + merger 2 e^2) and 4 l^2 e for the core of attention, 2 l e v for
 * the logits; three times that with backward. */
TEST(Modules, AreModelFlop)
{
  const ss_workload workload = make_predicting("", 4, 2, 2), plain = make_predicting("", 4, 2, 0);
  const Job with(workload, make_machine({}), SS_COST_CALIBRATED), without(plain, make_machine({}), SS_COST_CALIBRATED);
  const auto flop = [](const Job &job) { return ss_estimate_metrics(job.get(), 1).model_flop_per_iteration; };
  expect_close(flop(with) - flop(without), 2 * 3 * (2 * l * 14 * e * e + 4 * l * l * e + 2 * l * e * v), 1e-12);
}

/* The stage of a module receives a state, sends two, gets two gradients and sends one; the last stage has what two
 * predictions keep. */
TEST(Modules, HoldTheirStatesAndLogits)
{
  const Job job(make_predicting("Ett|m|L", 2, 3, 1), make_machine({}), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 0).messages_bytes, (1 + 1) * 2 * l * e);
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 1).messages_bytes, (1 + 2 + 2 + 1) * 2 * l * e);
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 2).messages_bytes, (2 + 2) * 2 * l * e);
  EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 2).logits_bytes, 2 * 4 * l * v);
}

/* A table that several blocks of a stage use is gathered with forward of the first of them and stays: once a
 * micro-batch fewer than other blocks, which backward gathers again. */
TEST(Modules, KeepASharedTableGathered)
{
  ss_workload workload = make_predicting("", 4, 2, 1);
  workload.parallelism.dp = 2;
  workload.training.global_batch = 4;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  for (ss_switch tied : {SS_NO, SS_YES}) {
    workload.model.tied_embeddings = tied;
    const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
    EXPECT_EQ(job->data.kept_tables, tied == SS_YES ? SS_BLOCK_BIT(SS_BLOCK_NEXT) : 0u);
    EXPECT_EQ(ss_pass_gathers(job.get(), SS_BLOCK_NEXT, SS_PASS_BACKWARD), tied == SS_NO);
    ss_replay_options options = {};
    options.private_links = true;
    expect_close(job.replay(options).breakdown.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
  }
}
