/* Sparse attention, against sums by hand: a Llama layer of 8 heads of 128 with latent attention, queries of rank 512,
 * keys and values of 256 with a rotary part of 64, 512 tokens. The indexer has 4 heads of 32 and chooses 128 tokens, so
 * that of 512 queries the first 128 have (1 + ... + 128) / 128 and the others 128: 112 in the mean, and half of 512
 * tokens are scored. Kernels have 64 heads at least. Vector units count as nothing. */
#include "tests/support/attributes.hpp"
#include "tests/support/sparse_blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/estimate/model_size.h"
#include "model/plan/muon.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, h = 8, d = 128, r = 64, c = 256, q = 512;
constexpr double heads = 4, size = 32, most = 128, chosen = 112, padded = 64;

ss_workload latent()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.q_rank = static_cast<int64_t>(q);
  workload.model.kv_rank = static_cast<int64_t>(c);
  workload.model.rope_size = static_cast<int64_t>(r);
  return workload;
}

ss_workload sparse(ss_workload workload = latent())
{
  workload.model.index_heads = static_cast<int64_t>(heads);
  workload.model.index_head_size = static_cast<int64_t>(size);
  workload.model.index_top_k = static_cast<int64_t>(most);
  return workload;
}

ss_workload fixed(ss_workload workload = sparse())
{
  workload.training.index_loss = SS_NO;
  return workload;
}

/* What the collectives of a pass carry, in their order. */
std::vector<double> volumes(const ss_block &block, ss_pass pass, ss_group group)
{
  std::vector<double> sizes;
  for (const ss_task &task : tasks(block, pass))
    for (int64_t i = 0; i < task.calls; ++i)
      if (task.call[i].group == group) sizes.push_back(task.call[i].volume_bytes);
  return sizes;
}

} /* namespace */

/* Keys and values are not made: the queries are, and what attention writes is. All of the loss is forward. */
TEST(SparseAttention, Tasks)
{
  EXPECT_EQ(names(*layer(sparse()), SS_PASS_FORWARD),
            "norm 1, q down, latent norm, q up, k/v up, rotary embedding, concatenation, k/v down, latent norm, index "
            "product, index product, index product, norm of index keys, rotary embedding, concatenation, index scores, "
            "index top-k, sparse attention, index target, index loss, index gradients, k/v up, projection, bias + "
            "dropout + add, norm 2, fc1, activation, fc2, bias + dropout + add");
  EXPECT_EQ(
      names(*layer(fixed()), SS_PASS_BACKWARD),
      "bias + dropout + add, fc2, fc2, activation, fc1, fc1, norm 2, bias + dropout + add, projection, projection, "
      "k/v up, k/v up, sparse attention, latent norm, k/v down, k/v down, concatenation, rotary embedding, k/v up, "
      "k/v up, q up, q up, latent norm, q down, q down, norm 1");
}

/* Queries of the indexer are made of what those of attention are, its key and its weights of what the norm writes; the
 * key has a norm with two parameters an element. Weights get gradients, inputs none. */
TEST(SparseAttention, Indexer)
{
  const double more = q * heads * size + e * (size + heads) + 2 * size;
  EXPECT_DOUBLE_EQ(layer(sparse())->parameters[SS_WEIGHTS_DENSE], layer(latent())->parameters[SS_WEIGHTS_DENSE] + more);
  const double inner[] = {q, e, e}, outer[] = {heads * size, size, heads};
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_INDEX, i), l * outer[i] * (2 * inner[i] - 1));
    EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_BACKWARD, SS_OP_INDEX, i), inner[2 - i] * outer[2 - i] * (2 * l - 1));
  }
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_INDEX_SCORES), l * (l / 2) * heads * 2 * size);
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_INDEX_GRADIENTS), 3 * l * most * padded * 2 * size);
}

/* Queries and latents have c + r elements, what is summed up of these c. Backward the logits are computed again, and
 * gradients are of the logits, of the sums, of queries, and of latents as keys and as values. */
TEST(SparseAttention, Core)
{
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_SPARSE_ATTENTION), 2 * l * chosen * padded * (2 * c + r));
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_BACKWARD, SS_OP_SPARSE_ATTENTION),
                   2 * l * chosen * padded * (3 * (c + r) + 2 * c));
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_INDEX_TARGET), 2 * l * chosen * padded * (c + r));
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_KV_UP, 0), l * h * c * (2 * d - 1));
  EXPECT_DOUBLE_EQ(flop_of(sparse(), SS_PASS_FORWARD, SS_OP_KV_UP, 1), l * h * d * (2 * c - 1));
  ss_workload all = sparse();
  all.model.index_top_k = 5000; /* more than there are: half of the tokens */
  EXPECT_DOUBLE_EQ(flop_of(all, SS_PASS_FORWARD, SS_OP_SPARSE_ATTENTION), 2 * l * (l / 2) * padded * (2 * c + r));
}

