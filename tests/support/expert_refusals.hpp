/* Refusals of how experts are split, and of how tokens get to them. */
#ifndef STEPSIM_TESTS_SUPPORT_EXPERT_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_EXPERT_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

inline const std::vector<Refusal> expert_refusals = {
    {SS_REFUSAL_dense_routed_domains,
     {"model.routed-domains=4"},
     "--set: model.routed-domains=\"4\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or model.experts "
     "above 0"},
    {SS_REFUSAL_dense_router_groups,
     {"model.router-groups=4"},
     "--set: model.router-groups=\"4\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or model.experts "
     "above 0"},
    {SS_REFUSAL_router_groups_domains,
     {"model.experts=8", "model.router-groups=4", "model.router-group-top-k=2", "model.routed-domains=2"},
     "--set: model.routed-domains=\"2\": is above 0, and so is model.router-groups=\"4\", which limits the same "
     "choice; "
     "allowed: one of them"},
    {SS_REFUSAL_router_groups,
     {"model.experts=8", "model.router-groups=3", "model.router-group-top-k=2"},
     "--set: model.router-groups=\"3\": does not divide model.experts=\"8\"; allowed: a divisor"},
    {SS_REFUSAL_router_group_top_k,
     {"model.experts=8", "model.router-groups=4", "model.router-group-top-k=5"},
     "--set: model.router-group-top-k=\"5\": is not of model.router-groups=\"4\"; allowed: 1 to model.router-groups, "
     "or 0 "
     "without these"},
    {SS_REFUSAL_router_groups_top_k,
     {"model.experts=8", "model.top-k=3", "model.router-groups=4", "model.router-group-top-k=1"},
     "--set: model.top-k=\"3\": is more than the experts of model.router-group-top-k=\"1\" groups of "
     "model.router-groups=\"4\"; allowed: fewer, or more groups"},
    {SS_REFUSAL_dense_expert_latent,
     {"model.expert-latent=512"},
     "--set: model.expert-latent=\"512\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_zero_experts,
     {"model.zero-experts=4"},
     "--set: model.zero-experts=\"4\": is above 0 without experts: model.experts=\"0\"; allowed: 0, or "
     "model.experts above 0"},
    {SS_REFUSAL_zero_groups,
     {"model.experts=8", "model.zero-experts=4", "model.router-groups=2", "model.router-group-top-k=1"},
     "--set: model.zero-experts=\"4\": is above 0, but a choice is limited, which says nothing of such experts: "
     "model.router-groups=\"2\", model.routed-domains=\"0\"; allowed: 0, or neither of them"},
    {SS_REFUSAL_bf16_layers,
     {"training.precision=mxfp8", "training.bf16-first-layers=90", "training.bf16-last-layers=7"},
     "--set: training.bf16-first-layers=\"90\": and training.bf16-last-layers=\"7\" are more than "
     "model.layers=\"96\"; allowed: fewer"},
    {SS_REFUSAL_bf16_first_precision,
     {"training.bf16-first-layers=1"},
     "--set: training.bf16-first-layers=\"1\": is above 0, but all layers have 16 bits: training.precision=\"bf16\"; "
     "allowed: 0, or a training.precision of 8 or 4 bits"},
    {SS_REFUSAL_bf16_last_precision,
     {"training.bf16-last-layers=1"},
     "--set: training.bf16-last-layers=\"1\": is above 0, but all layers have 16 bits: training.precision=\"bf16\"; "
     "allowed: 0, or a training.precision of 8 or 4 bits"},
    {SS_REFUSAL_bf16_delayed,
     {"training.precision=fp8", "training.bf16-last-layers=1"},
     "--set: training.precision=\"fp8\": reduces scales of all layers together, but some stay in 16 bits: "
     "training.bf16-first-layers=\"0\", training.bf16-last-layers=\"1\"; allowed: a training.precision with scales of "
     "the values themselves, or neither"},
    {SS_REFUSAL_bf16_kinds,
     {"training.precision=mxfp8", "training.bf16-last-layers=1", "model.kinds=a; b; c; d; e; f",
      "model.pattern=abcdef"},
     "--set: model.kinds=\"a; b; c; d; e; f\": has more than 4 kinds, which with training.bf16-first-layers=\"0\" and "
     "training.bf16-last-layers=\"1\" may be in 16 bits, too; allowed: 4 kinds, or no layers in 16 bits"},
    {SS_REFUSAL_gather_type,
     {"training.gather-type=operands"},
     "--set: training.gather-type=\"operands\": is operands, but these have 16 bits: training.precision=\"bf16\"; "
     "allowed: 16bit, or a training.precision of 8 or 4 bits"},
    {SS_REFUSAL_gather_rows,
     {"training.precision=fp8-rows", "training.gather-type=operands"},
     "--set: training.gather-type=\"operands\": is operands, but ranks gather 16 bits with scales of rows: "
     "training.precision=\"fp8-rows\"; allowed: 16bit, or another training.precision"},
    {SS_REFUSAL_tp_reduction,
     {"schedule.tp-reduction=mlp-ring", "schedule.overlap-tp=pipe"},
     "--set: schedule.tp-reduction=\"mlp-ring\": is how user buffers reduce: schedule.overlap-tp=\"pipe\"; allowed: "
     "pipe, "
     "or schedule.overlap-tp=\"user-buffers\""},
    {SS_REFUSAL_reduce_type,
     {"training.precision=mxfp8", "training.reduce-type=operands", "schedule.overlap-tp=user-buffers"},
     "--set: training.reduce-type=\"operands\": is operands, but there are no scales from earlier iterations: "
     "training.precision=\"mxfp8\"; allowed: 16bit, or training.precision=\"fp8\" or \"fp8-wgrad16\""},
    {SS_REFUSAL_reduce_type_buffers,
     {"training.precision=fp8", "training.reduce-type=operands"},
     "--set: training.reduce-type=\"operands\": is operands, which user buffers reduce: "
     "schedule.overlap-tp=\"none\"; allowed: 16bit, or schedule.overlap-tp=\"user-buffers\""},
    {SS_REFUSAL_weights_rows,
     {"training.precision=fp8-rows", "training.weights-type=operands"},
     "--set: training.weights-type=\"operands\": is operands, but ranks gather 16 bits with scales of rows: "
     "training.precision=\"fp8-rows\"; allowed: 16bit, or another training.precision"},
    {SS_REFUSAL_attention_type,
     {"training.precision=fp8-rows", "training.attention-type=operands"},
     "--set: training.attention-type=\"operands\": is operands, of which fused attention has none in this format: "
     "training.precision=\"fp8-rows\"; allowed: 16bit, or a training.precision of fp8, fp8-wgrad16, fp8-current, mxfp8 "
     "or nvfp4"},
    {SS_REFUSAL_attention_type_unfused,
     {"training.precision=mxfp8", "training.attention-type=operands", "training.attention=unfused"},
     "--set: training.attention-type=\"operands\": is operands, which only a fused kernel takes: "
     "training.attention=\"unfused\"; allowed: 16bit, or training.attention=\"flash\""},
    {SS_REFUSAL_attention_type_documents,
     {"training.precision=mxfp8", "training.attention-type=operands", "training.documents=fixed",
      "training.document-mean=100"},
     "--set: training.attention-type=\"operands\": is operands, which fused attention does not take of packed "
     "sequences "
     "in mxfp8 or with parallelism.cp=\"1\": training.documents=\"fixed\"; allowed: 16bit, or "
     "training.documents=\"none\""},
    {SS_REFUSAL_output_tied,
     {"training.precision=mxfp8", "training.output-type=operands", "model.tied-embeddings=yes", "parallelism.pp=1"},
     "--set: training.output-type=\"operands\": is operands, but the table that it shares with the embedding has 16 "
     "bits: model.tied-embeddings=\"yes\", parallelism.pp=\"1\"; allowed: 16bit, or model.tied-embeddings=\"no\""},
    {SS_REFUSAL_precise_modules,
     {"training.precise-modules=linear_qkv"},
     "--set: training.precise-modules=\"linear_qkv\": is given, but products have 16 bits, or scales that all agree "
     "on: "
     "training.precision=\"bf16\"; allowed: leave it out, or another training.precision of 8 or 4 bits"},
    {SS_REFUSAL_missing_precise_modules,
     {"training.precision=mxfp8", "training.precise-modules=mtp"},
     "--set: training.precise-modules=\"mtp\": has what no layer has; allowed: linear_qkv, linear_proj"},
    {SS_REFUSAL_precise_output,
     {"training.precision=mxfp8", "model.mixer=mamba", "model.state-heads=64", "training.precise-modules=out_proj"},
     "--set: training.precise-modules=\"out_proj\": has out_proj, whose 8 bits are no more: "
     "training.precision=\"mxfp8\"; allowed: without it, or training.precision=\"nvfp4\""},
    {SS_REFUSAL_dense_expert_type,
     {"training.expert-type=16bit"},
     "--set: training.expert-type=\"16bit\": is 16bit without experts: model.experts=\"0\"; allowed: operands, or "
     "model.experts above 0"},
    {SS_REFUSAL_expert_type,
     {"model.experts=8", "training.precision=mxfp8", "training.expert-padding=yes", "training.expert-type=16bit"},
     "--set: training.expert-type=\"16bit\": is 16bit, but these are of experts that take less: "
     "training.dispatch-type=\"16bit\", training.expert-kernels=\"each\", training.expert-padding=\"yes\"; allowed: "
     "operands, or others of these"},
    {SS_REFUSAL_output_type,
     {"training.output-type=operands"},
     "--set: training.output-type=\"operands\": is operands, but these have 16 bits: training.precision=\"bf16\"; "
     "allowed: 16bit, or a training.precision of 8 or 4 bits"},
    {SS_REFUSAL_weights_type,
     {"training.weights-type=operands"},
     "--set: training.weights-type=\"operands\": is operands, but these have 16 bits: training.precision=\"bf16\"; "
     "allowed: 16bit, or a training.precision of 8 or 4 bits"},
    {SS_REFUSAL_amax_reduction,
     {"training.amax-reduction=tensor"},
     "--set: training.amax-reduction=\"tensor\": is said, but scales are not from earlier "
     "iterations: training.precision=\"bf16\"; allowed: all, or a training.precision of fp8 or fp8-wgrad16"},
    {SS_REFUSAL_weights_type_offload,
     {"training.precision=fp8", "training.weights-type=operands", "training.offload-weights=yes"},
     "--set: training.weights-type=\"operands\": is operands, but the second memory tier has 16 bits: "
     "training.offload-weights=\"yes\"; allowed: 16bit, or training.offload-weights=\"no\""},
    {SS_REFUSAL_muon_sharding,
     {"training.optimizer=muon", "parallelism.sharding=parameters"},
     "--set: training.optimizer=\"muon\": is muon, which steps whole matrices, but these are cut: "
     "parallelism.sharding=\"parameters\"; allowed: adam, or parallelism.sharding=\"none\" or \"optimizer\""},
    {SS_REFUSAL_muon_tp_mode,
     {"training.muon-tp-mode=duplicated"},
     "--set: training.muon-tp-mode=\"duplicated\": says how matrices are orthogonalised, but none is: "
     "training.optimizer=\"adam\"; allowed: leave it out, or training.optimizer=\"muon\""},
    {SS_REFUSAL_muon_summa,
     {"training.optimizer=muon", "parallelism.tensor=summa"},
     "--set: training.optimizer=\"muon\": is muon, which steps whole matrices, but these are cut: "
     "parallelism.tensor=\"summa\"; allowed: adam, or another parallelism.tensor"},
    {SS_REFUSAL_master_weights_rest,
     {"training.precision=fp8", "training.master-weights=16bit", "training.weights-type=operands"},
     "--set: training.master-weights=\"16bit\": needs weights in 16 bits, but there are none: "
     "training.weights-type=\"operands\"; allowed: fp32, or training.weights-type=\"16bit\""},
    {SS_REFUSAL_master_weights_shards,
     {"training.master-weights=16bit", "parallelism.sharding=parameters"},
     "--set: training.master-weights=\"16bit\": needs weights in 16 bits, but shards are master weights: "
     "parallelism.shards=\"fp32\"; allowed: fp32, or parallelism.shards=\"16bit\""},
    {SS_REFUSAL_separate_states,
     {"training.optimizer-step=separate", "training.moments=16bit"},
     "--set: training.optimizer-step=\"separate\": is in several kernels, which take states in fp32: "
     "training.master-weights=\"fp32\", training.moments=\"16bit\"; allowed: fused, or both in fp32"},
    {SS_REFUSAL_dense_dispatch_type,
     {"training.dispatch-type=fp8"},
     "--set: training.dispatch-type=\"fp8\": is fp8 without experts: model.experts=\"0\"; allowed: 16bit, or "
     "model.experts above 0"},
    {SS_REFUSAL_dispatch_type,
     {"training.dispatch-type=fp8", "model.experts=8"},
     "--set: training.dispatch-type=\"fp8\": is fp8, but the products of experts do not take 8 bits: "
     "training.precision=\"bf16\"; allowed: 16bit, or a training.precision of 8 bits"},
    {SS_REFUSAL_dense_dispatch,
     {"schedule.dispatch=once"},
     "--set: schedule.dispatch=\"once\": is once without experts: model.experts=\"0\"; allowed: copies, or "
     "model.experts above 0"},
    {SS_REFUSAL_dense_ep,
     {"parallelism.ep=4"},
     "--set: parallelism.ep=\"4\": is above 1 without experts: model.experts=\"0\"; allowed: 1, or model.experts above "
     "0"},
    {SS_REFUSAL_ep_experts,
     {"parallelism.ep=4", "model.experts=6"},
     "--set: parallelism.ep=\"4\": does not divide model.experts=\"6\"; allowed: 1, 2, 3, 6"},
    {SS_REFUSAL_dense_etp,
     {"parallelism.etp=4"},
     "--set: parallelism.etp=\"4\": is above 1 without experts: model.experts=\"0\"; allowed: 1, or model.experts "
     "above 0"},
    {SS_REFUSAL_etp_expert_ffn,
     {"parallelism.etp=5", "model.experts=8"},
     "--set: parallelism.etp=\"5\": does not divide model.expert-ffn=\"49152\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
    {SS_REFUSAL_etp_tokens,
     {"parallelism.etp=2", "model.experts=8", "parallelism.sequence-parallel=no"},
     "--set: parallelism.etp=\"2\": is not parallelism.tp=\"8\", whose ranks have the same tokens: "
     "parallelism.sequence-parallel=\"no\"; allowed: parallelism.tp, or parallelism.sequence-parallel=\"yes\""},
    {SS_REFUSAL_etp_ranks,
     {"parallelism.etp=64", "model.experts=8"},
     "--set: parallelism.etp=\"64\": does not divide parallelism.tp=\"8\" * parallelism.tp2=\"1\" * "
     "parallelism.cp=\"1\" * parallelism.dp=\"4\"; allowed: 1, 2, 4, 8, 16, 32"},
    {SS_REFUSAL_ep_ranks,
     {"parallelism.ep=8", "model.experts=8"},
     "--set: parallelism.ep=\"8\": times etp does not divide parallelism.tp=\"8\" * parallelism.tp2=\"1\" * "
     "parallelism.cp=\"1\" * parallelism.dp=\"4\"; allowed: 1, 2, 4"},
    {SS_REFUSAL_expert_replicas,
     {"parallelism.ep=4", "model.experts=8", "parallelism.cp=2", "parallelism.dp=2",
      "parallelism.expert-groups=replicas"},
     "--set: parallelism.expert-groups=\"replicas\": needs parallelism.cp=\"2\" * parallelism.tp2=\"1\" to divide "
     "tp * tp2 * cp * dp / (etp * ep): parallelism.ep=\"4\"; allowed: inside, across, or sizes that do"},
};

} /* namespace stepsim */

#endif
