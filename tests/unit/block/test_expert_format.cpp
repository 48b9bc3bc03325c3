/* Routed experts and modules that have more bits than other products (training.expert-type,
 * training.precise-modules). */
#include "tests/support/blocks.hpp"
#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

ss_workload experts(ss_precision precision, ss_held_as type)
{
  ss_workload workload = mixture();
  workload.model.shared_experts = 1;
  workload.training.precision = precision;
  workload.training.expert_type = type;
  return workload;
}

ss_machine machine()
{
  ss_machine machine = make_machine({});
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = machine.nvfp4_flop_per_s = 624e12;
  machine.fp8_efficiency = {1, {1}, {0.5}};
  return machine;
}

bool is_product(const ss_task &task)
{
  return task.kernel.flop > 0.0 && task.kernel.engine != SS_ENGINE_VECTOR;
}

bool is_of_experts(const ss_task &task)
{
  return task.activity == SS_OP_EXPERT_FC1 || task.activity == SS_OP_EXPERT_FC2;
}

/* Times of products of routed experts, or of the others, in order. */
std::vector<double> products(const ss_workload &workload, ss_pass pass, bool of_experts)
{
  const ss_machine on = machine();
  std::vector<double> times;
  for (const ss_task &task : tasks(*build_on(on, workload, SS_BLOCK_EXPERT), pass))
    if (is_product(task) && is_of_experts(task) == of_experts)
      times.push_back(ss_duration_sum(ss_kernel_duration(&on, SS_COST_CALIBRATED, &task.kernel)));
  return times;
}

} /* namespace */

/* Their products are those of a layer in 16 bits, all others those of one in which all have fewer; nothing quantises
 * what they read. */
TEST(ExpertFormat, ProductsOfExpertsOnly)
{
  for (const ss_precision precision : {SS_PRECISION_FP8_CURRENT, SS_PRECISION_FP8_ROWS, SS_PRECISION_MXFP8})
    for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD}) {
      const ss_workload mixed = experts(precision, SS_AS_16BIT), fewer = experts(precision, SS_AS_OPERANDS),
                        none = experts(SS_PRECISION_BF16, SS_AS_OPERANDS);
      EXPECT_EQ(products(mixed, pass, true), products(none, pass, true));
      EXPECT_EQ(products(mixed, pass, false), products(fewer, pass, false));
      EXPECT_NE(products(fewer, pass, true), products(none, pass, true));
      EXPECT_FALSE(products(none, pass, true).empty());
      EXPECT_LT(bytes(*build_on(machine(), mixed, SS_BLOCK_EXPERT), pass, SS_OP_CAST),
                bytes(*build_on(machine(), fewer, SS_BLOCK_EXPERT), pass, SS_OP_CAST));
    }
}

/* Of dense weights there is a copy in one byte beside two, of those of experts none; ranks that gather operands gather
 * these in 1 byte, and those in 2. */
TEST(ExpertFormat, WeightsOfExpertsHaveNoCopies)
{
  const auto weights = [](ss_held_as weights_type) {
    ss_workload workload = experts(SS_PRECISION_FP8_CURRENT, SS_AS_16BIT);
    workload.training.weights_type = weights_type;
    const Job job(workload, machine(), SS_COST_CALIBRATED);
    const double dense = ss_job_stage_parameters(job.get(), 0, SS_WEIGHTS_DENSE),
                 routed = ss_job_stage_parameters(job.get(), 0, SS_WEIGHTS_EXPERT);
    const double copies = weights_type == SS_AS_OPERANDS ? 1 : 3;
    EXPECT_GT(routed, dense);
    EXPECT_DOUBLE_EQ(ss_estimate_stage_memory(job.get(), 0).weights_bytes, copies * dense + 2 * routed);
  };
  weights(SS_AS_16BIT);
  weights(SS_AS_OPERANDS);
}

