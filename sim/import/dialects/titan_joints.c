/* What follows from several settings of TorchTitan: torchtitan/train.py, torchtitan/distributed and
 * torchtitan/models/llama3/infra/parallelize.py of pytorch/torchtitan at v0.2.0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "model/input/origin.h"
#include "sim/import/dialects/host_step.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/titan_flavors.h"

/* Names of converters of products: torchtitan/components/quantization. Those of layers convert modules of one product,
 * which grouped experts are none of. */
static const char eight[] = "quantize.linear.float8", blocks[] = "quantize.linear.mx";
static const char eight_experts[] = "quantize.grouped_mm.float8", blocks_experts[] = "quantize.grouped_mm.mx";
enum { SCALES_OF_TENSORS = 2, SCALES_OF_ROWS = 3, SCALES_OF_BLOCKS = 4 };

/* What converters make of a model, and names that they had before. */
static const struct {
  const char *name;
  int scales; /* of products; 0: it is left out */
  bool of_experts;
} converters[] = {
    {eight, SCALES_OF_TENSORS, false}, {"float8", SCALES_OF_TENSORS, false},  {blocks, SCALES_OF_BLOCKS, false},
    {"mx", SCALES_OF_BLOCKS, false},   {eight_experts, SCALES_OF_ROWS, true}, {blocks_experts, SCALES_OF_BLOCKS, true},
    {"primus_turbo", 0, false}};
enum { CONVERTERS = sizeof converters / sizeof converters[0] };

/* Scales of products of layers, and of experts, that converters make; 0: none. */
typedef struct converted {
  int layers, experts;
} converted;

static ss_status read_converter(ss_sheet *s, const char *name, converted *made, ss_error *error)
{
  const bool rows = ss_sheet_given(s, SS_VALUE_RECIPE, SCALES_OF_TENSORS) == SCALES_OF_ROWS;
  char text[SS_TEXT_SIZE + 32];
  int i = 0;
  while (i < CONVERTERS && strcmp(converters[i].name, name) != 0) ++i;
  if (i == CONVERTERS)
    return ss_sheet_refuse(s, SS_KEPT_MODULES,
                           "has a converter of models that is not known; allowed: quantize.linear.float8, "
                           "quantize.linear.mx, and the file without others",
                           error);
  (void)snprintf(text, sizeof text, "the converter %s", name);
  if (converters[i].scales == 0) return ss_import_note(s->import, SS_NOTE_LEFT_OUT, text, error);
  *(converters[i].of_experts ? &made->experts : &made->layers) =
      converters[i].scales == SCALES_OF_TENSORS && rows ? SCALES_OF_ROWS : converters[i].scales;
  return SS_OK;
}

/* Experts have the scales of the others, or stay in 16 bits. */
static ss_status set_converted(ss_sheet *s, converted made, ss_error *error)
{
  static const ss_precision precisions[] = {[SCALES_OF_TENSORS] = SS_PRECISION_FP8_CURRENT,
                                            [SCALES_OF_ROWS] = SS_PRECISION_FP8_ROWS,
                                            [SCALES_OF_BLOCKS] = SS_PRECISION_MXFP8};
  const int line = s->text_line[SS_KEPT_MODULES] > 0 ? s->text_line[SS_KEPT_MODULES] : 1;
  const bool has_experts = s->workload->model.experts > 0;
  if (made.layers > 0) ss_import_set(s->import, SS_AT_training_precision, precisions[made.layers], line);
  if (made.layers > 0) s->import->experts_stay = made.experts == 0;
  if (!has_experts || made.experts == 0 || made.experts == made.layers) return SS_OK;
  return ss_import_note(s->import, made.layers > 0 ? SS_NOTE_LEFT_OUT : SS_NOTE_MATTERS,
                        made.layers > 0 ? "that scales of grouped experts are others than those of other products"
                                        : "products of grouped experts in 8 bits, where others have 16",
                        error);
}

