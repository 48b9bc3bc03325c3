/* What frameworks copy: rows on their way to experts and back, tensors that do not lie as the next kernel reads them,
 * and logits. */
#include "tests/support/blocks.hpp"

using namespace stepsim;

namespace
{

constexpr double e = 1024, l = 512;

/* Two experts on each of four ranks. */
ss_workload mixture_on_ranks()
{
  ss_workload workload = mixture();
  workload.parallelism.ep = 4;
  return workload;
}

double bytes(const ss_workload &workload, ss_block_kind block, ss_pass pass, ss_activity activity, int which = 0)
{
  return find(*build(workload, block), pass, activity, which).kernel.hbm_bytes;
}

} /* namespace */

/* In copies, 2 for each token, rows are put in the order of ranks (one read, two written), where they arrive in that of
 * two experts (two read, two written), and so on the way back; without a fused kernel each copy reads its row. One
 * expert for each rank has nothing to sort. */
TEST(Block, CopiesAreSortedWhereTheyArrive)
{
  ss_workload workload = mixture_on_ranks();
  EXPECT_EQ(names(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD),
            "norm 1, qkv, rotary embedding, flash attention, projection, bias + dropout + add, norm 2, router, top-k, "
            "permute, all-to-all, permute, expert fc1, expert activation, expert fc2, permute, all-to-all, unpermute, "
            "bias + dropout + add");
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_PERMUTE), 2 * (1 + 2) * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_PERMUTE, 1), 2 * (2 + 2) * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_PERMUTE, 2), 2 * (2 + 2) * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_PERMUTE), 2 * (2 + 2) * l * e);
  workload.training.fused = SS_NO;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_PERMUTE), 2 * (2 + 2) * l * e);
  workload = mixture_on_ranks();
  workload.parallelism.ep = 8;
  const std::string one_each = names(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD);
  EXPECT_NE(one_each.find("top-k, permute, all-to-all, expert fc1"), std::string::npos) << one_each;
}

/* Sent once to each rank, two of eight experts are on 4 (1 - 6/8 5/7) = 13/7 of four ranks: so many rows arrive, and
 * two copies are made of them there; they are added up before they go back. */
TEST(Block, RowsSentOnceAreCopiedWhereTheyArrive)
{
  ss_workload workload = mixture_on_ranks();
  workload.schedule.dispatch = SS_DISPATCH_ONCE;
  workload.training.router_weights = SS_ROUTER_WEIGHTS_ACTIVATIONS;
  const std::string tasks = names(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD);
  EXPECT_NE(tasks.find("top-k, all-to-all, permute, expert fc1, expert activation, expert fc2, unpermute, all-to-all"),
            std::string::npos)
      << tasks;
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    for (const ss_activity activity : {SS_OP_PERMUTE, SS_OP_UNPERMUTE})
      EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, pass, activity), 2 * (13.0 / 7 + 2) * l * e);
}

/* In fp8, two rows of each token are copied ahead of the products of experts and behind them (read, written), backward
 * likewise, and so are their weights, in fp32, where activations take these. In 16 bits nothing is padded. */
TEST(Block, RowsOfExpertsArePadded)
{
  ss_workload workload = mixture_on_ranks();
  workload.training.expert_padding = SS_YES;
  EXPECT_EQ(names(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD).find("copy"), std::string::npos);
  workload.training.precision = SS_PRECISION_FP8_CURRENT;
  workload.training.router_weights = SS_ROUTER_WEIGHTS_ACTIVATIONS;
  const double copied[] = {2 * 2 * 2 * l * e, 2 * 4 * 2 * l, 2 * 2 * 2 * l * e};
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD})
    for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, pass, SS_OP_COPY, i), copied[i]);
  workload.training.router_weights = SS_ROUTER_WEIGHTS_OUTPUTS;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_COPY, 1), 2 * 2 * 2 * l * e);
}

