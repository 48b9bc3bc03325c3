/* Refusals of the model by itself, which a search makes before it tries strategies. */
#include "tests/support/inputs.hpp"
#include "tests/support/layout_refusals.hpp"

using namespace stepsim;

namespace
{

/* The GPT-3 workload (96 layers and heads) with overrides, of which only what no strategy changes is checked. */
std::string check_model(const Overrides &overrides)
{
  ss_workload workload;
  ss_error error = {};
  EXPECT_EQ(load_workload(gpt3, &workload), "accepted");
  for (const std::string &text : overrides)
    EXPECT_EQ(ss_override(text.c_str(), &workload, nullptr, &error), SS_OK) << text << ": " << error.message;
  ss_workload_derive(&workload);
  return printed(ss_workload_check_model(&workload, &error), error, workload.file);
}

} /* namespace */

/* What a search would find with every candidate: the model by itself, kinds of its layers, and texts. Rows that name
 * sizes, a schedule or the machine are left to the candidates. */
TEST(ModelRefusals, AreAskedWithoutAStrategy)
{
  EXPECT_EQ(check_model({"model.pattern=wmfa"}).rfind("--set: model.pattern=\"wmfa\": is no pattern of ", 0), 0u);
  EXPECT_EQ(check_model({"model.kv-heads=7"}),
            "--set: model.kv-heads=\"7\": does not divide model.heads=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ...");
  EXPECT_EQ(check_model({"parallelism.layout=Ez"}).rfind("--set: parallelism.layout=\"Ez\": is no layout: ", 0), 0u);
  EXPECT_NE(check_model({"model.kinds=w kv-heads=7; f", "model.pattern=wf"}).find("does not divide"),
            std::string::npos);
  for (const Overrides &overrides :
       {Overrides{"model.kinds=w window=512; f", "model.pattern=wf"}, Overrides{"parallelism.pp=7"},
        Overrides{"parallelism.layout=EtL"}, Overrides{"model.parallel=yes", "parallelism.tensor=summa"},
        Overrides{"parallelism.ep=2"}, Overrides{"training.precision=fp8"}})
    EXPECT_EQ(check_model(overrides), "accepted") << overrides.front();
}

/* Indexers that only kinds have count, and layers share with those ahead of them in the pattern. */
TEST(ModelRefusals, IndexersOfKinds)
{
  const auto check = [](Overrides overrides) {
    overrides.insert(overrides.end(), {"model.kv-rank=512", "model.rope-size=64"});
    return check_model(overrides);
  };
  EXPECT_EQ(check({"model.kinds=a index-heads=4 index-top-k=1024; b", "model.pattern=ab", "training.index-loss=no"}),
            "accepted");
  EXPECT_EQ(check({"model.index-top-k=64", "model.kinds=a index-heads=4; b; c mixer=none", "model.pattern=cabb"}),
            "accepted");
  for (const Overrides &overrides :
       {Overrides{"model.index-top-k=1024", "model.kinds=a; b", "model.pattern=ab"},
        Overrides{"model.index-top-k=1024", "model.index-heads=4", "model.kinds=a index-heads=0; b",
                  "model.pattern=ab"},
        Overrides{"model.index-top-k=64", "model.kinds=a index-heads=4; b; c mixer=none", "model.pattern=cbab"}})
    EXPECT_NE(check(overrides).find("begins with a layer that takes what one before has chosen"), std::string::npos)
        << check(overrides);
}
