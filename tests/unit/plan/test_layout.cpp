/* Layouts: how their text is read, and which layers they put where. */
#include <algorithm>
#include <string>
#include <vector>

extern "C" {
#include "model/plan/layers/layout_text.h"
#include "model/plan/layers/split.h"
}

#include "tests/support/layouts.hpp"

using namespace stepsim;

namespace
{

/* Written out, as far as it can be read. */
std::string elements(const std::string &layout)
{
  static const char letters[] = "VEtmL|";
  std::string text;
  ss_layout_reader reader = ss_layout_read(layout.c_str());
  for (ss_layout_element element; ss_layout_next(&reader, &element);) text += letters[element];
  return text;
}

std::string problem_of(const std::string &layout)
{
  const char *problem = ss_layout_sum_of(layout.c_str()).problem;
  return problem != nullptr ? problem : "";
}

/* Layers of each part of the model. */
std::vector<int64_t> split(const ss_workload &workload)
{
  ss_error error = {};
  EXPECT_EQ(ss_workload_check(&workload, &error), SS_OK) << error.message;
  const ss_pipeline_shape shape = ss_pipeline_shape_of(&workload);
  std::vector<ss_virtual_stage> parts(static_cast<size_t>(ss_shape_parts(&shape)));
  ss_split_fill(&workload, &shape, parts.data());
  std::vector<int64_t> layers;
  for (const ss_virtual_stage &part : parts) layers.push_back(part.layers);
  return layers;
}

/* By how much the parts of a layout differ in what counts. */
int64_t spread(const std::string &layout, const std::string &counted)
{
  int64_t most = 0, least = 1000, share = 0;
  for (const char letter : elements(layout) + "|") {
    share += counted.find(letter) != std::string::npos;
    if (letter != '|') continue;
    most = std::max(most, share);
    least = std::min(least, share);
    share = 0;
  }
  return most - least;
}

} /* namespace */

/* The examples in the text of Megatron-LM's parser, in its letters. */
TEST(LayoutText, IsWrittenOut)
{
  EXPECT_EQ(elements("Et,(tt|t|)*2,mL"), "Ettt|t|tt|t|mL");
  EXPECT_EQ(elements("(tm)*3"), "tmtmtm");
  EXPECT_EQ(elements("tt,(m|)*2,LL"), "ttm|m|LL");
  EXPECT_EQ(elements("(|tt)*2,mL"), "|tt|ttmL");
  EXPECT_EQ(elements("Et*3|*2(t*2|)*2L"), "Ettt||tt|tt|L");
  EXPECT_EQ(elements(""), "");
}

/* DeepSeek-V3: 61 layers and a module on 16 stages of two chunks. */
TEST(LayoutText, IsSummedUp)
{
  const ss_layout_sum sum = ss_layout_sum_of("Et*3|(tt|)*29,m|L");
  EXPECT_EQ(sum.problem, nullptr);
  EXPECT_EQ(sum.parts, 32);
  EXPECT_EQ(sum.count[SS_LAYOUT_LAYER], 61);
  EXPECT_EQ(sum.count[SS_LAYOUT_EMBEDDING], 1);
  EXPECT_EQ(sum.count[SS_LAYOUT_MODULE], 1);
  EXPECT_EQ(sum.count[SS_LAYOUT_OUTPUT], 1);
  EXPECT_TRUE(sum.starts && sum.ends && sum.modules_last);
  EXPECT_EQ(sum.module_parts, 1);
  EXPECT_FALSE(ss_layout_sum_of("|EtL").starts);
  for (const char *text : {"VVEtL", "V||V|EtL", "V|E|tL"}) EXPECT_TRUE(ss_layout_sum_of(text).starts) << text;
  for (const char *text : {"|VEtL", "VtEtL", "EVtL", "Et|VtL", "V|mEtL"})
    EXPECT_FALSE(ss_layout_sum_of(text).starts) << text;
  EXPECT_EQ(ss_layout_sum_of("V*3|(V|)*2EtL").count[SS_LAYOUT_VISION], 5);
  EXPECT_FALSE(ss_layout_sum_of("EtL|").ends);
  EXPECT_FALSE(ss_layout_sum_of("Et|mt|L").modules_last);
  EXPECT_TRUE(ss_layout_sum_of("Et|m|mL").modules_last);
  EXPECT_EQ(ss_layout_sum_of("Et|mm||mmmL").module_parts, 2);
  EXPECT_EQ(ss_layout_sum_of("Et|mmL").module_parts, 1);
  EXPECT_EQ(ss_layout_sum_of("Et|L").module_parts, 0);
}