/* Kernels of PyTorch that choose among 8 experts, for 512 tokens, by logits of x bytes: 4 x^2 + 9 x + 111 bytes a
 * score, backward 5 x + 12; that is 145 and 22 in 16 bits, 211 and 32 in fp32. What drops tokens takes 4 x^2 + 7 x + 2,
 * and backward 2 x + 1. */
TEST(Block, ExpertsAreChosenKernelByKernel)
{
  ss_workload workload = mixture();
  workload.training.router = SS_ROUTER_SEPARATE;
  const auto expect_chosen = [&](double forward, double backward) {
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_TOP_K), forward * l * 8);
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_TOP_K), backward * l * 8);
  };
  expect_chosen(145, 22);
  const ss_task chosen = find(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD, SS_OP_TOP_K);
  EXPECT_EQ(chosen.kernel.kernels, 28);
  EXPECT_EQ(chosen.launches, 22);
  workload.training.router_type = SS_ROUTER_FP32;
  expect_chosen(211, 32);
  workload.training.capacity_factor = 1;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_TOP_K, 1), (64 + 28 + 2) * l * 8);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_TOP_K), 9 * l * 8);
}

/* Logits in fp32: both gradients are products of 4 bytes, and input and weights are cast to fp32 (2 read, 4 written),
 * as both gradients are cast back. */
TEST(Block, GradientsOfLogitsInFp32AreCast)
{
  ss_workload workload = mixture();
  const double x = l * e, w = 8 * e, y = 8 * l;
  const auto expect_bytes = [&](double forward, double gradients) {
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_ROUTER), forward);
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_ROUTER), gradients);
  };
  expect_bytes(2 * (x + w + y), 2 * (x + w + y));
  workload.training.router_type = SS_ROUTER_FP32;
  expect_bytes(2 * (x + w) + 4 * y, 4 * (x + w + y));
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_CAST), 2 * (2 + 4) * (x + w));
}

/* By index, 2 copies of each row: masks of 8 experts twice (6 bytes a score, 64 a choice), copies read and written;
 * back a product that weighs them (4 bytes each), zeros, and additions that read a copy and the sum and write that (6).
 * Backward copies are read and written, of the product 12 bytes; and again zeros and additions. */
TEST(Block, RowsAreCopiedByIndex)
{
  ss_workload workload = mixture();
  workload.training.permutation = SS_PERMUTATION_SEPARATE;
  const BlockPointer block = build(workload, SS_BLOCK_EXPERT);
  EXPECT_TRUE(find(*block, SS_PASS_FORWARD, SS_OP_PERMUTE).synced);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_PERMUTE).kernel.hbm_bytes, 2 * (6 * 8 + 64 * 2) * l);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_PERMUTE, 1).kernel.hbm_bytes, 2 * 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_FORWARD, SS_OP_UNPERMUTE).kernel.hbm_bytes, (2 * 4 + 2 + 2 * 6) * l * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_UNPERMUTE).kernel.hbm_bytes, 2 * (4 + 12) * l * e);
  EXPECT_DOUBLE_EQ(find(*block, SS_PASS_BACKWARD, SS_OP_PERMUTE).kernel.hbm_bytes, (2 + 2 * 6) * l * e);
  workload.training.router_weights = SS_ROUTER_WEIGHTS_ACTIVATIONS;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_UNPERMUTE), (2 + 2 * 6) * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_UNPERMUTE), 2 * 4 * l * e);
}

/* Two experts of a rank, one after the other: two rows of each token are copied together behind them, and gradients
 * ahead of them; in fp8 each also writes zeros backward, and copies what comes into these. */
TEST(Block, ExpertsInSequenceCopyTheirRows)
{
  ss_workload workload = mixture_on_ranks();
  workload.training.expert_kernels = SS_EXPERT_KERNELS_SEQUENTIAL;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_FORWARD, SS_OP_COPY), 4 * 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_COPY), 4 * 2 * l * e);
  workload.training.precision = SS_PRECISION_FP8;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_COPY), 6 * 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_EXPERT, SS_PASS_BACKWARD, SS_OP_COPY, 1), 4 * 2 * l * e);
  EXPECT_EQ(find(*build(workload, SS_BLOCK_EXPERT), SS_PASS_BACKWARD, SS_OP_COPY).kernel.kernels, 4);
  workload.parallelism.ep = 8;
  EXPECT_EQ(names(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD).find("copy"), std::string::npos);
}

