#include "model/plan/job_setup.h"

#include <stdlib.h>
#include <string.h>

#include "model/block/layer/build.h"
#include "model/block/recipe.h"
#include "model/input/tower.h"
#include "model/input/workload.h"
#include "model/plan/block_cache.h"
#include "model/plan/check/workload_check.h"
#include "model/plan/groups.h"
#include "model/plan/host_step.h"
#include "model/plan/kept_places.h"
#include "model/plan/layout.h"
#include "model/plan/optimizer.h"
#include "model/plan/stage_ops.h"
#include "model/plan/task_time.h"

#define ACTIVATION_BYTES 2.0

/* The ends of the model. */
static const ss_block_set ENDS =
    SS_BLOCKS_OF_TOWER | SS_BLOCK_BIT(SS_BLOCK_EMBEDDING) | SS_BLOCK_BIT(SS_BLOCK_NEXT) | SS_BLOCK_BIT(SS_BLOCK_HEAD);

/* How much longer a pass through every layer has to take to make up for the ends of the model. */
static double ends_ratio(const ss_job *job, const ss_block_counts *counts, ss_pass pass)
{
  double ends_s = 0.0, layers_s = 0.0;
  for (ss_block_set left = counts->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    const double passes_s = (double)counts->of[kind] * ss_duration_sum(job->pass[kind][pass]);
    if ((ENDS & SS_BLOCK_BIT(kind)) != 0) ends_s += passes_s;
    if (ss_block_traits_of(kind)->layer) layers_s += passes_s;
  }
  return layers_s > 0.0 ? 1.0 + ends_s / layers_s : 1.0;
}

/* Adds what an average layer gets of the ends of the model. */
static void spread_ends(const ss_job *job, const ss_block_counts *counts, ss_block *layer)
{
  const double layers = (double)(job->workload->model.layers + job->workload->model.mtp_modules);
  for (ss_block_set left = job->kinds & ENDS; left != 0;) {
    const ss_block *end = &job->block[ss_block_take(&left)];
    const double ends = (double)counts->of[end->kind];
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      layer->parameters[weights] += ends * end->parameters[weights] / layers;
      layer->trained[weights] += ends * end->trained[weights] / layers;
    }
    layer->stored_bytes += ends * end->stored_bytes / layers;
  }
}

/* Spreads the ends of the model over the layers, so that every stage of as many takes the same time and holds the same.
 */
static void equalise_stages(ss_job *job)
{
  const ss_block_counts counts = ss_layout_count(job);
  for (int pass = 0; pass < SS_PASSES; ++pass) job->scale[pass] = ends_ratio(job, &counts, (ss_pass)pass);
  for (ss_block_set left = counts.kinds; left != 0;) {
    ss_block *block = &job->block[ss_block_take(&left)];
    if (ss_block_traits_of(block->kind)->layer) spread_ends(job, &counts, block);
  }
  job->has_ends = false;
  ss_layout_fill(job);
  ss_job_time_blocks(job);
}

static void list_tasks(ss_job *job)
{
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    ss_block *block = &job->block[kind];
    ss_block_clear(block, kind, job->list[kind]);
    block->frozen = (job->frozen & SS_BLOCK_BIT(kind)) != 0;
    block->shares_table = (job->tables.borrow & SS_BLOCK_BIT(kind)) != 0;
    ss_block_build(ss_layer_plan_workload(&job->layers, job->workload, kind), job->options.cost, job->machine, block);
  }
}

/* Where blocks are cached, tasks are listed only for what has not been there before. A job that has only been `moved`
 * has its blocks, and if they are not cached, their tasks. */
static void fill_blocks(ss_job *job, bool moved)
{
  ss_block_cache *cache = job->shape.pairs ? NULL : job->options.blocks;
  if (cache != NULL && ss_block_cache_recall(cache, job, moved)) return;
  const bool listed = cache != NULL ? ss_block_cache_recall_tasks(cache, job) : moved;
  if (!listed) list_tasks(job);
  if (!listed && cache == NULL && job->options.blocks != NULL) ss_block_cache_forget_tasks(job->options.blocks);
  ss_job_time_blocks(job);
  if (cache != NULL) ss_block_cache_keep(cache, job);
  if (job->shape.pairs) ss_job_cut_blocks(job);
}

/* What the host takes for the launches that the queue holds, at the mean of all. */
static double queue_s(const ss_job *job)
{
  const ss_block_counts counts = ss_layout_count(job);
  ss_launches sum = ss_launches_none();
  for (ss_block_set left = counts.kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      sum.host_s += (double)counts.of[kind] * job->launches[kind][pass].host_s;
      sum.count += (double)counts.of[kind] * job->launches[kind][pass].count;
    }
  }
  return sum.count > 0.0 ? SS_LAUNCH_QUEUE * sum.host_s / sum.count : 0.0;
}

