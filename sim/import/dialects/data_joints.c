/* What follows from several settings of frameworks that split data only: DeepSpeed and llm-foundry. */
#include <math.h>

#include "sim/import/dialects/joints.h"

/* train_batch_size is micro-batches times accumulation times replicas: docs/_pages/config-json.md of
 * deepspeedai/DeepSpeed, as the next one. */
static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  const int64_t in_turn = ss_sheet_given(s, SS_VALUE_ACCUMULATION, 1), micro = w->training.micro_batch;
  const bool all = s->is_set[SS_AT_training_global_batch] && s->is_set[SS_AT_training_micro_batch] &&
                   s->value[SS_VALUE_ACCUMULATION] > 0.0;
  if (all && w->training.global_batch % (micro * in_turn) != 0)
    return ss_sheet_refuse_number(s, SS_VALUE_ACCUMULATION,
                                  "times train_micro_batch_size_per_gpu does not divide train_batch_size; allowed: a "
                                  "number that does",
                                  error);
  if (all) ss_sheet_set(s, SS_AT_parallelism_dp, w->training.global_batch / (micro * in_turn), SS_VALUE_ACCUMULATION);
  if (s->is_set[SS_AT_training_global_batch]) return SS_OK;
  s->import->replica_batch = micro * in_turn;
  return ss_sheet_set_within(s, SS_AT_training_global_batch,
                             (double)s->import->replica_batch * (double)w->parallelism.dp, SS_VALUE_ACCUMULATION,
                             error);
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

static ss_status read_precision(ss_sheet *s, ss_error *error)
{
  const int64_t base = ss_sheet_given(s, SS_VALUE_BASE, 0);
  (void)error;
  if (base > 0)
    ss_sheet_set(s, SS_AT_training_precision, base == 1 ? SS_PRECISION_BF16 : SS_PRECISION_FP16, SS_VALUE_BASE);
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

const ss_joint ss_deepspeed_joints[] = {{read_batch, NULL}, {read_overlap, NULL}, {read_precision, NULL}};
const int ss_deepspeed_joint_count = sizeof ss_deepspeed_joints / sizeof ss_deepspeed_joints[0];

const ss_joint ss_foundry_joints[] = {{read_sizes, NULL}, {read_attention, NULL}};
const int ss_foundry_joint_count = sizeof ss_foundry_joints / sizeof ss_foundry_joints[0];