static ss_status read_precision(ss_sheet *s, ss_error *error)
{
  char names[SS_TEXT_SIZE], *rest = NULL;
  converted made = {.layers = 0};
  ss_status status = SS_OK;
  memcpy(names, s->text[SS_KEPT_MODULES], sizeof names);
  if (s->is_set[SS_AT_training_precision] && s->workload->training.precision == SS_PRECISION_FP8_CURRENT)
    made.layers = SCALES_OF_TENSORS; /* enable_float8_linear */
  const char *name = strtok_r(names, " ,", &rest);
  for (; status == SS_OK && name != NULL; name = strtok_r(NULL, " ,", &rest))
    status = read_converter(s, name, &made, error);
  return status == SS_OK ? set_converted(s, made, error) : status;
}

static void write_precision(ss_sheet *s)
{
  const ss_precision precision = s->workload->training.precision;
  const bool scales = precision == SS_PRECISION_MXFP8, rows = precision == SS_PRECISION_FP8_ROWS;
  if (precision != SS_PRECISION_FP8_CURRENT && !scales && !rows) return;
  const bool experts = s->workload->model.experts > 0 && s->workload->training.expert_type == SS_AS_OPERANDS;
  (void)snprintf(s->text[SS_KEPT_MODULES], SS_TEXT_SIZE, "%s%s%s", scales ? blocks : eight, experts ? " " : "",
                 !experts ? "" : (scales ? blocks_experts : eight_experts));
  s->value[SS_VALUE_RECIPE] = scales ? SCALES_OF_BLOCKS : rows ? SCALES_OF_ROWS : SCALES_OF_TENSORS;
}

/* Layers that the embedding or the output layer counts as: one where it is not said otherwise
 * (pipeline_parallel_first_stage_less_layers of torchtitan/config/job_config.py, and ..._last_...). */
static int64_t weight_of_end(const ss_sheet *s, ss_sheet_value end)
{
  return s->value[end] == SS_NOT_GIVEN ? 1 : (int64_t)s->value[end];
}

/* Of parts of so many layers (pipeline_llm of torchtitan/distributed/pipeline_parallel.py). */
static int64_t parts_of(const ss_sheet *s, int64_t layers)
{
  const int64_t ends = weight_of_end(s, SS_VALUE_FIRST_STAGE_LESS) + weight_of_end(s, SS_VALUE_LAST_STAGE_LESS);
  return ss_divide_up(s->workload->model.layers + ends, layers);
}

/* Parts of as many layers, the ends counted as they are; what is left over goes to the first ones
 * (generate_llm_fqn_per_model_part of torchtitan/distributed/pipeline_parallel.py). */
static ss_status note_uneven(const ss_sheet *s, ss_error *error)
{
  static const char text[] = "that embedding and output layer count as layers of the first and the last stage "
                             "(pipeline_parallel_first_stage_less_layers, ..._last_...): stages have as many layers; "
                             "parallelism.layout has others";
  const bool uneven = parts_of(s, 1) > s->workload->model.layers;
  return uneven ? ss_import_note(s->import, SS_NOTE_LEFT_OUT, text, error) : SS_OK;
}

/* Chunks of a stage: one of a plain schedule, two or more of an interleaved one, two of one that lies as a V. */
static ss_status check_chunks(const ss_sheet *s, int64_t parts, ss_error *error)
{
  const ss_pipeline pipeline = s->workload->schedule.pipeline;
  const int64_t pp = s->workload->parallelism.pp;
  const bool plain = pipeline == SS_PIPELINE_1F1B || pipeline == SS_PIPELINE_GPIPE;
  const bool lies_as_v = !plain && pipeline != SS_PIPELINE_INTERLEAVED;
  if (parts % pp != 0)
    return ss_sheet_refuse_number(s, SS_VALUE_LAYERS_OF_STAGE,
                                  "cuts the model into parts that are no multiple of the stages; allowed: a number "
                                  "that does not",
                                  error);
  if (plain ? parts == pp : lies_as_v ? parts == 2 * pp : parts >= 2 * pp) return SS_OK;
  return ss_sheet_refuse_number(s, SS_VALUE_LAYERS_OF_STAGE,
                                "cuts the model into parts that the schedule has no use for; allowed: one of each "
                                "stage for 1F1B and GPipe, two for ZBVZeroBubble and DualPipeV, and two or more for "
                                "Interleaved1F1B",
                                error);
}

/* Two parts of a stage where nobody says how large they are. One stage has no schedule, whatever its name is: train.py
 * cuts a model where pp_enabled is true, from two stages on (torchtitan/distributed/parallel_dims.py). */
