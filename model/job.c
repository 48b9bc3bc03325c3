#include "model/job.h"

#include <stdlib.h>

#include "model/layout.h"
#include "model/refusals.h"

#define ACTIVATION_BYTES 2.0

double ss_job_gradient_bytes(const ss_job *job)
{
  const bool fp32 =
      ss_cost_traits_of(job->options.cost).fp32_gradients && job->workload->training.precision != SS_PRECISION_FP16;
  return fp32 ? 4.0 : 2.0;
}

int64_t ss_job_holders(const ss_job *job, ss_weights weights)
{
  const int64_t dense = job->replicas * (job->placement.cp_splits_weights ? 1 : job->context);
  return weights == SS_WEIGHTS_DENSE ? dense : dense / job->placement.ep;
}

static void compute_durations(ss_job *job)
{
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int pass = 0; pass < SS_PASSES; ++pass) {
      const ss_task_list *list = ss_job_tasks(job, (ss_block_kind)kind, (ss_pass)pass);
      ss_duration sum = {0};
      for (int64_t i = 0; i < list->count; ++i)
        sum = ss_duration_add(sum, ss_job_task_duration(job, (ss_block_kind)kind, (ss_pass)pass, &list->task[i]));
      job->pass[kind][pass] = sum;
    }
}

/* How much longer a pass through every layer has to take to make up for embedding and output layer. */
static double ends_ratio(const ss_job *job, const int64_t count[SS_BLOCK_COUNT], ss_pass pass)
{
  const double ends_s =
      ss_duration_sum(job->pass[SS_BLOCK_EMBEDDING][pass]) + ss_duration_sum(job->pass[SS_BLOCK_HEAD][pass]);
  double layers_s = 0.0;
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    if (ss_block_traits_of((ss_block_kind)kind)->layer)
      layers_s += (double)count[kind] * ss_duration_sum(job->pass[kind][pass]);
  return layers_s > 0.0 ? 1.0 + ends_s / layers_s : 1.0;
}

/* Adds what an average layer gets of embedding and output layer. */
static void spread_ends(const ss_job *job, ss_block *layer)
{
  const ss_block *ends[] = {&job->block[SS_BLOCK_EMBEDDING], &job->block[SS_BLOCK_HEAD]};
  const double layers = (double)job->workload->model.layers;
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
    for (int weights = 0; weights < SS_WEIGHTS; ++weights)
      layer->parameters[weights] += ends[i]->parameters[weights] / layers;
    layer->stored_bytes += ends[i]->stored_bytes / layers;
  }
}

/* Spreads embedding and output layer over the layers, so that every stage takes the same time and holds the same. */
static void equalise_stages(ss_job *job, const int64_t count[SS_BLOCK_COUNT])
{
  for (int pass = 0; pass < SS_PASSES; ++pass) job->scale[pass] = ends_ratio(job, count, (ss_pass)pass);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    if (ss_block_traits_of((ss_block_kind)kind)->layer) spread_ends(job, &job->block[kind]);
  job->has_ends = false;
  ss_layout_fill(job);
  compute_durations(job);
}

static void build_blocks(ss_job *job)
{
  int64_t count[SS_BLOCK_COUNT];
  ss_layout_count(job, count);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind) {
    ss_block_clear(&job->block[kind], (ss_block_kind)kind);
    if (count[kind] > 0)
      ss_block_build(job->workload, job->options.cost, job->machine, (ss_block_kind)kind, &job->block[kind]);
  }
  compute_durations(job);
  if (job->options.what_if.equal_stages && job->has_ends && job->stages > 1) equalise_stages(job, count);
}

/* A message is split over the tensor ranks where its activations are, or where only shares of it travel. */
static double message_bytes(const ss_job *job)
{
  const ss_workload *workload = job->workload;
  const bool split = workload->parallelism.sequence_parallel == SS_YES ||
                     workload->parallelism.tensor == SS_TENSOR_SUMMA || ss_layout_gathers_messages(workload);
  const double tokens = (double)(workload->training.micro_batch * workload->model.sequence) / (double)job->context;
  return ACTIVATION_BYTES * tokens * (double)workload->model.hidden / (split ? (double)job->tensor : 1.0);
}

static ss_data_plan data_plan(const ss_job *job)
{
  const ss_sharding sharding = job->workload->parallelism.sharding;
  /* experts are held by no more ranks than the rest */
  const bool active = ss_job_holders(job, SS_WEIGHTS_DENSE) > 1, fsdp = sharding == SS_SHARDING_PARAMETERS;
  const ss_pipeline pipeline = job->workload->schedule.pipeline;
  return (ss_data_plan){
      .active = active,
      .gathers_at_start = active && (sharding == SS_SHARDING_OPTIMIZER || sharding == SS_SHARDING_GRADIENTS),
      .gathers_each_pass = active && fsdp,
      .reduces_each_pass = active && (fsdp || sharding == SS_SHARDING_GRADIENTS),
      .bucket_bytes = job->workload->schedule.bucket,
      .reducing_pass = ss_schedule_traits_of(pipeline).splits_backward ? SS_PASS_WEIGHT : SS_PASS_BACKWARD,
      .reduction = sharding == SS_SHARDING_NONE ? SS_ALL_REDUCE : SS_REDUCE_SCATTER,
  };
}

