/* What a stack makes of a GPU: the table, which GPUs a row is of, and what comes before what. */
#include <map>
#include <regex>

#include "tests/support/fixtures.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "model/input/stack_machine.h"
#include "sim/io/io.h"
}

using namespace stepsim;

namespace
{

ss_machine load(const std::string &name)
{
  ss_machine machine;
  ss_error error = {};
  EXPECT_EQ(ss_machine_load(source_path("platforms/" + name + ".xml").c_str(), &machine, &error), SS_OK)
      << error.message;
  return machine;
}

ss_machine applied(const std::string &name, ss_stack stack, const std::string &set = "")
{
  ss_workload w = make_workload();
  ss_machine machine = load(name);
  w.training.stack = stack;
  if (!set.empty()) {
    EXPECT_EQ(ss_override(("platform." + set).c_str(), nullptr, &machine, nullptr), SS_OK);
  }
  ss_stack_apply_machine(&w, &machine);
  return machine;
}

} // namespace

/* Quantities and curves, each once for a stack and a generation, and values that the property may have. */
TEST(StackMachine, RowsAreProperties)
{
  int64_t count;
  const ss_stack_property *rows = ss_stack_properties(&count);
  ASSERT_GT(count, 0);
  for (int64_t i = 0; i < count; ++i) {
    const ss_property &property = ss_machine_properties()[rows[i].property];
    EXPECT_TRUE(property.type == SS_PROPERTY_QUANTITY || property.type == SS_PROPERTY_CURVE) << property.name;
    EXPECT_TRUE(std::string("Hopper") == rows[i].generation || std::string("Blackwell") == rows[i].generation);
    EXPECT_GT(std::strlen(rows[i].source), 8u) << property.name;
    ss_machine machine = load("dgx-h100");
    const std::string text = std::string("platform.") + property.name + "=" + std::to_string(rows[i].value);
    EXPECT_EQ(ss_override(text.c_str(), nullptr, &machine, nullptr), SS_OK) << text;
    for (int64_t j = 0; j < i; ++j)
      EXPECT_FALSE(rows[j].stack == rows[i].stack && rows[j].property == rows[i].property &&
                   std::strcmp(rows[j].generation, rows[i].generation) == 0)
          << property.name << " twice";
  }
}

TEST(StackMachine, IsOfAGeneration)
{
  EXPECT_DOUBLE_EQ(applied("gb200-nvl72", SS_STACK_MEGATRON_BRIDGE_25_11).kernel_speed, 0.95);
  EXPECT_DOUBLE_EQ(applied("dgx-b300", SS_STACK_NEMO_2025).kernel_speed, 0.86);
  EXPECT_DOUBLE_EQ(applied("dgx-h100", SS_STACK_NEMO_2025).kernel_speed, 1.0);
  EXPECT_DOUBLE_EQ(applied("gb200-nvl72", SS_STACK_MEGATRON_BRIDGE_2026).kernel_speed, 1.0);
  EXPECT_DOUBLE_EQ(applied("gb200-nvl72", SS_STACK_NONE).kernel_speed, 1.0);
}

/* A curve of a platform becomes the one number that the row has. */
TEST(StackMachine, SetsCurves)
{
  const ss_machine machine = applied("dgx-h100", SS_STACK_LLM_FOUNDRY_2023);
  EXPECT_DOUBLE_EQ(ss_curve_value(&machine.attention_forward, 512), 0.236);
  EXPECT_DOUBLE_EQ(ss_curve_value(&machine.attention_backward, 65536), 0.166);
  EXPECT_EQ(machine.line[SS_PROPERTY_attention_forward], SS_LINE_STACK);
  const ss_machine plain = applied("dgx-h100", SS_STACK_NONE);
  EXPECT_GT(ss_curve_value(&plain.attention_forward, 8192), 0.5);
}

/* --set goes over the stack, and twice is once. */
TEST(StackMachine, OverridesComeFirst)
{
  const ss_machine machine = applied("dgx-b200", SS_STACK_MEGATRON_BRIDGE_25_09, "kernel-speed=0.9");
  EXPECT_DOUBLE_EQ(machine.kernel_speed, 0.9);
  EXPECT_DOUBLE_EQ(machine.data_parallel_compute_cost, 0.22);
  ss_workload w = make_workload();
  w.training.stack = SS_STACK_MEGATRON_BRIDGE_25_09;
  ss_machine twice = machine;
  ss_stack_apply_machine(&w, &twice);
  EXPECT_EQ(std::memcmp(&twice, &machine, sizeof machine), 0);
}

/* Rows of Megatron Bridge, which say their release and the speed of its kernels, say what its stack does.
 */
TEST(StackMachine, MeasuredRowsAgree)
{
  const std::map<std::string, ss_stack> stacks = {{"25.09", SS_STACK_MEGATRON_BRIDGE_25_09},
                                                  {"25.11", SS_STACK_MEGATRON_BRIDGE_25_11},
                                                  {"26.02", SS_STACK_MEGATRON_BRIDGE_26_02}};
  const std::regex point(
      "sweep=\"(\\d\\d\\.\\d\\d)[.\\d]*\"[^>]*>\\s*<set property=\"kernel-speed\" value=\"([.\\d]+)\"");
  int rows = 0;
  for (const std::string gpu : {"h100", "b200", "b300", "gb200", "gb300"}) {
    const std::string text = read_file(source_path("validation/measured-mbridge-" + gpu + ".xml"));
    for (std::sregex_iterator at(text.begin(), text.end(), point), end; at != end; ++at, ++rows)
      EXPECT_DOUBLE_EQ(applied("dgx-" + std::string(gpu == "h100" ? "h100" : "b200"), stacks.at((*at)[1])).kernel_speed,
                       std::stod((*at)[2]))
          << at->str();
  }
  EXPECT_GT(rows, 40);
}
