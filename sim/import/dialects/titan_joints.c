/* What follows from several settings of TorchTitan: torchtitan/train.py, torchtitan/distributed and
 * torchtitan/models/llama3/infra/parallelize.py of pytorch/torchtitan at v0.2.0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "model/input/origin.h"
#include "sim/import/dialects/host_step.h"
#include "sim/import/dialects/joints.h"
#include "sim/import/dialects/megatron_replicas.h"
#include "sim/import/dialects/titan_flavors.h"
#include "sim/import/files/settings.h"

/* Names of converters of products: torchtitan/components/quantization. Those of layers convert modules of one product,
 * which grouped experts are none of. */
static const char eight[] = "quantize.linear.float8", blocks[] = "quantize.linear.mx";
static const char eight_experts[] = "quantize.grouped_mm.float8", blocks_experts[] = "quantize.grouped_mm.mx";
static const char output[] = "output"; /* the name of the output layer */
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

/* Reads which layers stay in 16 bits, by parts of their names, and sets the type of the output layer, which MXFP8
 * leaves out by itself (module_filter_fn of torchtitan/components/quantization/utils.py, filter_fqns of
 * torchtitan/config/job_config.py). A table that the embedding shares is not converted here. */
static ss_status read_filter(ss_sheet *s, bool in_blocks, ss_error *error)
{
  const ss_sheet_text which = in_blocks ? SS_KEPT_FILTERED_BLOCKS : SS_KEPT_FILTERED;
  const ss_workload *w = s->workload;
  char names[SS_TEXT_SIZE], text[SS_TEXT_SIZE + 80], *rest = NULL;
  bool stays = w->model.tied_embeddings == SS_YES || w->model.vocabulary % 16 != 0 || w->model.hidden % 16 != 0;
  ss_status status = SS_OK;
  (void)snprintf(names, sizeof names, "%s", in_blocks && s->text_line[which] == 0 ? output : s->text[which]);
  for (const char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    const bool is_output = strstr(output, name) != NULL || strcmp(name, "lm_head") == 0;
    stays |= is_output;
    if (is_output || strcmp(name, "router.gate") == 0 || status != SS_OK) continue;
    (void)snprintf(text, sizeof text, "that products of %s stay in 16 bits (filter_fqns)", name);
    status = ss_import_note(s->import, SS_NOTE_MATTERS, text, error);
  }
  if (!stays)
    ss_import_set(s->import, SS_AT_training_output_type, SS_AS_OPERANDS,
                  s->text_line[which] > 0 ? s->text_line[which] : 1);
  return status;
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
  if (status == SS_OK && made.layers > 0) status = read_filter(s, made.layers == SCALES_OF_BLOCKS, error);
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
  if (!scales && s->workload->training.output_type == SS_AS_16BIT)
    memcpy(s->text[SS_KEPT_FILTERED], output, sizeof output);
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
  const ss_sharding sharding = sharding_of(s, ranks != 1 || copies == 1);
  ss_sheet_set(s, SS_AT_parallelism_sharding, sharding, SS_VALUE_RESHARD);
  if (ranks > 0) ss_sheet_set(s, SS_AT_parallelism_dp, copies * ranks, SS_VALUE_SHARD);
  if (copies > 1 && ranks > 1)
    ss_sheet_set(s, SS_AT_parallelism_shard_size, ranks * s->workload->parallelism.cp, SS_VALUE_REPLICATE);
  return ranks == 0 ? ss_megatron_read_replicas(s, error) : SS_OK;
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

/* The partitioner of torch.compile, without which TorchTitan refuses it (apply_ac of
 * torchtitan/distributed/activation_checkpoint.py), keeps what it likes best of 1, and the input of a layer of 0
 * (activation_memory_budget of torch/_functorch/config.py), 0.5 where nobody says (torchtitan/config/job_config.py). */
static ss_status read_budget(ss_sheet *s, ss_error *error)
{
  const double budget = s->value[SS_VALUE_BUDGET];
  if (s->value[SS_VALUE_BUDGET_MODE] <= 0.0) return SS_OK;
  if (s->workload->training.fused == SS_NO)
    return ss_sheet_refuse_number(s, SS_VALUE_BUDGET_MODE,
                                  "needs a model that is compiled; allowed: compile.enable, or another mode", error);
  if (budget != 0.0 && budget != 1.0)
    return ss_sheet_refuse_number(s, SS_VALUE_BUDGET_MODE,
                                  "leaves it to a compiler what is computed again; allowed: a memory_budget of 0.0, "
                                  "which is full, or of 1.0, which is none, or another mode",
                                  error);
  ss_sheet_set(s, SS_AT_training_recompute, budget == 0.0 ? SS_RECOMPUTE_FULL : SS_RECOMPUTE_NONE,
               SS_VALUE_BUDGET_MODE);
  return SS_OK;
}

/* Whether a file is one of Primus, whose modules go over a file that turns the compiler on
 * (primus/configs/modules/torchtitan/pre_trainer.yaml of AMD-AGI/Primus). */
static bool is_of_primus(const ss_sheet *s)
{
  static const char modules[] = "modules.";
  for (int64_t i = 0; i < s->settings->count; ++i)
    if (strncmp(s->settings->setting[i].key, modules, sizeof modules - 1) == 0) return true;
  return false;
}

/* Chains of the model are fused where torch.compile takes it, which it does not by itself, and then all its components
 * (torchtitan/config/job_config.py). */
static ss_status read_compiler(ss_sheet *s, ss_error *error)
{
  const bool is_said = s->value[SS_VALUE_COMPILED] != SS_NOT_GIVEN;
  const char *components = s->text[SS_KEPT_COMPILED];
  const bool has_model = components[0] == '\0' || strstr(components, "model") != NULL;
  const ss_attribute_index fused = SS_AT_training_fused;
  (void)error;
  if (is_said)
    ss_sheet_set(s, fused, s->value[SS_VALUE_COMPILED] > 0.0 && has_model ? SS_YES : SS_NO, SS_VALUE_COMPILED);
  else if (s->workload->line[fused] == SS_LINE_DEFAULT && !is_of_primus(s)) {
    ss_import_set(s->import, fused, SS_NO, 1);
    s->import->of_release[fused] = true;
  }
  return SS_OK;
}

/* What a compiler has traced ends where all is there in any case (early_stop of torchtitan/config/job_config.py). */
static ss_status read_early_stop(ss_sheet *s, ss_error *error)
{
  const bool stops = s->value[SS_VALUE_STOPS_EARLY] > 0.0 || s->workload->training.fused == SS_YES;
  (void)error;
  if (s->value[SS_VALUE_STOPS_EARLY] != SS_NOT_GIVEN)
    ss_sheet_set(s, SS_AT_training_recompute_early_stop, stops ? SS_YES : SS_NO, SS_VALUE_STOPS_EARLY);
  return SS_OK;
}

static void write_compiler(ss_sheet *s)
{
  ss_sheet_give(s, SS_VALUE_COMPILED, s->workload->training.fused == SS_YES);
}

/* Weights, gradients and moments of dtype bfloat16, and no copy of the weights in fp32
 * (torchtitan/config/job_config.py). FSDP reduces in the type of mixed_precision_reduce all the same. */
static ss_status read_types(ss_sheet *s, ss_error *error)
{
  const bool shards = s->workload->parallelism.sharding != SS_SHARDING_NONE;
  const bool casts = shards && s->workload->training.gradients != SS_GRADIENTS_16BIT;
  if (s->value[SS_VALUE_WEIGHTS_16] <= 0.0) return SS_OK;
  ss_sheet_set(s, SS_AT_training_master_weights, SS_MASTER_NONE, SS_VALUE_WEIGHTS_16);
  ss_sheet_set(s, SS_AT_training_moments, SS_MOMENTS_16BIT, SS_VALUE_WEIGHTS_16);
  ss_sheet_set(s, SS_AT_parallelism_shards, SS_SHARDS_16BIT, SS_VALUE_WEIGHTS_16);
  if (!shards) ss_sheet_set(s, SS_AT_training_gradients, SS_GRADIENTS_16BIT, SS_VALUE_WEIGHTS_16);
  if (!casts) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_LEFT_OUT,
                        "that gradients are kept in 16 bits behind their sums (training.dtype): training.gradients is "
                        "of these",
                        error);
}

