/* What follows from several settings of trainers of Transformers. */
#include <string.h>

#include "model/input/origin.h"
#include "sim/import/dialects/data_joints.h"
#include "sim/import/dialects/host_step.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/megatron_replicas.h"
#include "sim/import/dialects/trainer_adapters.h"
#include "sim/import/files/settings.h"

static bool has(const ss_sheet *s, const char *key)
{
  return ss_settings_find(s->settings, key) != NULL;
}

/* Whether it is a file of LLaMA-Factory, whose parser sets what other trainers leave as it is. */
static bool is_of_factory(const ss_sheet *s)
{
  return has(s, "finetuning_type") || has(s, "cutoff_len");
}

/* per_device_train_batch_size of TrainingArguments, where nobody says. */
enum { BATCH = 8 };

static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  const bool is_run = s->value[SS_VALUE_ACCUMULATION] > 0.0 || s->is_set[SS_AT_training_micro_batch];
  if (!s->is_set[SS_AT_training_micro_batch] && is_run && !has(s, "deepspeed_config.gradient_accumulation_steps"))
    ss_import_set(s->import, SS_AT_training_micro_batch, BATCH, 1);
  return is_run ? ss_read_accumulated_batch(s, error) : SS_OK;
}

/* Batches that are not packed are as long as their longest sample; pretraining of LLaMA-Factory packs by itself
 * (src/llamafactory/hparams/parser.py). */
static ss_status read_packing(ss_sheet *s, ss_error *error)
{
  const bool packs = s->value[SS_VALUE_PACKS] > 0.0 ||
                     (s->value[SS_VALUE_PRETRAINS] > 0.0 && s->value[SS_VALUE_PACKS] == SS_NOT_GIVEN);
  if (!s->is_set[SS_AT_model_sequence]) return SS_OK;
  if (packs)
    return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                          "packing: documents of a sequence, of which training.documents has the lengths", error);
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that samples are not packed, so that a batch has the tokens of its longest sample: each has "
                        "all of model.sequence",
                        error);
}

/* Both off is fp32, unless nobody says anything. */
static ss_status read_types(ss_sheet *s, ss_error *error)
{
  const bool fp16 = s->value[SS_VALUE_FP16] > 0.0, bf16 = s->value[SS_VALUE_BF16] > 0.0;
  (void)error;
  if (bf16 || fp16)
    ss_sheet_set(s, SS_AT_training_precision, bf16 ? SS_PRECISION_BF16 : SS_PRECISION_FP16,
                 bf16 ? SS_VALUE_BF16 : SS_VALUE_FP16);
  if (s->value[SS_VALUE_WEIGHTS_16] <= 0.0) return SS_OK;
  ss_sheet_set(s, SS_AT_training_precision, SS_PRECISION_BF16, SS_VALUE_WEIGHTS_16);
  ss_sheet_set(s, SS_AT_training_master_weights, SS_MASTER_NONE, SS_VALUE_WEIGHTS_16);
  ss_sheet_set(s, SS_AT_training_moments, SS_MOMENTS_16BIT, SS_VALUE_WEIGHTS_16);
  ss_sheet_set(s, SS_AT_training_gradients, SS_GRADIENTS_16BIT, SS_VALUE_WEIGHTS_16);
  return SS_OK;
}

/* prepare_model of LLaMA-Factory computes all layers again unless it is told not to
 * (src/llamafactory/model/model_utils/ checkpointing.py). */
static ss_status read_recompute(ss_sheet *s, ss_error *error)
{
  (void)error;
  if (is_of_factory(s) && !s->is_set[SS_AT_training_recompute])
    ss_import_set(s->import, SS_AT_training_recompute, SS_RECOMPUTE_FULL, 1);
  return SS_OK;
}

/* What FSDP shards: names of FullyShardedDataParallel's strategies, in small or capital letters; or version 2. */
static ss_sharding sharding_of(const ss_sheet *s)
{
  const char *text = s->text[SS_KEPT_SHARDS];
  const bool is_there = s->value[SS_VALUE_FSDP] > 0.0 || s->value[SS_VALUE_SHARD] > 0.0 || text[0] != '\0';
  if (strstr(text, "no_shard") != NULL || strstr(text, "NO_SHARD") != NULL || !is_there) return SS_SHARDING_NONE;
  const bool keeps =
      s->value[SS_VALUE_RESHARD] == 0.0 || strstr(text, "grad_op") != NULL || strstr(text, "GRAD_OP") != NULL;
  return keeps ? SS_SHARDING_GRADIENTS : SS_SHARDING_PARAMETERS;
}

static ss_status read_shards(ss_sheet *s, ss_error *error)
{
  const char *text = s->text[SS_KEPT_SHARDS];
  const ss_sharding sharding = sharding_of(s);
  const int64_t node = ss_sheet_given(s, SS_VALUE_GPUS_OF_NODE, 0);
  if (sharding == SS_SHARDING_NONE) return SS_OK;
  ss_import_set(s->import, SS_AT_parallelism_sharding, sharding, 1);
  ss_import_set(s->import, SS_AT_schedule_overlap_dp, SS_YES, 1);
  if (s->value[SS_VALUE_SHARD] > 0.0) s->import->shard_ranks = (int64_t)s->value[SS_VALUE_SHARD];
  if (strstr(text, "hybrid") == NULL && strstr(text, "HYBRID") == NULL) return SS_OK;
  if (node > 0) s->import->shard_ranks = node;
  if (node > 0) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that each node has a copy of what is sharded: parallelism.shard-size has the GPUs of a node",
                        error);
}

/* dp_shard_size and dp_replicate_size are all replicas of axolotl. */
static ss_status read_replicas(ss_sheet *s, ss_error *error)
{
  const int64_t shard = ss_sheet_given(s, SS_VALUE_SHARD, 0), copies = ss_sheet_given(s, SS_VALUE_REPLICATE, 1);
  if (shard > 0 && s->workload->line[SS_AT_parallelism_dp] == SS_LINE_CHOSEN)
    ss_sheet_set(s, SS_AT_parallelism_dp, shard * copies, SS_VALUE_SHARD);
  return shard > 0 ? SS_OK : ss_megatron_read_replicas(s, error);
}

/* Classes of Transformers load no modules of multi-token prediction (_keys_to_ignore_on_load_unexpected of
 * models/deepseek_v3). */
static ss_status read_modules(ss_sheet *s, ss_error *error)
{
  if (s->workload->model.mtp_modules == 0) return SS_OK;
  s->workload->model.mtp_modules = 0;
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                        "modules of multi-token prediction, which classes of Transformers do not load", error);
}

const ss_joint ss_trainer_joints[] = {{read_modules, NULL},
                                      {read_replicas, NULL},
                                      {read_batch, NULL},
                                      {read_packing, NULL},
                                      {read_types, NULL},
                                      {read_recompute, NULL},
                                      {ss_trainer_read_adapters, NULL},
                                      {read_shards, NULL},
                                      {ss_read_host_step, NULL}};
const int ss_trainer_joint_count = sizeof ss_trainer_joints / sizeof ss_trainer_joints[0];