/* A layer that takes what one before has chosen has no indexer, and keeps no choice (4 bytes). */
TEST(SparseAttention, SharedChoice)
{
  ss_workload shared = sparse();
  shared.model.index_heads = 0;
  const BlockPointer with = layer(fixed()), without = layer(shared);
  EXPECT_DOUBLE_EQ(without->parameters[SS_WEIGHTS_DENSE], layer(latent())->parameters[SS_WEIGHTS_DENSE]);
  EXPECT_EQ(names(*without, SS_PASS_BACKWARD), names(*with, SS_PASS_BACKWARD));
  EXPECT_DOUBLE_EQ(with->stored_bytes - without->stored_bytes, 4 * l * most);
}

/* The loss keeps gradients of index queries, keys and weights, and what the products, the norm of keys and these have
 * read: the latent of the queries and the input, which others keep, too, and keys ahead of their norm. Scores are there
 * at once, up to 1 GiB. */
TEST(SparseAttention, Memory)
{
  const BlockPointer learning = layer(sparse()), other = layer(fixed());
  EXPECT_DOUBLE_EQ(learning->stored_bytes - other->stored_bytes,
                   2 * (l * heads * (size + 1) + l * size) + 2 * l * size);
  EXPECT_DOUBLE_EQ(learning->scratch_bytes, 4 * l * l);
  ss_workload longer = sparse();
  longer.model.sequence = 32768;
  EXPECT_DOUBLE_EQ(layer(longer)->scratch_bytes, 1073741824.0);
  EXPECT_DOUBLE_EQ(layer(latent())->scratch_bytes, 0);
}

/* Latents (c + r) and index keys of all tokens are gathered over ranks along the sequence, forward, and their gradients
 * reduced; those of index keys only where they learn. Each rank has a quarter of the queries and as much to score. Of
 * what is chosen those in the middle have most, from 192 tokens on, of which each looks at 128. */
TEST(SparseAttention, AlongTheSequence)
{
  ss_workload workload = sparse();
  workload.parallelism.cp = 4;
  workload.parallelism.cp_exchange = SS_CP_GATHER;
  const std::vector<double> gathered = {2 * l * (c + r), 2 * l * size};
  const BlockPointer learning = layer(workload), other = layer(fixed(workload));
  EXPECT_EQ(volumes(*learning, SS_PASS_FORWARD, SS_GROUP_CONTEXT), gathered);
  EXPECT_EQ(volumes(*learning, SS_PASS_BACKWARD, SS_GROUP_CONTEXT),
            (std::vector<double>{2 * l * size, 2 * l * (c + r)}));
  EXPECT_EQ(volumes(*other, SS_PASS_FORWARD, SS_GROUP_CONTEXT), gathered);
  EXPECT_EQ(volumes(*other, SS_PASS_BACKWARD, SS_GROUP_CONTEXT), std::vector<double>{2 * l * (c + r)});
  const auto quarter = [](ss_activity activity) { return flop_of(sparse(), SS_PASS_FORWARD, activity) / 4; };
  for (const ss_activity activity : {SS_OP_INDEX_SCORES, SS_OP_INDEX_GRADIENTS})
    EXPECT_DOUBLE_EQ(flop_of(workload, SS_PASS_FORWARD, activity), quarter(activity));
  EXPECT_DOUBLE_EQ(flop_of(workload, SS_PASS_FORWARD, SS_OP_SPARSE_ATTENTION),
                   most / chosen * quarter(SS_OP_SPARSE_ATTENTION));
}

/* Each tensor-parallel rank has the whole indexer: it gathers the input and the latent of queries for it, of which no
 * gradient comes back, and adds up what heads give chosen tokens (4 bytes). */
TEST(SparseAttention, OverTensorRanks)
{
  ss_workload workload = sparse();
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  const BlockPointer two = layer(workload);
  const std::vector<double> forward = volumes(*two, SS_PASS_FORWARD, SS_GROUP_TENSOR);
  EXPECT_EQ(std::vector<double>(forward.begin(), forward.begin() + 4),
            (std::vector<double>{2 * l * q, 2 * l * (c + r), 2 * l * (e + q), 4 * l * most}));
  EXPECT_DOUBLE_EQ(flop_of(workload, SS_PASS_FORWARD, SS_OP_INDEX_SCORES),
                   flop_of(sparse(), SS_PASS_FORWARD, SS_OP_INDEX_SCORES));
  ss_workload none = workload;
  none.model.index_heads = none.model.index_top_k = 0;
  EXPECT_DOUBLE_EQ(two->parameters[SS_WEIGHTS_DENSE] - layer(none)->parameters[SS_WEIGHTS_DENSE],
                   q * heads * size + e * (size + heads) + 2 * size);
}

