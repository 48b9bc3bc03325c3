/* What follows from several settings of Megatron-LM. Where no source stands beside a function,
 * megatron/training/arguments.py of NVIDIA/Megatron-LM has it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "model/plan/layers/layout_text.h"
#include "sim/import/dialects/bridge_formats.h"
#include "sim/import/dialects/host_step.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/latent.h"
#include "sim/import/dialects/megatron_adapters.h"
#include "sim/import/dialects/megatron_experts.h"
#include "sim/import/dialects/megatron_forks.h"
#include "sim/import/dialects/megatron_formats.h"
#include "sim/import/dialects/megatron_graphs.h"
#include "sim/import/dialects/megatron_layers.h"
#include "sim/import/dialects/megatron_overlap.h"
#include "sim/import/dialects/megatron_positions.h"
#include "sim/import/dialects/megatron_replicas.h"
#include "sim/import/dialects/megatron_sparse.h"
#include "sim/import/files/settings.h"
#include "sim/import/models/tokenizers.h"

/* Of --make-vocab-size-divisible-by. */
enum { MULTIPLE = 128 };

/* Sequences of whole documents, whose lengths are in the data: -1 is none (PackedSequenceSpecs of Megatron-Bridge). */
static ss_status read_packed(ss_sheet *s, ss_error *error)
{
  const int64_t tokens = ss_sheet_given(s, SS_VALUE_PACKED, 0);
  if (tokens == 0) return SS_OK;
  if (s->is_set[SS_AT_model_sequence] && s->workload->model.sequence != tokens)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_PACKED],
                        "packed_sequence_size=%" PRId64 ": differs from the tokens of a sequence, %" PRId64
                        "; allowed: the same",
                        tokens, s->workload->model.sequence);
  ss_sheet_set(s, SS_AT_model_sequence, tokens, SS_VALUE_PACKED);
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                        "packed_sequence_size: training.packing has it, with training.documents", error);
}

/* Takes back what an earlier file has of latent attention. */
static void forget_latent(ss_sheet *s)
{
  static const ss_attribute_index of_latent[] = {SS_AT_model_q_rank, SS_AT_model_kv_rank, SS_AT_model_rope_size,
                                                 SS_AT_model_head_size, SS_AT_model_value_head_size};
  if (s->workload->model.kv_rank == 0) return;
  for (size_t i = 0; i < sizeof of_latent / sizeof of_latent[0]; ++i)
    if (!s->is_set[of_latent[i]])
      ss_sheet_set(s, of_latent[i], (int64_t)ss_workload_attributes()[of_latent[i]].fallback, SS_VALUE_LATENT);
}

static ss_status read_latent(ss_sheet *s, ss_error *error)
{
  (void)error;
  if (s->value[SS_VALUE_LATENT] == 0.0) forget_latent(s);
  if (s->value[SS_VALUE_LATENT] > 0.0) ss_latent_set(s);
  return SS_OK;
}

static void write_latent(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->model.kv_rank == 0) return;
  s->value[SS_VALUE_LATENT] = 1.0;
  ss_sheet_give(s, SS_VALUE_Q_RANK, (double)w->model.q_rank);
  s->value[SS_VALUE_KV_RANK] = (double)w->model.kv_rank;
  s->value[SS_VALUE_ROPE_SIZE] = (double)w->model.rope_size;
  s->value[SS_VALUE_LATENT_HEAD] = (double)w->model.head_size;
  s->value[SS_VALUE_VALUE_HEAD] = (double)ss_workload_value_size(w);
}