/* The passes that use the weights of a block and the activations of a layer need them in HBM. What embedding and output
 * layer keep stays there: backward takes the logits as soon as they are there. */
static ss_offload_plan offload_plan(const ss_job *job)
{
  const bool weights = job->workload->training.offload_weights == SS_YES;
  const bool activations = job->workload->training.offload_activations == SS_YES;
  ss_offload_plan plan = {.active = weights || activations, .bytes_per_s = job->machine->offload_bytes_per_s};
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind) {
    double weight_bytes = 0.0;
    for (int i = 0; i < SS_WEIGHTS; ++i) weight_bytes += weights ? job->gather_bytes[kind][i] : 0.0;
    const bool moves = activations && ss_block_traits_of((ss_block_kind)kind)->layer;
    const double stored_bytes = moves ? job->block[kind].stored_bytes : 0.0;
    plan.read_bytes[kind][SS_PASS_FORWARD] = weight_bytes;
    plan.read_bytes[kind][SS_PASS_BACKWARD] = weight_bytes + stored_bytes;
    plan.write_bytes[kind][SS_PASS_FORWARD] = stored_bytes;
  }
  return plan;
}

static void build(ss_job *job)
{
  build_blocks(job);
  for (int kind = 0; kind < SS_BLOCK_COUNT; ++kind)
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
      job->gather_bytes[kind][weights] = SS_WEIGHT_BYTES * job->block[kind].parameters[weights];
      job->reduce_bytes[kind][weights] = ss_job_gradient_bytes(job) * job->block[kind].parameters[weights];
    }
  job->message_bytes = message_bytes(job);
  job->data = data_plan(job);
  job->offload = offload_plan(job);
}

/* Keeps the slower of two groups, by a collective of a gigabyte. */
static void keep_slower(const ss_job *job, ss_span *slowest, ss_collective kind, int32_t *gpu, int64_t size)
{
  const double volume_bytes = 1e9;
  const ss_span span = ss_span_of(gpu, size, job->placement.domain_size);
  const double slowest_s = ss_comm_time_sum(ss_collective_time(&job->network, kind, *slowest, volume_bytes));
  const double span_s = ss_comm_time_sum(ss_collective_time(&job->network, kind, span, volume_bytes));
  if (span_s > slowest_s) *slowest = span;
}

static void expert_group(const ss_placement *placement, ss_coordinates at, int32_t *gpu)
{
  const int64_t group = ss_placement_expert_group(placement, at.dp);
  for (int64_t place = 0; place < placement->ep; ++place) {
    at.dp = ss_placement_expert_replica(placement, group, place);
    gpu[place] = (int32_t)ss_placement_gpu(placement, at);
  }
}

/* The groups that start with one rank. */
static void find_group_spans(ss_job *job, ss_coordinates at, int32_t *gpu)
{
  const ss_placement *placement = &job->placement;
  if (at.tp == 0 && placement->tp > 1) {
    ss_placement_tensor_group(placement, at, gpu);
    keep_slower(job, &job->span[SS_GROUP_TENSOR], SS_ALL_GATHER, gpu, placement->tp);
  }
  if (at.cp == 0 && placement->cp > 1) {
    ss_placement_context_group(placement, at, gpu);
    keep_slower(job, &job->span[SS_GROUP_CONTEXT], SS_ALL_GATHER, gpu, placement->cp);
    job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
  }
  if (placement->ep > 1 && ss_placement_expert_place(placement, at.dp) == 0) {
    expert_group(placement, at, gpu);
    keep_slower(job, &job->span[SS_GROUP_EXPERT], SS_ALL_TO_ALL, gpu, placement->ep);
  }
}

static void find_data_spans(ss_job *job, int64_t stage, int32_t *gpu)
{
  const ss_placement *placement = &job->placement;
  const bool experts = job->workload->model.experts > 0;
  for (int64_t shard = 0; shard < ss_placement_shards(placement); ++shard) {
    const int64_t dense = ss_placement_data_group(placement, stage, shard, gpu);
    keep_slower(job, &job->data_span[SS_WEIGHTS_DENSE][stage], SS_ALL_GATHER, gpu, dense);
    for (int64_t place = 0; experts && place < placement->ep; ++place) {
      const int64_t holders = ss_placement_expert_data_group(placement, stage, shard, place, gpu);
      keep_slower(job, &job->data_span[SS_WEIGHTS_EXPERT][stage], SS_ALL_GATHER, gpu, holders);
    }
  }
}

static const ss_span alone = {.size = 1, .domains = 1, .per_domain = 1};

