/* Prints docs/knobs.md, what a strategy can say; a test holds the file to it and follows every link.
 * Values and defaults come from the tables of attributes and properties, and no attribute of a strategy may be left
 * out. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/input/machine.h"
#include "model/input/workload.h"

/* A function that does it. */
typedef struct place {
  const char *file, *function;
} place;

/* Most knobs act in the tasks of a block, which closed form and replay both play, and in what the block keeps. */
/* clang-format off */
#define TASKS {"sim/engine/core/tasks.c", "ss_step_start"}
#define KEPT {"model/block/passes.c", "ss_passes_account_memory"}
/* clang-format on */

/* Lists end with 0: neither the model's name nor the accelerator's is a knob. */
#define MAX_ATTRIBUTES 17
typedef struct knob {
  const char *name;
  ss_attribute_index attributes[MAX_ATTRIBUTES];
  ss_property_index properties[MAX_ATTRIBUTES];
  const char *effect;
  place closed_form, replay, memory;
} knob;

static const knob knobs[] = {
    {.name = "batch",
     .attributes = {SS_AT_training_global_batch, SS_AT_training_micro_batch},
     .effect = "size of the kernels, number of micro-batches M, activations in flight",
     .closed_form = {"model/block/builder.c", "ss_builder_start"},
     .replay = {"model/schedule/schedule.c", "ss_schedule_emit"},
     .memory = {"model/schedule/row.h", "ss_schedule_in_flight"}},
    {.name = "precision",
     .attributes = {SS_AT_training_precision},
     .properties = {SS_PROPERTY_fp8_flop_per_s, SS_PROPERTY_mxfp8_flop_per_s, SS_PROPERTY_nvfp4_flop_per_s},
     .effect = "rate of the products of layers and bytes of their operands, with scales; bytes of gradients unless "
               "`gradients` gives them",
     .closed_form = {"model/kernel/kernel.c", "ss_kernel_duration"},
     .replay = TASKS,
     .memory = {"model/estimate/memory.c", "in_use_bytes"}},
    {.name = "gradients",
     .attributes = {SS_AT_training_gradients, SS_AT_training_gradient_accumulation},
     .effect = "bytes of gradients in memory and on the network; bytes over HBM to add up every micro-batch, in the "
               "product of the weight gradient or in a kernel of its own",
     .closed_form = {"model/block/passes.c", "push_sum"},
     .replay = TASKS,
     .memory = {"model/block/block.c", "ss_gradient_bytes"}},
    {.name = "attention",
     .attributes = {SS_AT_training_attention},
     .effect = "one kernel that keeps no logits and skips what the causal mask hides, or one kernel for each step",
     .closed_form = {"model/block/attention.c", "add_core"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "fused layers",
     .attributes = {SS_AT_training_fused},
     .effect = "chains of element-wise operations touch memory once, or once per operation; SwiGLU in one kernel keeps "
               "a third less",
     .closed_form = {"model/block/builder.c", "ss_builder_add_residual"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "dropout",
     .attributes = {SS_AT_training_dropout},
     .effect = "kernels, and a mask to keep",
     .closed_form = {"model/block/builder.c", "ss_builder_add_residual"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "recompute",
     .attributes = {SS_AT_training_recompute, SS_AT_training_recompute_modules, SS_AT_training_recompute_method,
                    SS_AT_training_recompute_layers, SS_AT_training_recompute_early_stop},
     .effect = "modules or whole layers again in backward, in all layers, some, or groups; less to keep",
     .closed_form = {"model/block/recomputation.c", "ss_builder_run_again"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "data parallel",
     .attributes = {SS_AT_parallelism_dp},
     .effect = "replicas share the batch; gradients are reduced once per iteration",
     .closed_form = {"model/plan/data_plan.c", "ss_data_plan_of"},
     .replay = {"sim/engine/core/data.c", "ss_reduce_need"},
     .memory = {"model/plan/job.c", "ss_job_holders"}},
    {.name = "data-parallel overlap",
     .attributes = {SS_AT_schedule_overlap_dp, SS_AT_schedule_bucket},
     .effect = "reductions beside backward; exposed: the last bucket and what backward cannot hide",
     .closed_form = {"model/plan/stage_ops.c", "collect"},
     .replay = {"model/plan/stage_ops.c", "collect"}},
    {.name = "sharding (ZeRO 1, 2, 3; FSDP)",
     .attributes = {SS_AT_parallelism_sharding, SS_AT_parallelism_shards, SS_AT_schedule_prefetch},
     .effect = "none: all-reduce; optimizer: reduce-scatter + all-gather; gradients: reduce-scatter after every pass; "
               "parameters: also a gather before every pass",
     .closed_form = {"model/estimate/walk_run.c", "gather_up_to"},
     .replay = {"sim/engine/core/data.c", "ss_gather_ahead"},
     .memory = {"model/estimate/memory.c", "kept_parameters"}},
    {.name = "hybrid sharding (HSDP)",
     .attributes = {SS_AT_parallelism_shard_size},
     .effect = "gathers and reduce-scatters among shard-size neighbours, which memory is divided by; behind each, an "
               "all-reduce of the shard over the copies",
     .closed_form = {"model/plan/stage_ops.c", "list_all"},
     .replay = {"sim/engine/setup/routes.c", "add_holders"},
     .memory = {"model/block/holders.c", "ss_weights_shards"}},
    {.name = "pipeline schedule",
     .attributes = {SS_AT_parallelism_pp, SS_AT_schedule_pipeline},
     .effect =
         "bubble (P - 1)(f + b) of gpipe, 1f1b and eager-1f1b, which hold M, P - stage and 2 (P - stage) - 1 "
         "micro-batches; zero-bubble: weight gradients fill it; v-min, v-half and v-zb hold 1/3, 1/2 and all of 1f1b's "
         "activations on every stage, with 2/3, 1/2 and 1/6 of its bubble; dualpipe-v holds 2 P + 1 chunks; dualpipe "
         "holds "
         "two parts of the model, P + 1 micro-batches of one, and adds up gradients over twice as many ranks",
     .closed_form = {"model/estimate/estimate.c", "pace_of"},
     .replay = {"model/schedule/schedule.c", "ss_schedule_emit"},
     .memory = {"model/schedule/row.h", "ss_schedule_in_flight"}},
    {.name = "overlap of experts' exchanges",
     .attributes = {SS_AT_schedule_overlap_ep},
     .effect =
         "backward of one micro-batch and forward of another take turns at each all-to-all, which runs beside the "
         "other's kernels; delayed: and beside gradients of its own weights. Weights are gathered and activations read "
         "in the "
         "order of these turns; two layers are gathered at a time",
     .closed_form = {"model/plan/pair_time.c", "ss_job_pair_time"},
     .replay = {"sim/engine/core/pairs.c", "ss_pair_at_step"},
     .memory = {"model/estimate/memory.c", "kept_by_pair"}},
    {.name = "interleaving",
     .attributes = {SS_AT_parallelism_interleave, SS_AT_schedule_interleave_group},
     .effect = "v chunks per stage: bubble / v, v times the messages, more in flight; larger groups hide messages and "
               "hold more",
     .closed_form = {"model/estimate/estimate.c", "pace_of"},
     .replay = {"model/schedule/schedule.c", "ss_schedule_receiver"},
     .memory = {"model/estimate/memory.c", "kept_by_stage"}},
    {.name = "uneven stages",
     .attributes = {SS_AT_parallelism_first_stage_layers, SS_AT_parallelism_last_stage_layers,
                    SS_AT_parallelism_account_for_embedding, SS_AT_parallelism_account_for_loss,
                    SS_AT_model_vocabulary},
     .effect =
         "embedding, output layer and cross entropy add to the first and last stage; fewer layers there balance them",
     .closed_form = {"model/plan/split.c", "fill_evenly"},
     .replay = {"model/plan/split.c", "fill_evenly"},
     .memory = {"model/estimate/memory.c", "kept_by_chunk"}},
    {.name = "pipeline layout",
     .attributes = {SS_AT_parallelism_layout},
     .effect = "any number of layers in every virtual stage, and embedding and output layer by themselves",
     .closed_form = {"model/estimate/pipeline_walk.c", "ss_pipeline_walk"},
     .replay = {"model/plan/split.c", "fill_as_laid_out"},
     .memory = {"model/estimate/memory.c", "kept_by_chunk"}},
    {.name = "tied embeddings",
     .attributes = {SS_AT_model_tied_embeddings},
     .effect = "one table with one stage; else the first and the last stage sum its gradient before the optimizer step",
     .closed_form = {"model/estimate/estimate.c", "tie_stages"},
     .replay = {"sim/engine/core/ties.c", "ss_tie_join"},
     .memory = {"model/plan/tables.c", "add_user"}},
    {.name = "multi-token prediction",
     .attributes = {SS_AT_model_mtp_modules},
     .effect =
         "a layer, a product of twice the width and one more output product and loss for each module; stages with "
         "the embedding's table sum its gradient",
     .closed_form = {"model/block/module.c", "ss_builder_add_merger"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "pipeline overlap",
     .attributes = {SS_AT_schedule_overlap_pp},
     .effect = "sends run beside compute, or take turns with it",
     .closed_form = {"model/estimate/stage_times.c", "complete"},
     .replay = {"sim/engine/core/messages.c", "ss_message_send"}},
    {.name = "pipeline RS + AG",
     .attributes = {SS_AT_schedule_pipeline_rs_ag},
     .effect = "each tensor rank sends 1/tp of the activations, and the receivers gather",
     .closed_form = {"model/block/ends.c", "message_gather"},
     .replay = TASKS,
     .memory = {"model/estimate/memory.c", "message_buffers_bytes"}},
    {.name = "tensor parallel",
     .attributes = {SS_AT_parallelism_tp},
     .effect = "heads and feed-forward split; four collectives per layer, forward and backward",
     .closed_form = {"model/block/products.c", "ss_builder_add_column"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "2D tensor parallel, SUMMA",
     .attributes = {SS_AT_parallelism_tensor, SS_AT_parallelism_tp2, SS_AT_parallelism_panels},
     .effect = "a second axis along the sequence; summa: weights split on both axes, products in panels of broadcasts",
     .closed_form = {"model/block/products.c", "add_panels"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "tensor parallel as RS + AG",
     .attributes = {SS_AT_parallelism_sequence_parallel},
     .effect = "norms and dropout on 1/tp of the tokens, same bytes as all-reduce, activations / tp",
     .closed_form = {"model/block/products.c", "tensor_call"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "redo for sequence parallel",
     .attributes = {SS_AT_parallelism_tp_redo},
     .effect = "keep the sharded input of a product and gather it again in backward",
     .closed_form = {"model/block/passes.c", "gather_again"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "tensor-parallel overlap",
     .attributes = {SS_AT_schedule_overlap_tp},
     .effect = "pieces of a collective overlap the product before or after it, or the whole collective overlaps the "
               "weight gradient",
     .closed_form = {"model/block/products.c", "tensor_overlap"},
     .replay = {"sim/engine/core/tasks.c", "advance_live"}},
    {.name = "kernels of the loss",
     .attributes = {SS_AT_training_cross_entropy},
     .effect = "bytes that the cross entropy moves, and what it keeps of the logits",
     .closed_form = {"model/block/operation.c", "loss_bytes_of"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "projections",
     .attributes = {SS_AT_training_projections},
     .effect =
         "separate: smaller products, gradients of what they read are summed by a kernel, and reduced by themselves",
     .closed_form = {"model/block/products.c", "ss_builder_add_columns"},
     .replay = TASKS},
    {.name = "norms",
     .attributes = {SS_AT_training_norms},
     .properties = {SS_PROPERTY_cudnn_norm_share},
     .effect =
         "cudnn: another share of the bandwidth; no kernel that quantises what they write in MXFP8, one that looks "
         "for the largest value with scales of tensors",
     .closed_form = {"model/kernel/kernel.c", "hbm_share"},
     .replay = TASKS},
    {.name = "unpadding",
     .attributes = {SS_AT_training_unpadding},
     .effect = "copies of queries, keys, values and output around flash attention, and waits of the host ahead of it",
     .closed_form = {"model/block/operation.c", "ss_operation_unpad"},
     .replay = TASKS},
    {.name = "choice of experts",
     .attributes = {SS_AT_training_router, SS_AT_training_router_type},
     .effect = "separate: 28 kernels in place of one, 13 backward; fp32: wider logits, casts around their gradients",
     .closed_form = {"model/block/router.c", "ss_builder_add_router"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "permutation",
     .attributes = {SS_AT_training_permutation},
     .effect = "separate: kernels that find indices, for which the host waits, and atomic sums",
     .closed_form = {"model/block/expert.c", "add_permute"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "padding of experts",
     .attributes = {SS_AT_training_expert_padding},
     .effect = "copies of the rows of experts ahead of and behind their products",
     .closed_form = {"model/block/expert.c", "add_padding"},
     .replay = TASKS},
    {.name = "FSDP of PyTorch",
     .attributes = {SS_AT_parallelism_fsdp},
     .effect = "copies of gathered weights, or of gradients ahead of their reduction",
     .closed_form = {"model/block/passes.c", "push_flatten"},
     .replay = TASKS},
    {.name = "biases",
     .attributes = {SS_AT_training_biases},
     .effect = "separate: that of queries, keys and values is added by itself, and each gradient is a sum",
     .closed_form = {"model/block/operation.c", "ss_operation_qkv_bias"},
     .replay = TASKS},
    {.name = "rotary embedding",
     .attributes = {SS_AT_training_rotary},
     .effect = "complex: casts to fp32 and back around a product of complex numbers",
     .closed_form = {"model/block/builder.c", "ss_builder_add_rotary"},
     .replay = TASKS},
    {.name = "metrics of the loss",
     .attributes = {SS_AT_training_loss_metrics},
     .effect = "kernels that move logits once more for each",
     .closed_form = {"model/block/operation.c", "ss_operation_loss_metric"},
     .replay = TASKS},
    {.name = "copies for the next kernel",
     .attributes = {SS_AT_training_layout_copies},
     .effect = "queries of grouped heads, gradients of queries, keys and values, what unfused heads return, sequences "
               "of Mamba-2 are copied",
     .closed_form = {"model/block/operation.c", "ss_operation_copy"},
     .replay = TASKS},
    {.name = "documents",
     .attributes = {SS_AT_training_documents, SS_AT_training_document_mean, SS_AT_training_document_sigma,
                    SS_AT_training_document_lengths, SS_AT_training_packing, SS_AT_training_document_padding,
                    SS_AT_training_long_documents},
     .effect =
         "attention inside documents that sequences are packed of: less of it, and micro-batches differ; the closed "
         "form has the mean, the replay draws them. Whole documents leave padding, which costs what tokens cost",
     .closed_form = {"model/block/packing.c", "ss_attention_reach_of"},
     .replay = {"sim/engine/perturbation/document_draws.c", "draw_sequence"}},
    {.name = "context parallel",
     .attributes = {SS_AT_parallelism_cp, SS_AT_parallelism_cp_exchange, SS_AT_parallelism_cp_sums,
                    SS_AT_parallelism_cp_inner, SS_AT_parallelism_cp_balance, SS_AT_parallelism_cp_split,
                    SS_AT_schedule_overlap_cp},
     .effect =
         "sequence / cp; keys and values gathered, or passed around a ring beside attention, or heads exchanged "
         "for tokens; cp-inner neighbours exchange heads first, of which the groups of them then gather or pass on; "
         "pieces summed up in attention or by kernels in fp32",
     .closed_form = {"model/block/context.c", "ss_builder_join_pieces"},
     .replay = {"sim/engine/core/tasks.c", "advance_live"},
     .memory = KEPT},
    {.name = "latent attention (MLA)",
     .attributes = {SS_AT_model_kv_rank, SS_AT_model_q_rank, SS_AT_model_rope_size},
     .effect =
         "keys and values come from one vector of kv-rank, with a rotated rope-size that all heads share, and queries "
         "from one of q-rank: small products ahead of those of the heads",
     .closed_form = {"model/block/attention.c", "add_latent_core"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "feed-forward part",
     .attributes = {SS_AT_model_mlp, SS_AT_model_ffn},
     .effect = "two matrices of ffn (gelu, relu2), or three, one of which gates another (swiglu)",
     .closed_form = {"model/block/feed_forward.c", "ss_builder_add_mlp"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "expert parallel (MoE)",
     .attributes = {SS_AT_parallelism_ep, SS_AT_parallelism_etp, SS_AT_parallelism_expert_groups,
                    SS_AT_training_capacity_factor, SS_AT_training_imbalance, SS_AT_model_experts, SS_AT_model_top_k,
                    SS_AT_model_expert_ffn, SS_AT_model_dense_layers, SS_AT_model_expert_latent,
                    SS_AT_model_shared_experts, SS_AT_model_routed_domains, SS_AT_schedule_dispatch,
                    SS_AT_training_dispatch_type, SS_AT_training_router_weights},
     .effect = "all-to-all before and after the experts, but in the first dense-layers; the fullest rank sets the "
               "pace; outputs "
               "of experts are kept where they are weighted",
     .closed_form = {"model/block/expert.c", "ss_builder_add_experts"},
     .replay = {"model/collective/direct.c", "ss_direct_add_across"},
     .memory = {"model/estimate/memory.c", "kept_parameters"}},
    {.name = "offload",
     .attributes = {SS_AT_training_offload_weights, SS_AT_training_offload_activations, SS_AT_training_offload_modules,
                    SS_AT_training_offload_layers, SS_AT_training_offload_optimizer},
     .properties = {SS_PROPERTY_offload_bytes, SS_PROPERTY_offload_bytes_per_s},
     .effect = "a second memory tier: its needed and available bandwidth, and its capacity",
     .closed_form = {"model/estimate/walk_run.c", "read_up_to"},
     .replay = {"sim/engine/core/offload.c", "ss_offload_ahead"},
     .memory = {"model/estimate/memory.c", "add_activations"}},
    {.name = "communication's cost to compute",
     .properties = {SS_PROPERTY_nvlink_compute_cost, SS_PROPERTY_fabric_compute_cost,
                    SS_PROPERTY_exchange_compute_cost},
     .effect = "messages, and all-to-alls of experts, slow the kernels beside them by that share",
     .closed_form = {"model/plan/task_time.c", "task_slowed_s"},
     .replay = {"sim/engine/core/kernels.c", "ss_kernels_share"}},
    {.name = "sustained rates of kernels",
     .properties = {SS_PROPERTY_matrix_sustained, SS_PROPERTY_fp8_sustained, SS_PROPERTY_mxfp8_sustained,
                    SS_PROPERTY_nvfp4_sustained, SS_PROPERTY_vector_hbm_share},
     .effect = "matrix and element-wise kernels take longer than benchmarks of single kernels suggest",
     .closed_form = {"model/kernel/kernel.c", "calibrated_compute_s"},
     .replay = TASKS},
    {.name = "shapes of products",
     .properties = {SS_PROPERTY_tile_start_bytes},
     .effect = "products that are not square, not whole tiles or not aligned take longer",
     .closed_form = {"model/kernel/product_shape.c", "ss_product_shape_efficiency"},
     .replay = TASKS},
    {.name = "kinds of layers",
     .attributes = {SS_AT_model_kinds, SS_AT_model_pattern, SS_AT_model_mixer, SS_AT_model_feed_forward,
                    SS_AT_model_window, SS_AT_model_chunk, SS_AT_model_parallel, SS_AT_model_qk_norm,
                    SS_AT_model_attention_output_gate, SS_AT_model_post_norms, SS_AT_model_soft_cap},
     .effect =
         "stages and chunks of layers that differ; fewer logits in a window; one gather and reduction for parallel "
         "parts; more norms; gates of attention",
     .closed_form = {"model/plan/layer_plan.c", "ss_layer_plan_workload"},
     .replay = {"sim/engine/setup/steps.c", "cut_steps"},
     .memory = {"model/block/passes.c", "ss_passes_account_memory"}},
    {.name = "vision tower",
     .attributes = {SS_AT_model_vision_layers, SS_AT_model_vision_hidden, SS_AT_model_vision_ffn,
                    SS_AT_model_vision_heads, SS_AT_model_vision_mlp, SS_AT_model_vision_tokens,
                    SS_AT_model_vision_images, SS_AT_model_vision_patch, SS_AT_model_vision_positions,
                    SS_AT_model_vision_merge, SS_AT_model_vision_join, SS_AT_model_vision_projector},
     .effect = "an encoder of images ahead of the embedding",
     .closed_form = {"model/plan/layout.c", "lay_tower"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "windows of the tower",
     .attributes = {SS_AT_model_vision_window, SS_AT_model_vision_full_every},
     .effect = "attention of some or all of its layers inside of windows",
     .closed_form = {"model/input/tower.c", "ss_tower_layer_has_windows"},
     .replay = TASKS,
     .memory = KEPT},
    {.name = "ranks of the tower",
     .attributes = {SS_AT_parallelism_vision_stages, SS_AT_parallelism_vision_tp, SS_AT_parallelism_vision_share,
                    SS_AT_training_freeze_vision},
     .effect = "stages of its own, with messages of its size; all of it on each of several groups of ranks; no "
               "gradients up to "
               "its projector",
     .closed_form = {"model/plan/layout.c", "find_messages"},
     .replay = {"sim/engine/core/messages.c", "ss_message_of"},
     .memory = {"model/estimate/memory.c", "message_buffers_bytes"}},
    {.name = "state spaces",
     .attributes = {SS_AT_model_state_heads, SS_AT_model_state_head_size, SS_AT_model_state_size,
                    SS_AT_model_state_groups, SS_AT_model_state_chunk, SS_AT_model_convolution},
     .properties = {SS_PROPERTY_scan_efficiency},
     .effect = "Mamba-2 and linear attention: products within a chunk of tokens, states between chunks",
     .closed_form = {"model/block/state_space.c", "scan"},
     .replay = {"sim/engine/setup/steps.c", "cut_steps"},
     .memory = {"model/block/passes.c", "ss_passes_account_memory"}},
    {.name = "output layer in fewer bits",
     .attributes = {SS_AT_training_output_type},
     .effect = "products of the output layer in the format of the layers, and kernels that quantise what they read",
     .closed_form = {"model/block/block.c", "ss_block_precision"},
     .replay = TASKS,
     .memory = {"model/estimate/memory.c", "in_use_bytes"}},
    {.name = "fused attention",
     .attributes = {SS_AT_training_attention_type},
     .properties = {SS_PROPERTY_attention_forward, SS_PROPERTY_attention_backward, SS_PROPERTY_latent_forward,
                    SS_PROPERTY_latent_backward, SS_PROPERTY_fp8_attention_forward, SS_PROPERTY_fp8_attention_backward,
                    SS_PROPERTY_fp8_latent_forward, SS_PROPERTY_fp8_latent_backward,
                    SS_PROPERTY_mxfp8_attention_forward, SS_PROPERTY_mxfp8_attention_backward,
                    SS_PROPERTY_mxfp8_latent_forward, SS_PROPERTY_mxfp8_latent_backward},
     .effect =
         "one kernel with an efficiency that depends on the tokens, the format and whether attention is latent; in "
         "8 bits others quantise what it reads",
     .closed_form = {"model/block/attention_core.c", "ss_operation_flash"},
     .replay = TASKS},
    {.name = "quantised products",
     .attributes = {SS_AT_training_precision, SS_AT_training_gather_type},
     .properties = {SS_PROPERTY_fp8_efficiency, SS_PROPERTY_mxfp8_efficiency, SS_PROPERTY_nvfp4_efficiency},
     .effect = "an efficiency of their own; kernels before them quantise, and look for the largest value where the "
               "recipe asks for it; tensor-parallel ranks gather 16 bits, or what is quantised",
     .closed_form = {"model/block/operation.c", "ss_operation_cast_gradient"},
     .replay = TASKS},
    {.name = "agreement on scales",
     .attributes = {SS_AT_training_amax_reduction},
     .effect = "an all-reduce of 4 bytes for each tensor behind forward and backward of each chunk, with scales from "
               "earlier iterations",
     .closed_form = {"model/block/amax.c", "ss_amax_bytes"},
     .replay = {"sim/engine/core/calls.c", "start_of_group"}},
    {.name = "ends in 16 bits",
     .attributes = {SS_AT_training_bf16_first_layers, SS_AT_training_bf16_last_layers},
     .effect = "products, casts, messages and copies of the weights of the first and last layers as without the recipe",
     .closed_form = {"model/plan/layer_plan.c", "kind_in_16bit"},
     .replay = TASKS,
     .memory = {"model/estimate/memory.c", "in_use_bytes"}},
    {.name = "software stack",
     .attributes = {SS_AT_training_stack},
     .effect = "sets what the workload does not say, as a framework of a release does (docs/stacks.md)",
     .closed_form = {"model/input/stack.c", "ss_stack_apply"},
     .replay = {"model/input/stack.c", "ss_stack_apply"}},
    {.name = "framework",
     .attributes = {SS_AT_training_framework},
     .effect = "refuses what a framework cannot run (docs/bring-your-own.md)",
     .closed_form = {"model/plan/refusals.c", "ss_workload_refused_by"},
     .replay = {"model/plan/refusals.c", "ss_workload_refused_by"}},
    {.name = "host",
     .attributes = {SS_AT_training_host, SS_AT_training_graphs, SS_AT_training_expert_kernels},
     .properties = {SS_PROPERTY_host_forward_s, SS_PROPERTY_host_backward_s, SS_PROPERTY_host_collective_s},
     .effect = "kernels start no earlier than the host has launched them; it runs ahead, and waits for the GPU before "
               "passes and where only the GPU knows how many tokens go to each expert; a CUDA graph is one launch; "
               "fused products of experts move fewer bytes",
     .closed_form = {"model/estimate/walk_run.c", "wait_for_host"},
     .replay = {"sim/engine/core/host.c", "ss_host_launch"}},
    {.name = "optimizer step",
     .attributes = {SS_AT_training_optimizer_step, SS_AT_training_master_weights, SS_AT_training_moments,
                    SS_AT_parallelism_sharding, SS_AT_training_offload_optimizer},
     .effect = "Adam, as one kernel or with separate copies, clipping and loss scaling: bytes over HBM, divided by the "
               "shard",
     .closed_form = {"model/plan/optimizer.c", "ss_job_optimizer"},
     .replay = {"sim/engine/core/passes.c", "run_optimizer"},
     .memory = {"model/estimate/memory.c", "add_step"}},
    {.name = "Muon",
     .attributes = {SS_AT_training_optimizer, SS_AT_training_muon_tp_mode},
     .effect =
         "matrices of layers are orthogonalised, whole ones by each rank that shares them; of what tensor-parallel "
         "ranks have cut their blocks, all of it by each, or step by step together; one moment",
     .closed_form = {"model/plan/muon.c", "ss_muon_of"},
     .replay = {"sim/engine/core/passes.c", "run_optimizer"},
     .memory = {"model/plan/muon.c", "ss_muon_of"}},
    {.name = "weights as operands",
     .attributes = {SS_AT_training_weights_type},
     .effect = "bytes of weights in gathers, and in memory, where there is no copy in 16 bits",
     .closed_form = {"model/plan/job_setup.c", "gathered_bytes"},
     .replay = {"model/plan/stage_ops.c", "collect"},
     .memory = {"model/estimate/memory.c", "in_use_bytes"}},
    {.name = "placement",
     .attributes = {SS_AT_placement_order, SS_AT_placement_domain, SS_AT_placement_segment, SS_AT_placement_free,
                    SS_AT_placement_ranks},
     .effect = "which groups are inside an NVLink domain, and which links they share",
     .closed_form = {"model/plan/groups.c", "find_group_spans"},
     .replay = {"model/collective/route.c", "find_domains"}},
    {.name = "checkpoints of a run",
     .attributes = {SS_AT_run_checkpoint, SS_AT_run_checkpoint_to, SS_AT_run_checkpoint_bytes, SS_AT_run_interval_s},
     .properties = {SS_PROPERTY_storage_bytes_per_s, SS_PROPERTY_disk_bytes_per_s, SS_PROPERTY_snapshot_bytes_per_s},
     .effect = "`plan`: how long a checkpoint holds the work up, when it counts, and how much is lost",
     .closed_form = {"model/run/checkpoint.c", "ss_checkpoint_of"},
     .replay = {"sim/campaign/clock.c", "ss_whole_run_clock_advance"}},
    {.name = "failures of a run",
     .attributes = {SS_AT_run_software_failures, SS_AT_run_detection_s, SS_AT_run_restart_s, SS_AT_run_recovery,
                    SS_AT_run_swap_s, SS_AT_run_spares, SS_AT_run_repair_s, SS_AT_run_slow_detection_s,
                    SS_AT_run_slow_nic_detection_s, SS_AT_run_slow_cable_detection_s,
                    SS_AT_run_slow_switch_detection_s},
     .properties = {SS_PROPERTY_gpu_failures, SS_PROPERTY_nic_failures, SS_PROPERTY_node_failures,
                    SS_PROPERTY_switch_failures, SS_PROPERTY_slow_rate, SS_PROPERTY_slow_speed, SS_PROPERTY_slow_time_s,
                    SS_PROPERTY_slow_nic_rate, SS_PROPERTY_slow_nic_speed, SS_PROPERTY_slow_nic_time_s,
                    SS_PROPERTY_slow_cable_rate, SS_PROPERTY_slow_cable_speed, SS_PROPERTY_slow_cable_time_s,
                    SS_PROPERTY_slow_switch_rate, SS_PROPERTY_slow_switch_speed, SS_PROPERTY_slow_switch_time_s},
     .effect = "`plan`: how often it is interrupted, and how it goes on",
     .closed_form = {"model/run/whole_run.c", "ss_whole_run_mean"},
     .replay = {"sim/campaign/trial.c", "recover"}},
    {.name = "power limit",
     .properties = {SS_PROPERTY_gpu_limit_w, SS_PROPERTY_gpu_power_w, SS_PROPERTY_gpu_idle_w, SS_PROPERTY_power_clock},
     .effect = "rates of a GPU; `plan`, cost: what it draws",
     .closed_form = {"model/kernel/kernel.c", "calibrated_compute_s"},
     .replay = {"model/kernel/kernel.c", "calibrated_compute_s"}},
    {.name = "phases of a run",
     .attributes = {SS_AT_run_phases},
     .effect = "`plan`: parts of the tokens with settings of their own",
     .closed_form = {"sim/cli/plan/phases.c", "read_phases"},
     .replay = {"sim/cli/plan/phases.c", "read_phases"}},
    {.name = "algorithms of collectives",
     .attributes = {SS_AT_schedule_all_reduce, SS_AT_schedule_all_gather, SS_AT_schedule_reduce_scatter,
                    SS_AT_schedule_all_to_all},
     .properties = {SS_PROPERTY_nvlink_reduces, SS_PROPERTY_fabric_reduces},
     .effect = "steps and bytes of each collective; auto: the fastest of those that NCCL would consider",
     .closed_form = {"model/collective/collective.c", "fastest"},
     .replay = {"model/collective/route.c", "ss_route_add"}},
    {.name = "protocols of NCCL",
     .properties = {SS_PROPERTY_collective_start_s, SS_PROPERTY_simple_nvlink_s, SS_PROPERTY_simple_passing_s,
                    SS_PROPERTY_simple_fabric_s, SS_PROPERTY_tree_fabric_s, SS_PROPERTY_ll_nvlink_s,
                    SS_PROPERTY_ll_fabric_s, SS_PROPERTY_ll_fabric_bytes_per_s, SS_PROPERTY_nvlink_pairs,
                    SS_PROPERTY_fabric_passing, SS_PROPERTY_ll_passing, SS_PROPERTY_nvlink_copying,
                    SS_PROPERTY_nccl_tuning},
     .effect = "steps of Simple, which hide behind its transfer across domains, or of LL, which reaches part of the "
               "bandwidth",
     .closed_form = {"model/collective/protocol.c", "rounds_s"},
     .replay = {"sim/engine/core/transfer.c", "ss_transfer_start_up"}},
    {.name = "length of the training run",
     .attributes = {SS_AT_training_tokens},
     .effect = "days",
     .closed_form = {"model/estimate/metrics.c", "ss_estimate_metrics"},
     .replay = {"model/estimate/metrics.c", "ss_estimate_metrics"}},
};

#define KNOBS (sizeof knobs / sizeof knobs[0])

static const char *emphasis(bool is_default)
{
  return is_default ? "**" : "";
}

static void print_choices(const ss_attribute *row)
{
  for (int i = 0; row->words[i] != NULL; ++i) {
    const char *marks = emphasis(row->type == SS_ATTRIBUTE_CHOICE && i == (int)row->fallback);
    printf("%s%s%s%s", i == 0 ? "" : ", ", marks, row->words[i], marks);
  }
}

/* Upper ends are only there to catch slips; what follows from other attributes has no number to show. */
static void print_number(const ss_attribute *row)
{
  printf("from %g", row->minimum);
  const bool derived = row->type == SS_ATTRIBUTE_COUNT && row->fallback == SS_DERIVED && row->minimum > 0.0;
  if (!derived && row->fallback != SS_REQUIRED) printf(", **%g**", row->fallback);
}

static void print_attribute(const ss_attribute *row)
{
  printf("`%s.%s`: ", row->element, row->name);
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: printf(row->text_fallback[0] != '\0' ? "**%s**" : "text", row->text_fallback); break;
  case SS_ATTRIBUTE_CHOICE: print_choices(row); break;
  case SS_ATTRIBUTE_SET:
    printf("any of ");
    print_choices(row);
    break;
  case SS_ATTRIBUTE_COUNT:
  case SS_ATTRIBUTE_REAL: print_number(row); break;
  }
}

static void print_place(const place *where)
{
  if (where->file == NULL)
    printf(" |");
  else
    printf(" [%s](../%s) |", where->function, where->file);
}

static void print_knob(const knob *row)
{
  const char *separator = "";
  printf("| %s | ", row->name);
  for (int i = 0; i < MAX_ATTRIBUTES && row->attributes[i] != 0; ++i, separator = "<br>") {
    printf("%s", separator);
    print_attribute(&ss_workload_attributes()[row->attributes[i]]);
  }
  for (int i = 0; i < MAX_ATTRIBUTES && row->properties[i] != 0; ++i, separator = "<br>")
    printf("%s`platform.%s`", separator, ss_machine_properties()[row->properties[i]].name);
  printf(" | %s |", row->effect);
  print_place(&row->closed_form);
  print_place(&row->replay);
  print_place(&row->memory);
  printf("\n");
}

static bool is_listed(ss_attribute_index index)
{
  for (size_t i = 0; i < KNOBS; ++i)
    for (int j = 0; j < MAX_ATTRIBUTES; ++j)
      if (knobs[i].attributes[j] == index) return true;
  return false;
}

/* Everything but the model itself is a knob. */
static bool is_complete(void)
{
  bool complete = true;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    const ss_attribute *row = &ss_workload_attributes()[i];
    if (strcmp(row->element, "model") == 0 || is_listed((ss_attribute_index)i)) continue;
    (void)fprintf(stderr, "%s.%s is missing in the table of knobs\n", row->element, row->name);
    complete = false;
  }
  return complete;
}

int main(void)
{
  printf("# Knobs\n\n"
         "The attributes of a strategy, and the code in which each acts. Closed form and replay run the same tasks, so "
         "many\nattributes act in both through the task lists. [inputs.md](inputs.md) has every attribute with its "
         "range, and the\ncombinations that are refused.\n\n");
  printf("| knob | values (**default**) | effect | closed form | replay | memory |\n|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < KNOBS; ++i) print_knob(&knobs[i]);
  return is_complete() ? 0 : 1;
}
