#include "model/plan/layout.h"

#include <stdlib.h>
#include <string.h>

#include "model/block/amax.h"
#include "model/input/tower.h"
#include "model/input/workload.h"

/* Blocks of a chunk beside layers and modules: entry, patches, projector, embedding, that of next tokens, output layer,
 * exit, largest values and largest gradients. */
#define OTHER_BLOCKS_MAX 9

bool ss_layout_gathers_messages(const ss_workload *workload)
{
  return workload->schedule.pipeline_rs_ag == SS_YES && workload->parallelism.sequence_parallel == SS_NO &&
         workload->parallelism.tensor != SS_TENSOR_SUMMA && workload->parallelism.tp > 1;
}

/* Of which layers of a chunk training.recompute-layers or training.offload-layers is. Where all are alike there is one
 * kind of layer, not two. */
static ss_counted_layers counted_layers(const ss_workload *workload)
{
  const bool recomputes = workload->training.recompute != SS_RECOMPUTE_NONE;
  const bool uniform = workload->training.recompute_method == SS_RECOMPUTE_UNIFORM;
  const int64_t recomputing = recomputes ? workload->training.recompute_layers : SS_DERIVED;
  const int64_t layers = recomputing != SS_DERIVED ? recomputing : workload->training.offload_layers;
  if (layers == SS_DERIVED) return (ss_counted_layers){.first = INT64_MAX, .of = INT64_MAX};
  return uniform ? (ss_counted_layers){.first = 1, .of = layers} : (ss_counted_layers){layers, INT64_MAX};
}

/* All layers, by themselves. */
static bool counts_all(const ss_workload *workload)
{
  const ss_counted_layers counted = counted_layers(workload);
  if (workload->training.recompute_layer_ids[0] != '\0') return false;
  return counted.first == INT64_MAX || counted.of == 1;
}

/* Modules lie behind the lookups of all of them. Where a number of layers of each chunk recomputes, or is offloaded,
 * they do not: Megatron-LM leaves them out (MultiTokenPredictionLayer, recompute_method block). */
static int8_t *lay_modules(const ss_job *job, int64_t modules, int8_t *kind)
{
  const bool recomputes = counts_all(job->workload);
  if (job->has_ends && modules > 0) *kind++ = SS_BLOCK_NEXT;
  for (int64_t i = 0; i < modules; ++i) *kind++ = recomputes ? SS_BLOCK_MODULE : SS_BLOCK_MODULE_KEPT;
  return kind;
}

/* What a part has of the vision tower. Where a number of layers of each chunk recomputes, these are the decoder's. */
static int8_t *lay_tower(const ss_job *job, const ss_virtual_stage *part, int8_t *kind)
{
  static const int8_t of_kind[2][2] = {{SS_BLOCK_VISION_KEPT, SS_BLOCK_VISION},
                                       {SS_BLOCK_WINDOWS_KEPT, SS_BLOCK_WINDOWS}};
  const bool recomputes = counts_all(job->workload);
  if (part->patches) *kind++ = SS_BLOCK_PATCHES;
  for (int64_t i = 0; i < part->vision; ++i)
    *kind++ = of_kind[ss_tower_layer_has_windows(job->workload, part->vision_first + i)][recomputes];
  if (part->projector) *kind++ = SS_BLOCK_PROJECTOR;
  return kind;
}

/* Ranks agree on the largest values of a chunk behind forward through its layers, and of gradients behind backward. */
static bool agrees_on_scales(const ss_job *job)
{
  return ss_amax_ranks(job->workload) > 1 && !ss_cost_traits_of(job->options.cost).as_published;
}

/* Lays the blocks of a chunk from `kind` on, starting with layer `layer` of the model; returns the end. */
static int8_t *lay_chunk(const ss_job *job, ss_chunk chunk, int64_t layer, int8_t *kind)
{
  const int64_t part = ss_schedule_part(&job->shape, chunk).index, layers = job->part[part].layers;
  const bool first = part == 0, last = part == ss_shape_parts(&job->shape) - 1;
  const bool gathers = ss_layout_gathers_messages(job->workload), agrees = agrees_on_scales(job);
  if (gathers && !first) *kind++ = SS_BLOCK_ENTRY;
  if (job->has_ends) kind = lay_tower(job, &job->part[part], kind);
  if (job->has_ends && job->part[part].embedding) *kind++ = SS_BLOCK_EMBEDDING;
  if (agrees && layers > 0) *kind++ = SS_BLOCK_AMAX_GRADIENTS;
  ss_layer_plan_lay(&job->layers, job->workload, layer, layers, counted_layers(job->workload), kind);
  kind = lay_modules(job, job->part[part].modules, kind + layers);
  if (agrees && layers > 0) *kind++ = SS_BLOCK_AMAX_VALUES;
  if (job->has_ends && last) *kind++ = SS_BLOCK_HEAD;
  if (gathers && !last) *kind++ = SS_BLOCK_EXIT;
  return kind;
}

