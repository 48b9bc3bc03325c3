/* Refusals of recomputation, offloading and CUDA graphs by module and by layer. */
#ifndef STEPSIM_TESTS_SUPPORT_RECOMPUTE_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_RECOMPUTE_REFUSALS_HPP

#include "tests/support/pair_refusals.hpp"

namespace stepsim
{

/* Selective recomputation of a module, and more. */
inline Overrides selective(const std::string &modules, Overrides more = {})
{
  more.insert(more.begin(), {"training.recompute=selective", "training.recompute-modules=" + modules});
  return more;
}

/* Activations of a module in the second tier, and more. */
inline Overrides offloaded(const std::string &modules, Overrides more = {})
{
  more.insert(more.begin(), {"training.offload-activations=yes", "training.offload-modules=" + modules});
  return more;
}

/* Kernels that the host launches, but for those of graphs of a module, and more. */
inline Overrides graphed(const std::string &modules, Overrides more = {})
{
  more.insert(more.begin(), {"training.host=eager", "training.graphs=" + modules});
  return more;
}

inline Overrides uniform(const std::string &layers, Overrides more = {})
{
  more.insert(more.begin(),
              {"training.recompute=full", "training.recompute-method=uniform", "training.recompute-layers=" + layers});
  return more;
}

#define UNIFORM "--set: training.recompute-method=\"uniform\": "
inline const std::vector<Refusal> recompute_refusals = {
    {SS_REFUSAL_recompute_modules,
     {"training.recompute-modules=mlp"},
     "--set: training.recompute-modules=\"mlp\": is given without selective recomputation: "
     "training.recompute=\"none\"; allowed: leave it out, or training.recompute=\"selective\""},
    {SS_REFUSAL_missing_recompute_modules, selective("moe mlp"),
     "--set: training.recompute-modules=\"mlp moe\": has what no layer has; allowed: core_attn, layernorm, mlp"},
    {SS_REFUSAL_recompute_scales, selective("layernorm", {"training.precision=fp8"}),
     "--set: training.recompute-modules=\"layernorm\": has layernorm or moe_act, whose output products quantise again, "
     "but not with the scale that they had: training.precision=\"fp8\"; allowed: other modules, or a "
     "training.precision with scales of the values themselves"},
    {SS_REFUSAL_recompute_uniform,
     {"training.recompute=selective", "training.recompute-method=uniform"},
     UNIFORM "is uniform, but groups are of whole layers: training.recompute=\"selective\"; allowed: block, or "
             "training.recompute=\"full\""},
    {SS_REFUSAL_uniform_layers,
     {"training.recompute=full", "training.recompute-method=uniform"},
     UNIFORM "is uniform, but groups have no size; allowed: block, or a training.recompute-layers"},
    {SS_REFUSAL_uniform_modules, uniform("2", {"model.mtp-modules=1"}),
     UNIFORM "makes groups of several layers, but each module is one: training.recompute-layers=\"2\", "
             "model.mtp-modules=\"1\"; allowed: block, training.recompute-layers=\"1\", or model.mtp-modules=\"0\""},
    {SS_REFUSAL_uniform_weights, uniform("2", {"parallelism.sharding=parameters"}),
     UNIFORM "makes groups of several layers, but each layer brings its own weights, once for backward: "
             "parallelism.sharding=\"parameters\", training.offload-weights=\"no\"; allowed: block, "
             "training.recompute-layers=\"1\", or weights that stay"},
    {SS_REFUSAL_offload_modules,
     {"training.offload-modules=core_attn"},
     "--set: training.offload-modules=\"core_attn\": is given without offloading: training.offload-activations=\"no\"; "
     "allowed: leave it out, or training.offload-activations=\"yes\""},
    {SS_REFUSAL_missing_offload_modules, offloaded("expert_fc1"),
     "--set: training.offload-modules=\"expert_fc1\": has what no layer has; allowed: attn_norm, qkv_linear, "
     "core_attn, attn_proj, mlp_norm"},
    {SS_REFUSAL_offload_projection, offloaded("attn_proj"),
     "--set: training.offload-modules=\"attn_proj\": has attn_proj without core_attn, whose backward reads its own "
     "output, too; allowed: both, or neither"},
    {SS_REFUSAL_recompute_early_stop,
     {"training.recompute-early-stop=yes", "training.recompute=full", "training.recompute-method=uniform",
      "training.recompute-layers=2"},
     "--set: training.recompute-early-stop=\"yes\": is yes, but goes with layers by themselves: "
     "training.recompute-method=\"uniform\"; allowed: no, or training.recompute-method=\"block\""},
    {SS_REFUSAL_norms,
     {"training.norms=cudnn", "training.fused=no", "model.mlp=swiglu"},
     "--set: training.norms=\"cudnn\": is cudnn, but RMSNorm that is not fused is no kernel of a library: "
     "training.fused=\"no\"; allowed: framework, fused, or training.fused=\"yes\""},
    {SS_REFUSAL_unpadding,
     {"training.unpadding=yes", "training.attention=unfused"},
     "--set: training.unpadding=\"yes\": is yes, but only flash attention takes tokens without padding: "
     "training.attention=\"unfused\"; allowed: no, or training.attention=\"flash\""},
    {SS_REFUSAL_offload_full, offloaded("core_attn", {"training.recompute=full"}),
     "--set: training.offload-modules=\"core_attn\": is given, but layers keep no inputs of modules: "
     "training.recompute=\"full\"; allowed: leave it out, or training.recompute=\"none\" or \"selective\""},
    {SS_REFUSAL_offload_recomputed, offloaded("moe_act", selective("moe", {"model.experts=8"})),
     "--set: training.offload-modules=\"moe_act\": has modules whose input is computed again, or inside of what is: "
     "training.recompute-modules=\"moe\"; allowed: other modules"},
    {SS_REFUSAL_offload_step,
     {"training.offload-step=host"},
     "--set: training.offload-step=\"host\": is said, but the GPU has all states: training.offload-optimizer=\"no\"; "
     "allowed: gpu, or training.offload-optimizer=\"yes\""},
    {SS_REFUSAL_offload_step_muon,
     {"training.offload-step=host", "training.offload-optimizer=yes", "training.optimizer=muon"},
     "--set: training.offload-step=\"host\": is said, but what a host steps with is Adam: training.optimizer=\"muon\"; "
     "allowed: gpu, or training.optimizer=\"adam\""},
    {SS_REFUSAL_offload_fraction,
     {"training.offload-fraction=0.5"},
     "--set: training.offload-fraction=\"0.5\": is given, but the GPU has all states: "
     "training.offload-optimizer=\"no\"; "
     "allowed: leave it out, or training.offload-optimizer=\"yes\""},
    {SS_REFUSAL_offload_layers,
     {"training.offload-layers=2"},
     "--set: training.offload-layers=\"2\": is given without offloading: training.offload-activations=\"no\"; allowed: "
     "leave it out, or training.offload-activations=\"yes\""},
    {SS_REFUSAL_offload_layers_modules, offloaded("core_attn", {"training.offload-layers=2"}),
     "--set: training.offload-layers=\"2\": is given beside training.offload-modules=\"core_attn\", which goes for all "
     "layers; allowed: one of the two"},
    {SS_REFUSAL_offload_layers_recompute,
     {"training.offload-activations=yes", "training.offload-layers=2", "training.recompute=full"},
     "--set: training.offload-layers=\"2\": is given with recomputation, beside which Transformer Engine offloads no "
     "layers: training.recompute=\"full\"; allowed: leave it out, or training.recompute=\"none\""},
    {SS_REFUSAL_overlap_ep_recompute, paired(selective("moe", {"schedule.pipeline=eager-1f1b"})),
     "--set: schedule.overlap-ep=\"paired\": pairs passes at their all-to-alls, but backward computes those of a "
     "forward pass again: training.recompute-modules=\"moe\", training.recompute-method=\"block\"; allowed: none, or "
     "neither moe nor uniform"},
    {SS_REFUSAL_dense_accumulation,
     {"training.gradient-accumulation=separate-experts"},
     "--set: training.gradient-accumulation=\"separate-experts\": is given without experts: model.experts=\"0\"; "
     "allowed: fused, separate, or model.experts above 0"},
    {SS_REFUSAL_dense_router,
     {"training.router=separate"},
     "--set: training.router=\"separate\": is given without experts: model.experts=\"0\"; allowed: fused, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_router_type,
     {"training.router-type=fp32"},
     "--set: training.router-type=\"fp32\": is given without experts: model.experts=\"0\"; allowed: 16bit, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_permutation,
     {"training.permutation=separate"},
     "--set: training.permutation=\"separate\": is given without experts: model.experts=\"0\"; allowed: fused, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_router_weights,
     {"training.router-weights=activations"},
     "--set: training.router-weights=\"activations\": is given without experts: model.experts=\"0\"; allowed: "
     "outputs, or model.experts above 0"},
    {SS_REFUSAL_dense_expert_kernels,
     {"training.expert-kernels=grouped"},
     "--set: training.expert-kernels=\"grouped\": is given without experts: model.experts=\"0\"; allowed: each, or "
     "model.experts above 0"},
    {SS_REFUSAL_fused_experts_precision,
     {"model.experts=8", "training.expert-kernels=fused"},
     "--set: training.expert-kernels=\"fused\": quantises within a product, which only MXFP8 does: "
     "training.precision=\"bf16\"; allowed: each or grouped, or training.precision=\"mxfp8\""},
    {SS_REFUSAL_expert_padding,
     {"model.experts=8", "training.expert-padding=yes"},
     "--set: training.expert-padding=\"yes\": is yes, but no products of experts take less than 16 bits: "
     "model.experts=\"8\", training.precision=\"bf16\"; allowed: no, or model.experts above 0 and a "
     "training.precision of 8 or 4 bits"},
    {SS_REFUSAL_graphs_host,
     {"training.graphs=attn"},
     "--set: training.graphs=\"attn\": is given, but whole iterations are graphs: training.host=\"graphs\"; allowed: "
     "leave it out, or training.host=\"eager\""},
    {SS_REFUSAL_missing_graphs, graphed("mamba mlp"),
     "--set: training.graphs=\"mamba mlp\": has what no layer has; allowed: attn, mlp"},
    {SS_REFUSAL_graphs_capacity, graphed("moe", {"model.experts=8"}),
     "--set: training.graphs=\"moe\": has moe, whose sizes follow from the tokens of each expert: "
     "training.capacity-factor=\"0\"; allowed: moe_router, or a training.capacity-factor"},
    {SS_REFUSAL_graphs_router, graphed("moe_router moe", {"model.experts=8", "training.capacity-factor=1"}),
     "--set: training.graphs=\"moe_router moe\": has moe_router beside moe, which it is part of; allowed: one of the "
     "two"},
    {SS_REFUSAL_graphs_full, graphed("attn", {"training.recompute=full"}),
     "--set: training.graphs=\"attn\": is given, but layers that are computed again are in no graph of theirs: "
     "training.recompute=\"full\"; allowed: leave it out, or training.recompute=\"none\" or \"selective\""},
};

#undef UNIFORM

} /* namespace stepsim */

#endif