/* The vocabulary is that of the tokenizer, where no file says it. */
static ss_status name_vocabulary(ss_sheet *s, ss_error *error)
{
  const char *name = s->text[SS_KEPT_TOKENIZER];
  const int64_t vocabulary = ss_tokenizer_vocabulary(name);
  const bool is_open = s->workload->line[SS_AT_model_vocabulary] == SS_LINE_DEFAULT || s->import->names_vocabulary;
  char text[2 * SS_TEXT_SIZE];
  if (s->is_set[SS_AT_model_vocabulary]) s->import->names_vocabulary = false;
  if (s->is_set[SS_AT_model_vocabulary] || !is_open || vocabulary == 0) return SS_OK;
  if (s->import->names_vocabulary && s->workload->model.vocabulary == vocabulary) return SS_OK;
  s->import->names_vocabulary = true;
  ss_import_set(s->import, SS_AT_model_vocabulary, vocabulary, s->text_line[SS_KEPT_TOKENIZER]);
  (void)snprintf(text, sizeof text, "model.vocabulary=%" PRId64 ", of %s", vocabulary, name);
  return ss_import_note(s->import, SS_NOTE_NAMED, text, error);
}

/* Tables are padded: megatron/training/vocab_utils.py. */
static ss_status read_vocabulary(ss_sheet *s, ss_error *error)
{
  const int64_t before = s->import->vocabulary_multiple;
  s->import->vocabulary_multiple =
      ss_sheet_given(s, SS_VALUE_VOCABULARY_MULTIPLE, before > 0 ? before : (int64_t)MULTIPLE);
  return name_vocabulary(s, error);
}

static void write_vocabulary(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->model.vocabulary % (MULTIPLE * w->parallelism.tp) != 0) s->value[SS_VALUE_VOCABULARY_MULTIPLE] = 1.0;
}

/* cross_entropy_fusion_impl counts where cross_entropy_loss_fusion is on (language_module.py in megatron/core).
 * validate_args refuses Transformer Engine's behind core_v0.17.0; Megatron-Bridge, which has sections, only warns
 * (__post_init__ of ModelParallelConfig). */
static ss_status read_loss(ss_sheet *s, ss_error *error)
{
  const bool is_fused = s->value[SS_VALUE_LOSS_FUSED] > 0.0, is_online = s->value[SS_VALUE_LOSS_ONLINE] > 0.0;
  if (is_fused)
    ss_sheet_set(s, SS_AT_training_cross_entropy, is_online ? SS_CROSS_ENTROPY_ONLINE : SS_CROSS_ENTROPY_FUSED,
                 SS_VALUE_LOSS_FUSED);
  if (!is_fused || !is_online || ss_settings_find(s->settings, "model.cross_entropy_fusion_impl") != NULL) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_LATER,
                        "cross-entropy-fusion-impl: te, so that --for megatron needs --set "
                        "training.cross-entropy=fused, which is native",
                        error);
}

static void write_loss(ss_sheet *s)
{
  const ss_cross_entropy form = s->workload->training.cross_entropy;
  ss_sheet_give(s, SS_VALUE_LOSS_FUSED, form != SS_CROSS_ENTROPY_SEPARATE);
  ss_sheet_give(s, SS_VALUE_LOSS_ONLINE, form == SS_CROSS_ENTROPY_ONLINE);
}

/* OptimizerConfig: muon_tp_mode is duplicated, and store_param_remainders on, where nobody says. Remainders stand for
 * fp32 weights where there are weights in 16 bits that they are the rest of: store_param_remainders and
 * use_precision_aware_optimizer_no_fp8_or_ds_fp8 of megatron/core/optimizer. */
static ss_status read_optimizer(ss_sheet *s, ss_error *error)
{
  static const ss_muon_tp_mode modes[] = {SS_MUON_DUPLICATED, SS_MUON_BLOCKWISE, SS_MUON_DUPLICATED,
                                          SS_MUON_DISTRIBUTED};
  (void)error;
  if (s->is_set[SS_AT_training_optimizer] && s->workload->training.optimizer == SS_OPTIMIZER_MUON)
    ss_sheet_set(s, SS_AT_training_muon_tp_mode, modes[ss_sheet_given(s, SS_VALUE_MUON_MODE, 0)], SS_VALUE_MUON_MODE);
  const bool has_none = s->workload->training.weights_type == SS_AS_OPERANDS;
  const bool is_lean = s->workload->training.master_weights == SS_MASTER_16BIT;
  const bool is_whole = has_none || s->value[SS_VALUE_WHOLE_STATES] == 0.0;
  if (s->value[SS_VALUE_LEAN_STATES] > 0.0 || (is_lean && is_whole))
    ss_sheet_set(s, SS_AT_training_master_weights, is_whole ? SS_MASTER_FP32 : SS_MASTER_16BIT, SS_VALUE_LEAN_STATES);
  return SS_OK;
}

