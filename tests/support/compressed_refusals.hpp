/* Refusals of attention to compressed tokens, and of residual streams: of the GPT-3 workload. */
#ifndef STEPSIM_TESTS_SUPPORT_COMPRESSED_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_COMPRESSED_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

/* The same workload with such attention, on one tensor-parallel rank, and more settings. */
inline Overrides compressed_with(const Overrides &more)
{
  Overrides all = {"model.mixer=compressed",   "model.q-rank=64",       "model.kv-heads=1",
                   "model.window=128",         "model.output-groups=8", "model.output-rank=64",
                   "training.attention=flash", "parallelism.tp=1",      "parallelism.sequence-parallel=no"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::vector<Refusal> compressed_refusals = {
    {SS_REFUSAL_compressed_sizes,
     {"model.mixer=compressed", "model.window=128"},
     "--set: model.mixer=\"compressed\": is compressed, which has queries and an output of low rank, and a window: "
     "model.q-rank=\"0\", model.window=\"128\", model.output-groups=\"0\", model.output-rank=\"0\"; allowed: "
     "attention, "
     "or these above 0"},
    {SS_REFUSAL_compressed_groups, compressed_with({"model.output-groups=7"}),
     "--set: model.output-groups=\"7\": does not divide model.heads=\"96\"; allowed: 1, 2, 3, 4, 6, 8, 12, ..."},
    {SS_REFUSAL_compressed_rotary, compressed_with({"model.rope-size=256"}),
     "--set: model.rope-size=\"256\": is more than the heads that it is part of have: model.head-size=\"128\"; "
     "allowed: "
     "0 to model.head-size"},
    {SS_REFUSAL_compressed_tokens, compressed_with({"model.compress=4096"}),
     "--set: model.compress=\"4096\": is more tokens than there are: model.sequence=\"2048\"; allowed: 0 to "
     "model.sequence"},
    {SS_REFUSAL_compress_mixer,
     {"model.compress=4"},
     "--set: model.compress=\"4\": is above 0, but attention looks at tokens as they are: model.mixer=\"attention\"; "
     "allowed: 0, or model.mixer=\"compressed\""},
    {SS_REFUSAL_compressed_index, compressed_with({"model.index-heads=4", "model.index-top-k=64"}),
     "--set: model.index-heads=\"4\": is above 0, but there are no compressed tokens to choose of: "
     "model.compress=\"0\"; allowed: 0, or a model.compress above 0"},
    {SS_REFUSAL_compressed_parts, compressed_with({"model.qk-norm=yes"}),
     "--set: model.mixer=\"compressed\": is compressed, which has one head of keys, their norms and a window of its "
     "own: "
     "model.kv-rank=\"0\", model.chunk=\"0\", model.value-head-size=\"0\", model.qk-norm=\"yes\", "
     "model.keys-as-values=\"no\", model.shared-keys=\"no\", model.attention-output-gate=\"no\"; allowed: attention, "
     "or "
     "none of these"},
    {SS_REFUSAL_compressed_unfused, compressed_with({"training.attention=unfused"}),
     "--set: training.attention=\"unfused\": has all logits in memory, but a query attends to some tokens: "
     "model.mixer=\"compressed\"; allowed: flash, or another model.mixer"},
    {SS_REFUSAL_compressed_type, compressed_with({"training.attention-type=operands", "training.precision=fp8"}),
     "--set: training.attention-type=\"operands\": is operands, but attention to compressed tokens has 16 bits: "
     "model.mixer=\"compressed\"; allowed: 16bit, or another model.mixer"},
    {SS_REFUSAL_compressed_documents, compressed_with({"training.documents=fixed", "training.document-mean=512"}),
     "--set: training.documents=\"fixed\": end inside of compressed tokens, which is not modelled: "
     "model.mixer=\"compressed\"; allowed: none, or another model.mixer"},
    {SS_REFUSAL_compressed_unpadding, compressed_with({"training.unpadding=yes"}),
     "--set: training.unpadding=\"yes\": is yes, but attention to compressed tokens takes padding: "
     "model.mixer=\"compressed\"; allowed: no, or another model.mixer"},
    {SS_REFUSAL_compressed_tp, compressed_with({"parallelism.tp=2"}),
     "--set: parallelism.tp=\"2\": is above 1, but ranks do not share out heads that have one of keys "
     "(megatron/core/transformer/experimental_attention_variant/deepseek_v4_hybrid_attention.py): "
     "model.mixer=\"compressed\"; allowed: 1, or another model.mixer"},
    {SS_REFUSAL_compressed_cp, compressed_with({"parallelism.cp=2"}),
     "--set: parallelism.cp=\"2\": is above 1, but how ranks share out compressed tokens is not modelled: "
     "model.mixer=\"compressed\"; allowed: 1, or another model.mixer"},
    {SS_REFUSAL_compressed_tensor, compressed_with({"parallelism.tensor=2d"}),
     "--set: parallelism.tensor=\"2d\": has a second axis, over which compressed tokens are not shared out: "
     "model.mixer=\"compressed\"; allowed: 1d, or another model.mixer"},
    {SS_REFUSAL_streams_parallel,
     {"model.residual-streams=4", "model.parallel=yes"},
     "--set: model.residual-streams=\"4\": is above 1, but attention and feed-forward part read one sum: "
     "model.parallel=\"yes\"; allowed: 1, or model.parallel=\"no\""},
    {SS_REFUSAL_streams_embedding,
     {"model.residual-streams=4", "model.layer-embedding=64", "parallelism.pp=1"},
     "--set: model.residual-streams=\"4\": is above 1, but layers add embeddings to one: model.layer-embedding=\"64\"; "
     "allowed: 1, or model.layer-embedding=\"0\""},
    {SS_REFUSAL_streams_tensor,
     {"model.residual-streams=4", "parallelism.tensor=2d", "parallelism.tp2=2", "parallelism.dp=2"},
     "--set: parallelism.tensor=\"2d\": has a second axis, over which streams are not shared out: "
     "model.residual-streams=\"4\"; allowed: 1d, or model.residual-streams=\"1\""},
    {SS_REFUSAL_streams_kernels,
     {"training.stream-kernels=compiled"},
     "--set: training.stream-kernels=\"compiled\": is compiled, but there is one stream: model.residual-streams=\"1\"; "
     "allowed: fused, or a model.residual-streams above 1"},
    {SS_REFUSAL_streams_mlp,
     {"model.residual-streams=4", "training.recompute=selective", "training.recompute-modules=mlp mhc"},
     "--set: training.recompute-modules=\"mlp mhc\": has mlp, whose inputs are kept, and mhc, which makes them again; "
     "allowed: one of them"},
};

} /* namespace stepsim */

#endif
