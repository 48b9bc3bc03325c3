/* What settings of frameworks say of an optimizer on the host. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

/* What a text says of the optimizer on the host: step and share. */
std::string host_step_of(const std::string &text)
{
  ss_workload w;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &w);
  EXPECT_EQ(ss_import_read_text(&import, "text", text.c_str(), &error), SS_OK) << error.message;
  ss_import_free(&import);
  char step[SS_TEXT_SIZE], share[SS_TEXT_SIZE];
  ss_workload_value_text(&w, SS_AT_training_offload_step, step, sizeof step);
  ss_workload_value_text(&w, SS_AT_training_offload_fraction, share, sizeof share);
  return (w.training.offload_optimizer == SS_YES ? "offloaded, " : "kept, ") + std::string(step) + ", " + share;
}

} // namespace

/* Where the host steps, and where the GPU does and states move; the ratio of DeepSpeed is of stage 3. */
TEST(OffloadedStep, WhatTheHostSteps)
{
  const std::string command = "python pretrain_gpt.py --num-layers 2 ";
  EXPECT_EQ(host_step_of(command), "kept, gpu, 1");
  EXPECT_EQ(host_step_of(command + "--optimizer-cpu-offload"), "offloaded, host, 1");
  EXPECT_EQ(host_step_of(command + "--optimizer-cpu-offload --optimizer-offload-fraction 0.5 "
                                   "--overlap-cpu-optimizer-d2h-h2d"),
            "offloaded, host-overlapped, 0.5");
  EXPECT_EQ(host_step_of(command + "--optimizer-offload-fraction 0.5"), "kept, gpu, 1");
  EXPECT_EQ(host_step_of(command + "--offload-optimizer-states"), "offloaded, gpu, 1");
  const auto deepspeed = [](const char *stage) {
    return std::string(R"({"train_batch_size": 8, "zero_optimization": {"stage": )") + stage +
           R"(, "offload_optimizer": {"device": "cpu", "ratio": 0.3}}})";
  };
  EXPECT_EQ(host_step_of(deepspeed("2")), "offloaded, host, 1");
  EXPECT_EQ(host_step_of(deepspeed("3")), "offloaded, host, 0.3");
  EXPECT_EQ(host_step_of("[training]\nenable_cpu_offload = true\n"), "offloaded, host, 1");
}
