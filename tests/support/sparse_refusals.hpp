/* Refusals of sparse attention: of the GPT-3 workload. */
#ifndef STEPSIM_TESTS_SUPPORT_SPARSE_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_SPARSE_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

const std::vector<Refusal> sparse_refusals = {
    {SS_REFUSAL_index_top_k,
     {"model.index-heads=4"},
     "--set: model.index-heads=\"4\": is above 0, but no tokens are chosen: model.index-top-k=\"0\"; allowed: 0, or a "
     "model.index-top-k above 0"},
    {SS_REFUSAL_index_heads,
     {"model.kv-rank=512", "model.index-top-k=64"},
     "--set: model.index-top-k=\"64\": needs an indexer that chooses them: model.index-heads=\"0\"; allowed: 0, or a "
     "model.index-heads above 0"},
    {SS_REFUSAL_index_pattern,
     {"model.kv-rank=512", "model.rope-size=64",
      "model.kinds=a index-top-k=64 index-heads=0; b index-top-k=64 index-heads=4", "model.pattern=ab"},
     "--set: model.pattern=\"ab\": begins with a layer that takes what one before has chosen, and there is none: "
     "model.kinds=\"a index-top-k=64 index-heads=0; b index-top-k=64 index-heads=4\"; allowed: an indexer for the "
     "first "
     "layer with chosen tokens: index-heads above 0"},
    {SS_REFUSAL_index_latent,
     {"model.index-heads=4", "model.index-top-k=64"},
     "--set: model.index-top-k=\"64\": is above 0, but heads have keys of their own: model.kv-rank=\"0\"; allowed: 0, "
     "or a model.kv-rank above 0"},
    {SS_REFUSAL_index_window,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64", "model.window=128"},
     "--set: model.index-top-k=\"64\": is above 0, but a token attends to a window, or a chunk: model.window=\"128\", "
     "model.chunk=\"0\"; allowed: 0, or neither of them"},
    {SS_REFUSAL_index_causal,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64", "model.causal=no"},
     "--set: model.index-top-k=\"64\": is above 0, but attention looks both ways: model.causal=\"no\"; allowed: 0, or "
     "model.causal=\"yes\""},
    {SS_REFUSAL_index_unfused,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64",
      "training.attention=unfused"},
     "--set: training.attention=\"unfused\": has all logits in memory, but some tokens are chosen: "
     "model.index-top-k=\"64\"; allowed: flash, or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_attention_type,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64",
      "training.attention-type=operands", "training.precision=fp8"},
     "--set: training.attention-type=\"operands\": is operands, but sparse attention has 16 bits: "
     "model.index-top-k=\"64\"; allowed: 16bit, or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_unpadding,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64",
      "training.unpadding=yes"},
     "--set: training.unpadding=\"yes\": is yes, but sparse attention takes padding: model.index-top-k=\"64\"; "
     "allowed: no, or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_loss,
     {"training.index-loss=no"},
     "--set: training.index-loss=\"no\": is no, but there is no indexer: model.index-top-k=\"0\"; allowed: leave it "
     "out, or a model.index-top-k above 0"},
    {SS_REFUSAL_index_tensor,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64", "parallelism.tensor=2d",
      "parallelism.tp2=2", "parallelism.dp=2"},
     "--set: parallelism.tensor=\"2d\": has a second axis, over which chosen tokens are not shared out: "
     "model.index-top-k=\"64\"; allowed: 1d, or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_sequence_parallel,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64",
      "parallelism.sequence-parallel=no"},
     "--set: parallelism.sequence-parallel=\"no\": is no with parallelism.tp=\"8\", but ranks that share heads out "
     "gather latents: model.index-top-k=\"64\"; allowed: yes, or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_exchange,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64", "parallelism.cp=2",
      "parallelism.dp=2", "parallelism.cp-exchange=ring"},
     "--set: parallelism.cp-exchange=\"ring\": with parallelism.cp=\"2\" does not bring all tokens that may be chosen: "
     "model.index-top-k=\"64\"; allowed: gather, or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_inner,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64", "parallelism.cp=4",
      "parallelism.dp=1", "parallelism.cp-inner=2", "parallelism.cp-exchange=gather"},
     "--set: parallelism.cp-inner=\"2\": exchanges heads, but all share latents: model.index-top-k=\"64\"; allowed: 1, "
     "or model.index-top-k=\"0\""},
    {SS_REFUSAL_index_sums,
     {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64", "parallelism.cp=2",
      "parallelism.dp=2", "parallelism.cp-exchange=gather", "parallelism.cp-sums=fp32"},
     "--set: parallelism.cp-sums=\"fp32\": is fp32, but chosen tokens are attended to at once: "
     "model.index-top-k=\"64\"; allowed: kernel, or model.index-top-k=\"0\""},
};

} /* namespace stepsim */

#endif