static void build_blocks(ss_job *job, bool moved)
{
  fill_blocks(job, moved);
  if (job->host.active && !job->host.waits) job->host.ahead_s = queue_s(job);
}

/* A message is split over the tensor ranks where its activations are, or where only shares of it travel; with summa its
 * columns are those of the norm before it. */
static double states_bytes(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  const bool shares = workload->parallelism.sequence_parallel == SS_YES || ss_layout_gathers_messages(workload);
  const bool split = shares && workload->parallelism.tensor != SS_TENSOR_SUMMA;
  const double tokens = (double)(workload->training.micro_batch * workload->model.sequence) / (double)job->context;
  const double columns = (double)workload->model.residual_streams *
                         ss_norm_columns(workload, job->options.cost, (double)workload->model.hidden);
  return ACTIVATION_BYTES * tokens * columns / (split ? (double)job->tensor : 1.0);
}

/* Of images, so many states over the ranks that share them out. */
static double images_bytes(const ss_job *job, double rows, int64_t columns, int64_t ranks)
{
  const bool split = job->workload->parallelism.sequence_parallel == SS_YES;
  return ACTIVATION_BYTES * rows * (double)columns / (split ? (double)ranks : 1.0);
}

/* Of images, the states of all patches, or one of the decoder's width for each token that they become. */
static void fill_images(ss_job *job)
{
  const ss_workload *w = job->workload;
  const double tokens = (double)w->training.micro_batch * ss_tower_tokens(w);
  job->message_bytes[SS_CARGO_PATCHES] =
      images_bytes(job, ss_tower_own_patches(w), w->model.vision_hidden, ss_tower_tp(w));
  job->message_bytes[SS_CARGO_IMAGES] =
      images_bytes(job, tokens, w->model.hidden, ss_tower_is_spread(w) ? job->tensor : 1);
}

static void fill_messages(ss_job *job)
{
  const ss_workload *workload = job->workload;
  const double states = states_bytes(job);
  job->message_bytes[SS_CARGO_STATES] = states;
  job->message_bytes[SS_CARGO_MODULES] = (1.0 + (double)workload->model.mtp_modules) * states;
  job->message_bytes[SS_CARGO_PATCHES] = job->message_bytes[SS_CARGO_IMAGES] = 0.0;
  if (ss_has_tower(workload)) fill_images(job);
}

/* Each of the stages has reduced the gradient over its replicas, and adds what it has of it to that of the others: all
 * of the table (finalize_model_grads of Megatron-LM), or its shard of it. */
static double tied_bytes(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  if (!job->has_ends || job->tables.count == 1) return 0.0;
  const bool sharded = workload->parallelism.sharding >= SS_SHARDING_GRADIENTS;
  return job->reduce_bytes[SS_BLOCK_EMBEDDING][SS_WEIGHTS_DENSE] /
         (sharded ? (double)ss_job_shards(job, SS_WEIGHTS_DENSE) : 1.0);
}

/* Bytes per parameter of a class, as ranks gather it. */
static double gathered_bytes(const ss_job *job, ss_block_kind kind, ss_weights weights)
{
  const ss_workload *workload = ss_layer_plan_workload(&job->layers, job->workload, kind);
  const bool as_operands = workload->training.weights_type == SS_AS_OPERANDS && ss_block_traits_of(kind)->layer;
  return as_operands ? ss_recipe_of(ss_weights_precision(workload, kind, weights))->gathered_bytes : SS_WEIGHT_BYTES;
}

/* Beside the passes that complete them, this rank's shard of gradients that the host steps with goes there. */
static void offload_gradients(ss_job *job)
{
  if (!ss_host_takes_gradients(job->workload)) return;
  job->offload.active = job->offload.gradients = true;
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    double parameters = 0.0;
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      parameters += job->reduce_bytes[kind][weights] / ss_job_gradient_bytes(job) /
                    (double)ss_job_shards(job, (ss_weights)weights);
    job->offload.write_bytes[kind][job->data.reducing_pass] =
        SS_HOST_GRADIENT_BYTES * ss_host_stepped_share(job->workload) * parameters;
  }
}

