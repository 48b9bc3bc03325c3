/* Predictions with round numbers, for reports. */
#ifndef STEPSIM_TESTS_SUPPORT_PREDICTIONS_HPP
#define STEPSIM_TESTS_SUPPORT_PREDICTIONS_HPP

#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "model/input/slow_parts.h"
#include "model/result/prediction.h"
#include "model/result/trials.h"
}

namespace stepsim
{

/* An iteration of 10 s by the closed form and 10.5 s by the replay; every column adds up:
 *   closed form  6 + 0.5 + 1.25 + 0.75 + 0.25 + 1 + 0.125 + 0.125 = 10
 *   replay       6 + 0.5 + 1.25 + 1    + 0.5  + 1 + 0.125 + 0.125 = 10.5
 *   causes       0.375 - 0.125 + 0.25 = 0.5 = 10.5 - 10 */
inline ss_prediction simulated()
{
  ss_prediction p{};
  p.workload = "gpt3-175b";
  p.platform = "perlmutter";
  p.gpus = 512;
  p.micro_batches = 48;
  p.interval = {0.9, 1.2, 41, 5, "on A100, 16-bit, dense", 1.0};
  p.estimate.compute_s = 6.0;
  p.estimate.memory_s = 0.5;
  p.estimate.tp_comm_s = 1.25;
  p.estimate.dp_comm_s = 0.75;
  p.estimate.pp_comm_s = 0.25;
  p.estimate.bubble_s = 1.0;
  p.estimate.optimizer_s = 0.125;
  p.estimate.other_s = 0.125;
  p.estimate.iteration_s = 10.0;
  p.simulation = p.estimate;
  p.simulation.dp_comm_s = 1.0;
  p.simulation.pp_comm_s = 0.5;
  p.simulation.iteration_s = 10.5;
  p.simulated = true;
  p.explanation.contention_s = 0.375;
  p.explanation.overlap_s = -0.125;
  p.explanation.schedule_s = 0.25;
  p.critical_stage = 15;
  p.critical_replica = 2;
  /* 4 + 4 + 12 + 28 = 48 GiB of 64 GiB: 6.25, 6.25, 18.75, 43.75 and 75 %. */
  const double gib = 1073741824.0;
  p.memory.weights_bytes = 4.0 * gib;
  p.memory.gradients_bytes = 4.0 * gib;
  p.memory.optimizer_bytes = 12.0 * gib;
  p.memory.activations_bytes = 28.0 * gib;
  p.memory.total_bytes = 48.0 * gib;
  p.memory.capacity_bytes = 64.0 * gib;
  p.memory.fits = true;
  p.metrics = {1.75e11, 1.75e11, 3.2768e18, 0.4375,           0.5,    585.0, 1.0,
               585.0,   34.5,    312e12,    SS_ENGINE_MATRIX, 312e12, 0.0};
  return p;
}

/* Two trials of 10.5 and 11.5 s: mean 11 s, a deviation of sqrt(0.5) s, quantiles at 5, 50 and 95 % of the second
 * between; GPU 60 has 4 and 7 s of the longest chains, a mean of 5.5 s, half of 11 s. One slow GPU costs 2.1 of 10.5 s.
 */
struct Variants {
  ss_trials trials = {};
  ss_slow_parts parts = {};
  Variants()
  {
    ss_trial trial[2] = {};
    for (int i = 0; i < 2; ++i) {
      trial[i].iteration_s = 10.5 + i;
      trial[i].path.legs = 1;
      trial[i].path.leg[0] = {15, 15, 2, 60, 4.0 + 3 * i, 7};
    }
    EXPECT_EQ(ss_trials_init(&trials, trial, 2), SS_OK);
    trials.seed = 3;
    parts.count = 1;
    parts.total = 40;
    parts.part[0].property = ss_machine_property("gpu-speed");
    std::snprintf(parts.part[0].entry, sizeof parts.part[0].entry, "5:0.%s", std::string(100, '9').c_str());
    parts.part[0].without_s = 8.4;
    parts.part[0].cost_s = 2.1;
  }
  ~Variants()
  {
    ss_trials_free(&trials);
  }
};

inline ss_prediction offloading()
{
  const double gib = 1073741824.0;
  ss_prediction p = simulated();
  p.memory.offloaded_bytes = 96.0 * gib;
  p.memory.offload_capacity_bytes = 128.0 * gib;
  p.offload = {20.0 * gib, 12.0 * gib, 8e9, 0, 32e9};
  return p;
}

/* What a replay of 10.5 s saw: 0.042 + 0.63 + 0.21 s are 0.4, 6 and 2 %; links that carry 40, 25 and 10 % of what they
 * can; a path of 6.3 + 2.1 + 1.05 + 1.05 = 10.5 s: 60, 20, 10 and 10 %. */
inline ss_prediction contended()
{
  ss_prediction p = simulated();
  p.exposed = {0.042, 0.63, 0.21};
  p.flows = 1000;
  p.stage_replicas = 128;
  p.simulated_stage_replicas = 16;
  p.links.used = 3000;
  p.links.total = 4096;
  p.links.count = 3;
  p.links.link[0] = {"leaf-2:up-5", 1, 25e9, 1.05e11, 0.4, 1.0, 0};
  p.links.link[1] = {"nic-0:out", 256, 12.5e9, 3.28125e10, 0.25, 0.75, 0};
  p.links.link[2] = {"gpu-0:in", 512, 300e9, 3.15e11, 0.1, 0.2, 0};
  p.path.compute_s = 6.3;
  p.path.calls_s = 2.1;
  p.path.data_s = 1.05;
  p.path.message_s = 1.05;
  p.path.moves = 7;
  p.path.legs = 4;
  p.path.leg[0] = {3, 3, 0, 24, 8.4, 3};
  p.path.leg[1] = {3, 3, SS_PATH_ALL_REPLICAS, 24, 1.05, 1};
  p.path.leg[2] = {3, 4, 0, 24, 0.84, 2};
  p.path.leg[3] = {4, 3, 0, 32, 0.21, 2};
  return p;
}

/* Stages with so many GiB of 64; what is over that does not fit. */
class Stages
{
public:
  ss_prediction prediction = simulated();

  explicit Stages(const std::vector<double> &total_gib)
  {
    for (const double gib : total_gib) {
      ss_memory memory{};
      memory.stage = static_cast<int64_t>(memories.size());
      memory.total_bytes = gib * 1073741824.0;
      memory.capacity_bytes = 64.0 * 1073741824.0;
      memory.fits = gib <= 64.0;
      memories.push_back(memory);
      if (memories.size() == 1 || memory.total_bytes > prediction.memory.total_bytes) prediction.memory = memory;
    }
    prediction.stage_memory = memories.data();
    prediction.stages = static_cast<int64_t>(memories.size());
  }

private:
  std::vector<ss_memory> memories;
};

} // namespace stepsim

#endif
