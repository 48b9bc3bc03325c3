/* First and last layers that stay in 16 bits. */
#include "tests/support/random_jobs.hpp"

using namespace stepsim;

namespace
{

constexpr double n = 12 * 1024.0 * 1024 + 10 * 1024; /* parameters of a layer */

ss_machine machine()
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 624e12;
  return machine;
}

ss_workload ends_in_16bit(ss_precision precision, int64_t first, int64_t last)
{
  ss_workload workload = make_workload();
  workload.training.precision = precision;
  workload.training.bf16_first_layers = first;
  workload.training.bf16_last_layers = last;
  return workload;
}

/* Forward and backward of every block of the only chunk. */
std::vector<double> block_times(const ss_workload &workload)
{
  const Job job(workload, machine(), SS_COST_CALIBRATED);
  std::vector<double> times;
  for (int64_t i = 0; i < ss_job_block_count(job.get(), {0, 0}); ++i) {
    const ss_duration *pass = job->pass[ss_job_block_kind(job.get(), {0, 0}, i)];
    times.push_back(ss_duration_sum(pass[SS_PASS_FORWARD]) + ss_duration_sum(pass[SS_PASS_BACKWARD]));
  }
  return times;
}

/* The same job without a recipe. */
ss_workload in_16bit(ss_workload workload)
{
  workload.training.precision = SS_PRECISION_BF16;
  workload.training.bf16_first_layers = workload.training.bf16_last_layers = 0;
  workload.training.gather_type = workload.training.weights_type = SS_AS_16BIT;
  workload.training.attention_type = SS_AS_16BIT;
  workload.training.dispatch_type = SS_DISPATCH_16BIT;
  workload.training.expert_padding = SS_NO;
  return workload;
}

} /* namespace */

/* Two of eight layers at the start and one at the end have no copies; what ranks gather of them has 2 bytes, of the
 * others one. */
TEST(LayersIn16Bit, HaveNoCopiesOfWeights)
{
  ss_workload workload = ends_in_16bit(SS_PRECISION_FP8_CURRENT, 2, 1);
  const auto memory = [&] {
    const Job job(workload, machine(), SS_COST_CALIBRATED);
    return ss_estimate_stage_memory(job.get(), 0);
  };
  EXPECT_DOUBLE_EQ(memory().weights_bytes, n * (8 * 2 + 5 * 1));
  workload.training.weights_type = SS_AS_OPERANDS;
  EXPECT_DOUBLE_EQ(memory().weights_bytes, n * (3 * 2 + 5 * 1));
  workload.parallelism.dp = workload.training.global_batch = 2;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.parallelism.shards = SS_SHARDS_16BIT;
  workload.schedule.prefetch = 0;
  EXPECT_DOUBLE_EQ(memory().weights_bytes, n * ((3 * 2 + 5 * 1) / 2.0 + 2));
}

/* Layer by layer they take the time of one job or of the other; with experts, too, of which the first layer is dense.
 */
TEST(LayersIn16Bit, TakeTheTimeOf16Bit)
{
  for (const int64_t experts : {0, 8}) {
    ss_workload workload = ends_in_16bit(SS_PRECISION_FP8_CURRENT, 2, 1);
    workload.model.experts = experts;
    workload.model.dense_layers = experts > 0 ? 1 : 0;
    const std::vector<double> mixed = block_times(workload), all = block_times(in_16bit(workload));
    workload.training.bf16_first_layers = workload.training.bf16_last_layers = 0;
    const std::vector<double> quantised = block_times(workload);
    ASSERT_EQ(mixed.size(), 8u);
    for (size_t i = 0; i < mixed.size(); ++i) EXPECT_DOUBLE_EQ(mixed[i], (i < 2 || i == 7 ? all : quantised)[i]) << i;
    EXPECT_NE(all[4], quantised[4]);
  }
}

