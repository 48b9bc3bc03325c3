/* The fields of a workload, element by element, with their types: the structure and the index of attributes are
 * expanded from them. Each has a row in model/input/workload_attributes.def, which an edit of a name, a default, a
 * range or a help text changes alone: few files include it, and most of the program this one.
 *
 * Rows:  TEXT(element, field)
 *        COUNT(element, field)           an integer
 *        REAL(element, field)            a dimensionless number
 *        CHOICE(element, field, list)    one of a list of words (model/input/words.h)
 *        SET(element, field)             some of a list of words */
#ifndef STEPSIM_MODEL_INPUT_WORKLOAD_FIELDS_H
#define STEPSIM_MODEL_INPUT_WORKLOAD_FIELDS_H

/* clang-format off */
#define SS_ELEMENT_LIST(X)                                                                    \
  X(model, "the transformer") X(training, "batch, precision and what is kept for backward")   \
  X(parallelism, "how the work is split over GPUs") X(schedule, "the order of work, and what overlaps") \
  X(placement, "which rank sits on which GPU") X(run, "all iterations: what breaks, what is kept, how it goes on")

#define SS_FIELDS_model(TEXT, COUNT, REAL, CHOICE, SET) \
  TEXT(model, name) \
  COUNT(model, layers) \
  COUNT(model, hidden) \
  COUNT(model, ffn) \
  COUNT(model, heads) \
  COUNT(model, kv_heads) \
  COUNT(model, head_size) \
  COUNT(model, value_head_size) \
  COUNT(model, sequence) \
  COUNT(model, vocabulary) \
  CHOICE(model, tied_embeddings, switch) \
  CHOICE(model, mlp, mlp) \
  CHOICE(model, rotary, model_rotary) \
  CHOICE(model, biases, model_biases) \
  CHOICE(model, causal, switch) \
  COUNT(model, q_rank) \
  COUNT(model, kv_rank) \
  COUNT(model, rope_size) \
  COUNT(model, index_heads) \
  COUNT(model, index_head_size) \
  COUNT(model, index_top_k) \
  COUNT(model, compress) \
  COUNT(model, output_groups) \
  COUNT(model, output_rank) \
  COUNT(model, experts) \
  COUNT(model, top_k) \
  COUNT(model, expert_ffn) \
  COUNT(model, expert_latent) \
  COUNT(model, zero_experts) \
  COUNT(model, shared_experts) \
  COUNT(model, routed_domains) \
  COUNT(model, router_groups) \
  COUNT(model, router_group_top_k) \
  COUNT(model, positions) \
  CHOICE(model, embedding_norm, switch) \
  COUNT(model, layer_embedding) \
  COUNT(model, dense_layers) \
  COUNT(model, mtp_modules) \
  TEXT(model, mtp_kind) \
  CHOICE(model, mixer, mixer) \
  CHOICE(model, feed_forward, feed_forward) \
  COUNT(model, window) \
  COUNT(model, chunk) \
  CHOICE(model, parallel, switch) \
  CHOICE(model, qk_norm, switch) \
  CHOICE(model, keys_as_values, switch) \
  CHOICE(model, shared_keys, switch) \
  CHOICE(model, attention_output_gate, switch) \
  CHOICE(model, post_norms, switch) \
  CHOICE(model, soft_cap, switch) \
  COUNT(model, residual_streams) \
  COUNT(model, state_heads) \
  COUNT(model, state_head_size) \
  COUNT(model, state_size) \
  COUNT(model, state_groups) \
  COUNT(model, state_rank) \
  COUNT(model, state_chunk) \
  COUNT(model, convolution) \
  COUNT(model, vision_layers) \
  COUNT(model, vision_hidden) \
  COUNT(model, vision_ffn) \
  COUNT(model, vision_heads) \
  CHOICE(model, vision_mlp, mlp) \
  COUNT(model, vision_tokens) \
  COUNT(model, vision_images) \
  COUNT(model, vision_window) \
  COUNT(model, vision_full_every) \
  COUNT(model, vision_patch) \
  COUNT(model, vision_positions) \
  COUNT(model, vision_merge) \
  CHOICE(model, vision_join, switch) \
  COUNT(model, vision_projector) \
  TEXT(model, kinds) \
  TEXT(model, pattern)