/* Of 8 experts of 2048, gradients of both products are added up by a kernel each, 2 bytes read, 4 read and written;
 * those of all other weights where they are made. */
TEST(Block, GradientsOfExpertsAreSummed)
{
  ss_workload workload = mixture();
  workload.training.gradients = SS_GRADIENTS_FP32;
  workload.training.gradient_accumulation = SS_ACCUMULATION_SEPARATE_EXPERTS;
  const BlockPointer block = build(workload, SS_BLOCK_EXPERT);
  const std::vector<ss_task> all = tasks(*block, SS_PASS_BACKWARD);
  const auto is_sum = [](const ss_task &task) { return task.activity == SS_OP_GRADIENT_SUM; };
  EXPECT_EQ(std::count_if(all.begin(), all.end(), is_sum), 2);
  const ss_task sum = find(*block, SS_PASS_BACKWARD, SS_OP_GRADIENT_SUM);
  EXPECT_DOUBLE_EQ(sum.kernel.hbm_bytes, 10 * 8 * e * 2048);
  EXPECT_EQ(sum.matrices, 0);
}

/* Of 8 heads in 4 groups the queries are copied forward, gradients of 8 + 2 x 4 heads are put side by side backward.
 * Where each query has a key, nothing lies between queries. */
TEST(Block, QueriesOfGroupsAreCopied)
{
  ss_workload workload = make_workload();
  workload.model.kv_heads = 4;
  const std::string before = names(*build(workload), SS_PASS_FORWARD);
  EXPECT_EQ(before.find("copy"), std::string::npos);
  workload.training.layout_copies = SS_YES;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_FORWARD, SS_OP_COPY), 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_COPY), 2 * 2 * l * (8 + 2 * 4) * 128);
  workload.model.kv_heads = workload.model.heads;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("copy"), std::string::npos);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_COPY), 2 * 2 * l * 3 * e);
}

/* What 8 heads of 128 return lies head by head, and is copied (read, written) ahead of the projection; with selective
 * recomputation again. Backward the product reads it as it lies. */
TEST(Block, OutputOfHeadsIsCopied)
{
  ss_workload workload = make_workload();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("copy"), std::string::npos);
  workload.training.layout_copies = SS_YES;
  EXPECT_NE(names(*build(workload), SS_PASS_FORWARD).find("attend, copy, projection"), std::string::npos);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_FORWARD, SS_OP_COPY), 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_COPY), 2 * 2 * l * 3 * e);
  workload.training.recompute = SS_RECOMPUTE_SELECTIVE;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_COPY, 0), 2 * 2 * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_COPY, 1), 2 * 2 * l * 3 * e);
}

/* Sums of products without fused attention: logits, and the gradient of what weighs the values, over the 128 elements
 * of a head, all others over 512 tokens. */
TEST(Block, ProductsOfHeadsAreShort)
{
  ss_workload workload = make_workload();
  workload.training.attention = SS_ATTENTION_UNFUSED;
  const auto inner = [&](ss_pass pass, ss_activity activity, int which) {
    return find(*build(workload), pass, activity, which).kernel.shape.inner;
  };
  EXPECT_EQ(inner(SS_PASS_FORWARD, SS_OP_LOGITS, 0), 128);
  EXPECT_EQ(inner(SS_PASS_FORWARD, SS_OP_ATTEND, 0), l);
  EXPECT_EQ(inner(SS_PASS_BACKWARD, SS_OP_ATTEND, 0), 128);
  EXPECT_EQ(inner(SS_PASS_BACKWARD, SS_OP_ATTEND, 1), l);
  for (const int gradient : {0, 1}) EXPECT_EQ(inner(SS_PASS_BACKWARD, SS_OP_LOGITS, gradient), l);
}

