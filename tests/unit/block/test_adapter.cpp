/* Adapters of low rank beside products, against sums by hand: a Llama layer of 8 heads of 128 with 8 key/value heads,
 * 512 tokens, rank 16. */
#include "tests/support/attributes.hpp"
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/estimate/model_size.h"
#include "model/plan/optimizer.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, f = 4096, r = 16;

ss_workload plain()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  return workload;
}

ss_workload adapted(unsigned modules = SS_WORD_BIT(SS_LORA_PROJ), ss_workload workload = plain())
{
  workload.training.lora_rank = static_cast<int64_t>(r);
  workload.training.lora_modules = static_cast<ss_word_set>(modules);
  return workload;
}

const unsigned all_modules =
    SS_WORD_BIT(SS_LORA_QKV) | SS_WORD_BIT(SS_LORA_PROJ) | SS_WORD_BIT(SS_LORA_FC1) | SS_WORD_BIT(SS_LORA_FC2);

double trained(const ss_workload &workload)
{
  return build(workload)->trained[SS_WEIGHTS_DENSE];
}

} /* namespace */

/* Down, up, scaled and added; backward the gradients of both, and of the input, which the projection has one of, too.
 * No other product has a gradient of its weights. */
TEST(Adapter, IsAllThatGetsGradients)
{
  const BlockPointer layer = build(adapted());
  EXPECT_EQ(names(*layer, SS_PASS_FORWARD),
            "norm 1, qkv, rotary embedding, flash attention, projection, adapter down, adapter up, adapter scale, "
            "output sum, bias + dropout + add, norm 2, fc1, activation, fc2, bias + dropout + add");
  EXPECT_EQ(
      names(*layer, SS_PASS_BACKWARD),
      "bias + dropout + add, fc2, activation, fc1, norm 2, bias + dropout + add, adapter scale, adapter up, "
      "adapter up, adapter down, adapter down, projection, input gradient sum, flash attention, rotary embedding, "
      "qkv, norm 1");
  EXPECT_DOUBLE_EQ(layer->trained[SS_WEIGHTS_DENSE], r * (e + e));
  EXPECT_DOUBLE_EQ(layer->parameters[SS_WEIGHTS_DENSE], build(plain())->parameters[SS_WEIGHTS_DENSE] + r * (e + e));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ADAPTER_DOWN).kernel.flop, l * r * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ADAPTER_UP).kernel.flop, l * e * (2 * r - 1));
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_ADAPTER_SCALE).kernel.hbm_bytes, 2 * 2 * l * e);
}

/* Of queries, keys and values together, or of each. */
TEST(Adapter, IsOfEachProduct)
{
  EXPECT_DOUBLE_EQ(trained(adapted(SS_WORD_BIT(SS_LORA_QKV))), r * (e + 3 * e));
  EXPECT_DOUBLE_EQ(trained(adapted(SS_WORD_BIT(SS_LORA_FC1))), r * (e + 2 * f));
  EXPECT_DOUBLE_EQ(trained(adapted(SS_WORD_BIT(SS_LORA_FC2))), r * (f + e));
  EXPECT_DOUBLE_EQ(trained(adapted(0)), trained(adapted(all_modules)));
  ss_workload separate = adapted(SS_WORD_BIT(SS_LORA_QKV));
  separate.training.projections = SS_PROJECTIONS_SEPARATE;
  EXPECT_DOUBLE_EQ(trained(separate), 3 * r * (e + e));
}

/* Inputs of products are kept for gradients of weights: with adapters beside qkv and the projection, what these read,
 * of which flash attention keeps its output anyway, and the middle of both. Norms, attention and the activation keep
 * theirs as before. */
TEST(Adapter, KeepsWhatItReads)
{
  const double before = build(plain())->stored_bytes, products = 2 * l * (e + e + f); /* qkv, fc1, fc2 */
  const double middle = 2 * l * r;
  const unsigned attention = SS_WORD_BIT(SS_LORA_QKV) | SS_WORD_BIT(SS_LORA_PROJ);
  EXPECT_DOUBLE_EQ(build(adapted(SS_WORD_BIT(SS_LORA_PROJ)))->stored_bytes, before - products + middle);
  EXPECT_DOUBLE_EQ(build(adapted(attention))->stored_bytes, before - products + 2 * l * e + 2 * middle);
  ss_workload dropped = adapted(attention);
  dropped.training.lora_dropout = SS_YES; /* two masks, and both inputs as they are with it */
  EXPECT_DOUBLE_EQ(build(dropped)->stored_bytes, before - products + 2 * 2 * l * e + 2 * middle + 2 * l * e);
}