#define SS_FIELDS_training(TEXT, COUNT, REAL, CHOICE, SET) \
  COUNT(training, global_batch) \
  COUNT(training, micro_batch) \
  CHOICE(training, precision, precision) \
  COUNT(training, bf16_first_layers) \
  COUNT(training, bf16_last_layers) \
  CHOICE(training, gradients, gradients) \
  CHOICE(training, gradient_accumulation, accumulation) \
  CHOICE(training, optimizer_step, optimizer_step) \
  CHOICE(training, dispatch_type, dispatch_type) \
  CHOICE(training, gather_type, held_as) \
  CHOICE(training, reduce_type, held_as) \
  CHOICE(training, attention_type, held_as) \
  CHOICE(training, output_type, held_as) \
  CHOICE(training, expert_type, held_as) \
  SET(training, precise_modules) \
  CHOICE(training, weights_type, held_as) \
  CHOICE(training, activation_input, activation_input) \
  CHOICE(training, amax_reduction, amax_reduction) \
  CHOICE(training, optimizer, optimizer) \
  CHOICE(training, muon_tp_mode, muon_tp_mode) \
  CHOICE(training, master_weights, master) \
  CHOICE(training, moments, moment_type) \
  CHOICE(training, attention, attention) \
  CHOICE(training, index_loss, switch) \
  CHOICE(training, unpadding, switch) \
  CHOICE(training, recompute, recompute) \
  SET(training, recompute_modules) \
  CHOICE(training, recompute_method, recompute_method) \
  CHOICE(training, recompute_early_stop, switch) \
  COUNT(training, recompute_layers) \
  TEXT(training, recompute_layer_ids) \
  CHOICE(training, fused, switch) \
  REAL(training, capacity_factor) \
  REAL(training, imbalance) \
  CHOICE(training, offload_weights, switch) \
  CHOICE(training, offload_activations, switch) \
  SET(training, offload_modules) \
  COUNT(training, offload_layers) \
  CHOICE(training, offload_optimizer, switch) \
  CHOICE(training, offload_step, offload_step) \
  REAL(training, offload_fraction) \
  CHOICE(training, dropout, switch) \
  CHOICE(training, freeze_vision, switch) \
  COUNT(training, lora_rank) \
  SET(training, lora_modules) \
  CHOICE(training, lora_experts, lora_experts) \
  CHOICE(training, lora_dropout, switch) \
  CHOICE(training, lora_kernels, lora_kernels) \
  CHOICE(training, lora_exchange, lora_exchange) \
  CHOICE(training, host, host) \
  SET(training, graphs) \
  CHOICE(training, expert_kernels, expert_kernels) \
  CHOICE(training, expert_padding, switch) \
  CHOICE(training, router, router) \
  CHOICE(training, router_type, router_type) \
  CHOICE(training, permutation, permutation) \
  CHOICE(training, router_weights, router_weights) \
  CHOICE(training, cross_entropy, cross_entropy) \
  COUNT(training, loss_metrics) \
  CHOICE(training, projections, projections) \
  CHOICE(training, norms, norms) \
  CHOICE(training, stream_kernels, stream_kernels) \
  CHOICE(training, rotary, rotary) \
  CHOICE(training, biases, biases) \
  CHOICE(training, layout_copies, switch) \
  CHOICE(training, stack, stack) \
  CHOICE(training, framework, runner) \
  CHOICE(training, documents, documents) \
  REAL(training, document_mean) \
  REAL(training, document_sigma) \
  TEXT(training, document_lengths) \
  CHOICE(training, packing, packing) \
  COUNT(training, document_padding) \
  CHOICE(training, long_documents, long_documents) \
  REAL(training, tokens)

