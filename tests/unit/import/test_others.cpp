/* Files of frameworks that are not read. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

/* LINE: KEY: is of FRAMEWORK, or what else is wrong; empty where the text is taken. */
std::string refusal(const std::string &text)
{
  ss_workload workload;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &workload);
  const ss_status status = ss_import_read_text(&import, "FILE", text.c_str(), &error);
  ss_import_free(&import);
  if (status == SS_OK) return "";
  const std::string message = error.message;
  return std::to_string(error.line) + ": " + message.substr(0, message.find(", whose"));
}

} // namespace

/* Keys of files that the frameworks publish. */
TEST(Others, AreNamed)
{
  EXPECT_EQ(refusal("model:\n  _component_: torchtune.models.llama3.llama3_8b\n"),
            "2: model._component_: is of torchtune");
  EXPECT_EQ(refusal("python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo trainer.nnodes=1\n"),
            "1: algorithm.adv_estimator: is of verl");
  EXPECT_EQ(refusal("python3 train.py --num-layers 2 --rollout-batch-size 32\n"), "1: rollout-batch-size: is of slime");
  EXPECT_EQ(refusal("nemo llm pretrain --factory llama3_8b trainer.num_nodes=2\n"),
            "1: factory: is of NeMo's recipes, programs in Python");
  EXPECT_EQ(refusal("model:\n  num_layers: 2\n"), "");
}

/* Programs in Python are known by what they begin with, behind comments, and whose they are by what they import. */
TEST(Others, AreProgramsToo)
{
  const std::string program = "0: is a program in Python, ", not_run = ", which is not run; allowed: ";
  const auto begins = [&](const std::string &text, const std::string &beginning) {
    const std::string all = refusal(text);
    return all.substr(0, beginning.size()) == beginning ? "" : all;
  };
  EXPECT_EQ(
      begins("# A job.\nimport nemo_run as run\nfrom nemo.collections import llm\n", program + "of NeMo-Run" + not_run),
      "");
  EXPECT_EQ(begins("from nemo.collections import llm\n", program + "of NeMo" + not_run + "the YAML that nemo llm"), "");
  EXPECT_EQ(begins("from megatron.bridge.recipes.llama import llama3_8b_pretrain_config\n",
                   program + "of Megatron-Bridge" + not_run + "a file with recipes, which are functions"),
            "");
  EXPECT_EQ(begins("#!/usr/bin/env python3\n\n\"\"\"A registry.\"\"\"\nfrom torchtitan.trainer import Trainer\n",
                   program + "of TorchTitan" + not_run + "the command that starts it"),
            "");
  EXPECT_EQ(begins("def main():\n  pass\n", program + "of nobody that is known" + not_run + "a config.json"), "");
}