/* Queries of 8 heads, keys and values of 4 each are gathered (read, written), and backward scattered into zeros
 * (written, read, written); the output the other way round. The host waits for the number of tokens of each of them. */
TEST(Block, TokensWithoutPadding)
{
  ss_workload workload = make_workload();
  workload.model.kv_heads = 4;
  workload.training.unpadding = SS_YES;
  const double elements[] = {l * e, l * e / 2, l * e / 2};
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_FORWARD, SS_OP_UNPAD, i), 2 * 2 * elements[i]);
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_UNPAD, 2 - i), 2 * 3 * elements[i]);
    EXPECT_TRUE(find(*build(workload), SS_PASS_FORWARD, SS_OP_UNPAD, i).synced);
  }
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_FORWARD, SS_OP_PAD), 2 * 3 * l * e);
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_PAD), 2 * 2 * l * e);
  EXPECT_NE(names(*build(workload), SS_PASS_FORWARD).find("unpad, unpad, unpad, flash attention, pad, projection"),
            std::string::npos);
}

/* A mixer of Mamba-2 with 16 heads of 64, states of 128 and one group reads 16 x 64 x 2 + 2 x 128 + 16 elements of a
 * token and writes 16 x 64. One sequence lies the same way either way round. */
TEST(Block, SequencesOfMambaAreTransposed)
{
  ss_workload workload = make_workload();
  workload.model.mixer = SS_MIXER_MAMBA;
  workload.model.state_heads = 16;
  workload.training.layout_copies = SS_YES;
  EXPECT_EQ(names(*build(workload), SS_PASS_FORWARD).find("copy"), std::string::npos);
  workload.training.micro_batch = 2;
  const double read = 2 * 16 * 64 + 2 * 128 + 16, written = 16 * 64;
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
    const bool forward = pass == SS_PASS_FORWARD;
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, pass, SS_OP_COPY, forward ? 0 : 1), 2 * 2 * read * 2 * l);
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, pass, SS_OP_COPY, forward ? 1 : 0), 2 * 2 * written * 2 * l);
  }
}

/* A metric of the loss reads logits of 16 bits and of fp32, and keeps nothing. */
TEST(Block, MetricsOfTheLoss)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 1000;
  const double kept_bytes = build(workload, SS_BLOCK_HEAD)->stored_bytes;
  EXPECT_EQ(names(*build(workload, SS_BLOCK_HEAD), SS_PASS_FORWARD).find("metric"), std::string::npos);
  workload.training.loss_metrics = 2;
  for (const int metric : {0, 1})
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_HEAD, SS_PASS_FORWARD, SS_OP_LOSS_METRIC, metric),
                     l * 1000 * (2 + 4 + 4 + 4 + 4 + 4));
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_HEAD)->stored_bytes, kept_bytes);
}

/* Of FSDP with one parameter for a layer, gradients of 16 bits are put side by side (read, written) and divided in fp32
 * (read, written), behind all else of backward; with a parameter for each weight, these are copied out of what was
 * gathered, ahead of both passes. Neither is so where weights stay, or gradients are reduced without shards. */
TEST(Block, CopiesOfFsdp)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = 8;
  workload.training.gradients = SS_GRADIENTS_FP32;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  const double weights = build(workload)->parameters[SS_WEIGHTS_DENSE];
  workload.parallelism.fsdp = SS_FSDP_FLAT;
  EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, SS_PASS_BACKWARD, SS_OP_FLATTEN), (2 + 2 + 4 + 4) * weights);
  EXPECT_EQ(tasks(*build(workload), SS_PASS_BACKWARD).back().activity, SS_OP_FLATTEN);
  workload.parallelism.fsdp = SS_FSDP_PER_PARAMETER;
  for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_LAYER, pass, SS_OP_COPY_OUT), (2 + 2) * weights);
    EXPECT_EQ(tasks(*build(workload), pass).front().activity, SS_OP_COPY_OUT);
  }
  for (const ss_fsdp fsdp : {SS_FSDP_FLAT, SS_FSDP_PER_PARAMETER}) {
    workload.parallelism.fsdp = fsdp;
    workload.parallelism.sharding = SS_SHARDING_OPTIMIZER;
    const std::string backward = names(*build(workload), SS_PASS_BACKWARD);
    EXPECT_EQ(backward.find("flat gradients"), std::string::npos);
    EXPECT_EQ(backward.find("copy of gathered weights"), std::string::npos);
  }
}