/* The operation fuser adds in products: up to what the product has written, and that one's gradient to the adapter's.
 */
TEST(Adapter, IsFused)
{
  ss_workload workload = adapted();
  workload.training.lora_kernels = SS_LORA_FUSED;
  const BlockPointer fused = build(workload), separate = build(adapted());
  EXPECT_EQ(
      names(*fused, SS_PASS_FORWARD),
      "norm 1, qkv, rotary embedding, flash attention, projection, adapter down, adapter up, bias + dropout + add, "
      "norm 2, fc1, activation, fc2, bias + dropout + add");
  EXPECT_DOUBLE_EQ(find(*fused, SS_PASS_FORWARD, SS_OP_ADAPTER_UP).kernel.hbm_bytes,
                   find(*separate, SS_PASS_FORWARD, SS_OP_ADAPTER_UP).kernel.hbm_bytes + 2 * l * e);
  EXPECT_DOUBLE_EQ(find(*fused, SS_PASS_BACKWARD, SS_OP_PROJECTION).kernel.hbm_bytes,
                   find(*separate, SS_PASS_BACKWARD, SS_OP_PROJECTION).kernel.hbm_bytes + 2 * l * e);
}

/* Four ranks have a quarter of each matrix, and gather the middle of qkv's, behind their tokens; that of the projection
 * is summed up, and what it adds is gathered, behind what that reduces. */
TEST(Adapter, IsSharedByTensorParallelRanks)
{
  ss_workload workload = adapted(SS_WORD_BIT(SS_LORA_QKV));
  workload.parallelism.tp = 4;
  const BlockPointer column = build(workload);
  EXPECT_DOUBLE_EQ(column->trained[SS_WEIGHTS_DENSE], r * (e + 3 * e) / 4);
  EXPECT_DOUBLE_EQ(find(*column, SS_PASS_FORWARD, SS_OP_ADAPTER_DOWN).kernel.shape.columns, r / 4);
  EXPECT_EQ(calls(*column, SS_PASS_FORWARD), "all-gather all-gather reduce-scatter all-gather reduce-scatter ");
  workload.training.lora_modules = SS_WORD_BIT(SS_LORA_PROJ);
  const BlockPointer row = build(workload);
  EXPECT_DOUBLE_EQ(row->trained[SS_WEIGHTS_DENSE], r * (e + e) / 4);
  EXPECT_EQ(calls(*row, SS_PASS_FORWARD), "all-gather reduce-scatter all-reduce all-gather all-gather reduce-scatter ");
}

/* Or each gets what is of its tokens: an exchange of a quarter of all columns of all tokens. */
TEST(Adapter, ExchangesWhatItAdds)
{
  ss_workload workload = adapted();
  workload.parallelism.tp = 4;
  workload.training.lora_exchange = SS_LORA_ALL_TO_ALL;
  const BlockPointer row = build(workload);
  EXPECT_EQ(calls(*row, SS_PASS_FORWARD), "all-gather reduce-scatter all-reduce all-to-all all-gather reduce-scatter ");
  double exchanged = 0;
  for (const ss_task &task : tasks(*row, SS_PASS_FORWARD))
    for (int64_t i = 0; i < task.calls; ++i)
      exchanged += task.call[i].kind == SS_ALL_TO_ALL ? task.call[i].volume_bytes : 0;
  EXPECT_DOUBLE_EQ(exchanged, 2 * l * e / 4);
}

/* What no gradient of weights reads is quantised along rows alone: 2 bytes read, 1 written. */
TEST(Adapter, NeedsOneCopyOfOperands)
{
  ss_workload workload = adapted();
  workload.training.precision = SS_PRECISION_FP8_CURRENT;
  const ss_task cast = find(*build(workload), SS_PASS_FORWARD, SS_OP_CAST);
  EXPECT_DOUBLE_EQ(cast.kernel.hbm_bytes, (2 + 1) * l * e);
}