/* Where nothing is quantised, they are as all others. */
TEST(ExpertFormat, SaysNothingIn16Bits)
{
  const Job mixed(experts(SS_PRECISION_BF16, SS_AS_16BIT), machine(), SS_COST_CALIBRATED),
      none(experts(SS_PRECISION_BF16, SS_AS_OPERANDS), machine(), SS_COST_CALIBRATED);
  EXPECT_EQ(ss_estimate_time(mixed.get()).iteration_s, ss_estimate_time(none.get()).iteration_s);
}

/* Products of attention and of the latent size take the time that they have in a layer in 16 bits, all others that of
 * one without. */
TEST(PreciseModules, ProductsOfModulesOnly)
{
  ss_workload workload = experts(SS_PRECISION_MXFP8, SS_AS_OPERANDS);
  workload.model.expert_latent = 512;
  const auto of = [&](ss_precision precision, ss_word_set modules, bool precise) {
    const ss_machine on = machine();
    ss_workload own = workload;
    own.training.precision = precision;
    own.training.precise_modules = modules;
    std::vector<double> times;
    for (const ss_task &task : tasks(*build_on(on, own, SS_BLOCK_EXPERT), SS_PASS_FORWARD)) {
      const bool is = task.activity == SS_OP_QKV || task.activity == SS_OP_PROJECTION ||
                      task.activity == SS_OP_LATENT_DOWN || task.activity == SS_OP_LATENT_UP;
      if (is_product(task) && is == precise)
        times.push_back(ss_duration_sum(ss_kernel_duration(&on, SS_COST_CALIBRATED, &task.kernel)));
    }
    return times;
  };
  const auto modules = static_cast<ss_word_set>(SS_WORD_BIT(SS_PRECISE_QKV) | SS_WORD_BIT(SS_PRECISE_PROJ) |
                                                SS_WORD_BIT(SS_PRECISE_LATENT_PROJ));
  EXPECT_EQ(of(SS_PRECISION_MXFP8, modules, true), of(SS_PRECISION_BF16, 0, true));
  EXPECT_EQ(of(SS_PRECISION_MXFP8, modules, false), of(SS_PRECISION_MXFP8, 0, false));
  EXPECT_NE(of(SS_PRECISION_MXFP8, 0, true), of(SS_PRECISION_BF16, 0, true));
  EXPECT_EQ(of(SS_PRECISION_MXFP8, 0, true).size(), 4u);
}

/* With nvfp4 the output of a state-space layer takes 8 bits, as in a layer of mxfp8, and its input 4. */
TEST(PreciseModules, OutputsOfStateSpaces)
{
  ss_workload workload = make_workload();
  workload.model.mixer = SS_MIXER_MAMBA;
  workload.model.state_heads = 64;
  workload.model.state_head_size = 64;
  workload.model.state_size = 128;
  workload.model.state_groups = 8;
  workload.model.state_chunk = 128;
  workload.model.convolution = 4;
  ss_machine on = machine();
  on.nvfp4_flop_per_s = 3 * on.mxfp8_flop_per_s;
  const auto of = [&](ss_precision precision, ss_word_set modules, ss_activity activity) {
    ss_workload own = workload;
    own.training.precision = precision;
    own.training.precise_modules = modules;
    for (const ss_task &task : tasks(*build_on(on, own, SS_BLOCK_LAYER), SS_PASS_FORWARD))
      if (is_product(task) && task.activity == activity)
        return ss_duration_sum(ss_kernel_duration(&on, SS_COST_CALIBRATED, &task.kernel));
    return 0.0;
  };
  const ss_word_set output = SS_WORD_BIT(SS_PRECISE_OUT_PROJ);
  EXPECT_EQ(of(SS_PRECISION_NVFP4, output, SS_OP_MIXER_OUT), of(SS_PRECISION_MXFP8, 0, SS_OP_MIXER_OUT));
  EXPECT_EQ(of(SS_PRECISION_NVFP4, output, SS_OP_MIXER_IN), of(SS_PRECISION_NVFP4, 0, SS_OP_MIXER_IN));
  EXPECT_LT(of(SS_PRECISION_NVFP4, 0, SS_OP_MIXER_OUT), of(SS_PRECISION_NVFP4, output, SS_OP_MIXER_OUT));
}
