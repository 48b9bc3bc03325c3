/* Attention to a window and to compressed tokens, against sums by hand: a Llama layer of 8 heads of 128, which share a
 * key, with queries of rank 256, a part of 64 that is turned, 512 tokens, and 2 groups of heads with 96 columns each.
 * The window has 64 tokens. Of 512 queries the first 64 see 1, ..., 64 of it, the others 64: 60.0625 in the mean. Query
 * i sees floor(i / 4) of 128 compressed tokens, 63.75 in the mean, and chooses up to 32 of them: 27.9375, as 4 queries
 * each see 1, ..., 31, and 385 see 32 or more. Kernels have 64 heads at least. Vector units count as nothing. */
#include "tests/support/attributes.hpp"
#include "tests/support/sparse_blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, h = 8, d = 128, q = 256, r = 64, groups = 2, rank = 96;
constexpr double ratio = 4, window = 64, heads = 4, size = 32, most = 32, padded = 64;
constexpr double seen = 60.0625, all = 63.75, chosen = (4.0 * 31 * 32 / 2 + 385.0 * 32) / 512;

ss_workload within_window()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.mixer = SS_MIXER_COMPRESSED;
  workload.model.kv_heads = 1;
  workload.model.q_rank = static_cast<int64_t>(q);
  workload.model.rope_size = static_cast<int64_t>(r);
  workload.model.window = static_cast<int64_t>(window);
  workload.model.output_groups = static_cast<int64_t>(groups);
  workload.model.output_rank = static_cast<int64_t>(rank);
  return workload;
}

ss_workload compressed(int64_t tokens)
{
  ss_workload workload = within_window();
  workload.model.compress = tokens;
  return workload;
}

ss_workload indexed()
{
  ss_workload workload = compressed(static_cast<int64_t>(ratio));
  workload.model.index_heads = static_cast<int64_t>(heads);
  workload.model.index_head_size = static_cast<int64_t>(size);
  workload.model.index_top_k = static_cast<int64_t>(most);
  return workload;
}

double dense(const ss_workload &workload)
{
  return layer(workload)->parameters[SS_WEIGHTS_DENSE];
}

} /* namespace */

/* One head of keys is that of values, too, and what heads write is turned back ahead of the products of their groups.
 */
TEST(CompressedAttention, Tasks)
{
  const std::string behind =
      "sparse attention, rotary embedding, output down, projection, bias + dropout + add, norm 2, "
      "fc1, activation, fc2, bias + dropout + add";
  const std::string ahead =
      "norm 1, q down, latent norm, q up, norm of queries and keys, k/v down, latent norm, rotary embedding, ";
  const std::string pooled = "pooling, latent norm, rotary embedding, ";
  const std::string keys = "compression product, compression product, " + pooled + "concatenation, ";
  EXPECT_EQ(names(*layer(within_window()), SS_PASS_FORWARD), ahead + behind);
  EXPECT_EQ(names(*layer(compressed(128)), SS_PASS_FORWARD), ahead + keys + behind);
  std::string learning = behind;
  learning.insert(learning.find(", rotary"), ", index target, index loss, index gradients");
  EXPECT_EQ(names(*layer(indexed()), SS_PASS_FORWARD),
            ahead + keys + "index product, rotary embedding, index product, index product, " + pooled +
                "index product, index scores, index top-k, " + learning);
}

/* Matrices of queries, key, output; two norms for latents, and those of the layer and its MLP are what a plain layer
 * has. Compressed tokens of 128 have values, gates, positions, and a norm; of 4 those of twice as many columns. */
TEST(CompressedAttention, Parameters)
{
  ss_workload plain = make_workload();
  plain.model.mlp = SS_MLP_SWIGLU;
  const double own = dense(within_window()) - (dense(plain) - 4 * e * e);
  EXPECT_DOUBLE_EQ(own, e * q + q * h * d + e * d + h * d * rank + groups * rank * e + q + d);
  EXPECT_DOUBLE_EQ(dense(compressed(128)) - dense(within_window()), 2 * e * d + 128 * d + d);
  EXPECT_DOUBLE_EQ(dense(compressed(4)) - dense(within_window()), 2 * e * 2 * d + 4 * 2 * d + d);
  EXPECT_DOUBLE_EQ(dense(indexed()) - dense(compressed(4)),
                   q * heads * size + e * heads + 2 * e * 2 * size + 4 * 2 * size + size);
}

/* Logits and sums have the size of a head each; backward logits again, and gradients of logits, sums, queries, and the
 * key as such and as value. Of compressed tokens of 128 query i sees floor(i / 128): 1.5 + 1 / 128 in the mean. */