static void build(ss_job *job)
{
  build_blocks(job, false);
  if (job->options.what_if.equal_stages && job->has_ends && job->stages > 1) equalise_stages(job);
  if (job->options.what_if.equal_stages && job->shape.pairs) ss_job_cut_blocks(job);
  for (ss_block_set left = job->kinds; left != 0;) {
    const ss_block_kind kind = ss_block_take(&left);
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      job->gather_bytes[kind][weights] =
          gathered_bytes(job, kind, (ss_weights)weights) * job->block[kind].parameters[weights];
      job->reduce_bytes[kind][weights] = ss_job_gradient_bytes(job) * job->block[kind].trained[weights];
    }
  }
  fill_messages(job);
  job->tied_bytes = tied_bytes(job);
  job->data = ss_data_plan_of(job->workload, ss_job_holders(job, SS_WEIGHTS_DENSE), job->tables.lend);
  ss_offload_plan_fill(&job->offload, job->workload, job->machine, job->block, job->kinds, SS_WEIGHT_BYTES);
  offload_gradients(job);
}

static ss_status allocate_tasks(ss_job *job)
{
  job->list = calloc(SS_BLOCK_COUNT, sizeof *job->list); /* pages of kinds that do not occur are not touched */
  if (job->list == NULL) return SS_ERROR_MEMORY;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    job->block[kind] = (ss_block){.kind = (ss_block_kind)kind, .list = job->list[kind]};
  return SS_OK;
}

static ss_status place(ss_job *job, ss_error *error)
{
  const ss_room room = {job->machine, job->options.free_gpus};
  const bool even = job->options.estimate_only && job->options.ranks == NULL;
  const ss_status status =
      even ? ss_placement_init_even(&job->placement, job->workload, room, job->options.inside, error)
           : ss_placement_init(&job->placement, job->workload, room, job->options.ranks, error);
  if (ss_job_has_own_links(job)) job->placement.nic_gpus = 1;
  return status;
}

static ss_status out_of_memory(const ss_job *job, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld stages", (long long)job->stages);
}

/* Links and algorithms of collectives. */
static void connect(ss_job *job)
{
  job->network = ss_network_of(job->machine, job->workload, job->options.cost);
  if (job->options.what_if.no_latency) ss_network_drop_latency(&job->network);
}

static ss_block_set frozen_kinds(const ss_workload *workload)
{
  if (ss_workload_adapts(workload)) return SS_BLOCKS_OF_TABLE;
  return ss_has_frozen_tower(workload) ? SS_BLOCKS_TO_FREEZE : 0;
}

/* What follows from the workload's sizes. */
static void describe(ss_job *job)
{
  const ss_workload *workload = job->workload;
  job->shape = ss_pipeline_shape_of(workload);
  job->micro_batches = job->shape.micro_batches;
  job->copy_batches = ss_shape_copy_batches(&job->shape);
  job->stages = job->shape.stages;
  job->chunks = job->shape.chunks;
  job->replicas = workload->parallelism.dp;
  job->tensor = workload->parallelism.tp;
  job->context = workload->parallelism.cp * workload->parallelism.tp2;
  job->prefetch = workload->schedule.prefetch;
  job->host = ss_host_plan_of(workload, job->machine);
  job->host.active = job->host.active && !ss_cost_traits_of(job->options.cost).as_published;
  job->overlaps_data = workload->schedule.overlap_dp == SS_YES;
  job->overlaps_first = job->overlaps_data && workload->schedule.overlap_gather == SS_YES;
  job->overlaps_messages = workload->schedule.overlap_pp == SS_YES;
  job->has_ends = ss_cost_traits_of(job->options.cost).ends_of_model && workload->model.vocabulary > 0;
  job->frozen = frozen_kinds(workload);
}

/* Room for what an update, or a move, finds again. */
static ss_status allocate_kept(ss_job *job, int64_t stages)
{
  ss_status status = ss_kept_ops_init(job, stages);
  if (status == SS_OK) status = ss_kept_steps_init(job, stages);
  job->kept_places = ss_kept_places_create();
  return job->kept_places != NULL ? status : SS_ERROR_MEMORY;
}

/* Room for this job, or where it may be updated, for any of the model. */
static ss_status allocate(ss_job *job)
{
  const bool updates = job->options.estimate_only;
  const int64_t copies = updates ? ss_schedule_copies_max() : job->shape.schedule->layout->copies;
  const int64_t most = updates ? copies * ss_split_parts_max(job->workload) : 0;
  int64_t chunks = job->stages * job->chunks;
  if (most > chunks) chunks = most;
  job->scratch = ss_scratch_create();
  ss_status status = job->scratch != NULL ? ss_layer_plan_init(&job->layers, job->workload) : SS_ERROR_MEMORY;
  if (status == SS_OK) status = ss_layout_init(job, chunks, copies);
  if (status == SS_OK) status = ss_groups_init(job, chunks);
  if (status == SS_OK && updates) status = allocate_kept(job, chunks);
  return status == SS_OK ? allocate_tasks(job) : status;
}