static ss_status read_stages(ss_sheet *s, ss_error *error)
{
  const ss_workload *w = s->workload;
  const int64_t layers = ss_sheet_given(s, SS_VALUE_LAYERS_OF_STAGE, 0), pp = w->parallelism.pp;
  if (pp == 1 && s->is_set[SS_AT_schedule_pipeline] && w->schedule.pipeline != SS_PIPELINE_1F1B) {
    ss_import_set(s->import, SS_AT_schedule_pipeline, SS_PIPELINE_1F1B, w->line[SS_AT_schedule_pipeline]);
    return ss_import_note(s->import, SS_NOTE_IDLE, "the pipeline schedule, of one stage", error);
  }
  const bool cut = layers > 0 && w->model.layers > 0;
  const int64_t parts = cut ? parts_of(s, layers) : 2 * pp;
  ss_status status = pp > 1 ? note_uneven(s, error) : SS_OK;
  if (status == SS_OK && pp > 1 && cut) status = check_chunks(s, parts, error);
  if (status == SS_OK && w->schedule.pipeline == SS_PIPELINE_INTERLEAVED)
    ss_sheet_set(s, SS_AT_parallelism_interleave, parts / pp, SS_VALUE_LAYERS_OF_STAGE);
  return status;
}

/* Stages have as many layers as each other where no end counts. */
static void write_stages(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->parallelism.pp == 1) return;
  s->value[SS_VALUE_FIRST_STAGE_LESS] = s->value[SS_VALUE_LAST_STAGE_LESS] = 0.0;
  const int64_t layers = parts_of(s, w->parallelism.pp * w->parallelism.interleave);
  const bool said = w->schedule.pipeline == SS_PIPELINE_INTERLEAVED && w->parallelism.interleave != 2;
  if (said) s->value[SS_VALUE_LAYERS_OF_STAGE] = (double)layers;
}

/* Weights stay whole between passes where stages would gather them for every micro-batch, unless it is said. */
static ss_sharding sharding_of(const ss_sheet *s, bool shards)
{
  const int64_t reshard = ss_sheet_given(s, SS_VALUE_RESHARD, 1);
  if (!shards) return SS_SHARDING_NONE;
  if (reshard == 1) return s->workload->parallelism.pp > 1 ? SS_SHARDING_GRADIENTS : SS_SHARDING_PARAMETERS;
  return reshard == 2 ? SS_SHARDING_PARAMETERS : SS_SHARDING_GRADIENTS;
}

/* Without a size of shards, all GPUs share them, and the file does not say how many there are. */
static ss_status read_replicas(ss_sheet *s, ss_error *error)
{
  const int64_t copies = ss_sheet_given(s, SS_VALUE_REPLICATE, 1), ranks = ss_sheet_given(s, SS_VALUE_SHARD, 0);
  (void)error;
  const ss_sharding sharding = sharding_of(s, ranks != 1 || copies == 1);
  ss_sheet_set(s, SS_AT_parallelism_sharding, sharding, SS_VALUE_RESHARD);
  if (ranks > 0) ss_sheet_set(s, SS_AT_parallelism_dp, copies * ranks, SS_VALUE_SHARD);
  if (copies > 1 && ranks > 1)
    ss_sheet_set(s, SS_AT_parallelism_shard_size, ranks * s->workload->parallelism.cp, SS_VALUE_REPLICATE);
  s->import->shard_copies = ranks == 0 && copies > 1 ? copies : 0;
  return SS_OK;
}

static void write_replicas(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  const int64_t dp = w->parallelism.dp, size = w->parallelism.shard_size, pp = w->parallelism.pp;
  const ss_sharding sharding = w->parallelism.sharding;
  int64_t copies = sharding == SS_SHARDING_NONE ? dp : 1;
  if (size != SS_DERIVED) copies = dp * w->parallelism.cp / size;
  s->value[SS_VALUE_REPLICATE] = (double)copies;
  const int64_t shard = dp / copies;
  s->value[SS_VALUE_SHARD] = (double)shard;
  if (sharding == SS_SHARDING_PARAMETERS && pp > 1) s->value[SS_VALUE_RESHARD] = 2.0;
  if (sharding == SS_SHARDING_GRADIENTS && pp == 1) s->value[SS_VALUE_RESHARD] = 3.0;
}

