/* Residual streams (hyper-connections), against sums by hand: a Llama layer of 1,024 columns, 512 tokens, 4 streams,
 * whose parts have 4 + 4 + 16 weights of a token each. */
#include "tests/support/attributes.hpp"
#include "tests/support/blocks.hpp"

extern "C" {
#include "model/block/streams.h"
#include "model/estimate/estimate.h"
}

using namespace stepsim;

namespace
{

constexpr double l = 512, e = 1024, n = 4, weights = 24, stream = 2 * l * e;

ss_workload one()
{
  ss_workload workload = make_workload();
  workload.training.dropout = SS_NO;
  workload.model.mlp = SS_MLP_SWIGLU;
  return workload;
}

ss_workload with_streams()
{
  ss_workload workload = one();
  workload.model.residual_streams = static_cast<int64_t>(n);
  return workload;
}

ss_workload compiled()
{
  ss_workload workload = with_streams();
  workload.training.stream_kernels = SS_STREAMS_COMPILED;
  return workload;
}

double stream_parameters()
{
  const ss_workload workload = with_streams();
  return ss_stream_parameters(&workload);
}

double moved(const ss_workload &workload, ss_pass pass, ss_activity activity)
{
  return bytes(workload, pass, activity) / stream / 2; /* of each of both parts, in streams of 16 bits */
}

} /* namespace */

/* Each part reads a sum, and adds to streams in place of the residual. */
TEST(ResidualStreams, Tasks)
{
  const std::string input = "weights of streams, mixtures of streams, sum of streams, ";
  EXPECT_EQ(names(*build(with_streams()), SS_PASS_FORWARD),
            input + "norm 1, qkv, rotary embedding, flash attention, projection, residual streams, " + input +
                "norm 2, fc1, activation, fc2, residual streams");
  EXPECT_EQ(
      names(*build(one()), SS_PASS_FORWARD),
      "norm 1, qkv, rotary embedding, flash attention, projection, bias + dropout + add, norm 2, fc1, activation, "
      "fc2, bias + dropout + add");
}

/* A matrix of n e by 24, as many biases, and factors of the three kinds of weights. */
TEST(ResidualStreams, Parameters)
{
  const double part = n * e * weights + weights + 3;
  EXPECT_DOUBLE_EQ(stream_parameters(), n * e * weights);
  EXPECT_DOUBLE_EQ(build(with_streams())->parameters[SS_WEIGHTS_DENSE] - build(one())->parameters[SS_WEIGHTS_DENSE],
                   2 * part);
}

/* In streams, forward: 4 are read for weights; 4 read and one written for the sum; 4 and the output read and 4 written
 * behind the part. Backward: 4 read and 4 written; 4 and a gradient read and 4 written; gradients read twice, streams
 * and output once, 4 and one written; and three gradients of each stream are added up. */
TEST(ResidualStreams, FusedTraffic)
{
  const double summed = 6 * (n * e * weights + weights + 3); /* gradients of parameters, to sums in fp32 */
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_FORWARD, SS_OP_STREAM_WEIGHTS), 4);
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_FORWARD, SS_OP_STREAM_SUM), 4 + 1);
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_FORWARD, SS_OP_STREAM_OUTPUT), 4 + 1 + 4);
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_BACKWARD, SS_OP_STREAM_WEIGHTS), 4 + 4 + summed / stream);
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_BACKWARD, SS_OP_STREAM_SUM), 4 + 1 + 4);
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_BACKWARD, SS_OP_STREAM_OUTPUT), 4 + 4 + 4 + 1 + 4 + 1);
  EXPECT_DOUBLE_EQ(moved(with_streams(), SS_PASS_BACKWARD, SS_OP_INPUT_SUM), (3 + 1) * 4);
}

