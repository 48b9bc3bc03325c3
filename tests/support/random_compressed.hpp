/* Attention to compressed tokens, and residual streams, of random workloads. */
#ifndef STEPSIM_TESTS_SUPPORT_RANDOM_COMPRESSED_HPP
#define STEPSIM_TESTS_SUPPORT_RANDOM_COMPRESSED_HPP

#include "tests/support/random_picks.hpp"

namespace stepsim
{

/* Sometimes attention to a window and to compressed tokens, which one tensor-parallel rank has whole, as far as the
 * workload may have it. `random` is a copy. */
inline ss_workload with_compressed_attention(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.model.mixer = SS_MIXER_COMPRESSED;
  w.model.kv_heads = 1;
  w.model.kv_rank = w.model.value_head_size = w.model.chunk = 0;
  w.model.q_rank = 256;
  w.model.rope_size = pick(random, {0, 32});
  w.model.window = pick(random, {64, 200});
  w.model.output_groups = pick(random, {1, 4});
  w.model.output_rank = 96;
  w.model.compress = pick(random, {0, 4, 7, 128});
  w.model.index_heads = w.model.compress > 0 ? pick(random, {0, 2, 64}) : 0;
  w.model.index_top_k = w.model.index_heads > 0 ? pick(random, {16, 5000}) : 0;
  w.model.qk_norm = w.model.keys_as_values = w.model.attention_output_gate = w.model.parallel = SS_NO;
  w.model.causal = SS_YES;
  w.training.attention = SS_ATTENTION_FLASH;
  w.parallelism.tp = w.parallelism.cp = w.parallelism.cp_inner = 1;
  w.parallelism.sequence_parallel = SS_NO;
  return random() % 4 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

/* Sometimes several streams, as far as the workload may have them. `random` is a copy. */
inline ss_workload with_streams(std::mt19937 random, ss_workload w)
{
  const ss_workload before = w;
  w.model.residual_streams = pick(random, {2, 4});
  w.training.stream_kernels = pick(random, all_of<ss_stream_kernels>);
  return random() % 4 == 0 && ss_workload_check(&w, nullptr) == SS_OK ? w : before;
}

} /* namespace stepsim */

#endif