TEST(CompressedAttention, Core)
{
  const double pair = 2 * l * padded * d;
  EXPECT_DOUBLE_EQ(flop_of(within_window(), SS_PASS_FORWARD, SS_OP_SPARSE_ATTENTION), 2 * pair * seen);
  EXPECT_DOUBLE_EQ(flop_of(compressed(128), SS_PASS_FORWARD, SS_OP_SPARSE_ATTENTION),
                   2 * pair * (seen + 1.5 + 1.0 / 128));
  EXPECT_DOUBLE_EQ(flop_of(indexed(), SS_PASS_FORWARD, SS_OP_SPARSE_ATTENTION), 2 * pair * (seen + chosen));
  EXPECT_DOUBLE_EQ(flop_of(indexed(), SS_PASS_BACKWARD, SS_OP_SPARSE_ATTENTION), 5 * pair * (seen + chosen));
  EXPECT_DOUBLE_EQ(flop_of(indexed(), SS_PASS_FORWARD, SS_OP_INDEX_SCORES), l * all * heads * 2 * size);
  EXPECT_DOUBLE_EQ(flop_of(indexed(), SS_PASS_FORWARD, SS_OP_INDEX_TARGET), pair * chosen);
  EXPECT_DOUBLE_EQ(flop_of(indexed(), SS_PASS_FORWARD, SS_OP_INDEX_GRADIENTS), 3 * l * most * padded * 2 * size);
}

/* Each group has a matrix of its own, between heads x d / groups columns and rank. */
TEST(CompressedAttention, OutputOfLowRank)
{
  const double columns = h * d / groups;
  EXPECT_DOUBLE_EQ(flop_of(within_window(), SS_PASS_FORWARD, SS_OP_OUTPUT_GROUPS),
                   groups * l * rank * (2 * columns - 1));
  EXPECT_DOUBLE_EQ(flop_of(within_window(), SS_PASS_BACKWARD, SS_OP_OUTPUT_GROUPS),
                   groups * l * columns * (2 * rank - 1));
  EXPECT_DOUBLE_EQ(flop_of(within_window(), SS_PASS_FORWARD, SS_OP_PROJECTION), l * e * (2 * groups * rank - 1));
}

/* Beside what a layer within the window keeps: the compressed key in the tensor of all, indices of those chosen (4
 * bytes), values, and gates in 16 and 32 bits that pooling keeps of 2 d columns, and what the norm reads. Products of
 * compressed tokens keep nothing in 16 bits, as the first product reads the same. */
TEST(CompressedAttention, Memory)
{
  const double more = layer(compressed(128))->stored_bytes - layer(within_window())->stored_bytes;
  const double tokens = l / 128;
  EXPECT_DOUBLE_EQ(more, 2 * d * tokens + 4 * l * tokens + 8 * l * d + 2 * tokens * d);
}

/* Recomputing the way up discards queries ahead of and behind their norm, and the key ahead of its own. */
TEST(CompressedAttention, RecomputesTheWayUp)
{
  ss_workload again = within_window();
  again.training.recompute = SS_RECOMPUTE_SELECTIVE;
  again.training.recompute_modules = SS_WORD_BIT(SS_RECOMPUTE_MLA_UP_PROJ);
  const BlockPointer kept = layer(within_window()), made = layer(again);
  EXPECT_DOUBLE_EQ(kept->stored_bytes - made->stored_bytes, 2 * 2 * l * h * d + 2 * l * d);
  EXPECT_DOUBLE_EQ(flop(*made, SS_PASS_BACKWARD) - flop(*kept, SS_PASS_BACKWARD),
                   l * h * d * (2 * q - 1) + l * d * (2 * e - 1) + flop_of(again, SS_PASS_FORWARD, SS_OP_QK_NORM) +
                       flop_of(again, SS_PASS_FORWARD, SS_OP_LATENT_NORM, 1) +
                       flop_of(again, SS_PASS_FORWARD, SS_OP_ROTARY));
}

/* In 8 bits compressed tokens and weights of the indexer have products in 16 bits, which keep their input once. */
TEST(CompressedAttention, CompressesIn16Bits)
{
  ss_workload fp8 = compressed(128), window_only = within_window();
  fp8.training.precision = window_only.training.precision = SS_PRECISION_FP8;
  const double tokens = l / 128;
  EXPECT_DOUBLE_EQ(layer(fp8)->stored_bytes - layer(window_only)->stored_bytes,
                   2 * l * e + 2 * d * tokens + 4 * l * tokens + 8 * l * d + 2 * tokens * d);
}