/* bf16 accumulates and reduces in fp32 unless main_grads_dtype is another type (validate_args); fields of
 * OptimizerConfig say nothing of that. */
static ss_status read_main_gradients(ss_sheet *s, ss_error *error)
{
  const bool summed = s->is_set[SS_AT_training_gradients] && s->workload->training.gradients == SS_GRADIENTS_FP32;
  if (s->value[SS_VALUE_MAIN_16] <= 0.0) return SS_OK;
  if (summed)
    return ss_sheet_refuse_number(s, SS_VALUE_MAIN_16,
                                  "is bf16, but gradients are accumulated in fp32; allowed: fp32, or the file without "
                                  "--accumulate-allreduce-grads-in-fp32",
                                  error);
  ss_sheet_set(s, SS_AT_training_gradients, SS_GRADIENTS_16BIT, SS_VALUE_MAIN_16);
  return SS_OK;
}

static void write_optimizer(ss_sheet *s)
{
  static const double modes[] = {[SS_MUON_BLOCKWISE] = 1.0, [SS_MUON_DUPLICATED] = 2.0, [SS_MUON_DISTRIBUTED] = 3.0};
  if (s->workload->training.optimizer == SS_OPTIMIZER_MUON)
    s->value[SS_VALUE_MUON_MODE] = modes[s->workload->training.muon_tp_mode];
  const bool is_aware =
      s->workload->training.master_weights == SS_MASTER_16BIT || s->workload->training.moments != SS_MOMENTS_FP32;
  ss_sheet_give(s, SS_VALUE_LEAN_STATES, is_aware);
}

/* A list of layers, with commas, or of YAML, where it has come with blanks. */
static ss_status read_listed(ss_sheet *s, ss_error *error)
{
  char *text = s->text[SS_KEPT_RECOMPUTED_LAYERS], *to = text;
  if (text[0] == '\0') return SS_OK;
  for (const char *from = text; *from != '\0'; ++from)
    if (strchr(" []", *from) == NULL || (*from == ' ' && from > text && isdigit((unsigned char)from[-1])))
      *to++ = (char)(*from == ' ' ? ',' : *from);
  *to = '\0';
  return ss_sheet_set_text(s, SS_AT_training_recompute_layer_ids, text, s->text_line[SS_KEPT_RECOMPUTED_LAYERS], error);
}

/* Whether a list of modules is there and empty, which is not the same as none: __post_init__ of TransformerConfig has
 * the core of attention for None. */
static bool names_no_module(const ss_sheet *s)
{
  static const char name[] = "recompute_modules";
  for (int64_t i = 0; i < s->settings->count; ++i) {
    const ss_setting *setting = &s->settings->setting[i];
    const size_t length = strlen(setting->key), size = strlen(name);
    if (length >= size && strcmp(setting->key + length - size, name) == 0 && json_is_array(setting->value))
      return json_array_size(setting->value) == 0;
  }
  return false;
}

/* What is selective computes the core of attention again, where no module is named, that of flash attention, too
 * (_checkpointed_attention_forward of megatron/core/transformer/attention.py). moe_layer_recompute makes it selective,
 * and adds layers of experts to what is named (__post_init__ of TransformerConfig). */
