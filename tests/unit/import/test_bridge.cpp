/* Sections of a ConfigContainer of Megatron-Bridge that go over others, and layouts as dumps have them. Rules are those
 * of runtime_config_update (src/megatron/bridge/training/config.py) and CommOverlapConfig (training/comm_overlap.py).
 */
#include <algorithm>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

/* Imports a file and returns what is said of it: the error with its line, or the notes of what goes over what. */
std::string import_text(const std::string &text, ss_workload *workload)
{
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, workload);
  const ss_status status = ss_import_read_text(&import, "FILE", text.c_str(), &error);
  std::string said;
  char *line = nullptr;
  if (status == SS_OK) (void)ss_import_notes(&import, SS_NOTE_OVER, &line, &error);
  if (line != nullptr) said = std::string(line).substr(std::string(line).find(": ") + 2);
  std::free(line);
  ss_import_free(&import);
  return status == SS_OK ? said : std::to_string(error.line) + ": " + error.message;
}

/* 16 layers in 4 stages of `chunks` chunks, whose sends and sums are said to be exposed. */
std::string container(const std::string &chunks, const std::string &overlap, const std::string &model = "",
                      const std::string &distributed = "true")
{
  return "ddp:\n  overlap_grad_reduce: false\n  use_distributed_optimizer: " + distributed +
         "\nmodel:\n  num_layers: 16\n  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 128\n"
         "  pipeline_model_parallel_size: 4\n  overlap_p2p_comm: false\n  virtual_pipeline_model_parallel_size: " +
         chunks + "\n" + model + overlap;
}

const std::string section = "comm_overlap:\n  _target_: CommOverlapConfig\n  tp_comm_overlap: false\n";

} // namespace

/* A dump, shortened: all fields that it may differ in between its sections. */
TEST(Bridge, DumpsAreRead)
{
  const std::string dump = R"(_target_: megatron.bridge.training.config.ConfigContainer
comm_overlap:
  _target_: megatron.bridge.training.comm_overlap.CommOverlapConfig
  delay_wgrad_compute: true
  overlap_grad_reduce: true
  overlap_moe_expert_parallel_comm: true
  overlap_p2p_comm: null
  tp_comm_overlap: false
ddp:
  delay_wgrad_compute: false
  grad_reduce_in_fp32: false
  use_distributed_optimizer: true
mixed_precision:
  bf16: true
  first_last_layers_bf16: true
  fp8: e4m3
  fp8_recipe: mxfp8
  grad_reduce_in_fp32: true
  num_layers_at_end_in_bf16: 2
  num_layers_at_start_in_bf16: 0
model:
  delay_wgrad_compute: false
  expert_model_parallel_size: 8
  first_last_layers_bf16: false
  fp8: null
  fp8_recipe: delayed
  hidden_size: 512
  mtp_num_layers: 1
  num_attention_heads: 8
  num_layers: 9
  num_layers_at_end_in_bf16: 1
  num_layers_at_start_in_bf16: 1
  num_moe_experts: 16
  overlap_moe_expert_parallel_comm: false
  pipeline_model_parallel_layout:
  - - embedding
    - decoder
  - - decoder
    - decoder
    - decoder
  - [decoder, decoder, decoder]
  - - decoder
    - decoder
    - mtp
    - loss
  pipeline_model_parallel_size: 2
  seq_length: 4096
  transformer_layer_spec:
    _args_: []
    _partial_: true
    _target_: megatron.bridge.models.layer_spec
    use_transformer_engine: true
  virtual_pipeline_model_parallel_size: 2
  vocab_size: 1024
train:
  check_optimizer_step_success: true
  global_batch_size: 64
  micro_batch_size: 1
)";
  ss_workload w;
  EXPECT_EQ(import_text(dump, &w),
            "ddp.delay_wgrad_compute=false, ddp.grad_reduce_in_fp32=false, model.delay_wgrad_compute=false, "
            "model.first_last_layers_bf16=false, model.fp8_recipe=delayed, model.num_layers_at_end_in_bf16=1, "
            "model.num_layers_at_start_in_bf16=1, model.overlap_moe_expert_parallel_comm=false");
  EXPECT_STREQ(w.parallelism.layout, "Et|t*3|t*3|t*2mL");
  EXPECT_EQ(w.training.precision, SS_PRECISION_MXFP8);
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_FP32);
  EXPECT_EQ(w.training.bf16_first_layers, 0);
  EXPECT_EQ(w.training.bf16_last_layers, 2);
  EXPECT_EQ(w.schedule.overlap_ep, SS_EP_OVERLAP_DELAYED);
  EXPECT_EQ(w.schedule.overlap_pp, SS_YES);
  EXPECT_EQ(w.schedule.overlap_dp, SS_YES);
}

