/* Software stacks on random workloads: what they set is never what is refused. */
#include <map>
#include <string>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/input/stack.h"
#include "model/plan/check/refusal_row.h"
#include "model/plan/check/refusals.h"
}

using namespace stepsim;

namespace
{

constexpr int kCases = 1000;

/* A workload whose attributes nobody has said, so that the stack sets them, on a model of GPU. */
ss_workload followed(ss_workload w, ss_stack stack, const char *gpu)
{
  w.training.stack = stack;
  std::strcpy(w.gpu, gpu);
  ss_stack_apply(&w);
  ss_workload_derive(&w);
  return w;
}

} // namespace

TEST(RandomStacks, SetNothingThatIsRefused)
{
  std::mt19937 random(1 + seed);
  std::map<std::string, int> refused;
  for (int i = 0; i < kCases; ++i) {
    const ss_workload drawn = random_workload(random);
    if (drawn.parallelism.tensor == SS_TENSOR_SUMMA || drawn.training.offload_weights == SS_YES)
      continue; /* which Megatron Bridge lacks */
    for (int stack = SS_STACK_MEGATRON_BRIDGE_2026; stack <= SS_STACK_MEGATRON_BRIDGE_26_08; ++stack)
      for (const char *gpu : {"", "H100", "B200", "B300", "GB200", "GB300"}) {
        const ss_workload w = followed(drawn, static_cast<ss_stack>(stack), gpu);
        ss_error error = {};
        if (ss_workload_check(&w, &error) == SS_OK) continue;
        const ss_refusal_index index = ss_workload_refused_by(&w, nullptr, nullptr);
        if (index == SS_REFUSAL_TOTAL || w.line[ss_refusals()[index].blamed] != SS_LINE_STACK) continue;
        ++refused[std::string(ss_refusals()[index].name) + ": " + error.message];
      }
  }
  for (const auto &[name, count] : refused) ADD_FAILURE() << count << " times " << name;
}