#define SS_FIELDS_parallelism(TEXT, COUNT, REAL, CHOICE, SET) \
  CHOICE(parallelism, tensor, tensor) \
  COUNT(parallelism, tp) \
  COUNT(parallelism, tp2) \
  COUNT(parallelism, panels) \
  COUNT(parallelism, cp) \
  CHOICE(parallelism, cp_exchange, cp_exchange) \
  CHOICE(parallelism, cp_sums, cp_sums) \
  COUNT(parallelism, cp_inner) \
  CHOICE(parallelism, cp_balance, switch) \
  CHOICE(parallelism, cp_split, cp_split) \
  COUNT(parallelism, pp) \
  COUNT(parallelism, first_stage_layers) \
  COUNT(parallelism, last_stage_layers) \
  COUNT(parallelism, vision_stages) \
  COUNT(parallelism, vision_tp) \
  CHOICE(parallelism, vision_share, vision_share) \
  CHOICE(parallelism, account_for_embedding, switch) \
  CHOICE(parallelism, account_for_loss, switch) \
  TEXT(parallelism, layout) \
  COUNT(parallelism, interleave) \
  COUNT(parallelism, dp) \
  COUNT(parallelism, ep) \
  COUNT(parallelism, etp) \
  CHOICE(parallelism, expert_groups, expert_groups) \
  CHOICE(parallelism, sequence_parallel, switch) \
  CHOICE(parallelism, tp_redo, switch) \
  CHOICE(parallelism, sharding, sharding) \
  COUNT(parallelism, shard_size) \
  CHOICE(parallelism, fsdp, fsdp) \
  CHOICE(parallelism, shards, shards)

#define SS_FIELDS_schedule(TEXT, COUNT, REAL, CHOICE, SET) \
  CHOICE(schedule, pipeline, pipeline) \
  COUNT(schedule, interleave_group) \
  CHOICE(schedule, overlap_dp, switch) \
  CHOICE(schedule, overlap_gather, switch) \
  CHOICE(schedule, overlap_pp, switch) \
  CHOICE(schedule, overlap_tp, tp_overlap) \
  CHOICE(schedule, tp_reduction, tp_reduction) \
  CHOICE(schedule, overlap_cp, switch) \
  CHOICE(schedule, overlap_ep, ep_overlap) \
  REAL(schedule, bucket) \
  CHOICE(schedule, pipeline_rs_ag, switch) \
  COUNT(schedule, prefetch) \
  CHOICE(schedule, all_reduce, algorithm) \
  CHOICE(schedule, all_gather, algorithm) \
  CHOICE(schedule, reduce_scatter, algorithm) \
  CHOICE(schedule, all_to_all, algorithm) \
  CHOICE(schedule, dispatch, dispatch)

#define SS_FIELDS_placement(TEXT, COUNT, REAL, CHOICE, SET) \
  TEXT(placement, order) \
  TEXT(placement, domain) \
  COUNT(placement, segment) \
  TEXT(placement, free) \
  TEXT(placement, ranks)

#define SS_FIELDS_run(TEXT, COUNT, REAL, CHOICE, SET) \
  CHOICE(run, checkpoint, checkpoint_mode) \
  CHOICE(run, checkpoint_to, checkpoint_to) \
  REAL(run, checkpoint_bytes) \
  REAL(run, interval_s) \
  REAL(run, software_failures) \
  REAL(run, detection_s) \
  REAL(run, restart_s) \
  CHOICE(run, recovery, recovery) \
  REAL(run, swap_s) \
  REAL(run, spares) \
  REAL(run, repair_s) \
  REAL(run, slow_detection_s) \
  REAL(run, slow_nic_detection_s) \
  REAL(run, slow_cable_detection_s) \
  REAL(run, slow_switch_detection_s) \
  TEXT(run, phases)

/* All fields. */
#define SS_WORKLOAD_FIELDS(TEXT, COUNT, REAL, CHOICE, SET) \
  SS_FIELDS_model(TEXT, COUNT, REAL, CHOICE, SET)          \
  SS_FIELDS_training(TEXT, COUNT, REAL, CHOICE, SET)       \
  SS_FIELDS_parallelism(TEXT, COUNT, REAL, CHOICE, SET)    \
  SS_FIELDS_schedule(TEXT, COUNT, REAL, CHOICE, SET)       \
  SS_FIELDS_placement(TEXT, COUNT, REAL, CHOICE, SET)      \
  SS_FIELDS_run(TEXT, COUNT, REAL, CHOICE, SET)
/* clang-format on */

#endif