/* Weights in 8 bits that never change are kept along rows, and transposed for each gradient of an input: 1 byte read, 1
 * written. Units that have formats of blocks read them as they are. */
TEST(Adapter, TransposesFrozenWeights)
{
  ss_workload workload = adapted();
  workload.training.precision = SS_PRECISION_FP8_CURRENT;
  workload.training.weights_type = SS_AS_OPERANDS;
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  EXPECT_DOUBLE_EQ(bytes(*build_on(machine, workload), SS_PASS_BACKWARD, SS_OP_COPY), 2 * (4 * e * e + 3 * e * f));
  machine.mxfp8_flop_per_s = machine.fp8_flop_per_s;
  EXPECT_DOUBLE_EQ(bytes(*build_on(machine, workload), SS_PASS_BACKWARD, SS_OP_COPY), 0);
}

/* Gradients, states and checkpoints are of adapters; the table is looked up, and gets nothing back. */
TEST(Adapter, HasAllStatesOfAJob)
{
  ss_workload workload = adapted(0);
  workload.model.vocabulary = 32000;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double adapters =
      static_cast<double>(workload.model.layers) * r * ((e + 3 * e) + (e + e) + (e + 2 * f) + (f + e));
  EXPECT_DOUBLE_EQ(ss_job_trained_parameters(job.get(), 0, SS_WEIGHTS_DENSE), adapters);
  EXPECT_DOUBLE_EQ(ss_job_state_bytes(job.get(), 0), 12 * adapters);
  EXPECT_EQ(ss_job_tasks(job.get(), SS_BLOCK_EMBEDDING, SS_PASS_BACKWARD)->count, 0);
  EXPECT_DOUBLE_EQ(ss_model_size_of_job(job.get()).trained, adapters);
}

/* Forward 2 flop a parameter and token, backward 2 for the gradient of the input; attention, and adapters, 3 times
 * forward. */
TEST(Adapter, CountsWhatTheModelAsksFor)
{
  ss_workload workload = adapted(SS_WORD_BIT(SS_LORA_PROJ));
  workload.model.vocabulary = 32000;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const double products = 4 * e * e + 3 * e * f, attention = 4 * l * e;
  const double layer = 4 * l * products + 3 * l * attention + 3 * 2 * l * r * (e + e);
  const double batch = static_cast<double>(workload.training.global_batch);
  const double layers = static_cast<double>(workload.model.layers);
  EXPECT_DOUBLE_EQ(ss_estimate_metrics(job.get(), 1.0).model_flop_per_iteration,
                   batch * (layers * layer + 4 * l * e * 32000));
}

/* Beside routed experts of 2048, top 2 of 8: for all of a rank one adapter of its 2 l rows, whose gradients
 * expert-parallel ranks add up behind each product backward, or one for each expert, or none; what experts have is of
 * their class. */
TEST(Adapter, IsOfExpertsToo)
{
  constexpr double ffn = 2048, of_all = r * (e + 2 * ffn) + r * (ffn + e), rows = 2 * l;
  ss_workload workload = mixture();
  workload.training.dropout = SS_NO;
  workload.training.lora_rank = static_cast<int64_t>(r);
  workload.parallelism.ep = 2;
  const unsigned mlp = SS_WORD_BIT(SS_LORA_FC1) | SS_WORD_BIT(SS_LORA_FC2);
  workload.training.lora_modules = static_cast<ss_word_set>(mlp);
  const BlockPointer shared = build(workload, SS_BLOCK_EXPERT);
  EXPECT_DOUBLE_EQ(shared->trained[SS_WEIGHTS_EXPERT], of_all);
  EXPECT_DOUBLE_EQ(shared->trained[SS_WEIGHTS_DENSE], 0);
  EXPECT_DOUBLE_EQ(find(*shared, SS_PASS_FORWARD, SS_OP_ADAPTER_DOWN).kernel.flop, rows * r * (2 * e - 1));
  EXPECT_DOUBLE_EQ(shared->adapter_flop, 2 * rows * of_all);
  double summed_bytes = 0;
  for (const ss_task &task : tasks(*shared, SS_PASS_BACKWARD))
    for (int64_t i = 0; i < task.calls; ++i)
      summed_bytes += task.call[i].kind == SS_ALL_REDUCE ? task.call[i].volume_bytes : 0;
  EXPECT_DOUBLE_EQ(summed_bytes, 2 * of_all);

  workload.training.lora_experts = SS_LORA_EXPERTS_EACH;
  const BlockPointer each = build(workload, SS_BLOCK_EXPERT);
  EXPECT_DOUBLE_EQ(each->trained[SS_WEIGHTS_EXPERT], 4 * of_all);
  EXPECT_DOUBLE_EQ(each->adapter_flop, 2 * rows * of_all);
  EXPECT_EQ(calls(*each, SS_PASS_BACKWARD).find("all-reduce"), std::string::npos);

  workload.training.lora_experts = SS_LORA_EXPERTS_NONE;
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_EXPERT)->trained[SS_WEIGHTS_EXPERT], 0);
}