/* PyYAML keeps the last of two values, which is refused where a prediction could differ. */
TEST(Bridge, SecondValuesThatMatterAreRefused)
{
  const std::string arguments = "MODEL_ARGS:\n  --num-layers: 2\n  --hidden-size: 64\n  --num-attention-heads: 4\n",
                    twice = "  --init-method-std: 0.01\n  --init-method-std: 0.02\n";
  ss_workload w;
  EXPECT_EQ(import_text(arguments + twice, &w), "");
  EXPECT_EQ(import_text(arguments + twice + "  --num-layers: 4\n", &w),
            "7: MODEL_ARGS.--num-layers: occurs again, first in line 2");
  EXPECT_EQ(import_text(arguments + "  --new-mixer: 1\n  --new-mixer: 2\n", &w).substr(0, 17), "5: not known of M");
}

TEST(Bridge, LayoutsHaveKnownParts)
{
  const auto layout = [](const std::string &parts) {
    return container("1", "", "  pipeline_model_parallel_layout: " + parts + "\n");
  };
  ss_workload w;
  EXPECT_EQ(import_text(layout("[[embedding, decoder], [], [loss]]"), &w), "");
  EXPECT_STREQ(w.parallelism.layout, "Et||L");
  EXPECT_EQ(
      import_text(layout("[[embedding, encoders]]"), &w),
      "12: model.pipeline_model_parallel_layout.0: has what is no layer; allowed: embedding, decoder, mtp and loss");
  std::string many = "[[embedding]";
  for (int i = 0; i < 200; ++i) many += ", [decoder]";
  EXPECT_NE(import_text(layout(many + "]"), &w).find("parallelism.layout is longer than 255 bytes"), std::string::npos);
}

/* What is not said is on where it can be; what the model and ddp say counts for nothing. */
TEST(Bridge, OverlapsWhatItDoesNotSay)
{
  ss_workload w;
  EXPECT_EQ(import_text(container("2", ""), &w), "");
  EXPECT_EQ(w.schedule.overlap_pp, SS_NO);
  EXPECT_EQ(w.schedule.overlap_dp, SS_NO);
  EXPECT_EQ(import_text(container("2", section), &w), "ddp.overlap_grad_reduce=false, model.overlap_p2p_comm=false");
  EXPECT_EQ(w.schedule.overlap_pp, SS_YES);
  EXPECT_EQ(w.schedule.overlap_dp, SS_YES);
  EXPECT_EQ(import_text(container("2", section + "  overlap_p2p_comm: false\n  overlap_grad_reduce: false\n"), &w), "");
  EXPECT_EQ(w.schedule.overlap_pp, SS_NO);
  EXPECT_EQ(w.schedule.overlap_dp, SS_NO);
}

/* Chunks that only a layout makes come when the section has set up its sends: vp_size of _get_model_comm_overlap_cfgs
 * is 1, so that they are exposed and put together. */
TEST(Bridge, OverlapsNoSendsOfChunksThatALayoutMakes)
{
  const std::string layout = "  pipeline_model_parallel_layout: Et|t*2|t*2|t*2|t*2|t*2|t*2|t*3L\n",
                    experts = "  num_moe_experts: 8\n  expert_model_parallel_size: 4\n";
  ss_workload w;
  EXPECT_EQ(import_text(container("null", section, layout), &w),
            "ddp.overlap_grad_reduce=false, model.overlap_p2p_comm=false");
  EXPECT_EQ(w.parallelism.interleave, 2);
  EXPECT_EQ(w.schedule.overlap_pp, SS_NO);
  (void)import_text(container("2", section, layout), &w);
  EXPECT_EQ(w.schedule.overlap_pp, SS_YES);
  EXPECT_EQ(import_text(container("null", section + "  overlap_p2p_comm: true\n", layout), &w).substr(0, 71),
            "16: overlap-p2p-comm=1: is on with stages that have one chunk; allowed:");
  EXPECT_EQ(import_text(container("null", section + "  overlap_moe_expert_parallel_comm: true\n", layout + experts), &w)
                .substr(0, 87),
            "18: overlap-moe-expert-parallel-comm=1: is on with stages that have one chunk; allowed:");
}

