#include "model/block/layer/build.h"

#include "model/block/feed_forward/expert.h"
#include "model/block/feed_forward/feed_forward.h"
#include "model/block/layer/ends.h"
#include "model/block/layer/layer_embedding.h"
#include "model/block/layer/module.h"
#include "model/block/layer/passes.h"
#include "model/block/layer/tower.h"
#include "model/block/mixer/attention.h"
#include "model/block/mixer/compressed_attention.h"
#include "model/block/mixer/state_space.h"
#include "model/block/recomputation.h"
#include "model/block/streams.h"
#include "model/input/workload.h"

static void add_nothing(ss_builder *b)
{
  (void)b;
}

/* Attention leaves the residual to what is beside it. */
static void add_hybrid(ss_builder *b)
{
  ss_builder_add_attention(b);
  ss_builder_add_mamba(b);
}

/* Megatron-LM has linear attention in place of self-attention, and in the graphs of that. */
static void add_mixer(ss_builder *b)
{
  static const struct {
    void (*add)(ss_builder *);
    ss_graph_module module;
  } rows[] = {
      [SS_MIXER_ATTENTION] = {ss_builder_add_attention, SS_GRAPH_ATTN},
      [SS_MIXER_MAMBA] = {ss_builder_add_mamba, SS_GRAPH_MAMBA},
      [SS_MIXER_MAMBA_1] = {ss_builder_add_mamba_1, SS_GRAPH_MAMBA},
      [SS_MIXER_HYBRID] = {add_hybrid, SS_GRAPH_ATTN},
      [SS_MIXER_LINEAR] = {ss_builder_add_linear_attention, SS_GRAPH_ATTN},
      [SS_MIXER_KDA] = {ss_builder_add_delta_attention, SS_GRAPH_ATTN},
      [SS_MIXER_LIGHTNING] = {ss_builder_add_lightning_attention, SS_GRAPH_ATTN},
      [SS_MIXER_CONVOLUTION] = {ss_builder_add_short_convolution, SS_GRAPH_ATTN},
      [SS_MIXER_COMPRESSED] = {ss_builder_add_compressed_attention, SS_GRAPH_ATTN},
      [SS_MIXER_NONE] = {add_nothing, SS_GRAPH_ATTN},
  };
  const ss_mixer mixer = b->workload->model.mixer;
  ss_builder_enter(b, rows[mixer].module);
  if (mixer != SS_MIXER_NONE) ss_builder_add_stream_input(b);
  rows[mixer].add(b);
}

static void add_feed_forward(ss_builder *b)
{
  ss_builder_add_stream_input(b);
  ss_builder_add_feed_forward(b);
}

static void add_layer(ss_builder *b)
{
  add_mixer(b);
  ss_builder_enter(b, SS_GRAPH_MLP);
  if (b->workload->model.feed_forward != SS_FEED_FORWARD_NONE) add_feed_forward(b);
  ss_builder_add_layer_embedding(b);
}

static void add_expert_layer(ss_builder *b)
{
  add_mixer(b);
  ss_builder_add_stream_input(b);
  ss_builder_add_experts(b);
  ss_builder_add_layer_embedding(b);
}

static void add_layer_of_kind(ss_builder *b)
{
  (ss_workload_has_experts(b->workload) ? add_expert_layer : add_layer)(b);
}

/* The layer of a module is of the kind of the model's last one, or of its own (model.mtp-kind). */
static void add_module(ss_builder *b)
{
  ss_builder_add_merger(b);
  add_layer_of_kind(b);
  b->graphed = false;
  ss_builder_add_stream_contraction(b);
  ss_builder_add_norm(b, SS_OP_FINAL_NORM, b->hidden);
}

void ss_block_build(const ss_workload *workload, ss_cost cost, const ss_machine *machine, ss_block *block)
{
  static void (*const add_operations[SS_BLOCK_COUNT])(ss_builder *) = {
      [SS_BLOCK_ENTRY] = ss_builder_add_entry,
      [SS_BLOCK_PATCHES] = ss_builder_add_patches,
      [SS_BLOCK_VISION] = add_layer,
      [SS_BLOCK_VISION_KEPT] = add_layer,
      [SS_BLOCK_WINDOWS] = add_layer,
      [SS_BLOCK_WINDOWS_KEPT] = add_layer,
      [SS_BLOCK_PROJECTOR] = ss_builder_add_projector,
      [SS_BLOCK_EMBEDDING] = ss_builder_add_embedding,
      [SS_BLOCK_AMAX_GRADIENTS] = ss_builder_add_amax_gradients,
      [SS_BLOCK_LAYER] = add_layer,
      [SS_BLOCK_LAYER_KEPT] = add_layer,
      [SS_BLOCK_EXPERT] = add_expert_layer,
      [SS_BLOCK_EXPERT_KEPT] = add_expert_layer,
      [SS_BLOCK_NEXT] = ss_builder_add_next,
      [SS_BLOCK_MODULE] = add_module,
      [SS_BLOCK_MODULE_KEPT] = add_module,
      [SS_BLOCK_AMAX_VALUES] = ss_builder_add_amax_values,
      [SS_BLOCK_HEAD] = ss_builder_add_head,
      [SS_BLOCK_EXIT] = ss_builder_add_exit,
  };
  ss_builder b;
  ss_builder_start(&b, workload, cost, machine, block);
  (ss_block_kind_index(block->kind) >= 0 ? add_layer_of_kind : add_operations[block->kind])(&b);
  block->again_flop = ss_builder_recompute_operations(&b);
  ss_passes_assemble(&b, block);
  ss_passes_account_memory(&b, block);
}