/* Latent attention, 8 heads of 128 + 64 from 256 columns, keys and values of 128 each from 64 + 64 rotary: ways down
 * are whole on each of two ranks, for its own half of the tokens, and so are their adapters; ways up are shared out. */
TEST(Adapter, IsOfLatentAttention)
{
  constexpr double q_rank = 256, kv_rank = 64, rope = 64, queries = 8 * (128 + rope), pairs = 8 * (128 + 128);
  ss_workload workload = plain();
  workload.model.q_rank = static_cast<int64_t>(q_rank);
  workload.model.kv_rank = static_cast<int64_t>(kv_rank);
  workload.model.rope_size = static_cast<int64_t>(rope);
  workload.model.head_size = 128;
  workload.parallelism.tp = 2;
  const auto trains = [&](unsigned modules) { return trained(adapted(modules, workload)); };
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_Q_DOWN)), r * (e + q_rank));
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_KV_DOWN)), r * (e + kv_rank + rope));
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_Q_UP)), r * (q_rank + queries) / 2);
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_KV_UP)), r * (kv_rank + pairs) / 2);
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_Q_PROJ)), 0);
  const BlockPointer down = build(adapted(SS_WORD_BIT(SS_LORA_Q_DOWN), workload));
  EXPECT_DOUBLE_EQ(down->adapter_flop, 2 * l / 2 * r * (e + q_rank));
  workload.model.q_rank = 0;
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_Q_PROJ)), r * (e + queries) / 2);
  EXPECT_DOUBLE_EQ(trains(SS_WORD_BIT(SS_LORA_Q_UP)), 0);
}

/* Mamba-2 of 16 heads of 128 with a state of 64 and one group: gate, channels, two projections of the state, a step for
 * each head; and back. */
TEST(Adapter, IsOfStateSpaces)
{
  constexpr double inner = 16 * 128, in = 2 * inner + 2 * 64 + 16;
  ss_workload workload = plain();
  workload.model.mixer = SS_MIXER_MAMBA;
  workload.model.state_heads = 16;
  workload.model.state_head_size = 128;
  workload.model.state_size = 64;
  workload.model.state_groups = 1;
  EXPECT_DOUBLE_EQ(trained(adapted(SS_WORD_BIT(SS_LORA_IN), workload)), r * (e + in));
  EXPECT_DOUBLE_EQ(trained(adapted(SS_WORD_BIT(SS_LORA_OUT), workload)), r * (inner + e));
}

/* The input of SwiGLU, 2 f wide: 1 byte in place of 2 is kept, which a kernel writes from 2 bytes, and one makes 2
 * bytes of. */
TEST(ActivationInput, IsKeptInOneByte)
{
  ss_workload workload = plain();
  workload.training.activation_input = SS_ACTIVATION_INPUT_FP8;
  const BlockPointer layer = build(workload);
  EXPECT_DOUBLE_EQ(layer->stored_bytes, build(plain())->stored_bytes - l * 2 * f);
  EXPECT_EQ(
      names(*layer, SS_PASS_FORWARD),
      "norm 1, qkv, rotary embedding, flash attention, projection, bias + dropout + add, norm 2, fc1, activation, "
      "quantise, fc2, bias + dropout + add");
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_FORWARD, SS_OP_CAST).kernel.hbm_bytes, 3 * l * 2 * f);
  EXPECT_DOUBLE_EQ(find(*layer, SS_PASS_BACKWARD, SS_OP_CAST).kernel.hbm_bytes, 3 * l * 2 * f);
}
