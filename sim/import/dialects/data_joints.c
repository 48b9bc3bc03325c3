/* What follows from several settings of frameworks that split data only: DeepSpeed and llm-foundry. */
#include "sim/import/dialects/data_joints.h"

#include <math.h>

#include "sim/import/dialects/host_step.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/files/settings.h"

/* train_batch_size is micro-batches times accumulation times replicas: docs/_pages/config-json.md of
 * deepspeedai/DeepSpeed, as the next one. */
ss_status ss_read_accumulated_batch(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  const int64_t in_turn = ss_sheet_given(s, SS_VALUE_ACCUMULATION, 1), micro = w->training.micro_batch;
  const bool says_none = !s->is_set[SS_AT_training_global_batch] && !s->is_set[SS_AT_training_micro_batch] &&
                         s->value[SS_VALUE_ACCUMULATION] <= 0.0;
  if (says_none && s->import->replica_batch > 0) return SS_OK; /* an earlier file does */
  const bool all = s->is_set[SS_AT_training_global_batch] && s->is_set[SS_AT_training_micro_batch] &&
                   s->value[SS_VALUE_ACCUMULATION] > 0.0;
  if (all && w->training.global_batch % (micro * in_turn) != 0)
    return ss_sheet_refuse_number(s, SS_VALUE_ACCUMULATION,
                                  "times train_micro_batch_size_per_gpu does not divide train_batch_size; allowed: a "
                                  "number that does",
                                  error);
  if (all) ss_sheet_set(s, SS_AT_parallelism_dp, w->training.global_batch / (micro * in_turn), SS_VALUE_ACCUMULATION);
  if (s->is_set[SS_AT_training_global_batch]) return SS_OK;
  const double all_replicas = (double)(micro * in_turn) * (double)w->parallelism.dp;
  const ss_status status =
      ss_sheet_set_within(s, SS_AT_training_global_batch, all_replicas, SS_VALUE_ACCUMULATION, error);
  if (status == SS_OK) s->import->replica_batch = micro * in_turn;
  return status;
}

/* overlap_comm is on with stage 3, and off without. */
static ss_status read_overlap(ss_sheet *s, ss_error *error)
{
  (void)error;
  if (!s->is_set[SS_AT_schedule_overlap_dp])
    ss_import_set(s->import, SS_AT_schedule_overlap_dp,
                  s->workload->parallelism.sharding == SS_SHARDING_PARAMETERS ? SS_YES : SS_NO, 1);
  return SS_OK;
}

/* Both off is fp32 (get_data_types of deepspeed/runtime/engine.py); so are weights that torch_autocast casts. */
/* A type is off, or the file does not have it; "auto" is another program's to say. */
static bool is_off_or_absent(const ss_sheet *s, ss_sheet_value which, const char *key)
{
  return s->value[which] == 0.0 || (s->value[which] == SS_NOT_GIVEN && ss_settings_find(s->settings, key) == NULL);
}

static ss_status read_precision(ss_sheet *s, ss_error *error)
{
  const bool bf16 = s->value[SS_VALUE_BF16] > 0.0, fp16 = s->value[SS_VALUE_FP16] > 0.0;
  const bool is_said = s->value[SS_VALUE_BF16] == 0.0 || s->value[SS_VALUE_FP16] == 0.0;
  const bool off = is_said && is_off_or_absent(s, SS_VALUE_BF16, "bf16.enabled") &&
                   is_off_or_absent(s, SS_VALUE_FP16, "fp16.enabled");
  const bool casts = s->value[SS_VALUE_AUTOCAST] > 0.0 && !bf16 && !fp16;
  const ss_sheet_value blamed = s->value[SS_VALUE_BF16] == 0.0 ? SS_VALUE_BF16 : SS_VALUE_FP16;
  if (bf16 && fp16)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[SS_VALUE_FP16],
                        "bf16 and fp16 are both enabled; allowed: one of them");
  if (off || casts)
    return ss_error_set(error, SS_ERROR_INPUT, s->path, s->value_line[casts ? SS_VALUE_AUTOCAST : blamed],
                        "neither bf16 nor fp16 is enabled, so that weights and gradients are in fp32, with "
                        "torch_autocast, too; allowed: one of them enabled");
  if (bf16 || fp16)
    ss_sheet_set(s, SS_AT_training_precision, fp16 ? SS_PRECISION_FP16 : SS_PRECISION_BF16,
                 fp16 ? SS_VALUE_FP16 : SS_VALUE_BF16);
  return SS_OK;
}

