/* Adapters of random jobs, and what else of them says how little is kept. */
#ifndef STEPSIM_TESTS_SUPPORT_RANDOM_ADAPTERS_HPP
#define STEPSIM_TESTS_SUPPORT_RANDOM_ADAPTERS_HPP

#include "tests/support/random_picks.hpp"

extern "C" {
#include "model/plan/layers/layer_modules.h"
}

namespace stepsim
{

/* Sometimes inputs of activations in 8 bits, and adapters, as far as the workload may. `random` is a copy. */
inline ss_workload with_adapters(std::mt19937 random, ss_workload w)
{
  ss_workload before = w;
  before.training.activation_input = pick(random, all_of<ss_activation_input>);
  if (ss_workload_check(&before, nullptr) != SS_OK) before = w;
  w = before;
  w.training.lora_rank = pick(random, {1, 16, 64});
  if (coin(random)) w.training.lora_modules = pick_words(random, ss_layer_lora_modules(&w));
  w.training.lora_dropout = pick_switch(random);
  w.training.lora_kernels = pick(random, all_of<ss_lora_kernels>);
  if (coin(random)) w.training.lora_experts = pick(random, all_of<ss_lora_experts>);
  if (w.parallelism.sequence_parallel == SS_YES) w.training.lora_exchange = pick(random, all_of<ss_lora_exchange>);
  return random() % 6 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

} /* namespace stepsim */

#endif
