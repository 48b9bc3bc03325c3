/* Refusals of adapters, and of inputs kept in 8 bits: of the GPT-3 workload with some. */
#ifndef STEPSIM_TESTS_SUPPORT_ADAPTER_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_ADAPTER_REFUSALS_HPP

#include "tests/support/framework_refusals.hpp"
#include "tests/support/tower_refusals.hpp"

namespace stepsim
{

/* Adapters of rank 16, and more. */
inline Overrides adapters(Overrides more)
{
  more.insert(more.begin(), "training.lora-rank=16");
  return more;
}

const std::vector<Refusal> adapter_refusals = {
    {SS_REFUSAL_activation_input,
     {"training.activation-input=fp8"},
     "--set: training.activation-input=\"fp8\": is fp8, which is kept for SwiGLU in a kernel of its own that does not "
     "run "
     "again: model.mlp=\"gelu\", training.fused=\"yes\", training.expert-kernels=\"each\", "
     "training.recompute-modules=\"\"; "
     "allowed: 16bit, or others of these"},
    {SS_REFUSAL_lora_modules_none,
     {"training.lora-modules=linear_qkv"},
     "--set: training.lora-modules=\"linear_qkv\": is given without adapters: training.lora-rank=\"0\"; allowed: leave "
     "it "
     "out, or training.lora-rank above 0"},
    {SS_REFUSAL_lora_dropout_none,
     {"training.lora-dropout=yes"},
     "--set: training.lora-dropout=\"yes\": is yes without adapters: training.lora-rank=\"0\"; allowed: no, or "
     "training.lora-rank above 0"},
    {SS_REFUSAL_lora_kernels_none,
     {"training.lora-kernels=fused"},
     "--set: training.lora-kernels=\"fused\": is fused without adapters: training.lora-rank=\"0\"; allowed: separate, "
     "or "
     "training.lora-rank above 0"},
    {SS_REFUSAL_lora_exchange_none,
     {"training.lora-exchange=all-to-all"},
     "--set: training.lora-exchange=\"all-to-all\": is all-to-all without adapters, or with ranks that have no tokens "
     "of their "
     "own: training.lora-rank=\"0\", parallelism.tp=\"8\", parallelism.sequence-parallel=\"yes\"; allowed: gather, or "
     "training.lora-rank above 0 with parallelism.sequence-parallel=\"yes\""},
    {SS_REFUSAL_lora_tower, adapters(tower({})),
     "--set: training.lora-rank=\"16\": is above 0, but adapters beside a tower are not modelled: "
     "model.vision-layers=\"2\"; allowed: 0, or model.vision-layers=\"0\""},
    {SS_REFUSAL_lora_experts_none,
     {"training.lora-experts=each"},
     "--set: training.lora-experts=\"each\": is given without adapters: training.lora-rank=\"0\"; allowed: leave it "
     "out, or "
     "training.lora-rank above 0"},
    {SS_REFUSAL_lora_expert_kernels,
     adapters({"training.lora-experts=shared", "model.experts=8", "training.precision=mxfp8", "model.mlp=swiglu",
               "training.expert-kernels=fused"}),
     "--set: training.lora-experts=\"shared\": adds to what products of experts write, which fused kernels activate at "
     "once: training.expert-kernels=\"fused\"; allowed: none, or another training.expert-kernels"},
    {SS_REFUSAL_lora_pairs, paired(adapters({"training.lora-experts=shared"})),
     "--set: training.lora-experts=\"shared\": has expert-parallel ranks add gradients up, which passes in pairs leave "
     "no place for: schedule.overlap-ep=\"paired\"; allowed: each, none, or schedule.overlap-ep=\"none\""},
    {SS_REFUSAL_lora_latent, adapters({"model.q-rank=512", "model.kv-heads=1"}),
     "--set: training.lora-rank=\"16\": is above 0, but adapters beside queries of low rank alone, or beside indexers, "
     "are "
     "not modelled: model.q-rank=\"512\", model.kv-rank=\"0\", model.index-top-k=\"0\"; allowed: 0"},
    {SS_REFUSAL_lora_nowhere, adapters({"model.mixer=mamba", "model.state-heads=192", "model.feed-forward=none"}),
     "--set: training.lora-rank=\"16\": is above 0, but no layer has a product with an adapter; allowed: 0"},
    {SS_REFUSAL_missing_lora_modules,
     adapters({"training.lora-modules=linear_proj linear_fc1", "training.lora-experts=none", "model.experts=8"}),
     "--set: training.lora-modules=\"linear_proj linear_fc1\": has what no layer has; allowed: "
     "linear_qkv, "
     "linear_proj"},
    {SS_REFUSAL_lora_tensor, adapters({"parallelism.tensor=summa", "parallelism.tp2=2"}),
     "--set: parallelism.tensor=\"summa\": splits products on both axes, but adapters only on one: "
     "training.lora-rank=\"16\"; allowed: 1d, or 2d"},
    {SS_REFUSAL_lora_fused, adapters({"training.lora-kernels=fused", "parallelism.tp=8"}),
     "--set: training.lora-kernels=\"fused\": is fused, but the operation fuser has adapters on one rank only: "
     "parallelism.tp=\"8\"; allowed: separate, or parallelism.tp=\"1\""},
    {SS_REFUSAL_lora_offload, adapters({"training.offload-weights=yes"}),
     "--set: training.lora-rank=\"16\": is above 0, but weights are read and written with each step: "
     "training.offload-weights=\"yes\"; allowed: 0, or training.offload-weights=\"no\""},
    {SS_REFUSAL_megatron_adapters, adapters({"training.framework=megatron"}),
     "--set: training.lora-rank=\"16\": is above 0, but pretrain_gpt.py trains all weights; "
     "training.framework=\"nemo\" has "
     "adapters; allowed: 0"},
    {SS_REFUSAL_core_lora_experts,
     to_run_on("nemo",
               adapters({"training.lora-experts=none", "model.experts=8", "model.ffn=4096", "model.vocabulary=51200"})),
     "--set: training.lora-experts=\"none\": is none, but modules of training.framework=\"nemo\" have adapters by "
     "name, those "
     "of experts like all others (megatron/bridge/peft/module_matcher.py); allowed: shared or each; or "
     "training.lora-modules "
     "without those of MLPs"},
    {SS_REFUSAL_core_adapters,
     to_run_on("nemo", adapters({"training.lora-kernels=fused", "model.experts=8", "model.ffn=4096",
                                 "model.vocabulary=51200", "training.precision=mxfp8", "parallelism.tp=1"})),
     "--set: training.lora-kernels=\"fused\": is not what experts have, which training.framework=\"nemo\" says by one "
     "setting "
     "(use_transformer_engine_op_fuser of megatron/core/transformer/transformer_config.py): "
     "training.expert-kernels=\"each\"; allowed: the same of both"},
    {SS_REFUSAL_titan_activation_input,
     {"training.framework=torchtitan", "model.mlp=swiglu", "training.activation-input=fp8"},
     "--set: training.activation-input=\"fp8\": is fp8, but autograd of training.framework=\"torchtitan\" keeps 16 "
     "bits "
     "(torchtitan/models/common/feed_forward.py); allowed: 16bit"},
    {SS_REFUSAL_titan_adapters, adapters({"training.framework=torchtitan"}),
     "--set: training.lora-rank=\"16\": is above 0, but adapters of training.framework=\"torchtitan\" "
     "(torchtitan/components/lora.py) are not written here; allowed: 0"},
};

} /* namespace stepsim */

#endif