/* Gradients are reduced and added up in the type of the weights unless the file says otherwise (communication_data_type
 * and get_data_types of deepspeed/runtime/engine.py), which all stages take (allreduce_bucket there, average_tensor of
 * deepspeed/runtime/zero/stage_1_and_2.py, __avg_scatter_grads of stage3.py). Where one is in fp32 and one is not, it
 * is the reduction that counts with stages 2 and 3, which reduce behind each micro-batch, and the sum with 0 and 1,
 * whose GPUs hold all sums. */
static ss_status read_gradients(ss_sheet *s, ss_error *error)
{
  const bool reduced = s->value[SS_VALUE_REDUCED_WHOLE] > 0.0, summed = s->value[SS_VALUE_SUMMED_WHOLE] > 0.0;
  const bool by_sum = s->workload->parallelism.sharding <= SS_SHARDING_OPTIMIZER;
  ss_sheet_set(s, SS_AT_training_gradients, (by_sum ? summed : reduced) ? SS_GRADIENTS_FP32 : SS_GRADIENTS_16BIT,
               by_sum ? SS_VALUE_SUMMED_WHOLE : SS_VALUE_REDUCED_WHOLE);
  if (reduced == summed) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        by_sum ? "that gradients are reduced in another type than they are added up in "
                                 "(communication_data_type): training.gradients has one"
                               : "that gradients are added up in another type than they are reduced in "
                                 "(grad_accum_dtype): training.gradients has one",
                        error);
}

/* Stages 1 and 2 without reduce_scatter sum gradients by all-reduces, of which each rank takes its share
 * (average_tensor of deepspeed/runtime/zero/stage_1_and_2.py). */
static ss_status read_sums(ss_sheet *s, ss_error *error)
{
  const ss_sharding sharding = s->workload->parallelism.sharding;
  const bool shards = sharding == SS_SHARDING_OPTIMIZER || sharding == SS_SHARDING_GRADIENTS;
  if (s->value[SS_VALUE_SCATTERED] != 0.0 || !shards) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that gradients are summed by all-reduces (reduce_scatter): they are by reduce-scatters",
                        error);
}

/* Weights are gathered with stage 3 only (deepspeed/runtime/zero/partition_parameters.py). */
static ss_status read_fetches(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_FETCHED_BY_SUMS] <= 0.0) return SS_OK;
  if (s->workload->parallelism.sharding == SS_SHARDING_PARAMETERS)
    return ss_sheet_refuse_number(s, SS_VALUE_FETCHED_BY_SUMS,
                                  "gathers weights by all-reduces; allowed: the file without it", error);
  return ss_import_note(s->import, SS_NOTE_IDLE, "use_all_reduce_for_fetch_params, without stage 3", error);
}

/* States of the optimizer in 16 bits: _configure_master_weights of deepspeed/runtime/base_optimizer.py. Stage 3 without
 * a host steps the weights themselves then (_create_fp32_partitions of deepspeed/runtime/zero/stage3.py); the others
 * copy them. */