static ss_status read_modules(ss_sheet *s, ss_error *error)
{
  const ss_recompute recompute = s->workload->training.recompute;
  const bool with_experts = s->value[SS_VALUE_RECOMPUTES_MOE] > 0.0, is_said = s->is_set[SS_AT_training_recompute];
  if (with_experts && is_said && recompute == SS_RECOMPUTE_FULL)
    return ss_sheet_refuse_number(s, SS_VALUE_RECOMPUTES_MOE,
                                  "is for selective recomputation, and granularity is full; allowed: one of both",
                                  error);
  if (with_experts) ss_sheet_set(s, SS_AT_training_recompute, SS_RECOMPUTE_SELECTIVE, SS_VALUE_RECOMPUTES_MOE);
  if (is_said && !with_experts && recompute == SS_RECOMPUTE_SELECTIVE && names_no_module(s)) {
    ss_import_set(s->import, SS_AT_training_recompute, SS_RECOMPUTE_NONE, s->workload->line[SS_AT_training_recompute]);
    return SS_OK;
  }
  if (with_experts || is_said) s->import->recomputes_core = with_experts || recompute == SS_RECOMPUTE_SELECTIVE;
  if (with_experts || is_said) s->import->recomputes_experts = with_experts;
  return SS_OK;
}

/* DotProductAttention of megatron/core, which has no kernel for all of it (LocalSpecProvider of
 * megatron/core/models/backends.py). */
static ss_status read_local(ss_sheet *s, ss_error *error)
{
  (void)error;
  if (s->value[SS_VALUE_LOCAL_LAYERS] > 0.0 && !s->is_set[SS_AT_training_attention])
    ss_sheet_set(s, SS_AT_training_attention, SS_ATTENTION_UNFUSED, SS_VALUE_LOCAL_LAYERS);
  return SS_OK;
}

/* What goes to the host is asked for where anything does only: TransformerBlock in
 * megatron/core/transformer/transformer_block.py. */
static ss_status read_kept(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const int64_t recomputed = ss_sheet_given(s, SS_VALUE_RECOMPUTED, 0),
                offloaded = ss_sheet_given(s, SS_VALUE_OFFLOADED, 0);
  if (recomputed > 0 && w->training.recompute == SS_RECOMPUTE_FULL)
    ss_sheet_set(s, SS_AT_training_recompute_layers, recomputed, SS_VALUE_RECOMPUTED);
  if (s->value[SS_VALUE_OFFLOADS] <= 0.0) return SS_OK;
  if (s->value[SS_VALUE_OFFLOADS_WEIGHTS] > 0.0)
    return ss_sheet_refuse_number(
        s, SS_VALUE_OFFLOADS_WEIGHTS,
        "keeps weights on the host; allowed: the file without it, and --set training.offload-weights=yes", error);
  ss_sheet_set(s, SS_AT_training_offload_activations, SS_YES, SS_VALUE_OFFLOADS);
  if (offloaded > 0) ss_sheet_set(s, SS_AT_training_offload_layers, offloaded, SS_VALUE_OFFLOADED);
  return SS_OK;
}

static void write_kept(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->training.recompute == SS_RECOMPUTE_FULL)
    ss_sheet_give(s, SS_VALUE_RECOMPUTED, (double)w->training.recompute_layers);
  if (w->training.offload_activations == SS_NO || w->training.offload_modules != 0) return;
  s->value[SS_VALUE_OFFLOADS] = 1.0;
  ss_sheet_give(s, SS_VALUE_OFFLOADED, (double)w->training.offload_layers);
}

/* Chunks are as many as a layout has for a stage: __post_init__ of TransformerConfig. */
static void read_layout(ss_sheet *s)
{
  ss_workload *w = s->workload;
  const ss_layout_sum layout = ss_layout_sum_of(w->parallelism.layout);
  if (w->parallelism.layout[0] == '\0' || layout.problem != NULL || s->is_set[SS_AT_parallelism_interleave]) return;
  if (layout.parts % w->parallelism.pp != 0 || layout.parts / w->parallelism.pp == w->parallelism.interleave) return;
  ss_import_set(s->import, SS_AT_parallelism_interleave, layout.parts / w->parallelism.pp,
                w->line[SS_AT_parallelism_layout]);
}

/* Layers of all stages, with the embedding and the loss where these count as one each (validate_args). */
static int64_t layers_of_stages(const ss_workload *w)
{
  return w->model.layers + (w->parallelism.account_for_embedding == SS_YES) +
         (w->parallelism.account_for_loss == SS_YES);
}