/* Queries without a latent read what keys read: it is gathered once, and kept once, of all tokens of the group. */
TEST(SparseAttention, WithoutLatentOfQueries)
{
  ss_workload workload = sparse();
  workload.model.q_rank = 0;
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  const BlockPointer learning = layer(workload), other = layer(fixed(workload));
  const std::vector<double> forward = volumes(*learning, SS_PASS_FORWARD, SS_GROUP_TENSOR);
  EXPECT_EQ(std::vector<double>(forward.begin(), forward.begin() + 4),
            (std::vector<double>{2 * l * e, 2 * l * (c + r), 2 * l * e, 4 * l * most}));
  EXPECT_DOUBLE_EQ(learning->stored_bytes - other->stored_bytes,
                   2 * l * e + 2 * (l * heads * (size + 1) + l * size) + 2 * l * size);
}

/* What is recomputed operation by operation leaves out attention, of this kind, too. */
TEST(SparseAttention, PerOpKeepsIt)
{
  ss_workload workload = sparse();
  workload.training.recompute = SS_RECOMPUTE_FULL;
  const auto times = [](const ss_workload &w) {
    const std::string text = names(*layer(w), SS_PASS_BACKWARD), name = "sparse attention";
    int found = 0;
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(times(workload), 2); /* again, and its gradients */
  workload.training.recompute = SS_RECOMPUTE_PER_OP;
  EXPECT_EQ(times(workload), 1);
}

/* Muon orthogonalises the matrix of all heads, c x h 2 d, of which tensor-parallel ranks have columns: products take it
 * by heads, and in two halves. All matrices of the layer are counted. */
TEST(SparseAttention, MatricesOfMuon)
{
  ss_workload workload = sparse();
  workload.training.optimizer = SS_OPTIMIZER_MUON;
  const Job job(workload, machine(), SS_COST_CALIBRATED);
  const double products = q * (e + h * (d + r)) + e * (c + r) + c * h * 2 * d + h * d * e + 3 * e * 4 * e;
  const double index = q * heads * size + e * (size + heads);
  EXPECT_DOUBLE_EQ(ss_muon_of(job.get(), 0).parameters[SS_WEIGHTS_DENSE], 8 * (products + index));
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  const BlockPointer two = layer(workload);
  int found = 0;
  for (int64_t i = 0; i < two->matrices; ++i) {
    const ss_matrix &matrix = two->matrix[i];
    if (matrix.rows != c || matrix.columns != h * d) continue;
    EXPECT_EQ(matrix.cut.axis, SS_CUT_COLUMNS);
    EXPECT_EQ(matrix.cut.ranks, 2);
    ++found;
  }
  EXPECT_EQ(found, 1);
}

/* Chosen tokens do not wait for one another's documents, in the replay neither: it draws those of flash attention. */
TEST(SparseAttention, WaitsForNoDocuments)
{
  ss_workload workload = latent();
  workload.training.documents = SS_DOCUMENTS_EXPONENTIAL;
  workload.training.document_mean = 200;
  const Job dense(workload, machine(), SS_COST_CALIBRATED);
  EXPECT_GT(dense->spread[SS_BLOCK_LAYER].deviation, 0);
  const Job chosen_tokens(sparse(workload), machine(), SS_COST_CALIBRATED);
  EXPECT_EQ(chosen_tokens->spread[SS_BLOCK_LAYER].deviation, 0);
  EXPECT_EQ(chosen_tokens->attention_s[SS_BLOCK_LAYER][SS_PASS_FORWARD], 0);
}

/* Of 512 tokens 384 are in a document. The model is asked for index products of these, forward and for weights; with
 * the loss for those of weights, and for gradients of what is chosen. */
TEST(SparseAttention, PaddingIsNotAskedFor)
{
  ss_workload workload = sparse();
  workload.training.documents = SS_DOCUMENTS_FIXED;
  workload.training.document_mean = 384;
  workload.training.packing = SS_PACKING_NEXT_FIT;
  const double index = q * heads * size + e * (size + heads), pair = 2 * heads * size;
  const auto flop_of_model = [](const ss_workload &w) {
    const Job job(w, machine(), SS_COST_CALIBRATED);
    return ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration;
  };
  EXPECT_NEAR(flop_of_model(workload) - flop_of_model(fixed(workload)),
              8 * (0.75 * 2 * l * index + 2 * l * pair * most), 1);
}

/* The model is asked for the products of latent attention, scores and sums of 128 tokens a query by heads of d + r and
 * d, three times; index products forward and for weights; scores of all 512 tokens, and twice as much for those chosen.
 */
TEST(SparseAttention, ModelFlop)
{
  const double products = q * (e + h * (d + r)) + e * (c + r) + c * h * 2 * d + h * d * e + 3 * e * 4 * e;
  const double index = q * heads * size + e * (size + heads), pair = 2 * heads * size;
  const double flop =
      3 * (2 * l * products + 2 * l * most * h * (2 * d + r)) + 2 * 2 * l * index + l * l * pair + 2 * l * most * pair;
  const Job job(sparse(), machine(), SS_COST_CALIBRATED);
  EXPECT_NEAR(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration / (8 * flop), 1, 1e-12);
}