static ss_status read_states(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const bool fp16 = s->value[SS_VALUE_FP16] > 0.0, bf16 = !fp16 && s->value[SS_VALUE_BF16] > 0.0;
  const ss_sheet_value master = fp16 ? SS_VALUE_FP16_MASTER : SS_VALUE_BF16_MASTER;
  const bool shards = w->parallelism.sharding == SS_SHARDING_PARAMETERS;
  const bool steps_weights = shards && w->training.offload_optimizer == SS_NO;
  (void)error;
  if ((!fp16 && !bf16) || s->value[master] <= 0.0 || w->parallelism.sharding == SS_SHARDING_NONE) return SS_OK;
  ss_sheet_set(s, SS_AT_training_master_weights, steps_weights ? SS_MASTER_NONE : SS_MASTER_16BIT, master);
  if (bf16 && s->value[SS_VALUE_BF16_MOMENTS] > 0.0)
    ss_sheet_set(s, SS_AT_training_moments, SS_MOMENTS_16BIT, SS_VALUE_BF16_MOMENTS);
  return SS_OK;
}

/* Four times where nobody says, and without a fraction: llmfoundry/models/mpt/configuration_mpt.py of
 * mosaicml/llm-foundry. */
static ss_status read_sizes(ss_sheet *s, ss_error *error)
{
  enum { EXPANSION = 4 };
  const ss_workload *w = s->workload;
  const double expansion = s->value[SS_VALUE_EXPANSION] != SS_NOT_GIVEN ? s->value[SS_VALUE_EXPANSION] : EXPANSION;
  if (s->is_set[SS_AT_model_hidden] && !s->is_set[SS_AT_model_ffn]) {
    const ss_status status =
        ss_sheet_set_within(s, SS_AT_model_ffn, trunc(expansion * (double)w->model.hidden), SS_VALUE_EXPANSION, error);
    if (status != SS_OK) return status;
  }
  if (s->value[SS_VALUE_LOCAL_BATCH] > 0.0)
    ss_sheet_set(s, SS_AT_training_micro_batch, ss_sheet_given(s, SS_VALUE_LOCAL_BATCH, 1), SS_VALUE_LOCAL_BATCH);
  return SS_OK;
}

/* llmfoundry/models/layers/flash_attn_triton.py of mosaicml/llm-foundry v0.4.0 is FlashAttention 1. */
static ss_status read_attention(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_TRITON] <= 0.0) return SS_OK;
  ss_sheet_set(s, SS_AT_training_attention, SS_ATTENTION_FLASH, SS_VALUE_TRITON);
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                        "attn_impl: kernels of FlashAttention 1 in Triton, which take longer than those of version 2 "
                        "that are predicted",
                        error);
}

const ss_joint ss_deepspeed_joints[] = {{ss_read_accumulated_batch, NULL},
                                        {read_overlap, NULL},
                                        {read_precision, NULL},
                                        {read_gradients, NULL},
                                        {read_sums, NULL},
                                        {read_fetches, NULL},
                                        {read_states, NULL},
                                        {ss_read_host_step, NULL}};
const int ss_deepspeed_joint_count = sizeof ss_deepspeed_joints / sizeof ss_deepspeed_joints[0];

const ss_joint ss_foundry_joints[] = {{read_sizes, NULL}, {read_attention, NULL}, {ss_read_host_step, NULL}};
const int ss_foundry_joint_count = sizeof ss_foundry_joints / sizeof ss_foundry_joints[0];

/* Tables are padded for tensor-parallel ranks, as Megatron-LM does, but to a multiple of 1 where nobody says: ModelArgs
 * of nanotron (src/nanotron/config/config.py). */
static ss_status read_nanotron(ss_sheet *s, ss_error *error)
{
  const int64_t base = ss_sheet_given(s, SS_VALUE_BASE, 1);
  s->import->vocabulary_multiple = ss_sheet_given(s, SS_VALUE_VOCABULARY_MULTIPLE, 1);
  if (s->value[SS_VALUE_BASE] > 0.0)
    ss_sheet_set(s, SS_AT_training_precision, base == 1 ? SS_PRECISION_BF16 : SS_PRECISION_FP16, SS_VALUE_BASE);
  return ss_read_accumulated_batch(s, error);
}

const ss_joint ss_nanotron_joints[] = {{read_nanotron, NULL}};
const int ss_nanotron_joint_count = sizeof ss_nanotron_joints / sizeof ss_nanotron_joints[0];