/* Where all groups of a kind lie alike. Without expert-parallel groups, all replicas hold the same experts. */
static void find_even_spans(ss_job *job)
{
  const ss_axes holders = {.cp = !job->placement.cp_splits_weights, .dp = true};
  job->span[SS_GROUP_TENSOR] = ss_placement_even_span(&job->placement, (ss_axes){.tp = true});
  job->span[SS_GROUP_CONTEXT] = ss_placement_even_span(&job->placement, (ss_axes){.cp = true});
  job->span[SS_GROUP_TENSOR_2] = job->span[SS_GROUP_CONTEXT];
  job->span[SS_GROUP_EXPERT] = alone;
  const ss_span dense = ss_placement_even_span(&job->placement, holders);
  for (int64_t stage = 0; stage < job->stages; ++stage) {
    job->data_span[SS_WEIGHTS_DENSE][stage] = dense;
    job->data_span[SS_WEIGHTS_EXPERT][stage] = job->workload->model.experts > 0 ? dense : alone;
  }
}

/* `gpu` has room for the ranks of a stage. */
static void find_uneven_spans(ss_job *job, int32_t *gpu)
{
  for (int group = 0; group < SS_GROUPS; ++group) job->span[group] = alone;
  ss_coordinates at;
  for (at.pp = 0; at.pp < job->stages; ++at.pp) {
    for (at.dp = 0; at.dp < job->replicas; ++at.dp)
      for (at.cp = 0; at.cp < job->context; ++at.cp)
        for (at.tp = 0; at.tp < job->tensor; ++at.tp) find_group_spans(job, at, gpu);
    for (int weights = 0; weights < SS_WEIGHTS; ++weights) job->data_span[weights][at.pp] = alone;
    find_data_spans(job, at.pp, gpu);
  }
}

static ss_status find_spans(ss_job *job)
{
  job->slow_hops = ss_placement_slow_hops(&job->placement, job->chunks);
  if (job->placement.even) {
    find_even_spans(job);
    return SS_OK;
  }
  const size_t stage_ranks = (size_t)(job->tensor * job->context * job->replicas);
  int32_t *gpu = malloc(stage_ranks * sizeof *gpu);
  if (gpu == NULL) return SS_ERROR_MEMORY;
  find_uneven_spans(job, gpu);
  free(gpu);
  return SS_OK;
}

static ss_status init_spans(ss_job *job)
{
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    job->data_span[weights] = malloc((size_t)job->stages * sizeof *job->data_span[weights]);
    if (job->data_span[weights] == NULL) return SS_ERROR_MEMORY;
  }
  return find_spans(job);
}

static ss_status allocate_blocks(ss_job *job)
{
  job->block = malloc(SS_BLOCK_COUNT * sizeof *job->block);
  return job->block != NULL ? SS_OK : SS_ERROR_MEMORY;
}

static ss_status place(ss_job *job, ss_error *error)
{
  if (job->options.estimate_only && job->options.ranks == NULL)
    return ss_placement_init_even(&job->placement, job->workload, job->machine, error);
  return ss_placement_init(&job->placement, job->workload, job->machine, job->options.ranks, error);
}

static ss_status out_of_memory(const ss_job *job, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for %lld stages", (long long)job->stages);
}

ss_status ss_job_init(ss_job *job, const ss_workload *workload, const ss_machine *machine, ss_job_options options,
                      ss_error *error)
{
  const ss_pipeline_shape shape = ss_pipeline_shape_of(workload);
  *job = (ss_job){
      .workload = workload,
      .machine = machine,
      .options = options,
      .network = ss_network_of(machine),
      .shape = shape,
      .micro_batches = shape.micro_batches,
      .stages = shape.stages,
      .chunks = shape.chunks,
      .replicas = workload->parallelism.dp,
      .tensor = workload->parallelism.tp,
      .context = workload->parallelism.cp * workload->parallelism.tp2,
      .has_ends = ss_cost_traits_of(options.cost).ends_of_model && workload->model.vocabulary > 0,
  };
  for (int pass = 0; pass < SS_PASSES; ++pass) job->scale[pass] = 1.0;
  if (options.what_if.no_latency) job->network.nvlink_latency_s = job->network.fabric_latency_s = 0.0;
  ss_status status = ss_workload_check_machine(workload, machine, error);
  if (status == SS_OK) status = place(job, error);
  if (status != SS_OK) return status;
  status = ss_layout_init(job);
  if (status == SS_OK) status = init_spans(job);
  if (status == SS_OK) status = allocate_blocks(job);
  if (status != SS_OK) {
    ss_job_free(job);
    return out_of_memory(job, error);
  }
  build(job);
  return SS_OK;
}

ss_status ss_job_move(ss_job *job, ss_error *error)
{
  SS_ASSERT(!job->options.what_if.equal_stages);
  ss_placement_free(&job->placement);
  const ss_status status = place(job, error);
  if (status != SS_OK) return status;
  if (find_spans(job) != SS_OK) return out_of_memory(job, error);
  compute_durations(job);
  return SS_OK;
}

void ss_job_free(ss_job *job)
{
  ss_placement_free(&job->placement);
  ss_layout_free(job);
  free(job->block);
  job->block = NULL;
  for (int weights = 0; weights < SS_WEIGHTS; ++weights) {
    free(job->data_span[weights]);
    job->data_span[weights] = NULL;
  }
}
