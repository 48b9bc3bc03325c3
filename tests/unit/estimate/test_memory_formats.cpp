/* Memory of weights and optimizer states by their formats, of the small transformer: n parameters in eight layers. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/estimate/estimate.h"
}

using namespace stepsim;

namespace
{

constexpr double n = 8 * (12 * 1024.0 * 1024 + 10 * 1024);

ss_memory memory_of(const ss_workload &workload)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 624e12;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  return ss_estimate_stage_memory(job.get(), 0);
}

} /* namespace */

/* Both copies have scales: of 128 x 128 values, of 32, of 16. With one scale of the tensor there is one copy, as the
 * machine reads it in either order. */
TEST(Memory, CopiesOfWeightsByRecipe)
{
  ss_workload workload = make_workload();
  const auto weights_bytes = [&](ss_precision precision) {
    workload.training.precision = precision;
    return memory_of(workload).weights_bytes / n;
  };
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_FP8_CURRENT), 2 + 1);
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_FP8_WGRAD16), 2 + 1);
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_FP8_BLOCK), 2 + 2 * (1 + 4.0 / (128 * 128)));
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_MXFP8), 2 + 2 * (1 + 1.0 / 32));
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_NVFP4), 2 + 2 * (0.5 + 1.0 / 16));
}

/* Where weights are kept as products take them, there are none in 16 bits; embedding and output layer are not layers.
 */
TEST(Memory, WeightsAsOperands)
{
  ss_workload workload = make_workload();
  workload.training.weights_type = SS_AS_OPERANDS;
  const auto weights_bytes = [&](ss_precision precision) {
    workload.training.precision = precision;
    return memory_of(workload).weights_bytes;
  };
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_FP8) / n, 1);
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_MXFP8) / n, 2 * (1 + 1.0 / 32));
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_NVFP4) / n, 2 * (0.5 + 1.0 / 16));
  workload.model.vocabulary = 1000;
  EXPECT_DOUBLE_EQ(weights_bytes(SS_PRECISION_FP8), n + 2 * (2 * 1000 * 1024 + 2 * 1024));
}

/* Copies of the weights of an output layer that is as layers are, beside 16 bits; its norm is counted with it. */
TEST(Memory, OutputAsOperands)
{
  ss_workload workload = make_workload();
  workload.model.vocabulary = 1000;
  workload.training.precision = SS_PRECISION_MXFP8;
  workload.training.weights_type = SS_AS_OPERANDS;
  const double before = memory_of(workload).weights_bytes;
  workload.training.output_type = SS_AS_OPERANDS;
  EXPECT_DOUBLE_EQ(memory_of(workload).weights_bytes - before, 2 * (1 + 1.0 / 32) * (1000 * 1024 + 2 * 1024));
}

/* Two ranks with half of the weights each, as they are gathered, and the copies of two of eight layers. */
TEST(Memory, ShardsOfOperands)
{
  ss_workload workload = make_workload();
  workload.parallelism.dp = workload.training.global_batch = 2;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.parallelism.shards = SS_SHARDS_16BIT;
  workload.training.precision = SS_PRECISION_NVFP4;
  EXPECT_DOUBLE_EQ(memory_of(workload).weights_bytes / n, 2.0 / 2 + (2 + 1.125) * 2 / 8);
  workload.training.weights_type = SS_AS_OPERANDS;
  EXPECT_DOUBLE_EQ(memory_of(workload).weights_bytes / n, 0.5625 / 2 + 1.125 * 2 / 8);
}

/* Bytes per parameter that ranks gather: 1 in fp8, 2 in MXFP8, half a byte and a sixteenth in NVFP4. */
TEST(Gather, WeightsAsOperands)
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 624e12;
  ss_workload workload = make_workload();
  workload.model.vocabulary = 1000;
  const auto gathered_bytes = [&](ss_precision precision, ss_block_kind kind) {
    workload.training.precision = precision;
    const Job job(workload, machine, SS_COST_CALIBRATED);
    return job->gather_bytes[kind][SS_WEIGHTS_DENSE] / job->block[kind].parameters[SS_WEIGHTS_DENSE];
  };
  EXPECT_DOUBLE_EQ(gathered_bytes(SS_PRECISION_FP8, SS_BLOCK_LAYER), 2);
  workload.training.weights_type = SS_AS_OPERANDS;
  EXPECT_DOUBLE_EQ(gathered_bytes(SS_PRECISION_FP8, SS_BLOCK_LAYER), 1);
  EXPECT_DOUBLE_EQ(gathered_bytes(SS_PRECISION_FP8, SS_BLOCK_HEAD), 2);
  EXPECT_DOUBLE_EQ(gathered_bytes(SS_PRECISION_MXFP8, SS_BLOCK_LAYER), 2);
  EXPECT_DOUBLE_EQ(gathered_bytes(SS_PRECISION_NVFP4, SS_BLOCK_LAYER), 0.5625);
}

namespace
{

ss_memory memory_on(const ss_workload &workload, const ss_machine &machine)
{
  const Job job(workload, machine, SS_COST_CALIBRATED);
  return ss_estimate_memory(job.get());
}

} /* namespace */

/* What no tensor can have is taken off the capacity; a job that fits to the byte does not with one byte less. */
TEST(Memory, LeavesRoomForWhatIsReserved)
{
  ss_machine machine = make_machine({});
  const ss_workload workload = make_workload();
  const ss_memory free = memory_on(workload, machine);
  EXPECT_EQ(free.capacity_bytes, machine.hbm_bytes);
  EXPECT_EQ(free.reserved_bytes, 0.0);
  machine.memory_reserved_bytes = 3.0;
  machine.hbm_bytes = free.total_bytes + 3.0;
  const ss_memory full = memory_on(workload, machine);
  EXPECT_TRUE(full.fits);
  EXPECT_EQ(full.total_bytes, free.total_bytes);
  EXPECT_EQ(full.capacity_bytes, free.total_bytes);
  EXPECT_EQ(full.reserved_bytes, 3.0);
  machine.memory_reserved_bytes = 4.0;
  EXPECT_FALSE(memory_on(workload, machine).fits);
}