/* Without the distributed optimizer ddp keeps what it says. */
TEST(Bridge, OverlapsGradientsOfTheDistributedOptimizer)
{
  ss_workload w;
  EXPECT_EQ(import_text(container("2", section + "  overlap_grad_reduce: true\n", "", "false"), &w),
            "model.overlap_p2p_comm=false, comm_overlap.overlap_grad_reduce=true");
  EXPECT_EQ(w.schedule.overlap_dp, SS_NO);
}

/* Passes in pairs of the model are off unless the section has them. */
TEST(Bridge, PairsPassesOfTheSectionOnly)
{
  const std::string experts = "  num_moe_experts: 8\n  expert_model_parallel_size: 4\n",
                    pairs = "  overlap_moe_expert_parallel_comm: true\n";
  ss_workload w;
  EXPECT_EQ(import_text(container("2", "", experts + pairs), &w), "");
  EXPECT_EQ(w.schedule.overlap_ep, SS_EP_OVERLAP_PAIRED);
  (void)import_text(container("2", section, experts + pairs), &w);
  EXPECT_EQ(w.schedule.overlap_ep, SS_EP_OVERLAP_NONE);
  (void)import_text(container("2", section + pairs, experts), &w);
  EXPECT_EQ(w.schedule.overlap_ep, SS_EP_OVERLAP_PAIRED);
}

