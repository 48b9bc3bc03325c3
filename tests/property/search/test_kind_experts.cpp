/* Kinds of layers with experts of their own, against sums by hand: e = 1024, 512 tokens, 8 heads of 128. Kind a has the
 * model's experts, 8 of 2048 with 2 for a token; kind b 16 of 512 with 4 for a token, and a shared one. */
#include "tests/support/random_jobs.hpp"
#include "tests/support/searches.hpp"

extern "C" {
#include "model/estimate/model_size.h"
#include "model/plan/task_time.h"
}

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512;

void say(ss_workload &workload, const char *kinds, const char *pattern)
{
  (void)snprintf(workload.model.kinds, sizeof workload.model.kinds, "%s", kinds);
  (void)snprintf(workload.model.pattern, sizeof workload.model.pattern, "%s", pattern);
}

ss_workload of_two_kinds()
{
  ss_workload workload = make_workload();
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.experts = 8;
  workload.model.top_k = 2;
  workload.model.expert_ffn = 2048;
  workload.model.layers = 4;
  say(workload, "a; b experts=16 top-k=4 expert-ffn=512 shared-experts=1", "ab");
  return workload;
}

/* The exchange on the way to the experts of a kind. */
ss_task exchange(const Job &job, int64_t kind)
{
  const ss_task_list *list = ss_job_tasks(job.get(), ss_block_of_kind(kind, true), SS_PASS_FORWARD);
  for (int64_t i = 0; i < list->count; ++i)
    if (list->task[i].calls == 1 && list->task[i].call[0].group == SS_GROUP_EXPERT) return list->task[i];
  ADD_FAILURE() << "no exchange";
  return {};
}

ss_comm_time time_of(const Job &job, int64_t kind)
{
  const ss_task task = exchange(job, kind);
  return ss_job_call_piece(job.get(), ss_block_of_kind(kind, true), SS_PASS_FORWARD, &task, 0,
                           job->span[SS_GROUP_EXPERT]);
}

} /* namespace */

/* Both kinds have matrices of 4 e^2 and two norms; a router with a column for each expert, and three matrices of each
 * expert, of which a token goes through some. 6 flop a token for each parameter of a matrix; logits as without experts.
 */
TEST(KindExperts, HaveTheirParametersAndFlop)
{
  const ss_workload workload = of_two_kinds();
  const ss_machine machine = make_machine({});
  const double dense = 4 * e * e, all_a = 8 * 3 * e * 2048, all_b = 16 * 3 * e * 512, shared = 3 * e * 512;
  ss_model_size size = {};
  ASSERT_EQ(ss_model_size_of(&workload, &machine, &size, nullptr), SS_OK);
  const double plain = 4 * dense + 4 * 2 * e + 2 * 8 * e + 2 * (16 * e + shared);
  EXPECT_DOUBLE_EQ(size.parameters, plain + 2 * all_a + 2 * all_b);
  EXPECT_DOUBLE_EQ(size.active, plain + 2 * all_a * 2 / 8 + 2 * all_b * 4 / 16);
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double products = 4 * dense + 2 * (8 * e + all_a * 2 / 8) + 2 * (16 * e + shared + all_b * 4 / 16);
  EXPECT_DOUBLE_EQ(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration, l * 6 * products + 4 * 12 * e * l * l);
}

