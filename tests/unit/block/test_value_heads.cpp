/* Values of another size than keys: a Llama layer of 8 heads, keys of 128 and values of 64, 512 tokens. */
#include "tests/support/attributes.hpp"
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/estimate/model_size.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, h = 8, d = 128, v = 64;

ss_workload with_values(int64_t kv_heads)
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  workload.model.kv_heads = kv_heads;
  workload.model.value_head_size = static_cast<int64_t>(v);
  return workload;
}

double attention_parameters(const ss_workload &workload)
{
  ss_workload alike = workload;
  alike.model.mixer = SS_MIXER_NONE;
  return build(workload)->parameters[SS_WEIGHTS_DENSE] - build(alike)->parameters[SS_WEIGHTS_DENSE];
}

} /* namespace */

/* Queries of h d columns, keys of 4 d, values of 4 v; a projection of h v rows; a norm. Of 512 keys half is seen:
 * scores are sums of d, results sums over keys of v elements. */
TEST(ValueHeads, OfOrdinaryAttention)
{
  const ss_workload workload = with_values(4);
  EXPECT_DOUBLE_EQ(attention_parameters(workload), e * (h * d + 4 * d + 4 * v) + h * v * e + e);
  const BlockPointer layer = build(workload);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_QKV).kernel.flop, l * (h * d + 4 * d + 4 * v) * (2 * e - 1));
  ss_workload same = workload;
  same.model.value_head_size = static_cast<int64_t>(d);
  const double flop = find(*layer, SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop;
  const double more = find(*build(same), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop - flop;
  same.model.value_head_size = 0; /* the size of keys */
  EXPECT_DOUBLE_EQ(find(*build(same), SS_PASS_FORWARD, SS_OP_ATTENTION).kernel.flop - flop, more);
  EXPECT_NEAR(more, h * l * (d - v) * (2 * l - 1) / 2, h * l * (d - v) * 2);
}

/* Latent attention: e h (d + r) of queries, e (c + r) down, norm of c, c h (d + v) up, h v e out. */
TEST(ValueHeads, OfLatentAttention)
{
  constexpr double c = 256, r = 64;
  ss_workload workload = with_values(8);
  workload.model.kv_rank = static_cast<int64_t>(c);
  workload.model.rope_size = static_cast<int64_t>(r);
  EXPECT_DOUBLE_EQ(attention_parameters(workload), e * h * (d + r) + e * (c + r) + c + c * h * (d + v) + h * v * e + e);
}

/* What a model is asked for: two flop for each parameter of a product and token, thrice; and of scores and results. */
TEST(ValueHeads, CountInWhatAModelIsAskedFor)
{
  ss_workload workload = with_values(8), plain = workload;
  plain.model.value_head_size = 0;
  const Job narrow(workload, make_machine({}), SS_COST_CALIBRATED), wide(plain, make_machine({}), SS_COST_CALIBRATED);
  const double layers = static_cast<double>(workload.model.layers),
               batch = static_cast<double>(workload.training.global_batch);
  const double more = ss_estimate_metrics(wide.get(), 1.0).model_flop_per_iteration -
                      ss_estimate_metrics(narrow.get(), 1.0).model_flop_per_iteration;
  EXPECT_DOUBLE_EQ(more, batch * layers * 3 * (2 * l * 2 * h * (d - v) * e + 2 * h * l * l * (d - v)));
}

/* Queries of rank r, beside keys and values of g heads (MFA, arXiv 2412.19255): e r + r of a norm + r h d, keys and
 * values e g (d + v), out h v e. Each of two ranks has the way down, keys and values whole, for its half of the tokens;
 * what comes up reads the latents of all, gathered beside keys and values. */
TEST(ValueHeads, OfQueriesOfLowRank)
{
  constexpr double r = 256, g = 1;
  ss_workload workload = with_values(1);
  workload.model.q_rank = static_cast<int64_t>(r);
  const double down = e * r + r + e * g * (d + v), up = r * h * d, out = h * v * e;
  EXPECT_DOUBLE_EQ(attention_parameters(workload), down + up + out + e);
  const BlockPointer layer = build(workload);
  EXPECT_EQ(names(*layer, SS_PASS_FORWARD)
                .rfind("norm 1, q down, latent norm, qkv, q up, rotary embedding, flash "
                       "attention, projection, ",
                       0),
            0u);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_QKV).kernel.flop, l * g * (d + v) * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_Q_UP).kernel.flop, l * h * d * (2 * r - 1));
  EXPECT_DOUBLE_EQ(ss_estimate_mixer_parameters(&workload), down - r + up + out);
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_YES;
  const BlockPointer half = build(workload);
  EXPECT_DOUBLE_EQ(attention_parameters(workload), down + (up + out) / 2 + e);
  EXPECT_DOUBLE_EQ(find(*half, SS_PASS_FORWARD, SS_OP_Q_DOWN).kernel.flop, l / 2 * r * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*half, SS_PASS_FORWARD, SS_COMM_ALL_GATHER).call[0].volume_bytes, 2 * l * (r + g * (d + v)));
}