TEST(Bridge, RefusesWhatASectionAsserts)
{
  const std::string experts = "  num_moe_experts: 8\n  expert_model_parallel_size: 4\n",
                    pairs = "  overlap_moe_expert_parallel_comm: true\n";
  const auto said = [&](const std::string &chunks, const std::string &overlap, const std::string &model) {
    ss_workload w;
    const std::string text = import_text(container(chunks, section + overlap, model), &w);
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(said("null", "  overlap_p2p_comm: true\n", ""),
            "overlap-p2p-comm=1: is on with stages that have one chunk; allowed: false, or a "
            "virtual_pipeline_model_parallel_size");
  EXPECT_EQ(said("2", "  batch_p2p_comm: true\n", ""),
            "comm-overlap.batch-p2p-comm=1: is on beside overlap_p2p_comm, which is on with chunks; allowed: one of "
            "both");
  EXPECT_EQ(said("2", "  delay_wgrad_compute: true\n", experts),
            "delay-wgrad-compute=1: is on without overlap_moe_expert_parallel_comm; allowed: false, or both");
  EXPECT_EQ(said("2", pairs, ""),
            "overlap-moe-expert-parallel-comm=1: is on without experts over several ranks; allowed: false, or an "
            "expert_model_parallel_size above 1");
  EXPECT_EQ(said("null", pairs, experts),
            "overlap-moe-expert-parallel-comm=1: is on with stages that have one chunk; allowed: false, or a "
            "virtual_pipeline_model_parallel_size");
  EXPECT_EQ(said("2", pairs, experts + "  recompute_granularity: full\n"),
            "overlap-moe-expert-parallel-comm=1: is on with experts computed again; allowed: false, or "
            "recompute_modules without moe");
  EXPECT_EQ(said("2", pairs, experts + "  mtp_num_layers: 2\n"),
            "overlap-moe-expert-parallel-comm=1: is on with several modules; allowed: false, or an mtp_num_layers of "
            "1");
}

/* DeepEP is the dispatcher of flex where none is named. */
TEST(Bridge, DeepEpPadsNoExperts)
{
  const std::string experts = "  num_moe_experts: 8\n  expert_model_parallel_size: 4\n"
                              "  moe_expert_capacity_factor: 1.25\n  moe_token_dispatcher_type: flex\n",
                    pads = "  moe_pad_expert_input_to_capacity: true\n";
  ss_workload w;
  EXPECT_EQ(import_text(container("2", "", experts), &w), "");
  EXPECT_EQ(import_text(container("2", "", experts + pads + "  moe_flex_dispatcher_backend: hybridep\n"), &w), "");
  EXPECT_EQ(w.training.capacity_factor, 1.25);
  EXPECT_EQ(import_text(container("2", "", experts + pads), &w),
            "16: moe-pad-expert-input-to-capacity=1: pads experts behind DeepEP, which it does not; allowed: "
            "moe-flex-dispatcher-backend hybridep, or another moe-token-dispatcher-type");
}

/* Parts of a layout come one behind the other, and sections do not mix with others of their name. */
TEST(Bridge, PartsAndSectionsAreRefusedThatWouldMix)
{
  ss_workload w;
  const std::string layout = "  pipeline_model_parallel_layout:\n  - [embedding, decoder]\n";
  const std::string behind = "is not the part behind the last one; allowed: a list of lists of layers";
  EXPECT_EQ(import_text(container("null", layout + "  -\n  - [decoder, loss]\n"), &w),
            "15: model.pipeline_model_parallel_layout.2: " + behind);
  EXPECT_EQ(
      import_text(container("null", layout + "  - [decoder, loss]\n  - null\n"), &w),
      "13: model.pipeline_model_parallel_layout: has a part that is nothing; allowed: a text, or a list of lists of "
      "layers");
  EXPECT_EQ(import_text(container("null", layout + "  - [[decoder], [loss]]\n"), &w),
            "14: model.pipeline_model_parallel_layout.1.0: " + behind);
  EXPECT_EQ(import_text(container("2", section + "comm_overlap: null\n"), &w),
            "15: names a list or a section that is there already; allowed: once");
}

/* All recipes of mixed_precision.py: the fields that each function sets, where the class has 16 bits for weights and 32
 * for sums of gradients. */
TEST(Bridge, RecipesAreThoseOfTheirFunctions)
{
  constexpr struct {
    const char *name;
    ss_precision precision;
    ss_held_as weights;
    ss_gradients gradients;
    int64_t first, last;
  } recipes[] = {
      {"bf16_mixed", SS_PRECISION_BF16, SS_AS_16BIT, SS_GRADIENTS_FP32, 0, 0},
      {"fp16_mixed", SS_PRECISION_FP16, SS_AS_16BIT, SS_GRADIENTS_16BIT, 0, 0},
      {"bf16_with_fp8_delayed_scaling_mixed", SS_PRECISION_FP8, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 0, 0},
      {"fp16_with_fp8_delayed_scaling_mixed", SS_PRECISION_FP8, SS_AS_OPERANDS, SS_GRADIENTS_16BIT, 0, 0},
      {"bf16_with_mxfp8_mixed", SS_PRECISION_MXFP8, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 0, 0},
      {"fp16_with_mxfp8_mixed", SS_PRECISION_MXFP8, SS_AS_OPERANDS, SS_GRADIENTS_16BIT, 0, 0},
      {"bf16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_CURRENT, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 1, 1},
      {"nemotron_h_bf16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_CURRENT, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 2,
       2},
      {"nanov2_bf16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_BLOCK, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 2, 2},
      {"fp16_with_fp8_current_scaling_mixed", SS_PRECISION_FP8_CURRENT, SS_AS_OPERANDS, SS_GRADIENTS_16BIT, 1, 1},
      {"bf16_with_fp8_subchannel_scaling_mixed", SS_PRECISION_FP8_BLOCK, SS_AS_16BIT, SS_GRADIENTS_FP32, 0, 0},
      {"fp16_with_fp8_subchannel_scaling_mixed", SS_PRECISION_FP8_BLOCK, SS_AS_16BIT, SS_GRADIENTS_16BIT, 0, 0},
      {"bf16_with_nvfp4_mixed", SS_PRECISION_NVFP4, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 0, 0},
      {"nemotron_3_super_bf16_with_nvfp4_mixed", SS_PRECISION_NVFP4, SS_AS_OPERANDS, SS_GRADIENTS_FP32, 0, 14},
  };
  for (const auto &recipe : recipes) {
    std::string hyphens = recipe.name;
    std::replace(hyphens.begin(), hyphens.end(), '_', '-');
    const std::string function =
        std::string("\n  _target_: megatron.bridge.training.mixed_precision.") + recipe.name + "\n  _call_: true";
    for (const std::string &said : {std::string(recipe.name), hyphens, function}) {
      ss_workload w;
      EXPECT_EQ(import_text(container("2", "mixed_precision: " + said + "\n"), &w), "") << said;
      EXPECT_EQ(w.training.precision, recipe.precision) << said;
      EXPECT_EQ(w.training.weights_type, recipe.weights) << said;
      EXPECT_EQ(w.training.gradients, recipe.gradients) << said;
      EXPECT_EQ(w.training.bf16_first_layers, recipe.first) << said;
      EXPECT_EQ(w.training.bf16_last_layers, recipe.last) << said;
    }
  }
}

TEST(Bridge, UnknownRecipesAreRefused)
{
  ss_workload w;
  const std::string allowed = "is no recipe of mixed_precision; allowed: bf16_mixed fp16_mixed bf16_with_fp8_delayed_";
  EXPECT_EQ(import_text(container("2", "mixed_precision: bf16_with_fp6_mixed\n"), &w).find(allowed), 27U);
  EXPECT_EQ(import_text(container("2", "mixed_precision:\n  _target_: own.module.fp6\n"), &w).find(allowed), 22U);
}

/* update_config_with_precision_overrides sets all fields of a configuration that the class has, too. */
TEST(Bridge, PrecisionsGoOverFields)
{
  const std::string fields =
      "model:\n  num_layers: 16\n  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 128\n  fp8: e4m3\n"
      "  fp8_recipe: mxfp8\n  fp8_param: true\n  first_last_layers_bf16: true\n  num_layers_at_start_in_bf16: 3\n"
      "  num_layers_at_end_in_bf16: 4\nddp:\n  grad_reduce_in_fp32: false\n  fp8_param_gather: true\n"
      "optimizer:\n  bf16: false\n";
  const std::string over =
      "model.fp8=e4m3, model.fp8_recipe=mxfp8, model.fp8_param=true, model.first_last_layers_bf16=true, "
      "model.num_layers_at_start_in_bf16=3, "
      "model.num_layers_at_end_in_bf16=4, ddp.grad_reduce_in_fp32=false, ddp.fp8_param_gather=true, "
      "optimizer.bf16=false";
  ss_workload w;
  EXPECT_EQ(import_text(fields, &w), "");
  EXPECT_EQ(w.training.precision, SS_PRECISION_MXFP8);
  EXPECT_EQ(w.training.weights_type, SS_AS_OPERANDS);
  EXPECT_EQ(w.training.gradients, SS_GRADIENTS_16BIT);
  EXPECT_EQ(w.training.bf16_first_layers, 3);
  EXPECT_EQ(w.training.bf16_last_layers, 4);
  for (const char *said : {"mixed_precision: bf16_mixed\n", "mixed_precision:\n  bf16: true\n"}) {
    EXPECT_EQ(import_text(fields + said, &w), over) << said;
    EXPECT_EQ(w.training.precision, SS_PRECISION_BF16);
    EXPECT_EQ(w.training.weights_type, SS_AS_16BIT);
    EXPECT_EQ(w.training.gradients, SS_GRADIENTS_FP32);
    EXPECT_EQ(w.training.bf16_first_layers, 0);
    EXPECT_EQ(w.training.bf16_last_layers, 0);
  }
  EXPECT_EQ(import_text(fields + "mixed_precision: null\n", &w), "");
  EXPECT_EQ(w.training.precision, SS_PRECISION_MXFP8);
}

/* What a section does not say is as in MixedPrecisionConfig: scales of tensors, no layers in 16 bits beside a switch.
 */
TEST(Bridge, SectionsOfPrecisionHaveDefaultsOfTheirClass)
{
  const auto of = [](const std::string &lines) {
    ss_workload w;
    EXPECT_EQ(import_text(container("2", "mixed_precision:\n" + lines), &w), "") << lines;
    return w.training;
  };
  const std::string fp8 = "  bf16: true\n  fp8: hybrid\n", nvfp4 = "  bf16: true\n  fp4: e2m1\n";
  EXPECT_EQ(of(fp8).precision, SS_PRECISION_FP8_CURRENT);
  EXPECT_EQ(of(fp8).weights_type, SS_AS_16BIT);
  EXPECT_EQ(of(fp8 + "  fp8_param_gather: true\n").weights_type, SS_AS_OPERANDS);
  EXPECT_EQ(of(fp8 + "  first_last_layers_bf16: true\n").bf16_first_layers, 0);
  EXPECT_EQ(of(fp8 + "  first_last_layers_bf16: true\n  num_layers_at_end_in_bf16: 2\n").bf16_last_layers, 2);
  EXPECT_EQ(of(fp8 + "  fp8_recipe: delayed\n").precision, SS_PRECISION_FP8);
  EXPECT_EQ(of(fp8 + "  fp8_recipe: delayed\n  fp8_wgrad: false\n").precision, SS_PRECISION_FP8_WGRAD16);
  EXPECT_EQ(of(nvfp4 + "  fp8_param_gather: true\n").weights_type, SS_AS_16BIT);
  EXPECT_EQ(of(nvfp4 + "  fp4_param_gather: true\n").weights_type, SS_AS_OPERANDS);
  EXPECT_EQ(of("  fp16: true\n").gradients, SS_GRADIENTS_FP32);
  EXPECT_EQ(of("  fp16: true\n  grad_reduce_in_fp32: false\n").gradients, SS_GRADIENTS_16BIT);
}

TEST(Bridge, FourAndEightBitsAreRefused)
{
  ss_workload w;
  EXPECT_EQ(import_text(container("2", "mixed_precision:\n  bf16: true\n  fp8: hybrid\n  fp4: e2m1\n"), &w),
            "15: has fp8, in line 14, and fp4 (megatron/core/transformer/transformer_config.py); allowed: one of both");
}

/* LoRA of src/megatron/bridge/peft/lora.py. The operation fuser takes adapters on one rank only (TEFusedLoRALinear of
 * peft/lora_layers.py). */
TEST(Bridge, AdaptersAreRead)
{
  const std::string adapters = "peft:\n  _target_: megatron.bridge.peft.lora.LoRA\n  dim: 16\n  alpha: 32\n"
                               "  target_modules: [linear_qkv, linear_proj]\n  dropout: ";
  const std::string fuser = "  use_transformer_engine_op_fuser: true\n";
  ss_workload workload;
  EXPECT_EQ(import_text(container("null", adapters + "0.1\n", fuser), &workload), "");
  EXPECT_EQ(workload.training.lora_rank, 16);
  EXPECT_EQ(workload.training.lora_modules, SS_WORD_BIT(SS_LORA_QKV) | SS_WORD_BIT(SS_LORA_PROJ));
  EXPECT_EQ(workload.training.lora_dropout, SS_YES);
  EXPECT_EQ(workload.training.lora_kernels, SS_LORA_FUSED);
  (void)import_text(container("null", adapters + "0.0\n", fuser + "  tensor_model_parallel_size: 2\n"), &workload);
  EXPECT_EQ(workload.training.lora_dropout, SS_NO);
  EXPECT_EQ(workload.training.lora_kernels, SS_LORA_SEPARATE);
  EXPECT_EQ(workload.training.lora_experts, SS_LORA_EXPERTS_SHARED);
  (void)import_text(container("null", adapters + "0.0\n  share_expert_adapters: false\n", fuser), &workload);
  EXPECT_EQ(workload.training.lora_experts, SS_LORA_EXPERTS_EACH);
}

TEST(Bridge, AdaptersOfAnotherKindAreRefused)
{
  ss_workload workload;
  EXPECT_EQ(import_text("peft:\n  _target_: megatron.bridge.peft.dora.DoRA\n  dim: 16\n", &workload),
            "2: peft._target_=megatron.bridge.peft.dora.DoRA: has adapters of another kind; allowed: "
            "megatron.bridge.peft.lora.LoRA");
}