void ss_job_stretch_kernels(ss_job *job, double factor)
{
  job->stretch *= factor;
  ss_job_time_blocks(job);
  if (job->shape.pairs) ss_job_cut_blocks(job);
}

void ss_job_leave_nics(ss_job *job)
{
  for (int group = 0; group < SS_GROUPS; ++group) job->span[group] = ss_span_alone(job->span[group]);
  ss_job_stretch_kernels(job, 1.0);
}

ss_status ss_job_init(ss_job *job, const ss_workload *workload, const ss_machine *machine, ss_job_options options,
                      ss_error *error)
{
  *job = (ss_job){.workload = workload, .machine = machine, .options = options};
  for (int pass = 0; pass < SS_PASSES; ++pass) job->scale[pass] = 1.0;
  job->stretch = 1.0;
  connect(job);
  describe(job);
  ss_status status = ss_workload_check_machine(workload, machine, error);
  if (status == SS_OK) status = place(job, error);
  if (status != SS_OK) return status;
  if (allocate(job) != SS_OK) {
    ss_job_free(job);
    return out_of_memory(job, error);
  }
  build(job);
  return SS_OK;
}

static ss_status find_groups(ss_job *job, ss_error *error)
{
  return ss_groups_find(job) == SS_OK ? SS_OK : out_of_memory(job, error);
}

/* All that times of blocks have of a placement is how the groups of their collectives lie over domains. */
static bool spans_are_like(const ss_span *a, const ss_span *b)
{
  bool alike = true;
  for (int group = 0; group < SS_GROUPS; ++group) alike = alike && ss_span_is_like(a[group], b[group]);
  return alike;
}

/* Splits segments, where that is not known, and finds groups. `*alike`: those of layers lie as they did. */
static ss_status split(ss_job *job, const ss_coordinates *inside, bool *alike, ss_error *error)
{
  ss_span before[SS_GROUPS];
  const ss_room room = {job->machine, job->options.free_gpus};
  job->options.inside = inside;
  if (ss_kept_places_recall(job, inside, alike)) return SS_OK;
  memcpy(before, job->span, sizeof before);
  ss_status status = ss_placement_split(&job->placement, job->workload, room, inside, error);
  if (status == SS_OK) status = find_groups(job, error);
  *alike = spans_are_like(before, job->span);
  if (status == SS_OK && ss_kept_places_keep(job, *alike) != SS_OK) status = out_of_memory(job, error);
  return status;
}

static ss_status place_as(ss_job *job, const ss_coordinates *inside, ss_error *error)
{
  ss_placement_describe(&job->placement, job->workload, job->machine);
  if (ss_job_has_own_links(job)) job->placement.nic_gpus = 1;
  ss_kept_places_begin(job);
  bool alike;
  return split(job, inside, &alike, error);
}

static ss_status place_anew(ss_job *job, ss_error *error)
{
  const ss_status status = place(job, error);
  return status == SS_OK ? find_groups(job, error) : status;
}

ss_status ss_job_update(ss_job *job, const ss_coordinates *inside, ss_error *error)
{
  SS_ASSERT(job->options.estimate_only && !job->options.what_if.equal_stages);
  ++job->revision;
  connect(job);
  describe(job);
  ss_layer_plan_update(&job->layers, job->workload);
  job->options.inside = inside;
  ss_placement_free(&job->placement);
  const ss_status status = inside != NULL ? place_as(job, inside, error) : place_anew(job, error);
  if (status != SS_OK) return status;
  ss_layout_fill(job);
  build(job);
  return SS_OK;
}

ss_status ss_job_move(ss_job *job, const ss_coordinates *inside, ss_error *error)
{
  SS_ASSERT(job->options.estimate_only && !job->options.what_if.equal_stages);
  bool alike;
  const ss_status status = split(job, inside, &alike, error);
  if (status == SS_OK && !alike) build_blocks(job, true);
  return status;
}

void ss_job_free(ss_job *job)
{
  ss_placement_free(&job->placement);
  ss_layer_plan_free(&job->layers);
  ss_layout_free(job);
  ss_groups_free(job);
  ss_kept_ops_free(job);
  ss_kept_steps_free(job);
  ss_kept_places_destroy(job->kept_places);
  job->kept_places = NULL;
  ss_scratch_destroy(job->scratch);
  free(job->list);
  job->scratch = NULL;
  job->list = NULL;
}
