/* What Megatron-SWIFT does where nobody says, before what follows from settings of Megatron-LM:
 * swift/megatron/arguments of modelscope/ms-swift. */
#include "model/input/origin.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/trainer_adapters.h"

/* global_batch_size of MegatronArguments. */
enum { BATCH = 16 };

static void set_unless(ss_sheet *s, ss_attribute_index index, int64_t value)
{
  if (s->is_set[index]) return;
  ss_import_set(s->import, index, value, 1);
  s->is_set[index] = true;
}

static void give_unless(ss_sheet *s, ss_sheet_value which, double value)
{
  if (s->value[which] == SS_NOT_GIVEN) s->value[which] = value;
}

/* Defaults of MegatronArguments: core attention is computed again, the optimizer is distributed, experts are grouped
 * and not split, and the loss is fused. */
static ss_status read_defaults(ss_sheet *s, ss_error *error)
{
  (void)error;
  set_unless(s, SS_AT_training_recompute, SS_RECOMPUTE_SELECTIVE);
  set_unless(s, SS_AT_training_global_batch, BATCH);
  give_unless(s, SS_VALUE_DISTRIBUTED, 1.0);
  give_unless(s, SS_VALUE_LOSS_FUSED, 1.0);
  if (s->workload->model.experts == 0) return SS_OK;
  give_unless(s, SS_VALUE_GROUPED, 1.0);
  set_unless(s, SS_AT_parallelism_etp, 1);
  return SS_OK;
}

static ss_status read_megatron(ss_sheet *s, ss_error *error)
{
  ss_status status = SS_OK;
  for (int i = 0; status == SS_OK && i < ss_megatron_joint_count; ++i)
    if (ss_megatron_joints[i].read != NULL) status = ss_megatron_joints[i].read(s, error);
  return status;
}

/* Samples that are not packed are put together without padding, in micro-batches. */
static ss_status read_samples(ss_sheet *s, ss_error *error)
{
  if (!s->is_set[SS_AT_model_sequence]) return SS_OK;
  if (s->value[SS_VALUE_PACKS] > 0.0)
    return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                          "packing: documents of a sequence, of which training.documents has the lengths", error);
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that samples are not packed, so that a micro-batch has the tokens of its samples: each has "
                        "all of model.sequence",
                        error);
}

const ss_joint ss_swift_joints[] = {
    {read_defaults, NULL}, {read_megatron, NULL}, {ss_tuner_read_adapters, NULL}, {read_samples, NULL}};
const int ss_swift_joint_count = sizeof ss_swift_joints / sizeof ss_swift_joints[0];