bool ss_layout_has_same_blocks(const ss_job *job, int64_t slot, int64_t other)
{
  const int64_t *a = &job->block_first[slot], *b = &job->block_first[other], blocks = a[1] - a[0];
  return b[1] - b[0] == blocks && memcmp(&job->block_kind[a[0]], &job->block_kind[b[0]], (size_t)blocks) == 0;
}

/* All chunks of a stage are the same, and those of the stage before as well. */
static bool is_repeated(const ss_job *job, int64_t stage)
{
  const int64_t first = stage * job->chunks;
  for (int64_t slot = first; slot < first + job->chunks; ++slot)
    if (!ss_layout_has_same_blocks(job, first, slot) || !ss_layout_has_same_blocks(job, first, slot - job->chunks))
      return false;
  return true;
}

/* Whether each stage has the blocks of the one before, how many of each kind, and which kinds there are at all. */
static void count_stages(ss_job *job)
{
  const int64_t *first = job->block_first;
  job->kinds = 0;
  for (int64_t stage = 0; stage < job->stages; ++stage, first += job->chunks) {
    ss_block_counts *counts = &job->counts[stage];
    job->repeats[stage] = stage > 0 && is_repeated(job, stage);
    *counts = job->repeats[stage] ? counts[-1] : (ss_block_counts){.kinds = 0};
    for (int64_t i = first[0]; i < first[job->chunks] && !job->repeats[stage]; ++i) {
      counts->kinds |= SS_BLOCK_BIT(job->block_kind[i]);
      ++counts->of[job->block_kind[i]];
    }
    job->kinds |= counts->kinds;
  }
}

static ss_layout_key key_of(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  return (ss_layout_key){.parts = job->shape.schedule->layout,
                         .stages = job->stages,
                         .chunks = job->chunks,
                         .first_stage_layers = workload->parallelism.first_stage_layers,
                         .last_stage_layers = workload->parallelism.last_stage_layers,
                         .vision_stages = workload->parallelism.vision_stages,
                         .counted = counted_layers(workload).first,
                         .counted_of = counted_layers(workload).of,
                         .counts_embedding = workload->parallelism.account_for_embedding == SS_YES,
                         .counts_output = workload->parallelism.account_for_loss == SS_YES,
                         .has_ends = job->has_ends,
                         .frozen = job->frozen != 0,
                         .adapts = ss_workload_adapts(workload),
                         .gathers_messages = ss_layout_gathers_messages(workload),
                         .agrees_on_scales = agrees_on_scales(job)};
}

static bool is_same(const ss_layout_key *a, const ss_layout_key *b)
{
#define SS_LAYOUT_KEY_SAME(type, field) &&a->field == b->field
  return true SS_LAYOUT_KEY_LIST(SS_LAYOUT_KEY_SAME);
#undef SS_LAYOUT_KEY_SAME
}

/* As many layers, of the same kinds in the same order, start with `layer` as with `other`. */
static bool are_alike(const ss_job *job, int64_t layer, int64_t other, int64_t layers)
{
  const int8_t *kind_of = job->layers.kind_of;
  return kind_of == NULL || memcmp(&kind_of[layer], &kind_of[other], (size_t)layers) == 0;
}

/* With one chunk, the first and the last stage may differ from the others. Modules ahead of the last part make messages
 * differ, too; a vision tower makes the first part a long one. */
static bool is_uneven(const ss_job *job)
{
  const int64_t parts = ss_shape_parts(&job->shape), ends = job->chunks == 1 ? 1 : 0;
  if (parts > 1 && (job->part[parts - 2].cargo == SS_CARGO_MODULES || ss_has_tower(job->workload))) return true;
  if (parts <= ends + 1) return false;
  const int64_t layers = job->part[ends].layers, first = ends == 1 ? job->part[0].layers : 0;
  for (int64_t i = ends + 1, layer = first + layers; i < parts - ends; ++i, layer += layers)
    if (job->part[i].layers != layers || job->part[i].modules > 0 || !are_alike(job, layer, first, layers)) return true;
  return false;
}

/* Where the chunks of each copy of the model start. */
static void number_layers(ss_job *job)
{
  for (int64_t copy = 0; copy < job->shape.schedule->layout->copies; ++copy) {
    int64_t layer = 0;
    for (int64_t part = 0; part < ss_shape_parts(&job->shape); ++part) {
      job->layer_first[ss_job_slot(job, ss_schedule_chunk(&job->shape, (ss_model_part){copy, part}))] = layer;
      layer += job->part[part].layers;
    }
  }
}