/* Sends of stages are beside compute with chunks, unless it is said that they are not, and never without. */
static ss_status read_chunks(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  const int64_t pp = w->parallelism.pp, layers = ss_sheet_given(s, SS_VALUE_LAYERS_OF_CHUNK, 0);
  const int64_t group = ss_sheet_given(s, SS_VALUE_GROUP, pp);
  const bool exposed = s->value[SS_VALUE_EXPOSED_SENDS] > 0.0 || s->value[SS_VALUE_HIDDEN_SENDS] == 0.0;
  if (layers > 0 && layers_of_stages(w) % (pp * layers) != 0)
    return ss_sheet_refuse_number(s, SS_VALUE_LAYERS_OF_CHUNK,
                                  "does not divide the layers of a stage; allowed: a number that does", error);
  if (layers > 0 && w->model.layers > 0)
    ss_sheet_set(s, SS_AT_parallelism_interleave, layers_of_stages(w) / pp / layers, SS_VALUE_LAYERS_OF_CHUNK);
  read_layout(s);
  if (w->parallelism.interleave <= 1) return SS_OK;
  ss_import_set(s->import, SS_AT_schedule_pipeline, SS_PIPELINE_INTERLEAVED, w->line[SS_AT_parallelism_interleave]);
  ss_import_set(s->import, SS_AT_schedule_overlap_pp, exposed ? SS_NO : SS_YES, w->line[SS_AT_parallelism_interleave]);
  if (group != pp) ss_sheet_set(s, SS_AT_schedule_interleave_group, group, SS_VALUE_GROUP);
  return SS_OK;
}

static void write_chunks(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->parallelism.interleave <= 1) return;
  const bool hidden = w->schedule.overlap_pp == SS_YES;
  s->value[SS_VALUE_HIDDEN_SENDS] = hidden;
  ss_sheet_give(s, SS_VALUE_EXPOSED_SENDS, !hidden);
  if (w->schedule.interleave_group != w->parallelism.pp)
    ss_sheet_give(s, SS_VALUE_GROUP, (double)w->schedule.interleave_group);
}

static ss_status read_sharding(ss_sheet *s, ss_error *error)
{
  static const ss_sharding strategies[] = {SS_SHARDING_NONE, SS_SHARDING_NONE, SS_SHARDING_OPTIMIZER,
                                           SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS};
  const int64_t fsdp = ss_sheet_given(s, SS_VALUE_FSDP, 0);
  (void)error;
  if (fsdp == 1) s->import->spreads_states = s->value[SS_VALUE_OUTER] > 0.0;
  if (fsdp == 2)
    ss_sheet_set(s, SS_AT_parallelism_sharding, SS_SHARDING_PARAMETERS, SS_VALUE_FSDP);
  else if (fsdp == 1)
    ss_sheet_set(s, SS_AT_parallelism_sharding, strategies[ss_sheet_given(s, SS_VALUE_STRATEGY, 1)], SS_VALUE_STRATEGY);
  else if (s->value[SS_VALUE_DISTRIBUTED] >= 0.0)
    ss_sheet_set(s, SS_AT_parallelism_sharding,
                 s->value[SS_VALUE_DISTRIBUTED] > 0.0 ? SS_SHARDING_OPTIMIZER : SS_SHARDING_NONE, SS_VALUE_DISTRIBUTED);
  return SS_OK;
}

static void write_sharding(ss_sheet *s)
{
  const ss_sharding sharding = s->workload->parallelism.sharding;
  s->value[SS_VALUE_DISTRIBUTED] = sharding >= SS_SHARDING_OPTIMIZER;
  ss_sheet_give(s, SS_VALUE_FSDP, sharding >= SS_SHARDING_GRADIENTS);
  if (sharding >= SS_SHARDING_GRADIENTS) ss_sheet_give(s, SS_VALUE_STRATEGY, sharding + 1);
}

