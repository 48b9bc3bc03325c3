/* Lists of layers, and jobs that compute those again: of 8 layers. */
#include "tests/support/attributes.hpp"
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/input/layer_ids.h"
}

using namespace stepsim;

namespace
{

ss_workload recomputing(const char *ids, int64_t count, int64_t stages)
{
  ss_workload workload = make_workload();
  workload.model.layers = 8;
  workload.parallelism.pp = stages;
  workload.training.global_batch = 8 * workload.training.micro_batch;
  workload.training.recompute = SS_RECOMPUTE_FULL;
  workload.training.recompute_layers = count;
  std::snprintf(workload.training.recompute_layer_ids, sizeof workload.training.recompute_layer_ids, "%s", ids);
  return workload;
}

std::string problem(const char *text)
{
  const char *said = ss_layer_ids_fill(text, 8, nullptr);
  return said != nullptr ? said : "none";
}

void expect_alike(const ss_workload &a, const ss_workload &b)
{
  const Job one(a, make_machine({}), SS_COST_CALIBRATED), two(b, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_DOUBLE_EQ(ss_estimate_time(one.get()).iteration_s, ss_estimate_time(two.get()).iteration_s);
  for (int64_t stage = 0; stage < a.parallelism.pp; ++stage)
    EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(one.get(), stage).total_bytes,
                     ss_estimate_stage_memory(two.get(), stage).total_bytes);
}

} /* namespace */

TEST(LayerIds, NumbersAndRanges)
{
  bool is_in[8];
  ASSERT_EQ(ss_layer_ids_fill("0,3-4,7", 8, is_in), nullptr);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(is_in[i], i == 0 || i == 3 || i == 4 || i == 7) << i;
  EXPECT_EQ(problem("7"), "none");
  EXPECT_EQ(problem(""), "it has no number where one should be");
  EXPECT_EQ(problem("1,"), "it has no number where one should be");
  EXPECT_EQ(problem("1-"), "it has no number where one should be");
  EXPECT_EQ(problem("8"), "it has a layer that the model has not");
  EXPECT_EQ(problem("99999999999999999999"), "it has a layer that the model has not");
  EXPECT_EQ(problem("4-3"), "it has a range that ends before it begins");
  EXPECT_EQ(problem("1 2"), "it has something else than numbers, with a comma or - between them");
}

/* The first ones of a stage are those that a number counts; with several stages each has its own. */
TEST(LayerIds, AreThoseThatAreCounted)
{
  expect_alike(recomputing("0-2", SS_DERIVED, 1), recomputing("", 3, 1));
  expect_alike(recomputing("0,1,4,5", SS_DERIVED, 2), recomputing("", 2, 2));
  expect_alike(recomputing("0-7", SS_DERIVED, 1), recomputing("", 8, 1));
}

/* Layers are alike: which two of four it is takes the same time, and the memory of a stage follows their number. */
TEST(LayerIds, OfOneStageOnly)
{
  const Job first(recomputing("0,2", SS_DERIVED, 2), make_machine({}), SS_COST_CALIBRATED);
  const Job none(recomputing("4-7", SS_DERIVED, 2), make_machine({}), SS_COST_CALIBRATED);
  EXPECT_LT(ss_estimate_stage_memory(first.get(), 0).total_bytes, ss_estimate_stage_memory(none.get(), 0).total_bytes);
  EXPECT_GT(ss_estimate_stage_memory(first.get(), 1).total_bytes, ss_estimate_stage_memory(none.get(), 1).total_bytes);
  expect_alike(recomputing("0,2", SS_DERIVED, 1), recomputing("5-6", SS_DERIVED, 1));
}