/* Kinds keep what they have of their own: here a smaller MLP in every other layer. */
TEST(LayersIn16Bit, AreOfTheirKind)
{
  ss_workload workload = ends_in_16bit(SS_PRECISION_MXFP8, 1, 2);
  (void)snprintf(workload.model.kinds, sizeof workload.model.kinds, "w ffn=2048; f");
  (void)snprintf(workload.model.pattern, sizeof workload.model.pattern, "wf");
  const std::vector<double> mixed = block_times(workload), all = block_times(in_16bit(workload));
  workload.training.bf16_first_layers = workload.training.bf16_last_layers = 0;
  const std::vector<double> quantised = block_times(workload);
  for (size_t i = 0; i < mixed.size(); ++i) EXPECT_DOUBLE_EQ(mixed[i], (i < 1 || i > 5 ? all : quantised)[i]) << i;
  EXPECT_NE(all[0], all[1]);
}

/* Modules behind the last layer are as those of a job without such layers. */
TEST(LayersIn16Bit, AreNoModules)
{
  ss_workload workload = ends_in_16bit(SS_PRECISION_FP8_CURRENT, 0, 1);
  workload.model.vocabulary = 32000;
  workload.model.mtp_modules = 1;
  const std::vector<double> mixed = block_times(workload);
  workload.training.bf16_last_layers = 0;
  const std::vector<double> quantised = block_times(workload);
  ASSERT_EQ(mixed.size(), 12u); /* embedding, layers, lookup, module, output layer */
  EXPECT_NE(mixed[8], quantised[8]);
  EXPECT_EQ(mixed[10], quantised[10]);
}

/* Modules that stay in 16 bits beside layers that do not take the time of a job in 16 bits. */
TEST(LayersIn16Bit, PreciseModules)
{
  ss_workload workload = ends_in_16bit(SS_PRECISION_FP8_CURRENT, 0, 0);
  workload.model.vocabulary = 32000;
  workload.model.mtp_modules = 1;
  const std::vector<double> quantised = block_times(workload), all = block_times(in_16bit(workload));
  workload.training.precise_modules = SS_WORD_BIT(SS_PRECISE_MTP);
  const std::vector<double> mixed = block_times(workload);
  ASSERT_EQ(mixed.size(), 12u);
  for (size_t i = 0; i < mixed.size(); ++i) EXPECT_DOUBLE_EQ(mixed[i], (i == 10 ? all : quantised)[i]) << i;
  EXPECT_NE(all[10], quantised[10]);
}

/* Four kinds, each in 16 bits and not: eight in all. */
TEST(LayersIn16Bit, FourKinds)
{
  ss_workload workload = ends_in_16bit(SS_PRECISION_MXFP8, 0, 4);
  (void)snprintf(workload.model.kinds, sizeof workload.model.kinds, "a ffn=1024; b ffn=2048; c ffn=3072; d");
  (void)snprintf(workload.model.pattern, sizeof workload.model.pattern, "abcd");
  const std::vector<double> mixed = block_times(workload), all = block_times(in_16bit(workload));
  workload.training.bf16_last_layers = 0;
  const std::vector<double> quantised = block_times(workload);
  ASSERT_EQ(mixed.size(), 8u);
  for (size_t i = 0; i < mixed.size(); ++i) EXPECT_DOUBLE_EQ(mixed[i], (i > 3 ? all : quantised)[i]) << i;
}

/* Where all layers stay in 16 bits, a random job is the one without a recipe. */
TEST(LayersIn16Bit, AllOfThemAreAJobIn16Bit)
{
  std::mt19937 random(41 + seed);
  for (int i = 0; i < 200; ++i) {
    ss_workload workload = random_workload(random);
    const ss_machine on = random_machine(random);
    workload.training.precision = SS_PRECISION_MXFP8;
    workload.training.bf16_first_layers = workload.model.layers;
    workload.training.bf16_last_layers = workload.model.mtp_modules = 0;
    workload.parallelism.layout[0] = '\0';
    workload.training.expert_kernels = SS_EXPERT_KERNELS_EACH;
    workload.training.output_type = SS_AS_16BIT; /* the output layer is no layer */
    if (ss_workload_check(&workload, nullptr) != SS_OK) continue;
    SCOPED_TRACE(i);
    const Job quantised(workload, on, SS_COST_CALIBRATED), plain(in_16bit(workload), on, SS_COST_CALIBRATED);
    EXPECT_EQ(ss_estimate_time(quantised.get()).iteration_s, ss_estimate_time(plain.get()).iteration_s);
    EXPECT_EQ(ss_estimate_memory(quantised.get()).total_bytes, ss_estimate_memory(plain.get()).total_bytes);
  }
}
