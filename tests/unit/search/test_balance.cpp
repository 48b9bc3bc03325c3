/* Layouts that a search proposes. */
#include <set>
#include <string>
#include <vector>

#include "tests/support/layouts.hpp"
#include "tests/support/searches.hpp"
#include "tests/support/towers.hpp"

extern "C" {
#include "model/plan/layers/layout_text.h"
#include "model/search/balance.h"
}

using namespace stepsim;

namespace
{

std::vector<std::string> proposals(const ss_workload &workload)
{
  std::vector<std::string> texts;
  for (int64_t value = ss_balance_next(SS_BALANCE_NONE, &workload, &workload); value != SS_BALANCE_NONE;
       value = ss_balance_next(value, &workload, &workload)) {
    char text[SS_TEXT_SIZE];
    const ss_balanced model = ss_balanced_of(&workload);
    ss_balance_text(value, &model, text, sizeof text);
    texts.emplace_back(text);
  }
  return texts;
}

} /* namespace */

/* Llama 3 405B: 126 layers do not fill 128 parts but with both ends. */
TEST(Balance, CountsTheEndsOfLlama)
{
  ss_workload workload = make_pipeline(126, 16, 8);
  workload.model.vocabulary = 1000;
  EXPECT_EQ(proposals(workload), std::vector<std::string>{"E|(t|)*126L"});
}

/* Hidden size 1024, 8 heads of 128, ffn 4096: a layer has 12 * 1024^2 parameters, an output layer of 30 * 1024 words
 * two and a half times as many. It counts as none, one, two or three layers, and the embedding as none or one, of 16
 * layers on 4 stages: 16 + 1 is 4 each and one more, 16 + 2 two more, 16 + 4 is 5 each. */
TEST(Balance, CountsTheOutputLayerByItsSize)
{
  ss_workload workload = make_pipeline(16, 4, 1);
  workload.model.vocabulary = 30 * 1024;
  EXPECT_EQ(proposals(workload), (std::vector<std::string>{
                                     "",                  /* equal parts */
                                     "Et*4|t*4|t*5|t*3L", /* 0, 1 */
                                     "Et*4|(t*5|)*2t*2L", /* 0, 2 */
                                     "Et*5|(t*5|)*2tL",   /* 0, 3: 19 is 4 each, and 3 more */
                                     "Et*3|(t*5|)*2t*3L", /* 1, 1; the others are there */
                                 }));
}

/* Hidden size 1024 as above: values of half the size of keys leave 11 of 12 * 1024^2 parameters, so that an output
 * layer of 33 * 1024 words is three layers, and not two and three quarters. It counts as none, one, three or four: 16 +
 * 4 is 5 each, as 16 + 3 is, and 17 + 4 one more. Two heads of keys and values leave 10.5; a short convolution has 4 *
 * 1024^2 in place of attention, however many heads there are. */
TEST(Balance, CountsLayersByTheirMixer)
{
  ss_workload workload = make_pipeline(16, 4, 1);
  workload.model.vocabulary = 33 * 1024;
  const std::vector<std::string> two = proposals(workload), three = {
                                                                "",                  /* equal parts */
                                                                "Et*4|t*4|t*5|t*3L", /* 0, 1 */
                                                                "Et*5|(t*5|)*2tL",   /* 0, 3 */
                                                                "Et*3|(t*5|)*2t*3L", /* 1, 1 */
                                                                "Et*4|(t*5|)*2t*2L", /* 1, 3 */
                                                                "Et*4|t*5|t*6|tL",   /* 1, 4 */
                                                            };
  EXPECT_EQ(two.size(), 5U);
  workload.model.value_head_size = 64;
  EXPECT_EQ(proposals(workload), three);
  workload.model.value_head_size = 0;
  workload.model.kv_heads = 2;
  EXPECT_EQ(proposals(workload), three);
  workload.model.mixer = SS_MIXER_CONVOLUTION;
  EXPECT_EQ(proposals(workload), two);
}

/* Hidden size 1024, 8 heads of 128 with 8 keys of 128, ffn 4096, in units of 1024^2: Kimi Delta Attention has 4 for
 * queries, keys, values and output, 8 / 1024 for a number of each head, a quarter for what gates and decays are made
 * of, and a quarter that makes them of it. With 8 of the feed-forward network that is 12.51: an output layer of 37 *
 * 1024 words is two layers, as one of 33 * 1024 is of attention's 12, and one of 38 * 1024 three, as 36 * 1024 is. */
TEST(Balance, CountsKimiDeltaAttention)
{
  ss_workload attention = make_pipeline(16, 4, 1), kda = attention;
  kda.model.mixer = SS_MIXER_KDA;
  kda.model.state_heads = kda.model.state_groups = 8;
  kda.model.state_head_size = kda.model.state_size = 128;
  kda.model.convolution = 4;
  for (const auto &[words, alike] : {std::pair{37, 33}, std::pair{38, 36}}) {
    kda.model.vocabulary = words * 1024;
    attention.model.vocabulary = alike * 1024;
    EXPECT_EQ(proposals(kda), proposals(attention)) << words;
  }
}

/* A module is a layer and more, 2 of 12 * 1024^2 parameters; with two output products of 2 * 1024 words, two twelfths
 * each, that is one layer and a half. Of 16 on 4 stages: 16 + 1, 16 + 2. */