/* On four ranks, which have 2 and 4 experts each, copies are as many as choices: twice as many for b. */
TEST(KindExperts, ExchangeACopyForEachChoice)
{
  ss_workload workload = of_two_kinds();
  workload.parallelism.ep = workload.parallelism.dp = workload.training.global_batch = 4;
  const Job job(workload, machine_of(4, 4), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(exchange(job, 0).call[0].volume_bytes, 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(exchange(job, 1).call[0].volume_bytes, 2 * 4 * l * e);
  EXPECT_DOUBLE_EQ(job->block[ss_block_of_kind(0, true)].parameters[SS_WEIGHTS_EXPERT], 2 * 3 * e * 2048);
  EXPECT_DOUBLE_EQ(job->block[ss_block_of_kind(1, true)].parameters[SS_WEIGHTS_EXPERT], 4 * 3 * e * 512);
}

/* Sent once, a token of a goes to 4 (1 - 6/8 5/7) = 13/7 of four ranks, one of b to 4 (1 - 12 11 10 9 / (16 15 14 13))
 * = 265/91: so many rows pass through NVLink, of 3/4 that leave a rank. The replay alone on its links takes as long. */
TEST(KindExperts, DispatchByTheirOwnChoices)
{
  ss_workload workload = of_two_kinds();
  workload.parallelism.ep = workload.parallelism.dp = workload.training.global_batch = 4;
  workload.schedule.dispatch = SS_DISPATCH_ONCE;
  const Job job(workload, machine_of(4, 4), SS_COST_CALIBRATED, own_links());
  const double row_s = 0.75 * 2 * l * e / job->network.nvlink_bytes_per_s;
  expect_close(time_of(job, 0).transfer_s, 13.0 / 7 * row_s, 1e-12);
  expect_close(time_of(job, 1).transfer_s, 265.0 / 91 * row_s, 1e-12);
  EXPECT_EQ(time_of(job, 0).latency_s, time_of(job, 1).latency_s);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(job.replay(options).breakdown.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
}

/* Ranks share out the experts of all layers: 8 and 12 over 1, 2 or 4 of them. */
TEST(KindExperts, AreSharedOutByWhatDividesAll)
{
  ss_workload workload = of_two_kinds();
  say(workload, "a; b experts=12; d feed-forward=mlp", "abad");
  EXPECT_EQ(ss_layer_experts_divisor(&workload), 4);
  workload.parallelism.dp = workload.training.global_batch = 8;
  ss_error error = {};
  for (int64_t ep : {1, 2, 4}) {
    workload.parallelism.ep = ep;
    EXPECT_EQ(ss_workload_check(&workload, &error), SS_OK) << error.message;
  }
  workload.parallelism.ep = 8;
  EXPECT_EQ(ss_workload_check(&workload, &error), SS_ERROR_INPUT);
  EXPECT_NE(std::string(error.message).find("does not divide the experts of every kind"), std::string::npos)
      << error.message;
  workload.parallelism.ep = 1;
  ss_search_options options = options_of(8, one_d);
  options.knobs = SS_KNOB_BIT(SS_KNOB_ep);
  options.pins = SS_SIZE_BIT(SS_SIZE_tp) | SS_SIZE_BIT(SS_SIZE_pp) | SS_SIZE_BIT(SS_SIZE_micro_batch);
  const Search search(workload, machine_of(8, 8), options);
  EXPECT_EQ(search->candidates, 3);
  EXPECT_EQ(search->feasible, 3);
}

/* A kind takes for its own what it does not say, and what it says is no other kind's. */
TEST(KindExperts, AreWhatTheModelWouldHave)
{
  std::mt19937 random(83 + seed);
  int checked = 0;
  for (int i = 0; checked < 40; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    ss_workload workload = random_workload(random);
    const ss_machine machine = random_machine(random);
    if (workload.model.experts == 0) continue;
    workload.model.vocabulary = workload.model.mtp_modules = workload.model.dense_layers = 0;
    ss_workload own = workload;
    own.model.experts = pick(random, {4, 8, 16});
    own.model.top_k = pick(random, {1, 2, 3});
    own.model.expert_ffn = pick(random, {512, 2048});
    own.model.shared_experts = pick(random, {0, 1, 2});
    const std::string text = "a experts=" + std::to_string(own.model.experts) +
                             " top-k=" + std::to_string(own.model.top_k) +
                             " expert-ffn=" + std::to_string(own.model.expert_ffn) +
                             " shared-experts=" + std::to_string(own.model.shared_experts);
    say(workload, text.c_str(), "a");
    if (ss_workload_check(&workload, nullptr) != SS_OK || ss_workload_check(&own, nullptr) != SS_OK) continue;
    ++checked;
    const Job one(own, machine, SS_COST_CALIBRATED), two(workload, machine, SS_COST_CALIBRATED);
    ss_replay_options options = {};
    options.private_links = true;
    expect_close(two.replay(options).breakdown.iteration_s, one.replay(options).breakdown.iteration_s, 1e-9);
    expect_close(two.replay().breakdown.iteration_s, one.replay().breakdown.iteration_s, 1e-9);
    const ss_metrics counted = ss_estimate_metrics(two.get(), 1.0), expected = ss_estimate_metrics(one.get(), 1.0);
    EXPECT_DOUBLE_EQ(counted.parameters, expected.parameters);
    EXPECT_DOUBLE_EQ(counted.active_parameters, expected.active_parameters);
    EXPECT_DOUBLE_EQ(counted.model_flop_per_iteration, expected.model_flop_per_iteration);
    for (int64_t stage = 0; stage < two->stages; ++stage)
      expect_close(ss_estimate_stage_memory(two.get(), stage).total_bytes,
                   ss_estimate_stage_memory(one.get(), stage).total_bytes, 1e-12);
  }
}