static const char per_operation[] = "op";

static bool read_option(const char *text, int64_t *every)
{
  char *end;
  const long long number = strtoll(text, &end, 10);
  *every = number;
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number >= 1 && number <= SS_SETTING_MOST;
}

/* Every second layer where nothing is said, which counts for mode selective only (selective_ac_option of
 * torchtitan/config/job_config.py). */
static ss_status read_recompute(ss_sheet *s, ss_error *error)
{
  enum { EVERY = 2 };
  const ss_workload *w = s->workload;
  const char *option = s->text[SS_KEPT_SELECTIVE];
  const int64_t chunks = w->parallelism.pp * w->parallelism.interleave;
  int64_t every = EVERY;
  if (ss_sheet_given(s, SS_VALUE_SELECTIVE, 0) <= 0) return SS_OK;
  const bool per_op = strcmp(option, per_operation) == 0;
  if (!per_op && option[0] != '\0' && !read_option(option, &every))
    return ss_sheet_refuse(s, SS_KEPT_SELECTIVE,
                           "is no selective_ac_option; allowed: op, and a whole number from 1 to 1000000", error);
  const int64_t layers = w->model.layers / chunks / every;
  const ss_recompute recompute = per_op ? SS_RECOMPUTE_PER_OP : layers > 0 ? SS_RECOMPUTE_FULL : SS_RECOMPUTE_NONE;
  ss_sheet_set(s, SS_AT_training_recompute, recompute, SS_VALUE_SELECTIVE);
  if (recompute == SS_RECOMPUTE_FULL)
    ss_import_set(s->import, SS_AT_training_recompute_layers, layers,
                  s->text_line[SS_KEPT_SELECTIVE] > 0 ? s->text_line[SS_KEPT_SELECTIVE] : 1);
  return SS_OK;
}

static void write_recompute(ss_sheet *s)
{
  if (s->workload->training.recompute == SS_RECOMPUTE_PER_OP) {
    s->value[SS_VALUE_SELECTIVE] = 1.0;
    memcpy(s->text[SS_KEPT_SELECTIVE], per_operation, sizeof per_operation);
  }
}

/* With stages, the sequences of a replica are cut into micro-batches. */
static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  enum { LOCAL_BATCH = 8 };
  const ss_workload *w = s->workload;
  const int64_t local = ss_sheet_given(s, SS_VALUE_LOCAL_BATCH, LOCAL_BATCH);
  const bool cut = w->parallelism.pp > 1;
  (void)error;
  ss_sheet_set(s, SS_AT_training_micro_batch, cut ? ss_sheet_given(s, SS_VALUE_PIPELINE_BATCH, 1) : local,
               cut ? SS_VALUE_PIPELINE_BATCH : SS_VALUE_LOCAL_BATCH);
  ss_sheet_set(s, SS_AT_training_global_batch, ss_sheet_given(s, SS_VALUE_GLOBAL_BATCH, local * w->parallelism.dp),
               SS_VALUE_GLOBAL_BATCH);
  if (s->value[SS_VALUE_GLOBAL_BATCH] <= 0.0) s->import->replica_batch = local;
  return SS_OK;
}

static void write_batch(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  const bool cut = w->parallelism.pp > 1;
  s->value[SS_VALUE_GLOBAL_BATCH] = (double)w->training.global_batch;
  s->value[SS_VALUE_LOCAL_BATCH] =
      (double)(cut ? w->training.global_batch / w->parallelism.dp : w->training.micro_batch);
  if (cut) s->value[SS_VALUE_PIPELINE_BATCH] = (double)w->training.micro_batch;
}

const ss_joint ss_titan_joints[] = {
    {ss_titan_read_flavor, ss_titan_write_flavor},
    {read_precision, write_precision},
    {read_stages, write_stages},
    {read_recompute, write_recompute},
    {read_replicas, write_replicas},
    {read_batch, write_batch},
    {ss_read_host_step, NULL},
};
const int ss_titan_joint_count = sizeof ss_titan_joints / sizeof ss_titan_joints[0];
