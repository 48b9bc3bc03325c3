/* Refusals of kinds of layers and of what a layer consists of: of the GPT-3 workload. */
#ifndef STEPSIM_TESTS_SUPPORT_KIND_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_KIND_REFUSALS_HPP

#include "tests/support/layout_refusals.hpp"

namespace stepsim
{

const std::vector<Refusal> kind_refusals = {
    {SS_REFUSAL_latent_gate,
     {"model.kv-rank=512", "model.attention-output-gate=yes"},
     "--set: model.attention-output-gate=\"yes\": is yes, but latent attention has no gate "
     "(megatron/core/transformer/transformer_config.py): model.kv-rank=\"512\"; allowed: no, or model.kv-rank=\"0\""},
    {SS_REFUSAL_latent_keys,
     {"model.kv-rank=512", "model.keys-as-values=yes"},
     "--set: model.keys-as-values=\"yes\": is yes, but latent attention makes both of latents: model.kv-rank=\"512\"; "
     "allowed: no, or model.kv-rank=\"0\""},
    {SS_REFUSAL_keys_size,
     {"model.value-head-size=64", "model.keys-as-values=yes"},
     "--set: model.keys-as-values=\"yes\": is yes, but values have another size: model.value-head-size=\"64\", "
     "model.head-size=\"128\"; allowed: no, or model.value-head-size=\"0\""},
    {SS_REFUSAL_keys_mixer,
     {"model.mixer=mamba", "model.state-heads=64", "model.keys-as-values=yes"},
     "--set: model.keys-as-values=\"yes\": is yes, but this mixer has neither keys nor values of attention: "
     "model.mixer=\"mamba\"; allowed: no, or model.mixer=\"attention\" or \"hybrid\""},
    {SS_REFUSAL_channels_size,
     {"model.mixer=mamba-1", "model.state-heads=64", "model.state-head-size=64"},
     "--set: model.state-head-size=\"64\": gives heads a size, but model.state-heads says the channels of mamba-1: "
     "model.mixer=\"mamba-1\"; allowed: leave it out, or 1"},
    {SS_REFUSAL_channels_groups,
     {"model.mixer=mamba-1", "model.state-heads=64", "model.state-groups=8"},
     "--set: model.state-groups=\"8\": groups heads, but all channels of mamba-1 share the projections of their "
     "states: "
     "model.mixer=\"mamba-1\"; allowed: leave it out, or 1"},
    {SS_REFUSAL_hybrid_latent,
     {"model.mixer=hybrid", "model.state-heads=64", "model.kv-rank=512", "model.rope-size=64"},
     "--set: model.mixer=\"hybrid\": has heads with keys of their own beside it, not latent attention: "
     "model.kv-rank=\"512\"; allowed: attention, or model.kv-rank=\"0\""},
    {SS_REFUSAL_channels_context,
     {"model.mixer=mamba-1", "model.state-heads=64", "parallelism.cp=2"},
     "--set: parallelism.cp=\"2\": needs all channels of a token on one rank; mamba-1 has no exchange along the "
     "sequence: model.mixer=\"mamba-1\"; allowed: 1, or another model.mixer"},
    {SS_REFUSAL_hybrid_index,
     {"model.mixer=hybrid", "model.state-heads=64", "model.kv-rank=512", "model.rope-size=64", "model.index-top-k=64",
      "model.index-heads=2"},
     "--set: model.mixer=\"hybrid\": attends to all tokens, not to those that an indexer chooses: "
     "model.index-top-k=\"64\"; allowed: attention, or model.index-top-k=\"0\""},
    {SS_REFUSAL_kinds,
     {"model.kinds=w width=3", "model.pattern=w"},
     "--set: model.kinds=\"w width=3\": has an unknown \"width=3\" (a kind has name=value of mixer, feed-forward, "
     "window, chunk, heads, kv-heads, head-size, index-heads, index-top-k, compress, ffn, mlp, parallel, qk-norm, "
     "keys-as-values, shared-keys, attention-output-gate, post-norms, experts, top-k, expert-ffn, shared-experts); "
     "allowed: letters "
     "with what they "
     "have, and ; between them, such as \"w window=4096; f\""},
    {SS_REFUSAL_kinds_pattern,
     {"model.kinds=w"},
     "--set: model.kinds=\"w\": is given without a pattern of layers: model.pattern=\"\"; allowed: leave it out, or a "
     "model.pattern"},
    {SS_REFUSAL_q_rank_hybrid,
     {"model.q-rank=512", "model.mixer=hybrid", "model.state-heads=8"},
     "--set: model.q-rank=\"512\": is above 0, but the other mixer reads what queries do: model.mixer=\"hybrid\"; "
     "allowed: 0, or model.mixer=\"attention\""},
    {SS_REFUSAL_q_rank_keys,
     {"model.q-rank=512", "model.keys-as-values=yes"},
     "--set: model.q-rank=\"512\": is above 0, but values are keys: model.keys-as-values=\"yes\"; allowed: 0, or "
     "model.keys-as-values=\"no\""},
    {SS_REFUSAL_q_rank_heads,
     {"model.q-rank=512", "model.kv-heads=8"},
     "--set: model.q-rank=\"512\": is above 0, but such queries share one head of keys and values, which each rank has "
     "whole: model.kv-heads=\"8\"; allowed: 0, model.kv-heads=\"1\", or a model.kv-rank above 0"},
    {SS_REFUSAL_q_rank_parallel,
     {"model.q-rank=512", "model.kv-heads=1", "model.parallel=yes"},
     "--set: model.q-rank=\"512\": is above 0, but the feed-forward part reads what whole queries have gathered: "
     "model.parallel=\"yes\"; allowed: 0, or model.parallel=\"no\""},
    {SS_REFUSAL_q_rank_gate,
     {"model.q-rank=512", "model.kv-heads=1", "model.attention-output-gate=yes"},
     "--set: model.q-rank=\"512\": is above 0, but a gate is made with whole queries: "
     "model.attention-output-gate=\"yes\"; allowed: 0, or model.attention-output-gate=\"no\""},
    {SS_REFUSAL_shared_alone,
     {"model.shared-keys=yes"},
     "--set: model.shared-keys=\"yes\": is yes of all layers, so that none makes keys and values: model.kinds=\"\"; "
     "allowed: no, or yes of some model.kinds"},
    {SS_REFUSAL_shared_pattern,
     {"model.kinds=a window=8; b shared-keys=yes", "model.pattern=ab"},
     "--set: model.pattern=\"ab\": has a layer with keys and values of one before, and none makes them with its window "
     "and heads: model.kinds=\"a window=8; b shared-keys=yes\"; allowed: such a layer behind one that does"},
    {SS_REFUSAL_shared_mixer,
     {"model.kinds=a; b shared-keys=yes", "model.pattern=ab", "model.kv-rank=512", "parallelism.pp=1"},
     "--set: model.shared-keys=\"yes\": is yes, which is known of ordinary attention only: model.mixer=\"attention\", "
     "model.kv-rank=\"512\", model.q-rank=\"0\", model.keys-as-values=\"no\"; allowed: no, or attention that makes "
     "queries, keys and values"},
    {SS_REFUSAL_shared_core,
     {"model.kinds=a; b shared-keys=yes", "model.pattern=ab", "training.attention=unfused"},
     "--set: training.attention=\"unfused\": with training.attention-type=\"16bit\" keeps keys and values of each "
     "layer, "
     "but some share them: model.kinds=\"a; b shared-keys=yes\"; allowed: flash with 16bit, or no model.shared-keys"},
    {SS_REFUSAL_shared_stages,
     {"model.kinds=a; b shared-keys=yes", "model.pattern=ab", "training.attention=flash", "parallelism.pp=2"},
     "--set: parallelism.pp=\"2\": cuts a model whose layers share keys and values, which are in no message of stages: "
     "model.kinds=\"a; b shared-keys=yes\"; allowed: 1, or no model.shared-keys"},
    {SS_REFUSAL_shared_tensor,
     {"model.kinds=a; b shared-keys=yes", "model.pattern=ab", "training.attention=flash", "parallelism.pp=1",
      "parallelism.tensor=2d"},
     "--set: parallelism.tensor=\"2d\": has a second axis, over which shared keys are not split: "
     "model.kinds=\"a; b shared-keys=yes\"; allowed: 1d, or no model.shared-keys"},
    {SS_REFUSAL_positions,
     {"model.positions=2048", "model.vocabulary=0"},
     "--set: model.positions=\"2048\": is above 0 without embedding and output layer: model.vocabulary=\"0\"; "
     "allowed: 0, or model.vocabulary above 0"},
    {SS_REFUSAL_positions_sequence,
     {"model.positions=1024", "model.vocabulary=51200", "model.sequence=2048"},
     "--set: model.positions=\"1024\": is fewer than model.sequence=\"2048\", each token of which has one; allowed: 0, "
     "or as many as model.sequence or more"},
    {SS_REFUSAL_positions_modules,
     {"model.positions=4096", "model.vocabulary=51200", "model.mtp-modules=1"},
     "--set: model.mtp-modules=\"1\": is above 0, but modules have no learned positions: model.positions=\"4096\"; "
     "allowed: 0, or model.positions=\"0\""},
    {SS_REFUSAL_embedding_norm,
     {"model.embedding-norm=yes", "model.vocabulary=0"},
     "--set: model.embedding-norm=\"yes\": is yes without embedding and output layer: model.vocabulary=\"0\"; allowed: "
     "no, or model.vocabulary above 0"},
    {SS_REFUSAL_layer_embedding,
     {"model.layer-embedding=64", "model.vocabulary=0", "parallelism.pp=1"},
     "--set: model.layer-embedding=\"64\": is above 0 without embedding and output layer: model.vocabulary=\"0\"; "
     "allowed: 0, or model.vocabulary above 0"},
    {SS_REFUSAL_layer_embedding_modules,
     {"model.layer-embedding=64", "model.vocabulary=51200", "model.mtp-modules=1"},
     "--set: model.mtp-modules=\"1\": is above 0, but nothing says which embedding a module has: "
     "model.layer-embedding=\"64\"; allowed: 0, or model.layer-embedding=\"0\""},
    {SS_REFUSAL_layer_embedding_stages,
     {"model.layer-embedding=64", "model.vocabulary=51200", "parallelism.pp=2"},
     "--set: parallelism.pp=\"2\": cuts a model whose layers have embeddings of their own, which are in no message of "
     "stages: model.layer-embedding=\"64\"; allowed: 1, or model.layer-embedding=\"0\""},
    {SS_REFUSAL_layer_embedding_tensor,
     {"model.layer-embedding=64", "model.vocabulary=51200", "parallelism.pp=1", "parallelism.tensor=2d"},
     "--set: parallelism.tensor=\"2d\": has a second axis, over which embeddings of layers are not split: "
     "model.layer-embedding=\"64\"; allowed: 1d, or model.layer-embedding=\"0\""},
    {SS_REFUSAL_pattern,
     {"model.pattern=wf", "model.kinds=w"},
     "--set: model.pattern=\"wf\": is no pattern of model.layers=\"96\": it has a letter that is none of model.kinds; "
     "allowed: such as \"wf\", letters of model.kinds"},
    {SS_REFUSAL_mtp_kind,
     {"model.vocabulary=50257", "model.mtp-modules=1", "model.mtp-kind=d", "model.kinds=w", "model.pattern=w"},
     "--set: model.mtp-kind=\"d\": is no letter of model.kinds=\"w\"; allowed: a letter of these, or leave it out"},
    {SS_REFUSAL_mtp_kind_modules,
     {"model.mtp-kind=w", "model.kinds=w", "model.pattern=w"},
     "--set: model.mtp-kind=\"w\": is given, but there is no module: model.mtp-modules=\"0\"; allowed: leave it out, "
     "or a model.mtp-modules above 0"},
    {SS_REFUSAL_kinds_experts,
     {"model.kinds=a experts=8", "model.pattern=a"},
     "--set: model.kinds=\"a experts=8\": gives a kind experts, but the model has none: model.experts=\"0\"; allowed: "
     "a model.experts above 0, for the kinds that say none"},
    {SS_REFUSAL_kinds_no_experts,
     {"model.experts=8", "model.top-k=2", "model.kinds=a experts=0", "model.pattern=a"},
     "--set: model.kinds=\"a experts=0\": has a kind with experts=0; allowed: feed-forward=mlp for that kind"},
    {SS_REFUSAL_ep_kinds,
     {"model.experts=8", "model.top-k=2", "model.kinds=a; b experts=12", "model.pattern=ab", "parallelism.dp=8",
      "parallelism.ep=8"},
     "--set: parallelism.ep=\"8\": does not divide the experts of every kind of layers: model.experts=\"8\", "
     "model.kinds=\"a; b experts=12\"; allowed: 1, 2, 4"},
    {SS_REFUSAL_pattern_dense_layers,
     {"model.experts=8", "model.top-k=2", "model.dense-layers=1", "model.kinds=a", "model.pattern=a"},
     "--set: model.dense-layers=\"1\": is above 0, but kinds of layers say which are dense: model.pattern=\"a\"; "
     "allowed: 0, or no model.pattern"},
    {SS_REFUSAL_dense_layers_mlp,
     {"model.experts=8", "model.top-k=2", "model.dense-layers=1", "model.feed-forward=mlp"},
     "--set: model.dense-layers=\"1\": is above 0, but no layer has experts: model.feed-forward=\"mlp\"; allowed: 0, "
     "or model.feed-forward=\"auto\""},
    {SS_REFUSAL_layer_parts,
     {"model.mixer=none", "model.feed-forward=none"},
     "--set: model.mixer=\"none\": leaves nothing of a layer: model.feed-forward=\"none\"; allowed: attention, mamba, "
     "mamba-1, hybrid, linear, kda, lightning, convolution, compressed, or another model.feed-forward"},
    {SS_REFUSAL_parallel_experts,
     {"model.parallel=yes", "model.experts=8", "model.top-k=2"},
     "--set: model.parallel=\"yes\": is yes, but experts route what attention has added: model.experts=\"8\"; allowed: "
     "no, or model.experts=\"0\""},
    {SS_REFUSAL_parallel_parts,
     {"model.parallel=yes", "model.feed-forward=none"},
     "--set: model.parallel=\"yes\": is yes, but a layer has another mixer than attention alone, or no feed-forward "
     "part: model.mixer=\"attention\", model.feed-forward=\"none\"; allowed: no, or model.mixer=\"attention\" and a "
     "feed-forward part"},
    {SS_REFUSAL_parallel_norms,
     {"model.parallel=yes", "model.post-norms=yes"},
     "--set: model.parallel=\"yes\": is yes, but each part has a norm behind it: model.post-norms=\"yes\"; allowed: "
     "no, or model.post-norms=\"no\""},
    {SS_REFUSAL_parallel_tensor,
     {"model.parallel=yes", "parallelism.tensor=summa", "parallelism.tp=8", "parallelism.tp2=1"},
     "--set: model.parallel=\"yes\": is yes, but panels are reduced product by product: parallelism.tensor=\"summa\"; "
     "allowed: no, or another parallelism.tensor"},
    {SS_REFUSAL_window_causal,
     {"model.window=128", "model.causal=no"},
     "--set: model.window=\"128\": is above 0, but attention looks both ways: model.causal=\"no\"; allowed: 0, or "
     "model.causal=\"yes\""},
    {SS_REFUSAL_chunk_window,
     {"model.window=128", "model.chunk=128"},
     "--set: model.chunk=\"128\": is above 0, but a token attends to a window: model.window=\"128\"; allowed: 0, or "
     "model.window=\"0\""},
    {SS_REFUSAL_state_heads,
     {"model.mixer=mamba"},
     "--set: model.mixer=\"mamba\": needs heads: model.state-heads=\"0\"; allowed: attention, none, or a "
     "model.state-heads above 0"},
    {SS_REFUSAL_state_groups,
     {"model.mixer=mamba", "model.state-heads=64", "model.state-groups=24"},
     "--set: model.state-groups=\"24\": does not divide model.state-heads=\"64\"; allowed: 1, 2, 4, 8, 16, 32, 64"},
    {SS_REFUSAL_state_tensor,
     {"model.mixer=linear", "model.state-heads=64", "model.state-groups=8", "parallelism.tensor=2d"},
     "--set: parallelism.tensor=\"2d\": has a second axis, which a scan along the sequence has not: "
     "model.mixer=\"linear\"; allowed: 1d, or model.mixer=\"attention\""},
    {SS_REFUSAL_state_ranks,
     {"model.mixer=mamba", "model.state-heads=96", "model.state-groups=6", "parallelism.tp=4"},
     "--set: parallelism.tp=\"4\": times parallelism.cp=\"1\" neither divides model.state-groups=\"6\" nor is a "
     "multiple of it; allowed: sizes that do"},
    {SS_REFUSAL_state_keys,
     {"model.mixer=linear", "model.state-heads=64", "model.state-groups=4", "parallelism.tp=8"},
     "--set: parallelism.tp=\"8\": times parallelism.cp=\"1\" does not divide the key heads that ranks of "
     "model.mixer=\"linear\" share out: model.state-groups=\"4\"; allowed: sizes whose product divides them"},
    {SS_REFUSAL_state_split,
     {"model.mixer=mamba", "model.state-heads=6", "model.state-groups=2", "parallelism.tp=4"},
     "--set: parallelism.tp=\"4\": times parallelism.cp=\"1\" does not divide model.state-heads=\"6\"; allowed: "
     "sizes whose product divides it"},
    {SS_REFUSAL_convolution_split,
     {"model.mixer=convolution", "model.hidden=12300", "model.heads=96", "model.head-size=128", "parallelism.tp=8",
      "model.ffn=49152"},
     "--set: parallelism.tp=\"8\": times parallelism.cp=\"1\" does not divide the channels of a convolution, "
     "model.hidden=\"12300\"; allowed: sizes whose product divides it"},
    {SS_REFUSAL_recompute_ids,
     {"training.recompute=full", "training.recompute-layer-ids=0,96"},
     "--set: training.recompute-layer-ids=\"0,96\": is no list of layers of model.layers=\"96\": it has a layer that "
     "the model has not; allowed: such as \"0,3,8-11\""},
    {SS_REFUSAL_recompute_ids_none,
     {"training.recompute=none", "training.recompute-layer-ids=0"},
     "--set: training.recompute-layer-ids=\"0\": is given without recomputation: training.recompute=\"none\"; "
     "allowed: leave it out, or training.recompute=\"selective\" or \"full\""},
    {SS_REFUSAL_recompute_ids_count,
     {"training.recompute=full", "training.recompute-layer-ids=0", "training.recompute-layers=1"},
     "--set: training.recompute-layer-ids=\"0\": is given beside training.recompute-layers=\"1\", which says which "
     "layers, too; allowed: one of the two"},
    {SS_REFUSAL_ring_window,
     {"parallelism.cp=2", "model.window=128", "parallelism.cp-exchange=ring"},
     "--set: parallelism.cp-exchange=\"ring\": is ring with parallelism.cp=\"2\", but a window needs the keys of "
     "neighbours only: model.window=\"128\"; allowed: gather, all-to-all, or model.window=\"0\""},
    {SS_REFUSAL_ring_chunk,
     {"parallelism.cp=2", "model.chunk=1000", "parallelism.cp-exchange=ring"},
     "--set: parallelism.cp-exchange=\"ring\": is ring, but a chunk needs the keys of neighbours only: "
     "model.chunk=\"1000\", parallelism.cp=\"2\"; allowed: gather, all-to-all, or a model.chunk of which a rank along "
     "the sequence has whole ones"},
    {SS_REFUSAL_sums_exchange,
     {"parallelism.cp=2", "parallelism.cp-exchange=all-to-all", "parallelism.cp-sums=fp32"},
     "--set: parallelism.cp-sums=\"fp32\": is fp32, but ranks have all keys of some heads: "
     "parallelism.cp-exchange=\"all-to-all\"; allowed: kernel, or parallelism.cp-exchange=\"gather\" or \"ring\""},
    {SS_REFUSAL_sums_unfused,
     {"parallelism.cp=2", "parallelism.cp-exchange=gather", "training.attention=unfused", "parallelism.cp-sums=fp32"},
     "--set: parallelism.cp-sums=\"fp32\": is fp32 with training.attention=\"unfused\", whose softmax needs all keys "
     "at "
     "once; allowed: kernel, or training.attention=\"flash\""},
    {SS_REFUSAL_sums_window,
     {"parallelism.cp=2", "parallelism.cp-exchange=gather", "model.window=128", "parallelism.cp-sums=fp32"},
     "--set: parallelism.cp-sums=\"fp32\": is fp32 with the keys of all ranks, but a window or chunk needs those of "
     "neighbours only: model.window=\"128\", model.chunk=\"0\"; allowed: kernel, or model.window=\"0\" with "
     "model.chunk=\"0\""},
};

} /* namespace stepsim */

#endif