TEST(LayoutText, HasProblems)
{
  EXPECT_EQ(problem_of("Et*L"), "it has a letter that is none of V, E, t, m, L, |");
  EXPECT_EQ(problem_of("Et*0L"), "a * is not followed by a number above 0");
  EXPECT_EQ(problem_of("Et*2*3L"), "it has a letter that is none of V, E, t, m, L, |");
  EXPECT_EQ(problem_of("E t L"), "it has a letter that is none of V, E, t, m, L, |");
  EXPECT_EQ(problem_of("E(t|L"), "a parenthesis is not closed");
  EXPECT_EQ(problem_of("Et|)*2L"), "a parenthesis is closed that is not open");
  EXPECT_EQ(problem_of("E(t|)L"), "a parenthesis is not repeated: ( )*n");
  EXPECT_EQ(problem_of("E((t)*2|)*2L"), "a parenthesis is inside another one");
  EXPECT_EQ(problem_of("Et*1000000L"), "it repeats something more than 999999 times");
  EXPECT_EQ(problem_of("E(t*999999|)*999999L"), "it has a million elements or more");
}

/* Each even layout has the layers, the modules and the parts that were asked for, and shares that differ by one,
 * without the embedding or with it. */
TEST(LayoutText, IsMadeEven)
{
  char text[256];
  for (int64_t layers : {1, 5, 61, 96, 126})
    for (int64_t modules : {0, 1, 2})
      for (int64_t parts : {2, 3, 8, 32, 64, 128}) {
        const bool fits = (layers + modules + 2) / parts >= modules + 1;
        ASSERT_EQ(ss_layout_even(layers, modules, parts, text, sizeof text), fits) << layers << modules << parts;
        if (!fits) continue;
        const ss_layout_sum sum = ss_layout_sum_of(text);
        EXPECT_EQ(sum.problem, nullptr) << text;
        EXPECT_EQ(sum.count[SS_LAYOUT_LAYER], layers) << text;
        EXPECT_EQ(sum.count[SS_LAYOUT_MODULE], modules) << text;
        EXPECT_EQ(sum.parts, parts) << text;
        EXPECT_LE(std::min(spread(text, "tmL"), spread(text, "EtmL")), 1) << text;
      }
  EXPECT_FALSE(ss_layout_even(61, 1, 32, text, 8));
  EXPECT_STREQ(text, "");
}

/* set_deepseek_v3_pipeline_model_parallel_layout of Megatron-Bridge v0.4.0, and what its performance recipes give it.
 */
TEST(LayoutText, IsMadeAsForDeepSeek)
{
  char text[256];
  EXPECT_TRUE(ss_layout_even(61, 1, 8, text, sizeof text));
  EXPECT_STREQ(text, "Et*8|(t*8|)*6t*5mL");
  EXPECT_TRUE(ss_layout_even(61, 1, 16, text, sizeof text));
  EXPECT_STREQ(text, "Et*4|(t*4|)*14tmL");
  EXPECT_TRUE(ss_layout_even(61, 1, 32, text, sizeof text));
  EXPECT_STREQ(text, "Et|(tt|)*30mL");
}

TEST(Split, SharesOutEvenly)
{
  EXPECT_EQ(split(make_pipeline(8, 4, 1)), (std::vector<int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(split(make_pipeline(8, 2, 2)), (std::vector<int64_t>{2, 2, 2, 2}));
}

/* get_num_layers_to_build of Megatron-LM: the layers of the first stage are shared by its chunks. */
TEST(Split, GivesTheFirstAndTheLastStageTheirOwn)
{
  ss_workload workload = make_pipeline(12, 4, 1);
  workload.parallelism.first_stage_layers = 1;
  workload.parallelism.last_stage_layers = 3;
  EXPECT_EQ(split(workload), (std::vector<int64_t>{1, 4, 4, 3}));
  workload = make_pipeline(14, 3, 2);
  workload.parallelism.first_stage_layers = 2;
  EXPECT_EQ(split(workload), (std::vector<int64_t>{1, 3, 3, 1, 3, 3}));
}

/* Llama 3 405B (arXiv 2407.21783 section 3.3.2): 126 layers, embedding and output layer on 16 stages of 8 chunks. */
TEST(Split, CountsTheEndsAsLayers)
{
  ss_workload workload = make_pipeline(126, 16, 8);
  workload.parallelism.account_for_embedding = workload.parallelism.account_for_loss = SS_YES;
  std::vector<int64_t> expected(128, 1);
  expected.front() = expected.back() = 0;
  EXPECT_EQ(split(workload), expected);
  workload.parallelism.account_for_embedding = workload.parallelism.account_for_loss = SS_NO;
  set_layout(workload, "E|(t|)*126L");
  EXPECT_EQ(split(workload), expected);
  workload = make_pipeline(7, 4, 1);
  workload.parallelism.account_for_loss = SS_YES;
  EXPECT_EQ(split(workload), (std::vector<int64_t>{2, 2, 2, 1}));
}

TEST(Split, FollowsALayout)
{
  ss_workload workload = make_pipeline(6, 2, 2);
  set_layout(workload, "E||tttt|ttL");
  EXPECT_EQ(split(workload), (std::vector<int64_t>{0, 0, 4, 2}));
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  EXPECT_EQ(job->layer_first[ss_job_slot(job.get(), {0, 1})], 0);
  EXPECT_EQ(job->layer_first[ss_job_slot(job.get(), {1, 1})], 4);
  EXPECT_EQ(ss_job_block_count(job.get(), {1, 0}), 0);
  EXPECT_TRUE(job->uneven);
}
