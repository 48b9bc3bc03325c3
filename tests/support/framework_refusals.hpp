/* Refusals of what frameworks cannot run (model/plan/check/frameworks.def). */
#ifndef STEPSIM_TESTS_SUPPORT_FRAMEWORK_REFUSALS_HPP
#define STEPSIM_TESTS_SUPPORT_FRAMEWORK_REFUSALS_HPP

#include "tests/support/pair_refusals.hpp"

namespace stepsim
{

/* A job for a framework, which hides reductions as Megatron-LM does, and more. */
inline Overrides to_run_on(const std::string &framework, Overrides more)
{
  more.insert(more.begin(), {"training.framework=" + framework, "schedule.overlap-tp=backward"});
  return more;
}

inline const std::vector<Refusal> framework_refusals = {
    {SS_REFUSAL_core_tensor, to_run_on("megatron", {"parallelism.tensor=2d", "parallelism.tp2=2", "parallelism.dp=2"}),
     "--set: parallelism.tensor=\"2d\": is no layout of training.framework=\"megatron\" "
     "(megatron/core/tensor_parallel/layers.py); allowed: 1d"},
    {SS_REFUSAL_core_vocabulary, to_run_on("megatron", {"model.vocabulary=50257", "parallelism.tp=8"}),
     "--set: parallelism.tp=\"8\": does not divide model.vocabulary=\"50257\", which training.framework=\"megatron\" "
     "pads to a multiple (megatron/training/vocab_utils.py); allowed: a divisor of model.vocabulary"},
    {SS_REFUSAL_launched_domain, to_run_on("nemo", {"placement.domain=tp=2,dp=4"}),
     "--set: placement.domain=\"tp=2,dp=4\": has a part of an axis beside another one, which no launcher of "
     "training.framework=\"nemo\" makes of placement.order=\"tp,cp,dp,pp\"; allowed: all of an axis before two of the "
     "next, or leave it out"},
    {SS_REFUSAL_core_order, to_run_on("megatron", {"placement.order=dp,tp,cp,pp"}),
     "--set: placement.order=\"dp,tp,cp,pp\": is not how training.framework=\"megatron\" numbers ranks, also with "
     "--use-tp-pp-dp-mapping (megatron/core/parallel_state.py); allowed: tp,cp,dp,pp or tp,cp,pp,dp"},
    {SS_REFUSAL_core_queries, to_run_on("megatron", {"model.q-rank=512", "model.kv-heads=1"}),
     "--set: model.q-rank=\"512\": is above 0, but training.framework=\"megatron\" has such queries in latent "
     "attention "
     "only (megatron/core/transformer/attention.py); allowed: 0, or a model.kv-rank above 0"},
    {SS_REFUSAL_core_shared,
     to_run_on("megatron", {"parallelism.pp=1", "training.attention=flash", "model.kinds=a; b shared-keys=yes",
                            "model.pattern=ab"}),
     "--set: model.kinds=\"a; b shared-keys=yes\": has layers that share keys and values, which no setting of "
     "training.framework=\"megatron\" says (megatron/training/arguments.py); allowed: no model.shared-keys"},
    {SS_REFUSAL_core_layer_embedding,
     to_run_on("megatron", {"parallelism.pp=1", "model.vocabulary=51200", "model.layer-embedding=64"}),
     "--set: model.layer-embedding=\"64\": is above 0, which no setting of training.framework=\"megatron\" says "
     "(megatron/training/arguments.py); allowed: 0"},
    {SS_REFUSAL_core_positions,
     to_run_on("megatron", {"model.vocabulary=51200", "model.positions=8192", "model.rotary=yes"}),
     "--set: model.positions=\"8192\": is above 0, but training.framework=\"megatron\" has learned positions or turns "
     "queries and keys: model.rotary=\"yes\", model.mlp=\"gelu\" (megatron/training/arguments.py); allowed: 0, or "
     "model.rotary=\"no\""},
    {SS_REFUSAL_core_embedding_norm, to_run_on("megatron", {"model.vocabulary=51200", "model.embedding-norm=yes"}),
     "--set: model.embedding-norm=\"yes\": is yes, which no setting of training.framework=\"megatron\" says "
     "(megatron/training/arguments.py); allowed: no"},
    {SS_REFUSAL_core_zero, to_run_on("megatron", {"model.experts=8", "model.zero-experts=4"}),
     "--set: model.zero-experts=\"4\": is above 0, which no setting of training.framework=\"megatron\" says "
     "(megatron/training/arguments.py); allowed: 0"},
    {SS_REFUSAL_core_vision,
     to_run_on("megatron", {"model.vision-layers=2", "model.vision-hidden=64", "model.vision-heads=8",
                            "model.vision-tokens=64", "model.vision-patch=588", "model.vocabulary=51200"}),
     "--set: model.vision-layers=\"2\": is above 0, but training.framework=\"megatron\" runs it by another program "
     "than pretrain_gpt.py (examples/multimodal); allowed: 0"},
    {SS_REFUSAL_core_sequence,
     to_run_on("megatron", {"parallelism.tp=1", "parallelism.pp=1", "parallelism.cp=2", "model.sequence=2050"}),
     "--set: model.sequence=\"2050\": is no multiple of two for each of parallelism.cp=\"2\" "
     "(megatron/training/arguments.py); allowed: a multiple of twice parallelism.cp"},
    {SS_REFUSAL_core_online, to_run_on("megatron", {"training.cross-entropy=online"}),
     "--set: training.cross-entropy=\"online\": is of Transformer Engine, which training.framework=\"megatron\" "
     "refuses "
     "behind core_v0.17.0 (megatron/training/arguments.py); allowed: separate or fused"},
    {SS_REFUSAL_core_weights_type,
     to_run_on("nemo", {"training.precision=mxfp8", "training.weights-type=operands", "parallelism.sharding=none"}),
     "--set: training.weights-type=\"operands\": needs the distributed optimizer (megatron/training/arguments.py): "
     "parallelism.sharding=\"none\"; allowed: 16bit, or parallelism.sharding=\"optimizer\""},
    {SS_REFUSAL_core_offload_weights_type,
     to_run_on("nemo", {"training.precision=mxfp8", "training.weights-type=operands", "training.offload-optimizer=yes",
                        "training.offload-step=host"}),
     "--set: training.weights-type=\"operands\": is operands beside an optimizer on the host, which goes with scales "
     "of "
     "earlier iterations only (megatron/training/arguments.py): training.precision=\"mxfp8\"; allowed: 16bit, or "
     "training.precision=\"fp8\""},
    {SS_REFUSAL_core_pipeline, to_run_on("megatron", {"schedule.pipeline=gpipe"}),
     "--set: schedule.pipeline=\"gpipe\": is no schedule of training.framework=\"megatron\" "
     "(megatron/core/pipeline_parallel/schedules.py); allowed: 1f1b or interleaved"},
    {SS_REFUSAL_core_one_stage, to_run_on("megatron", {"parallelism.pp=1", "schedule.pipeline=gpipe"}),
     "--set: schedule.pipeline=\"gpipe\": needs stages in training.framework=\"megatron\" "
     "(megatron/core/pipeline_parallel/schedules.py): parallelism.pp=\"1\"; allowed: 1f1b"},
    {SS_REFUSAL_core_modules,
     to_run_on("megatron", {"model.vocabulary=51200", "model.mtp-modules=1", "parallelism.last-stage-layers=6",
                            "parallelism.pp=16"}),
     "--set: parallelism.pp=\"16\": has uneven stages beside model.mtp-modules=\"1\" "
     "(megatron/core/transformer/transformer_config.py); allowed: even stages, or a parallelism.layout"},
    {SS_REFUSAL_core_sends, to_run_on("megatron", {"schedule.overlap-pp=yes"}),
     "--set: schedule.overlap-pp=\"yes\": is yes, which training.framework=\"megatron\" does with several chunks only "
     "(megatron/training/arguments.py): parallelism.interleave=\"1\"; allowed: no, parallelism.interleave above 1, or "
     "parallelism.pp=\"1\""},
    {SS_REFUSAL_core_exposed_sends,
     to_run_on("megatron", {"parallelism.pp=2", "schedule.pipeline=interleaved", "parallelism.interleave=2",
                            "schedule.overlap-pp=no"}),
     "--set: schedule.overlap-pp=\"no\": is no with several chunks on two stages, which would both send and receive in "
     "turn (megatron/training/arguments.py); allowed: yes, or parallelism.pp above 2"},
    {SS_REFUSAL_core_rows, to_run_on("megatron", {"training.precision=fp8-rows"}),
     "--set: training.precision=\"fp8-rows\": is no recipe of training.framework=\"megatron\" "
     "(megatron/core/fp8_utils.py); allowed: fp8-current, or another one"},
    {SS_REFUSAL_core_overlap_tp, to_run_on("megatron", {"schedule.overlap-tp=none"}),
     "--set: schedule.overlap-tp=\"none\": is not what training.framework=\"megatron\" does "
     "(megatron/core/tensor_parallel/layers.py); allowed: backward or user-buffers"},
    {SS_REFUSAL_core_buffers, to_run_on("megatron", {"parallelism.tp=1", "schedule.overlap-tp=user-buffers"}),
     "--set: schedule.overlap-tp=\"user-buffers\": needs sequences that are split over ranks "
     "(megatron/training/arguments.py): parallelism.tp=\"1\", parallelism.sequence-parallel=\"yes\"; allowed: "
     "backward, or parallelism.sequence-parallel=\"yes\""},
    {SS_REFUSAL_core_experts_tp,
     to_run_on("megatron", {"model.experts=8", "parallelism.sequence-parallel=no", "parallelism.tp=8"}),
     "--set: parallelism.sequence-parallel=\"no\": is no, but training.framework=\"megatron\" has experts with tensor "
     "parallelism of sequences only (megatron/core/transformer/moe/moe_layer.py): parallelism.tp=\"8\"; allowed: yes, "
     "or parallelism.tp=\"1\""},
    {SS_REFUSAL_core_group_type,
     to_run_on("megatron", {"model.experts=8", "parallelism.ep=2", "parallelism.etp=1",
                            "training.precision=fp8-current", "training.dispatch-type=fp8"}),
     "--set: training.dispatch-type=\"fp8\": is no type in which training.framework=\"megatron\" sends tokens without "
     "further settings (megatron/core/transformer/moe/token_dispatcher.py); allowed: 16bit"},
    {SS_REFUSAL_core_groups,
     to_run_on("megatron",
               {"model.experts=8", "parallelism.ep=2", "parallelism.etp=1", "parallelism.expert-groups=across"}),
     "--set: parallelism.expert-groups=\"across\": is not how training.framework=\"megatron\" numbers ranks (order "
     "tp-cp-ep-dp-pp of megatron/core/parallel_state.py); allowed: inside"},
    {SS_REFUSAL_core_recompute,
     to_run_on("megatron",
               {"training.recompute=selective", "training.attention=unfused", "training.recompute-layers=2"}),
     "--set: training.recompute-layers=\"2\": is given, but training.framework=\"megatron\" recomputes modules of all "
     "layers (megatron/core/transformer/transformer_config.py); allowed: leave it out, or training.recompute=\"full\""},
    {SS_REFUSAL_core_recompute_ids,
     to_run_on("megatron", {"training.recompute=full", "training.recompute-layer-ids=0,2"}),
     "--set: training.recompute-layer-ids=\"0,2\": is given, but training.framework=\"megatron\" recomputes as many "
     "layers of each stage (megatron/core/transformer/transformer_block.py); allowed: leave it out, or "
     "training.recompute-layers"},
    {SS_REFUSAL_core_values, to_run_on("megatron", {"model.value-head-size=64"}),
     "--set: model.value-head-size=\"64\": is above 0, but training.framework=\"megatron\" has such values in latent "
     "attention only (megatron/core/transformer/attention.py); allowed: 0, or a model.kv-rank above 0"},
    {SS_REFUSAL_core_per_op, to_run_on("megatron", {"training.recompute=per-op"}),
     "--set: training.recompute=\"per-op\": is by operation, which training.framework=\"megatron\" is not "
     "(megatron/core/transformer/transformer_config.py); allowed: none, selective or full"},
    {SS_REFUSAL_core_per_op, to_run_on("megatron", {"training.recompute=keep-products"}),
     "--set: training.recompute=\"keep-products\": is by operation, which training.framework=\"megatron\" is not "
     "(megatron/core/transformer/transformer_config.py); allowed: none, selective or full"},
    {SS_REFUSAL_core_pairs_recompute,
     to_run_on("megatron", {"model.experts=8", "parallelism.ep=2", "parallelism.etp=1", "schedule.overlap-ep=paired",
                            "parallelism.pp=1", "training.recompute=full"}),
     "--set: schedule.overlap-ep=\"paired\": pairs passes, which training.framework=\"megatron\" does not with whole "
     "layers computed again (megatron/core/transformer/transformer_config.py): training.recompute=\"full\"; allowed: "
     "none, or another training.recompute"},
    {SS_REFUSAL_core_pairs_modules,
     to_run_on("megatron", {"model.experts=8", "parallelism.ep=2", "parallelism.etp=1", "schedule.overlap-ep=paired",
                            "parallelism.pp=1", "model.vocabulary=51200", "model.mtp-modules=2"}),
     "--set: schedule.overlap-ep=\"paired\": pairs passes, which training.framework=\"megatron\" does with one module "
     "at most (megatron/core/transformer/transformer_config.py): model.mtp-modules=\"2\"; allowed: none, or "
     "model.mtp-modules=\"1\""},
    {SS_REFUSAL_core_pairs_graphs,
     to_run_on("megatron",
               {"model.experts=8", "parallelism.ep=2", "parallelism.etp=1", "schedule.overlap-ep=paired",
                "parallelism.pp=1", "parallelism.sharding=parameters", "training.host=eager", "training.graphs=attn"}),
     "--set: schedule.overlap-ep=\"paired\": pairs passes, which training.framework=\"megatron\" does beside FSDP "
     "without graphs of modules (megatron/core/distributed/fsdp/mcore_fsdp_adapter.py): training.graphs=\"attn\"; "
     "allowed: none, or training.host=\"graphs\" without training.graphs"},
    {SS_REFUSAL_core_packing,
     to_run_on("nemo", {"training.documents=fixed", "training.document-mean=1200", "training.packing=next-fit"}),
     "--set: training.packing=\"next-fit\": is no packing of training.framework=\"nemo\" "
     "(src/megatron/bridge/data/packing/algorithms.py of NVIDIA-NeMo/Megatron-Bridge); allowed: cut, first-fit or "
     "first-fit-decreasing"},
    {SS_REFUSAL_core_packed_batch,
     to_run_on("nemo", {"training.documents=fixed", "training.document-mean=1200", "training.packing=first-fit",
                        "training.micro-batch=2"}),
     "--set: training.micro-batch=\"2\": is above 1, but training.framework=\"nemo\" has one sequence of whole "
     "documents "
     "at a time (docs/training/packed-sequences.md of NVIDIA-NeMo/Megatron-Bridge): training.packing=\"first-fit\"; "
     "allowed: 1, or training.packing=\"cut\""},
    {SS_REFUSAL_core_fsdp_stages, to_run_on("megatron", {"parallelism.sharding=parameters"}),
     "--set: parallelism.sharding=\"parameters\": is FSDP, whose documentation has it beside tensor, expert and "
     "context parallelism (docs/user-guide/features/megatron_fsdp.md): parallelism.pp=\"16\"; allowed: none or "
     "optimizer, or parallelism.pp=\"1\""},
    {SS_REFUSAL_core_moments, to_run_on("megatron", {"training.moments=16bit"}),
     "--set: training.moments=\"16bit\": needs the precision-aware optimizer, which keeps remainders of weights in 16 "
     "bits (megatron/core/optimizer/optimizer_config.py): training.master-weights=\"fp32\", "
     "training.weights-type=\"16bit\"; allowed: fp32, training.master-weights=\"16bit\", or "
     "training.weights-type=\"operands\""},
    {SS_REFUSAL_core_moments_sharding,
     to_run_on("megatron", {"training.moments=16bit", "training.precision=fp8", "training.weights-type=operands",
                            "parallelism.sharding=none"}),
     "--set: training.moments=\"16bit\": needs the distributed optimizer "
     "(megatron/core/optimizer/optimizer_config.py): parallelism.sharding=\"none\"; allowed: fp32, or "
     "parallelism.sharding=\"optimizer\""},
    {SS_REFUSAL_core_lean, to_run_on("megatron", {"training.master-weights=16bit", "parallelism.sharding=none"}),
     "--set: training.master-weights=\"16bit\": needs the distributed optimizer "
     "(megatron/core/optimizer/optimizer_config.py): parallelism.sharding=\"none\"; allowed: fp32, or "
     "parallelism.sharding=\"optimizer\""},
    {SS_REFUSAL_core_no_master, to_run_on("megatron", {"training.master-weights=none"}),
     "--set: training.master-weights=\"none\": is none, but training.framework=\"megatron\" keeps weights in fp32 or "
     "their remainders (megatron/core/optimizer/optimizer_config.py); allowed: fp32 or 16bit"},
    {SS_REFUSAL_core_step, to_run_on("megatron", {"training.optimizer-step=foreach"}),
     "--set: training.optimizer-step=\"foreach\": is of PyTorch, but training.framework=\"megatron\" steps with the "
     "kernel of Transformer Engine or Apex (megatron/core/optimizer/__init__.py); allowed: fused or separate"},
    {SS_REFUSAL_core_offload_optimizer,
     to_run_on("megatron", {"training.offload-optimizer=yes", "training.offload-step=host"}),
     "--set: training.offload-optimizer=\"yes\": is yes without the precision-aware optimizer "
     "(megatron/training/arguments.py): training.master-weights=\"fp32\"; allowed: no, or "
     "training.master-weights=\"16bit\""},
    {SS_REFUSAL_core_offload_states,
     to_run_on("megatron", {"training.offload-optimizer=yes", "parallelism.sharding=none"}),
     "--set: training.offload-optimizer=\"yes\": with training.offload-fraction=\"1\" is of the distributed optimizer, "
     "and "
     "whole, where the GPU steps (megatron/core/optimizer/cpu_offloading/optimizer_state_offloader.py): "
     "parallelism.sharding=\"none\"; allowed: no, parallelism.sharding=\"optimizer\", or "
     "training.offload-step=\"host\""},
    {SS_REFUSAL_core_offload_weights, to_run_on("megatron", {"training.offload-weights=yes"}),
     "--set: training.offload-weights=\"yes\": is yes, which pretrain_gpt.py has no argument for "
     "(megatron/training/arguments.py); allowed: no"},
    {SS_REFUSAL_core_offload, to_run_on("megatron", {"training.offload-activations=yes"}),
     "--set: training.offload-activations=\"yes\": goes with whole layers, counted, on one stage, without "
     "recomputation, and by fields of nemo only (megatron/core/transformer/transformer_config.py): "
     "parallelism.pp=\"16\", training.recompute=\"none\"; allowed: no, or training.offload-modules"},
    {SS_REFUSAL_core_offload_modules,
     to_run_on("nemo", {"training.offload-activations=yes", "training.offload-modules=core_attn"}),
     "--set: training.offload-modules=\"core_attn\": is not written for training.framework=\"nemo\"; arguments of "
     "Megatron-LM have it; allowed: leave it out"},
    {SS_REFUSAL_core_output, to_run_on("megatron", {"training.precision=fp8-current", "training.output-type=operands"}),
     "--set: training.output-type=\"operands\": is operands, which goes with mxfp8 only "
     "(megatron/core/extensions/transformer_engine.py): training.precision=\"fp8-current\"; "
     "allowed: 16bit, or training.precision=\"mxfp8\""},
    {SS_REFUSAL_core_expert_type,
     to_run_on("megatron", {"model.experts=8", "training.precision=fp8-current", "training.expert-type=16bit"}),
     "--set: training.expert-type=\"16bit\": is 16bit, but training.framework=\"megatron\" quantises all products of a "
     "layer (get_fp8_context of megatron/core/fp8_utils.py): training.precision=\"fp8-current\"; allowed: operands"},
    {SS_REFUSAL_core_timed, to_run_on("megatron", {"training.host=eager-timed"}),
     "--set: training.host=\"eager-timed\": is of releases until 2022; training.framework=\"megatron\" is a later one; "
     "allowed: eager or graphs"},
    {SS_REFUSAL_core_parallel, to_run_on("megatron", {"model.parallel=yes"}),
     "--set: model.parallel=\"yes\": is no layer of training.framework=\"megatron\" "
     "(megatron/core/transformer/transformer_layer.py); allowed: no"},
    {SS_REFUSAL_core_keys, to_run_on("megatron", {"model.keys-as-values=yes"}),
     "--set: model.keys-as-values=\"yes\": is no layer of training.framework=\"megatron\" "
     "(megatron/core/transformer/attention.py); allowed: no"},
    {SS_REFUSAL_core_norms, to_run_on("megatron", {"model.post-norms=yes"}),
     "--set: model.post-norms=\"yes\": is yes, or model.soft-cap=\"no\" is, which no argument of "
     "training.framework=\"megatron\" says (megatron/training/arguments.py); allowed: no, as model.soft-cap"},
    {SS_REFUSAL_core_mixer, to_run_on("megatron", {"model.feed-forward=none", "model.mixer=attention"}),
     "--set: model.mixer=\"attention\": with model.feed-forward=\"none\", model.chunk=\"0\" is a hybrid, or has "
     "chunks, which no setting of pretrain_gpt.py says (megatron/training/arguments.py); allowed: attention and auto"},
    {SS_REFUSAL_core_rms_norm, to_run_on("megatron", {"training.fused=no", "training.norms=fused"}),
     "--set: training.norms=\"fused\": is of PyTorch without a compiler, but training.framework=\"megatron\" has norms "
     "of Transformer Engine or Apex (megatron/core/models/backends.py); allowed: framework or cudnn"},
    {SS_REFUSAL_core_log_softmax, to_run_on("megatron", {"training.cross-entropy=log-softmax"}),
     "--set: training.cross-entropy=\"log-softmax\": is of PyTorch, but training.framework=\"megatron\" has a loss of "
     "its own (megatron/core/tensor_parallel/cross_entropy.py); allowed: separate, fused or online"},
    {SS_REFUSAL_core_index,
     to_run_on("megatron", {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64"}),
     "--set: model.index-top-k=\"64\": has kernels for blocks of 64 heads, which model.heads=\"96\" over "
     "parallelism.tp=\"8\" neither fill nor divide "
     "(megatron/core/transformer/experimental_attention_variant/dsa_cudnn_kernels.py); allowed: another "
     "parallelism.tp"},
    {SS_REFUSAL_titan_index,
     to_run_on("torchtitan",
               {"model.kv-rank=512", "model.rope-size=64", "model.index-heads=4", "model.index-top-k=64"}),
     "--set: model.index-top-k=\"64\": is no attention of training.framework=\"torchtitan\" "
     "(torchtitan/models/deepseek_v3/model/model.py); allowed: 0"},
    {SS_REFUSAL_titan_tensor,
     to_run_on("torchtitan", {"parallelism.tensor=2d", "parallelism.tp2=2", "parallelism.dp=2"}),
     "--set: parallelism.tensor=\"2d\": is no layout of training.framework=\"torchtitan\" "
     "(torchtitan/distributed/parallel_dims.py); allowed: 1d"},
    {SS_REFUSAL_titan_sharding, to_run_on("torchtitan", {"parallelism.sharding=optimizer"}),
     "--set: parallelism.sharding=\"optimizer\": is not what FSDP2 shards by itself "
     "(torchtitan/models/llama3/infra/parallelize.py); allowed: parameters, gradients or none"},
    {SS_REFUSAL_titan_replicas, to_run_on("torchtitan", {"parallelism.sharding=none"}),
     "--set: parallelism.sharding=\"none\": is of replicas that nothing else splits (apply_ddp of "
     "torchtitan/models/llama3/infra/parallelize.py); allowed: parameters"},
    {SS_REFUSAL_titan_shard_size,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "parallelism.cp=2", "parallelism.dp=2", "parallelism.shard-size=2"}),
     "--set: parallelism.shard-size=\"2\": has no whole number of replicas, more than one, for parallelism.cp=\"2\" "
     "(torchtitan/distributed/parallel_dims.py); allowed: multiples of parallelism.cp, or leave it out"},
    {SS_REFUSAL_titan_precision, to_run_on("torchtitan", {"parallelism.sharding=gradients", "training.precision=fp16"}),
     "--set: training.precision=\"fp16\": is no converter of training.framework=\"torchtitan\" "
     "(torchtitan/components/quantization); allowed: bf16, fp8-current, fp8-rows or mxfp8"},
    {SS_REFUSAL_titan_sequence_parallel,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "parallelism.sequence-parallel=no"}),
     "--set: parallelism.sequence-parallel=\"no\": is no, but its tensor parallelism splits sequences "
     "(torchtitan/models/llama3/infra/parallelize.py); allowed: yes"},
    {SS_REFUSAL_titan_redo, to_run_on("torchtitan", {"parallelism.sharding=gradients", "parallelism.tp-redo=yes"}),
     "--set: parallelism.tp-redo=\"yes\": is yes, but training.framework=\"torchtitan\" keeps what it gathers ahead of "
     "products (PrepareModuleInput of torchtitan/models/llama3/infra/parallelize.py); allowed: no"},
    {SS_REFUSAL_titan_fsdp, to_run_on("torchtitan", {"parallelism.sharding=gradients", "parallelism.fsdp=flat"}),
     "--set: parallelism.fsdp=\"flat\": is no FSDP of training.framework=\"torchtitan\", which has fully_shard "
     "(torchtitan/models/llama3/infra/parallelize.py); allowed: per-parameter"},
    {SS_REFUSAL_titan_projections,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "training.projections=fused"}),
     "--set: training.projections=\"fused\": is fused, but training.framework=\"torchtitan\" has wq, wk, wv, w1 and w3 "
     "(torchtitan/models/llama3/model/model.py); allowed: separate"},
    {SS_REFUSAL_titan_order, to_run_on("torchtitan", {"parallelism.sharding=gradients", "placement.order=tp,cp,pp,dp"}),
     "--set: placement.order=\"tp,cp,pp,dp\": is not how training.framework=\"torchtitan\" numbers ranks: stages "
     "outermost, then replicas (torchtitan/distributed/parallel_dims.py); allowed: tp,cp,dp,pp"},
    {SS_REFUSAL_titan_chunks,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "schedule.pipeline=interleaved", "parallelism.interleave=1"}),
     "--set: parallelism.interleave=\"1\": is one chunk of each stage, of which training.framework=\"torchtitan\" has "
     "two and more with this schedule (pipeline_llm of torchtitan/distributed/pipeline_parallel.py); allowed: 2, or "
     "schedule.pipeline=\"1f1b\""},
    {SS_REFUSAL_titan_pipeline,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "schedule.pipeline=zero-bubble-1"}),
     "--set: schedule.pipeline=\"zero-bubble-1\": is no schedule of torch.distributed.pipelining "
     "(torchtitan/distributed/pipeline_parallel.py), or there are no stages; allowed: 1f1b, and with stages gpipe, "
     "interleaved, v-zb or dualpipe-v"},
    {SS_REFUSAL_titan_layout,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "parallelism.first-stage-layers=6", "parallelism.pp=16"}),
     "--set: parallelism.pp=\"16\": has stages that are laid out one by one, or groups of micro-batches, which are not "
     "written; allowed: even stages"},
    {SS_REFUSAL_titan_context,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "parallelism.cp=2", "parallelism.dp=2",
                              "parallelism.cp-exchange=all-to-all", "parallelism.cp-sums=kernel"}),
     "--set: parallelism.cp-exchange=\"all-to-all\": is no rotation of training.framework=\"torchtitan\" "
     "(context_parallel_rotate_method of torchtitan/config/job_config.py); allowed: gather or ring, with "
     "parallelism.cp-inner=\"1\""},
    {SS_REFUSAL_titan_experts,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.experts=8", "parallelism.dp=4",
                              "parallelism.ep=8", "parallelism.etp=1"}),
     "--set: parallelism.ep=\"8\": is not parallelism.cp=\"1\" to parallelism.dp=\"4\" times it "
     "(expert_parallel_degree of torchtitan/config/job_config.py); allowed: such sizes"},
    {SS_REFUSAL_titan_expert_tensor,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "model.experts=8", "parallelism.etp=2", "parallelism.tp=8"}),
     "--set: parallelism.etp=\"2\": is neither 1 nor parallelism.tp=\"8\" (torchtitan/distributed/parallel_dims.py); "
     "allowed: 1, 8, or parallelism.tp"},
    {SS_REFUSAL_titan_values, to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.value-head-size=64"}),
     "--set: model.value-head-size=\"64\": is above 0, but training.framework=\"torchtitan\" has such values in latent "
     "attention only (torchtitan/models/deepseek_v3/model); allowed: 0, or a model.kv-rank above 0"},
    {SS_REFUSAL_titan_queries,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.q-rank=512", "model.kv-heads=1"}),
     "--set: model.q-rank=\"512\": is above 0, but training.framework=\"torchtitan\" has such queries in latent "
     "attention only (torchtitan/models/deepseek_v3/model); allowed: 0, or a model.kv-rank above 0"},
    {SS_REFUSAL_titan_latent,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.experts=8", "model.expert-latent=512"}),
     "--set: model.expert-latent=\"512\": is above 0, which the experts of training.framework=\"torchtitan\" are not "
     "(torchtitan/models/moe.py); allowed: 0"},
    {SS_REFUSAL_titan_streams, to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.residual-streams=4"}),
     "--set: model.residual-streams=\"4\": is above 1, but layers of training.framework=\"torchtitan\" have one "
     "residual "
     "(torchtitan/models); allowed: 1"},
    {SS_REFUSAL_titan_shared,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "parallelism.pp=1", "training.attention=flash",
                              "model.kinds=a; b shared-keys=yes", "model.pattern=ab"}),
     "--set: model.kinds=\"a; b shared-keys=yes\": has layers that share keys and values, which "
     "training.framework=\"torchtitan\" has not (torchtitan/models); allowed: no model.shared-keys"},
    {SS_REFUSAL_titan_layer_embedding,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "parallelism.pp=1", "model.vocabulary=51200",
                              "model.layer-embedding=64"}),
     "--set: model.layer-embedding=\"64\": is above 0, which training.framework=\"torchtitan\" has not "
     "(torchtitan/models); allowed: 0"},
    {SS_REFUSAL_titan_positions,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.vocabulary=51200", "model.positions=8192"}),
     "--set: model.positions=\"8192\": is above 0, which training.framework=\"torchtitan\" has not "
     "(torchtitan/models); allowed: 0"},
    {SS_REFUSAL_titan_embedding_norm,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.vocabulary=51200", "model.embedding-norm=yes"}),
     "--set: model.embedding-norm=\"yes\": is yes, which training.framework=\"torchtitan\" has not "
     "(torchtitan/models); allowed: no"},
    {SS_REFUSAL_titan_rotary, to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.rotary=no"}),
     "--set: model.rotary=\"no\": is no, but layers of training.framework=\"torchtitan\" turn queries and keys "
     "(torchtitan/models); allowed: auto or yes"},
    {SS_REFUSAL_titan_zero,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.experts=8", "model.zero-experts=4"}),
     "--set: model.zero-experts=\"4\": is above 0, which the experts of training.framework=\"torchtitan\" are not "
     "(torchtitan/models/moe.py); allowed: 0"},
    {SS_REFUSAL_titan_dispatch,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "model.experts=8", "schedule.dispatch=once"}),
     "--set: schedule.dispatch=\"once\": and schedule.overlap-ep=\"none\" are not what "
     "training.framework=\"torchtitan\" does with tokens (torchtitan/distributed/expert_parallel.py); allowed: copies, "
     "with schedule.overlap-ep=\"none\""},
    {SS_REFUSAL_titan_recompute,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "training.recompute=selective", "training.attention=unfused"}),
     "--set: training.recompute=\"selective\": is by operation there, or whole, and of all layers "
     "(torchtitan/distributed/activation_checkpoint.py); allowed: none, or per-op or full of all layers"},
    {SS_REFUSAL_titan_recompute,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "training.recompute=keep-products"}),
     "--set: training.recompute=\"keep-products\": is by operation there, or whole, and of all layers "
     "(torchtitan/distributed/activation_checkpoint.py); allowed: none, or per-op or full of all layers"},
    {SS_REFUSAL_titan_optimizer,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "training.moments=16bit", "training.optimizer=adam"}),
     "--set: training.optimizer=\"adam\": with training.moments=\"16bit\", training.master-weights=\"fp32\", "
     "parallelism.shards=\"fp32\" is no optimizer of training.framework=\"torchtitan\" "
     "(torchtitan/components/optimizer.py, training.dtype of torchtitan/config/job_config.py); allowed: adam in fp32, "
     "or "
     "with training.moments=\"16bit\", training.master-weights=\"none\", parallelism.shards=\"16bit\""},
    {SS_REFUSAL_titan_offload,
     to_run_on("torchtitan", {"parallelism.sharding=gradients", "training.offload-activations=yes"}),
     "--set: training.offload-activations=\"yes\": and training.offload-weights=\"no\" are not in its settings, which "
     "have enable_cpu_offload (torchtitan/config/job_config.py); allowed: no, as training.offload-weights"},
    {SS_REFUSAL_titan_offload_step,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "training.offload-optimizer=yes", "training.offload-step=gpu"}),
     "--set: training.offload-step=\"gpu\": with training.offload-fraction=\"1\" is not what CPUOffloadPolicy of FSDP "
     "does "
     "(torchtitan/distributed); allowed: host, for all states"},
    {SS_REFUSAL_titan_operands,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "training.precision=mxfp8", "training.attention-type=operands"}),
     "--set: training.attention-type=\"operands\": is no converter of training.framework=\"torchtitan\" "
     "(torchtitan/components/quantization); allowed: 16bit"},
    {SS_REFUSAL_titan_output,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "training.precision=mxfp8", "training.output-type=operands"}),
     "--set: training.output-type=\"operands\": is operands, but the converter to training.precision=\"mxfp8\" leaves "
     "the output layer out by itself (torchtitan/config/job_config.py); allowed: 16bit"},
    {SS_REFUSAL_titan_norms, to_run_on("torchtitan", {"parallelism.sharding=gradients", "training.norms=cudnn"}),
     "--set: training.norms=\"cudnn\": is of Transformer Engine, which training.framework=\"torchtitan\" does without "
     "(torchtitan/models); allowed: framework or fused"},
    {SS_REFUSAL_titan_16bit,
     to_run_on("torchtitan",
               {"parallelism.sharding=gradients", "training.precision=mxfp8", "training.bf16-first-layers=1"}),
     "--set: training.bf16-first-layers=\"1\": with training.weights-type=\"16bit\", training.capacity-factor=\"0\" is "
     "not in its settings (torchtitan/config/job_config.py); allowed: neither"},
};

} /* namespace stepsim */

#endif