static void write_types(ss_sheet *s)
{
  ss_sheet_give(s, SS_VALUE_WEIGHTS_16, s->workload->training.master_weights == SS_MASTER_NONE);
}

/* Tensor-parallel ranks that have all logits have as much memory and time for the loss as one would. */
static ss_status read_loss(ss_sheet *s, ss_error *error)
{
  if (s->value[SS_VALUE_GATHERED_LOSS] <= 0.0 || s->workload->parallelism.tp == 1) return SS_OK;
  return ss_import_note(s->import, SS_NOTE_MATTERS,
                        "that tensor-parallel ranks gather all logits (disable_loss_parallel): they share out the "
                        "loss",
                        error);
}

/* Sequences that tokens are, which programs have in place of these (TrainingConfig of torchtitan/config/configs.py). */
static ss_status count_sequences(ss_sheet *s, ss_sheet_value tokens, ss_sheet_value sequences, ss_error *error)
{
  const int64_t given = ss_sheet_given(s, tokens, 0), sequence = s->workload->model.sequence;
  if (given <= 0) return SS_OK;
  if (given % sequence != 0)
    return ss_sheet_refuse_number(s, tokens,
                                  "are no whole sequences; allowed: a multiple of training.max_context_length, or of "
                                  "model.sequence that another file or --set has",
                                  error);
  const int64_t count = given / sequence;
  s->value[sequences] = (double)count;
  s->value_line[sequences] = s->value_line[tokens];
  return SS_OK;
}