/* Bytes of a logit, forward and backward, and what is kept of it (operation.c). */
TEST(Block, KernelsOfTheLoss)
{
  ss_workload workload = make_workload();
  const double logits = l * static_cast<double>(workload.model.vocabulary);
  const double separate = build(workload, SS_BLOCK_HEAD)->stored_bytes;
  const auto expect = [&](ss_cross_entropy form, double forward, double backward, double kept) {
    workload.training.cross_entropy = form;
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_HEAD, SS_PASS_FORWARD, SS_OP_CROSS_ENTROPY), forward * logits);
    EXPECT_DOUBLE_EQ(bytes(workload, SS_BLOCK_HEAD, SS_PASS_BACKWARD, SS_OP_CROSS_ENTROPY), backward * logits);
    EXPECT_DOUBLE_EQ(separate - build(workload, SS_BLOCK_HEAD)->stored_bytes, (4 - kept) * logits);
  };
  expect(SS_CROSS_ENTROPY_SEPARATE, 6 + 4 + 8 + 8 + 4, 8 + 6, 4);
  expect(SS_CROSS_ENTROPY_LOG_SOFTMAX, 6 + 4 + 4 + 8, 4 + 4 + 12 + 6, 4);
  /* beside the result in fp32, backward has the gradient of it, and that of the logits */
  EXPECT_DOUBLE_EQ(build(workload, SS_BLOCK_HEAD)->scratch_bytes, 8 * logits);
  expect(SS_CROSS_ENTROPY_FUSED, 6 + 12 + 8, 6, 4);
  expect(SS_CROSS_ENTROPY_ONLINE, 2 + 4, 4, 2);
}

/* Two experts of a rank quantise in a kernel each, unless the host launches one for all, or scales are known ahead. */
TEST(Block, ExpertsQuantiseApart)
{
  ss_workload workload = mixture_on_ranks();
  workload.training.precision = SS_PRECISION_MXFP8;
  const auto kernels = [&] {
    double most = 0;
    for (const ss_task &task : tasks(*build(workload, SS_BLOCK_EXPERT), SS_PASS_FORWARD))
      if (task.activity == SS_OP_CAST) most = std::max(most, task.kernel.kernels);
    return most;
  };
  EXPECT_EQ(kernels(), 2);
  workload.training.expert_kernels = SS_EXPERT_KERNELS_GROUPED;
  EXPECT_EQ(kernels(), 0);
  workload.training.expert_kernels = SS_EXPERT_KERNELS_EACH;
  workload.training.precision = SS_PRECISION_FP8;
  EXPECT_EQ(kernels(), 0);
}

/* Two kernels of 1 GB take as long as twice one of 1 GB: two launches, and the efficiency of 1 GB. */
TEST(Cost, KernelsOneAfterTheOther)
{
  ss_machine machine = make_machine({});
  machine.hbm_efficiency = {2, {1e8, 1e10}, {0.2, 0.8}};
  machine.launch_overhead_s = 3e-6;
  const ss_kernel one = {SS_ENGINE_VECTOR, 0, 1e9, 0, SS_ACCESS_FRAMEWORK, {}, 0},
                  two = {SS_ENGINE_VECTOR, 0, 2e9, 0, SS_ACCESS_FRAMEWORK, {}, 2};
  const ss_duration once = ss_kernel_duration(&machine, SS_COST_CALIBRATED, &one);
  const ss_duration twice = ss_kernel_duration(&machine, SS_COST_CALIBRATED, &two);
  EXPECT_DOUBLE_EQ(twice.memory_s, 2 * once.memory_s);
  EXPECT_DOUBLE_EQ(twice.launch_s, 2 * once.launch_s);
}