/* The first of the sizes of levels is the inner one: hierarchical_context_parallel_sizes of ModelParallelConfig. */
static ss_status read_levels(ss_sheet *s, ss_error *error)
{
  const char *text = s->text[SS_KEPT_HIERARCHY] + (s->text[SS_KEPT_HIERARCHY][0] == '[');
  char *end;
  if (text[0] == '\0') return SS_OK;
  const long long inner = strtoll(text, &end, 10), outer = strtoll(end, &end, 10);
  if (inner < 1 || outer < 1 || inner > s->workload->parallelism.cp || outer > s->workload->parallelism.cp ||
      inner * outer != s->workload->parallelism.cp || strspn(end, "]") != strlen(end))
    return ss_sheet_refuse(s, SS_KEPT_HIERARCHY, "is not two sizes, of which the context-parallel size is the product",
                           error);
  ss_import_set(s->import, SS_AT_parallelism_cp_inner, inner, s->text_line[SS_KEPT_HIERARCHY]);
  return SS_OK;
}

static void write_levels(ss_sheet *s)
{
  const int64_t inner = s->workload->parallelism.cp_inner;
  if (inner > 1)
    (void)snprintf(s->text[SS_KEPT_HIERARCHY], SS_TEXT_SIZE, "%" PRId64 " %" PRId64, inner,
                   s->workload->parallelism.cp / inner);
}

/* initialize_model_parallel of megatron/core/parallel_state.py: "tp-cp-ep-pp-dp" in place of "tp-cp-ep-dp-pp". */
static const char stages_inside[] = "tp,cp,pp,dp";

static ss_status read_order(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_STAGES_INSIDE] <= 0.0) return SS_OK;
  return ss_sheet_set_text(s, SS_AT_placement_order, stages_inside, s->value_line[SS_VALUE_STAGES_INSIDE], error);
}

static void write_order(ss_sheet *s)
{
  ss_sheet_give(s, SS_VALUE_STAGES_INSIDE, strcmp(s->workload->placement.order, stages_inside) == 0);
}

/* 0.1 where nobody says. */
static ss_status read_dropout(ss_sheet *s, ss_error *error)
{
  const double dropout = s->value[SS_VALUE_DROPOUT];
  (void)error;
  if (dropout > 0.0 || (dropout < 0.0 && s->is_set[SS_AT_model_layers]))
    ss_sheet_set(s, SS_AT_training_dropout, SS_YES, SS_VALUE_DROPOUT);
  return SS_OK;
}

static void write_dropout(ss_sheet *s)
{
  if (s->workload->training.dropout == SS_NO) s->value[SS_VALUE_DROPOUT] = 0.0;
}

const ss_joint ss_megatron_joints[] = {
    {ss_bridge_read_formats, ss_bridge_write_formats},
    {ss_megatron_read_formats, ss_megatron_write_formats},
    {read_packed, NULL},
    {read_latent, write_latent},
    {ss_megatron_read_sparse, ss_megatron_write_sparse},
    {ss_megatron_read_streams, ss_megatron_write_streams},
    {read_vocabulary, write_vocabulary},
    {ss_megatron_read_positions, ss_megatron_write_positions},
    {ss_megatron_read_experts, ss_megatron_write_experts},
    {ss_megatron_read_layers, ss_megatron_write_layers},
    {ss_megatron_read_precise, ss_megatron_write_precise},
    {read_optimizer, write_optimizer},
    {ss_megatron_read_host_step, ss_megatron_write_host_step},
    {read_main_gradients, NULL},
    {read_listed, NULL},
    {read_modules, NULL},
    {read_local, NULL},
    {read_kept, write_kept},
    {ss_megatron_read_graphs, ss_megatron_write_graphs},
    {read_chunks, write_chunks},
    {read_sharding, write_sharding},
    {read_levels, write_levels},
    {ss_megatron_read_replicas, ss_megatron_write_replicas},
    {ss_megatron_read_overlap, ss_megatron_write_overlap},
    {read_order, write_order},
    {read_dropout, write_dropout},
    {ss_megatron_read_forks, NULL},
    {ss_megatron_read_adapters, ss_megatron_write_adapters},
    {read_loss, write_loss},
};
const int ss_megatron_joint_count = sizeof ss_megatron_joints / sizeof ss_megatron_joints[0];