/* A copy in fp32 is written and read for the weights; mixtures are written and read. */
TEST(ResidualStreams, CompiledTraffic)
{
  EXPECT_DOUBLE_EQ(moved(compiled(), SS_PASS_FORWARD, SS_OP_STREAM_WEIGHTS), 4 + 2 * 4 + 2 * 4);
  EXPECT_DOUBLE_EQ(moved(compiled(), SS_PASS_FORWARD, SS_OP_STREAM_OUTPUT), 4 + 4 + 4 + 1 + 4);
  EXPECT_DOUBLE_EQ(moved(compiled(), SS_PASS_FORWARD, SS_OP_STREAM_SUM), 4 + 1);
}

/* Streams are kept ahead of each part, its output behind it, and numbers of each token in fp32: mixtures, and weights
 * of sum and output. With recomputation of mHC neither streams nor what parts read of them, nor what norms make of it,
 * is; sums, norms and streams are made again. */
TEST(ResidualStreams, Memory)
{
  const double part = n * stream + stream + 4 * l * weights;
  EXPECT_DOUBLE_EQ(build(with_streams())->stored_bytes - build(one())->stored_bytes, 2 * part);
  ss_workload again = with_streams();
  again.training.recompute = SS_RECOMPUTE_SELECTIVE;
  again.training.recompute_modules = SS_WORD_BIT(SS_RECOMPUTE_MHC);
  const BlockPointer made = build(again), kept = build(with_streams());
  EXPECT_DOUBLE_EQ(kept->stored_bytes - made->stored_bytes, 2 * (n + 2) * stream);
  for (const ss_activity activity : {SS_OP_STREAM_SUM, SS_OP_STREAM_OUTPUT})
    EXPECT_DOUBLE_EQ(bytes(*made, SS_PASS_BACKWARD, activity) - bytes(*kept, SS_PASS_BACKWARD, activity),
                     bytes(*kept, SS_PASS_FORWARD, activity));
}

/* Copies behind the embedding, one state ahead of the final norm; messages between stages have all streams. */
TEST(ResidualStreams, Ends)
{
  const BlockPointer embedding = build(with_streams(), SS_BLOCK_EMBEDDING), head = build(with_streams(), SS_BLOCK_HEAD);
  EXPECT_EQ(names(*embedding, SS_PASS_FORWARD), "embedding lookup, copy");
  EXPECT_DOUBLE_EQ(bytes(*embedding, SS_PASS_FORWARD, SS_OP_COPY), (1 + n) * stream);
  EXPECT_EQ(names(*head, SS_PASS_FORWARD).rfind("sum of streams, final norm", 0), 0u);
  EXPECT_DOUBLE_EQ(head->parameters[SS_WEIGHTS_DENSE] - build(one(), SS_BLOCK_HEAD)->parameters[SS_WEIGHTS_DENSE],
                   n * n * e + n + 1);
  const Job with(with_streams(), make_machine({})), without(one(), make_machine({}));
  EXPECT_DOUBLE_EQ(with.get()->message_bytes[SS_CARGO_STATES], n * without.get()->message_bytes[SS_CARGO_STATES]);
}

/* Of a module, each stream has a product, and all have that of the next token. */
TEST(ResidualStreams, Module)
{
  ss_workload workload = with_streams();
  workload.model.mtp_modules = 1;
  const BlockPointer module = build(workload, SS_BLOCK_MODULE);
  EXPECT_DOUBLE_EQ(find(*module, SS_PASS_FORWARD, SS_OP_MERGER, 0).kernel.flop, l * e * (2 * e - 1));
  EXPECT_DOUBLE_EQ(find(*module, SS_PASS_FORWARD, SS_OP_MERGER, 1).kernel.flop, n * l * e * (2 * e - 1));
  EXPECT_DOUBLE_EQ(module->parameters[SS_WEIGHTS_DENSE] - build(with_streams())->parameters[SS_WEIGHTS_DENSE],
                   2 * e * e + 3 * e + n * n * e + n + 1);
}