TEST(Balance, CountsModulesWithTheOutputLayer)
{
  ss_workload workload = make_pipeline(16, 4, 1);
  workload.model.vocabulary = 2 * 1024;
  workload.model.mtp_modules = 1;
  EXPECT_EQ(proposals(workload), (std::vector<std::string>{
                                     "",                   /* equal parts */
                                     "Et*4|t*4|t*5|t*3mL", /* 0, 1 */
                                     "Et*4|(t*5|)*2t*2mL", /* 0, 2 */
                                     "Et*3|(t*5|)*2t*3mL", /* 1, 1 */
                                 }));
}

/* A tower of eight layers of the decoder's sizes; with two images of half a sequence of patches each, which see one
 * another, where a token of the decoder sees half of the sequence, a layer of it computes as much as one of the
 * decoder, and its ends less than one in all. With 16 layers on four stages, 24 layers are six each, in which layers
 * lie by their middles: 6 V; 2 V and 4; 6; 6. Where the output layer counts, too, a part is 6.25: up to 12.5, 8.5
 * to 11.5 are four layers of the decoder, up to 18.75 seven. Nine layers for the tower are 1.125 each: 6 of them up
 * to 6.25, and from 9 on, three and then seven of the decoder; with the output layer the first one again. */
TEST(Balance, CountsATowerByItsOperations)
{
  ss_workload workload = with_tower(make_pipeline(16, 4, 1));
  workload.model.vocabulary = 1000;
  workload.model.vision_layers = 8;
  workload.model.vision_hidden = workload.model.hidden;
  workload.model.vision_ffn = workload.model.ffn;
  workload.model.vision_heads = workload.model.heads;
  workload.model.vision_tokens = workload.model.sequence / 2;
  workload.model.vision_join = SS_NO;
  const std::vector<std::string> uncounted = {"", "Et*4|t*4|t*5|t*3L", "Et*3|(t*5|)*2t*3L"};
  std::vector<std::string> expected = uncounted;
  for (const char *text : {"V*6|V*2Et*4|t*6|t*6L", "V*6|V*2Et*4|t*7|t*5L", "V*6|V*2Et*3|t*7|t*6L"})
    expected.emplace_back(text);
  EXPECT_EQ(proposals(workload), expected);
  workload.training.freeze_vision = SS_YES; /* 8 / 3: two or three, of 18 to 20 in all */
  expected = uncounted;
  for (const char *text :
       {"V*8Et*2|t*5|t*4|t*5L", "V*8Et*3|t*4|t*5|t*4L", "V*8Et*2|t*4|t*5|t*5L", "V*8Et*2|(t*5|)*2t*4L"})
    expected.emplace_back(text);
  EXPECT_EQ(proposals(workload), expected);
}

/* All that is proposed can be run, and nothing twice; counted with the layers of random pipelines. */
TEST(Balance, ProposesWhatCanRun)
{
  for (int64_t stages : {1, 2, 3, 7, 16})
    for (int64_t chunks : {1, 2, 5})
      for (int64_t layers = stages * chunks; layers < stages * chunks + 40; ++layers)
        for (int64_t vocabulary : {0, 1000, 30 * 1024, 500 * 1024}) {
          if (stages == 1 && chunks > 1) continue;
          ss_workload workload = make_pipeline(layers, stages, chunks);
          workload.model.vocabulary = vocabulary;
          if (vocabulary > 0 && layers % 2 == 0) workload = with_tower(workload);
          workload.model.vocabulary = vocabulary;
          workload.model.mtp_modules = vocabulary > 0 ? layers % 3 : 0;
          const std::vector<std::string> texts = proposals(workload);
          EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
          for (const std::string &text : texts) {
            set_layout(workload, text);
            ss_error error = {};
            EXPECT_EQ(ss_workload_check(&workload, &error), SS_OK) << error.message;
          }
        }
}

/* With an output layer of the size of two and a half layers, the best of a search is faster than with equal stages. */
TEST(Balance, BeatsEqualStages)
{
  ss_workload workload = make_pipeline(16, 4, 1);
  workload.model.vocabulary = 30 * 1024;
  workload.training.global_batch = 16;
  workload.parallelism.tp = workload.parallelism.dp = workload.training.micro_batch = 1;
  ss_search_options options = options_of(4, one_d);
  options.pins = SS_SIZE_BIT(SS_SIZE_tp) | SS_SIZE_BIT(SS_SIZE_pp) | SS_SIZE_BIT(SS_SIZE_micro_batch);
  options.cost = SS_COST_CALIBRATED;
  for (int64_t chunks : {1, 2}) {
    workload.parallelism.interleave = chunks;
    workload.schedule.pipeline = chunks > 1 ? SS_PIPELINE_INTERLEAVED : SS_PIPELINE_1F1B;
    options.knobs = 0;
    const Search equal(workload, machine_of(4, 4), options);
    options.knobs = ss_knob_find("uneven-stages", 13);
    const Search layouts(workload, machine_of(4, 4), options);
    ASSERT_TRUE(equal->count > 0 && layouts->count > 0);
    EXPECT_LT(layouts->top[0].estimate.iteration_s, 0.95 * equal->top[0].estimate.iteration_s) << chunks;
  }
}
