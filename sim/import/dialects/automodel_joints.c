/* What follows from several settings of NeMo Automodel: nemo_automodel/recipes/llm/train_ft.py of
 * NVIDIA-NeMo/Automodel.
 */
#include "model/input/origin.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/megatron_replicas.h"
#include "sim/import/dialects/trainer_adapters.h"

/* A rank takes its sequences in one go, or in micro-batches of a pipeline. */
static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  const bool in_stages = s->workload->parallelism.pp > 1 && s->value[SS_VALUE_PIPELINE_BATCH] > 0.0;
  const ss_sheet_value from = in_stages ? SS_VALUE_PIPELINE_BATCH : SS_VALUE_LOCAL_BATCH;
  (void)error;
  if (s->value[from] > 0.0) ss_sheet_set(s, SS_AT_training_micro_batch, ss_sheet_given(s, from, 1), from);
  return SS_OK;
}

static ss_status read_sequence(ss_sheet *s, ss_error *error)
{
  const int64_t packed = ss_sheet_given(s, SS_VALUE_PACKED, 0), longest = ss_sheet_given(s, SS_VALUE_TOKENS, 0);
  if (packed > 0 || longest > 0)
    ss_sheet_set(s, SS_AT_model_sequence, packed > 0 ? packed : longest,
                 packed > 0 ? SS_VALUE_PACKED : SS_VALUE_TOKENS);
  if (packed > 0)
    return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                          "packed_sequence: documents of a sequence, of which training.documents has the lengths",
                          error);
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that samples are not packed, so that a batch has the tokens of its longest sample: each has "
                        "all of model.sequence",
                        error);
}

/* Chunks of a stage, by the layers that each has. */
static ss_status read_chunks(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const int64_t layers = ss_sheet_given(s, SS_VALUE_LAYERS_OF_CHUNK, 0), all = w->parallelism.pp * layers;
  if (w->parallelism.pp == 1 || w->schedule.pipeline != SS_PIPELINE_INTERLEAVED) {
    if (w->parallelism.pp == 1) ss_import_set(s->import, SS_AT_schedule_pipeline, SS_PIPELINE_1F1B, 1);
    return SS_OK;
  }
  if (layers > 0 && w->model.layers > 0 && w->model.layers % all != 0)
    return ss_sheet_refuse_number(s, SS_VALUE_LAYERS_OF_CHUNK,
                                  "does not divide the layers of a stage; allowed: the file without it, and --set "
                                  "parallelism.layout",
                                  error);
  if (layers > 0 && w->model.layers > 0)
    ss_sheet_set(s, SS_AT_parallelism_interleave, w->model.layers / all, SS_VALUE_LAYERS_OF_CHUNK);
  return SS_OK;
}

static ss_status read_copies(ss_sheet *s, ss_error *error)
{
  if (!s->is_set[SS_AT_parallelism_dp]) return ss_megatron_read_replicas(s, error);
  if (s->value[SS_VALUE_REPLICATE] > 1.0) s->import->shard_copies = ss_sheet_given(s, SS_VALUE_REPLICATE, 1);
  return SS_OK;
}

const ss_joint ss_automodel_joints[] = {{read_copies, NULL},
                                        {read_batch, NULL},
                                        {read_sequence, NULL},
                                        {read_chunks, NULL},
                                        {ss_tuner_read_adapters, NULL}};
const int ss_automodel_joint_count = sizeof ss_automodel_joints / sizeof ss_automodel_joints[0];