/* Micro-batches of so many tokens, and as many as the pipeline has. */
static ss_status read_tokens(ss_sheet *s, ss_error *error)
{
  ss_status status = count_sequences(s, SS_VALUE_TOKENS, SS_VALUE_PIPELINE_BATCH, error);
  if (status == SS_OK) status = count_sequences(s, SS_VALUE_GLOBAL_TOKENS, SS_VALUE_GLOBAL_BATCH, error);
  if (status != SS_OK || s->value[SS_VALUE_TOKENS] <= 0.0) return status;
  s->value[SS_VALUE_LOCAL_BATCH] =
      s->value[SS_VALUE_PIPELINE_BATCH] * (double)ss_sheet_given(s, SS_VALUE_PIPELINE_BATCHES, 1);
  s->value_line[SS_VALUE_LOCAL_BATCH] = s->value_line[SS_VALUE_TOKENS];
  return SS_OK;
}

/* With stages, the sequences of a replica are cut into micro-batches. */
static ss_status read_batch(ss_sheet *s, ss_error *error)
{
  enum { LOCAL_BATCH = 8 };
  const ss_workload *w = s->workload;
  const ss_status status = read_tokens(s, error);
  const int64_t local = ss_sheet_given(s, SS_VALUE_LOCAL_BATCH, LOCAL_BATCH);
  const bool cut = w->parallelism.pp > 1;
  const bool is_open = s->text[SS_KEPT_PROGRAM][0] != '\0' && s->value[SS_VALUE_LOCAL_BATCH] == SS_NOT_GIVEN;
  if (status != SS_OK || is_open) return status; /* a program has its own */
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
    {read_compiler, write_compiler},
    {read_budget, NULL},
    {read_early_stop, NULL},
    {read_replicas, write_replicas},
    {read_types, write_types},
    {read_loss, NULL},
    {read_batch, write_batch},
    {ss_read_host_step, NULL},
};
const int ss_titan_joint_count = sizeof ss_titan_joints / sizeof ss_titan_joints[0];