/* Of adapters, those of layers. */
static bool trains(const ss_job *job, int64_t part)
{
  if (job->layout.adapts) return job->part[part].layers > 0;
  return job->part[part].projector || job->part[part].embedding;
}

/* Nothing up to the end of a part is trained: no gradient comes back to it. */
static bool is_still(const ss_job *job, int64_t part)
{
  bool still = job->frozen != 0 && job->has_ends;
  for (int64_t i = 0; i <= part && still; ++i) still = !trains(job, i);
  return still;
}

/* Whom a chunk sends to, and who sends to it. */
static void find_messages(ss_job *job, ss_chunk chunk)
{
  const int64_t slot = ss_job_slot(job, chunk), part = ss_schedule_part(&job->shape, chunk).index;
  const ss_chunk none = {.stage = SS_NO_STAGE};
  ss_chunk *receiver = job->receiver[slot], *sender = job->sender[slot];
  for (int pass = SS_PASS_FORWARD; pass <= SS_PASS_BACKWARD; ++pass) {
    if (!ss_schedule_receiver(&job->shape, chunk, (ss_pass)pass, &receiver[pass])) receiver[pass] = none;
    if (!ss_schedule_sender(&job->shape, chunk, (ss_pass)pass, &sender[pass])) sender[pass] = none;
  }
  if (is_still(job, part - 1)) receiver[SS_PASS_BACKWARD] = none;
  if (is_still(job, part)) sender[SS_PASS_BACKWARD] = none;
}

void ss_layout_fill(ss_job *job)
{
  const ss_layout_key key = key_of(job);
  const char *text = job->workload->parallelism.layout;
  if (is_same(&key, &job->layout) && strcmp(text, job->layout_text) == 0) return;
  job->layout = key;
  memcpy(job->layout_text, text, sizeof job->layout_text);
  ss_split_fill(job->workload, &job->shape, job->part);
  job->tables = ss_tables_of(job->workload, &job->shape);
  job->uneven = is_uneven(job);
  number_layers(job);
  int8_t *kind = job->block_kind;
  const int64_t slots = job->stages * job->chunks;
  for (int64_t slot = 0; slot < slots; ++slot) {
    const ss_chunk chunk = {.stage = slot / job->chunks, .index = slot % job->chunks};
    find_messages(job, chunk);
    job->block_first[slot] = kind - job->block_kind;
    kind = lay_chunk(job, chunk, job->layer_first[slot], kind);
  }
  job->block_first[slots] = kind - job->block_kind;
  count_stages(job);
}

ss_status ss_layout_init(ss_job *job, int64_t chunks_max, int64_t copies_max)
{
  const ss_workload *w = job->workload;
  const int64_t layers_of_copy = w->model.layers + w->model.mtp_modules + w->model.vision_layers;
  const size_t chunks = (size_t)chunks_max, layers = (size_t)(copies_max * layers_of_copy);
  job->block_kind = malloc(layers + OTHER_BLOCKS_MAX * chunks);
  job->block_first = malloc((chunks + 1) * sizeof *job->block_first);
  job->layer_first = malloc(chunks * sizeof *job->layer_first);
  job->receiver = malloc(chunks * sizeof *job->receiver);
  job->sender = malloc(chunks * sizeof *job->sender);
  job->repeats = malloc(chunks * sizeof *job->repeats);
  job->counts = malloc(chunks * sizeof *job->counts);
  job->part = malloc(chunks * sizeof *job->part);
  if (job->block_kind == NULL || job->block_first == NULL || job->layer_first == NULL || job->receiver == NULL ||
      job->sender == NULL || job->repeats == NULL || job->counts == NULL || job->part == NULL)
    return SS_ERROR_MEMORY;
  ss_layout_fill(job);
  return SS_OK;
}

void ss_layout_free(ss_job *job)
{
  free(job->block_kind);
  free(job->block_first);
  free(job->layer_first);
  free(job->receiver);
  free(job->sender);
  free(job->repeats);
  free(job->counts);
  free(job->part);
  job->part = NULL;
  job->repeats = NULL;
  job->counts = NULL;
  job->block_kind = NULL;
  job->block_first = job->layer_first = NULL;
  job->receiver = job->sender = NULL;
}

ss_block_counts ss_layout_count(const ss_job *job)
{
  const int64_t copies = job->shape.schedule->layout->copies;
  ss_block_counts all = {.kinds = job->kinds};
  for (ss_block_set left = all.kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int64_t stage = 0; stage < job->stages; ++stage) all.of[kind] += job->counts[stage].of[kind];
    all.of[kind] /= copies;
  }
  return all;
}
