/* Workload files that are written: read back, they are the workload that was given. */
#include <filesystem>

#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/input/stack.h"
}

using namespace stepsim;
namespace fs = std::filesystem;

namespace
{

/* As the command line derives it, with overrides. */
ss_workload load(const std::string &path, const std::vector<std::string> &overrides = {})
{
  ss_workload workload;
  ss_error error = {};
  EXPECT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_OK) << error.message;
  for (const std::string &text : overrides)
    EXPECT_EQ(ss_override(text.c_str(), &workload, nullptr, &error), SS_OK) << error.message;
  ss_stack_apply(&workload);
  ss_workload_derive(&workload);
  return workload;
}

ss_workload read_back(const ss_workload &workload)
{
  char *text = nullptr;
  ss_error error = {};
  EXPECT_EQ(ss_workload_write(&workload, "a comment", &text, &error), SS_OK) << error.message;
  const std::string path = write("written.xml", text);
  free(text);
  return load(path);
}

/* All values to the bit, and which of them nobody has given. */
void expect_same(const ss_workload &a, const ss_workload &b)
{
  EXPECT_EQ(std::memcmp(&a.model, &b.model, sizeof a.model), 0);
  EXPECT_EQ(std::memcmp(&a.training, &b.training, sizeof a.training), 0);
  EXPECT_EQ(std::memcmp(&a.parallelism, &b.parallelism, sizeof a.parallelism), 0);
  EXPECT_EQ(std::memcmp(&a.schedule, &b.schedule, sizeof a.schedule), 0);
  EXPECT_EQ(std::memcmp(&a.placement, &b.placement, sizeof a.placement), 0);
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i)
    EXPECT_EQ(a.line[i] == SS_LINE_DEFAULT, b.line[i] == SS_LINE_DEFAULT) << ss_workload_attributes()[i].name;
}

} // namespace

TEST(WorkloadWriter, ShippedWorkloadsAreReadBack)
{
  for (const fs::directory_entry &entry : fs::directory_iterator(source_path("workloads")))
    if (entry.path().extension() == ".xml") {
      const ss_workload workload = load(entry.path().string());
      expect_same(workload, read_back(workload));
    }
}

TEST(WorkloadWriter, WritesWhatWasOverriddenAndWhatASearchHasSet)
{
  ss_workload workload = load(source_path("workloads/deepseek-v3.xml"),
                              {"training.stack=deepseek-v3", "training.imbalance=1.0000000000000002",
                               "model.name=a <b> & \"c\"", "training.offload-modules=core_attn moe_act"});
  expect_same(workload, read_back(workload));
  workload.parallelism.tp = 2; /* as a search does, which leaves the line */
  workload.training.attention = SS_ATTENTION_UNFUSED;
  const ss_workload back = read_back(workload);
  EXPECT_EQ(back.parallelism.tp, 2);
  EXPECT_EQ(back.training.attention, SS_ATTENTION_UNFUSED);
  EXPECT_EQ(back.training.imbalance, 1.0000000000000002);
}

TEST(WorkloadWriter, CommentsHaveNoDashesSideBySide)
{
  const ss_workload workload = load(source_path("workloads/llama3-8b.xml"));
  char *text = nullptr;
  ss_error error = {};
  EXPECT_EQ(ss_workload_write(&workload, "a -- b", &text, &error), SS_ERROR_INPUT);
  EXPECT_EQ(text, nullptr);
}
